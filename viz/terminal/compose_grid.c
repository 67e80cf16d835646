/* compose_grid.c: a table of entries in characters, as much of it as fits.
 *
 *     who sees what            rows 3..9 of 64
 *              batch 0   batch 1
 *     GPU 3        12 >       7
 *     GPU 4         5       (3)
 *
 * Marks say what colours say: > leaves, < new, + added, * right, ! wrong, (not now).
 */
#include "terminal/compose_frame.h"

rv_style rv_tone_style(rv_tone tone) {
    static const rv_style styles[RV_N_TONES] = {
        [RV_TONE_PLAIN] = RV_PLAIN, [RV_TONE_QUIET] = RV_DIM,    [RV_TONE_LEAVES] = RV_LEAVING,
        [RV_TONE_NEW] = RV_COPYING, [RV_TONE_ADDED] = RV_ADDING, [RV_TONE_GOOD] = RV_COMPLETE,
        [RV_TONE_BAD] = RV_WARNING};
    return styles[tone];
}

/* ------------------------------------------------------------------------------------ drawing */

static void draw_title(const rv_board *board, rv_screen *screen, int x, int y) {
    char text[RV_ENTRY_BYTES];
    const char *title = board->grid->title != NULL ? board->grid->title : "";
    const int end = rv_put_words(screen, x, y, screen->width - x, RV_BOLD, title);
    rv_say_part(board, text, sizeof text);
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
        const rv_entry *entry = rv_grid_entry(grid, row, board->first_column + c);
        char text[RV_ENTRY_BYTES];
        rv_say_entry(entry, text, sizeof text);
        rv_style style = rv_tone_style(entry->tone);
        if (style == RV_PLAIN && followed) style = RV_CHOSEN;
        if (x > 0) x += RV_COLUMN_GAP;
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
            if (at > x) at += RV_COLUMN_GAP;
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
