/* judge_inside.c: all are in a call that cannot end.
 *
 *   - An all-to-all: what all send together is what all receive. Splits may differ from rank to rank, so only the sums tell that
 *     something is wrong. Where all others send and receive one size, the rank that does not is named; else nobody tells whose
 *     split it is. Only where every member has a dump with its sizes.
 *   - Torch's watchdog gives each call its number in the group, its operation and its elements. Calls are not aligned there, but
 *     those of one number should be equal.
 */
#include "hang_judge.h"

#include <string.h>

/* ------------------------------------------------------------------ splits */

enum { MOST_MEMBERS = 4096 };
static const int64_t most_elements = (int64_t)1 << 48;

/* Returns the member's call of that number; NULL: its dump has none, or no sizes. */
static const rn_call *numbered(const rn_hang_job *job, const rn_hang_member *m, int64_t seq) {
    if (m->dump < 0 || job->dumps[m->dump].rough || job->dumps[m->dump].launched) return NULL;
    for (int32_t i = m->n - 1; i >= 0; i--) {
        const rn_call *call = rn_member_call(job, m, i);
        if (call->seq == seq) return call;
        if (call->seq < seq) break;
    }
    return NULL;
}

/* Fills in each member's call; returns what is sent more than received, 0: it fits, or is not known. */
static int64_t sent_too_much(const rn_hang_judge *j, const rn_wait_row *row,
                             const rn_call *calls[MOST_MEMBERS]) {
    const rn_hang_group *g = &j->job->groups[row->group];
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

static bool is_even(const rn_call *call, int64_t n) {
    return call->n_in == n && call->n_out == n;
}

static void blame(rn_hang_judge *j, const rn_wait_row *row, const rn_call *const calls[]) {
    const rn_hang_group *g = &j->job->groups[row->group];
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
    j->hang->difference = RN_DIFFERS_SPLIT;
    const bool decided = n_odd == 1 && g->n_members > 2;
    j->hang->verdict = decided ? RN_HANG_MISMATCH : RN_HANG_UNDECIDED;
    for (int32_t m = 0; m < g->n_members; m++) {
        const rn_hang_place place = rn_place_of(j->job, g->members[m].rank, calls[m]);
        if (!decided || m == odd) rn_add_culprit(j, place);
        if (decided && m != odd) rn_set_others(j, place, g->n_members - 1, g->n_members);
    }
}

bool rn_blame_split(rn_hang_judge *j) {
    const rn_call **calls = rs_heap_take(j->job->pieces, MOST_MEMBERS * sizeof *calls);
    int32_t seen = -1; /* the group that was looked at last: its members have the same call */
    if (calls == NULL) return false;
    for (int64_t i = 0; i < j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        const char *name = j->job->texts[row->call->name];
        if (row->n > 0 || row->call->peer >= 0 || row->group == seen) continue;
        if (strncmp(name, "all_to_all", 10) != 0 && strncmp(name, "alltoall", 8) != 0) continue;
        seen = row->group;
        if (!rn_is_known_first(j, row) || sent_too_much(j, row, calls) == 0) continue;
        blame(j, row, calls);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ lines of logs */

/* The call of a row as its group's other members should make it; 0: nothing is said of what it is. */
static uint32_t args_of_row(const rn_hang_judge *j, const rn_wait_row *row) {
    const rn_hang_group *g = &j->job->groups[row->group];
    const rn_dump *dump = &j->job->dumps[row->dump];
    const int32_t at = row->call->peer < 0 && dump->rough ? rn_member_at(g, dump->rank) : -1;
    const bool said = strcmp(j->job->texts[row->call->name], RN_UNKNOWN_CALL) != 0;
    const bool counts = at >= 0 && row->n == row->n_gone && !row->unnamed && said;
    return counts ? g->members[at].calls[g->members[at].first_open].args : 0;
}

/* Old lines give no sizes. */
static bool differ(const rn_wait_row *a, const rn_wait_row *b) {
    return a->call->name != b->call->name || (a->call->n_in > 0 && b->call->n_in > 0);
}

/* Is it the other's call, of which its line, that is cut, gives no sizes? */
static bool is_cut(const rn_wait_row *row, const rn_wait_row *other) {
    return row->call->name == other->call->name && row->call->n_in == 0 && other->call->n_in > 0;
}

static bool same_call(const rn_wait_row *a, const rn_wait_row *b) {
    return a->group == b->group && a->call->seq == b->call->seq;
}

/* The next row of those in the call of one; behind NULL the first; NULL: there is none. */
static const rn_wait_row *next_in(const rn_hang_judge *j, const rn_wait_row *first,
                                  const rn_wait_row *row) {
    const rn_wait_row *const end = j->waits->rows + j->waits->n;
    for (row = row == NULL ? j->waits->rows : row + 1; row < end; row++)
        if (same_call(row, first) && args_of_row(j, row) != 0) return row;
    return NULL;
}

/* What more than half of those do, if anything, by votes that cancel each other. */
static const rn_wait_row *most_of(const rn_hang_judge *j, const rn_wait_row *first) {
    const rn_wait_row *most = first;
    int64_t votes = 0;
    for (const rn_wait_row *row = NULL; (row = next_in(j, first, row)) != NULL;) {
        if (is_cut(row, most)) continue;
        if (votes == 0) most = row;
        votes += args_of_row(j, row) == args_of_row(j, most) ? 1 : -1;
    }
    return most;
}

/* The first row of a group whose members, in one call, do not do the same; NULL: there is none. */
static const rn_wait_row *first_unlike(const rn_hang_judge *j) {
    const rn_wait_row **seen = rs_heap_take(
        j->job->pieces, ((size_t)j->job->n_groups + 1) * sizeof *seen); /* the first of a group */
    for (int64_t i = 0; seen != NULL && i < j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i], *first = seen[row->group];
        const uint32_t args = args_of_row(j, row);
        if (args == 0) continue;
        if (first == NULL || (same_call(first, row) && is_cut(first, row))) seen[row->group] = row;
        if (first == NULL || !same_call(first, row) || args == args_of_row(j, first)) continue;
        if (differ(first, row)) return first;
    }
    return NULL;
}

bool rn_blame_unlike(rn_hang_judge *j) {
    const rn_wait_row *first = first_unlike(j), *other = NULL;
    if (first == NULL) return false;
    const rn_wait_row *most = most_of(j, first);
    const uint32_t args = args_of_row(j, most);
    int32_t n = 0, n_alike = 0;
    for (int64_t i = 0; i < j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        const uint32_t own = args_of_row(j, row); /* 0: no line says what it is */
        if (!same_call(row, first)) continue;
        n++;
        n_alike += own == args;
        if (own != 0 && own != args && differ(row, most) && other == NULL) other = row;
    }
    if (other == NULL) return false;
    const bool decided = 2 * n_alike > n + first->n; /* who is silent may agree with either */
    const rn_hang_place usual = rn_row_place(j, most);
    if (!decided) rn_add_culprit(j, usual);
    for (const rn_wait_row *row = other; row != NULL; row = next_in(j, first, row)) {
        if (args_of_row(j, row) == args || !differ(row, most)) continue;
        rn_add_culprit(j, rn_row_place(j, row));
        if (!decided) break;
    }
    rn_set_others(j, usual, n_alike, n);
    j->hang->verdict = decided ? RN_HANG_MISMATCH : RN_HANG_UNDECIDED;
    j->hang->difference = rn_hang_differs(&j->hang->culprits[!decided], &usual);
    return true;
}
