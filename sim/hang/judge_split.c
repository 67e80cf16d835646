/* judge_split.c: an all-to-all that all are in: what all send together is what all receive, or it cannot end.
 *
 *   - Splits may differ from rank to rank, so only the sums tell that something is wrong. Where all others send and receive
 *     one size, the rank that does not is named; else nobody tells whose split it is.
 *   - Only where every member has a dump with its sizes.
 */
#include "hang_judge.h"

#include <string.h>

enum { MOST_MEMBERS = 4096 };
static const int64_t most_elements = (int64_t)1 << 48;

/* Returns the member's call of that number; NULL: its dump has none, or no sizes. */
static const rs_call *numbered(const rs_hang_job *job, const rs_hang_member *m, int64_t seq) {
    if (m->dump < 0 || job->dumps[m->dump].rough || job->dumps[m->dump].launched) return NULL;
    for (int32_t i = m->n - 1; i >= 0; i--) {
        const rs_call *call = rs_member_call(job, m, i);
        if (call->seq == seq) return call;
        if (call->seq < seq) break;
    }
    return NULL;
}

/* Fills in each member's call; returns what is sent more than received, 0: it fits, or is not known. */
static int64_t sent_too_much(const rs_hang_judge *j, const rs_wait_row *row,
                             const rs_call *calls[MOST_MEMBERS]) {
    const rs_hang_group *g = &j->job->groups[row->group];
    int64_t difference = 0;
    if (g->n_members < 2 || g->n_members > MOST_MEMBERS) return 0;
    for (int32_t m = 0; m < g->n_members; m++) {
        calls[m] = numbered(j->job, &g->members[m], row->call->seq);
        if (calls[m] == NULL || calls[m]->name != row->call->name) return 0;
        if (calls[m]->n_in > most_elements || calls[m]->n_out > most_elements) return 0;
        difference += calls[m]->n_in - calls[m]->n_out;
    }
    return difference;
}

static bool is_even(const rs_call *call, int64_t n) {
    return call->n_in == n && call->n_out == n;
}

static void blame(rs_hang_judge *j, const rs_wait_row *row, const rs_call *const calls[]) {
    const rs_hang_group *g = &j->job->groups[row->group];
    int32_t odd = 0, n_odd = 0, n_votes = 0;
    int64_t size = 0; /* a majority cancels all others */
    for (int32_t m = 0; m < g->n_members; m++) {
        if (n_votes == 0) size = calls[m]->n_in;
        n_votes += is_even(calls[m], size) ? 1 : -1;
        if (n_votes < 0) n_votes = 0;
    }
    for (int32_t m = 0; m < g->n_members; m++) {
        if (is_even(calls[m], size)) continue;
        odd = m;
        n_odd++;
    }
    j->hang->difference = RS_DIFFERS_SPLIT;
    const bool decided = n_odd == 1 && g->n_members > 2;
    j->hang->verdict = decided ? RS_HANG_MISMATCH : RS_HANG_UNDECIDED;
    for (int32_t m = 0; m < g->n_members; m++) {
        const rs_hang_place place = rs_place_of(j->job, g->members[m].rank, calls[m]);
        if (!decided || m == odd) rs_add_culprit(j, place);
        if (decided && m != odd) rs_set_others(j, place, g->n_members - 1, g->n_members);
    }
}

bool rs_blame_split(rs_hang_judge *j) {
    const rs_call **calls = rs_heap_take(j->job->pieces, MOST_MEMBERS * sizeof *calls);
    int32_t seen = -1; /* the group that was looked at last: its members have the same call */
    if (calls == NULL) return false;
    for (int64_t i = 0; i < j->waits->n; i++) {
        const rs_wait_row *row = &j->waits->rows[i];
        const char *name = j->job->texts[row->call->name];
        if (row->n > 0 || row->call->peer >= 0 || row->group == seen) continue;
        if (strncmp(name, "all_to_all", 10) != 0 && strncmp(name, "alltoall", 8) != 0) continue;
        seen = row->group;
        if (!rs_is_known_first(j, row) || sent_too_much(j, row, calls) == 0) continue;
        blame(j, row, calls);
        return true;
    }
    return false;
}
