/* lesson_set.c: sets a flow into a box: how large its type is, how high each piece, on which screen.
 *
 *   - A page that fits is shown whole; one that does not is cut between pieces into screens, a
 *     heading never from what follows.
 *   - Code keeps its lines as long as they can be read; then they are broken.
 */
#include "lesson_flow.h"

#include <math.h>
#include <string.h>

static const double LEAST_CODE = 0.6; /* of ordinary type */
static const double TALL_CODE = 9;    /* pixels: no smaller, if lines have to be broken for it */

double rv_piece_size(const rv_flow *flow, const rv_piece *piece, const rv_ruler *ruler,
                     double width) {
    const double wanted = piece->size * flow->size;
    if (piece->kind != RV_LINES) return wanted;
    const double room = width - 2 * piece->pad * flow->size;
    const double wide = rv_measure(ruler, piece->text, 16, 0, RV_STYLE_CODE).width * wanted / 16;
    const double least = fmin(wanted, fmax(TALL_CODE, LEAST_CODE * flow->size));
    return wide <= room ? wanted : fmax(least, 0.995 * wanted * room / wide);
}

/* The widest of a code's lines counts: a label of one line would not know them. */
static double lines_height(const rv_flow *flow, const rv_piece *piece, const rv_ruler *ruler,
                           double width) {
    const double size = rv_piece_size(flow, piece, ruler, width);
    return rv_measure(ruler, piece->text, size, width - 2 * piece->pad * flow->size, RV_STYLE_CODE)
        .height;
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
        width - 2 * pad - piece->indent * flow->size - (signed_card ? 2 * flow->size : 0);
    const double words =
        rv_measure(ruler, piece->text, size, fmax(1, room), piece->bold ? RV_STYLE_STRONG : 0)
            .height;
    const double least = piece->kind == RV_OPTION ? fmax(24, 2 * pad + 1.5 * size) : 0;
    return fmax(least, 2 * pad + words);
}

/* Columns of a table share the width by their longest cells. */
static void share_columns(rv_flow *flow, const rv_ruler *ruler) {
    for (int first = 0; first < flow->n;) {
        if (flow->pieces[first].kind != RV_CELLS) {
            first++;
            continue;
        }
        double widths[RV_MOST_CELLS] = {0}, all = 0;
        int end = first;
        for (; end < flow->n && flow->pieces[end].kind == RV_CELLS; end++) {
            for (int c = 0; c < flow->pieces[end].n_cells; c++) {
                const double wide = rv_measure(ruler, flow->pieces[end].cells[c], 16, 0, 0).width;
                widths[c] = fmax(widths[c], fmin(wide, 400) + 16);
            }
        }
        for (int c = 0; c < RV_MOST_CELLS; c++) all += widths[c];
        for (; first < end; first++) {
            for (int c = 0; c < RV_MOST_CELLS && all > 0; c++) {
                flow->pieces[first].shares[c] = widths[c] / all;
            }
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

/* Cuts the flow into screens; what is higher than a screen gets one of its own. */
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

void rv_flow_set(rv_flow *flow, const rv_ruler *ruler, double width, double height, double least,
                 double usual, double most) {
    share_columns(flow, ruler);
    flow->n_screens = 1;
    for (double size = most; size >= least - 0.01; size *= 0.96) {
        if (measure(flow, ruler, width, size) <= height) return;
    }
    measure(flow, ruler, width, usual);
    cut(flow, height);
}
