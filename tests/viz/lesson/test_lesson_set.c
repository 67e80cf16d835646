/* A lesson's text in a narrow box: a table's letters stay large enough, and what has no room is said. */
#include <criterion/criterion.h>
#include <string.h>

#include "lesson/lesson_flow.h"

static const char table[] = "$ ringsim compare --gpus 5\n"
                            " gpus   algorithm   steps   time      busiest link\n"
                            "    5   ring            8   8.04 ms   160 MB\n"
                            "two words";

/* Sets the table into a box of that width, on a screen of that density. */
static rv_piece set_table(rs_arena *arena, double width, double pixel, double *size) {
    rv_flow flow = {.arena = arena, .pixel = pixel};
    rv_piece *piece = rv_flow_insert(&flow, 0);
    cr_assert_not_null(piece);
    *piece = (rv_piece){.kind = RV_LINES, .text = table, .size = 0.82, .table = true};
    rv_flow_set(&flow, NULL, width * pixel, 800 * pixel, 11 * pixel, 12 * pixel, 16 * pixel);
    *size = rv_piece_size(&flow, &flow.pieces[0], NULL, width * pixel) / pixel;
    return flow.pieces[0];
}

Test(lesson_set, a_narrow_box_leaves_a_tables_columns_out_and_says_so) {
    static const double widths[] = {180, 240, 290, 1200};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    for (int i = 0; i < 8; i++) {
        double size;
        const double width = widths[i / 2];
        const rv_piece piece = set_table(&arena, width, i % 2 == 0 ? 1 : 3, &size);
        cr_expect_geq(size, 9 - 1e-9, "%g: %g", width, size);
        const bool whole = strstr(piece.text, "busiest link") != NULL;
        cr_expect_eq(whole, width > 1000, "%g:\n%s", width, piece.text);
        cr_expect_eq(strstr(piece.text, "more columns") != NULL, !whole, "%g:\n%s", width,
                     piece.text);
        cr_expect_not_null(strstr(piece.text, "gpus   algorithm"), "%g:\n%s", width, piece.text);
        cr_expect_not_null(strstr(piece.text, "two words"));
    }
    rs_arena_free(&arena);
}
