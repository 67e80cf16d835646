/* board.c: see board.h. */
#include "story/board.h"
#include "text/say.h"
#include "text/width.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { WIDEST = 40, MOST_MEASURED = 64 };

const char *rv_tone_mark(rv_tone tone) {
    static const char *const marks[RV_N_TONES] = {
        [RV_TONE_PLAIN] = "",  [RV_TONE_QUIET] = "", [RV_TONE_LEAVES] = ">", [RV_TONE_NEW] = "<",
        [RV_TONE_ADDED] = "+", [RV_TONE_GOOD] = "*", [RV_TONE_BAD] = "!"};
    return marks[tone];
}

const rv_entry *rv_grid_entry(const rv_grid *grid, int32_t row, int32_t column) {
    assert(row >= 0 && row < grid->n_rows && column >= 0 && column < grid->n_columns);
    return &grid->entries[(size_t)row * (size_t)grid->n_columns + (size_t)column];
}

bool rv_is_gone(const rv_entry *entry) {
    return entry->text == NULL && entry->way > 0;
}

static bool is_active(rv_tone tone) {
    return tone != RV_TONE_PLAIN && tone != RV_TONE_QUIET && tone != RV_TONE_GOOD;
}

static bool is_word(const char *text) {
    return text != NULL && text[0] != '\0' && strcmp(text, "-") != 0 && strcmp(text, ".") != 0;
}

void rv_say_entry(const rv_entry *entry, char *out, size_t n_out) {
    const char *text = entry->text != NULL ? entry->text : "";
    const char *mark = rv_is_gone(entry) ? "" : rv_tone_mark(entry->tone);
    if (entry->tone == RV_TONE_QUIET && is_word(text)) {
        snprintf(out, n_out, "(%s)", text);
    } else if (mark[0] != '\0') {
        snprintf(out, n_out, "%s%s%s", text, text[0] != '\0' ? " " : "", mark);
    } else {
        snprintf(out, n_out, "%s", text);
    }
}

/* ------------------------------------------------------------------------------------ planning */

static bool is_number(const char *text) {
    const size_t sign = strspn(text, "+-");
    return text[sign] >= '0' && text[sign] <= '9';
}

/* Returns how wide rv_say_entry writes an entry. */
static int entry_width(const rv_entry *entry) {
    const char *text = entry->text != NULL ? entry->text : "";
    const int width = rv_text_width(text);
    if (rv_is_gone(entry)) return 0;
    if (entry->tone == RV_TONE_QUIET) return width + (is_word(text) ? 2 : 0);
    return width + (rv_tone_mark(entry->tone)[0] == '\0' ? 0 : width > 0 ? 2 : 1);
}

/* Returns the row after the last one that is measured: a grid may have very many. */
static int32_t measured_rows(const rv_board *board) {
    return board->first_row + (board->n_rows < MOST_MEASURED ? board->n_rows : MOST_MEASURED);
}

static void measure_column(rv_board *board, const rv_grid_room *ever, int32_t column, int most) {
    const rv_grid *grid = board->grid;
    const char *head = grid->column_heads != NULL ? grid->column_heads[column] : NULL;
    int width = head != NULL ? rv_text_width(head) : 0;
    bool numbers = true;
    for (int32_t row = board->first_row; row < measured_rows(board); row++) {
        const rv_entry *entry = rv_grid_entry(grid, row, column);
        const int wide = entry_width(entry);
        if (wide > width) width = wide;
        if (is_word(entry->text) && !is_number(entry->text)) numbers = false;
    }
    if (ever != NULL && column < RV_MOST_COLUMNS) {
        if (ever->columns[column] > width) width = ever->columns[column];
        numbers = numbers && !ever->words[column];
    }
    const int32_t at = column - board->first_column;
    assert(at >= 0 && at < RV_MOST_COLUMNS);
    board->widths[at] = width < 1 ? 1 : width > most ? most : width;
    board->right[at] = numbers;
}

static bool is_column_active(const rv_board *board, int32_t column) {
    for (int32_t row = board->first_row; row < measured_rows(board); row++) {
        if (is_active(rv_grid_entry(board->grid, row, column)->tone)) return true;
    }
    return false;
}

/* Takes as many columns as fit from `first` on; tells whether one of them is active. */
static bool take_columns(rv_board *board, const rv_grid_room *ever, int32_t first, int width) {
    const rv_grid *grid = board->grid;
    bool active = false;
    int x = board->head_width;
    board->first_column = first;
    board->n_columns = 0;
    for (int32_t c = first; c < grid->n_columns && board->n_columns < RV_MOST_COLUMNS; c++) {
        const int before = x > 0 ? RV_COLUMN_GAP : 0;
        const int left = width - x - before;
        const int most = left < WIDEST || grid->n_columns == 1 ? left : WIDEST;
        if (most < 1) break;
        measure_column(board, ever, c, board->n_columns == 0 ? most : WIDEST);
        const int wide = board->widths[c - first];
        if (board->n_columns > 0 && wide > left) break;
        x += before + wide;
        board->n_columns++;
        active = active || is_column_active(board, c);
    }
    board->width = x;
    return active;
}

/* Takes the last columns, as many as fit, where they fit from `first` on. */
static void fill_page(rv_board *board, const rv_grid_room *ever, int32_t first, int width) {
    if (first + board->n_columns < board->grid->n_columns) return;
    while (first > 0 && first + board->n_columns >= board->grid->n_columns) {
        take_columns(board, ever, --first, width);
    }
    if (first + board->n_columns < board->grid->n_columns) {
        take_columns(board, ever, first + 1, width);
    }
}

/* Takes the first page of columns that has an active one; the first page, if none has. */
static void plan_columns(rv_board *board, const rv_grid_room *ever, int width) {
    const bool active = take_columns(board, ever, 0, width);
    const int32_t n = board->grid->n_columns;
    if (active || board->n_columns >= n || board->n_columns < 1) return;
    for (int32_t first = board->n_columns; first < n; first += board->n_columns) {
        if (take_columns(board, ever, first, width)) {
            fill_page(board, ever, first, width);
            return;
        }
        if (board->n_columns < 1) break;
    }
    take_columns(board, ever, 0, width);
}

static int32_t wanted_row(const rv_grid *grid, int32_t rank) {
    if (grid->ranks) return rank < grid->n_rows ? rank : 0;
    for (int32_t row = 0; row < grid->n_rows; row++) {
        for (int32_t c = 0; c < grid->n_columns; c++) {
            if (is_active(rv_grid_entry(grid, row, c)->tone)) return row;
        }
    }
    return 0;
}

static void plan_rows(rv_board *board, int32_t rank, int n_lines) {
    const rv_grid *grid = board->grid;
    for (int32_t c = 0; grid->column_heads != NULL && c < grid->n_columns; c++) {
        if (grid->column_heads[c] != NULL) board->headed = true;
    }
    const int head = board->headed ? 1 : 0;
    board->titled = board->titled || grid->title != NULL || grid->n_rows > n_lines - head;
    if (n_lines < 3 && 1 + head + grid->n_rows > n_lines) board->titled = false;
    if (n_lines < 2) board->headed = false;
    const int left = n_lines - (board->titled ? 1 : 0) - (board->headed ? 1 : 0);
    board->n_rows = grid->n_rows < left ? grid->n_rows : left;
    const int32_t last = grid->n_rows - board->n_rows;
    const int32_t first = wanted_row(grid, rank) - board->n_rows / 2;
    board->first_row = first < 0 ? 0 : first > last ? last : first;
    board->height = n_lines - left + board->n_rows;
    assert(board->first_row >= 0 && board->first_row + board->n_rows <= grid->n_rows);
}

rv_board rv_plan_board(const rv_grid *grid, const rv_grid_room *ever, int32_t rank, int width,
                       int n_lines) {
    rv_board board = {.grid = grid};
    const int most = width < 40 ? width / 3 : WIDEST;
    plan_rows(&board, rank, n_lines);
    for (int32_t row = board.first_row; grid->row_heads != NULL && row < measured_rows(&board);
         row++) {
        const int wide = grid->row_heads[row] != NULL ? rv_text_width(grid->row_heads[row]) : 0;
        if (wide > board.head_width) board.head_width = wide;
    }
    if (board.head_width > most) board.head_width = most;
    plan_columns(&board, ever, width);
    if (board.n_columns < grid->n_columns && !board.titled) { /* a line to say which they are */
        board.titled = true;
        plan_rows(&board, rank, n_lines);
    }
    const int title = grid->title != NULL ? rv_text_width(grid->title) : 0;
    if (board.titled && title > board.width) board.width = title < width ? title : width;
    return board;
}

static bool is_room_of(const rv_grid_room *room, const rv_grid *grid) {
    const char *title = grid->title != NULL ? grid->title : "";
    return room->n_columns == grid->n_columns &&
           strncmp(room->title, title, sizeof room->title - 1) == 0;
}

const rv_grid_room *rv_room_of(const rv_survey *survey, const rv_grid *grid) {
    for (int32_t i = 0; i < survey->n_rooms; i++) {
        if (is_room_of(&survey->rooms[i], grid)) return &survey->rooms[i];
    }
    return NULL;
}

void rv_say_part(const rv_board *board, char *out, size_t n_out) {
    const rv_grid *grid = board->grid;
    rv_say say = rv_say_to(out, n_out);
    if (board->n_rows < grid->n_rows) {
        rv_say_more(&say, _("  rows %d..%d of %d"), (int)board->first_row,
                    (int)(board->first_row + board->n_rows - 1), (int)grid->n_rows);
    }
    if (board->n_columns < grid->n_columns) {
        rv_say_more(&say, _("  columns %d..%d of %d"), (int)board->first_column,
                    (int)(board->first_column + board->n_columns - 1), (int)grid->n_columns);
    }
}

/* ------------------------------------------------------------------------------------ shelves */

int rv_grid_wants(const rv_frame *frame, const rv_survey *survey, int which, int32_t rank,
                  int width, int *lines) {
    const rv_grid_room *room = survey != NULL ? rv_room_of(survey, &frame->grids[which]) : NULL;
    const rv_board board = rv_plan_board(&frame->grids[which], room, rank, width, 1 << 20);
    *lines = board.height;
    if (room == NULL) return board.width;
    if (room->lines > *lines) *lines = room->lines;
    const int wanted = room->width < width ? room->width : width;
    return wanted > board.width ? wanted : board.width;
}

int rv_shelve_grids(const rv_frame *frame, const rv_survey *survey, int32_t rank, int width,
                    int gap, int most, rv_shelf shelves[RV_MOST_GRIDS]) {
    int n = 0, lines;
    for (int g = 0; g < frame->n_grids; g++) {
        const int wanted = rv_grid_wants(frame, survey, g, rank, width, &lines);
        rv_shelf *shelf = n > 0 ? &shelves[n - 1] : NULL;
        assert(n <= g && g < RV_MOST_GRIDS);
        if (shelf == NULL || shelf->n >= most || shelf->width + gap + wanted > width) {
            shelf = &shelves[n++];
            *shelf = (rv_shelf){.first = g, .width = -gap};
        }
        shelf->n++;
        shelf->width += gap + wanted;
        if (lines > shelf->lines) shelf->lines = lines;
    }
    return n;
}
