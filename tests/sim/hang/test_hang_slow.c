/* test_hang_slow.c: a rank that comes late to each call is named; one that others wait for elsewhere, that is ahead, or
 * that nobody waits for is not; whatever the clocks say.
 */
#include "hang/hang_job.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, CALLS = 60, ROOM = 2 * CALLS, MS = 1000000 };

static rs_arena keep;
static rs_error error;
static rs_dump dumps[RANKS];
static const char *const words[] = {"", "0", "default_pg", "all_reduce", "barrier", "train.py:7"};

static void start(void) {
    rs_arena_init(&keep, NULL);
    memset(dumps, 0, sizeof dumps);
    for (int32_t r = 0; r < RANKS; r++) {
        rs_dump *d = &dumps[r];
        *d = (rs_dump){.rank = r, .whole = true, .n_groups = 1, .words = rs_alloc(&keep, 8, 8)};
        memcpy(d->words, words, sizeof words);
        d->n_words = sizeof words / sizeof *words;
        d->groups = rs_alloc(&keep, 1, sizeof *d->groups);
        d->calls = rs_alloc(&keep, ROOM, sizeof *d->calls);
        int32_t *ranks = rs_alloc(&keep, RANKS, sizeof *ranks);
        for (int32_t i = 0; i < RANKS; i++) ranks[i] = i;
        d->groups[0] = (rs_call_group){1, 2, RANKS, -1, ranks, -1};
    }
}
static void stop(void) {
    rs_arena_free(&keep);
}
TestSuite(hang_slow, .init = start, .fini = stop);

/* Adds a call of all, which all leave together, `takes` after the last came. came: by one clock; clocks are seconds
   apart. */
static int64_t call_of_all(const int64_t came[RANKS], uint32_t name) {
    int64_t end = 0;
    for (int32_t r = 0; r < RANKS; r++) end = came[r] > end ? came[r] : end;
    end += MS / 10;
    for (int32_t r = 0; r < RANKS; r++) {
        rs_dump *d = &dumps[r];
        const int64_t clock = (int64_t)(r * 7 % 3) * 3000 * MS + 1;
        d->calls[d->n_calls] = (rs_call){.created_ns = came[r] + clock,
                                         .completed_ns = end + clock,
                                         .seq = d->n_calls + 1,
                                         .name = name,
                                         .where = 5,
                                         .n_in = 8,
                                         .n_out = 8,
                                         .peer = -1,
                                         .root = -1,
                                         .op = -1,
                                         .state = RS_CALL_COMPLETED};
        d->n_calls++;
    }
    return end;
}

/* Work between two calls: uneven, but of no rank longer than of the others. */
static int64_t work(int i, int r) {
    return (10 + i % 3 * 5 + (i * 5 + r * 3) % 4) * MS;
}

static rs_hang judge(int32_t n) {
    rs_hang hang;
    cr_assert_eq(rs_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK, "%s", error.text);
    return hang;
}

/* late: what the rank works more before each call. */
static void run(int32_t rank, int64_t late) {
    int64_t came[RANKS], end = 1000 * MS;
    for (int i = 0; i < CALLS; i++) {
        for (int r = 0; r < RANKS; r++) came[r] = end + work(i, r);
        if (rank >= 0) came[rank] += late + i % 4 * late / 2;
        end = call_of_all(came, i % 5 == 4 ? 4 : 3);
    }
}

Test(hang_slow, names_who_comes_late_to_each_call) {
    for (int32_t rank = 0; rank < RANKS; rank++) {
        for (int32_t r = 0; r < RANKS; r++) dumps[r].n_calls = 0;
        stop();
        start();
        run(rank, 20 * MS);
        const rs_hang hang = judge(RANKS);
        cr_assert_eq(hang.verdict, RS_HANG_SLOW, "rank %d: %s", (int)rank,
                     rs_hang_name(hang.verdict));
        cr_assert_eq(hang.n_culprits, 1);
        cr_expect_eq(hang.culprits[0].rank, rank);
        cr_expect_eq(hang.n_agree, CALLS);
        cr_expect_eq(hang.n_of, CALLS);
        cr_expect(hang.late_ns > 30 * MS && hang.late_ns < 40 * MS, "%d ns", (int)hang.late_ns);
        cr_expect_eq(hang.n_waits, 0);
    }
}

Test(hang_slow, says_nothing_where_all_are_alike) {
    run(-1, 0);
    cr_expect_eq(judge(RANKS).verdict, RS_HANG_NONE);
}

Test(hang_slow, says_nothing_of_little) {
    run(2, MS / 2);
    cr_expect_eq(judge(RANKS).verdict, RS_HANG_NONE);
}

Test(hang_slow, says_nothing_where_a_dump_is_missing) {
    run(1, 20 * MS);
    cr_expect_eq(judge(RANKS - 1).verdict, RS_HANG_NONE);
}

/* Rank 3 is behind by as much all the time, but the others go on as if it were not. */
Test(hang_slow, says_nothing_of_ranks_that_are_only_ahead) {
    int64_t came[RANKS], now = 1000 * MS;
    for (int i = 0; i < CALLS; i++) {
        now += work(i, 0);
        for (int r = 0; r < RANKS; r++) came[r] = now + r * MS / 10;
        came[3] += 6 * MS;
        call_of_all(came, 3);
    }
    cr_expect_eq(judge(RANKS).verdict, RS_HANG_NONE);
}

/* Where all work longer, those that are ahead drift further apart: still nobody waits. */
Test(hang_slow, says_nothing_of_ranks_that_drift_apart) {
    int64_t came[RANKS], now = 1000 * MS, behind = 12 * MS;
    for (int i = 0; i < CALLS; i++) {
        const bool later = i >= CALLS / 2;
        now += (later ? 90 : 30) * MS + (i * 5 % 7) * MS / 3;
        behind += (later ? 4 : 1) * ((i * i % 11) * MS / 10 - MS / 3);
        for (int r = 0; r < RANKS; r++) came[r] = now + r * MS / 10;
        came[3] += behind;
        call_of_all(came, 3);
    }
    const rs_hang hang = judge(RANKS);
    cr_expect_eq(hang.verdict, RS_HANG_NONE, "%s", rs_hang_name(hang.verdict));
}

/* Each wanders by itself, and the last is far behind them: how long one waits and when it comes next are two things, also
   where so few calls make them look like one. */
Test(hang_slow, says_nothing_of_ranks_that_wander) {
    for (uint64_t seed = 1; seed <= 400; seed++) {
        int64_t came[RANKS], at[RANKS] = {0};
        uint64_t state = seed;
        stop();
        start();
        for (int i = 0; i < 26; i++) {
            for (int r = 0; r < RANKS; r++) {
                state = state * 6364136223846793005 + 1442695040888963407;
                at[r] += (int64_t)(state >> 33) % (2 * MS) - MS;
                came[r] = (1000 + 60 * i) * (int64_t)MS + at[r] + (r == RANKS - 1) * 20 * MS;
            }
            call_of_all(came, 3);
        }
        cr_assert_eq(judge(RANKS).verdict, RS_HANG_NONE, "seed %d", (int)seed);
    }
}

/* What a pipeline's stage waits for makes it late: it is not slow. */
Test(hang_slow, says_nothing_of_a_rank_that_waited_elsewhere) {
    int64_t came[RANKS], end = 1000 * MS;
    enum { N = CALLS / 2 };
    for (int i = 0; i < N; i++) {
        for (int r = 0; r < RANKS; r++) came[r] = end + work(i, r);
        came[2] += 20 * MS + i % 4 * 10 * MS;
        const int64_t clock = (int64_t)(2 * 7 % 3) * 3000 * MS + 1;
        rs_dump *d = &dumps[2];
        d->calls[d->n_calls++] = (rs_call){.created_ns = end + MS + clock,
                                           .completed_ns = came[2] - 2 * MS + clock,
                                           .seq = i + 1,
                                           .name = 3,
                                           .peer = 0,
                                           .root = -1,
                                           .op = -1,
                                           .state = RS_CALL_COMPLETED};
        end = call_of_all(came, 3);
        d->calls[d->n_calls - 1].seq = i + 1;
    }
    const rs_hang hang = judge(RANKS);
    cr_expect_eq(hang.verdict, RS_HANG_NONE, "%s", rs_hang_name(hang.verdict));
}

/* Times that cannot be: nothing is said, and nothing overflows. */
Test(hang_slow, bears_any_time) {
    run(1, 20 * MS);
    for (int i = 0; i < CALLS; i++) {
        dumps[1].calls[i].created_ns = i % 2 == 0 ? 0 : INT64_MAX / 4 - 1;
        dumps[2].calls[i].completed_ns = i % 2 == 0 ? 1 : INT64_MAX / 4 - 1;
        dumps[0].calls[i].lasted_ns = i % 3 == 0 ? 1000000000000000000 : 1;
    }
    cr_expect_eq(judge(RANKS).verdict, RS_HANG_NONE);
}

/* ------------------------------------------------------------------ against a plain account */

static uint64_t state;
static int64_t draw(int64_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int64_t)(state >> 33) % below;
}

static rs_call *add(int32_t r, int64_t created_ns, int64_t completed_ns, int64_t seq) {
    rs_dump *d = &dumps[r];
    const int64_t clock = 5000 * (int64_t)MS + (r * 7 % 3) * (int64_t)3000 * MS;
    rs_call *call = &d->calls[d->n_calls++];
    *call = (rs_call){.created_ns = created_ns + clock,
                      .completed_ns = completed_ns + clock,
                      .seq = seq,
                      .name = 3,
                      .peer = -1,
                      .root = -1,
                      .op = -1,
                      .state = RS_CALL_COMPLETED};
    return call;
}

/* n ranks, of which one comes later by some, for it works longer or waits elsewhere; who goes on before a call is over; what is
   measured on the GPU; calls that cannot be compared; ends that are lost. */
static void draw_run(int32_t n, int32_t n_calls) {
    const int64_t late = draw(20) * MS, spread = 1 + draw(8) * MS, noise = 1 + draw(8) * MS;
    const int64_t rank = draw(n), elsewhere = draw(3) == 0 ? 1 + draw(20) * MS : 0;
    const int64_t ahead = draw(4) == 0 ? draw(12) : 0, odd = draw(4) == 0 ? draw(12) : 0;
    const bool timed = draw(2);
    int64_t from[RANKS] = {0};
    for (int i = 0; i < n_calls; i++) {
        int64_t came[RANKS], end = 0;
        for (int32_t r = 0; r < n; r++) {
            came[r] = from[r] + 10 * MS + draw(noise) + (r == rank ? late + draw(spread) : 0);
            if (r == rank && elsewhere > 0) {
                add(r, came[r], came[r] + elsewhere, i + 1)->peer = 0;
                came[r] += elsewhere;
            }
            if (came[r] > end) end = came[r];
        }
        for (int32_t r = 0; r < n; r++) {
            const int64_t seen = end + 1 + draw(MS);
            rs_call *call = add(r, came[r], seen, i + 1);
            if (timed) call->lasted_ns = seen - came[r] - draw(seen - came[r]) / 4;
            from[r] = draw(100) < ahead ? came[r] + 1 : seen;
            if (draw(200) >= odd) continue;
            const int how = (int)draw(5);
            if (how == 0) call->lasted_ns = timed ? 0 : 1;
            if (how == 1) call->created_ns = 0;
            if (how == 2) call->name = 2;
            if (how == 3) call->completed_ns = call->created_ns;
            if (how == 4) call->created_ns -= ((int64_t)1 << 41) + 1;
        }
    }
    for (int32_t r = 0; r < n; r++) {
        const int64_t lost = draw(3) ? 0 : draw(12);
        dumps[r].calls += lost;
        dumps[r].n_calls -= lost + draw(2) * draw(4);
    }
}

/* The calls of all that each has kept, one behind the other; a sum over them. */
typedef struct plain_run {
    int32_t n, n_calls; /* ranks; calls that all have */
    const rs_call *first[RANKS][ROOM];
    bool good[ROOM]; /* it can be compared */
    int32_t n_good;
} plain_run;

static int64_t began(const rs_call *c) {
    return c->lasted_ns > 0 ? c->completed_ns - c->lasted_ns : c->created_ns;
}
static bool is_last(int32_t r, const rs_call *c) {
    return c + 1 == dumps[r].calls + dumps[r].n_calls;
}
static long double wait_of(const plain_run *p, int32_t r, int k) {
    return (long double)(p->first[r][k]->completed_ns - began(p->first[r][k]));
}
/* How long after its beginning the rank's next call came; 0: there is none. */
static long double next_of(const plain_run *p, int32_t r, int k) {
    const rs_call *c = p->first[r][k];
    return is_last(r, c) ? 0 : (long double)(c[1].created_ns - began(c));
}

static bool is_good(const plain_run *p, int k) {
    const long double longest = 2199023255552;
    for (int32_t r = 0; r < p->n; r++) {
        const rs_call *c = p->first[r][k], *like = p->first[0][k];
        if (c->name != 3 || c->seq != like->seq || c->created_ns <= 0) return false;
        if ((c->lasted_ns > 0) != (like->lasted_ns > 0)) return false;
        if (wait_of(p, r, k) <= 0 || wait_of(p, r, k) > longest) return false;
        if (!is_last(r, c) && c[1].created_ns < c->completed_ns) return false;
        if (next_of(p, r, k) > longest) return false;
    }
    return true;
}

static void line_up(plain_run *p, int32_t n) {
    int64_t from = 0;
    *p = (plain_run){.n = n, .n_calls = ROOM};
    for (int32_t r = 0; r < n; r++) {
        int64_t i = 0;
        while (i < dumps[r].n_calls && dumps[r].calls[i].peer >= 0) i++;
        if (i < dumps[r].n_calls && dumps[r].calls[i].seq > from) from = dumps[r].calls[i].seq;
    }
    for (int32_t r = 0; r < n; r++) {
        int32_t k = 0;
        for (int64_t i = 0; i < dumps[r].n_calls; i++) {
            const rs_call *c = &dumps[r].calls[i];
            if (c->peer < 0 && c->seq >= from) p->first[r][k++] = c;
        }
        if (k < p->n_calls) p->n_calls = k;
    }
    for (int k = 0; k < p->n_calls; k++) p->n_good += p->good[k] = is_good(p, k);
}

/* Sums of products about the means of three series, those of many ranks together. */
typedef struct products {
    long double ww, nn, wn, oo, wo, no;
    int32_t n;
} products;

static void add_products(products *s, const plain_run *p, int32_t r, int32_t late) {
    long double w = 0, next = 0, own = 0;
    int32_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < p->n_calls; k++) {
            if (!p->good[k] || next_of(p, r, k) <= 0 || next_of(p, late, k) <= 0) continue;
            if (pass == 0) {
                w += wait_of(p, r, k), next += next_of(p, r, k), own += next_of(p, late, k);
                n++;
                continue;
            }
            const long double a = wait_of(p, r, k) - w / n, b = next_of(p, r, k) - next / n,
                              c = next_of(p, late, k) - own / n;
            s->ww += a * a, s->nn += b * b, s->wn += a * b;
            s->oo += c * c, s->wo += a * c, s->no += b * c;
        }
        if (n < 2) return;
    }
    s->n = n;
}

/* How far a is above b, as a part of both: below 0 where it is not. */
static long double more_than(long double a, long double b) {
    const long double all = fabsl(a) + fabsl(b);
    return all > 0 ? (a - b) / all : 0;
}

static long double did_wait(const plain_run *p, int32_t late) {
    products s = {0};
    for (int32_t r = 0; r < p->n; r++)
        if (r != late) add_products(&s, p, r, late);
    if (s.oo > 0) {
        s.ww -= s.wo * s.wo / s.oo;
        s.nn -= s.no * s.no / s.oo;
        s.wn -= s.wo * s.no / s.oo;
    }
    if (s.n < 12 || s.ww <= 0) return -1;
    const long double slope = s.wn / s.ww, left = s.nn - slope * s.wn, over = slope - 0.3L;
    return over <= 0 ? over : more_than(over * over * s.ww * s.n, 36 * left);
}

/* How long the rank was in none of its calls from the end of one on to the end of another. */
static long double busy(const plain_run *p, int32_t r) {
    const int64_t from = p->first[r][0]->completed_ns,
                  to = p->first[r][p->n_calls - 1]->completed_ns;
    int64_t sum = 0, at = from;
    for (int64_t i = 0; i < dumps[r].n_calls; i++) { /* they begin one after the other */
        const rs_call *c = &dumps[r].calls[i];
        const int64_t begin = began(c) < to ? began(c) : to;
        if (begin > at) sum += begin - at;
        if (c->completed_ns > at) at = c->completed_ns;
    }
    return (long double)(at < to ? sum + to - at : sum);
}

static bool goes_ahead(int32_t r) {
    int64_t n = 0, n_ahead = 0;
    for (int64_t i = 0; i + 1 < dumps[r].n_calls; i++) {
        const rs_call *c = &dumps[r].calls[i];
        n += c->peer < 0;
        n_ahead += c->peer < 0 && c[1].created_ns < c->completed_ns;
    }
    return n_ahead * 50 > n;
}

/* Fills in who comes late and by how much; returns how surely: what holds least of all that has to. */
static long double plain_slow(const plain_run *p, rs_slow *slow) {
    long double sums[RANKS] = {0}, least = 1, most_busy = 0;
    int32_t late = 0;
    int64_t longest = 0;
    if (p->n_calls < 24 || p->n_good < 24) return -1;
    for (int32_t r = 0; r < p->n; r++) {
        for (int k = 0; k < p->n_calls; k++) sums[r] += p->good[k] ? wait_of(p, r, k) : 0;
        if (sums[r] < sums[late]) late = r;
    }
    *slow = (rs_slow){.rank = late, .n_of = p->n_good};
    for (int k = 0; k < p->n_calls; k++) {
        int64_t gap = INT64_MAX;
        for (int32_t r = 0; r < p->n && p->good[k]; r++) {
            const int64_t by = (int64_t)(wait_of(p, r, k) - wait_of(p, late, k));
            if (r != late && by < gap) gap = by;
        }
        if (!p->good[k]) continue;
        slow->lost_ns += gap;
        slow->n_last += gap > 0;
        slow->late_ns += gap > 0 ? gap : 0;
        if (gap <= longest) continue;
        longest = gap;
        slow->call = p->first[late][k];
    }
    if (slow->n_last == 0) return -1;
    slow->late_ns /= slow->n_last;
    slow->all_ns = p->first[late][p->n_calls - 1]->completed_ns - began(p->first[late][0]);
    least = fminl(least, more_than((long double)slow->lost_ns, (long double)slow->all_ns / 10));
    for (int32_t r = 0; r < p->n; r++) {
        long double mean = 0, spread = 0;
        if (goes_ahead(r)) return -1;
        if (r == late) continue;
        most_busy = fmaxl(most_busy, busy(p, r));
        for (int k = 0; k < p->n_calls; k++)
            mean += p->good[k] ? (wait_of(p, r, k) - wait_of(p, late, k)) / p->n_good : 0;
        for (int k = 0; k < p->n_calls; k++) {
            const long double off = wait_of(p, r, k) - wait_of(p, late, k) - mean;
            spread += p->good[k] ? off * off / p->n_good : 0;
        }
        if (mean <= 0) return -1;
        least = fminl(least, more_than(mean * mean * p->n_good, 36 * spread));
    }
    least = fminl(least, did_wait(p, late));
    return fminl(least, more_than(busy(p, late) - most_busy, (long double)(slow->lost_ns / 2)));
}

/* Where the plain account is not sure by a millionth nothing is compared. */
Test(hang_slow, is_what_a_plain_account_finds) {
    int n_slow = 0, n_not = 0, n_close = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        static char used[1 << 16] __attribute__((aligned(64)));
        rs_heap heap = {.arena = &keep, .at = used, .left = sizeof used};
        memset(used, 0x5a, sizeof used); /* memory that is not fresh */
        rs_hang_job job;
        plain_run p;
        rs_slow plain = {0}, list[2] = {{0}};
        int32_t n_found = -1;
        state = seed * 0x9e3779b97f4a7c15;
        stop();
        start();
        const int32_t n = 1 + (int32_t)draw(RANKS);
        for (int32_t r = 0; r < n; r++) dumps[r].groups[0].n_ranks = n;
        draw_run(n, 24 + (int32_t)draw(CALLS - 24));
        line_up(&p, n);
        cr_assert_eq(rs_gather_job(dumps, n, &heap, &error, &job), RS_OK);
        for (int32_t r = 0; r < n; r++)
            for (int64_t i = 0; i < dumps[r].n_calls; i++) dumps[r].calls[i].group = 0;
        cr_assert_eq(rs_find_slow(&job, list, 2, &n_found, &error), RS_OK);
        const long double sure = n > 1 ? plain_slow(&p, &plain) : -1;
        n_close += fabsl(sure) <= 1e-6L;
        if (fabsl(sure) <= 1e-6L) continue;
        cr_assert_eq(n_found, sure > 0, "seed %d: %d, sure by %g", (int)seed, (int)n_found,
                     (double)sure);
        n_slow += sure > 0;
        n_not += sure > -0.5L && sure < 0;
        if (sure <= 0) continue;
        cr_assert(list[0].rank == plain.rank && list[0].call == plain.call);
        cr_assert(list[0].n_last == plain.n_last && list[0].n_of == plain.n_of);
        cr_assert(list[0].late_ns == plain.late_ns && list[0].lost_ns == plain.lost_ns &&
                  list[0].all_ns == plain.all_ns);
    }
    cr_assert(n_slow > 300 && n_not > 300 && n_close < 10, "%d, %d, %d", n_slow, n_not, n_close);
}

/* Pairs of ranks, each with its own that comes late: who costs the others most of their time is named first. */
Test(hang_slow, names_first_who_costs_most) {
    enum { PAIRS = RANKS / 2 };
    for (int64_t first = 8; first <= 40; first += 8) {
        const int64_t late[PAIRS] = {first, 48 - first};
        int32_t pairs[PAIRS][2];
        stop();
        start();
        for (int32_t r = 0; r < RANKS; r++) {
            pairs[r / 2][r % 2] = r;
            dumps[r].groups[0] = (rs_call_group){1, 2, 2, -1, pairs[r / 2], -1};
        }
        for (int32_t g = 0; g < PAIRS; g++) {
            for (int64_t i = 0, from = 0; i < CALLS; i++) {
                const int64_t came = from + 10 * MS + i % 3 * MS,
                              last = came + late[g] * MS + i % 4 * MS;
                add(2 * g, came, last + MS, i + 1);
                add(2 * g + 1, last, last + MS, i + 1);
                from = last + MS;
            }
        }
        const rs_hang hang = judge(RANKS);
        cr_assert_eq(hang.verdict, RS_HANG_SLOW, "%s", rs_hang_name(hang.verdict));
        cr_assert_eq(hang.n_culprits, PAIRS);
        const int32_t most = late[0] >= late[1] ? 0 : 1;
        cr_assert_eq(hang.culprits[0].rank, 2 * most + 1, "%d", (int)first);
        cr_assert_eq(hang.culprits[1].rank, 2 * (1 - most) + 1);
        cr_assert(hang.n_agree == CALLS && hang.n_of == CALLS);
        cr_assert_eq(hang.late_ns, late[most] * MS + 3 * MS / 2);
    }
}
