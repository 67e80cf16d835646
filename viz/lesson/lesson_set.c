/* lesson_set.c: sets a flow into a box: how large its type is, how high each piece, on which screen.
 *
 *   - A page that fits is one screen; else it is cut between pieces into several, but never between
 *     a heading and what follows.
 *   - Code becomes smaller to keep its lines whole, as long as people can read it; then lines
 *     break.
 */
#include "lesson/lesson_flow.h"

#include "text/words.h"

#include <assert.h>
#include <stdio.h>
#include <math.h>
#include <string.h>

static const double LEAST_CODE = 0.6; /* the least size of code, as a share of the usual type */
/* pixels: code does not shrink further; its lines break, columns at the right go */
static const double TALL = 12;

static double tall(const rv_flow *flow) {
    return TALL * fmax(1, flow->pixel);
}

/* Returns the width that a card leaves to lines of code. */
static double lines_room(const rv_flow *flow, const rv_piece *piece, double width) {
    const double sign = piece->command != NULL ? RV_PLAY_SIGN : 0;
    return width - (2 * piece->pad + sign) * flow->size;
}

double rv_piece_size(const rv_flow *flow, const rv_piece *piece, const rv_ruler *ruler,
                     double width) {
    const double wanted = piece->size * flow->size;
    if (piece->kind != RV_LINES) return wanted;
    const double room = lines_room(flow, piece, width);
    const double wide = rv_measure(ruler, piece->text, 16, 0, RV_STYLE_CODE).width * wanted / 16;
    const double fits = wide <= room ? wanted : 0.995 * wanted * room / wide;
    const double least = piece->table ? 0 : LEAST_CODE * flow->usual;
    return fmin(wanted, fmax(fits, fmax(tall(flow), least)));
}

static double lines_height(const rv_flow *flow, const rv_piece *piece, const rv_ruler *ruler,
                           double width) {
    const double size = rv_piece_size(flow, piece, ruler, width);
    const double room = fmax(1, lines_room(flow, piece, width));
    return rv_measure(ruler, piece->text, size, room, RV_STYLE_CODE).height;
}

static double cells_height(const rv_flow *flow, const rv_piece *piece, const rv_ruler *ruler,
                           double width) {
    double height = 0;
    for (int c = 0; c < piece->n_cells; c++) {
        const double room = piece->shares[c] * width - 0.8 * flow->size;
        const rv_extent cell = rv_measure(ruler, piece->cells[c], piece->size * flow->size,
                                          fmax(1, room), piece->bold ? RV_STYLE_STRONG : 0);
        height = fmax(height, cell.height);
    }
    return height;
}

static double height_of(const rv_flow *flow, const rv_piece *piece, const rv_ruler *ruler,
                        double width) {
    const double pad = piece->pad * flow->size, size = piece->size * flow->size;
    if (piece->kind == RV_LINES) return 2 * pad + lines_height(flow, piece, ruler, width);
    if (piece->kind == RV_CELLS) return cells_height(flow, piece, ruler, width);
    const bool signed_card = piece->pad > 0; /* a letter or sign stands on its left */
    const double room =
        width - 2 * pad - piece->indent * flow->size - (signed_card ? 2 * flow->size : 0) -
        (piece->kind == RV_OPTION ? RV_JUDGED * flow->size : 0) - piece->aside * width;
    const double words =
        rv_measure(ruler, piece->text, size, fmax(1, room), piece->bold ? RV_STYLE_STRONG : 0)
            .height;
    const double least = piece->kind == RV_OPTION ? fmax(24, 2 * pad + 1.5 * size) : 0;
    return fmax(least, 2 * pad + words);
}

/* Shares the width out: columns are as wide as their longest cells, if all of them fit. */
static void share_columns(rv_flow *flow, const rv_ruler *ruler, double room) {
    for (int first = 0, end; first < flow->n; first = end) {
        double widths[RV_MOST_CELLS] = {0}, all = 0;
        end = rv_table_end(flow, first);
        for (int i = first; i < end; i++) {
            const rv_piece *row = &flow->pieces[i];
            for (int c = 0; c < row->n_cells; c++) {
                const rv_extent cell =
                    rv_measure(ruler, row->cells[c], 16, 0, row->bold ? RV_STYLE_STRONG : 0);
                widths[c] = fmax(widths[c], 1.05 * cell.width + 18);
            }
        }
        rv_fit_columns(widths, room, room / 80, 0.15 * room);
        for (int c = 0; c < RV_MOST_CELLS; c++) all += widths[c];
        for (int i = first; i < end; i++) {
            for (int c = 0; c < RV_MOST_CELLS; c++) flow->pieces[i].shares[c] = widths[c] / all;
        }
    }
}

/* Measures all pieces in a size; returns the height of the whole. */
static double measure(rv_flow *flow, const rv_ruler *ruler, double width, double size) {
    double all = 0;
    flow->size = size;
    for (int i = 0; i < flow->n; i++) {
        rv_piece *piece = &flow->pieces[i];
        piece->height = height_of(flow, piece, ruler, width);
        piece->screen = 0;
        all += piece->height + (i > 0 ? piece->gap * size : 0);
    }
    return all;
}

/* Cuts a piece in two at a byte; the second begins `skip` bytes later, in the style that holds
   there. */
static bool cut_piece(rv_flow *flow, int index, size_t at, size_t skip) {
    const char *text = flow->pieces[index].text;
    const size_t n_rest = strlen(text + at + skip) + 1;
    assert(at > 0);
    char style = RV_STYLE_BYTE;
    for (size_t i = 0; i < at; i++) {
        if (rv_is_style(text[i])) style = text[i];
    }
    char *first = rs_alloc(flow->arena, at + 1, 1), *second = rs_alloc(flow->arena, n_rest + 1, 1);
    rv_piece *piece = rv_flow_insert(flow, index + 1);
    if (first == NULL || second == NULL || piece == NULL) return false;
    memcpy(first, text, at);
    second[0] = style;
    memcpy(second + 1, text + at + skip, n_rest);
    *piece = flow->pieces[index];
    flow->pieces[index].text = first;
    piece->text = second;
    piece->mark = piece->command = NULL;
    piece->gap = 0.15;
    return true;
}

/* Returns the end of a line or sentence that is nearest to the middle of a text; 0: there is
   none. */
static size_t middle_of(const rv_piece *piece, size_t *skip) {
    const size_t n = strlen(piece->text);
    size_t best = 0;
    for (size_t i = 1; i + 3 < n; i++) {
        const char *at = piece->text + i;
        const bool line = piece->kind == RV_LINES && *at == '\n';
        const bool sentence = piece->kind == RV_WORDS && at[-1] == '.' && *at == ' ';
        const bool chinese = piece->kind == RV_WORDS && memcmp(at - 1, "\xe3\x80\x82", 3) == 0;
        const size_t place = chinese ? i + 2 : i;
        if (!line && !sentence && !chinese) continue;
        if (best != 0 && (place > n / 2 ? place - n / 2 : n / 2 - place) >
                             (best > n / 2 ? best - n / 2 : n / 2 - best)) {
            continue;
        }
        best = place;
        *skip = chinese ? 0 : 1;
    }
    return best;
}

/* Cuts each piece that is too high for a screen; code already at half that height, so that it
   leaves no screen nearly empty. */
static void cut_tall(rv_flow *flow, const rv_ruler *ruler, double width, double height) {
    for (int i = 0; i < flow->n; i++) {
        const rv_piece *piece = &flow->pieces[i];
        const double most = piece->kind == RV_LINES ? fmax(0.5 * height, 4 * flow->size) : height;
        size_t skip = 0;
        const size_t at = piece->height > most ? middle_of(piece, &skip) : 0;
        if (at == 0) continue;
        if (!cut_piece(flow, i, at, skip)) return;
        for (int k = i; k < i + 2; k++) {
            flow->pieces[k].height = height_of(flow, &flow->pieces[k], ruler, width);
        }
        i--;
    }
}

/* Cuts the flow into screens; a piece higher than a screen gets one of its own. */
static void cut(rv_flow *flow, double height) {
    double used = 0;
    int screen = 0, begins = 0;
    for (int i = 0; i < flow->n; i++) {
        rv_piece *piece = &flow->pieces[i];
        const double needs = piece->height + (i > begins ? piece->gap * flow->size : 0);
        if (used + needs > height && i > begins) {
            int from = i;
            while (from - 1 > begins && flow->pieces[from - 1].heading) from--;
            screen++;
            begins = from;
            used = 0;
            i = from - 1;
            continue;
        }
        piece->screen = screen;
        piece->height = fmin(piece->height, height);
        used += needs;
    }
    flow->n_screens = screen + 1;
}

/* Where a row of a table is wider than `most` characters, leaves out its columns at the right, and says so below. */
static void cut_columns(rv_flow *flow, rv_piece *piece, int most) {
    static const char ends[] = " \u2026";
    const char *more = _("(more columns in a wider window)");
    char *out = rs_alloc(flow->arena, 2 * strlen(piece->text) + strlen(more) + sizeof ends + 1, 1);
    size_t used = 0, n;
    bool cut = false;
    if (out == NULL) return;
    for (const char *at = piece->text; *at != '\0'; at += n + (at[n] == '\n')) {
        n = strcspn(at, "\n");
        size_t keep = n, word = 0; /* word: where the last one before a gap ends */
        for (size_t i = 1; i < n && rv_width_of(at, n) > most; i++) {
            if (at[i - 1] != ' ' && !rv_is_style(at[i - 1])) word = i;
            if (word == i && strncmp(at + i, "  ", 2) == 0 && rv_width_of(at, i) <= most - 2)
                keep = i;
        }
        if (used > 0) out[used++] = '\n';
        memcpy(out + used, at, keep);
        used += keep;
        if (keep == n) continue;
        cut = true;
        if (n - keep < sizeof ends) continue; /* so there is room for the sign */
        memcpy(out + used, ends, sizeof ends - 1);
        used += sizeof ends - 1;
    }
    out[used] = '\0';
    if (cut) sprintf(out + used, "\n%s", more);
    if (cut) piece->text = out;
}

void rv_flow_set(rv_flow *flow, const rv_ruler *ruler, double width, double height, double least,
                 double usual, double most) {
    share_columns(flow, ruler, width * 16 / most);
    assert(least > 0 && least <= most && usual > 0);
    flow->usual = flow->size = usual;
    const double letter = tall(flow) / 16 * rv_measure(ruler, "0", 16, 0, RV_STYLE_CODE).width;
    for (int i = 0; i < flow->n; i++) {
        rv_piece *piece = &flow->pieces[i];
        if (piece->table) cut_columns(flow, piece, (int)(lines_room(flow, piece, width) / letter));
    }
    flow->n_screens = 1;
    for (double size = most; size >= least - 0.01; size *= 0.96) {
        if (measure(flow, ruler, width, size) <= height) return;
    }
    measure(flow, ruler, width, usual);
    cut_tall(flow, ruler, width, height);
    cut(flow, height);
}

double rv_flow_poll_size(const rv_course *course, const rv_ruler *ruler, double width,
                         double height, double least, double usual, double most) {
    const rv_quiz *quiz = rv_stop_quiz(course->reading.lesson, course->reading.at);
    rv_course later = *course;
    later.poll = (rv_poll){.on = true, .vote = 1, .choice = -1, .revealed = true};
    for (int i = 0; i < quiz->n_options; i++) later.poll.hands[0][i] = later.poll.hands[1][i] = 1;
    for (int i = 0; i < quiz->n_options; i++) {
        rs_arena arena;
        rv_flow flow = {.arena = &arena};
        later.poll.said = i;
        rs_arena_init(&arena, NULL);
        rv_flow_stop(&flow, &later);
        rv_flow_set(&flow, ruler, width, height, least, usual, most);
        if (flow.n_screens == 1) most = flow.size;
        rs_arena_free(&arena);
    }
    return most;
}
