/* test_hang_sentences.c: the sentence of each verdict, from its values: also of those that no made job shows. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "hang/hang.h"

static rn_hang_place culprits[3] = {{.rank = 7,
                                     .group = "5",
                                     .desc = "tp",
                                     .seq = 31,
                                     .call = "all_reduce",
                                     .where = "a.py:3",
                                     .dtype = "Float",
                                     .n_in = 40,
                                     .n_out = 41,
                                     .root = -1},
                                    {.rank = 2,
                                     .group = "5",
                                     .desc = "tp",
                                     .seq = 32,
                                     .call = "all_gather",
                                     .where = "b.py:4",
                                     .dtype = "Half",
                                     .n_in = 0,
                                     .n_out = 50,
                                     .root = -1},
                                    {.rank = 8, .group = "6", .seq = 33, .call = "send"}};

static void no_hang_is_seen(void) {
    char text[RV_HANG_TEXT];
    const rn_hang h = {.n_ranks = 9, .n_files = 9};
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "no hang: every call that is in the dumps is over");
}

/* What no made job shows: each difference by its name, candidates, what is not known. */
Test(hang_sentences, sentences_follow_their_values) {
    static const char alike[] =
        "rank 7 differs in %s: its call 31 of group 5 (tp) is all_reduce of "
        "40 Float at a.py:3, that of 6 of 9 ranks all_gather of 50 Half at "
        "b.py:4";
    static const char *const differs[] = {"the size", "the operation", "the type",
                                          "the size", "the split",     "the root"};
    char text[RV_HANG_TEXT], want[RV_HANG_TEXT];
    rn_hang h = {.verdict = RN_HANG_MISMATCH,
                 .culprits = culprits,
                 .n_culprits = 1,
                 .others = culprits[1],
                 .has_others = true,
                 .n_agree = 6,
                 .n_of = 9};
    for (int d = RN_DIFFERS_NOT; d <= RN_DIFFERS_ROOT; d++) {
        h.difference = (rn_hang_difference)d;
        snprintf(want, sizeof want, alike, differs[d]);
        cr_expect_str_eq(rc_hang_sentence(&h, text), want);
    }
    h.verdict = RN_HANG_SWAPPED;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "rank 7 made calls in another order: its call 31 of group 5 (tp) is all_reduce "
        "at a.py:3, that of 6 of 9 ranks all_gather at b.py:4");
    h.verdict = RN_HANG_UNDECIDED;
    h.n_culprits = 2;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: ranks 7 and 2 disagree in group 5 (tp): rank 7 called all_reduce of 40 Float "
        "at a.py:3 (number 31), rank 2 called all_gather of 50 Half at b.py:4 (number "
        "32); nobody else tells who is right");
    h.later = true;
    h.n_came = 1;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: rank 7 called all_reduce at a.py:3, call 31 of group 5 (tp), and rank 2 did "
        "not: one too many there, or one too few here");
    h.n_culprits = 1;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "undecided: ranks wait, and no dump says for what");
    h.n_culprits = 0;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: no call is seen to be open: what is here ends too early to show who waits");
    h.n_waits = 1;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "undecided: ranks wait, and no dump says for what");
    h.verdict = RN_HANG_CYCLE;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "undecided: ranks wait, and no dump says for what");
    h.n_culprits = 3;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "3 ranks wait for each other in a circle: rank 7 is in all_reduce at a.py:3 "
                     "(call 31 of group 5 (tp)) and waits for rank 2, which is in all_gather at "
                     "b.py:4 (call 32 of group 5 (tp))");
    h.verdict = RN_HANG_SILENT_RANK;
    h.others = culprits[2];
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "ranks 2, 7, 8 have no dump, and are waited for in send, call 33 of group 6");
    h.verdict = RN_HANG_EXTRA_CALL;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "ranks 2, 7, 8 made one call too many: all_reduce at a.py:3, call 31 of group 5 "
        "(tp); the others do not come to it");
    h.verdict = RN_HANG_MISSING_CALL;
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "ranks 2, 7, 8 have not come to all_reduce at "
                     "a.py:3, call 31 of group 5 (tp), and are waited for");
    no_hang_is_seen();
}

/* Of a log's call no type may be known. */
Test(hang_sentences, sizes_without_a_type) {
    char text[RV_HANG_TEXT];
    rn_hang_place both[2] = {culprits[0], culprits[1]};
    both[0].dtype = both[1].dtype = NULL;
    both[1].where = NULL;
    const rn_hang h = {.verdict = RN_HANG_MISMATCH,
                       .culprits = both,
                       .n_culprits = 1,
                       .others = both[1],
                       .has_others = true,
                       .n_agree = 6,
                       .n_of = 9};
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "rank 7 differs in the size: its call 31 of group 5 (tp) is all_reduce of 40 at "
        "a.py:3, that of 6 of 9 ranks all_gather of 50");
}

/* Several ranks are spoken of as several. */
Test(hang_sentences, several_ranks_are_ranks) {
    static const struct {
        rn_hang_verdict verdict;
        const char *text;
    } cases[] = {
        {RN_HANG_MISMATCH,
         "ranks 2, 7, 8 differ in the type: their call 31 of group 5 (tp) is all_reduce of 40 Float "
         "at a.py:3, that of 6 of 9 ranks all_gather of 50 Half at b.py:4"},
        {RN_HANG_SWAPPED,
         "ranks 2, 7, 8 made calls in another order: their call 31 of group 5 (tp) is all_reduce at "
         "a.py:3, that of 6 of 9 ranks all_gather at b.py:4"},
        {RN_HANG_MISSING_CALL,
         "ranks 2, 7, 8 left out all_reduce at a.py:3, call 31 of group 5 (tp); 6 of its 9 ranks made "
         "it"},
        {RN_HANG_EXTRA_CALL,
         "ranks 2, 7, 8 made one call too many: all_reduce at a.py:3, their call 31 of group 5 (tp); 6 "
         "of its 9 ranks did not"}};
    char text[RV_HANG_TEXT];
    rn_hang h = {.culprits = culprits,
                 .n_culprits = 3,
                 .others = culprits[1],
                 .has_others = true,
                 .n_agree = 6,
                 .n_of = 9,
                 .difference = RN_DIFFERS_TYPE};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        h.verdict = cases[i].verdict;
        cr_expect_str_eq(rc_hang_sentence(&h, text), cases[i].text);
    }
    h.verdict = RN_HANG_UNDECIDED;
    h.unread = true;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: ranks 2, 7, 8 are waited for in all_gather at b.py:4, call 32 of "
        "group 5 (tp), and their dumps may be in the part of an archive that is missing");
}

/* Calls one after another, and candidates who did and who did not. */
Test(hang_sentences, how_many_calls_and_ranks_it_is) {
    static const struct {
        rn_hang_verdict verdict;
        const char *text;
    } cases[] = {
        {RN_HANG_MISSING_CALL,
         "ranks 2, 7 left out 3 calls, from all_reduce at a.py:3 on, calls 31 to 33 of group 5 (tp); 6 "
         "of its 9 ranks made them"},
        {RN_HANG_EXTRA_CALL,
         "ranks 2, 7 made 3 calls too many, from all_reduce at a.py:3 on, their calls 31 to 33 of group "
         "5 (tp); 6 of its 9 ranks did not"},
        {RN_HANG_MISSING_CALL,
         "rank 7 left out 2 calls, from all_reduce at a.py:3 on, calls 31 to 32 of group 5 (tp); 6 of "
         "its 9 ranks made them"},
        {RN_HANG_EXTRA_CALL,
         "rank 7 made 2 calls too many, from all_reduce at a.py:3 on, its calls 31 to 32 of group 5 "
         "(tp); 6 of its 9 ranks did not"}};
    char text[RV_HANG_TEXT];
    rn_hang h = {
        .culprits = culprits, .others = culprits[1], .has_others = true, .n_agree = 6, .n_of = 9};
    for (int i = 0; i < 4; i++) {
        h.verdict = cases[i].verdict;
        h.n_culprits = 2 - i / 2;
        h.n_calls = 3 - i / 2;
        h.last_seq = 33 - i / 2;
        cr_expect_str_eq(rc_hang_sentence(&h, text), cases[i].text);
    }
    h.last_seq = 31; /* of a coalesced group */
    cr_expect_str_eq(rc_hang_sentence(&h, text),
                     "rank 7 made one call too many: all_reduce at a.py:3, its call 31 of group 5 "
                     "(tp); 6 of its 9 ranks did not");
    h.verdict = RN_HANG_UNDECIDED;
    h.later = true;
    h.n_culprits = 3;
    h.n_came = 2;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: ranks 2, 7 called all_reduce at a.py:3, call 31 of group 5 (tp), and rank 8 "
        "did not: one too many there, or one too few here");
    h.n_came = 1;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: rank 7 called all_reduce at a.py:3, call 31 of group 5 (tp), and ranks 2, 8 "
        "did not: one too many there, or one too few here");
}

/* All that are in a call, some of them, one; or who waits for nobody knows whom. */
Test(hang_sentences, who_is_stuck_in_a_call) {
    char text[RV_HANG_TEXT];
    rn_hang h = {.verdict = RN_HANG_STUCK_INSIDE, .culprits = culprits, .n_culprits = 3, .n_of = 3};
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "all 3 ranks are in the same call, all_reduce at a.py:3, number 31 of group 5 "
        "(tp), and it does not end: look at the network, the GPUs and their Xid errors");
    h.n_of = 4;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "3 of 4 ranks are in the same call, all_reduce at a.py:3, number 31 of group 5 "
        "(tp), and it does not end: what the others called may differ, or look at the "
        "network, the GPUs and their Xid errors");
    h.n_culprits = h.n_of = 1;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "rank 7 is in all_reduce at a.py:3, number 31 of group 5 (tp), waits for nobody, "
        "and it does not end: look at the network, the GPUs and their Xid errors");
    h.verdict = RN_HANG_UNDECIDED;
    h.doubt = RN_DOUBT_UNNAMED;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: rank 7 is in all_reduce at a.py:3, number 31 of group 5 (tp), and waits for "
        "ranks that no line names: a dump of the flight recorder would");
}

/* Where ranks have no dump, and that does not explain it. */
Test(hang_sentences, silence_that_explains_nothing_is_said) {
    char text[RV_HANG_TEXT];
    rn_hang h = {.verdict = RN_HANG_UNDECIDED,
                 .culprits = culprits,
                 .n_culprits = 3,
                 .n_strayed = 1,
                 .others = culprits[1],
                 .has_others = true};
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: rank 7 did not come to all_reduce at a.py:3, call 31 of group 5 (tp), as others "
        "did after the same calls; but it waits for ranks 2, 8, which have no dump");
    h.n_strayed = 2;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: rank 7 did not come to all_reduce at a.py:3, call 31 of group 5 (tp), as others "
        "did after the same calls; but it waits for rank 8, which has no dump");
    h.has_others = false;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: rank 7 went into all_reduce at a.py:3, call 31 of group 5 (tp), where others made "
        "another call after the same calls; but it waits for rank 8, which has no dump");
    h.n_strayed = 0;
    h.lost = true;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: 3 ranks are in the same call, all_reduce at a.py:3, number 31 of group 5 (tp); but "
        "dumps have lost earlier calls, of which one may not be over, or be another on other ranks");
    h.knotted = true;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: 3 ranks wait for each other in a circle, rank 7 in all_reduce at a.py:3 (call 31 of "
        "group 5 (tp)) for rank 2 in all_gather at b.py:4 (call 32 of group 5 (tp)); but dumps have "
        "lost earlier calls, of which one may not be over");
    h.lost = false;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: ranks have no dump, but 3 others wait for each other in a circle: rank 7 is in "
        "all_reduce at a.py:3 (call 31 of group 5 (tp)) and waits for rank 2, which is in all_gather "
        "at b.py:4 (call 32 of group 5 (tp))");
}

/* Two calls in different order, a split that is wrong, and who is slow. */
Test(hang_sentences, crossed_calls_splits_and_slow_ranks) {
    char text[RV_HANG_TEXT];
    rn_hang h = {.verdict = RN_HANG_UNDECIDED,
                 .crossed = true,
                 .culprits = culprits,
                 .n_culprits = 2,
                 .n_agree = 6,
                 .n_of = 9,
                 .late_ns = 2345678};
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: rank 7 launched all_reduce at a.py:3 (call 31 of group 5 (tp)) and all_gather at "
        "b.py:4 (call 32 of group 5 (tp)) in another order than rank 2, but what came before is lost");
    h.verdict = RN_HANG_CYCLE;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "rank 7 launched all_reduce at a.py:3 (call 31 of group 5 (tp)) before all_gather at b.py:4 "
        "(call 32 of group 5 (tp)), rank 2 the other way round: each waits for the other");
    h.has_others = true;
    h.others = culprits[2];
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "rank 7 launched all_reduce at a.py:3 (call 31 of group 5 (tp)) before send (call 33 of group "
        "6), 6 of 9 ranks the other way round: each waits for the other");
    h.crossed = h.has_others = false;
    h.verdict = RN_HANG_UNDECIDED;
    h.difference = RN_DIFFERS_SPLIT;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "undecided: in all_reduce at a.py:3, call 31 of group 5 (tp), more is sent than received, or "
        "less: a split is wrong, and nobody tells whose");
    h.verdict = RN_HANG_SLOW;
    h.n_culprits = 1;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "no hang, but slow: rank 7 comes last to 6 of 9 calls of group 5 (tp), by 2.3 ms on average, "
        "and the others wait; most of all in all_reduce at a.py:3, call 31");
    h.n_culprits = 3;
    cr_expect_str_eq(
        rc_hang_sentence(&h, text),
        "no hang, but slow: rank 7 comes last to 6 of 9 calls of group 5 (tp), by 2.3 ms on average, "
        "and the others wait; most of all in all_reduce at a.py:3, call 31; late in their groups are "
        "ranks 2, 7, 8");
}

/* The longest names of a group stand whole, but where two calls are told of; there as far as there is room for both. */
Test(hang_sentences, the_longest_names_of_a_group_are_whole) {
    char name[RC_HANG_NAME], desc[RC_HANG_NAME], whole[2 * RC_HANG_NAME + 8], text[RV_HANG_TEXT];
    memset(name, 'n', sizeof name - 1);
    memset(desc, 'd', sizeof desc - 1);
    name[sizeof name - 1] = desc[sizeof desc - 1] = '\0';
    snprintf(whole, sizeof whole, "group %s (%s)", name, desc);
    rn_hang_place places[3] = {culprits[0], culprits[1], culprits[2]};
    for (int i = 0; i < 3; i++) places[i].group = name, places[i].desc = desc;
    const rn_hang all = {.culprits = places,
                         .n_culprits = 3,
                         .others = places[1],
                         .has_others = true,
                         .n_agree = 6,
                         .n_of = 9};
    rn_hang cases[] = {all, all, all, all, all, all, all, all, all, all};
    cases[0].verdict = RN_HANG_MISSING_CALL;
    cases[1].verdict = RN_HANG_EXTRA_CALL;
    cases[2].verdict = RN_HANG_MISMATCH;
    cases[3].verdict = RN_HANG_SWAPPED;
    cases[4].verdict = RN_HANG_SILENT_RANK;
    cases[5].verdict = RN_HANG_SLOW;
    cases[6].verdict = RN_HANG_STUCK_INSIDE;
    for (int i = 7; i < 10; i++) cases[i].verdict = RN_HANG_UNDECIDED;
    cases[7].difference = RN_DIFFERS_SPLIT;
    cases[8].n_strayed = 1;
    cases[9].lost = true;
    for (int i = 0; i < 10; i++)
        cr_expect_not_null(strstr(rc_hang_sentence(&cases[i], text), whole), "%d: %s", i, text);
    whole[strlen("group ") + 100] = '\0';
    cases[0].crossed = true;
    cases[1].verdict = RN_HANG_CYCLE;
    for (int i = 0; i < 2; i++)
        cr_expect_not_null(strstr(rc_hang_sentence(&cases[i], text), whole), "%d: %s", i, text);
}
