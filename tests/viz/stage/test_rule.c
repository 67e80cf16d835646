/* test_rule.c: the rule shown in words of C is the schedule's own answer. */
#include "panels/rule.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define SAME(expression)                                                                           \
    { #expression, (expression) }

/* The compiler says what each text means. */
Test(rule, evaluates_as_c_does) {
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {SAME(1),
                 SAME(1 + 2 * 3),
                 SAME((1 + 2) * 3),
                 SAME(7 - 2 - 1),
                 SAME(1 << (3 - 1)),
                 SAME(12 & ~(4 - 1)),
                 SAME(5 ^ (1 << 2)),
                 SAME(16 >> (1 + 1)),
                 SAME(2 < 5 - 1),
                 SAME(4 < 5 - 1),
                 SAME(4 <= 4),
                 SAME(4 >= 5),
                 SAME(3 == 2 + 1),
                 SAME(3 == 3 && 4 + 4 < 8),
                 SAME(0 == 0 && 1 < 2)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_eq(rv_evaluate(cases[i].text), cases[i].value, "%s gives %lld", cases[i].text,
                     (long long)rv_evaluate(cases[i].text));
    }
}

Test(rule, takes_mod_as_never_negative) {
    cr_expect_eq(rv_evaluate("(3 - 1) mod 5"), 2);
    cr_expect_eq(rv_evaluate("(0 - 1) mod 5"), 4);
    cr_expect_eq(rv_evaluate("(0 - 7) mod 5"), 3);
    cr_expect_eq(rv_evaluate("6 mod (2 * 2) == 2"), 1);
}

static rs_schedule made(const char *name, rs_order order, int32_t n) {
    rs_schedule schedule;
    rs_error error;
    cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, name), order, n, 1000,
                                  &error, &schedule),
                 RS_OK, "%s", error.text);
    return schedule;
}

Test(rule, of_the_ring_reads_as_the_lesson_says) {
    const rs_schedule s = made("ring", RS_ORDER_SEED, 5);
    rv_rule rule;
    rv_rule_of(&s, 1, 3, &rule);
    const rv_rule_line *chunk = rv_rule_line_of(&rule, "chunk");
    const rv_rule_line *to = rv_rule_line_of(&rule, "to");
    cr_expect_str_eq(chunk->formula, "(rank - step) mod N");
    cr_expect_str_eq(chunk->numbers, "(3 - 1) mod 5");
    cr_expect_eq(chunk->value, 2);
    cr_expect_str_eq(to->numbers, "(3 + 1) mod 5");
    cr_expect_eq(to->value, 4);
    cr_expect_str_eq(rv_rule_line_of(&rule, "adds")->numbers, "1 < 5 - 1");
}

/* A line's value, or what is meant where the rule has no such line. */
static int64_t value_of(const rv_rule *rule, const char *name, int64_t otherwise) {
    const rv_rule_line *line = rv_rule_line_of(rule, name);
    return line != NULL ? line->value : otherwise;
}

/* Holds what a rule says against the n messages that are sent. */
static void expect_messages(const rv_rule *rule, int n, const rs_transfer sent[],
                            const char *where) {
    int32_t n_chunks = sent[0].n_chunks;
    if (rv_rule_line_of(rule, "to 2") != NULL) {
        cr_assert_eq(n, 2, "%s", where);
        cr_expect_eq(value_of(rule, "to 2", -1), sent[1].dst, "%s: to 2", where);
        cr_expect_eq(value_of(rule, "chunk 2", -1), sent[1].chunk, "%s: chunk 2", where);
    } else if (rv_rule_line_of(rule, "messages") != NULL) {
        cr_expect_eq(value_of(rule, "messages", -1), n, "%s: messages", where);
        cr_expect_eq(value_of(rule, "to last", -1), sent[n - 1].dst, "%s: to last", where);
        cr_expect_eq(value_of(rule, "chunk last", -1), sent[n - 1].chunk, "%s: chunk last", where);
    } else if (n == 2) { /* a block that passes the last chunk */
        cr_assert(sent[0].dst == sent[1].dst && sent[1].chunk == 0, "%s", where);
        n_chunks += sent[1].n_chunks;
    } else {
        cr_assert_eq(n, 1, "%s", where);
    }
    cr_expect_eq(value_of(rule, "to", -1), sent[0].dst, "%s: to", where);
    cr_expect_eq(value_of(rule, "chunk", 0), sent[0].chunk, "%s: chunk", where);
    cr_expect_eq(value_of(rule, "chunks", 1), n_chunks, "%s: chunks", where);
    cr_expect_eq(value_of(rule, "adds", 0), sent[0].effect == RS_REDUCE, "%s: adds", where);
}

static void expect_truth(const rs_schedule *s, int32_t step, int32_t rank) {
    rs_transfer sent[RS_MAX_SENDS];
    rv_rule rule;
    char where[96];
    const int n = s->sends(s, step, rank, sent);
    rv_rule_of(s, step, rank, &rule);
    snprintf(where, sizeof where, "%s, %d ranks, step %d, rank %d", s->name, (int)s->n_ranks,
             (int)step, (int)rank);
    cr_assert_gt(rule.n_lines, 0, "%s: no rule", where);
    cr_expect_eq(rule.sends, n != 0, "%s: sends or not", where);
    for (int i = 0; i < rule.n_lines; i++) {
        cr_expect_eq(rv_evaluate(rule.lines[i].numbers), rule.lines[i].value, "%s", where);
    }
    if (n == 0 || !rule.sends) return;
    expect_messages(&rule, n, sent, where);
}

static void expect_all_true(const rs_schedule *s) {
    for (int32_t i = 0; i < s->n_steps * s->n_ranks; i++) {
        expect_truth(s, i / s->n_ranks, i % s->n_ranks);
    }
}

Test(rule, is_the_schedules_own_answer_for_every_algorithm_step_and_rank) {
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        if (strcmp(rs_algorithms[a]->name, "double-tree") == 0) continue; /* no line says it */
        for (int order = RS_ORDER_SEED; order <= RS_ORDER_NCCL; order++) {
            for (int32_t n = 2; n <= 17; n++) {
                const rs_schedule s = made(rs_algorithms[a]->name, (rs_order)order, n);
                expect_all_true(&s);
            }
        }
    }
}

/* From every root; a pipeline of as many chunks as it likes, and of one and three. */
Test(rule, is_the_schedules_own_answer_for_the_other_collectives) {
    rs_schedule s;
    rs_error error;
    for (int of = RS_COLL_REDUCE_SCATTER; of < RS_N_COLLECTIVES; of++) {
        const rs_algorithm *const *list = rs_algorithms_of((rs_collective)of);
        for (int a = 0; list[a] != NULL; a++) {
            for (int32_t n = 2; n <= 17; n++) {
                const int32_t n_roots = rs_collective_rooted((rs_collective)of) ? n : 1;
                for (int32_t root = 0; root < n_roots; root++) {
                    rs_spec spec = {.n_ranks = n, .root = root};
                    spec.n_pieces = list[a]->pipelined ? root % 3 * (root % 3 + 1) / 2 : 0;
                    cr_assert_eq(rs_schedule_from_spec(list[a], &spec, 1000 * n, &error, &s), RS_OK,
                                 "%s", error.text);
                    expect_all_true(&s);
                }
            }
        }
    }
}

/* Of several channels the rule tells the first one's message. */
Test(rule, of_several_channels_is_that_of_the_first) {
    rs_schedule s;
    rs_error error;
    for (int of = RS_COLL_REDUCE_SCATTER; of < RS_COLL_ALL_TO_ALL; of++) {
        const rs_spec spec = {.n_ranks = 5, .root = 3 * (of >= RS_COLL_BROADCAST), .n_channels = 3};
        const rs_algorithm *ring = rs_find_algorithm((rs_collective)of, "ring");
        cr_assert_eq(rs_schedule_from_spec(ring, &spec, 1000, &error, &s), RS_OK, "%s", error.text);
        for (int32_t i = 0; i < s.n_steps * 5; i++) {
            rs_transfer sent[3];
            rv_rule rule;
            const int n = s.sends(&s, i / 5, i % 5, sent);
            rv_rule_of(&s, i / 5, i % 5, &rule);
            cr_assert_eq(rule.sends, n == 3);
            if (n > 0) expect_messages(&rule, 1, sent, s.name);
        }
    }
}

Test(rule, of_a_schedule_from_a_file_is_none) {
    const char *text = "ringsim-schedule 1\nranks 2\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\n";
    rs_arena arena;
    rs_error error;
    rs_schedule s;
    rv_rule rule;
    rs_arena_init(&arena, NULL);
    cr_assert_eq(rs_parse_schedule(text, strlen(text), &arena, &error, &s), RS_OK);
    rv_rule_of(&s, 0, 0, &rule);
    cr_expect_eq(rule.n_lines, 0);
    rs_arena_free(&arena);
}
