/* paper.c: see paper.h. */
#include "canvas/paper.h"
#include "stage/stage.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef SANITIZED
#include <sanitizer/lsan_interface.h>
#endif

/* What cairo 1.16 forgets when it finishes an SVG is no leak of ours. */
static void finish_surface(cairo_surface_t *surface) {
#ifdef SANITIZED
    __lsan_disable();
#endif
    cairo_surface_finish(surface);
#ifdef SANITIZED
    __lsan_enable();
#endif
}

rs_status rv_paper_open(rv_paper *paper, rv_picture kind, double width, double height,
                        const char *title, rs_error *error) {
    snprintf(paper->title, sizeof paper->title, "%s", title);
    paper->format = rv_format_of(kind);
    paper->canvas = rv_canvas_new();
    paper->surface = paper->format->open(paper, width, height);
    paper->cr = cairo_create(paper->surface);
    const bool good = paper->canvas != NULL && cairo_status(paper->cr) == CAIRO_STATUS_SUCCESS;
    return good ? RS_OK : rs_no_memory(error);
}

void rv_paper_draw(rv_paper *paper, rv_stage *stage) {
    const rv_ruler ruler = rv_canvas_ruler(paper->canvas), *before = stage->ruler;
    stage->ruler = &ruler;
    rv_stage_draw(stage);
    rv_canvas_paint(paper->canvas, paper->cr, &stage->scene);
    stage->ruler = before;
}

void rv_paper_turn(rv_paper *paper) {
    cairo_show_page(paper->cr);
}

rs_status rv_paper_write(rv_paper *paper, rs_write write, void *context, rs_error *error) {
    cairo_status_t status = cairo_status(paper->cr);
    if (status == CAIRO_STATUS_SUCCESS && paper->format->finish != NULL) {
        status = paper->format->finish(paper);
    }
    finish_surface(paper->surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(paper->surface);
    const unsigned char zero = 0; /* svg.c searches the bytes as a C string */
    if (status == CAIRO_STATUS_SUCCESS) status = rv_paper_collect(paper, &zero, 1);
    if (status != CAIRO_STATUS_SUCCESS) {
        return rs_fail(error, RS_NO_MEMORY, "the picture could not be drawn: %s",
                       cairo_status_to_string(status));
    }
    assert(paper->n_bytes > 0);
    paper->n_bytes--;
    if (paper->format->write == NULL) {
        write(context, paper->bytes, paper->n_bytes);
    } else if (!paper->format->write(paper, write, context)) {
        return rs_no_memory(error);
    }
    return RS_OK;
}

void rv_paper_free(rv_paper *paper) {
    if (paper->cr != NULL) cairo_destroy(paper->cr);
    if (paper->surface != NULL) {
        finish_surface(paper->surface);
        cairo_surface_destroy(paper->surface);
    }
    rv_canvas_free(paper->canvas);
    free(paper->bytes);
    *paper = (rv_paper){0};
}
