/* png.c: a page as a PNG. */
#include "canvas/format.h"

static cairo_surface_t *open_png(rv_paper *paper, double width, double height) {
    (void)paper;
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
}

static cairo_status_t finish(rv_paper *paper) {
    return cairo_surface_write_to_png_stream(paper->surface, rv_paper_collect, paper);
}

const rv_format rv_format_png = {.open = open_png, .finish = finish};
