/* test_hang_crossed.c: all have launched the same calls of several groups: in every order, and every one of them begun or not,
 * against the plain rule that a rank is in the calls that it has begun, or else in its first, and waits in the first of those
 * for all that are in none but others.
 */
#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST = 4, KINDS = 8, GROUPS = 4 };
enum { W_LINE = 1, W_REDUCE, W_GROUPS, N_WORDS = W_GROUPS + GROUPS };

static rs_arena keep;
static rs_error error;
static rn_hang hang;
static rn_dump dumps[MOST];
static rn_call calls[MOST][2];
static rn_call_group groups[MOST][GROUPS];

static void start(void) {
    rs_arena_init(&keep, NULL);
}
static void stop(void) {
    rs_arena_free(&keep);
}
TestSuite(hang_crossed, .init = start, .fini = stop);

static const char *words[N_WORDS] = {"", "a.py:7", "all_reduce", "g0", "g1", "g2", "g3"};
static const char *let_go[N_WORDS] = {"", "a.py:7", "broadcast", "g0", "g1", "g2", "g3"};

/* A rank makes two calls, one behind the other. */
static void make_rank(int32_t r, const int group[2], const bool begun[2], bool whole) {
    dumps[r] = (rn_dump){.rank = r,
                         .whole = whole,
                         .calls = calls[r],
                         .n_calls = 2,
                         .groups = groups[r],
                         .words = words,
                         .n_words = N_WORDS};
    for (int i = 0; i < 2; i++) {
        calls[r][i] = (rn_call){.seq = 2,
                                .name = W_REDUCE,
                                .where = W_LINE,
                                .group = group[i],
                                .peer = -1,
                                .root = -1,
                                .op = -1,
                                .state = begun[i] ? RN_CALL_STARTED : RN_CALL_SCHEDULED};
    }
}

static void add_group(int32_t r, int32_t ranks[], int32_t n) {
    rn_dump *d = &dumps[r];
    groups[r][d->n_groups] =
        (rn_call_group){(uint32_t)(W_GROUPS + d->n_groups), 0, n, -1, ranks, -1, 0, 0, false, 0};
    d->n_groups++;
}

/* ------------------------------------------------------------------ two groups of the same ranks */

/* What each rank does: which call it launches first, and which it has begun. */
static int first_of(int kind) {
    return kind & 1;
}
static bool has_begun(int kind, int group) {
    return kind >> (1 + group) & 1;
}
/* Is it in the call? */
static bool is_in(int kind, int group) {
    return kind >> 1 == 0 ? first_of(kind) == group : has_begun(kind, group);
}
/* In which it waits. */
static int waits_in(int kind) {
    return is_in(kind, first_of(kind)) ? first_of(kind) : 1 - first_of(kind);
}

static void same_culprit(int at, int32_t rank, int group) {
    cr_assert(hang.culprits[at].rank == rank && hang.culprits[at].seq == 2);
    cr_assert_str_eq(hang.culprits[at].group, words[W_GROUPS + group]);
}

/* Who is in one call only, for whom those in the other wait. */
static void same_waits(int32_t n, const int kinds[], bool crossed) {
    cr_assert_eq(hang.n_waits, 2 * n);
    for (int64_t i = 0; i < hang.n_waits; i++) {
        const rn_hang_wait *w = &hang.waits[i];
        const int own = kinds[w->at.rank], group = w->at.group[1] - '0';
        int32_t n_for = 0;
        for (int32_t r = 0; r < n && crossed && waits_in(own) == group; r++) {
            if (is_in(kinds[r], group)) continue;
            cr_assert(n_for < w->n_ranks && w->ranks[n_for] == r);
            n_for++;
        }
        cr_assert_eq(w->n_ranks, n_for);
    }
}

static void same_cross(int32_t n, const int kinds[], bool whole) {
    static int32_t ranks[MOST] = {0, 1, 2, 3};
    int32_t n_only[2] = {0, 0}, one[2] = {-1, -1}, first = -1;
    stop();
    start();
    for (int32_t r = 0; r < n; r++) {
        const int own = kinds[r], order[2] = {first_of(own), 1 - first_of(own)};
        make_rank(r, order, (const bool[2]){has_begun(own, order[0]), has_begun(own, order[1])},
                  whole);
        for (int g = 0; g < 2; g++) add_group(r, ranks, n);
        const int only = is_in(own, 0) && is_in(own, 1) ? -1 : !is_in(own, 0);
        if (only >= 0 && n_only[only]++ == 0) one[only] = r;
    }
    cr_assert_eq(rn_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK);
    const bool crossed = n_only[0] > 0 && n_only[1] > 0;
    cr_assert_eq(hang.crossed, crossed);
    same_waits(n, kinds, crossed);
    if (!crossed) {
        cr_assert_eq(hang.verdict, whole ? RN_HANG_STUCK_INSIDE : RN_HANG_UNDECIDED);
        cr_assert_eq(hang.lost, !whole);
        return;
    }
    const bool sure = whole || (kinds[one[0]] >> 1 != 0 && kinds[one[1]] >> 1 != 0);
    cr_assert_eq(hang.verdict, sure ? RN_HANG_CYCLE : RN_HANG_UNDECIDED);
    const int odd = n_only[0] == 1 && n_only[1] > 1 ? 0 : n_only[1] == 1 && n_only[0] > 1 ? 1 : -1;
    cr_assert_eq(hang.has_others, odd >= 0);
    cr_assert_eq(hang.n_culprits, odd >= 0 ? 1 : 2);
    if (odd >= 0) {
        same_culprit(0, one[odd], odd);
        cr_assert(hang.others.rank == one[1 - odd] && hang.n_agree == n_only[1 - odd]);
        cr_assert_eq(hang.n_of, n_only[0] + n_only[1]);
        cr_assert_str_eq(hang.others.group, words[W_GROUPS + 1 - odd]);
        return;
    }
    for (int32_t r = n - 1; r >= 0; r--) { /* the first rank that waits leads into the circle */
        if (n_only[1 - waits_in(kinds[r])] > 0) first = r;
    }
    const int own = is_in(kinds[first], 0) && is_in(kinds[first], 1) ? 1 - waits_in(kinds[first])
                                                                     : waits_in(kinds[first]);
    same_culprit(0, one[own], own);
    same_culprit(1, one[1 - own], 1 - own);
}

Test(hang_crossed, two_calls_are_where_some_are_only_in_the_one_and_some_in_the_other) {
    for (int32_t n = 2; n <= MOST; n++) {
        for (int drawn = 0; drawn < 1 << 3 * n; drawn++) {
            int kinds[MOST];
            for (int32_t r = 0; r < n; r++) kinds[r] = drawn >> 3 * r & (KINDS - 1);
            same_cross(n, kinds, true);
            if (n < MOST) same_cross(n, kinds, false);
        }
    }
}

/* ------------------------------------------------------------------ a third that is further */

/* Ranks 0 and 2 cross a call of all and one of their own; rank 1, which was let go of the call of all, is in the next one,
   in which it waits for nobody. */
Test(hang_crossed, one_in_a_later_call_of_the_group_waits_for_nobody) {
    static int32_t all[3] = {0, 1, 2}, pair[2] = {0, 2};
    for (int odd = 0; odd < 2; odd++) {
        stop();
        start();
        for (int32_t r = 0; r < 3; r++) {
            const int order[2] = {(r == 2) != odd, (r == 2) == odd};
            make_rank(r, order, (const bool[2]){false, false}, true);
            add_group(r, all, 3);
            add_group(r, pair, 2);
            if (r == 1) dumps[r].calls[0].group = dumps[r].calls[1].group = 0;
            if (r == 1) dumps[r].calls[0].state = RN_CALL_COMPLETED;
            dumps[r].words = let_go;
            dumps[r].calls[1].seq += r == 1;
        }
        for (int32_t r = 0; r < 3; r += 2) { /* they have made the next one, too */
            groups[r][0].last_seq = 3;
        }
        cr_assert_eq(rn_judge_hang(dumps, 3, NULL, &keep, &error, &hang), RS_OK);
        cr_assert_eq(hang.verdict, RN_HANG_CYCLE, "%s", rn_hang_name(hang.verdict));
        cr_assert(hang.crossed && hang.n_culprits == 2);
        cr_assert(hang.culprits[0].rank == 0 && hang.culprits[1].rank == 2);
        for (int64_t i = 0; i < hang.n_waits; i++)
            if (hang.waits[i].at.rank == 1) cr_assert_eq(hang.waits[i].n_ranks, 0);
    }
}

/* ------------------------------------------------------------------ a ring of pairs */

/* Rank r makes the calls of the pairs r, r + 1 and r - 1, r: if all begin at the same side, each waits for the next, and all
   are named; else two are in one call, which stands. */
Test(hang_crossed, a_ring_of_pairs_is_no_cross_but_a_circle) {
    for (int32_t n = 3; n <= MOST; n++) {
        for (int first = 0; first < 1 << n; first++) {
            int32_t pairs[MOST][2];
            stop();
            start();
            for (int32_t r = 0; r < n; r++) {
                const int32_t next = (r + 1) % n;
                pairs[r][0] = r < next ? r : next;
                pairs[r][1] = r < next ? next : r;
            }
            for (int32_t r = 0; r < n; r++) {
                const int up = r, down = (r + n - 1) % n, bit = first >> r & 1;
                make_rank(r, (const int[2]){bit ? down : up, bit ? up : down},
                          (const bool[2]){false, false}, true);
                for (int32_t g = 0; g < n; g++) add_group(r, pairs[g], 2);
            }
            cr_assert_eq(rn_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK);
            const bool circle = first == 0 || first == (1 << n) - 1;
            cr_assert_eq(hang.verdict, circle ? RN_HANG_CYCLE : RN_HANG_STUCK_INSIDE, "%d: %s",
                         first, rn_hang_name(hang.verdict));
            cr_assert(!hang.crossed && hang.has_others == !circle);
            if (!circle) continue;
            cr_assert_eq(hang.n_culprits, n);
            for (int32_t i = 0; i < n; i++) {
                const int32_t rank = first == 0 ? i : (n - i) % n;
                cr_assert_eq(hang.culprits[i].rank, rank);
            }
        }
    }
}
