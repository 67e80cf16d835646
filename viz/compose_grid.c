/* compose_grid.c: a table of entries in characters, as much of it as fits.
 *
 *     who sees what            rows 3..9 of 64
 *              batch 0   batch 1
 *     GPU 3        12 >       7
 *     GPU 4         5       (3)
 *
 * Marks say what colours say: > leaves, < new, + added, * right, ! wrong, (not now).
 */
#include "compose_told.h"
#include "say.h"

#include <stdio.h>
#include <string.h>

enum { GAP = 2, LINE = 256, WIDEST = 40, MOST_MEASURED = 20000 };

rv_style rv_tone_style(rv_tone tone) {
    switch (tone) {
    case RV_TONE_QUIET: return RV_DIM;
    case RV_TONE_LEAVES: return RV_LEAVING;
    case RV_TONE_NEW: return RV_COPYING;
    case RV_TONE_ADDED: return RV_ADDING;
    case RV_TONE_GOOD: return RV_COMPLETE;
    case RV_TONE_BAD: return RV_WARNING;
    case RV_TONE_PLAIN:
    case RV_N_TONES: break;
    }
    return RV_PLAIN;
}

const char *rv_tone_mark(rv_tone tone) {
    static const char *const marks[RV_N_TONES] = {
        [RV_TONE_PLAIN] = "",  [RV_TONE_QUIET] = "", [RV_TONE_LEAVES] = ">", [RV_TONE_NEW] = "<",
        [RV_TONE_ADDED] = "+", [RV_TONE_GOOD] = "*", [RV_TONE_BAD] = "!"};
    return marks[tone];
}

static const rv_entry *entry_at(const rv_grid *grid, int32_t row, int32_t column) {
    return &grid->entries[(size_t)row * (size_t)grid->n_columns + (size_t)column];
}

static bool is_active(rv_tone tone) {
    return tone != RV_TONE_PLAIN && tone != RV_TONE_QUIET && tone != RV_TONE_GOOD;
}

static bool is_word(const char *text) {
    return text != NULL && text[0] != '\0' && strcmp(text, "-") != 0 && strcmp(text, ".") != 0;
}

/* "12 >", "(3)". */
static void say_entry(const rv_entry *entry, char *out, size_t n_out) {
    const char *text = entry->text != NULL ? entry->text : "";
    const char *mark = rv_tone_mark(entry->tone);
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

static void measure_column(rv_board *board, int32_t column, int most) {
    const rv_grid *grid = board->grid;
    const char *head = grid->column_heads != NULL ? grid->column_heads[column] : NULL;
    int width = head != NULL ? rv_text_width(head) : 0;
    bool numbers = true;
    const int32_t each = MOST_MEASURED / grid->n_columns;
    for (int32_t row = 0; row < grid->n_rows && row <= each; row++) {
        char text[LINE];
        const rv_entry *entry = entry_at(grid, row, column);
        say_entry(entry, text, sizeof text);
        const int wide = rv_text_width(text);
        if (wide > width) width = wide;
        if (is_word(entry->text) && !is_number(entry->text)) numbers = false;
    }
    const int32_t at = column - board->first_column;
    board->widths[at] = width < 1 ? 1 : width > most ? most : width;
    board->right[at] = numbers;
}

static bool is_column_active(const rv_grid *grid, int32_t column) {
    for (int32_t row = 0; row < grid->n_rows && row < MOST_MEASURED / grid->n_columns + 1; row++) {
        if (is_active(entry_at(grid, row, column)->tone)) return true;
    }
    return false;
}

/* As many columns as fit from `first` on; tells whether one of them is active. */
static bool take_columns(rv_board *board, int32_t first, int width) {
    const rv_grid *grid = board->grid;
    bool active = false;
    int x = board->head_width;
    board->first_column = first;
    board->n_columns = 0;
    for (int32_t c = first; c < grid->n_columns && board->n_columns < RV_MOST_COLUMNS; c++) {
        const int before = x > 0 ? GAP : 0;
        const int left = width - x - before, most = left < WIDEST ? left : WIDEST;
        if (most < 1) break;
        measure_column(board, c, board->n_columns == 0 ? most : WIDEST);
        const int wide = board->widths[c - first];
        if (board->n_columns > 0 && wide > left) break;
        x += before + wide;
        board->n_columns++;
        active = active || is_column_active(grid, c);
    }
    board->width = x;
    return active;
}

/* The first page of columns on which something goes on. */
static void plan_columns(rv_board *board, int width) {
    const bool active = take_columns(board, 0, width);
    const int32_t n = board->grid->n_columns;
    if (active || board->n_columns >= n || board->n_columns < 1) return;
    for (int32_t first = board->n_columns; first < n; first += board->n_columns) {
        if (take_columns(board, first, width)) return;
        if (board->n_columns < 1) break;
    }
    take_columns(board, 0, width);
}

static int32_t wanted_row(const rv_grid *grid, int32_t rank) {
    if (grid->ranks) return rank < grid->n_rows ? rank : 0;
    for (int32_t row = 0; row < grid->n_rows; row++) {
        for (int32_t c = 0; c < grid->n_columns; c++) {
            if (is_active(entry_at(grid, row, c)->tone)) return row;
        }
    }
    return 0;
}

static void plan_rows(rv_board *board, int32_t rank, int n_lines) {
    const rv_grid *grid = board->grid;
    const bool partly = board->n_columns < grid->n_columns;
    int left = n_lines;
    for (int32_t c = 0; grid->column_heads != NULL && c < grid->n_columns; c++) {
        if (grid->column_heads[c] != NULL) board->headed = true;
    }
    board->titled =
        grid->title != NULL || partly || grid->n_rows > n_lines - (board->headed ? 1 : 0);
    if (left < 3) board->titled = false;
    if (left < 2) board->headed = false;
    left -= (board->titled ? 1 : 0) + (board->headed ? 1 : 0);
    board->n_rows = grid->n_rows < left ? grid->n_rows : left;
    const int32_t last = grid->n_rows - board->n_rows;
    const int32_t first = wanted_row(grid, rank) - board->n_rows / 2;
    board->first_row = first < 0 ? 0 : first > last ? last : first;
    board->height = n_lines - left + board->n_rows;
}

rv_board rv_plan_board(const rv_grid *grid, int32_t rank, int width, int n_lines) {
    rv_board board = {.grid = grid};
    const int most = width < 40 ? width / 3 : WIDEST;
    for (int32_t row = 0; grid->row_heads != NULL && row < grid->n_rows; row++) {
        const int wide = grid->row_heads[row] != NULL ? rv_text_width(grid->row_heads[row]) : 0;
        if (wide > board.head_width) board.head_width = wide;
    }
    if (board.head_width > most) board.head_width = most;
    plan_columns(&board, width);
    plan_rows(&board, rank, n_lines);
    const int title = grid->title != NULL ? rv_text_width(grid->title) : 0;
    if (board.titled && title > board.width) board.width = title < width ? title : width;
    return board;
}

/* ------------------------------------------------------------------------------------ drawing */

/* "rows 3..9 of 64, columns 0..5 of 12", where that is not all. */
static void say_part(const rv_board *board, rv_say *say) {
    const rv_grid *grid = board->grid;
    if (board->n_rows < grid->n_rows) {
        rv_say_more(say, _("  rows %d..%d of %d"), (int)board->first_row,
                    (int)(board->first_row + board->n_rows - 1), (int)grid->n_rows);
    }
    if (board->n_columns < grid->n_columns) {
        rv_say_more(say, _("  columns %d..%d of %d"), (int)board->first_column,
                    (int)(board->first_column + board->n_columns - 1), (int)grid->n_columns);
    }
}

static void draw_title(const rv_board *board, rv_screen *screen, int x, int y) {
    char text[LINE];
    rv_say say = rv_say_to(text, sizeof text);
    rv_say_more(&say, "%s", board->grid->title != NULL ? board->grid->title : "");
    const int end = rv_put_words(screen, x, y, screen->width - x, RV_BOLD, text);
    say = rv_say_to(text, sizeof text);
    say_part(board, &say);
    rv_put_words(screen, end, y, screen->width - end, RV_DIM, text);
}

static void put_at(rv_screen *screen, int x, int y, int width, bool right, rv_style style,
                   const char *text) {
    const int wide = rv_text_width(text);
    if (right && wide < width) x += width - wide, width = wide;
    rv_put_words(screen, x, y, width, style, text);
}

static void draw_row(const rv_board *board, int32_t row, int32_t rank, rv_screen *screen, int x,
                     int y) {
    const rv_grid *grid = board->grid;
    const bool followed = grid->ranks && row == rank;
    const char *head = grid->row_heads != NULL ? grid->row_heads[row] : NULL;
    if (head != NULL) {
        put_at(screen, x, y, board->head_width, false, followed ? RV_CHOSEN : RV_DIM, head);
    }
    x += board->head_width;
    for (int32_t c = 0; c < board->n_columns; c++) {
        const rv_entry *entry = entry_at(grid, row, board->first_column + c);
        char text[LINE];
        say_entry(entry, text, sizeof text);
        rv_style style = rv_tone_style(entry->tone);
        if (style == RV_PLAIN && followed) style = RV_CHOSEN;
        if (x > 0) x += GAP;
        put_at(screen, x, y, board->widths[c], board->right[c], style, text);
        x += board->widths[c];
    }
}

void rv_compose_board(const rv_board *board, int32_t rank, rv_screen *screen, int x, int y) {
    const rv_grid *grid = board->grid;
    if (board->titled) draw_title(board, screen, x, y++);
    if (board->headed) {
        int at = x + board->head_width;
        for (int32_t c = 0; c < board->n_columns; c++) {
            const char *head = grid->column_heads[board->first_column + c];
            if (at > x) at += GAP;
            put_at(screen, at, y, board->widths[c], board->right[c], RV_DIM,
                   head != NULL ? head : "");
            at += board->widths[c];
        }
        y++;
    }
    for (int32_t r = 0; r < board->n_rows; r++) {
        draw_row(board, board->first_row + r, rank, screen, x, y++);
    }
}
