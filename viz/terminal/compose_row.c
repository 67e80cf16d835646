/* compose_row.c: the table's panel. Where the table cannot show whose data are inside together with
 * the values, the panel also shows the followed GPU in full: the chunk that changes, with its value
 * and whose data are inside, then as many of its chunks as fit.
 */
#include "terminal/compose.h"
#include "text/say.h"

#include <assert.h>
#include <stdio.h>

enum { TEXT = 512, LABEL = 8, SIDE_GAP = 3, SIDE_LEAST = 22 };

static bool needed(const rv_plan *plan) {
    return plan->detail == RV_VALUES || plan->detail == RV_RANGES || plan->detail == RV_COUNTS ||
           plan->detail == RV_SIGNS;
}

static int count_width(const rv_model *model) {
    char text[32];
    return snprintf(text, sizeof text, "%d", (int)model->n_ranks) + 1;
}

/* Returns how many chunks a line holds: a round number, so that the reader can count them. */
static int chunks_a_line(const rv_model *model, int width, bool values) {
    const int item = values ? model->value_width + 2 : count_width(model);
    const int fit = (width - LABEL - 1) / item;
    return fit >= 10 ? fit - fit % 10 : fit >= 5 ? 5 : fit;
}

static int lines_for(const rv_model *model, int width, bool values) {
    const int a_line = chunks_a_line(model, width, values);
    return a_line < 1 ? model->n_chunks : (model->n_chunks + a_line - 1) / a_line;
}

static int row_lines(const rv_model *model, const rv_plan *plan, int width) {
    if (!needed(plan) || !model->cells) return 0;
    return 1 + lines_for(model, width, model->values);
}

/* Returns the chunk that changes in this step, else the GPU's own. */
static int32_t chunk_of_interest(const rv_playback *playback) {
    const rv_model *model = playback->subject.model;
    for (int32_t c = 0; !rv_is_hidden(playback) && c < model->n_chunks; c++) {
        if (rv_mark_at(model, playback->rank, c) != RV_SAME) return c;
    }
    return playback->rank < model->n_chunks ? playback->rank : 0;
}

static void compose_chunk(const rv_playback *playback, rv_screen *screen, int y) {
    const rv_model *model = playback->subject.model;
    const int32_t chunk = chunk_of_interest(playback);
    char text[TEXT], value[64], inside[TEXT / 2];
    rv_inside_text(model, playback->rank, chunk, inside, sizeof inside);
    const int n = (int)rs_contents_count(model->contents, playback->rank, chunk);
    rv_say say = rv_say_to(text, sizeof text);
    if (model->values) {
        rv_value_at(model, playback->rank, chunk, value, sizeof value);
        rv_say_more(&say, _("GPU %d, chunk %d: value %s; %d of %d GPUs inside: %s"),
                    (int)playback->rank, (int)chunk, value, n, (int)model->n_ranks, inside);
    } else {
        rv_say_more(&say, _("GPU %d, chunk %d: %d of %d GPUs inside: %s"), (int)playback->rank,
                    (int)chunk, n, (int)model->n_ranks, inside);
    }
    rv_name_ranks(model, text, sizeof text);
    rv_put_words(screen, 1, y, screen->width - 1, RV_CHOSEN, text);
}

static rv_style style_at(const rv_playback *playback, int32_t chunk) {
    const rv_model *model = playback->subject.model;
    const bool changes =
        !rv_is_hidden(playback) && rv_mark_at(model, playback->rank, chunk) != RV_SAME;
    const rv_worth worth = rv_worth_of(model, playback->rank, chunk);
    if (worth == RV_WRONG) return RV_WARNING;
    if (changes) return RV_CHOSEN;
    return worth == RV_WHOLE ? RV_COMPLETE : RV_PLAIN;
}

/* Writes all chunks: their values; if those do not fit, how many GPUs' data are inside. */
static void compose_all(const rv_playback *playback, rv_screen *screen, int y, int n_lines) {
    const rv_model *model = playback->subject.model;
    const bool values = model->values && lines_for(model, screen->width, true) <= n_lines;
    const int item = values ? model->value_width + 2 : count_width(model);
    const int a_line = chunks_a_line(model, screen->width, values);
    for (int32_t c = 0; c < model->n_chunks && a_line > 0 && c / a_line < n_lines; c++) {
        const int row = y + (int)(c / a_line);
        char text[96], what[64];
        if (c % a_line == 0) {
            snprintf(text, sizeof text, "%5d:", (int)c);
            rv_put(screen, 1, row, LABEL - 1, RV_DIM, text);
        }
        if (values) {
            rv_value_at(model, playback->rank, c, what, sizeof what);
        } else {
            snprintf(what, sizeof what, "%d",
                     (int)rs_contents_count(model->contents, playback->rank, c));
        }
        snprintf(text, sizeof text, "%*s", item, what);
        rv_put(screen, LABEL + (int)(c % a_line) * item, row, item, style_at(playback, c), text);
    }
}

static void compose_row(const rv_playback *playback, rv_screen *screen, int y, int n_lines) {
    if (n_lines > 0) compose_chunk(playback, screen, y);
    if (n_lines > 1) compose_all(playback, screen, y + 1, n_lines - 1);
}

static int table_width(const rv_plan *plan) {
    return plan->label_width + plan->n_columns * plan->cell_width + plan->sends_width;
}

static bool side_fits(const rv_model *model, const rv_plan *plan, int width) {
    const int room = width - table_width(plan) - SIDE_GAP;
    const int inside = 2 * (2 * count_width(model) + 1); /* "12..15 0..11" */
    return needed(plan) && model->cells && model->n_chunks <= plan->n_rows * plan->lines_per_rank &&
           room >= SIDE_LEAST && room >= model->value_width + 6 + inside;
}

static void compose_side(const rv_playback *playback, const rv_plan *plan, rv_screen *screen,
                         int y) {
    const rv_model *model = playback->subject.model;
    const int x = table_width(plan) + SIDE_GAP;
    char text[TEXT], value[64] = "", inside[TEXT / 2];
    snprintf(text, sizeof text, _("GPU %d in full: chunk, value, from"), (int)playback->rank);
    if (rv_text_width(text) > screen->width - x) {
        snprintf(text, sizeof text, _("GPU %d in full"), (int)playback->rank);
    }
    rv_name_ranks(model, text, sizeof text);
    rv_put_words(screen, x, y, screen->width - x, RV_CHOSEN, text);
    for (int32_t c = 0; c < model->n_chunks; c++) {
        if (model->values) rv_value_at(model, playback->rank, c, value, sizeof value);
        rv_inside_text(model, playback->rank, c, inside, sizeof inside);
        snprintf(text, sizeof text, "%3d %*s  %s", (int)c, model->value_width, value, inside);
        rv_put_words(screen, x, y + 1 + (int)c, screen->width - x, style_at(playback, c), text);
    }
}

/* Under the figure that says what is sent, the table does without that column. */
static rv_plan plan_cells(const rv_composition *page, int n_lines) {
    const rv_model *model = page->playback->subject.model;
    return page->ring ? rv_plan_cells(model, page->width, n_lines)
                      : rv_plan_table(model, page->width, n_lines);
}

/* Places the followed GPU in full beside the table, or below it. If the table leaves it no line,
   the table changes to one character a cell where that shows all GPUs and leaves room beside them;
   else the table gets fewer rows. */
static void share_rows(rv_composition *page, int most) {
    const rv_model *model = page->playback->subject.model;
    const int width = page->width, wanted = row_lines(model, &page->plan, width);
    if (wanted == 0) return;
    const rv_plan signs = rv_plan_signs(model, width, most);
    const bool crowded = !page->ring && most - rv_plan_lines(&page->plan) < 2;
    if (crowded && signs.n_rows >= model->n_ranks && side_fits(model, &signs, width)) {
        page->plan = signs;
    }
    page->side = page->plan.n_rows >= model->n_ranks && side_fits(model, &page->plan, width);
    if (page->side) return;
    const int spare = most - rv_plan_lines(&page->plan);
    const int few = wanted < 5 ? wanted : 5, third = most / 3;
    int lines = spare >= wanted ? wanted : spare > few ? spare : few;
    if (lines > third && lines > spare) lines = third;
    if (page->ring && lines > spare) lines = spare; /* first a row for each GPU */
    if (lines > spare) page->plan = plan_cells(page, most - lines);
    page->n_row_lines = lines;
}

int rv_cells_lines(rv_composition *page, int most) {
    const rv_model *model = page->playback->subject.model;
    rv_plan *plan = &page->plan;
    *plan = plan_cells(page, most);
    page->n_row_lines = 0;
    page->side = false;
    if (page->height >= 12) share_rows(page, most);
    const bool full = rv_plan_lines(plan) + page->n_row_lines >= most;
    if (full && page->height >= 20 && plan->n_rows < model->n_ranks && plan->n_rows > 3) {
        plan->n_rows--; /* of many rows, one less leaves a line to say what the signs mean */
    }
    assert(page->n_row_lines >= 0 && !(page->side && page->n_row_lines > 0));
    return rv_plan_lines(plan) + page->n_row_lines;
}

void rv_compose_cells(const rv_composition *page, int y, int n_lines) {
    rv_compose_table(page->playback, &page->plan, page->screen, y);
    if (page->side) compose_side(page->playback, &page->plan, page->screen, y);
    compose_row(page->playback, page->screen, y + n_lines - page->n_row_lines, page->n_row_lines);
}
