/* paper.h: the surface of a picture, PNG, SVG or PDF, and its bytes until they are whole; and what the canvas must know of
 * each kind of picture (formats.c).
 *
 *     open --> rv_paper_draw, or draw with paper.cr (PDF: rv_paper_turn for a new page) --> rv_paper_write --> free
 *     films: frames --> ffmpeg (encoder.h) with the format's arguments --> is_whole
 *
 *   - rv_paper_write hands the bytes out only when the picture is whole.
 *   - The same drawing gives the same bytes: they have no date in them, and no number that depends
 *     on what the process has drawn before.
 */
#pragma once

#include "canvas/canvas.h"

#include <sys/types.h>

struct rv_paper;
typedef struct rv_format {
    cairo_surface_t *(*open)(struct rv_paper *paper, double width, double height);
    /* Turns what is drawn into the file's bytes. NULL: the surface has written them already. */
    cairo_status_t (*finish)(struct rv_paper *paper);
    /* Hands the bytes out; false: no memory. NULL: paper.c hands them out unchanged. */
    bool (*write)(const struct rv_paper *paper, rs_write write, void *context);

    int per_second, most_width; /* frames a second; pixels, 0: any width */
    const char *arguments;      /* of ffmpeg, for what it writes; none holds a space */
    bool has_palette;           /* a first run of ffmpeg finds the 256 colours that suit best */
    bool (*is_whole)(int file, off_t n_bytes);
} rv_format;
const rv_format *rv_format_of(rv_picture kind);
/* svg.c: the functions of its format. */
cairo_surface_t *rv_open_svg(struct rv_paper *paper, double width, double height);
bool rv_write_svg_file(const struct rv_paper *paper, rs_write write, void *context);

typedef struct rv_paper {
    const rv_format *format;
    rv_canvas *canvas;
    cairo_surface_t *surface;
    cairo_t *cr;
    char title[256];
    char *bytes; /* of the file, so far */
    size_t n_bytes, room;
    bool failed; /* memory ran out */
} rv_paper;

/* Opens paper of width x height (pixels; PDF: points) in a zeroed rv_paper. */
rs_status rv_paper_open(rv_paper *paper, rv_picture kind, double width, double height,
                        const char *title, rs_error *error);
/* Draws the stage as it is now. */
struct rv_stage;
void rv_paper_draw(rv_paper *paper, struct rv_stage *stage);
void rv_paper_turn(rv_paper *paper);
rs_status rv_paper_write(rv_paper *paper, rs_write write, void *context, rs_error *error);
void rv_paper_free(rv_paper *paper);
/* Adds bytes to the file's: cairo calls it. */
cairo_status_t rv_paper_collect(void *paper, const unsigned char *data, unsigned int length);
