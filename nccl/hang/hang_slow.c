/* hang_slow.c: nothing hangs, but a rank comes late to its group's calls: who, and by how much, as clocks are uneven?
 *
 *     rank 0   |------------|      a call of all ends everywhere at one moment: who was in it for the shortest
 *     rank 1     |----------|      time came last, by the difference. How long a rank was in it its own clock
 *     rank 2             |--|      tells; no clock is held against another.
 *
 *   - That a call is over is seen late, and not by all at once (torch's watchdog looks every tenth of a second): the differences
 *     count where their mean is many times its own error, over many calls. With the GPU's own time of the call it is over so
 *     long after it was made, if it was seen soon after that. A call says nothing where a rank went on before it was over: it did not wait.
 *   - Who came late because it waited elsewhere is not slow: outside of all its calls the rank must have been busy for
 *     longer than each other one, by half of what it came late.
 *   - Only where every member has a dump: one without might have come later still.
 */
#include "hang_job.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_CALLS = 24, ERRORS = 6, LEAST_SHARE = 10 /* one so many-th of the time is lost */ };
enum { MOST_CALLS = 1 << 20, MOST_AHEAD = 50 /* one so many-th of the calls is not waited for */ };
#define LEAST_SLOPE 0.3
static const int64_t SEEN_NS = 200000000;           /* later nothing is seen */
static const int64_t longest_ns = (int64_t)1 << 41; /* half an hour; so sums fit */

/* Waits, times until the next call, times until the late one's next call. */
enum { WAIT, NEXT, OWN, N_TIMES };

/* Over the calls that are compared. */
typedef struct slow_sums {
    double wait;        /* in a call */
    double lead, lead2; /* before the late one; its square */
    double n, of[N_TIMES], product[N_TIMES][N_TIMES];
} slow_sums;

/* What is compared of a group: a call that all made, by member. */
typedef struct slow_search {
    const rn_hang_job *job;
    const rn_hang_group *group;
    int32_t *first; /* [n_members] of calls: the first that all have */
    int64_t *waits; /* [n_members] of one call, ns */
    /* [n_members] from its beginning to the rank's next call, ns; 0: there is none */
    int64_t *until_next;
    slow_sums *sums; /* [n_members] */
    int32_t n;       /* calls that are compared */
} slow_search;

/* ------------------------------------------------------------------ one call of all */

static int64_t ended_ns(const rn_call *call) {
    const int64_t soonest = call->created_ns + call->lasted_ns, seen = call->completed_ns - SEEN_NS;
    if (call->lasted_ns == 0) return call->completed_ns;
    return soonest < call->completed_ns && soonest > seen ? soonest : call->completed_ns;
}

static int64_t began_ns(const rn_call *call) {
    return call->lasted_ns > 0 ? ended_ns(call) - call->lasted_ns : call->created_ns;
}

/* Fills the waits of the k-th call; false: it says nothing. */
static bool see_call(const slow_search *s, int32_t k) {
    const rn_hang_member *members = s->group->members;
    const rn_call *like = rn_member_call(s->job, &members[0], s->first[0] + k);
    for (int32_t m = 0; m < s->group->n_members; m++) {
        const rn_dump *dump = &s->job->dumps[members[m].dump];
        const rn_call *call = rn_member_call(s->job, &members[m], s->first[m] + k);
        if (call->seq != like->seq || call->name != like->name) return false;
        if (call->state != RN_CALL_COMPLETED || call->created_ns <= 0) return false;
        if ((call->lasted_ns > 0) != (like->lasted_ns > 0)) return false;
        s->waits[m] = ended_ns(call) - began_ns(call);
        if (s->waits[m] <= 0 || s->waits[m] > longest_ns) return false;
        s->until_next[m] = 0;
        if (call + 1 == dump->calls + dump->n_calls) continue;
        if (call[1].created_ns < ended_ns(call)) return false;
        s->until_next[m] = call[1].created_ns - began_ns(call);
        if (s->until_next[m] > longest_ns) return false;
    }
    return rn_synchronises(s->job->texts[like->name]);
}

/* Returns how many calls all members have, one behind the other, from `first` on. */
static int32_t find_first(const slow_search *s) {
    const rn_hang_group *g = s->group;
    int64_t from = 0;
    int32_t n = INT32_MAX;
    for (int32_t m = 0; m < g->n_members; m++) {
        if (g->members[m].dump < 0 || g->members[m].n == 0) return 0;
        const int64_t seq = rn_member_call(s->job, &g->members[m], 0)->seq;
        if (seq > from) from = seq;
    }
    for (int32_t m = 0; m < g->n_members; m++) {
        int32_t i = 0;
        while (i < g->members[m].n && rn_member_call(s->job, &g->members[m], i)->seq < from) i++;
        s->first[m] = i;
        if (g->members[m].n - i < n) n = g->members[m].n - i;
    }
    return n < MOST_CALLS ? n : MOST_CALLS;
}

/* ------------------------------------------------------------------ busy */

/* Returns how long the rank was in none of its calls between two moments of its clock. */
static int64_t busy_ns(const rn_dump *dump, int64_t from_ns, int64_t to_ns) {
    int64_t busy = 0, at = from_ns;
    for (int64_t i = 0; i < dump->n_calls && at < to_ns; i++) {
        const rn_call *call = &dump->calls[i];
        if (call->state != RN_CALL_COMPLETED || ended_ns(call) <= at) continue;
        const int64_t began = began_ns(call) < to_ns ? began_ns(call) : to_ns;
        if (began > at) busy += began - at;
        at = ended_ns(call);
    }
    return at < to_ns ? busy + to_ns - at : busy;
}

/* Does the rank wait for its calls, nearly all of them, before it goes on? */
static bool waits_for_calls(const rn_dump *dump) {
    int64_t n = 0, n_ahead = 0;
    for (int64_t i = 0; i + 1 < dump->n_calls; i++) {
        const rn_call *call = &dump->calls[i];
        if (call->peer >= 0 || call->state != RN_CALL_COMPLETED) continue;
        n++;
        n_ahead += call[1].created_ns < ended_ns(call);
    }
    return n_ahead * MOST_AHEAD <= n;
}

/* Has the member been busy for longer than each other one, by so much? */
static bool is_busiest(const slow_search *s, int32_t late, int32_t n_calls, int64_t by_ns) {
    int64_t own = 0, most = 0;
    for (int32_t m = 0; m < s->group->n_members; m++) {
        const rn_hang_member *member = &s->group->members[m];
        const rn_call *first = rn_member_call(s->job, member, s->first[m]);
        const rn_call *last = rn_member_call(s->job, member, s->first[m] + n_calls - 1);
        if (!waits_for_calls(&s->job->dumps[member->dump])) return false;
        const int64_t busy = busy_ns(&s->job->dumps[member->dump], ended_ns(first), ended_ns(last));
        if (m == late) own = busy;
        if (m != late && busy > most) most = busy;
    }
    return own - most >= by_ns;
}

/* ------------------------------------------------------------------ who is late */

/* Returns the member that was in the calls for the shortest time. */
static int32_t find_late(slow_search *s, int32_t n_calls) {
    int32_t late = 0;
    memset(s->sums, 0, (size_t)s->group->n_members * sizeof *s->sums);
    for (int32_t k = 0; k < n_calls; k++) {
        if (!see_call(s, k)) continue;
        s->n++;
        for (int32_t m = 0; m < s->group->n_members; m++) s->sums[m].wait += (double)s->waits[m];
    }
    for (int32_t m = 1; m < s->group->n_members; m++) {
        if (s->sums[m].wait < s->sums[late].wait) late = m;
    }
    return late;
}

static void add_next(slow_sums *sums, const double times[N_TIMES]) {
    sums->n++;
    for (int i = 0; i < N_TIMES; i++) {
        sums->of[i] += times[i];
        for (int k = i; k < N_TIMES; k++) sums->product[i][k] += times[i] * times[k];
    }
}

/* Sums up by how much all others came before it. */
static void measure_late(slow_search *s, int32_t late, int32_t n_calls, rn_slow *slow) {
    const int32_t n = s->group->n_members;
    int64_t longest = 0;
    for (int32_t k = 0; k < n_calls; k++) {
        int64_t gap = INT64_MAX;
        if (!see_call(s, k)) continue;
        for (int32_t m = 0; m < n; m++) {
            const int64_t d = s->waits[m] - s->waits[late];
            if (m == late) continue;
            s->sums[m].lead += (double)d;
            s->sums[m].lead2 += (double)d * (double)d;
            if (s->until_next[m] > 0 && s->until_next[late] > 0) {
                const double times[] = {(double)s->waits[m], (double)s->until_next[m],
                                        (double)s->until_next[late]};
                add_next(&s->sums[m], times);
            }
            if (d < gap) gap = d;
        }
        slow->lost_ns += gap;
        if (gap <= 0) continue;
        slow->n_last++;
        slow->late_ns += gap;
        if (gap <= longest) continue;
        longest = gap;
        slow->call = rn_member_call(s->job, &s->group->members[late], s->first[late] + k);
    }
}

/* Is each other one's lead many times its own error? */
static bool is_certain(const slow_search *s, int32_t late) {
    const double n = s->n;
    for (int32_t m = 0; m < s->group->n_members; m++) {
        if (m == late) continue;
        const double mean = s->sums[m].lead / n, spread = s->sums[m].lead2 / n - mean * mean;
        if (mean <= 0 || mean * mean * n < ERRORS * ERRORS * spread) return false;
    }
    return true;
}

/* Did the others' next calls come later by what they had waited? Else they did not wait, but were ahead all the time, and
   nothing was lost. A regression of the one on the other, each member's means taken away; and on the late one's time
   until its next call, for where all work longer, ranks that are ahead drift further apart. */
static bool did_wait(const slow_search *s, int32_t late) {
    double by[N_TIMES][N_TIMES] = {{0}}, n = 0;
    for (int32_t m = 0; m < s->group->n_members; m++) {
        const slow_sums *t = &s->sums[m];
        if (m == late || t->n < 2) continue;
        for (int i = 0; i < N_TIMES; i++) {
            for (int k = i; k < N_TIMES; k++)
                by[i][k] += t->product[i][k] - t->of[i] * t->of[k] / t->n;
        }
        n = t->n;
    }
    for (int i = WAIT; i <= NEXT && by[OWN][OWN] > 0; i++) { /* the late one's part is taken away */
        for (int k = i; k <= NEXT; k++) by[i][k] -= by[i][OWN] * by[k][OWN] / by[OWN][OWN];
    }
    const double waits2 = by[WAIT][WAIT];
    if (n < LEAST_CALLS / 2 || waits2 <= 0) return false;
    const double slope = by[WAIT][NEXT] / waits2, left = by[NEXT][NEXT] - slope * by[WAIT][NEXT];
    const double over = slope - LEAST_SLOPE;
    return over > 0 && over * over * waits2 * n > ERRORS * ERRORS * left;
}

static bool is_slow(slow_search *s, rn_slow *slow) {
    const int32_t n_calls = find_first(s);
    if (n_calls < LEAST_CALLS) return false;
    const int32_t late = find_late(s, n_calls);
    if (s->n < LEAST_CALLS) return false;
    *slow = (rn_slow){.group = s->group, .rank = s->group->members[late].rank, .n_of = s->n};
    measure_late(s, late, n_calls, slow);
    const rn_hang_member *member = &s->group->members[late];
    const rn_call *first = rn_member_call(s->job, member, s->first[late]);
    const rn_call *last = rn_member_call(s->job, member, s->first[late] + n_calls - 1);
    slow->all_ns = ended_ns(last) - began_ns(first);
    if (slow->n_last == 0 || slow->lost_ns < slow->all_ns / LEAST_SHARE) return false;
    if (!is_certain(s, late) || !did_wait(s, late)) return false;
    slow->late_ns /= slow->n_last;
    return is_busiest(s, late, n_calls, slow->lost_ns / 2);
}

/* ------------------------------------------------------------------ the whole */

int32_t rn_find_slow(const rn_hang_job *job, rn_slow list[], int32_t room) {
    slow_search s = {.job = job};
    int32_t most = 0, n = 0;
    for (int32_t g = 0; g < job->n_groups; g++) {
        if (job->groups[g].n_members > most) most = job->groups[g].n_members;
    }
    s.first = rs_heap_take(job->pieces, (size_t)most * sizeof *s.first);
    s.waits = rs_heap_take(job->pieces, (size_t)most * sizeof *s.waits);
    s.until_next = rs_heap_take(job->pieces, (size_t)most * sizeof *s.until_next);
    s.sums = rs_heap_take(job->pieces, (size_t)most * sizeof *s.sums);
    if (job->pieces->arena->lacked) return 0;
    for (int32_t g = 0; g < job->n_groups && n < room; g++) {
        s.group = &job->groups[g];
        s.n = 0;
        if (s.group->n_members > 1 && is_slow(&s, &list[n])) n++;
    }
    return n;
}
