/* plain_text.c: a whole run, or a story, as plain text; and one screen as an SVG picture.
 *
 *   - For pipes, logs, screen readers and tests.
 *   - A run: up to MOST_TABLE ranks every step shows its table; up to MOST_TOLD ranks a sentence for each GPU
 *     that sends, beyond that one for the followed GPU.
 *   - A story: each moment's sentence and grids, at the end figures, the sequence, lanes and plots. Or its
 *     figures alone.
 */
#include "stage/panel.h"
#include "terminal/compose_frame.h"
#include "text/say.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 1024, WIDE = 80 };
enum { MOST_TABLE = 16, MOST_TOLD = 9, FEW_TOLD = 4 }; /* of a run */
enum { MOST_ROWS = 40, PLOT_WIDTH = 64, NUMBER = 5 };  /* of a story */
/* Of figures: of more rows the first and the last, of more moments the first and the last. */
enum { FEW_ROWS = 16, HEAD_ROWS = 12, FEW_MOMENTS = 40, HEAD_MOMENTS = 30 };

/* Where plain text goes, and how wide it is, in characters. */
typedef struct text_sink {
    rs_write write;
    void *context;
    int width;
} text_sink;

static void write_line(const text_sink *to, const char *text) {
    to->write(to->context, text, strlen(text));
    to->write(to->context, "\n", 1);
}

/* Writes what was composed, and frees it. */
static void write_screen(const text_sink *to, rv_screen *screen) {
    rv_screen_text(screen, to->write, to->context);
    rv_screen_free(screen);
}

/* ------------------------------------------------------------------ a story */

/* Writes a text in lines, the first behind `head`, those after it as far to the right. */
static void write_indented(const text_sink *to, const char *head, int indent, const char *text) {
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
static rs_status write_grid(const text_sink *to, const rv_grid *grid, int32_t rank,
                            rv_screen *before, bool *gap, rs_error *error) {
    rv_screen screen;
    const rv_board board =
        rv_plan_board(grid, NULL, rank, to->width, (grid->whole ? grid->n_rows : MOST_ROWS) + 2);
    if (!rv_text_screen_new(to->width, board.height, &screen)) return rs_no_memory(error);
    rv_compose_board(&board, rank, &screen, 0, 0);
    if (!same_screen(&screen, before)) {
        if (*gap) write_line(to, "");
        rv_screen_text(&screen, to->write, to->context);
        *gap = true;
    }
    rv_screen_free(before);
    *before = screen;
    return RS_OK;
}

static rs_status write_marks(const text_sink *to, const rv_playback *playback,
                             const bool tones[RV_N_TONES], rs_error *error) {
    rv_screen screen;
    if (!rv_text_screen_new(to->width, 1, &screen)) return rs_no_memory(error);
    rv_compose_marks(rv_story_of(&playback->subject), tones, &screen, 0);
    write_screen(to, &screen);
    write_line(to, "");
    return RS_OK;
}

/* Writes a part that is no grid: the sequence, the lanes, a plot. */
static rs_status write_part(const text_sink *to, const rv_playback *playback, const rv_frame *frame,
                            int32_t part, rs_error *error) {
    const rv_story *story = rv_story_of(&playback->subject);
    rv_screen screen;
    int32_t i;
    const rv_piece_kind kind = rv_part_of(story, frame, part, &i);
    const int wanted = kind == RV_PART_SEQUENCE ? rv_sequence_lines(&frame->sequence)
                       : kind == RV_PART_LANES  ? rv_lanes_lines(story, to->width)
                       : kind == RV_PART_PLOT   ? rv_plot_lines(&frame->plots[i])
                                                : 0;
    const int lines = wanted < MOST_ROWS || kind == RV_PART_SEQUENCE ? wanted : MOST_ROWS;
    const int width = kind == RV_PART_PLOT && to->width > PLOT_WIDTH ? PLOT_WIDTH : to->width;
    if (lines == 0) return RS_OK;
    if (!rv_text_screen_new(width, lines, &screen)) return rs_no_memory(error);
    if (kind == RV_PART_SEQUENCE) {
        rv_compose_sequence(playback, &frame->sequence, &screen, 0, lines);
    } else if (kind == RV_PART_LANES) {
        rv_compose_lanes(story, rv_position_of(playback).step, -1, &screen, 0, lines);
    } else {
        rv_compose_plot(&frame->plots[i], &screen, 0, 0, width, lines);
    }
    write_line(to, "");
    write_screen(to, &screen);
    return RS_OK;
}

/* Writes "Step 3 of 0..7: shuffle". */
static void write_story_heading(const text_sink *to, const rv_playback *playback,
                                const rv_frame *frame) {
    const int32_t step = rv_position_of(playback).step, n_steps = playback->subject.n_steps;
    char text[LINE];
    rv_say say = rv_say_to(text, sizeof text);
    if (step >= 0) write_line(to, "");
    if (step < 0 || step >= n_steps) return;
    rv_say_more(&say, _("Step %d of 0..%d"), (int)step, (int)n_steps - 1);
    if (frame->phase != NULL) rv_say_more(&say, _(": %s"), frame->phase);
    write_line(to, text);
}

static rs_status write_story_moment(const text_sink *to, const rv_playback *playback,
                                    const rv_frame *frame, rv_screen before[], rs_error *error) {
    rs_status status = RS_OK;
    write_story_heading(to, playback, frame);
    write_indented(to, "", 0, frame->caption);
    bool gap = false;
    for (int g = 0; g < frame->n_grids && status == RS_OK; g++) {
        status = write_grid(to, &frame->grids[g], playback->rank, &before[g], &gap, error);
    }
    return status;
}

/* A note may begin with blanks: its further lines stand as far to the right. */
static void write_notes(const text_sink *to, const rv_frame *frame) {
    if (frame->n_notes > 0) write_line(to, "");
    for (int i = 0; i < frame->n_notes; i++) {
        const char *text = frame->notes[i].text;
        const int indent = (int)strspn(text, " ");
        if (frame->notes[i].typed) {
            write_line(to, text);
        } else {
            write_indented(to, "", indent, text + indent);
        }
    }
}

static rs_status write_end(const text_sink *to, const rv_playback *playback, const rv_frame *frame,
                           rv_screen before[], rs_error *error) {
    rs_status status = write_story_moment(to, playback, frame, before, error);
    if (status != RS_OK) return status;
    write_notes(to, frame);
    const int32_t n = rv_count_parts(rv_story_of(&playback->subject), frame);
    for (int32_t part = 0; part < n && status == RS_OK; part++) {
        status = write_part(to, playback, frame, part, error);
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

/* Writes each moment from where the playback stands; the end has the story's figures, too. */
static rs_status write_frames(const text_sink *to, rv_playback *playback, rs_error *error) {
    const rv_story *story = rv_story_of(&playback->subject);
    rv_screen before[RV_MOST_GRIDS] = {{0}}; /* a grid that has not changed is not written again */
    rs_arena arena;
    rv_frame end;
    rs_status status = make_end(playback, &arena, &end, error);
    write_line(to, rv_story_title(story));
    if (status == RS_OK) {
        const rv_survey *survey = rv_survey_of(&playback->subject, playback->rank);
        status = write_marks(to, playback, survey->tones, error);
    }
    while (status == RS_OK && rv_position_of(playback).step < playback->subject.n_steps) {
        const rv_frame *frame = rv_frame_of(&playback->subject, playback->rank);
        status = frame->lacking ? rs_no_memory(error)
                                : write_story_moment(to, playback, frame, before, error);
        if (status != RS_OK) break;
        status = rv_playback_seek(playback, rv_position_of(playback).step + 1, RV_DONE, error);
    }
    if (status == RS_OK) status = write_end(to, playback, &end, before, error);
    for (int g = 0; g < RV_MOST_GRIDS; g++) rv_screen_free(&before[g]);
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
static rs_status write_moments(const text_sink *to, const rv_playback *playback, rs_error *error) {
    const rv_story *story = rv_story_of(&playback->subject);
    rs_status status = RS_OK;
    write_line(to, "");
    for (int32_t step = 0; step < story->n_steps && status == RS_OK; step++) {
        char head[NUMBER + 8];
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rv_frame frame = {.arena = &arena, .now_ps = -1};
        if (story->n_steps > FEW_MOMENTS && step == HEAD_MOMENTS) {
            write_line(to, "   ...");
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

/* Writes the end alone; if the story lists them, with the sentences of all moments. */
static rs_status write_figures(const text_sink *to, rv_playback *playback, rs_error *error) {
    const rv_story *story = rv_story_of(&playback->subject);
    rs_arena arena;
    rv_frame end;
    bool gap = !story->lists_moments, tones[RV_N_TONES] = {false};
    rs_status status = make_end(playback, &arena, &end, error);
    write_line(to, rv_story_title(story));
    rv_tones_of(&end, tones);
    tones[RV_TONE_PLAIN] = false; /* it has no mark */
    if (status == RS_OK && memchr(tones, true, sizeof tones) != NULL) {
        status = write_marks(to, playback, tones, error);
    } else {
        write_line(to, "");
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
        write_line(to, "");
        if (status == RS_OK) write_indented(to, "", 0, end.caption);
    }
    if (status == RS_OK && arena.lacked) status = rs_no_memory(error);
    rs_arena_free(&arena);
    return status;
}

/* ------------------------------------------------------------------ a run */

/* Writes a panel in at most `most` lines; the costs take all of them. */
static rs_status write_panel(const rv_panel *panel, rv_composition *page, int most,
                             const text_sink *to, rs_error *error) {
    const bool keeps = panel->always && !panel->fills;
    const int n_lines = keeps ? most : panel->lines(page, most);
    rv_screen screen;
    if (n_lines < 1) return RS_OK;
    if (!rv_text_screen_new(page->width, n_lines, &screen)) return rs_no_memory(error);
    page->screen = &screen;
    panel->compose(page, 0, n_lines);
    write_screen(to, &screen);
    return RS_OK;
}

static rs_status write_legend(const rv_composition *page, const text_sink *to, rs_error *error) {
    rv_screen screen;
    if (!rv_text_screen_new(page->width, 1, &screen)) return rs_no_memory(error);
    rv_compose_legend(page->playback, &page->plan, &screen, 0);
    write_screen(to, &screen);
    return RS_OK;
}

/* Writes the panels on the page. With many GPUs it leaves out the table, and the costs but at start
   and end. */
static rs_status write_panels(const rv_playback *playback, const text_sink *to, rs_error *error) {
    const rv_model *model = playback->subject.model;
    const bool start = model->step < 0, step = !start && model->step < model->n_steps;
    const bool table = model->cells && model->n_ranks <= MOST_TABLE;
    rv_composition page = {.playback = playback, .width = to->width};
    rs_status status = RS_OK;
    for (int i = 0; rv_view(i) != NULL && status == RS_OK; i++) {
        const rv_panel *panel = rv_panels[i];
        if (!rv_is_on_page(&page, i)) continue;
        if (panel->always && !table && (step || panel->fills)) continue;
        const int most = panel->fills ? 2 * model->n_ranks + 1
                         : step       ? (panel->always ? 2 : 4)
                         : start      ? 4
                                      : 3;
        status = write_panel(panel, &page, most, to, error);
        if (panel->fills && start && status == RS_OK) status = write_legend(&page, to, error);
    }
    return status;
}

static void write_heading(const rv_playback *playback, const text_sink *to) {
    const rv_model *model = playback->subject.model;
    char text[LINE];
    rv_say_text(text, sizeof text, _("Step %d of 0..%d"), (int)model->step,
                (int)model->n_steps - 1);
    write_line(to, "");
    write_line(to, text);
}

/* Writes, at the end of a run that stalled, why each GPU waits; of many GPUs only the first
   ones. */
static void write_waits(const rv_playback *playback, const text_sink *to) {
    const rs_outcome *outcome = &playback->subject.model->report->outcome;
    char text[LINE], one[LINE - 8];
    for (int32_t i = 0; i < outcome->n_stalled; i++) {
        if (outcome->n_stalled > MOST_TOLD && i == FEW_TOLD) {
            rv_say_text(text, sizeof text, _("  and %d more wait"),
                        (int)(outcome->n_stalled - FEW_TOLD));
            write_line(to, text);
            return;
        }
        rv_stall_text(outcome, outcome->stalled[i].rank, one, sizeof one);
        snprintf(text, sizeof text, "  %s", one);
        rv_name_ranks(playback->subject.model, text, sizeof text);
        write_line(to, text);
    }
}

static void write_trouble(const rv_playback *playback, const text_sink *to) {
    char text[LINE];
    if (rv_trouble_text(playback->subject.model, text, sizeof text) > 0) write_line(to, text);
}

/* Writes a sentence for each GPU that sends; of many GPUs only for the followed one. */
static void write_captions(const rv_playback *playback, const text_sink *to) {
    const rv_model *model = playback->subject.model;
    char text[LINE];
    const bool rest = model->step < 0 || model->step >= model->n_steps;
    if (rest || model->n_ranks > MOST_TOLD) {
        rv_caption(model, playback->rank, text, sizeof text);
        write_line(to, text);
        if (model->step >= model->n_steps) write_waits(playback, to);
        if (rv_gain_text(model, text, sizeof text) > 0) write_line(to, text);
        return;
    }
    rs_transfer list[64];
    for (int32_t r = 0; r < model->n_ranks; r++) {
        if (model->schedule->max_sends <= 64 &&
            model->schedule->sends(model->schedule, model->step, r, list) == 0) {
            continue;
        }
        rv_caption(model, r, text, sizeof text);
        write_line(to, text);
    }
}

static void write_still(int32_t first, int32_t last, const text_sink *to) {
    char text[LINE];
    rv_say_text(text, sizeof text, _("Steps %d to %d: nothing happens any more"), (int)first,
                (int)last);
    write_line(to, "");
    write_line(to, text);
}

static rs_status write_moment(const rv_playback *playback, const text_sink *to, rs_error *error) {
    const rv_model *model = playback->subject.model;
    const bool step = model->step >= 0 && model->step < model->n_steps;
    if (step) write_heading(playback, to);
    if (model->step >= model->n_steps) write_line(to, "");
    write_captions(playback, to);
    write_trouble(playback, to);
    return write_panels(playback, to, error);
}

static void write_pause(const rv_model *model, const text_sink *to) {
    char text[LINE];
    if (rv_pause_text(model, text, sizeof text) == 0) return;
    write_line(to, "");
    write_line(to, text);
}

static rs_status write_run(const rv_playback *playback, const text_sink *to, rs_error *error) {
    rv_model *model = playback->subject.model;
    const int32_t still = rv_still_from(model) + 1; /* shows one step in which all wait, not more */
    rs_status status = RS_OK;
    while (status == RS_OK) {
        status = write_moment(playback, to, error);
        if (model->step >= model->n_steps || status != RS_OK) break;
        write_pause(model, to);
        int32_t next = model->step + 1;
        if (next >= still && next < model->n_steps - 1) {
            write_still(next, model->n_steps - 1, to);
            next = model->n_steps;
        }
        status = rv_model_seek(model, next, RV_DONE, error);
    }
    return status;
}

rs_status rv_write_text(const rv_subject *subject, const rv_options *options, rs_write write,
                        void *context, rs_error *error) {
    const text_sink to = {write, context, options->width > 0 ? options->width : WIDE};
    rv_options plain = *options;
    plain.predict = false;
    rv_playback playback;
    rs_status status = rv_playback_start(&playback, subject, &plain, error);
    if (status != RS_OK) return status;
    playback.views |= rv_views_at_start(options->views, subject);
    if (subject->kind->frame == NULL) return write_run(&playback, &to, error);
    return options->figures ? write_figures(&to, &playback, error)
                            : write_frames(&to, &playback, error);
}

rs_status rv_write_svg(const rv_subject *subject, const rv_options *options, rs_write write,
                       void *context, rs_error *error) {
    rv_screen screen;
    rv_playback playback;
    rv_options still = *options;
    still.play = false;
    const rs_status status = rv_playback_start(&playback, subject, &still, error);
    if (status != RS_OK) return status;
    playback.views |= rv_views_at_start(options->views, subject);
    const int width = options->width > 0 ? options->width : WIDE;
    if (!rv_screen_new(width, options->height > 0 ? options->height : 24, &screen)) {
        return rs_no_memory(error);
    }
    rv_compose(&playback, &screen);
    rv_screen_svg(&screen, options->colour, write, context);
    rv_screen_free(&screen);
    return RS_OK;
}
