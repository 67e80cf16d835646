/* compose_table.c: the table ranks x chunks, from whole values down to one character a cell.
 *
 *             chunk 0    chunk 1   ...            a cell's marks, beside its value:
 *     GPU 0      11 +        20           c0 > 1 +    > leaves   < has arrived
 *                AB...       A....                     + just added   = just copied
 *     > GPU 1 ...                                      * complete
 */
#include "terminal/compose.h"
#include "text/words.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { FEW = 64, CELL_TEXT = 320, RANGE_WIDTH = 13 };

static const rv_glyphs utf8 = {
    .outside = "·",
    .own = "·",
    .partly = {"▁", "▂", "▃", "▄", "▅", "▆", "▇"},
    .complete = "*",
    .arrow = "→",
    .bar = "█",
    .no_bar = "░",
    .done = "■",
    .to_do = "□",
    .chosen = "▶",
    .dot = "·",
};
static const rv_glyphs plain = {
    .outside = ".",
    .own = ".",
    .partly = {"1", "2", "3", "4", "5", "6", "7"},
    .complete = "*",
    .arrow = ">",
    .bar = "#",
    .no_bar = ".",
    .done = "#",
    .to_do = "-",
    .chosen = ">",
    .dot = "-",
};

const rv_glyphs *rv_glyphs_of(const rv_playback *playback) {
    return playback->ascii ? &plain : &utf8;
}

bool rv_is_hidden(const rv_playback *playback) {
    return playback->mode == RV_ASKING ||
           (playback->mode != RV_LOOKING && playback->behind == RV_ASKING);
}

/* ------------------------------------------------------------------------------------- one cell */

static const char *mark_text(rv_mark what) {
    static const char *const signs[] = {" ", ">", "<", "+", "="};
    return signs[what];
}

static rv_style style_of(rv_mark what, rv_worth worth) {
    if (worth == RV_WRONG) return RV_WARNING;
    switch (what) {
    case RV_LEAVES: return RV_LEAVING;
    case RV_ARRIVES:
    case RV_ADDED: return RV_ADDING;
    case RV_COPIED: return RV_COPYING;
    case RV_SAME: break;
    }
    return worth == RV_WHOLE ? RV_COMPLETE : RV_PLAIN;
}

static rv_mark shown_mark(const rv_playback *playback, int32_t rank, int32_t chunk) {
    return rv_is_hidden(playback) ? RV_SAME : rv_mark_at(playback->subject.model, rank, chunk);
}

/* Writes one column for each rank, the last one left of x: the rank's letter, as everywhere, if its
   data are inside the cell (from the 27th on its last one again), "!" if they are inside twice. */
static void put_ticks(const rv_playback *playback, rv_screen *screen, int x, int y, int32_t rank,
                      int32_t chunk) {
    const rv_model *model = playback->subject.model;
    int32_t who[4 * FEW];
    int64_t n = rs_contents_list(model->contents, rank, chunk, who, 4 * FEW);
    if (n > 4 * FEW) n = 4 * FEW;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        int times = 0;
        for (int64_t i = 0; i < n; i++) times += who[i] == r;
        const char one[2] = {(char)('A' + r % 26), '\0'};
        const char *sign = times == 0 ? rv_glyphs_of(playback)->outside : times == 1 ? one : "!";
        const rv_style style = times == 0 ? RV_DIM : times == 1 ? RV_PLAIN : RV_WARNING;
        rv_put(screen, x - model->n_ranks + (int)r, y, 1, style, sign);
    }
}

static void put_right(rv_screen *screen, int x, int y, int width, rv_style style,
                      const char *text) {
    const int blank = width - rv_text_width(text);
    rv_put(screen, blank > 0 ? x + blank : x, y, width, style, text);
}

/* Writes a value, range or count, right-aligned, then its marks: "*" for complete or "!" for wrong, and what
   happens. If there is room for one mark only, "!" and then what happens comes first. */
static void put_marked(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int x,
                       int y, int width, int32_t rank, int32_t chunk, const char *text) {
    const rv_worth worth = rv_worth_of(playback->subject.model, rank, chunk);
    const rv_mark what = shown_mark(playback, rank, chunk);
    const rv_style style = style_of(what, worth);
    const bool first =
        worth == RV_WRONG || (worth == RV_WHOLE && (plan->n_marks > 1 || what == RV_SAME));
    const int end = x + width - plan->n_marks;
    put_right(screen, x, y, width - plan->n_marks, style, text);
    if (first) rv_put(screen, end, y, 1, style, worth == RV_WRONG ? "!" : "*");
    const int after = first && plan->n_marks > 1 ? 1 : 0;
    if (what != RV_SAME && (!first || after > 0))
        rv_put(screen, end + after, y, 1, style, mark_text(what));
}

/* Writes whose data are inside, in fold order, as a range that may wrap past the last rank: "7..1".
   If they are no range, writes how many. */
static void range_text(const rv_model *model, int32_t rank, int32_t chunk, char out[CELL_TEXT]) {
    int32_t who[4 * FEW];
    const int64_t n = rs_contents_list(model->contents, rank, chunk, who, 4 * FEW);
    bool consecutive = n > 0 && n <= 4 * FEW;
    for (int64_t i = 1; consecutive && i < n; i++) {
        consecutive = who[i] == (who[i - 1] + 1) % model->n_ranks;
    }
    if (consecutive && n == 1) {
        snprintf(out, CELL_TEXT, "%d", (int)who[0]);
    } else if (consecutive && n < model->n_ranks) {
        snprintf(out, CELL_TEXT, "%d..%d", (int)who[0], (int)who[n - 1]);
    } else {
        snprintf(out, CELL_TEXT, "%lld/%d", (long long)n, (int)model->n_ranks);
    }
}

static void compose_cell(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int x,
                         int y, int32_t rank, int32_t chunk) {
    const rv_model *model = playback->subject.model;
    const bool two = plan->detail == RV_TWO_LINES, one = plan->detail == RV_ONE_LINE;
    const int width = plan->cell_width;
    char text[CELL_TEXT] = "";
    if (plan->detail == RV_RANGES) {
        range_text(model, rank, chunk, text);
    } else if (plan->detail == RV_COUNTS) {
        snprintf(text, sizeof text, "%lld",
                 (long long)rs_contents_count(model->contents, rank, chunk));
    } else if (!one || model->values) {
        rv_value_at(model, rank, chunk, text, sizeof text);
    }
    put_marked(playback, plan, screen, x, y, one ? width - model->n_ranks - 1 : width, rank, chunk,
               text);
    if (two) put_ticks(playback, screen, x + width - plan->n_marks, y + 1, rank, chunk);
    if (one) put_ticks(playback, screen, x + width - 1, y, rank, chunk);
}

/* Writes one character for some chunks of a GPU: what happens to them, else how much is inside. */
static void compose_sign(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int x,
                         int y, int32_t rank, int column) {
    const rv_model *model = playback->subject.model;
    const int32_t first = column * plan->chunks_per_column;
    int32_t end = first + plan->chunks_per_column;
    if (end > model->n_chunks) end = model->n_chunks;
    int64_t inside = 0;
    bool complete = true, wrong = false;
    rv_mark what = RV_SAME;
    for (int32_t c = first; c < end; c++) {
        inside += rs_contents_count(model->contents, rank, c);
        const rv_worth worth = rv_worth_of(model, rank, c);
        complete = complete && worth == RV_WHOLE;
        wrong = wrong || worth == RV_WRONG;
        if (what == RV_SAME) what = shown_mark(playback, rank, c);
    }
    const rv_glyphs *glyphs = rv_glyphs_of(playback);
    const int64_t all = (int64_t)model->n_ranks * (end - first);
    assert(all > 0 && inside >= 0);
    int64_t eighths = inside * 8 / all;
    if (eighths < 1) eighths = 1;
    if (eighths > 7) eighths = 7;
    const char *sign = complete                ? glyphs->complete
                       : inside <= end - first ? glyphs->own
                                               : glyphs->partly[eighths - 1];
    if (what != RV_SAME) sign = mark_text(what);
    if (wrong) sign = "!";
    rv_put(screen, x, y, 1, style_of(what, wrong ? RV_WRONG : complete ? RV_WHOLE : RV_PART), sign);
}

/* ---------------------------------------------------------------------------------- rows, header */

/* Writes what a GPU sends in this step: "c2 > 4 +". */
static void compose_sends(const rv_playback *playback, rv_screen *screen, int x, int y, int width,
                          int32_t rank) {
    const rv_model *model = playback->subject.model;
    const rs_schedule *s = model->schedule;
    const bool rests = model->step < 0 || model->step >= s->n_steps || model->moment == RV_BETWEEN;
    if (rv_is_hidden(playback) || rests) return;
    rs_transfer list[FEW];
    const int n = s->max_sends <= FEW ? s->sends(s, model->step, rank, list) : 0;
    if (n == 0) return;
    char text[96], chunks[32];
    snprintf(chunks, sizeof chunks, "c%d", (int)list[0].chunk);
    if (list[0].n_chunks > 1) {
        snprintf(chunks, sizeof chunks, "c%d..%d", (int)list[0].chunk,
                 (int)(list[0].chunk + list[0].n_chunks - 1));
    }
    const bool real = rv_happened(model, model->step, &list[0]);
    const char *sign = !real ? "x" : n > 1 ? "&" : list[0].effect == RS_REDUCE ? "+" : "=";
    snprintf(text, sizeof text, "%s %s %d %s", chunks, rv_glyphs_of(playback)->arrow,
             (int)list[0].dst, sign);
    const rv_style style = !real ? RV_WARNING : rank == playback->rank ? RV_CHOSEN : RV_PLAIN;
    rv_put(screen, x, y, width, style, text);
}

static void compose_header(const rv_playback *playback, const rv_plan *plan, rv_screen *screen,
                           int y) {
    const rv_model *model = playback->subject.model;
    const int width = plan->cell_width;
    for (int column = 0; column < plan->n_columns; column++) {
        const int x = plan->label_width + column * width;
        char text[64];
        if (plan->detail == RV_SIGNS) {
            snprintf(text, sizeof text, "%d", column * plan->chunks_per_column);
            const bool fits = column + (int)strlen(text) <= plan->n_columns + 1;
            if (column % 10 == 0 && fits) rv_put(screen, x, y, (int)sizeof text, RV_DIM, text);
            continue;
        }
        const int before = plan->detail == RV_ONE_LINE ? width - 1 - model->n_ranks : width;
        const int room = before - plan->n_marks;
        snprintf(text, sizeof text, _("chunk %d"), column);
        if (rv_text_width(text) > room) snprintf(text, sizeof text, "%d", column);
        const int wide = rv_text_width(text); /* a number cut would be another chunk's */
        if (wide <= room || wide < width) {
            put_right(screen, x, y, wide > room ? wide : room, RV_DIM, text);
        }
    }
    const int x = plan->label_width + plan->n_columns * width + 2;
    const int end = screen->width - (plan->n_rows < model->n_ranks ? RANGE_WIDTH : 0);
    if (plan->sends_width > 0 && x + rv_text_width(_("sends")) < end) {
        rv_put(screen, x, y, plan->sends_width, RV_DIM, _("sends"));
    }
}

/* Keeps the followed GPU in the middle of the visible ones where it can. */
static int32_t first_row(const rv_playback *playback, const rv_plan *plan) {
    const int32_t last = playback->subject.model->n_ranks - plan->n_rows;
    assert(last >= 0);
    const int32_t first = playback->rank - plan->n_rows / 2;
    if (first < 0) return 0;
    return first > last ? last : first;
}

static void compose_rank(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int y,
                         int32_t rank) {
    const bool followed = rank == playback->rank;
    const bool dead = rv_is_dead(playback->subject.model, rank);
    char label[RV_RANK_NAME];
    rv_rank_name(playback->subject.model, rank, label);
    if (plan->label_width <= 5 || (int)strlen(label) > plan->label_width - 1)
        snprintf(label, sizeof label, "%d", (int)rank);
    if (followed) rv_put(screen, 0, y, 1, RV_CHOSEN, rv_glyphs_of(playback)->chosen);
    const rv_style style = dead ? RV_WARNING : followed ? RV_CHOSEN : RV_BOLD;
    const int end = rv_put(screen, 1, y, plan->label_width - 1, style, label);
    if (dead) rv_put(screen, end, y, 1, RV_WARNING, "x");
    for (int column = 0; column < plan->n_columns; column++) {
        const int x = plan->label_width + column * plan->cell_width;
        if (plan->detail == RV_SIGNS) {
            compose_sign(playback, plan, screen, x, y, rank, column);
        } else {
            compose_cell(playback, plan, screen, x, y, rank, column);
        }
    }
    if (plan->sends_width == 0) return;
    const int x = plan->label_width + plan->n_columns * plan->cell_width + 2;
    compose_sends(playback, screen, x, y, screen->width - x, rank);
}

/* Tells whether the row is blank from x on. */
static bool is_free(const rv_screen *screen, int x, int y) {
    for (int i = x < 0 ? 0 : x; y < screen->height && i < screen->width; i++) {
        if (strcmp(rv_cell_at(screen, i, y)->text, " ") != 0) return false;
    }
    return x >= 0 && y < screen->height;
}

/* Says which ranks the table shows, in words or, if the header leaves less room, in digits. */
static void put_range(const rv_model *model, rv_screen *screen, int y, int32_t first,
                      int32_t last) {
    const int32_t n_ranks = model->n_ranks;
    char words[64], digits[64];
    snprintf(words, sizeof words, _("GPU %d..%d of %d"), (int)first, (int)last, (int)n_ranks);
    rv_name_ranks(model, words, sizeof words);
    snprintf(digits, sizeof digits, "%d-%d/%d", (int)first, (int)last, (int)n_ranks);
    const char *const texts[] = {words, digits};
    for (int i = 0; i < 2; i++) {
        const int x = screen->width - rv_text_width(texts[i]);
        if (!is_free(screen, x - 1, y)) continue;
        rv_put(screen, x, y, screen->width - x, RV_DIM, texts[i]);
        return;
    }
}

void rv_compose_table(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int y) {
    compose_header(playback, plan, screen, y);
    const int32_t first = first_row(playback, plan);
    for (int32_t i = 0; i < plan->n_rows; i++) {
        compose_rank(playback, plan, screen, y + 1 + i * plan->lines_per_rank, first + i);
    }
    if (plan->n_rows >= playback->subject.model->n_ranks) return;
    put_range(playback->subject.model, screen, y, first, first + plan->n_rows - 1);
}
