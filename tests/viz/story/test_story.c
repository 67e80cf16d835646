/* test_story.c: what producers tell, and a story as a subject. */
#include "story/telling.h"
#include <criterion/criterion.h>
#include <string.h>

static rs_arena arena;
static rs_error error;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(story, .init = start, .fini = stop);

Test(story, is_walked_without_a_run) {
    const rv_story story = {.name = "a story", .n_steps = 7, .n_ranks = 3};
    rv_telling telling;
    rv_telling_start(&telling, &story);
    const rv_subject subject = rv_story_subject(&telling);
    char title[64];
    cr_expect_eq(subject.n_steps, 7);
    cr_expect_eq(subject.n_ranks, 3);
    cr_expect_eq(subject.kind->title(&subject, title, sizeof title), strlen("a story"));
    for (int32_t step = -3; step <= 9; step++) {
        const int32_t there = step < -1 ? -1 : step > 7 ? 7 : step;
        cr_expect_eq(subject.kind->seek(&subject, step, RV_SEND, &error), RS_OK);
        cr_expect_eq(subject.kind->position(&subject).step, there);
        cr_expect_eq(subject.kind->position(&subject).moment,
                     there < 0 || there == 7 ? RV_DONE : RV_SEND, "at rest at both ends");
    }
    rv_telling_free(&telling);
}

Test(story, grid_keeps_what_was_written_into_it) {
    rv_frame frame = {.arena = &arena};
    rv_grid *grid = rv_frame_grid(&frame, "who sees what", 2, 3);
    cr_assert_not_null(grid);
    rv_grid_head(grid, 1, -1, "GPU %d", 1);
    rv_grid_head(grid, -1, 2, "batch %d", 2);
    rv_grid_write(grid, 1, 2, RV_TONE_NEW, 1, "%d", 42);
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
    rv_grid_write(grid, 1, 0, RV_TONE_NEW, -1, "x");
    rv_grid_write(grid, 0, -1, RV_TONE_NEW, -1, "x");
    rv_grid_head(grid, 0, 5, "x");
    rv_grid_write(NULL, 0, 0, RV_TONE_NEW, -1, "x");
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
