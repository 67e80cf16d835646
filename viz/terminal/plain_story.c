/* plain_story.c: a whole story as plain text: each moment's sentence and grids, at the end the sequence,
 * lanes and plots.
 */
#include "terminal/compose_frame.h"
#include "text/say.h"
#include "terminal/plain_story.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 40, LINE = 1024, PLOT_WIDTH = 64 };

void rv_write_line(const rv_text_sink *to, const char *text) {
    to->write(to->context, text, strlen(text));
    to->write(to->context, "\n", 1);
}

static void wrapped(const rv_text_sink *to, const char *text) {
    while (*text != '\0') {
        size_t next;
        const size_t n = rv_wrap(text, to->width, &next);
        to->write(to->context, text, n);
        to->write(to->context, "\n", 1);
        text += next;
    }
}

/* Each grid as it was written last: a grid that has not changed is not written again. */
typedef struct last {
    rv_screen grids[RV_MOST_GRIDS];
} last;

static bool same_screen(const rv_screen *a, const rv_screen *b) {
    if (a->cells == NULL || b->cells == NULL || a->width != b->width || a->height != b->height) {
        return false;
    }
    const size_t n = (size_t)a->width * (size_t)a->height;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(a->cells[i].text, b->cells[i].text) != 0) return false;
    }
    return memcmp(a->rest, b->rest, (size_t)a->height * sizeof *a->rest) == 0;
}

/* Writes a grid if it differs from what was written last; *gap: writes a blank line before it. */
static rs_status write_grid(const rv_text_sink *to, const rv_grid *grid, int32_t rank,
                            rv_screen *before, bool *gap, rs_error *error) {
    rv_screen screen;
    const rv_board board = rv_plan_board(grid, rank, to->width, MOST_ROWS + 2);
    if (!rv_text_screen_new(to->width, board.height, &screen)) return rs_no_memory(error);
    rv_compose_board(&board, rank, &screen, 0, 0);
    if (!same_screen(&screen, before)) {
        if (*gap) rv_write_line(to, "");
        rv_screen_text(&screen, to->write, to->context);
        *gap = true;
    }
    rv_screen_free(before);
    *before = screen;
    return RS_OK;
}

static rs_status write_marks(const rv_text_sink *to, const rv_playback *playback, rs_error *error) {
    rv_screen screen;
    const rv_survey *survey = rv_survey_of(&playback->subject, playback->rank);
    if (!rv_text_screen_new(to->width, 1, &screen)) return rs_no_memory(error);
    rv_compose_marks(rv_story_of(&playback->subject), survey->tones, &screen, 0);
    rv_screen_text(&screen, to->write, to->context);
    rv_screen_free(&screen);
    rv_write_line(to, "");
    return RS_OK;
}

static rs_status write_sequence(const rv_text_sink *to, const rv_playback *playback,
                                const rv_sequence *s, rs_error *error) {
    rv_screen screen;
    const int lines = rv_sequence_lines(s);
    if (lines == 0) return RS_OK;
    if (!rv_text_screen_new(to->width, lines, &screen)) return rs_no_memory(error);
    rv_compose_sequence(playback, s, &screen, 0, lines);
    rv_write_line(to, "");
    rv_screen_text(&screen, to->write, to->context);
    rv_screen_free(&screen);
    return RS_OK;
}

static rs_status write_lanes(const rv_text_sink *to, const rv_playback *playback, rs_error *error) {
    rv_screen screen;
    const rv_story *story = rv_story_of(&playback->subject);
    const int wanted = rv_lanes_lines(story, to->width);
    const int lines = wanted < MOST_ROWS ? wanted : MOST_ROWS;
    if (lines == 0) return RS_OK;
    if (!rv_text_screen_new(to->width, lines, &screen)) return rs_no_memory(error);
    rv_compose_lanes(story, rv_position_of(playback).step, -1, &screen, 0, lines);
    rv_write_line(to, "");
    rv_screen_text(&screen, to->write, to->context);
    rv_screen_free(&screen);
    return RS_OK;
}

static rs_status write_plot(const rv_text_sink *to, const rv_plot *plot, rs_error *error) {
    rv_screen screen;
    const int wanted = rv_plot_lines(plot), lines = wanted < MOST_ROWS ? wanted : MOST_ROWS;
    const int width = to->width < PLOT_WIDTH ? to->width : PLOT_WIDTH;
    if (lines == 0) return RS_OK;
    if (!rv_text_screen_new(width, lines, &screen)) return rs_no_memory(error);
    rv_compose_plot(plot, &screen, 0, 0, width, lines);
    rv_write_line(to, "");
    rv_screen_text(&screen, to->write, to->context);
    rv_screen_free(&screen);
    return RS_OK;
}

/* Writes "Step 3 of 0..7: shuffle". */
static void write_heading(const rv_text_sink *to, const rv_playback *playback,
                          const rv_frame *frame) {
    const int32_t step = rv_position_of(playback).step, n_steps = playback->subject.n_steps;
    char text[LINE];
    rv_say say = rv_say_to(text, sizeof text);
    if (step >= 0) rv_write_line(to, "");
    if (step < 0 || step >= n_steps) return;
    rv_say_more(&say, _("Step %d of 0..%d"), (int)step, (int)n_steps - 1);
    if (frame->phase != NULL) rv_say_more(&say, _(": %s"), frame->phase);
    rv_write_line(to, text);
}

static rs_status write_moment(const rv_text_sink *to, const rv_playback *playback,
                              const rv_frame *frame, last *before, rs_error *error) {
    const bool end = rv_position_of(playback).step >= playback->subject.n_steps;
    rs_status status = RS_OK;
    write_heading(to, playback, frame);
    wrapped(to, frame->caption);
    bool gap = false;
    for (int g = 0; g < frame->n_grids && status == RS_OK; g++) {
        status = write_grid(to, &frame->grids[g], playback->rank, &before->grids[g], &gap, error);
    }
    if (!end || status != RS_OK) return status;
    status = write_sequence(to, playback, &frame->sequence, error);
    if (status == RS_OK) status = write_lanes(to, playback, error);
    for (int p = 0; p < frame->n_plots && status == RS_OK; p++) {
        status = write_plot(to, &frame->plots[p], error);
    }
    return status;
}

rs_status rv_write_frames(const rv_text_sink *to, rv_playback *playback, rs_error *error) {
    const rv_story *story = rv_story_of(&playback->subject);
    last before = {0};
    rv_write_line(to, story->title(story));
    rs_status status = write_marks(to, playback, error);
    while (status == RS_OK) {
        const int32_t step = rv_position_of(playback).step;
        status = write_moment(to, playback, rv_frame_of(&playback->subject, playback->rank),
                              &before, error);
        if (step >= playback->subject.n_steps || status != RS_OK) break;
        status = rv_playback_seek(playback, step + 1, RV_DONE, error);
    }
    for (int g = 0; g < RV_MOST_GRIDS; g++) rv_screen_free(&before.grids[g]);
    return status;
}
