/* test_hang_rows.c: random dumps of a few ranks with calls of all and from point to point, some lost, cut or of which nothing
 * can be read: who waits for whom, and who of them is idle or gone, against a plain account.
 */
#include "hang/hang_job.h"
#include "hangs/drawn.h"

#include <criterion/criterion.h>
#include <string.h>

enum { RANKS = 5, GROUPS = 3, CALLS = 16, ROWS = RANKS * CALLS };
enum { W_GROUPS = 1, W_TYPES = W_GROUPS + GROUPS, W_OPS = W_TYPES + 2, N_OPS = 7 };
enum { N_WORDS = W_OPS + N_OPS };

static const char *const words[N_WORDS] = {
    "",          "g0",         "g1",     "g2",         "Float",   "Half",
    "broadcast", "all_reduce", "reduce", "my_barrier", "scatter", "_reduce_scatter_base",
    "gather"};
/* Ends such a call for nobody before all have come? */
static const bool synchronises[N_OPS] = {false, true, false, true, false, true, false};

static rs_error error;
static rn_dump dumps[RANKS];
static rn_call calls[RANKS][CALLS];
static rn_call_group groups[RANKS][GROUPS];
static int32_t ranks[GROUPS][RANKS];
static const char *copied_words[RANKS][N_WORDS];
static rn_hang_job job;
static rn_waits waits;

TestSuite(hang_rows, .init = start, .fini = stop);

/* ------------------------------------------------------------------ random dumps */

static void make_calls(rn_dump *d) {
    int64_t seq[GROUPS] = {0};
    const int32_t n = draw(8) ? draw(CALLS + 1) : 0, n_over = draw((uint32_t)n + 1);
    for (; d->n_calls < n; d->n_calls++) {
        const int32_t g = draw((uint32_t)d->n_groups);
        const bool message = draw(3) == 0, over = draw(6) ? d->n_calls < n_over : draw(2);
        d->calls[d->n_calls] =
            (rn_call){.seq = message ? 0 : (seq[g] += 1 + (draw(9) == 0)),
                      .group = g,
                      .name = (uint32_t)(W_OPS + draw(N_OPS)),
                      .dtype = (uint32_t)(W_TYPES + (draw(9) == 0)),
                      .n_in = message && draw(9) == 0 ? 5 : 4,
                      .n_out = draw(2) ? 4 : 0,
                      .peer = message ? (draw(3) ? d->rank ^ 1 : draw(RANKS + 1)) : -1,
                      .sends = draw(2),
                      .root = -1,
                      .op = -1,
                      .state = over ? RN_CALL_COMPLETED : (uint8_t)draw(2)};
    }
}

static void make_job(uint64_t seed) {
    int32_t n = 0, n_of[GROUPS] = {0};
    stop();
    start();
    state = seed * 0x9e3779b97f4a7c15;
    const int32_t n_missing = draw(4), n_launched = draw(8) == 0 ? 1 + draw(2) : 0;
    for (int32_t g = 0; g < GROUPS; g++) {
        for (int32_t r = 0; r < RANKS; r++)
            if (g == 0 || draw(3)) ranks[g][n_of[g]++] = r;
    }
    for (int32_t r = 0; r < RANKS; r++) {
        if (draw(RANKS) < n_missing) continue;
        rn_dump *d = &dumps[n];
        memcpy(copied_words[n], words, sizeof words);
        *d = (rn_dump){.rank = r,
                       .whole = draw(3) > 0,
                       .cut = draw(6) == 0,
                       .launched = draw(2) < n_launched,
                       .unread = draw(9) == 0,
                       .calls = calls[n],
                       .groups = groups[n],
                       .words = copied_words[n],
                       .n_words = N_WORDS};
        n++;
        if (d->unread) continue;
        for (int32_t g = 0; g < GROUPS; g++) {
            d->groups[d->n_groups++] = (rn_call_group){.name = (uint32_t)(W_GROUPS + g),
                                                       .n_ranks = n_of[g],
                                                       .ranks = ranks[g],
                                                       .last_seq = draw(5) ? -1 : draw(9)};
        }
        make_calls(d);
    }
    cr_assert_eq(rn_gather_job(dumps, n, &heap, &error, &job), RS_OK);
    rn_find_waits(&job, &waits);
    cr_assert_not(job.pieces->arena->lacked);
}

/* ------------------------------------------------------------------ the plain account */

/* A row as it should be; ranks: a mask. */
typedef struct plain_row {
    const rn_call *call;
    int ranks;
    bool unlike;
} plain_row;
static plain_row plain[RANKS][CALLS]; /* by dump and call */

static const rn_dump *dump_of(int32_t rank) {
    for (int32_t d = 0; d < job.n_dumps; d++) {
        if (dumps[d].rank == rank && !dumps[d].unread) return &dumps[d];
    }
    return NULL;
}

static bool ends_for_nobody(const rn_call *call) {
    for (int i = 0; i < N_OPS; i++) {
        if (strcmp(job.texts[call->name], words[W_OPS + i]) == 0) return synchronises[i];
    }
    return false;
}

/* Returns the last call of the group that somebody has left, so that all have made it. */
static int64_t left_by_some(const rn_hang_group *g) {
    int64_t last = -1;
    for (int32_t m = 0; m < g->n_members; m++) {
        for (int32_t i = 0; i < g->members[m].n; i++) {
            const rn_call *call = rn_member_call(&job, &g->members[m], i);
            if (!job.dumps[g->members[m].dump].launched && ends_for_nobody(call) &&
                call->state == RN_CALL_COMPLETED && call->seq > last)
                last = call->seq;
        }
    }
    return last;
}

static void account_calls_of_all(const rn_hang_group *g) {
    for (int32_t m = 0; m < g->n_members; m++) {
        const rn_hang_member *own = &g->members[m];
        if (own->first_open < 0) continue;
        const rn_call *call = rn_member_call(&job, own, own->first_open);
        plain_row *row = &plain[own->dump][call - dumps[own->dump].calls];
        row->call = call;
        for (int32_t k = 0; k < g->n_members; k++) {
            const bool came = g->members[k].last_seq >= call->seq;
            const bool older = g->members[k].dump >= 0 && left_by_some(g) >= call->seq;
            if (!came && !older) row->ranks |= 1 << g->members[k].rank;
        }
    }
}

/* The sends, or recvs, between two ranks of a group that one of them has in its dump: those that are over, and the open
   ones; -1 over: some of its calls may be lost. */
typedef struct plain_side {
    const rn_dump *dump;
    const rn_call *open[CALLS];
    int64_t n_open, n_over;
} plain_side;

static plain_side side_of(int32_t group, int32_t own, int32_t peer, bool sends) {
    plain_side side = {.dump = dump_of(own)};
    for (int64_t i = 0; side.dump != NULL && i < side.dump->n_calls; i++) {
        const rn_call *call = &side.dump->calls[i];
        if (call->group != group || call->peer != peer || call->sends != sends) continue;
        if (call->state == RN_CALL_COMPLETED)
            side.n_over++;
        else
            side.open[side.n_open++] = call;
    }
    if (side.dump == NULL || !side.dump->whole || side.dump->cut) side.n_over = -1;
    return side;
}

static int64_t size_of(const rn_call *call) {
    return call->n_in > call->n_out ? call->n_in : call->n_out;
}

/* The k-th message that one sends is the k-th that the other receives. Of those of a side whose partner is over, is open, or
   is not there the first has a row each. Where nothing says which are over, only those without a partner wait. */
static void account_side(const plain_side *own, const plain_side *other, int32_t peer) {
    const bool counted = own->n_over >= 0 && other->n_over >= 0;
    const bool launched = (own->dump != NULL && own->dump->launched) ||
                          (other->dump != NULL && other->dump->launched);
    bool seen[3] = {false, false, false};
    for (int64_t i = 0; i < own->n_open; i++) {
        const int64_t ahead = counted ? other->n_over - own->n_over : 0;
        const int64_t at = i - ahead; /* the partner, of the other's open ones */
        const int how = at < 0 ? 0 : at < other->n_open ? 1 : 2;
        plain_row *row = &plain[own->dump - dumps][own->open[i] - own->dump->calls];
        if (seen[how] || (launched && (how != 2 || !counted))) continue;
        seen[how] = true;
        row->call = own->open[i];
        if (how == 2) row->ranks = 1 << peer;
        if (how == 1)
            row->unlike = row->call->dtype != other->open[at]->dtype ||
                          size_of(row->call) != size_of(other->open[at]);
    }
}

static void account(void) {
    memset(plain, 0, sizeof plain);
    for (int32_t g = 0; g < job.n_groups; g++) {
        account_calls_of_all(&job.groups[g]);
        for (int32_t src = 0; src <= RANKS; src++) {
            for (int32_t dst = 0; dst <= RANKS; dst++) {
                const plain_side sends = side_of(g, src, dst, true),
                                 recvs = side_of(g, dst, src, false);
                account_side(&sends, &recvs, dst);
                account_side(&recvs, &sends, src);
            }
        }
    }
}

/* ------------------------------------------------------------------ the same? */

static bool is_open(int32_t dump) {
    for (int i = 0; i < CALLS; i++) {
        if (plain[dump][i].call != NULL) return true;
    }
    return false;
}

static void same_row(const plain_row *is, const rn_wait_row *row, uint64_t seed) {
    int32_t n = 0, n_gone = 0, n_idle = 0;
    cr_assert_eq(row->call, is->call, "seed %d", (int)seed);
    cr_assert(row->group == is->call->group && row->unlike == is->unlike, "seed %d", (int)seed);
    for (int32_t r = 0; r <= RANKS; r++) {
        if (!(is->ranks >> r & 1)) continue;
        cr_assert(n < row->n && row->ranks[n] == r, "seed %d", (int)seed);
        const rn_dump *d = dump_of(r);
        const bool gone = d == NULL || d->n_calls == 0 || d->cut;
        n_gone += gone;
        n_idle += !gone && !is_open((int32_t)(d - dumps));
        n++;
    }
    cr_assert(row->n == n && row->n_gone == n_gone && row->n_idle == n_idle,
              "seed %d: %d, %d gone, %d idle, not %d, %d, %d", (int)seed, (int)row->n,
              (int)row->n_gone, (int)row->n_idle, (int)n, (int)n_gone, (int)n_idle);
}

Test(hang_rows, are_those_of_a_plain_account) {
    int64_t n_rows = 0, n_messages = 0, n_idle = 0, n_gone = 0, n_unlike = 0;
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        int64_t n = 0;
        make_job(seed);
        account();
        for (int32_t d = 0; d < job.n_dumps; d++) {
            cr_assert_eq(waits.open[d], is_open(d));
            for (int i = 0; i < CALLS; i++) {
                if (plain[d][i].call == NULL) continue;
                cr_assert_lt(n, waits.n, "seed %d", (int)seed);
                const rn_wait_row *row = &waits.rows[n++];
                cr_assert_eq(row->dump, d);
                same_row(&plain[d][i], row, seed);
                n_messages += row->call->peer >= 0;
                n_idle += row->n_idle > 0;
                n_gone += row->n_gone > 0;
                n_unlike += row->unlike;
            }
        }
        cr_assert_eq(n, waits.n, "seed %d: %d rows, not %d", (int)seed, (int)waits.n, (int)n);
        n_rows += n;
    }
    cr_assert(n_rows > 20000 && n_messages > 5000 && n_idle > 500 && n_gone > 500 && n_unlike > 200,
              "%d %d %d %d %d", (int)n_rows, (int)n_messages, (int)n_idle, (int)n_gone,
              (int)n_unlike);
}
