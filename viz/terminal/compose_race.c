/* compose_race.c: two runs at one time, one below the other: a race, a fork, two recordings.
 *
 *     ring all-reduce - 5 GPUs - 100 MB each
 *     3.02 ms of 40.04 ms   ##..............
 *     Scatter-reduce ###-  All-gather ----       step 2 of 0..7
 *     ring: GPU 0 sends chunk 3 to GPU 1, which adds it
 *       its table
 *     Reduce ----  Broadcast ----                step 0 of 0..7
 *     naive: ...
 *       its table
 */
#include "stage/stage.h"
#include "terminal/compose.h"
#include "text/say.h"

#include <assert.h>

enum { TEXT = 512, FRAME = 5 }; /* title, clock, legend, message, keys */

/* Draws the common time, and a bar of it against the longer run. */
static void compose_clock(const rv_stage *stage, rv_screen *screen, int y) {
    const int64_t a = stage->what_if->report->outcome.makespan_ps;
    const int64_t b = stage->other->report->outcome.makespan_ps, end_ps = a > b ? a : b;
    const rv_glyphs *glyphs = rv_glyphs_of(&stage->playback);
    char text[TEXT];
    rv_clock_text(stage->now_ps, end_ps, text, sizeof text);
    const int x = rv_put(screen, 1, y, screen->width - 1, RV_BOLD, text) + 2;
    const int room = screen->width - x - 1;
    const int done = (int)(rv_race_place(stage) * room + 0.5);
    for (int i = 0; i < room; i++) {
        rv_put(screen, x + i, y, 1, i < done ? RV_OWN : RV_DIM,
               i < done ? glyphs->bar : glyphs->no_bar);
    }
}

/* Returns a playback that shows one of the two runs. */
static rv_playback playback_of(const rv_stage *stage, const rv_shown_run *run) {
    rv_playback playback = stage->playback;
    playback.subject = rv_model_subject((run->second ? stage->other : stage->what_if)->model);
    if (playback.rank >= run->model->n_ranks) playback.rank = 0;
    return playback;
}

static void compose_words(const rv_shown_run *run, const rv_playback *playback, rv_screen *screen,
                          int y, int n_lines) {
    char text[2 * TEXT], said[TEXT];
    const bool troubled = rv_trouble_text(run->model, said, sizeof said) > 0;
    if (!troubled) rv_caption(run->model, playback->rank, said, sizeof said);
    rv_say_text(text, sizeof text, _("%s: %s"), run->title, said);
    rv_put_wrapped(screen, 1, y, n_lines, troubled ? RV_WARNING : RV_BOLD, text);
}

/* Draws one of the runs on n_lines lines from y on. */
static void compose_half(const rv_stage *stage, const rv_shown_run *run, int n_words, int y,
                         int n_lines, rv_composition *page) {
    const rv_playback playback = playback_of(stage, run);
    page->playback = &playback;
    rv_compose_phases(&playback, page->screen, y);
    compose_words(run, &playback, page->screen, y + 1, n_words);
    const int most = n_lines - 1 - n_words;
    if (most >= 2) {
        page->plan = rv_plan_table(run->model, page->width, most);
        rv_compose_table(&playback, &page->plan, page->screen, y + 1 + n_words);
    }
    page->playback = &stage->playback;
}

void rv_compose_race(const rv_stage *stage, rv_screen *screen) {
    rv_shown_run both[2];
    const int n = rv_list_runs(stage, both), height = screen->height;
    const int half = (height - FRAME) / 2, n_words = half > 8 || screen->width < 70 ? 2 : 1;
    rv_composition page = {.stage = stage,
                           .playback = &stage->playback,
                           .width = screen->width,
                           .height = height,
                           .screen = screen};
    assert(n == 2);
    rv_compose_title(&stage->playback, screen);
    compose_clock(stage, screen, 1);
    for (int i = 0; i < n && half > 0; i++) {
        compose_half(stage, &both[i], n_words, 2 + i * half, half, &page);
    }
    if (half >= 3) rv_compose_legend(&stage->playback, &page.plan, screen, height - 3);
    rv_compose_hint(&stage->playback, screen, height - 1, screen->width < 60 || height < 16);
    rv_compose_message(&stage->playback, screen, height - 2, 1);
    if (stage->playback.mode == RV_READING_HELP) {
        rv_compose_help(&stage->playback, &page.plan, screen);
    }
}
