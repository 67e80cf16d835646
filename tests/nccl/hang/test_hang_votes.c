/* test_hang_votes.c: random programs of a few ranks that wait: who went another way than those of the same program after the
 * same calls, against a plain account that looks at every place of every other program.
 */
#include "hang/hang_job.h"
#include "hangs/drawn.h"

#include <criterion/criterion.h>
#include <string.h>

enum { DUMPS = 5, CALLS = 80, GROUPS = 5, ROWS = 2 * DUMPS, DEEP = 64 };

static rn_dump dumps[DUMPS];
static rn_call calls[DUMPS][CALLS];
static rn_hang_group groups[GROUPS];
static rn_hang_member members[GROUPS][DUMPS];
static rn_wait_row rows[ROWS];
static int32_t all_ranks[DUMPS + 1];
static rn_hang_job job;
static rn_waits waits;

TestSuite(hang_votes, .init = start, .fini = stop);

/* ------------------------------------------------------------------ random programs */

static rn_call drawn_call(int32_t kind) {
    return (rn_call){.name = (uint32_t)kind % 3,
                     .stack = (uint64_t)kind % 2,
                     .group = kind % 2,
                     .seq = kind,
                     .n_in = 4,
                     .n_out = 4,
                     .peer = kind == 4 ? 1 : -1};
}

/* What one call of a program differs in. */
static void change(rn_call *call) {
    switch (draw(9)) {
    case 0: call->name++; break;
    case 1: call->stack++; break;
    case 2: call->n_in++; break;
    case 3: call->n_out++; break;
    case 4: call->sends = !call->sends; break;
    case 5: call->group++; break;
    case 6: call->seq++; break;
    case 7: call->peer = call->peer < 0 ? 2 : -1; break;
    default: call->stack++, call->peer = call->peer < 0 ? 2 : -1; break;
    }
}

/* All run one program, from a place on of which some differ in a call or left one out. Deep: a long one of equal calls. */
static void make_programs(bool deep) {
    rn_call program[CALLS];
    const int32_t n = deep ? 60 + draw(15) : 1 + draw(7), kinds = deep ? 1 : 1 + draw(5);
    for (int32_t i = 0; i < n; i++) program[i] = drawn_call(draw((uint32_t)kinds));
    for (int32_t k = 0; deep && k < 3; k++) change(&program[draw((uint32_t)n)]);
    for (int32_t d = 0; d < job.n_dumps; d++) {
        const int32_t changed = draw((uint32_t)n + 2) - (deep ? 0 : 2), how = draw(5);
        const int32_t first = draw(6) == 0 ? draw((uint32_t)n) : 0;
        dumps[d] = (rn_dump){.rank = 2 * d, .calls = calls[d], .whole = first == 0};
        for (int32_t i = first; i < n - (draw(3) ? 0 : draw((uint32_t)n)); i++) {
            if (i == changed && how == 0) continue;
            calls[d][dumps[d].n_calls] = program[i];
            if (i == changed && how < 4) change(&calls[d][dumps[d].n_calls]);
            dumps[d].n_calls++;
        }
    }
}

static void make_groups(void) {
    job.n_groups = draw(GROUPS + 1);
    for (int32_t g = 0; g < job.n_groups; g++) {
        const bool whole = draw(4) == 0, calling = draw(3) > 0;
        groups[g] = (rn_hang_group){.members = members[g]};
        for (int32_t d = 0; d < job.n_dumps; d++) {
            if (!whole && draw(2)) continue;
            members[g][groups[g].n_members++] =
                (rn_hang_member){.rank = 2 * d, .dump = draw(12) ? d : -1, .n = calling && draw(2)};
        }
    }
}

static void make_rows(void) {
    for (int32_t i = 0; i <= DUMPS; i++) all_ranks[i] = 2 * i;
    waits.n = 0;
    for (int32_t d = 0; d < job.n_dumps; d++) {
        for (int32_t i = draw(8) ? 1 : 2; i > 0 && dumps[d].n_calls > 0; i--) {
            const int64_t back = draw(3) ? 0 : draw((uint32_t)dumps[d].n_calls);
            const int32_t from = draw(DUMPS), n = draw(5) ? draw((uint32_t)(DUMPS + 1 - from)) : 0;
            rows[waits.n++] = (rn_wait_row){.dump = d,
                                            .call = &calls[d][dumps[d].n_calls - 1 - back],
                                            .ranks = all_ranks + from,
                                            .n = n,
                                            .n_gone = draw(2) ? n : draw((uint32_t)n + 1)};
        }
    }
}

static void make_job(uint64_t seed) {
    stop();
    start();
    state = seed * 0x9e3779b97f4a7c15;
    job = (rn_hang_job){.dumps = dumps, .n_dumps = 2 + draw(DUMPS - 1), .groups = groups};
    job.pieces = &heap;
    job.n_ranks = job.n_dumps;
    waits = (rn_waits){.rows = rows};
    make_programs(seed % 4 == 0);
    make_groups();
    make_rows();
}

/* ------------------------------------------------------------------ the plain account */

static bool is_same(const rn_call *a, const rn_call *b) {
    return a->name == b->name && a->stack == b->stack && a->n_in == b->n_in &&
           a->n_out == b->n_out && a->sends == b->sends;
}
/* One call of a group counts as the same, whatever line it comes from. */
static bool is_same_step(const rn_call *a, const rn_call *b) {
    return is_same(a, b) ||
           (a->peer < 0 && b->peer < 0 && a->group == b->group && a->seq == b->seq &&
            a->name == b->name && a->n_in == b->n_in && a->n_out == b->n_out);
}

/* How many calls before the two places are the same. */
static int64_t same_before(const rn_call *a, int64_t n_a, const rn_call *b, int64_t n_b) {
    int64_t n = 0;
    while (n < n_a && n < n_b && is_same_step(&a[n_a - 1 - n], &b[n_b - 1 - n])) n++;
    return n;
}

/* 1: the other did the same at the place where most of what came before is the same; -1: something else; 0: nothing yet, or
   it never was there. *n_looked: calls that had to be looked at. */
static int plain_vote(const rn_dump *own, int64_t at, const rn_dump *other, int64_t *n_looked) {
    const int64_t least = at < DEEP ? at : DEEP;
    const int64_t beside = other->n_calls - (own->n_calls - at); /* as many calls before the end */
    if (beside >= 0 && same_before(own->calls, at, other->calls, beside) >= least &&
        is_same_step(&other->calls[beside], &own->calls[at]))
        return 1;
    int64_t most = -1;
    int vote = 0;
    for (int64_t i = 1; i <= other->n_calls; i++) {
        const int64_t n = same_before(own->calls, at, other->calls, i);
        int here = 0;
        if (i < other->n_calls) here = is_same_step(&other->calls[i], &own->calls[at]) ? 1 : -1;
        *n_looked += n;
        if ((n < least && (n < i || other->whole || 2 * n < least)) || n < most) continue;
        if (n > most || here > vote) vote = here;
        most = n;
    }
    return vote;
}

static bool is_member(const rn_hang_group *g, int32_t dump) {
    for (int32_t m = 0; m < g->n_members; m++) {
        if (g->members[m].rank == dumps[dump].rank) return true;
    }
    return false;
}

/* Do the two share a group, not of all, in which somebody calls? */
static bool are_peers(int32_t own, int32_t other) {
    for (int32_t g = 0; g < job.n_groups; g++) {
        bool calling = false, named = false;
        for (int32_t m = 0; m < groups[g].n_members; m++) {
            calling = calling || groups[g].members[m].n > 0;
            named = named || groups[g].members[m].dump == other;
        }
        if (groups[g].n_members < job.n_ranks && calling && named && is_member(&groups[g], own))
            return true;
    }
    return false;
}

/* Did one of those against it make this call instead? */
static bool is_instead(const rn_wait_row *odd, const rn_call *call) {
    for (int32_t d = 0; d < job.n_dumps; d++) {
        for (int64_t i = 0; i < dumps[d].n_calls; i++) {
            if (d != odd->dump && is_same(&calls[d][i], call)) return true;
        }
    }
    return false;
}

/* So many more did something else than the same, the rank itself counted. Who has peers is held against them alone. */
static int plain_against(const rn_wait_row *row, int64_t *n_looked) {
    const rn_dump *own = &dumps[row->dump];
    bool some = false;
    int against = -1;
    *n_looked = 0;
    for (int32_t d = 0; d < job.n_dumps; d++)
        some = some || (d != row->dump && are_peers(row->dump, d));
    for (int32_t d = 0; d < job.n_dumps; d++) {
        if (d == row->dump || (some && !are_peers(row->dump, d))) continue;
        against -= plain_vote(own, row->call - own->calls, &dumps[d], n_looked);
    }
    return against;
}

static bool is_waiter(const rn_wait_row *row, int32_t dump) {
    for (int32_t k = 0; k < row->n; k++) {
        if (row->ranks[k] == dumps[dump].rank) return true;
    }
    return false;
}
static const rn_wait_row *first_waiter(int32_t dump) {
    for (int64_t i = 0; i < waits.n; i++) {
        if (is_waiter(&rows[i], dump)) return &rows[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------ the same? */

/* Who only waits for those without a dump, as many against him as with him. What is looked at is counted: with less than that
   nothing is said. */
static int same_doubt(int64_t at, uint64_t seed) {
    const rn_wait_row *row = &rows[at];
    const int64_t much = 1 << 24;
    bool peer[DUMPS + 1];
    int64_t left = much, n_looked;
    const bool silent = row->n > 0 && row->n_gone == row->n && row->call->peer < 0;
    const bool plain = plain_against(row, &n_looked) >= 0 && silent;
    cr_assert_eq(rn_is_doubtful(&job, row, peer, &left), plain, "seed %d, row %d", (int)seed,
                 (int)at);
    if (!silent) {
        cr_assert_eq(left, much);
        return plain;
    }
    const int64_t spent = much - left;
    cr_assert(spent >= n_looked && spent < 20000, "seed %d: %d of %d", (int)seed, (int)spent,
              (int)n_looked);
    for (int64_t less = -1; less <= 1; less++) {
        left = spent + less;
        cr_assert_eq(rn_is_doubtful(&job, row, peer, &left), plain && less > 0);
    }
    return plain;
}

Test(hang_votes, doubt_who_came_another_way_to_those_that_are_silent) {
    int n_doubtful = 0, n = 0;
    for (uint64_t seed = 1; seed <= 24000; seed++) {
        make_job(seed);
        for (int64_t i = 0; i < waits.n; i++, n++) n_doubtful += same_doubt(i, seed);
    }
    cr_assert(n_doubtful > 200 && n > 10000, "%d of %d", n_doubtful, n);
}

Test(hang_votes, find_the_one_that_most_do_not_follow) {
    int n_found = 0, n_several = 0;
    for (uint64_t seed = 1; seed <= 24000; seed++) {
        const rn_wait_row *plain = NULL, *odd = NULL, *waiter = NULL;
        int64_t n_looked;
        bool several = false;
        make_job(seed);
        for (int64_t i = 0; i < waits.n; i++) {
            if (rows[i].n == 0 || first_waiter(rows[i].dump) == NULL ||
                plain_against(&rows[i], &n_looked) <= 0)
                continue;
            several = several || (plain != NULL && plain->dump != rows[i].dump);
            plain = &rows[i];
        }
        const bool found = plain != NULL && !several;
        cr_assert_eq(rn_find_odd(&job, &waits, &odd, &waiter), found, "seed %d", (int)seed);
        if (found)
            cr_assert(odd == plain && is_waiter(waiter, plain->dump) &&
                      (waiter == first_waiter(plain->dump) || is_instead(plain, waiter->call)));
        n_found += found;
        n_several += several;
    }
    cr_assert(n_found > 100 && n_several > 5, "%d, %d", n_found, n_several);
}
