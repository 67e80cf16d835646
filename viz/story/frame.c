/* frame.c: what producers build a frame with, and what drivers ask of one. See frame.h. */
#include "story/board.h"
#include "base/containers.h"
#include "text/say.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_ENTRY = 120, LONGEST_NOTE = 800, NUMBER = 32 };

const char *rv_lane_text(const rv_story *story, int32_t lane, char *out, size_t n_out) {
    const rv_lane_name *name = &story->lane_names[lane];
    const char *format = _(name->format), *place = strstr(format, "%d");
    if (place == NULL)
        snprintf(out, n_out, "%s", format);
    else
        snprintf(out, n_out, "%.*s%d%s", (int)(place - format), format, (int)name->number,
                 place + 2);
    return out;
}

/* ------------------------------------------------------------------ texts */

/* Removes the part of a character at the end of a text that was cut to n bytes. */
static void mend_end(char *text, size_t n) {
    while (n > 0 && ((unsigned char)text[n - 1] & 0xc0) == 0x80) n--;
    if (n > 0 && ((unsigned char)text[n - 1] & 0xc0) == 0xc0) n--;
    text[n] = '\0';
}

RS_PRINTF(3, 0)
static const char *text_in(rs_arena *arena, size_t most, const char *format, va_list arguments) {
    char text[LONGEST_NOTE];
    const int n = vsnprintf(text, most, format, arguments);
    assert(most <= sizeof text);
    if (n >= 0 && (size_t)n >= most) mend_end(text, most - 1);
    char *kept = n >= 0 ? rs_alloc(arena, strlen(text) + 1, 1) : NULL;
    return kept != NULL ? strcpy(kept, text) : "";
}

void rv_frame_say(rv_frame *frame, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(frame->caption, sizeof frame->caption, format, arguments);
    va_end(arguments);
    if (n >= RV_CAPTION_BYTES) mend_end(frame->caption, RV_CAPTION_BYTES - 1);
}

static void add_note(rv_frame *frame, const char *text, bool typed) {
    if (frame->n_notes >= RV_MOST_NOTES) return;
    frame->notes[frame->n_notes++] = (rv_note){text, typed};
}

void rv_frame_note(rv_frame *frame, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_note(frame, text_in(frame->arena, LONGEST_NOTE, format, arguments), false);
    va_end(arguments);
}

void rv_frame_command(rv_frame *frame, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_note(frame, text_in(frame->arena, LONGEST_NOTE, format, arguments), true);
    va_end(arguments);
}

/* ------------------------------------------------------------------ grids */

rv_grid *rv_frame_grid(rv_frame *frame, const char *title, int32_t n_rows, int32_t n_columns) {
    if (frame->n_grids >= RV_MOST_GRIDS || n_rows < 1 || n_columns < 1) return NULL;
    rv_grid grid = {
        .arena = frame->arena, .title = title, .n_rows = n_rows, .n_columns = n_columns};
    const size_t n_entries = (size_t)n_rows * (size_t)n_columns;
    grid.entries = rs_alloc(frame->arena, n_entries, sizeof *grid.entries);
    grid.row_heads = rs_alloc(frame->arena, (size_t)n_rows, sizeof *grid.row_heads);
    grid.column_heads = rs_alloc(frame->arena, (size_t)n_columns, sizeof *grid.column_heads);
    if (grid.entries == NULL || grid.row_heads == NULL || grid.column_heads == NULL) return NULL;
    for (size_t i = 0; i < n_entries; i++) grid.entries[i].rank = -1;
    frame->grids[frame->n_grids] = grid;
    return &frame->grids[frame->n_grids++];
}

/* Returns an entry's place; NULL: the grid has none there. */
static rv_entry *entry_of(rv_grid *grid, int32_t row, int32_t column) {
    if (grid == NULL || row < 0 || row >= grid->n_rows || column < 0 || column >= grid->n_columns)
        return NULL;
    return &grid->entries[(size_t)row * (size_t)grid->n_columns + (size_t)column];
}

void rv_grid_write(rv_grid *grid, int32_t row, int32_t column, rv_tone tone, int32_t rank,
                   const char *format, ...) {
    rv_entry *entry = entry_of(grid, row, column);
    if (entry == NULL) return;
    va_list arguments;
    va_start(arguments, format);
    assert(tone < RV_N_TONES);
    const char *text = text_in(grid->arena, LONGEST_ENTRY, format, arguments);
    *entry = (rv_entry){.text = text, .tone = tone, .rank = rank};
    va_end(arguments);
}

void rv_grid_plain(rv_grid *grid, int32_t row, int32_t column, const char *format, ...) {
    rv_entry *entry = entry_of(grid, row, column);
    if (entry == NULL) return;
    va_list arguments;
    va_start(arguments, format);
    *entry = (rv_entry){.text = text_in(grid->arena, LONGEST_ENTRY, format, arguments), .rank = -1};
    va_end(arguments);
}

void rv_grid_way(rv_grid *grid, int32_t row, int32_t column, int32_t way, const char *before) {
    rv_entry *entry = entry_of(grid, row, column);
    if (entry == NULL) return;
    if (entry->text == NULL) entry->tone = RV_TONE_LEAVES;
    entry->way = way;
    entry->before = before;
}

void rv_grid_head(rv_grid *grid, int32_t row, int32_t column, const char *format, ...) {
    if (grid == NULL || row >= grid->n_rows || column >= grid->n_columns) return;
    va_list arguments;
    va_start(arguments, format);
    const char *text = text_in(grid->arena, LONGEST_ENTRY, format, arguments);
    va_end(arguments);
    if (row >= 0) grid->row_heads[row] = text;
    if (row < 0 && column >= 0) grid->column_heads[column] = text;
}

void rv_grid_columns(rv_grid *grid, const char *const heads[], int32_t n) {
    for (int32_t c = 0; c < n; c++) {
        if (heads[c] != NULL) rv_grid_head(grid, -1, c, "%s", _(heads[c]));
    }
}

void rv_grid_ranks(rv_grid *grid) {
    if (grid == NULL) return;
    grid->ranks = true;
    for (int32_t r = 0; r < grid->n_rows; r++) rv_grid_head(grid, r, -1, "GPU %d", (int)r);
}

/* ------------------------------------------------------------------ sequences */

rv_sequence *rv_frame_sequence(rv_frame *frame, const char *title, int32_t n_lines,
                               int32_t n_messages) {
    if (n_lines < 1 || n_lines > RV_MOST_LIFELINES || n_messages < 1) return NULL;
    rv_sequence made = {.title = title, .n_lines = n_lines, .n_messages = n_messages};
    made.messages = rs_alloc(frame->arena, (size_t)n_messages, sizeof *made.messages);
    made.stands = rs_alloc(frame->arena, (size_t)n_messages * (size_t)n_lines, sizeof *made.stands);
    if (made.messages == NULL || made.stands == NULL) return NULL;
    frame->sequence = made;
    return &frame->sequence;
}

const char *rv_frame_text(rv_frame *frame, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = text_in(frame->arena, LONGEST_ENTRY, format, arguments);
    va_end(arguments);
    return text;
}

const char *rv_frame_time(rv_frame *frame, int64_t time_ps) {
    char text[NUMBER];
    rv_format_time(time_ps, text, sizeof text);
    return rv_frame_text(frame, "%s", text);
}

const char *rv_frame_bytes(rv_frame *frame, int64_t n_bytes) {
    char text[NUMBER];
    rv_format_bytes(n_bytes, text, sizeof text);
    return rv_frame_text(frame, "%s", text);
}

const char *rv_frame_percent(rv_frame *frame, int64_t part, int64_t whole) {
    char text[NUMBER];
    rv_format_percent(part, whole, text, sizeof text);
    return rv_frame_text(frame, "%s", text);
}

const char *rv_frame_ratio(rv_frame *frame, int64_t part, int64_t whole) {
    char text[NUMBER];
    rv_format_ratio(part, whole, text, sizeof text);
    return rv_frame_text(frame, "%s", text);
}

const char *rv_frame_count(rv_frame *frame, int64_t n) {
    if (n < 1000) return rv_frame_text(frame, "%d", (int)n);
    return rv_frame_text(frame, "%s,%03d", rv_frame_count(frame, n / 1000), (int)(n % 1000));
}

/* ------------------------------------------------------------------ plots */

void rv_say_plot(const rv_plot *plot, char *out, size_t n_out) {
    rv_say say = rv_say_to(out, n_out);
    rv_say_more(&say, "%.90s", plot->title != NULL ? plot->title : "");
    if (plot->y_name == NULL || plot->y_name[0] == '\0') return;
    rv_say_more(&say, _(" (%.50s)"), plot->y_name);
}

rv_plot *rv_frame_plot(rv_frame *frame, const char *title, const char *x_name, const char *y_name) {
    if (frame->n_plots >= RV_MOST_PLOTS) return NULL;
    frame->plots[frame->n_plots] =
        (rv_plot){.title = title, .x_name = x_name, .y_name = y_name, .at = -1};
    return &frame->plots[frame->n_plots++];
}

void rv_plot_series(rv_plot *plot, const char *name, int32_t n, const double x[], const double y[],
                    rv_tone tone) {
    if (plot == NULL || plot->n_series >= RV_MOST_SERIES) return;
    assert(n >= 0 && tone < RV_N_TONES);
    plot->series[plot->n_series++] =
        (rv_series){.name = name, .n = n, .x = x, .y = y, .tone = tone};
}

void rv_plot_mark(rv_frame *frame, rv_plot *plot, double x, double y, const char *format, ...) {
    va_list arguments;
    if (plot == NULL || plot->n_marks >= RV_MOST_PLOT_MARKS) return;
    va_start(arguments, format);
    const char *text = text_in(frame->arena, LONGEST_ENTRY, format, arguments);
    va_end(arguments);
    plot->marks[plot->n_marks++] = (rv_plot_point){x, y, text};
}

/* ------------------------------------------------------------------ spans */

const char *rv_span_label(rs_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = text_in(arena, LONGEST_ENTRY, format, arguments);
    va_end(arguments);
    return text;
}

RS_ORDER(by_start, rv_work_span, start_ps, lane);

void rv_sort_spans(rv_work_span spans[], int64_t n) {
    qsort(spans, (size_t)n, sizeof *spans, by_start);
}

/* ------------------------------------------------------------------ words and parts, for drivers */

const char *rv_story_title(const rv_story *story) {
    return story->title != NULL ? story->title(story) : _(story->name);
}

void rv_tones_of(const rv_frame *frame, bool there[RV_N_TONES]) {
    for (int32_t g = 0; g < frame->n_grids; g++) {
        const rv_grid *grid = &frame->grids[g];
        const int64_t n = (int64_t)grid->n_rows * grid->n_columns;
        assert(n > 0);
        for (int64_t i = 0; i < n; i++) {
            if (!rv_is_gone(&grid->entries[i])) there[grid->entries[i].tone] = true;
        }
    }
}

const char *rv_tone_word(const rv_story *story, rv_tone tone) {
    static const char *const usual[RV_N_TONES] = {
        [RV_TONE_QUIET] = N_("not now"), [RV_TONE_LEAVES] = N_("leaves, is worked on"),
        [RV_TONE_NEW] = N_("new"),       [RV_TONE_ADDED] = N_("added"),
        [RV_TONE_GOOD] = N_("right"),    [RV_TONE_BAD] = N_("wrong")};
    assert(tone < RV_N_TONES);
    const char *word = story->words[tone] != NULL ? story->words[tone] : usual[tone];
    return word != NULL ? _(word) : "";
}

int32_t rv_count_kinds(const rv_story *story) {
    int32_t n = 0;
    while (n < RV_MOST_KINDS && story->kinds[n].name != NULL) n++;
    return n;
}

const char *rv_kind_word(const rv_story *story, int32_t kind) {
    return kind >= 0 && kind < rv_count_kinds(story) ? _(story->kinds[kind].name) : "";
}

rv_story rv_lanes_now(const rv_story *story, const rv_frame *frame) {
    rv_story now = *story;
    if (frame->n_lanes <= 0 || frame->n_lanes >= now.n_lanes) return now;
    now.n_lanes = frame->n_lanes;
    now.end_ps = 0;
    for (int64_t i = 0; i < now.n_spans; i++) {
        const rv_work_span *work = &now.spans[i];
        if (work->lane < now.n_lanes && work->end_ps > now.end_ps) now.end_ps = work->end_ps;
    }
    return now;
}

int32_t rv_count_parts(const rv_story *story, const rv_frame *frame) {
    return (frame->sequence.title != NULL ? 1 : 0) + frame->n_grids + (story->n_lanes > 0 ? 1 : 0) +
           frame->n_plots;
}

rv_piece_kind rv_part_of(const rv_story *story, const rv_frame *frame, int32_t part,
                         int32_t *index) {
    *index = part - (frame->sequence.title != NULL ? 1 : 0);
    if (*index < 0) return RV_PART_SEQUENCE;
    if (*index < frame->n_grids) return RV_PART_GRID;
    *index -= frame->n_grids;
    if (story->n_lanes > 0 && *index == 0) return RV_PART_LANES;
    if (story->n_lanes > 0) --*index;
    return RV_PART_PLOT;
}
