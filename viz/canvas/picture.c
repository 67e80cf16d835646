/* picture.c: one picture, without a window: PNG, SVG, PDF. */
#include "canvas.h"
#include "stage.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>

typedef struct sink {
    rs_write write;
    void *context;
} sink;

static cairo_status_t take(void *closure, const unsigned char *data, unsigned int length) {
    const sink *to = closure;
    to->write(to->context, (const char *)data, length);
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *surface_of(rv_picture kind, const rv_stage *stage, sink *to) {
    if (kind == RV_SVG) {
        return cairo_svg_surface_create_for_stream(take, to, stage->width, stage->height);
    }
    if (kind == RV_PDF) {
        return cairo_pdf_surface_create_for_stream(take, to, stage->width, stage->height);
    }
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)stage->width, (int)stage->height);
}

rs_status rv_gui_picture(const rs_report *report, const rv_options *options, rv_picture kind,
                         rs_write write, void *context, const rs_host *host, rs_error *error) {
    rv_stage *stage;
    if (kind == RV_MP4 || kind == RV_GIF) {
        return rs_fail(error, RS_UNSUPPORTED, "films are not made yet");
    }
    rs_status status = rv_stage_new(report, options, host, error, &stage);
    if (status != RS_OK) return status;
    rv_canvas *canvas = rv_canvas_new();
    sink to = {write, context};
    cairo_surface_t *surface = surface_of(kind, stage, &to);
    cairo_t *cr = cairo_create(surface);
    rv_stage_draw(stage);
    if (canvas != NULL) rv_canvas_paint(canvas, cr, &stage->scene);
    cairo_destroy(cr);
    if (kind == RV_PNG) cairo_surface_write_to_png_stream(surface, take, &to);
    cairo_surface_finish(surface);
    if (canvas == NULL || cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) {
        status = rs_fail(error, RS_NO_MEMORY, "the picture could not be drawn");
    }
    cairo_surface_destroy(surface);
    rv_canvas_free(canvas);
    rv_stage_free(stage);
    return status;
}
