/* paper.h: the surface of a picture, PNG, SVG or PDF, and its bytes until they are whole.
 *
 *     open --> draw with paper.cr (PDF: rv_paper_turn for a new page) --> rv_paper_write --> free
 *
 *   - rv_paper_write hands the bytes out only when the picture is whole.
 *   - The same drawing gives the same bytes: they have no date in them, and no number that depends
 *     on what the process has drawn before.
 */
#ifndef RV_PAPER_H
#define RV_PAPER_H

#include "canvas/canvas.h"

typedef struct rv_format rv_format; /* format.h */
typedef struct rv_paper {
    const rv_format *format;
    cairo_surface_t *surface;
    cairo_t *cr;
    char title[256];
    char *bytes; /* of the file, so far */
    size_t n_bytes, room;
    bool failed; /* memory ran out */
} rv_paper;

/* Opens paper of width x height (pixels; PDF: points) in a zeroed rv_paper. */
rs_status rv_paper_open(rv_paper *paper, const rv_format *format, double width, double height,
                        const char *title, rs_error *error);
void rv_paper_turn(rv_paper *paper);
rs_status rv_paper_write(rv_paper *paper, rs_write write, void *context, rs_error *error);
void rv_paper_free(rv_paper *paper);
/* Adds bytes to the file's: cairo calls it. */
cairo_status_t rv_paper_collect(void *paper, const unsigned char *data, unsigned int length);

#endif
