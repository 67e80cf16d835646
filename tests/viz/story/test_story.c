/* test_story.c: what producers tell, and the run that a story is walked on. */
#include "model/model.h"
#include "story/frame.h"
#include <criterion/criterion.h>

static rs_arena arena;
static rs_error error;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(story, .init = start, .fini = stop);

Test(story, is_walked_on_a_run_without_transfers_with_as_many_steps) {
    const rv_story story = {.n_steps = 7, .n_ranks = 3};
    rs_report report;
    rv_model *model;
    cr_assert_eq(rv_story_report(&story, &arena, &error, &report), RS_OK, "%s", error.text);
    cr_assert_eq(rv_model_new(&report, &arena, &error, &model), RS_OK, "%s", error.text);
    cr_expect_eq(model->n_steps, 7);
    cr_expect_eq(model->n_ranks, 3);
    cr_expect_eq(report.request.job.schedule->n_transfers, 0);
    for (int32_t step = -1; step <= 7; step++) {
        cr_expect_eq(rv_model_seek(model, step, RV_DONE, &error), RS_OK, "%s", error.text);
    }
}

Test(story, of_a_single_rank_and_step_can_be_walked_too) {
    const rv_story story = {.n_steps = 1, .n_ranks = 1};
    rs_report report;
    cr_assert_eq(rv_story_report(&story, &arena, &error, &report), RS_OK, "%s", error.text);
    cr_expect_eq(report.request.job.schedule->n_steps, 1);
}

Test(story, grid_keeps_what_was_written_into_it) {
    rv_frame frame = {.arena = &arena};
    rv_grid *grid = rv_frame_grid(&frame, "who sees what", 2, 3);
    cr_assert_not_null(grid);
    rv_frame_head(&frame, grid, 1, -1, "GPU %d", 1);
    rv_frame_head(&frame, grid, -1, 2, "batch %d", 2);
    rv_frame_entry(&frame, grid, 1, 2, RV_TONE_NEW, 1, "%d", 42);
    cr_expect_str_eq(grid->row_heads[1], "GPU 1");
    cr_expect_str_eq(grid->column_heads[2], "batch 2");
    cr_expect_str_eq(grid->entries[5].text, "42");
    cr_expect_eq(grid->entries[5].tone, RV_TONE_NEW);
    cr_expect_null(grid->entries[0].text);
    cr_expect_eq(grid->entries[0].rank, -1);
}

Test(story, writes_nothing_outside_a_grid) {
    rv_frame frame = {.arena = &arena};
    rv_grid *grid = rv_frame_grid(&frame, NULL, 1, 1);
    rv_frame_entry(&frame, grid, 1, 0, RV_TONE_NEW, -1, "x");
    rv_frame_entry(&frame, grid, 0, -1, RV_TONE_NEW, -1, "x");
    rv_frame_head(&frame, grid, 0, 5, "x");
    rv_frame_entry(&frame, NULL, 0, 0, RV_TONE_NEW, -1, "x");
    cr_expect_null(grid->entries[0].text);
    cr_expect_null(rv_frame_grid(&frame, NULL, 0, 3));
}

Test(story, cuts_a_caption_at_a_whole_character) {
    rv_frame frame = {.arena = &arena};
    char text[900] = "x";
    for (int i = 0; i < 290; i++) strcat(text, "块");
    rv_frame_say(&frame, "%s", text);
    const size_t n = strlen(frame.caption);
    cr_expect_lt(n, (size_t)RV_CAPTION_BYTES);
    cr_expect_eq((n - 1) % 3, 0u, "half a character at the end");
}
