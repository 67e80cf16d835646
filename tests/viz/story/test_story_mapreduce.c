/* test_story_mapreduce.c: what is told of a MapReduce is what was computed, in every step. */
#include "story/story_mapreduce.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static rs_mr_report report;
static rv_mapreduce_story of;
static rv_story story;
static rv_frame frame;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(story_mapreduce, .init = start, .fini = stop);

static void make(const char *text, int32_t n_ranks, rs_mr_op op) {
    const rs_mr_request request = {
        .text = text,
        .n_bytes = (int64_t)strlen(text),
        .n_ranks = n_ranks,
        .op = op,
        .map_Bps = 1000000000,
        .net = {.link = {.alpha_ps = 5000000, .bandwidth_Bps = 20000000000},
                .reduce_Bps = 1000000000}};
    cr_assert_eq(rs_mapreduce(&request, &arena, &error, &report), RS_OK, "%s", error.text);
    static const rs_mr_word *top[1];
    top[0] = report.words;
    of = (rv_mapreduce_story){&report, top, report.n_distinct > 0};
    cr_assert_eq(rv_story_mapreduce(&of, &arena, &error, &story), RS_OK, "%s", error.text);
}

static void tell(int32_t step) {
    frame = (rv_frame){.arena = &arena};
    story.frame(&story, step, 0, &frame);
}

static const char *entry(int32_t grid, int32_t row, int32_t column) {
    const rv_grid *g = &frame.grids[grid];
    const char *text = g->entries[row * g->n_columns + column].text;
    return text != NULL ? text : "";
}

Test(story_mapreduce, tells_the_example_from_text_to_result) {
    make("hello world hello", 2, RS_MR_SUM);
    cr_assert_eq(story.n_steps, 6); /* map, partition, 1 of the shuffle, reduce, arrays, ring */
    tell(-1);
    cr_expect_str_eq(entry(0, 0, 1), "hello world");
    tell(0);
    cr_expect_str_eq(entry(0, 0, 1), "world 1");
    tell(1);
    cr_expect_str_eq(entry(0, 0, 1), "world 1, to GPU 1");
    cr_expect_str_eq(entry(0, 1, 0), "hello 1, to GPU 0");
    tell(2);
    cr_expect_str_eq(entry(0, 1, 0), "hello 1");
    cr_expect_eq(frame.grids[0].entries[2].tone, RV_TONE_LEAVES);
    cr_expect_str_eq(entry(1, 0, 0), "hello x2");
    cr_expect_str_eq(frame.grids[1].entries[0].before, "hello x1");
    cr_expect_str_eq(entry(1, 1, 0), "world x1");
    tell(3);
    cr_expect_str_eq(entry(0, 0, 1), "1 1");
    cr_expect_str_eq(entry(0, 0, 2), "2");
    tell(4);
    cr_expect_str_eq(entry(0, 0, 0), "1");
    cr_expect_str_eq(entry(0, 1, 1), ".");
    tell(5);
    cr_expect(frame.good);
    cr_expect_str_eq(entry(0, report.ring.owner[0], 0), "2");
    tell(6);
    cr_expect(frame.good);
    cr_expect_str_eq(entry(0, 1, 2), "1");
}

/* Whatever is told stands in a grid that is there, and has a sentence. */
static void expect_whole_tellings(void) {
    for (int32_t step = -1; step <= story.n_steps; step++) {
        tell(step);
        cr_expect_neq(frame.caption[0], '\0', "step %d", (int)step);
        cr_expect_lt(strlen(frame.caption), (size_t)RV_CAPTION_BYTES - 1);
        cr_expect_not(frame.bad);
        for (int32_t g = 0; g < frame.n_grids; g++) cr_expect_not_null(frame.grids[g].entries);
    }
    cr_expect(frame.good);
}

static void expect_whole_lanes(void) {
    cr_expect_leq(story.n_spans, report.request.n_ranks + 3 * report.n_messages);
    for (int64_t i = 0; i < story.n_spans; i++) {
        const rv_work_span *work = &story.spans[i];
        cr_expect(i == 0 || work->start_ps >= work[-1].start_ps);
        cr_expect_lt(work->start_ps, work->end_ps);
        cr_expect_leq(work->end_ps, story.end_ps);
        cr_expect(work->lane >= 0 && work->lane < story.n_lanes);
        cr_expect_not_null(story.kinds[work->kind].name);
        cr_expect(work->step >= 0 && work->step < story.n_steps);
        /* nothing else is done on the lane meanwhile */
        for (int64_t j = i + 1; j < story.n_spans; j++) {
            cr_expect(story.spans[j].lane != work->lane || story.spans[j].start_ps >= work->end_ps);
        }
    }
}

Test(story_mapreduce, is_whole_for_any_text_number_of_gpus_and_operation) {
    static char long_text[4000];
    for (size_t i = 0; i + 1 < sizeof long_text; i++) long_text[i] = "abc d"[i * i % 7 % 5];
    const char *const texts[] = {"",
                                 "  ",
                                 "one",
                                 "to be or not to be that is the question",
                                 "\xe7\xab\xaf\xe5\x88\xb0 \xe7\xab\xaf \x01\xff a",
                                 long_text};
    const int32_t ranks[] = {1, 2, 3, 8, 17, 40};
    for (int t = 0; t < 6; t++) {
        for (int r = 0; r < 6; r++) {
            make(texts[t], ranks[r], (rs_mr_op)((t + r) % RS_MR_N_OPS));
            expect_whole_tellings();
            expect_whole_lanes();
        }
    }
}

Test(story_mapreduce, at_the_end_of_the_shuffle_every_pair_is_where_it_belongs) {
    make("to be or not to be that is the question", 5, RS_MR_MIN);
    tell(2 + 5 - 2);
    int64_t n_pairs = 0;
    const rv_grid *grid = &frame.grids[1];
    for (int32_t i = 0; i < grid->n_rows * grid->n_columns; i++) {
        const char *text = grid->entries[i].text;
        if (text != NULL) n_pairs += atoi(strrchr(text, 'x') + 1);
    }
    cr_expect_eq(n_pairs, report.n_words);
}

Test(story_mapreduce, cuts_long_words_at_a_whole_character) {
    make("\xe5\x9d\x97\xe5\x9d\x97\xe5\x9d\x97\xe5\x9d\x97\xe5\x9d\x97\xe5\x9d\x97\xe5\x9d\x97"
         "\xe5\x9d\x97\xe5\x9d\x97\xe5\x9d\x97\xe5\x9d\x97\xe5\x9d\x97 b",
         1, RS_MR_COUNT);
    tell(0);
    const size_t n = strspn(entry(0, 0, 0), "\xe5\x9d\x97");
    cr_expect_eq(n % 3, 0u);
    cr_expect_gt(n, 12u);
}

Test(story_mapreduce, what_a_terminal_would_obey_is_a_question_mark) {
    make("a\033[31m b\377 \342\200\256c", 1, RS_MR_SUM);
    tell(0);
    cr_expect_str_eq(entry(0, 0, 0), "a?[31m 1");
    cr_expect_str_eq(entry(0, 0, 1), "b? 1");
    cr_expect_str_eq(entry(0, 0, 2), "?c 1");
}

Test(story_mapreduce, figures_tell_a_folding_mapper_pair_by_pair) {
    make("a b a a b a", 2, RS_MR_SUM);
    rs_mr_request request = report.request;
    request.combine = true;
    cr_assert_eq(rs_mapreduce(&request, &arena, &error, &report), RS_OK, "%s", error.text);
    frame = (rv_frame){.arena = &arena, .figures = true};
    story.frame(&story, story.n_steps, 0, &frame);
    cr_assert_eq(frame.n_grids, 3);
    /* "a b a" and "a b a": two of the ones of `a` were folded before they were sent */
    cr_expect_str_eq(entry(2, report.words[0].reducer <= report.words[1].reducer ? 0 : 1, 1),
                     "2 2");
}
