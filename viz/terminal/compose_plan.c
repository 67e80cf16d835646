/* compose_plan.c: chooses how much the table shows: the richest detail that fits, from values and
 * whose data are inside down to one character a cell.
 *
 *     | label |  cell  |  cell  | ... |  sends  |      all cells have the same width
 */
#include "terminal/compose.h"
#include "base/containers.h"

#include <assert.h>

/* Returns the width of "c12..15 > 63 +", with two blanks before it. */
static int sends_width(const rv_model *model) {
    const int chunk = rs_digits_of(model->n_chunks - 1), rank = rs_digits_of(model->n_ranks - 1);
    const bool runs = model->schedule->max_run > 1;
    return 2 + 1 + chunk + (runs ? 2 + chunk : 0) + 3 + rank + 2;
}

/* Tells whether `detail` fits, and fills in the plan if so; `avail`: columns for all cells. */
static bool fits(const rv_model *model, rv_detail detail, int avail, int rows_room, rv_plan *plan) {
    const int n = model->n_ranks, value = model->value_width;
    const int each = model->n_chunks > 0 ? avail / model->n_chunks : 0;
    const bool two = detail == RV_TWO_LINES;
    const struct {
        bool good;
        int need, spare; /* columns */
    } cell[] = {
        [RV_TWO_LINES] = {value > 0 && 2 * n <= rows_room, (value > n ? value : n) + 3, 1},
        [RV_ONE_LINE] = {n <= 24, value + 3 + n, 4},
        [RV_VALUES] = {value > 0, value + 3, 2},
        [RV_RANGES] = {true, 2 * rs_digits_of(n - 1) + 2 + 2, 2},
        [RV_COUNTS] = {true, rs_digits_of(n) + 1, 2},
    };
    const int need = cell[detail].need;
    const int most = two && need < 13 ? 13 : need + cell[detail].spare;
    if (!cell[detail].good || each < need) return false;
    plan->detail = detail;
    plan->cell_width = each < most ? each : most;
    assert(plan->cell_width >= need && need > 0);
    plan->lines_per_rank = two ? 2 : 1;
    plan->n_columns = model->n_chunks;
    plan->chunks_per_column = 1;
    plan->n_marks = detail == RV_COUNTS && each == need ? 1 : 2;
    return true;
}

static void plan_signs(const rv_model *model, int width, rv_plan *plan) {
    const int label = 1 + rs_digits_of(model->n_ranks - 1) + 1;
    const int avail = width - label - plan->sends_width;
    plan->lines_per_rank = 1;
    if (!model->cells || avail < 4) {
        plan->detail = RV_NO_CELLS;
        plan->n_columns = 0;
        return;
    }
    plan->label_width = label;
    plan->detail = RV_SIGNS;
    plan->cell_width = 1;
    plan->chunks_per_column = (model->n_chunks + avail - 1) / avail;
    assert(plan->chunks_per_column >= 1);
    plan->n_columns = (model->n_chunks + plan->chunks_per_column - 1) / plan->chunks_per_column;
}

static void plan_rows(const rv_model *model, int rows_room, rv_plan *plan) {
    assert(plan->lines_per_rank >= 1);
    const int most = rows_room / plan->lines_per_rank;
    plan->n_rows = model->n_ranks < most ? model->n_ranks : most;
    if (plan->n_rows < 0) plan->n_rows = 0;
    assert(plan->n_rows <= model->n_ranks);
}

/* Returns a plan with the widths of the columns that are no cells: label and sends. */
static rv_plan empty_plan(const rv_model *model, int width) {
    const bool placed = rv_is_placed(model); /* "rank 12" */
    rv_plan plan = {.label_width = 1 + 4 + placed + rs_digits_of(model->n_ranks - 1) + 1,
                    .sends_width = sends_width(model)};
    if (width < 30) plan.label_width -= 4 + placed; /* "12" instead of "GPU 12" */
    if (width < 40 && model->cells) plan.sends_width = 0;
    return plan;
}

rv_plan rv_plan_signs(const rv_model *model, int width, int n_lines) {
    rv_plan plan = empty_plan(model, width);
    plan_signs(model, width, &plan);
    plan_rows(model, n_lines - 1, &plan);
    return plan;
}

static rv_plan plan_from(const rv_model *model, rv_plan plan, int width, int n_lines) {
    const int rows_room = n_lines - 1; /* the header */
    const int avail = width - plan.label_width - plan.sends_width;
    bool found = false;
    for (int d = RV_TWO_LINES; model->cells && !found && d <= RV_COUNTS; d++) {
        found = fits(model, (rv_detail)d, avail, rows_room, &plan);
    }
    if (!found) plan_signs(model, width, &plan);
    plan_rows(model, rows_room, &plan);
    return plan;
}

rv_plan rv_plan_table(const rv_model *model, int width, int n_lines) {
    return plan_from(model, empty_plan(model, width), width, n_lines);
}

rv_plan rv_plan_cells(const rv_model *model, int width, int n_lines) {
    rv_plan plan = empty_plan(model, width);
    plan.sends_width = 0;
    return plan_from(model, plan, width, n_lines);
}

int rv_plan_lines(const rv_plan *plan) {
    return 1 + plan->n_rows * plan->lines_per_rank;
}
