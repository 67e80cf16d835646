/* Predict: the question's answer is the schedule's, its choices differ, and it is always the same. */
#include <criterion/criterion.h>
#include <string.h>

#include "ringsim_viz.h"

static void expect_good(const rs_schedule *s, int32_t step, int32_t rank) {
    rv_question q, again;
    rv_ask_question(s, step, rank, &q);
    rv_ask_question(s, step, rank, &again);
    cr_assert(memcmp(&q, &again, sizeof q) == 0, "the same question twice");
    rs_transfer sent[RS_MAX_SENDS];
    if (q.ask == RV_ASK_NOTHING) return;
    const int n_sent = s->sends(s, step, q.rank, sent);
    cr_assert(n_sent == 1 || (q.ask == RV_ASK_PEER && sent[n_sent - 1].dst == sent[0].dst));
    cr_assert(q.n_choices >= 2 && q.n_choices <= RV_MAX_CHOICES);
    cr_assert(q.answer >= 0 && q.answer < q.n_choices);
    const int32_t right = q.ask == RV_ASK_CHUNK ? sent[0].chunk : sent[0].dst;
    cr_assert_eq(q.choices[q.answer], right, "%s N=%d step %d", s->name, s->n_ranks, step);
    for (int i = 0; i < q.n_choices; i++) {
        cr_assert(q.choices[i] >= 0);
        cr_assert(q.choices[i] < (q.ask == RV_ASK_CHUNK ? s->n_chunks : s->n_ranks));
        if (i > 0) cr_assert(q.choices[i] > q.choices[i - 1], "ascending, none twice");
        cr_assert_eq(q.myths[i] == RV_MYTH_NONE, i == q.answer);
    }
    if (s->sends(s, step, rank, sent) == 1) cr_assert_eq(q.rank, rank);
}

static rs_schedule made(rs_collective of, const char *name, int32_t n, int32_t root) {
    const rs_spec spec = {.n_ranks = n, .root = root};
    rs_schedule s;
    rs_error error;
    cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(of, name), &spec, 1000 * n, &error, &s),
                 RS_OK);
    return s;
}

static void expect_all_good(const rs_schedule *s) {
    for (int32_t step = -1; step <= s->n_steps; step++) {
        for (int32_t rank = 0; rank < s->n_ranks; rank++) expect_good(s, step, rank);
    }
}

Test(question, the_answer_is_the_schedules_for_all_algorithms_and_sizes) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 1; n <= 33; n++) {
            for (int order = RS_ORDER_SEED; order <= RS_ORDER_NCCL; order++) {
                rs_schedule s;
                rs_error error;
                cr_assert_eq(
                    rs_schedule_make(rs_algorithms[i], (rs_order)order, n, 1000, &error, &s),
                    RS_OK);
                expect_all_good(&s);
            }
        }
    }
}

Test(question, the_answer_is_the_schedules_for_the_other_collectives) {
    for (int of = RS_COLL_REDUCE_SCATTER; of < RS_N_COLLECTIVES; of++) {
        const rs_algorithm *const *list = rs_algorithms_of((rs_collective)of);
        for (int i = 0; list[i] != NULL; i++) {
            for (int32_t n = 1; n <= 17; n++) {
                const bool rooted = rs_collective_rooted((rs_collective)of);
                for (int32_t root = 0; root < (rooted ? n : 1); root += 3) {
                    const rs_schedule s = made((rs_collective)of, list[i]->name, n, root);
                    expect_all_good(&s);
                }
            }
        }
    }
}

/* Finds the choice that a belief leads to, and says it; -1: it is not offered. */
static int32_t say_belief(const rs_schedule *s, int32_t step, int32_t rank, rv_myth myth,
                          char text[128]) {
    rv_question q;
    rv_ask_question(s, step, rank, &q);
    for (int32_t i = 0; i < q.n_choices; i++) {
        if (q.myths[i] != myth) continue;
        rv_answer_text(&q, i, text, 128);
        cr_expect_leq(strlen(text), 79 - 17);
        return q.choices[i];
    }
    return -1;
}

Test(question, each_collective_knows_its_own_mistakes) {
    char text[128];
    rs_schedule s = made(RS_COLL_ALL_GATHER, "ring", 5, 0);
    cr_expect_eq(say_belief(&s, 1, 3, RV_MYTH_OTHER_ORDER, text), 1); /* right: (3 - 1) mod 5 */
    cr_expect_str_eq(text, "No: chunk 2, just received. Chunk 1: reduce-scatter's order.");
    s = made(RS_COLL_BROADCAST, "ring", 5, 2);
    cr_expect_eq(say_belief(&s, 3, 4, RV_MYTH_HEAD, text), 3); /* two places after the root: 1 */
    cr_expect_str_eq(text, "No: chunk 1, just received. Chunk 3: the root sends it.");
    s = made(RS_COLL_REDUCE, "ring", 5, 2);
    cr_expect_eq(say_belief(&s, 3, 4, RV_MYTH_HEAD, text), s.n_chunks - 4);
    s = made(RS_COLL_REDUCE, "tree", 8, 1);
    cr_expect_eq(say_belief(&s, 1, 7, RV_MYTH_ROOT, text), 1); /* place 6 sends to place 4 */
    cr_expect_str_eq(text, "No: GPU 7 sends to GPU 5. GPU 1 is the root.");
    s = made(RS_COLL_ALL_TO_ALL, "pairwise", 8, 0);
    cr_expect_eq(say_belief(&s, 2, 7, RV_MYTH_SENDER, text), 4);
    cr_expect_str_eq(text, "No: GPU 7 sends to GPU 2. It receives from GPU 4.");
    cr_expect_eq(say_belief(&s, 2, 7, RV_MYTH_AGAIN, text), 1);
    cr_expect_str_eq(text, "No: GPU 7 sends to GPU 2. It sent to GPU 1 a step ago.");
    cr_expect_eq(say_belief(&s, 2, 7, RV_MYTH_NEXT, text), 0);
    s = made(RS_COLL_ALL_GATHER, "doubling", 7, 0); /* a block in two messages, one way */
    cr_expect_eq(say_belief(&s, 1, 6, RV_MYTH_SENDER, text), 1);
}

static rs_schedule ring(int32_t n) {
    rs_schedule s;
    rs_error error;
    cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, n,
                                  1000, &error, &s),
                 RS_OK);
    return s;
}

Test(question, asks_in_every_step_of_the_ring_and_offers_what_learners_believe) {
    const rs_schedule s = ring(9);
    rv_question q;
    for (int32_t step = 0; step < s.n_steps; step++) {
        rv_ask_question(&s, step, 3, &q);
        cr_expect_eq(q.ask, RV_ASK_CHUNK);
        cr_expect_eq(q.n_choices, 9, "a digit each");
    }
    rv_ask_question(&s, 2, 3, &q); /* right: 1; own 3, a step ago 2, received two steps ago 2 */
    cr_expect(q.passes_on);
    int own = 0, again = 0;
    for (int i = 0; i < q.n_choices; i++) {
        own += q.myths[i] == RV_MYTH_OWN && q.choices[i] == 3;
        again += q.myths[i] == RV_MYTH_AGAIN && q.choices[i] == 2;
    }
    cr_expect(own == 1 && again == 1);
}

Test(question, the_place_of_the_answer_gives_nothing_away) {
    const rs_schedule s = ring(9);
    int at[RV_MAX_CHOICES] = {0};
    for (int32_t step = 0; step < s.n_steps; step++) {
        for (int32_t rank = 0; rank < 9; rank++) {
            rv_question q;
            rv_ask_question(&s, step, rank, &q);
            at[q.answer]++;
        }
    }
    for (int i = 0; i < 9; i++) cr_expect_gt(at[i], 9 * 16 / 12, "place %d", i);
}

Test(question, answers_are_put_into_words) {
    const rs_schedule s = ring(5);
    rv_question q;
    char text[256];
    rv_ask_question(&s, 1, 3, &q); /* the right one is 2 */
    rv_question_text(&q, text, sizeof text);
    cr_expect_str_eq(text, "Which chunk does GPU 3 send next?");
    rv_answer_text(&q, q.answer, text, sizeof text);
    cr_expect_str_eq(text, "Right: chunk 2, just received.");
    for (int32_t i = 0; i < q.n_choices; i++) {
        if (q.myths[i] != RV_MYTH_OWN) continue;
        rv_answer_text(&q, i, text, sizeof text);
        cr_expect_str_eq(text, "No: chunk 2, just received. Chunk 3 is its own number.");
    }
    rv_ask_question(&s, 0, 3, &q); /* a convention, which the others' first chunks tell */
    rv_question_text(&q, text, sizeof text);
    cr_expect_str_eq(text, "GPU 4 begins with chunk 4, GPU 0 with chunk 0. And GPU 3?");
    rv_answer_text(&q, q.answer == 0, text, sizeof text);
    cr_expect(strncmp(text, "No: GPU 3 sends chunk 3.", 24) == 0, "%s", text);
}

/* 80 columns, less the margin and " (99 of 99 right)". */
Test(question, answers_fit_a_narrow_screen) {
    const rs_schedule s = ring(40);
    for (int32_t step = 0; step < s.n_steps; step++) {
        for (int32_t rank = 0; rank < s.n_ranks; rank++) {
            rv_question q;
            char text[256];
            rv_ask_question(&s, step, rank, &q);
            for (int32_t i = 0; i < q.n_choices; i++) {
                cr_expect_leq(rv_answer_text(&q, i, text, sizeof text), 79 - 17, "%s", text);
            }
        }
    }
}

Test(question, whole_arrays_are_asked_by_their_receiver) {
    rs_schedule s;
    rs_error error;
    cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "doubling"), RS_ORDER_SEED,
                                  8, 1000, &error, &s),
                 RS_OK);
    rv_question q;
    rv_ask_question(&s, 1, 3, &q);
    cr_expect_eq(q.ask, RV_ASK_PEER);
    cr_expect_eq(q.choices[q.answer], 1);
}
