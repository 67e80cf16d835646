/* judge_order.c: who is to blame where all calls are alike, but their order or their times are not.
 *
 *     rank 0   A launched, B behind it        Both have made both. What is launched first runs first, so rank 0 is in A
 *     rank 1   B launched, A behind it        and rank 1 in B, each without the other, for ever.
 *
 *   - Where a dump knows what is started, that counts; else the first open call of a rank is the one it is in.
 */
#include "hang_judge.h"

#include <string.h>

/* ------------------------------------------------------------------ cycles */

bool rn_blame_odd(rn_hang_judge *j, const rn_waits *waits) {
    const rn_wait_row *odd, *waiter;
    if (!rn_find_odd(j->job, waits, &odd, &waiter)) return false;
    rn_add_culprit(j, rn_row_place(j, odd));
    rn_set_others(j, rn_row_place(j, waiter), 1, 1);
    j->hang->verdict = RN_HANG_CYCLE;
    return true;
}

/* Does the dump of the rank that is waited for hold none of the group's calls, and may have lost them? */
static bool may_have_come(const rn_hang_job *job, const rn_wait_row *row, int32_t dump) {
    const rn_hang_group *g = &job->groups[row->group];
    const int32_t m = row->call->peer < 0 ? rn_member_at(g, job->dumps[dump].rank) : -1;
    return m >= 0 && g->members[m].last_seq < 0 && !job->dumps[dump].whole;
}

/* What is lost may be the call that stands: an earlier one, or the one that is waited for. */
static void doubt_circle(rn_hang_judge *j, const rn_wait_row *const circle[], int32_t n) {
    for (int32_t i = 0; i < n && n > 1; i++) {
        const bool known =
            circle[i]->call->state == RN_CALL_STARTED || rn_is_known_first(j, circle[i]);
        if (known && !may_have_come(j->job, circle[i], circle[(i + 1) % n]->dump)) continue;
        j->hang->verdict = RN_HANG_UNDECIDED;
        j->hang->knotted = j->hang->lost = true;
    }
}

bool rn_blame_cycle(rn_hang_judge *j, const rn_waits *waits) {
    const rn_hang_job *job = j->job;
    const rn_wait_row **circle = rs_heap_take(job->pieces, (size_t)job->n_dumps * sizeof *circle);
    const int32_t n = circle != NULL ? rn_find_circle(job, waits, circle) : 0;
    if (n == 0) return false;
    for (int32_t i = 0; i < n; i++) {
        rn_add_culprit(j, rn_row_place(j, circle[i]));
    }
    if (n == 1) rn_set_others(j, j->hang->culprits[0], 1, 1); /* it sends to itself */
    j->hang->verdict = RN_HANG_CYCLE;
    doubt_circle(j, circle, n);
    return true;
}

/* ------------------------------------------------------------------ launched in different order */

/* What ranks are in, where nobody is missing. */
typedef struct crossed_calls {
    const rn_waits *waits;
    const rn_wait_row **in;       /* [n_dumps] a call that it is in; NULL: none */
    bool *knows_starts;           /* [n_dumps] */
    const rn_wait_row **of_group; /* those of group g from first[g] to first[g + 1] */
    int64_t *first;
    /* [n_groups] the last row found there: members of a call wait for the same ranks */
    const rn_wait_row **found_of;
    rn_waits found; /* a row for each rank that waits for others to come out of other calls */
} crossed_calls;

/* Lists the rows of each group one behind the other. */
static bool list_by_group(const rn_hang_judge *j, crossed_calls *c) {
    const size_t n_groups = (size_t)j->job->n_groups;
    c->first = rs_heap_take(j->job->pieces, (n_groups + 2) * sizeof *c->first);
    c->of_group = rs_heap_take(j->job->pieces, (size_t)c->waits->n * sizeof *c->of_group);
    if (c->first == NULL || c->of_group == NULL) return false;
    for (int64_t i = 0; i < c->waits->n; i++) {
        c->first[c->waits->rows[i].group + 2] += c->waits->rows[i].call->peer < 0;
    }
    for (size_t g = 1; g < n_groups + 2; g++) c->first[g] += c->first[g - 1];
    for (int64_t i = 0; i < c->waits->n; i++) {
        const rn_wait_row *row = &c->waits->rows[i];
        if (row->call->peer < 0) c->of_group[c->first[row->group + 1]++] = row;
    }
    return true;
}

static void see_what_runs(crossed_calls *c) {
    for (int64_t i = 0; i < c->waits->n; i++) {
        const rn_wait_row *row = &c->waits->rows[i];
        if (row->call->peer < 0 && row->call->state == RN_CALL_STARTED)
            c->knows_starts[row->dump] = true;
    }
    for (int64_t i = 0; i < c->waits->n; i++) {
        const rn_wait_row *row = &c->waits->rows[i];
        if (row->call->peer >= 0 || c->in[row->dump] != NULL) continue;
        if (c->knows_starts[row->dump] && row->call->state != RN_CALL_STARTED) continue;
        c->in[row->dump] = row;
    }
}

static bool is_in(const crossed_calls *c, const rn_wait_row *row) {
    return c->in[row->dump] == row ||
           (c->knows_starts[row->dump] && row->call->state == RN_CALL_STARTED);
}

/* Returns for whom a rank waits in its call: those who have made it, but are in another one. NULL: no memory. */
static const rn_wait_row *waits_inside(const rn_hang_judge *j, crossed_calls *c,
                                       const rn_wait_row *row) {
    const rn_hang_group *g = &j->job->groups[row->group];
    const rn_wait_row *same = c->found_of[row->group];
    if (same != NULL && same->call->seq == row->call->seq) return same;
    rn_wait_row *found = rs_heap_take(j->job->pieces, sizeof *found);
    int32_t *ranks = rs_heap_take(j->job->pieces, (size_t)g->n_members * sizeof *ranks);
    if (found == NULL || ranks == NULL) return NULL;
    *found = *row;
    found->ranks = ranks;
    for (int64_t i = c->first[row->group]; i < c->first[row->group + 1]; i++) {
        const rn_wait_row *other = c->of_group[i];
        if (other->call->seq != row->call->seq || is_in(c, other)) continue;
        ranks[found->n++] = j->job->dumps[other->dump].rank;
    }
    c->found_of[row->group] = found;
    return found;
}

static bool add_row(const rn_hang_judge *j, crossed_calls *c, const rn_wait_row *row) {
    const rn_wait_row *found = waits_inside(j, c, row);
    if (found == NULL) return false;
    if (found->n == 0) return true;
    rn_wait_row *added = &c->found.rows[c->found.n++];
    *added = *row;
    added->ranks = found->ranks;
    added->n = found->n;
    return true;
}

/* Counts who of those who have made two calls is in the one only, and in the other. */
static void count_in(const crossed_calls *c, const rn_wait_row *a, const rn_wait_row *b,
                     int32_t n_in[2], const rn_wait_row *one_in[2]) {
    for (int64_t i = c->first[a->group]; i < c->first[a->group + 1]; i++) {
        const rn_wait_row *x = c->of_group[i], *y = x;
        if (x->call->seq != a->call->seq) continue;
        while (y > c->waits->rows && y[-1].dump == x->dump) y--;
        for (; y < c->waits->rows + c->waits->n && y->dump == x->dump; y++) {
            if (y->group != b->group || y->call->seq != b->call->seq || y->call->peer >= 0)
                continue;
            if (is_in(c, x) == is_in(c, y)) continue;
            const int which = is_in(c, y);
            if (n_in[which]++ == 0) one_in[which] = which == 0 ? x : y;
        }
    }
}

static void blame_circle(rn_hang_judge *j, const crossed_calls *c,
                         const rn_wait_row *const circle[], int32_t n) {
    const rn_wait_row *one_in[2] = {NULL, NULL};
    int32_t n_in[2] = {0, 0};
    j->hang->verdict = RN_HANG_CYCLE;
    j->hang->crossed = n == 2;
    if (n == 2) count_in(c, circle[0], circle[1], n_in, one_in);
    for (int odd = 0; odd < 2; odd++) {
        const rn_wait_row *one = one_in[odd], *other = one_in[1 - odd];
        if (n_in[odd] != 1 || n_in[1 - odd] < 2) continue;
        rn_add_culprit(j, rn_row_place(j, one));
        rn_set_others(j, rn_row_place(j, other), n_in[1 - odd], n_in[0] + n_in[1]);
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        rn_add_culprit(j, rn_row_place(j, circle[i]));
    }
}

bool rn_blame_crossed(rn_hang_judge *j) {
    const size_t n_dumps = (size_t)j->job->n_dumps;
    crossed_calls c = {.waits = j->waits};
    c.in = rs_heap_take(j->job->pieces, n_dumps * sizeof *c.in);
    c.knows_starts = rs_heap_take(j->job->pieces, n_dumps);
    c.found.rows = rs_heap_take(j->job->pieces, n_dumps * sizeof *c.found.rows);
    const rn_wait_row **circle = rs_heap_take(j->job->pieces, n_dumps * sizeof *circle);
    if (c.in == NULL || c.knows_starts == NULL || c.found.rows == NULL || circle == NULL) {
        return false;
    }
    c.found_of = rs_heap_take(j->job->pieces, (size_t)j->job->n_groups * sizeof *c.found_of);
    if (c.found_of == NULL || !list_by_group(j, &c)) return false;
    see_what_runs(&c);
    for (int32_t d = 0; d < j->job->n_dumps; d++) {
        if (c.in[d] == NULL || c.in[d]->n > 0) continue;
        if (!add_row(j, &c, c.in[d])) return false;
    }
    const int32_t n = rn_find_circle(j->job, &c.found, circle);
    if (n < 2) return false;
    blame_circle(j, &c, circle, n);
    doubt_circle(j, circle, n);
    for (int64_t i = 0; i < c.found.n; i++) { /* nobody is missing, and yet they wait */
        const rn_wait_row *row = &c.found.rows[i];
        rn_hang_wait *wait = &j->hang->waits[c.in[row->dump] - j->waits->rows];
        wait->ranks = row->ranks;
        wait->n_ranks = row->n;
    }
    return true;
}

/* ------------------------------------------------------------------ slow */

void rn_blame_slow(rn_hang_judge *j) {
    enum { MOST = 64 };
    rn_slow list[MOST];
    const int32_t n = rn_find_slow(j->job, list, MOST);
    int32_t first = 0;
    if (n == 0) return;
    for (int32_t i = 1; i < n; i++) {
        const double share = (double)list[i].lost_ns / (double)list[i].all_ns;
        if (share > (double)list[first].lost_ns / (double)list[first].all_ns) first = i;
    }
    rn_add_culprit(j, rn_place_of(j->job, list[first].rank, list[first].call));
    for (int32_t i = 0; i < n; i++)
        rn_add_culprit(j, rn_place_of(j->job, list[i].rank, list[i].call));
    j->hang->n_agree = list[first].n_last;
    j->hang->n_of = list[first].n_of;
    j->hang->late_ns = list[first].late_ns;
    j->hang->verdict = RN_HANG_SLOW;
}
