/* .sched files: what is printed parses to the same schedule, and every error has its line and column. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "ringsim.h"
#include "support/printed.h"

static rs_arena arena;
static rs_error error;
static rs_schedule parsed;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(text, .init = open_arena, .fini = close_arena);

static rs_status parse(const char *text) {
    return rs_parse_schedule(text, strlen(text), &arena, &error, &parsed);
}

static void same_schedule(const rs_schedule *a, const rs_schedule *b) {
    cr_assert(a->n_ranks == b->n_ranks && a->n_chunks == b->n_chunks && a->n_steps == b->n_steps &&
              a->n_transfers == b->n_transfers);
    for (int32_t step = 0; step < a->n_steps; step++) {
        rs_cursor at_a = {0}, at_b = {0};
        rs_transfer t, u;
        while (rs_next_transfer(a, step, &at_a, &t)) {
            cr_assert(rs_next_transfer(b, step, &at_b, &u));
            cr_assert(t.src == u.src && t.dst == u.dst && t.chunk == u.chunk &&
                      t.n_chunks == u.n_chunks && t.effect == u.effect && t.channel == u.channel);
        }
        cr_assert_not(rs_next_transfer(b, step, &at_b, &u));
    }
}

static void round_trip(const rs_schedule *s) {
    page first = {0}, second = {0};
    rs_print_schedule(s, keep, &first);
    cr_assert_eq(rs_parse_schedule(first.text, first.n, &arena, &error, &parsed), RS_OK, "%s",
                 error.text);
    same_schedule(s, &parsed);
    rs_print_schedule(&parsed, keep, &second);
    cr_assert(first.n == second.n && memcmp(first.text, second.text, first.n) == 0);
    cr_assert_leq(first.most, 4096);
    free(first.text);
    free(second.text);
}

Test(text, every_algorithm_survives_printing_and_parsing) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 1; n <= 33; n++) {
            for (rs_order order = RS_ORDER_SEED; order <= RS_ORDER_NCCL; order++) {
                rs_schedule s;
                rs_schedule_make(rs_algorithms[i], order, n, 1000, &error, &s);
                round_trip(&s);
            }
        }
    }
}

/* Two phases are found where only copies follow on reduces; of other listed schedules none are told. */
static void expect_same_phases(const rs_schedule *s) {
    const bool all_reduce = s->collective == RS_COLL_ALL_REDUCE && s->n_ranks > 2;
    const bool ring = strcmp(s->name, "ring") == 0 || strcmp(s->name, "bidirectional") == 0;
    cr_assert_eq(rs_find_phases(&parsed, &arena, &error), RS_OK);
    cr_expect(parsed.n_phases == 0 || all_reduce || s->n_ranks == 2);
    if (all_reduce && strcmp(s->name, "doubling") == 0) cr_expect_eq(parsed.n_phases, 0);
    if (!all_reduce || !(ring || strcmp(s->name, "naive") == 0)) return;
    cr_assert_eq(parsed.n_phases, 2, "%s, %d", s->name, (int)s->n_ranks);
    for (int i = 0; i < 2; i++) {
        cr_expect(parsed.phases[i].phase == s->phases[i].phase &&
                  parsed.phases[i].first_step == s->phases[i].first_step);
    }
}

/* A run cuts the array into its channels first: so does its saved schedule. */
Test(text, a_saved_schedule_cuts_the_array_as_its_run_did) {
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        const rs_algorithm *const *all = rs_algorithms_of((rs_collective)of);
        for (int i = 0; all[i] != NULL; i++) {
            for (int32_t n = 2; n <= 8; n += 2) {
                for (int32_t n_channels = 1; n_channels <= 4; n_channels++) {
                    const rs_spec spec = {.n_ranks = n, .n_channels = n_channels};
                    rs_schedule s;
                    if (rs_schedule_from_spec(all[i], &spec, 1000, &error, &s) != RS_OK) continue;
                    round_trip(&s);
                    expect_same_phases(&s);
                    for (int64_t count = 96; count < 99; count++) {
                        for (int32_t c = 0; c <= s.n_chunks; c++) {
                            cr_assert_eq(rs_chunk_first(&s, count, c),
                                         rs_chunk_first(&parsed, count, c));
                        }
                    }
                }
            }
        }
    }
}

static const char manual[] = "ringsim-schedule 1\n"
                             "ranks 4\n"
                             "chunks 4\n"
                             "step\n"
                             "0 -> 1 chunk 0 reduce\n"
                             "1 -> 2 chunk 1 reduce\n"
                             "step\n"
                             "2 -> 3 chunk 0..2 copy        # chunks 0, 1, 2 in one message\n";

Test(text, the_example_of_the_manual_is_read_as_it_says) {
    cr_assert_eq(parse(manual), RS_OK, "%s", error.text);
    cr_expect(parsed.n_ranks == 4 && parsed.n_chunks == 4 && parsed.n_steps == 2);
    cr_expect_eq(parsed.n_transfers, 3);
    cr_expect_str_eq(parsed.name, "file");
    rs_cursor cursor = {0};
    rs_transfer t;
    cr_assert(rs_next_transfer(&parsed, 1, &cursor, &t));
    cr_expect(t.src == 2 && t.dst == 3 && t.chunk == 0 && t.n_chunks == 3 && t.effect == RS_COPY);
    page printed = {0};
    rs_print_schedule(&parsed, keep, &printed);
    const char expected[] = "ringsim-schedule 1\nranks 4\nchunks 4\nstep\n0 -> 1 chunk 0 reduce\n"
                            "1 -> 2 chunk 1 reduce\nstep\n2 -> 3 chunk 0..2 copy\n";
    cr_expect(printed.n == strlen(expected) && memcmp(printed.text, expected, printed.n) == 0);
    free(printed.text);
}

Test(text, two_ranks_by_exchange_are_sound) {
    rs_verdict verdict;
    cr_assert_eq(parse("ringsim-schedule 1\nranks 2\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\n"
                       "1 -> 0 chunk 0 reduce\n"),
                 RS_OK);
    cr_assert_eq(rs_check(&parsed, NULL, &error, &verdict), RS_OK);
    cr_expect(verdict.sound);
}

Test(text, other_hands_line_ends_blanks_and_marks_are_fine) {
    const char *same[] = {
        "\xef\xbb\xbfringsim-schedule 1\r\nranks 2\r\nchunks 3\r\nstep\r\n0 -> 1 chunk 1..2 copy\r\n",
        "ringsim-schedule 1\nchunks 3\nranks 2\nstep\n0 -> 1 chunk 1..2 copy",
        ("\n# caf\xc3\xa9\n  ringsim-schedule\t1 # one\n\n ranks 2#two\nchunks 003\n\nstep#\n"
         "\t0->1  chunk\t1..2   copy # \n\n"),
        "ringsim-schedule 1\nranks 2\nchunks 3\nstep\n0 -> 1 chunk 1..2 copy channel 0\r",
    };
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(parse(same[i]), RS_OK, "%d: %s", i, error.text);
        cr_expect(parsed.n_ranks == 2 && parsed.n_chunks == 3 && parsed.n_steps == 1 &&
                  parsed.n_transfers == 1);
    }
}

Test(text, channels_and_empty_steps_are_kept) {
    cr_assert_eq(parse("ringsim-schedule 1\nranks 4096\nchunks 4096\nstep\nstep\n"
                       "4095 -> 0 chunk 0..4095 reduce channel 255\nstep\n"),
                 RS_OK);
    cr_expect_eq(parsed.n_steps, 3);
    const rs_schedule copy = parsed;
    round_trip(&copy);
    rs_cursor cursor = {0};
    rs_transfer t;
    cr_assert(rs_next_transfer(&parsed, 1, &cursor, &t));
    cr_expect(t.channel == 255 && t.n_chunks == 4096);
}

#define HEAD "ringsim-schedule 1\nranks 4\nchunks 4\n"

Test(text, every_error_names_line_and_column) {
    const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1, column 1: 'ringsim-schedule 1' is missing"},
        {"# nothing\n", "line 2, column 1: 'ringsim-schedule 1' is missing"},
        {"ranks 4\n", "line 1, column 1: expected 'ringsim-schedule 1' as the first statement"},
        {"ringsim-schedule 2\n", "line 1, column 18: the format's version must lie in 1..1"},
        {"ringsim-schedule 1 2\n",
         "line 1, column 20: expected the end of the line, or '#' and a comment"},
        {"ringsim-schedule 1\nringsim-schedule 1\n",
         "line 2, column 1: 'ringsim-schedule' is said twice"},
        {"ringsim-schedule 1\nranks 4\n", "line 3, column 1: 'chunks C' is missing"},
        {"ringsim-schedule 1\nchunks 4", "line 3, column 1: 'ranks N' is missing"},
        {"ringsim-schedule 1\nchunks 4\nstep\n",
         "line 3, column 1: 'ranks N' must come before the first step"},
        {"ringsim-schedule 1\nranks 4\n  step\n",
         "line 3, column 3: 'chunks C' must come before the first step"},
        {"ringsim-schedule 1\nranks 4\nranks 4\n", "line 3, column 1: 'ranks' is said twice"},
        {HEAD "step\nchunks 4\n", "line 5, column 1: 'chunks' must stand before the first step"},
        {"ringsim-schedule 1\nranks 0\n",
         "line 2, column 7: the number of ranks must lie in 1..4096"},
        {"ringsim-schedule 1\nranks 4097\n",
         "line 2, column 7: the number of ranks must lie in 1..4096"},
        {"ringsim-schedule 1\nchunks 99999999999999999999999999\n",
         "line 2, column 8: the number of chunks must lie in 1..4096"},
        {"ringsim-schedule 1\nranks 18446744073709551618\n",
         "line 2, column 7: the number of ranks must lie in 1..4096"},
        {"ringsim-schedule 1\nranks -4\n",
         "line 2, column 7: expected the number of ranks, a number in 1..4096"},
        {"ringsim-schedule 1\nranks 4\nchunks 4 in 3 parts\n",
         "line 3, column 13: the chunks must divide by the parts"},
        {"ringsim-schedule 1\nranks 4\nchunks 4 in 2\n", "line 3, column 14: expected 'parts'"},
        {"ringsim-schedule 1\ncollective all-gather\nranks 2\nchunks 4 in 4 parts\n",
         "line 2, column 1: the parts of this collective are its shards; leave 'in P parts' out"},
        {"ringsim-schedule 1\nranks 4x\n", "line 2, column 8: expected the end of the number"},
        {"ringsim-schedule 1\nranks\n",
         "line 2, column 6: expected the number of ranks, a number in 1..4096"},
        {HEAD "0 -> 1 chunk 0 reduce\n", "line 4, column 1: a transfer before the first 'step'"},
        {HEAD "steps\n", "line 4, column 1: expected 'ranks', 'chunks', 'step' or a transfer such "
                         "as '0 -> 1 chunk 2 reduce'"},
        {HEAD "step 1\n", "line 4, column 6: expected the end of the line, or '#' and a comment"},
        {HEAD "step\n0 - 1 chunk 0 reduce\n",
         "line 5, column 3: expected '->' after the source rank"},
        {HEAD "step\n0", "line 5, column 2: expected '->' after the source rank"},
        {HEAD "step\n4 -> 1 chunk 0 reduce\n",
         "line 5, column 1: the source rank must lie in 0..3"},
        {HEAD "step\n0 -> 4294967297 chunk 0 reduce\n",
         "line 5, column 6: the destination rank must lie in 0..3"},
        {HEAD "step\n0 -> 0 chunk 0 reduce\n", "line 5, column 6: a rank cannot send to itself"},
        {HEAD "step\n0 -> 1, chunk 0 reduce\n",
         "line 5, column 7: expected 'chunk' after the destination"},
        {HEAD "step\n0 -> 1 chunks 0 reduce\n",
         "line 5, column 8: expected 'chunk' after the destination"},
        {HEAD "step\n0 -> 1 chunk 4 reduce\n", "line 5, column 14: the chunk must lie in 0..3"},
        {HEAD "step\n0 -> 1 chunk 2..4 reduce\n",
         "line 5, column 17: the last chunk must lie in 0..3"},
        {HEAD "step\n0 -> 1 chunk 3..1 reduce\n",
         "line 5, column 17: the last chunk comes before the first: a range cannot wrap"},
        {HEAD "step\n0 -> 1 chunk 3.1 reduce\n",
         "line 5, column 15: expected '..', 'reduce' or 'copy' after the chunk"},
        {HEAD "step\n0 -> 1 chunk 3.. reduce\n",
         "line 5, column 17: expected the last chunk, a number in 0..3"},
        {HEAD "step\n0 -> 1 chunk 3 add\n",
         "line 5, column 16: expected 'reduce' or 'copy' after the chunk"},
        {HEAD "step\n0 -> 1 chunk 3\n",
         "line 5, column 15: expected 'reduce' or 'copy' after the chunk"},
        {HEAD "step\n0 -> 1 chunk 3 copy reduce\n",
         "line 5, column 21: expected the end of the line, or '#' and a comment"},
        {HEAD "step\n0 -> 1 chunk 3 copy channel 256\n",
         "line 5, column 29: the channel must lie in 0..255"},
        {HEAD "step\n0 -> 1 chunk 3 copy channel 1 1\n",
         "line 5, column 31: expected the end of the line, or '#' and a comment"},
        {HEAD "step\r0 -> 1 chunk 3 copy\n",
         "line 4, column 1: expected 'ranks', 'chunks', 'step' or a transfer such as "
         "'0 -> 1 chunk 2 reduce'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed.n_ranks = 77;
        cr_expect_eq(parse(cases[i].text), RS_BAD_INPUT, "%zu", i);
        cr_expect_str_eq(error.text, cases[i].message);
        cr_expect_eq(parsed.n_ranks, 77, "the result is untouched");
    }
}

Test(text, zero_bytes_are_refused_also_in_comments) {
    const char text[] = HEAD "step # a\0b\n";
    cr_expect_eq(rs_parse_schedule(text, sizeof text - 1, &arena, &error, &parsed), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "line 4, column 9: a zero byte: this is no text");
}

Test(text, lines_end_at_4096_bytes) {
    static char text[9000];
    memset(text, ' ', sizeof text);
    memcpy(text, HEAD, sizeof HEAD - 1);
    text[sizeof HEAD - 1] = '#';
    cr_expect_eq(rs_parse_schedule(text, sizeof HEAD - 1 + 4096, &arena, &error, &parsed), RS_OK);
    cr_expect_eq(rs_parse_schedule(text, sizeof HEAD - 1 + 4097, &arena, &error, &parsed),
                 RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "line 4, column 4097: the line is longer than 4096 bytes");
}

Test(text, a_header_alone_costs_no_memory) {
    arena.limit_bytes = 512 * 1024; /* 4096 ranks and chunks, but no data: an index a rank */
    cr_expect_eq(parse("ringsim-schedule 1\nranks 4096\nchunks 4096\n"), RS_OK);
    cr_expect_eq(parsed.n_transfers, 0);
}

Test(text, says_so_when_memory_runs_out) {
    arena.limit_bytes = 16;
    cr_expect_eq(parse(manual), RS_NO_MEMORY);
}

Test(text, too_many_transfers_are_refused_with_their_line) {
    const char head[] = HEAD "step\n", one[] = "0->1 chunk 0 copy\n";
    const size_t n = sizeof head - 1, m = sizeof one - 1, times = RS_MAX_FILE_TRANSFERS + 1;
    char *text = malloc(n + times * m);
    memcpy(text, head, n);
    for (size_t i = 0; i < times; i++) memcpy(text + n + i * m, one, m);
    cr_expect_eq(rs_parse_schedule(text, n + times * m, &arena, &error, &parsed), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "line 10000005, column 1: too many transfers: at most 10000000");
    free(text);
}

Test(text, a_schedule_without_chunks_prints_as_one_chunk_and_no_steps) {
    rs_schedule nothing;
    rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, 5, 0, &error,
                     &nothing);
    page printed = {0};
    rs_print_schedule(&nothing, keep, &printed);
    cr_assert_eq(rs_parse_schedule(printed.text, printed.n, &arena, &error, &parsed), RS_OK);
    cr_expect(parsed.n_chunks == 1 && parsed.n_steps == 0);
    free(printed.text);
}
