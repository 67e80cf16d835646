/* test_hang_silent.c: a rank without a dump is waited for. Its silence is the answer where it explains all; where ranks wait
 * for each other whoever comes, or one of them went another way than the others, nothing is decided.
 */
#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST = 6 };
/* World; rows and columns of a grid of 2 x 3; a pair of the last two ranks of a row. */
enum { WORLD, ROW_A, ROW_B, COLUMN_0, COLUMN_1, COLUMN_2, PAIR, N_GROUPS };
enum { W_LINE = 1, W_OTHER_LINE, W_REDUCE, W_GATHER, W_GROUPS, N_WORDS = W_GROUPS + N_GROUPS };
static const char *const words[N_WORDS] = {
    "", "a.py:7", "a.py:9", "all_reduce", "all_gather", "w", "ra", "rb", "c0", "c1", "c2", "p"};
static int32_t ranks[N_GROUPS][MOST] = {
    {0, 1, 2, 3, 4, 5}, {0, 1, 2}, {3, 4, 5}, {0, 3}, {1, 4}, {2, 5}, {3, 5}};
static const int32_t n_ranks[N_GROUPS] = {6, 3, 3, 2, 2, 2, 2};

static rs_arena keep;
static rs_error error;
static rn_dump dumps[MOST];
static rn_hang hang;

static void start(void) {
    rs_arena_init(&keep, NULL);
    for (int32_t r = 0; r < MOST; r++) {
        rn_dump *d = &dumps[r];
        *d = (rn_dump){.rank = r, .whole = true, .n_groups = N_GROUPS, .n_words = N_WORDS};
        d->words = rs_alloc(&keep, N_WORDS, sizeof *d->words);
        memcpy(d->words, words, sizeof words);
        d->groups = rs_alloc(&keep, N_GROUPS, sizeof *d->groups);
        d->calls = rs_alloc(&keep, 16, sizeof *d->calls);
        for (uint32_t g = 0; g < N_GROUPS; g++) {
            d->groups[g] =
                (rn_call_group){W_GROUPS + g, 0, n_ranks[g], -1, ranks[g], -1, 0, 0, false, 0};
        }
    }
}
static void stop(void) {
    rs_arena_free(&keep);
}
TestSuite(hang_silent, .init = start, .fini = stop);

static rn_call *add(int32_t rank, int32_t group, int64_t seq, bool done) {
    rn_dump *d = &dumps[rank];
    rn_call *call = &d->calls[d->n_calls++];
    *call = (rn_call){.seq = seq,
                      .group = group,
                      .name = group == WORLD ? W_GATHER : W_REDUCE,
                      .where = W_LINE,
                      .stack = (uint64_t)(group == WORLD   ? 7
                                          : group <= ROW_B ? 5
                                                           : 6),
                      .n_in = 4,
                      .n_out = 4,
                      .peer = -1,
                      .root = -1,
                      .op = -1,
                      .state = done ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED};
    return call;
}

/* Rank 5 of 6 has no dump. */
static void judge(void) {
    cr_assert_eq(rn_judge_hang(dumps, MOST - 1, NULL, &keep, &error, &hang), RS_OK, "%s",
                 error.text);
}

/* All wait, in the end, for rank 5. */
Test(hang_silent, explains_what_ends_at_it) {
    for (int32_t r = 0; r < MOST - 1; r++) {
        add(r, r < 3 ? ROW_A : ROW_B, 1, r < 3);
        if (r < 3) add(r, COLUMN_0 + r, 1, false);
    }
    judge();
    cr_expect_eq(hang.verdict, RN_HANG_SILENT_RANK, "%s", rn_hang_name(hang.verdict));
    cr_assert_eq(hang.n_culprits, 1);
    cr_expect_eq(hang.culprits[0].rank, 5);
}

/* Rank 1 did not make a call of its row, for which 0 and 2 wait, and is in the world's, where it waits for them: that rank 3 waits
   for rank 5 explains nothing. */
Test(hang_silent, does_not_explain_a_circle) {
    for (int32_t r = 0; r < 3; r++) add(r, ROW_A, 1, true);
    for (int32_t r = 3; r < 5; r++) add(r, ROW_B, 1, true), add(r, ROW_B, 2, true);
    add(0, ROW_A, 2, false), add(2, ROW_A, 2, false);
    add(1, COLUMN_1, 1, true), add(4, COLUMN_1, 1, true);
    add(1, WORLD, 1, false), add(4, WORLD, 1, false);
    add(3, PAIR, 1, false);
    judge();
    cr_expect_eq(hang.verdict, RN_HANG_UNDECIDED, "%s", rn_hang_name(hang.verdict));
    cr_expect(hang.knotted);
    cr_assert_eq(hang.n_culprits, 2);
    cr_expect(hang.culprits[0].rank == 0 && hang.culprits[1].rank == 1);
    cr_expect_eq(hang.culprits[1].seq, 1);
}

/* Ranks 0 to 4 wait for rank 5 in the world's call. n_less of them, from rank 2 on, came there without a call that the
   others made before it. */
static void left_out(int32_t n_less) {
    for (int32_t r = 0; r < MOST - 1; r++) {
        add(r, r < 3 ? ROW_A : ROW_B, 1, true);
        if (r < 2 || r >= 2 + n_less) add(r, r < 3 ? COLUMN_0 + r : PAIR, 1, true);
        add(r, WORLD, 1, false);
    }
    ranks[PAIR][0] = 3, ranks[PAIR][1] = 4;
    judge();
    ranks[PAIR][1] = 5;
}

Test(hang_silent, explains_a_call_to_which_all_came_alike) {
    left_out(0);
    cr_expect_eq(hang.verdict, RN_HANG_SILENT_RANK, "%s", rn_hang_name(hang.verdict));
}

Test(hang_silent, does_not_explain_who_came_without_a_call_that_others_made) {
    left_out(1);
    cr_expect_eq(hang.verdict, RN_HANG_UNDECIDED, "%s", rn_hang_name(hang.verdict));
    cr_expect_eq(hang.n_strayed, 1);
    cr_expect_not(hang.has_others);
    cr_assert_eq(hang.n_culprits, 2);
    cr_expect(hang.culprits[0].rank == 2 && hang.culprits[1].rank == 5);
    cr_expect_str_eq(hang.culprits[0].call, "all_gather");
}

/* Each that may have strayed is a candidate, not the first alone. */
Test(hang_silent, all_who_came_another_way_are_candidates) {
    left_out(3);
    cr_expect_eq(hang.verdict, RN_HANG_UNDECIDED, "%s", rn_hang_name(hang.verdict));
    cr_assert_geq(hang.n_strayed, 1);
    cr_assert_eq(hang.n_culprits, hang.n_strayed + 1);
    cr_expect_eq(hang.culprits[0].rank, 2);
    cr_expect_eq(hang.culprits[hang.n_strayed].rank, 5);
}

/* One call of a group may be made from a line of one's own. */
Test(hang_silent, explains_a_call_made_from_another_line) {
    for (int32_t r = 0; r < MOST - 1; r++) {
        add(r, r < 3 ? ROW_A : ROW_B, 1, true);
        rn_call *call = add(r, WORLD, 1, false);
        if (r == 2)
            *call = (rn_call){.seq = 1,
                              .name = W_GATHER,
                              .where = W_OTHER_LINE,
                              .stack = 9,
                              .n_in = 4,
                              .n_out = 4,
                              .peer = -1,
                              .root = -1,
                              .op = -1};
    }
    judge();
    cr_expect_eq(hang.verdict, RN_HANG_SILENT_RANK, "%s", rn_hang_name(hang.verdict));
}

/* Rank 4 disagrees on a call that ranks 0 and 3 have; so have 1 and 2, or their recorders have lost it. */
static void disagree(bool lost) {
    for (int32_t r = 0; r < MOST - 1; r++) {
        const int64_t first = lost && (r == 1 || r == 2) ? 7 : 5;
        for (int64_t seq = first; seq <= (r == 4 ? 6 : 8); seq++) {
            rn_call *call = add(r, WORLD, seq, seq < 6);
            if (r == 4 && seq == 6) call->name = W_REDUCE;
        }
        dumps[r].whole = false;
    }
    judge();
}

Test(hang_silent, who_has_lost_a_call_does_not_vote_on_it) {
    disagree(false);
    cr_expect_eq(hang.verdict, RN_HANG_MISMATCH, "%s", rn_hang_name(hang.verdict));
    cr_assert_eq(hang.n_culprits, 1);
    cr_expect_eq(hang.culprits[0].rank, 4);
    cr_expect(hang.n_agree == 4 && hang.n_of == 5);
    stop();
    start();
    disagree(true);
    cr_expect_eq(hang.verdict, RN_HANG_UNDECIDED, "%s", rn_hang_name(hang.verdict));
    cr_assert_eq(hang.n_culprits, 2);
    cr_expect(hang.culprits[0].rank == 4 || hang.culprits[1].rank == 4);
}

/* Ranks 0 to 4 are in a call that rank 5 has launched, too, or has lost: it may have called something else. */
static void stuck(bool lost) {
    for (int32_t r = 0; r < MOST; r++) {
        for (int64_t seq = lost && r == 5 ? 3 : 1; seq <= (r == 5 ? 4 : 2); seq++) {
            add(r, WORLD, seq, seq < 2);
        }
        dumps[r].whole = !lost || r != 5;
    }
    cr_assert_eq(rn_judge_hang(dumps, MOST, NULL, &keep, &error, &hang), RS_OK);
}

Test(hang_silent, who_has_lost_a_call_may_not_be_inside) {
    stuck(false);
    cr_expect_eq(hang.verdict, RN_HANG_STUCK_INSIDE, "%s", rn_hang_name(hang.verdict));
    cr_expect_eq(hang.n_culprits, MOST);
    cr_expect_not(hang.lost);
    stop();
    start();
    stuck(true);
    cr_expect_eq(hang.verdict, RN_HANG_UNDECIDED, "%s", rn_hang_name(hang.verdict));
    cr_expect(hang.lost);
    cr_expect_eq(hang.n_culprits, MOST - 1);
}

/* Numbers of the last messages of ranks 0 to 2, in a line, all with all, or both with 2; two: of one batch. */
Test(hang_silent, lost_messages_that_do_not_meet_forbid_no_hang) {
    static const struct {
        int64_t last[3];
        bool whole, circle, star, two, torn, lost;
    } cases[] = {{.last = {4, 9, 5}},
                 {.last = {4, 8, 5}, .lost = true},
                 {.last = {4, 8, 5}, .whole = true},
                 {.last = {4, 8, 5}, .two = true},
                 {.last = {4, 8, 6}, .circle = true},
                 {.last = {4, 8, 5}, .circle = true, .lost = true},
                 {.last = {4, 4, 8}, .star = true},
                 {.last = {4, 2, 8}, .star = true, .lost = true},
                 {.last = {4, 9, 5}, .torn = true, .lost = true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stop();
        start();
        for (int32_t r = 0; r < MOST; r++) {
            for (int k = 0; r < 3 && k <= cases[i].two; k++)
                add(r, ROW_A, cases[i].last[r], true)->peer = r == 1 ? 0 : 1;
            if (r == 0 && (cases[i].circle || cases[i].star)) dumps[0].calls[0].peer = 2;
            if (r == 1 && cases[i].star) dumps[1].calls[0].peer = 2;
            add(r, WORLD, 1, true);
            dumps[r].whole = cases[i].whole;
        }
        dumps[4].torn = cases[i].torn;
        cr_assert_eq(rn_judge_hang(dumps, MOST, NULL, &keep, &error, &hang), RS_OK);
        cr_expect_eq(hang.verdict, cases[i].lost ? RN_HANG_UNDECIDED : RN_HANG_NONE, "%d", (int)i);
        cr_expect_eq(hang.doubt, cases[i].lost ? RN_DOUBT_LOST : RN_DOUBT_NONE, "%d", (int)i);
    }
}
