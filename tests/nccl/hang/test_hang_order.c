/* test_hang_order.c: two calls that all have launched, in different order: each waits for the other. Named where the order,
 * or what is started, shows it; else what is known is said.
 */
#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };
enum { W_ALL = 1, W_TP, W_REDUCE, W_GATHER, W_LINE, N_WORDS };

static rs_arena keep;
static rs_error error;
static rn_dump dumps[MOST];
static rn_hang hang;

static void start(void) {
    static const char *const words[N_WORDS] = {"", "0", "tp", "all_reduce", "all_gather", "a.py:7"};
    rs_arena_init(&keep, NULL);
    for (int32_t r = 0; r < MOST; r++) {
        rn_dump *d = &dumps[r];
        *d = (rn_dump){.rank = r, .whole = true, .n_groups = 2, .n_words = N_WORDS};
        d->words = rs_alloc(&keep, N_WORDS, sizeof *d->words);
        memcpy(d->words, words, sizeof words);
        d->groups = rs_alloc(&keep, 2, sizeof *d->groups);
        d->calls = rs_alloc(&keep, 8, sizeof *d->calls);
    }
}
static void stop(void) {
    rs_arena_free(&keep);
}
TestSuite(hang_order, .init = start, .fini = stop);

static void add(int32_t rank, int32_t group, int64_t seq, rn_call_state state) {
    rn_dump *d = &dumps[rank];
    d->calls[d->n_calls++] = (rn_call){.seq = seq,
                                       .group = group,
                                       .name = group == 0 ? W_REDUCE : W_GATHER,
                                       .where = W_LINE,
                                       .n_in = 4,
                                       .n_out = 4,
                                       .peer = -1,
                                       .root = -1,
                                       .op = -1,
                                       .state = (uint8_t)state};
}

/* Two groups of the same n ranks, a call of each over, then one of each open. first[r]: which of them the rank launched
   first; states: of the first, of the second. */
static void judge(int32_t n, const int first[], const rn_call_state states[][2]) {
    int32_t *ranks = rs_alloc(&keep, MOST, sizeof *ranks);
    for (int32_t r = 0; r < n; r++) {
        ranks[r] = r;
        dumps[r].groups[0] = (rn_call_group){W_ALL, 0, n, -1, ranks, -1, 0, 0, false, 0};
        dumps[r].groups[1] = (rn_call_group){W_TP, 0, n, -1, ranks, -1, 0, 0, false, 0};
        add(r, 0, 1, RN_CALL_COMPLETED);
        add(r, 1, 1, RN_CALL_COMPLETED);
        add(r, first[r], 2, states != NULL ? states[r][0] : RN_CALL_SCHEDULED);
        add(r, 1 - first[r], 2, states != NULL ? states[r][1] : RN_CALL_SCHEDULED);
    }
    cr_assert_eq(rn_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK, "%s", error.text);
}

Test(hang_order, names_both_of_two) {
    judge(2, (const int[]){0, 1}, NULL);
    cr_assert_eq(hang.verdict, RN_HANG_CYCLE, "%s", rn_hang_name(hang.verdict));
    cr_assert(hang.crossed && !hang.has_others && hang.n_culprits == 2);
    cr_expect_eq(hang.culprits[0].rank, 0);
    cr_expect_str_eq(hang.culprits[0].call, "all_reduce");
    cr_expect_eq(hang.culprits[1].rank, 1);
    cr_expect_str_eq(hang.culprits[1].call, "all_gather");
    cr_assert_eq(hang.n_waits, 4);
    int n_waits = 0;
    for (int i = 0; i < 4; i++) { /* each waits in its first call for the other */
        if (hang.waits[i].n_ranks == 0) continue;
        cr_expect_eq(hang.waits[i].ranks[0], 1 - hang.waits[i].at.rank);
        n_waits++;
    }
    cr_expect_eq(n_waits, 2);
}

Test(hang_order, names_the_one_that_differs_from_most) {
    for (int32_t odd = 0; odd < MOST; odd++) {
        int first[MOST] = {0, 0, 0, 0};
        first[odd] = 1;
        stop();
        start();
        judge(MOST, first, NULL);
        cr_assert_eq(hang.verdict, RN_HANG_CYCLE, "%s", rn_hang_name(hang.verdict));
        cr_assert(hang.crossed && hang.has_others && hang.n_culprits == 1);
        cr_expect_eq(hang.culprits[0].rank, odd);
        cr_expect_str_eq(hang.culprits[0].call, "all_gather");
        cr_expect_str_eq(hang.others.call, "all_reduce");
        cr_expect(hang.n_agree == 3 && hang.n_of == 4, "%d of %d", (int)hang.n_agree,
                  (int)hang.n_of);
    }
}

/* Both have begun everywhere: the order of their launch is not what stands in the way. */
Test(hang_order, says_nothing_of_calls_that_have_begun) {
    static const rn_call_state both[2][2] = {{RN_CALL_STARTED, RN_CALL_STARTED},
                                             {RN_CALL_STARTED, RN_CALL_STARTED}};
    judge(2, (const int[]){0, 1}, both);
    cr_expect_eq(hang.verdict, RN_HANG_STUCK_INSIDE, "%s", rn_hang_name(hang.verdict));
}

/* Launched alike, but another one began. */
Test(hang_order, believes_what_has_begun_rather_than_the_order) {
    static const rn_call_state other[2][2] = {{RN_CALL_STARTED, RN_CALL_SCHEDULED},
                                              {RN_CALL_SCHEDULED, RN_CALL_STARTED}};
    judge(2, (const int[]){0, 0}, other);
    cr_assert_eq(hang.verdict, RN_HANG_CYCLE, "%s", rn_hang_name(hang.verdict));
    cr_expect(hang.crossed && hang.n_culprits == 2);
}

Test(hang_order, is_the_same_for_all_that_is_stuck_inside) {
    judge(3, (const int[]){1, 1, 1}, NULL);
    cr_expect_eq(hang.verdict, RN_HANG_STUCK_INSIDE, "%s", rn_hang_name(hang.verdict));
    cr_expect_not(hang.crossed);
}

/* The ring buffer lost what came before: a call of it may be the one that stands. */
Test(hang_order, is_undecided_where_what_came_before_is_lost) {
    judge(2, (const int[]){0, 1}, NULL);
    stop();
    start();
    int32_t *ranks = rs_alloc(&keep, MOST, sizeof *ranks);
    for (int32_t r = 0; r < 2; r++) {
        ranks[r] = r;
        dumps[r].whole = false;
        dumps[r].groups[0] = (rn_call_group){W_ALL, 0, 2, -1, ranks, -1, 0, 0, false, 0};
        dumps[r].groups[1] = (rn_call_group){W_TP, 0, 2, -1, ranks, -1, 0, 0, false, 0};
        add(r, r, 9, RN_CALL_SCHEDULED);
        add(r, 1 - r, 9, RN_CALL_SCHEDULED);
    }
    cr_assert_eq(rn_judge_hang(dumps, 2, NULL, &keep, &error, &hang), RS_OK);
    cr_assert_eq(hang.verdict, RN_HANG_UNDECIDED, "%s", rn_hang_name(hang.verdict));
    cr_expect(hang.crossed && hang.n_culprits == 2);
}

/* The buffer has lost what came before: the call that stands is the first that is open if one kept call of its group comes
   before it, and else may not be. */
Test(hang_order, one_call_before_it_is_enough_to_know_which_stands) {
    for (int n_before = 0; n_before < 4; n_before++) {
        int32_t *ranks = rs_alloc(&keep, MOST, sizeof *ranks);
        for (int32_t r = 0; r < MOST; r++) ranks[r] = r;
        for (int32_t r = 0; r < MOST; r++) {
            dumps[r].whole = false;
            dumps[r].groups[0] = (rn_call_group){W_ALL, 0, MOST, -1, ranks, -1, 0, 0, false, 0};
            dumps[r].n_groups = 1;
            for (int i = 0; i < n_before; i++) add(r, 0, 9 - n_before + i, RN_CALL_COMPLETED);
            add(r, 0, 9, RN_CALL_STARTED);
        }
        cr_assert_eq(rn_judge_hang(dumps, MOST, NULL, &keep, &error, &hang), RS_OK);
        cr_expect_eq(hang.verdict, n_before > 0 ? RN_HANG_STUCK_INSIDE : RN_HANG_UNDECIDED,
                     "%d before: %s", n_before, rn_hang_name(hang.verdict));
        cr_expect_eq(hang.lost, n_before == 0);
        stop();
        start();
    }
}

/* ------------------------------------------------------------------ two alone */

/* The group's calls of the two ranks, by name, at most three; all but the first are open. */
static void judge_two(const int names[2][3]) {
    static int32_t ranks[2] = {0, 1};
    stop();
    start();
    for (int32_t r = 0; r < 2; r++) {
        dumps[r].groups[0] = (rn_call_group){W_ALL, 0, 2, -1, ranks, -1, 0, 0, false, 0};
        dumps[r].n_groups = 1;
        for (int i = 0; i < 3 && names[r][i] != 0; i++) {
            add(r, 0, i + 1, i == 0 ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED);
            dumps[r].calls[i].name = (uint32_t)names[r][i];
        }
    }
    cr_assert_eq(rn_judge_hang(dumps, 2, NULL, &keep, &error, &hang), RS_OK, "%s", error.text);
    cr_assert_eq(hang.verdict, RN_HANG_UNDECIDED, "%s", rn_hang_name(hang.verdict));
    cr_assert_eq(hang.n_culprits, 2);
}

Test(hang_order, of_two_that_differ_each_is_named_with_its_own_call) {
    for (int first = W_REDUCE; first <= W_GATHER; first++) {
        const int second = W_REDUCE + W_GATHER - first;
        judge_two((const int[2][3]){{W_REDUCE, first}, {W_REDUCE, second}});
        cr_expect_not(hang.later);
        for (int i = 0; i < 2; i++) {
            const int own = hang.culprits[i].rank == 0 ? first : second;
            cr_expect_str_eq(hang.culprits[i].call, own == W_REDUCE ? "all_reduce" : "all_gather");
            cr_expect_eq(hang.culprits[i].seq, 2);
        }
        cr_expect_neq(hang.culprits[0].rank, hang.culprits[1].rank);
    }
}

Test(hang_order, of_a_call_that_one_of_two_has_made_both_are_named_its_maker_first) {
    for (int maker = 0; maker < 2; maker++) {
        int names[2][3] = {{W_REDUCE, W_REDUCE}, {W_REDUCE, W_REDUCE}};
        names[maker][1] = W_GATHER;
        names[maker][2] = W_REDUCE;
        judge_two((const int(*)[3])names);
        cr_expect(hang.later);
        cr_expect_eq(hang.culprits[0].rank, maker);
        cr_expect_eq(hang.culprits[1].rank, 1 - maker);
        for (int i = 0; i < 2; i++) cr_expect_str_eq(hang.culprits[i].call, "all_gather");
    }
}

/* ------------------------------------------------------------------ all to all */

/* Three ranks in an all-to-all that sends and receives so much. */
static void judge_split(int32_t n, const int64_t sizes[][2]) {
    int32_t *ranks = rs_alloc(&keep, MOST, sizeof *ranks);
    for (int32_t r = 0; r < n; r++) {
        ranks[r] = r;
        dumps[r].words[W_REDUCE] = "all_to_all";
        dumps[r].groups[0] = (rn_call_group){W_ALL, 0, n, -1, ranks, -1, 0, 0, false, 0};
        dumps[r].n_groups = 1;
        add(r, 0, 1, RN_CALL_SCHEDULED);
        dumps[r].calls[0].n_in = sizes[r][0];
        dumps[r].calls[0].n_out = sizes[r][1];
    }
    cr_assert_eq(rn_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK, "%s", error.text);
}

Test(hang_order, names_the_rank_whose_split_does_not_fit) {
    judge_split(4, (const int64_t[][2]){{12, 12}, {12, 12}, {15, 12}, {12, 12}});
    cr_assert_eq(hang.verdict, RN_HANG_MISMATCH, "%s", rn_hang_name(hang.verdict));
    cr_assert_eq(hang.n_culprits, 1);
    cr_expect_eq(hang.culprits[0].rank, 2);
    cr_expect_eq(hang.difference, RN_DIFFERS_SPLIT);
    cr_expect(hang.n_agree == 3 && hang.n_of == 4 && hang.has_others);
}

/* Uneven splits whose sums fit are none of ours; whose sums do not, nobody can be named. */
Test(hang_order, decides_of_uneven_splits_only_that_they_fit) {
    judge_split(4, (const int64_t[][2]){{10, 12}, {14, 12}, {15, 11}, {1, 5}});
    cr_expect_eq(hang.verdict, RN_HANG_STUCK_INSIDE, "%s", rn_hang_name(hang.verdict));
    stop();
    start();
    judge_split(4, (const int64_t[][2]){{10, 12}, {14, 12}, {15, 11}, {1, 9}});
    cr_expect_eq(hang.verdict, RN_HANG_UNDECIDED, "%s", rn_hang_name(hang.verdict));
    cr_expect_eq(hang.n_culprits, 4);
    stop();
    start();
    judge_split(2, (const int64_t[][2]){{10, 12}, {12, 12}});
    cr_expect_eq(hang.verdict, RN_HANG_UNDECIDED, "%s", rn_hang_name(hang.verdict));
}
