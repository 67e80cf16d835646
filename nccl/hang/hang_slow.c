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

/* A member of a group, over the calls that are compared: those that all made. */
typedef struct slow_member {
    int32_t first; /* of its calls: the first that all have */
    int64_t wait,
        until_next; /* of one call, ns: until the rank's next call from its beginning; 0: there is none */
    double waits;       /* in all of them */
    double lead, lead2; /* before the late one; its square */
    double n, sum[N_TIMES], product[N_TIMES][N_TIMES];
} slow_member;

typedef struct slow_search {
    const rn_hang_job *job;
    const rn_hang_group *group;
    slow_member *of; /* [n_members] */
    int32_t n;       /* calls that are compared */
} slow_search;

/* Returns a member's k-th call of those that all have. */
static const rn_call *call_of(const slow_search *s, int32_t m, int32_t k) {
    return rn_member_call(s->job, &s->group->members[m], s->of[m].first + k);
}

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
    const rn_call *like = call_of(s, 0, k);
    for (int32_t m = 0; m < s->group->n_members; m++) {
        const rn_dump *dump = &s->job->dumps[members[m].dump];
        const rn_call *call = call_of(s, m, k);
        slow_member *of = &s->of[m];
        if (call->seq != like->seq || call->name != like->name) return false;
        if (call->state != RN_CALL_COMPLETED || call->created_ns <= 0) return false;
        if ((call->lasted_ns > 0) != (like->lasted_ns > 0)) return false;
        of->wait = ended_ns(call) - began_ns(call);
        if (of->wait <= 0 || of->wait > longest_ns) return false;
        of->until_next = 0;
        if (call + 1 == dump->calls + dump->n_calls) continue;
        if (call[1].created_ns < ended_ns(call)) return false;
        of->until_next = call[1].created_ns - began_ns(call);
        if (of->until_next > longest_ns) return false;
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
        s->of[m].first = i;
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
        const rn_dump *dump = &s->job->dumps[s->group->members[m].dump];
        if (!waits_for_calls(dump)) return false;
        const int64_t busy =
            busy_ns(dump, ended_ns(call_of(s, m, 0)), ended_ns(call_of(s, m, n_calls - 1)));
        if (m == late) own = busy;
        if (m != late && busy > most) most = busy;
    }
    return own - most >= by_ns;
}

/* ------------------------------------------------------------------ who is late */

/* Returns the member that was in the calls for the shortest time. */
static int32_t find_late(slow_search *s, int32_t n_calls) {
    int32_t late = 0;
    for (int32_t k = 0; k < n_calls; k++) {
        if (!see_call(s, k)) continue;
        s->n++;
        for (int32_t m = 0; m < s->group->n_members; m++) s->of[m].waits += (double)s->of[m].wait;
    }
    for (int32_t m = 1; m < s->group->n_members; m++) {
        if (s->of[m].waits < s->of[late].waits) late = m;
    }
    return late;
}

static void add_next(slow_member *of, const double times[N_TIMES]) {
    of->n++;
    for (int i = 0; i < N_TIMES; i++) {
        of->sum[i] += times[i];
        for (int k = i; k < N_TIMES; k++) of->product[i][k] += times[i] * times[k];
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
            slow_member *of = &s->of[m];
            const int64_t d = of->wait - s->of[late].wait;
            if (m == late) continue;
            of->lead += (double)d;
            of->lead2 += (double)d * (double)d;
            if (of->until_next > 0 && s->of[late].until_next > 0) {
                const double times[] = {(double)of->wait, (double)of->until_next,
                                        (double)s->of[late].until_next};
                add_next(of, times);
            }
            if (d < gap) gap = d;
        }
        slow->lost_ns += gap;
        if (gap <= 0) continue;
        slow->n_last++;
        slow->late_ns += gap;
        if (gap <= longest) continue;
        longest = gap;
        slow->call = call_of(s, late, k);
    }
}

/* Is each other one's lead many times its own error? */
static bool is_certain(const slow_search *s, int32_t late) {
    const double n = s->n;
    for (int32_t m = 0; m < s->group->n_members; m++) {
        if (m == late) continue;
        const double mean = s->of[m].lead / n, spread = s->of[m].lead2 / n - mean * mean;
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
        const slow_member *t = &s->of[m];
        if (m == late || t->n < 2) continue;
        for (int i = 0; i < N_TIMES; i++) {
            for (int k = i; k < N_TIMES; k++)
                by[i][k] += t->product[i][k] - t->sum[i] * t->sum[k] / t->n;
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
    slow->all_ns = ended_ns(call_of(s, late, n_calls - 1)) - began_ns(call_of(s, late, 0));
    if (slow->n_last == 0 || slow->lost_ns < slow->all_ns / LEAST_SHARE) return false;
    if (!is_certain(s, late) || !did_wait(s, late)) return false;
    slow->late_ns /= slow->n_last;
    return is_busiest(s, late, n_calls, slow->lost_ns / 2);
}

/* ------------------------------------------------------------------ the whole */

int32_t rn_find_slow(const rn_hang_job *job, rn_slow list[], int32_t room) {
    int32_t n = 0;
    for (int32_t g = 0; g < job->n_groups && n < room; g++) {
        slow_search s = {.job = job, .group = &job->groups[g]};
        s.of = rs_heap_take(job->pieces, (size_t)s.group->n_members * sizeof *s.of);
        if (s.of == NULL) return 0;
        if (s.group->n_members > 1 && is_slow(&s, &list[n])) n++;
    }
    return n;
}
