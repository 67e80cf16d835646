/* plain_story.c: a story as plain text: each moment's sentence and grids, at the end figures, the sequence,
 * lanes and plots. Or its figures alone.
 */
#include "terminal/compose_frame.h"
#include "text/say.h"
#include "terminal/plain_story.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 40, LINE = 1024, PLOT_WIDTH = 64 };
/* Of figures: of more rows the first and the last, of more moments the first and the last. */
enum { FEW_ROWS = 16, HEAD_ROWS = 12, FEW_MOMENTS = 40, HEAD_MOMENTS = 30 };

void rv_write_line(const rv_text_sink *to, const char *text) {
    to->write(to->context, text, strlen(text));
    to->write(to->context, "\n", 1);
}

/* Writes a text in lines, the first behind `head`, those after it as far to the right. */
static void write_indented(const rv_text_sink *to, const char *head, int indent, const char *text) {
    for (bool first = true; first || text[0] != '\0'; first = false) {
        char before[32];
        size_t next;
        const size_t n = rv_wrap(text, to->width - indent, &next);
        snprintf(before, sizeof before, "%*s", indent, first ? head : "");
        to->write(to->context, before, strlen(before));
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
    const rv_board board =
        rv_plan_board(grid, rank, to->width, (grid->whole ? grid->n_rows : MOST_ROWS) + 2);
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

static rs_status write_marks(const rv_text_sink *to, const rv_playback *playback,
                             const bool tones[RV_N_TONES], rs_error *error) {
    rv_screen screen;
    if (!rv_text_screen_new(to->width, 1, &screen)) return rs_no_memory(error);
    rv_compose_marks(rv_story_of(&playback->subject), tones, &screen, 0);
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
    rs_status status = RS_OK;
    write_heading(to, playback, frame);
    write_indented(to, "", 0, frame->caption);
    bool gap = false;
    for (int g = 0; g < frame->n_grids && status == RS_OK; g++) {
        status = write_grid(to, &frame->grids[g], playback->rank, &before->grids[g], &gap, error);
    }
    return status;
}

/* A note may begin with blanks: its further lines stand as far to the right. */
static void write_notes(const rv_text_sink *to, const rv_frame *frame) {
    if (frame->n_notes > 0) rv_write_line(to, "");
    for (int i = 0; i < frame->n_notes; i++) {
        const char *text = frame->notes[i].text;
        const int indent = (int)strspn(text, " ");
        if (frame->notes[i].typed) {
            rv_write_line(to, text);
        } else {
            write_indented(to, "", indent, text + indent);
        }
    }
}

static rs_status write_end(const rv_text_sink *to, const rv_playback *playback,
                           const rv_frame *frame, last *before, rs_error *error) {
    rs_status status = write_moment(to, playback, frame, before, error);
    if (status != RS_OK) return status;
    write_notes(to, frame);
    status = write_sequence(to, playback, &frame->sequence, error);
    if (status == RS_OK) status = write_lanes(to, playback, error);
    for (int p = 0; p < frame->n_plots && status == RS_OK; p++) {
        status = write_plot(to, &frame->plots[p], error);
    }
    return status;
}

/* Makes the end's frame in an arena of its own, with all figures. */
static rs_status make_end(const rv_playback *playback, rs_arena *arena, rv_frame *frame,
                          rs_error *error) {
    const rv_story *story = rv_story_of(&playback->subject);
    rs_arena_init(arena, NULL);
    *frame = (rv_frame){.arena = arena, .now_ps = -1, .figures = true};
    story->frame(story, story->n_steps, playback->rank, frame);
    return arena->lacked ? rs_no_memory(error) : RS_OK;
}

rs_status rv_write_frames(const rv_text_sink *to, rv_playback *playback, rs_error *error) {
    const rv_story *story = rv_story_of(&playback->subject);
    last before = {0};
    rs_arena arena;
    rv_frame end;
    rs_status status = make_end(playback, &arena, &end, error);
    rv_write_line(to, rv_story_title(story));
    if (status == RS_OK) {
        const rv_survey *survey = rv_survey_of(&playback->subject, playback->rank);
        status = write_marks(to, playback, survey->tones, error);
    }
    while (status == RS_OK && rv_position_of(playback).step < playback->subject.n_steps) {
        const rv_frame *frame = rv_frame_of(&playback->subject, playback->rank);
        status = frame->lacking ? rs_no_memory(error)
                                : write_moment(to, playback, frame, &before, error);
        if (status != RS_OK) break;
        status = rv_playback_seek(playback, rv_position_of(playback).step + 1, RV_DONE, error);
    }
    if (status == RS_OK) status = write_end(to, playback, &end, &before, error);
    for (int g = 0; g < RV_MOST_GRIDS; g++) rv_screen_free(&before.grids[g]);
    rs_arena_free(&arena);
    return status;
}

/* ------------------------------------------------------------------ figures alone */

/* Returns a grid's first rows and its last ones, with a gap between, if it has many. */
static rv_grid few_rows(const rv_grid *grid, rs_arena *arena) {
    const size_t n = (size_t)grid->n_columns;
    rv_grid few = *grid;
    if (grid->n_rows <= FEW_ROWS || grid->whole) return few;
    few.n_rows = FEW_ROWS + 1;
    few.entries = rs_alloc(arena, (FEW_ROWS + 1) * n, sizeof *few.entries);
    few.row_heads = rs_alloc(arena, FEW_ROWS + 1, sizeof *few.row_heads);
    if (few.entries == NULL || few.row_heads == NULL) return *grid;
    for (int32_t row = 0; row < few.n_rows; row++) {
        if (row == HEAD_ROWS) continue;
        const int32_t from = row < HEAD_ROWS ? row : grid->n_rows - few.n_rows + row;
        memcpy(&few.entries[(size_t)row * n], &grid->entries[(size_t)from * n],
               n * sizeof *few.entries);
        few.row_heads[row] = grid->row_heads[from];
    }
    few.row_heads[HEAD_ROWS] = "...";
    return few;
}

/* Writes the sentences of the moments, each with its number. */
static rs_status write_moments(const rv_text_sink *to, const rv_playback *playback,
                               rs_error *error) {
    enum { NUMBER = 5 };
    const rv_story *story = rv_story_of(&playback->subject);
    rs_status status = RS_OK;
    rv_write_line(to, "");
    for (int32_t step = 0; step < story->n_steps && status == RS_OK; step++) {
        char head[NUMBER + 8];
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rv_frame frame = {.arena = &arena, .now_ps = -1};
        if (story->n_steps > FEW_MOMENTS && step == HEAD_MOMENTS) {
            rv_write_line(to, "   ...");
            step = story->n_steps - (FEW_MOMENTS - HEAD_MOMENTS);
        }
        story->frame(story, step, playback->rank, &frame);
        snprintf(head, sizeof head, "%3d  ", (int)step);
        if (arena.lacked) status = rs_no_memory(error);
        if (status == RS_OK) write_indented(to, head, NUMBER, frame.caption);
        rs_arena_free(&arena);
    }
    return status;
}

rs_status rv_write_figures(const rv_text_sink *to, rv_playback *playback, rs_error *error) {
    const rv_story *story = rv_story_of(&playback->subject);
    rs_arena arena;
    rv_frame end;
    bool gap = !story->lists_moments, tones[RV_N_TONES] = {false};
    rs_status status = make_end(playback, &arena, &end, error);
    rv_write_line(to, rv_story_title(story));
    rv_tones_of(&end, tones);
    tones[RV_TONE_PLAIN] = false; /* it has no mark */
    if (status == RS_OK && memchr(tones, true, sizeof tones) != NULL) {
        status = write_marks(to, playback, tones, error);
    } else {
        rv_write_line(to, "");
    }
    if (status == RS_OK && !story->lists_moments) write_indented(to, "", 0, end.caption);
    for (int g = 0; g < end.n_grids && status == RS_OK; g++) {
        const rv_grid grid = few_rows(&end.grids[g], &arena);
        rv_screen none = {0};
        status = write_grid(to, &grid, playback->rank, &none, &gap, error);
        rv_screen_free(&none);
    }
    if (status == RS_OK) write_notes(to, &end);
    if (status == RS_OK && story->lists_moments) {
        status = write_moments(to, playback, error);
        rv_write_line(to, "");
        if (status == RS_OK) write_indented(to, "", 0, end.caption);
    }
    if (status == RS_OK && arena.lacked) status = rs_no_memory(error);
    rs_arena_free(&arena);
    return status;
}
