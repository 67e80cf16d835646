/* hang_doubt.c: what a verdict must not say, since the evidence is not enough for it.
 *
 *   - No hang: only where recorders' dumps say of every call that it is over, and no line tells of trouble. Logs and reports tell
 *     which calls began, not which ended.
 *   - A silent rank: only where most of its group are heard; else it is a part of the job that was given.
 *   - All are in the same call: only where it is known how many "all" are, or the number is one that jobs have.
 */
#include "hang_judge.h"
#include "base/containers.h"

#include <string.h>

/* Lines name no partner of a message: whoever it is need not be silent. */
static bool is_message(const rn_hang_judge *j, const rn_wait_row *row) {
    const char *name = j->job->texts[row->call->name];
    return strcmp(name, "send") == 0 || strcmp(name, "recv") == 0 || strcmp(name, "coalesced") == 0;
}

/* ------------------------------------------------------------------ calls that others have ended */

/* Up to which of its calls has a member ended all? Its lines name the first that it has not; where messages count, too, the number
   of the last completed is beyond that. */
static int64_t ended(const rn_hang_judge *j, const rn_hang_member *m) {
    if (m->dump < 0 || m->first_open < 0 || m->last_seq < 0 || !j->job->dumps[m->dump].rough)
        return m->dump >= 0 && m->first_open < 0 ? m->last_completed : -1;
    return rn_member_call(j->job, m, m->first_open)->seq - 1;
}

/* Has another member ended the call, by lines, or by its recorder? all: of which none ends before all have come. last_of: [n_groups] what a member of a group has ended at
   the most, + 2; 0: not looked at. */
static bool is_passed(const rn_hang_judge *j, const rn_wait_row *row, bool lines, bool all,
                      int64_t last_of[]) {
    const rn_hang_group *g = &j->job->groups[row->group];
    if (row->call->peer >= 0 || (lines && is_message(j, row))) return false;
    if (rn_synchronises(j->job->texts[row->call->name]) != all) return false;
    if (last_of[row->group] == 0) {
        int64_t last = lines ? -1 : rn_last_completed(j->job, g);
        for (int32_t m = 0; m < g->n_members; m++) {
            /* dumps of open calls alone count the others */
            const rn_hang_member *member = &g->members[m];
            const int64_t own = lines ? ended(j, member) : member->last_completed;
            if (own > last) last = own;
        }
        last_of[row->group] = last + 2;
    }
    return last_of[row->group] - 2 >= row->call->seq;
}

/* Adds those who are still in a call that others have ended, by lines of logs those of one group; returns the first, NULL: nobody. */
static const rn_wait_row *blame_rows(rn_hang_judge *j, bool lines, bool all) {
    const rn_wait_row *first = NULL;
    int64_t *last_of = /* + 2; 0: not looked at */
        rs_heap_take(j->job->pieces, ((size_t)j->job->n_groups + 1) * sizeof *last_of);
    for (int64_t i = 0; last_of != NULL && i < j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        const rn_dump *dump = &j->job->dumps[row->dump];
        const bool said = dump->rough && !j->job->groups[row->group].unsure &&
                          (first == NULL || row->group == first->group),
                   recorded = row->n == 0 && !dump->rough && !dump->launched;
        if (!(lines ? said : recorded) || !is_passed(j, row, lines, all, last_of)) continue;
        if (first == NULL) first = row;
        rn_add_culprit(j, rn_row_place(j, row));
    }
    return first;
}

/* Who has ended the call behind it, too, had all others in that: the call is over, and who shows it open stands. Else it may have
   ended on some ranks alone, as where a connection breaks. */
bool rn_blame_passed(rn_hang_judge *j, bool all) {
    const rn_wait_row *first = blame_rows(j, true, all);
    const int32_t n_passed = j->hang->n_culprits;
    int32_t n_ended = 0, n_beyond = 0;
    if (first == NULL) return false;
    const rn_hang_group *g = &j->job->groups[first->group];
    for (int32_t m = 0; m < g->n_members; m++) {
        n_ended += ended(j, &g->members[m]) >= first->call->seq;
        n_beyond += ended(j, &g->members[m]) > first->call->seq;
    }
    const rn_hang_place at = rn_row_place(j, first);
    rn_set_others(j, at, n_ended, n_ended + n_passed);
    j->hang->n_came = j->hang->n_culprits;
    j->hang->doubt = all ? RN_DOUBT_PASSED : RN_DOUBT_LEFT;
    const bool decided = all && n_passed < n_ended && n_beyond > 0 && g->name[0] != '\0';
    j->hang->verdict = decided ? RN_HANG_STUCK_INSIDE : RN_HANG_UNDECIDED;
    for (int32_t m = 0; m < g->n_members && !decided; m++) {
        const rn_hang_member *member = &g->members[m];
        const bool open = member->first_open >= 0;
        if (ended(j, member) < first->call->seq) continue;
        rn_hang_place own = at;
        own.rank = member->rank;
        if (open)
            own = rn_place_of(j->job, own.rank, rn_member_call(j->job, member, member->first_open));
        rn_add_culprit(j, own);
    }
    return true;
}

static int32_t count_past(const rn_hang_judge *j, const rn_wait_row *row) {
    const rn_hang_group *g = &j->job->groups[row->group];
    int32_t n = 0;
    for (int32_t m = 0; m < g->n_members; m++) {
        const rn_hang_member *member = &g->members[m];
        const int32_t open = member->first_open;
        n += member->dump >= 0 && member->last_seq >= row->call->seq &&
             (open < 0 || rn_member_call(j->job, member, open)->seq > row->call->seq);
    }
    return n;
}

bool rn_blame_behind(rn_hang_judge *j) {
    const rn_wait_row *first = blame_rows(j, false, true);
    if (first == NULL) return false;
    j->hang->lost = !rn_is_known_first(j, first);
    const bool one = j->hang->n_culprits == 1 && !j->hang->lost;
    const int32_t n_past = count_past(j, first);
    j->hang->verdict = one ? RN_HANG_STUCK_INSIDE : RN_HANG_UNDECIDED;
    j->hang->doubt = one ? RN_DOUBT_PASSED : RN_DOUBT_ROOTS;
    rn_set_others(j, j->hang->culprits[0], n_past, n_past + 1);
    return true;
}

/* ------------------------------------------------------------------ ranks that no line names */

bool rn_is_usual(int32_t n) {
    return n > 2 && ((n & (n - 1)) == 0 || n % 8 == 0);
}

/* Is it in a call, though no line may say in which? */
static bool is_open(const rn_hang_judge *j, int32_t rank) {
    const int32_t d = rn_dump_of(j->job, rank);
    return d >= 0 && (j->waits->open[d] || j->job->dumps[d].cut);
}

bool rn_blame_lacking(rn_hang_judge *j) {
    const rn_wait_row *first = NULL;
    int32_t n_open = 0;
    for (int64_t i = 0; i < j->waits->n && first == NULL; i++) {
        const rn_hang_group *g = &j->job->groups[j->waits->rows[i].group];
        if (is_message(j, &j->waits->rows[i])) continue;
        if (j->waits->rows[i].unnamed && g->n_least > g->n_members) first = &j->waits->rows[i];
    }
    if (first == NULL) return false;
    const int32_t n_ranks = j->job->dumps[j->job->n_dumps - 1].rank + 1;
    for (int32_t r = 0; r < n_ranks; r++) n_open += is_open(j, r);
    const int32_t n_idle = n_ranks - n_open;
    const rn_hang_group *g = &j->job->groups[first->group];
    if (j->partial || !rn_is_usual(n_ranks) || n_idle != g->n_least - g->n_members ||
        2 * n_idle >= n_open)
        return false;
    rn_hang_place at = rn_row_place(j, first);
    rn_set_others(j, at, n_open, n_ranks);
    at.where = NULL;
    for (at.rank = 0; at.rank < n_ranks; at.rank++) {
        if (!is_open(j, at.rank)) rn_add_culprit(j, at);
    }
    j->hang->verdict = RN_HANG_SILENT_RANK;
    j->hang->doubt = RN_DOUBT_UNNAMED;
    return true;
}

/* ------------------------------------------------------------------ the whole */

static void doubt(rn_hang *h, rn_hang_doubt why) {
    h->verdict = RN_HANG_UNDECIDED;
    h->doubt = why;
}

/* Is what was given a part of the job? Where several dumps are missing, and more than a third of them, or those of ranks that may
   be a node. */
static bool is_part(const rn_hang_judge *j) {
    int32_t first = -1, last = -1;
    for (int32_t g = 0; g < j->job->n_groups; g++) {
        for (int32_t m = 0; m < j->job->groups[g].n_members; m++) {
            const rn_hang_member *member = &j->job->groups[g].members[m];
            if (member->dump >= 0 || rn_is_unread(j->job, member->rank)) continue;
            if (first < 0 || member->rank < first) first = member->rank;
            if (member->rank > last) last = member->rank;
        }
    }
    const int32_t n = j->job->n_ranks - j->job->n_dumps;
    if (n < 2) return false;
    const bool node = last - first + 1 == n && first % n == 0 && j->job->n_ranks % n == 0;
    return node || 3 * n > j->job->n_ranks;
}

/* Each message has two ends: where each goes from one side to the other, as in a pipeline, the numbers of both sides' last ones
   are equal together; else those of all are even. Asked where dumps have lost some, of a group of messages alone, each with a
   number. A member has a place on either side, 2m and 2m + 1; a message joins each of its sender's with the receiver's other one. */
static bool messages_meet(const rn_hang_job *job, int32_t group) {
    const rn_hang_group *g = &job->groups[group];
    const size_t n_places = 2 * (size_t)g->n_members;
    int32_t *up = rs_heap_take(job->pieces, n_places * sizeof *up);
    int64_t *last = rs_heap_take(job->pieces, n_places * sizeof *last);
    int64_t *sum = rs_heap_take(job->pieces, n_places * sizeof *sum);
    bool lost = false;
    if (up == NULL || last == NULL || sum == NULL) return true;
    for (int32_t place = 0; place < 2 * g->n_members; place++) up[place] = place;
    for (int32_t m = 0; m < g->n_members; m++) {
        const rn_hang_member *member = &g->members[m];
        if (member->dump < 0 || member->n > 0) return true;
        const rn_dump *dump = &job->dumps[member->dump];
        for (int64_t i = 0; i < dump->n_calls; i++) {
            const rn_call *c = &dump->calls[i];
            if (c->group != group) continue;
            const int32_t peer = rn_member_at(g, c->peer);
            if (c->seq == last[2 * m] || peer < 0) return true;
            last[2 * m] = c->seq, last[2 * m + 1] = -c->seq;
            rs_join_groups(up, 2 * m, 2 * peer + 1);
            rs_join_groups(up, 2 * m + 1, 2 * peer);
        }
        if (last[2 * m] == 0) return true;
        lost = lost || !dump->whole;
    }
    for (int32_t place = 0; place < 2 * g->n_members; place++)
        sum[rs_group_of(up, place)] += last[place];
    for (int32_t m = 0; m < g->n_members; m++) {
        const int32_t part = rs_group_of(up, 2 * m);
        if (part == rs_group_of(up, 2 * m + 1)) sum[part] += last[2 * m];
    }
    bool meet = true;
    for (int32_t m = 0; m < g->n_members; m++) {
        const int32_t part = rs_group_of(up, 2 * m);
        meet = meet && (part == rs_group_of(up, 2 * m + 1) ? sum[part] % 2 == 0 : sum[part] == 0);
    }
    return meet || !lost;
}

static void doubt_none(rn_hang_judge *j) {
    bool recorded = true, called = false, lost = false;
    for (int32_t d = 0; d < j->job->n_dumps; d++) {
        const rn_dump *dump = &j->job->dumps[d];
        recorded = recorded && !dump->rough && !dump->launched;
        called = called || dump->n_calls > 0;
        lost = lost || dump->torn;
    }
    for (int32_t g = 0; g < j->job->n_groups && !lost; g++) lost = !messages_meet(j->job, g);
    if (!called) {
        doubt(j->hang, RN_DOUBT_NO_CALL);
    } else if (!recorded) {
        doubt(j->hang, RN_DOUBT_LAUNCHES);
    } else if (j->hang->n_files - j->hang->n_cut < j->job->n_ranks) {
        doubt(j->hang, RN_DOUBT_PART);
    } else if (lost) {
        doubt(j->hang, RN_DOUBT_LOST);
    }
}

/* Do two wait for each other, of which one in a message? No silence explains that. rows: sorted by dump. */
static bool is_mutual(const rn_hang_judge *j) {
    const rn_wait_row *rows = j->waits->rows;
    int64_t *begin = rs_heap_take(j->job->pieces, ((size_t)j->job->n_dumps + 1) * sizeof *begin);
    if (begin == NULL) return false;
    for (int64_t i = 0; i < j->waits->n; i++) begin[rows[i].dump + 1] = i + 1;
    for (int64_t i = 0; i < j->waits->n; i++) {
        const int32_t peer =
            rows[i].call->peer >= 0 && rows[i].n == 1 ? rn_dump_of(j->job, rows[i].call->peer) : -1;
        for (int64_t k = peer < 0 ? 0 : begin[peer + 1]; k > 0 && rows[k - 1].dump == peer; k--) {
            for (int32_t r = 0; r < rows[k - 1].n; r++) {
                if (rows[k - 1].ranks[r] == j->job->dumps[rows[i].dump].rank) return true;
            }
        }
    }
    return false;
}

/* Of how many of a group is it known in which call they are? */
static int32_t count_heard(const rn_hang_judge *j, const rn_hang_group *g) {
    int32_t n = 0;
    for (int32_t m = 0; m < g->n_members; m++)
        n += g->members[m].dump >= 0 && !j->job->dumps[g->members[m].dump].cut;
    return n;
}

/* Of lines of a log it may be a part, too, where as many ranks are silent as are not, or where only two speak. NCCL's calls say of
   none that it stands. */
static void doubt_silence(rn_hang_judge *j) {
    rn_hang *h = j->hang;
    if (h->doubt != RN_DOUBT_NONE) return;
    bool few = is_part(j) || is_mutual(j);
    for (int64_t i = 0; i < j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        const rn_hang_group *g = &j->job->groups[row->group];
        const rn_dump *dump = &j->job->dumps[row->dump];
        bool empty = false; /* then it may be through */
        if (row->n == 0 || row->n_gone < row->n) continue;
        for (int32_t k = 0; k < row->n && !empty; k++) {
            const int32_t d = rn_dump_of(j->job, row->ranks[k]);
            empty = d >= 0 && j->job->dumps[d].n_calls == 0;
        }
        if (empty && 2 * row->n >= g->n_members && !dump->rough) {
            doubt(h, RN_DOUBT_ROOTS);
            return;
        }
        const int32_t n_heard = few ? 0 : count_heard(j, g);
        few = few || dump->listed || (dump->rough && (2 * n_heard <= g->n_members || n_heard < 3));
    }
    if (few) doubt(h, RN_DOUBT_PART);
}

/* Of torch's lines and its recorder's dumps it is not told whether arguments differ. */
static bool is_mixed(const rn_hang_judge *j) {
    bool rough = false, recorded = false;
    for (int32_t d = 0; d < j->job->n_dumps; d++) {
        rough = rough || j->job->dumps[d].rough;
        recorded = recorded || !(j->job->dumps[d].rough || j->job->dumps[d].unread);
    }
    return rough && recorded && j->hang->verdict == RN_HANG_STUCK_INSIDE;
}

/* Does a line tell less of the call than the other's: not which it is, or not of how many elements, which may differ? */
static bool says_less(const rn_hang_place *a, const rn_hang_place *b) {
    const bool said = strcmp(a->call, RN_UNKNOWN_CALL) != 0;
    return said ? a->n_in == 0 && b->n_in > 0 : strcmp(b->call, RN_UNKNOWN_CALL) != 0;
}

/* Keeps of those in the call whose lines tell most of it. */
static void keep_said(rn_hang *h) {
    int32_t n = 0;
    rn_hang_place most = h->culprits[0];
    for (int32_t c = 1; c < h->n_culprits; c++)
        if (says_less(&most, &h->culprits[c])) most = h->culprits[c];
    for (int32_t c = 0; c < h->n_culprits; c++)
        if (!says_less(&h->culprits[c], &most)) h->culprits[n++] = h->culprits[c];
    h->n_culprits = n;
}

static void doubt_all(rn_hang_judge *j) {
    rn_hang *h = j->hang;
    const bool rough =
        h->n_culprits > 0 && j->job->dumps[rn_dump_of(j->job, h->culprits[0].rank)].rough;
    if (rough) keep_said(h);
    for (int64_t i = 0; i < j->waits->n && h->verdict == RN_HANG_STUCK_INSIDE; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        const rn_hang_group *g = &j->job->groups[row->group];
        if (!j->job->dumps[row->dump].rough || g->counted || h->doubt != RN_DOUBT_NONE) continue;
        if (g->name != h->culprits[0].group || row->call->peer >= 0) continue;
        if (g->n_told != g->n_members && !rn_is_usual(g->n_members)) doubt(h, RN_DOUBT_SIZE);
        const bool unsaid = strcmp(h->culprits[0].call, RN_UNKNOWN_CALL) == 0;
        if (h->n_culprits < h->n_of || unsaid) doubt(h, RN_DOUBT_OTHERS);
    }
    for (int64_t i = 0; i < j->waits->n && h->verdict == RN_HANG_STUCK_INSIDE; i++) {
        const rn_wait_row *row = &j->waits->rows[i]; /* nor do these wait for the call */
        const int32_t rank = j->job->dumps[row->dump].rank;
        if (row->n > 0 || row->unnamed || row->call->peer >= 0 || !rn_is_root(j, row->dump))
            continue;
        bool in = !j->job->dumps[row->dump].rough || h->doubt != RN_DOUBT_NONE;
        for (int32_t c = 0; c < h->n_culprits && !in; c++) in = h->culprits[c].rank == rank;
        if (!in) doubt(h, RN_DOUBT_OTHERS);
    }
}

/* RAS counts kinds of calls apart: of one communicator they are no groups that wait for each other, but calls that differ. */
static bool is_one_comm(const rn_hang *h) {
    if (h->verdict != RN_HANG_CYCLE || h->crossed || h->n_culprits < 2) return false;
    const char *a = h->culprits[0].group, *b = h->culprits[1].group;
    const size_t n = strcspn(a, " ");
    return a[n] == ' ' && strncmp(a, b, n + 1) == 0;
}

void rn_doubt(rn_hang_judge *j) {
    rn_hang *h = j->hang;
    for (int32_t d = 0; d < j->job->n_dumps; d++) {
        h->rough = h->rough || j->job->dumps[d].rough || j->job->dumps[d].launched;
    }
    h->spoke = true;
    for (int32_t i = 0; i < h->n_culprits; i++) {
        h->spoke = h->spoke && rn_dump_of(j->job, h->culprits[i].rank) >= 0;
    }
    if (is_one_comm(h)) doubt(h, RN_DOUBT_NONE);
    if (is_mixed(j)) {
        doubt(h, RN_DOUBT_SOURCES);
        h->culprits[0] = (rn_hang_place){0};
        h->n_culprits = 0;
    }
    const bool most = 2 * h->n_culprits >= j->job->n_ranks;
    if (h->unsaid && !h->in_file && most) doubt(h, RN_DOUBT_PART);
    if (h->verdict == RN_HANG_NONE) doubt_none(j);
    if (h->verdict == RN_HANG_SILENT_RANK) doubt_silence(j);
    if (h->verdict == RN_HANG_STUCK_INSIDE) doubt_all(j);
    const bool only_wait = h->doubt == RN_DOUBT_SIZE || h->doubt == RN_DOUBT_OTHERS ||
                           h->doubt == RN_DOUBT_UNNAMED || h->doubt == RN_DOUBT_LAUNCHES;
    if (h->verdict != RN_HANG_UNDECIDED) return;
    /* nobody says that all are there */
    const bool open = h->doubt >= RN_DOUBT_SIZE && h->doubt <= RN_DOUBT_LEFT;
    for (int64_t i = 0; i < h->n_waits && open; i++)
        h->waits[i].unnamed |= h->waits[i].n_ranks == 0 && h->waits[i].at.seq == h->culprits[0].seq;
    if (!only_wait) return;
    h->n_waiters = h->n_culprits;
    h->n_culprits = 0;
}
