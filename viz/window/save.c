/* save.c: `s` and Shift+S: the picture that is seen, as a file beside which nothing is overwritten.
 *
 *     ringsim-step-3.png, ringsim-step-3-2.png, ringsim-step-3-3.png ...
 *
 *   - A file is whole or not there: it is written under a passing name and linked to its own.
 */
#include "window.h"
#include "words.h"

#include <cairo-svg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OF_A_NAME = 999 };

static cairo_status_t take(void *closure, const unsigned char *data, unsigned int n) {
    return fwrite(data, 1, n, closure) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Paints what is seen, but for what the pointer lights up, into an open file. */
static bool paint_file(rv_stage *stage, rv_canvas *canvas, bool svg, FILE *file) {
    const rv_target hover = stage->hover;
    stage->hover = (rv_target){0};
    stage->walk.message[0] = '\0';
    rv_stage_draw(stage);
    stage->hover = hover;
    cairo_surface_t *surface =
        svg ? cairo_svg_surface_create_for_stream(take, file, stage->width, stage->height)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)stage->width, (int)stage->height);
    cairo_t *cr = cairo_create(surface);
    rv_canvas_paint(canvas, cr, &stage->scene);
    cairo_destroy(cr);
    bool good = cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
    if (good && !svg) {
        good = cairo_surface_write_to_png_stream(surface, take, file) == CAIRO_STATUS_SUCCESS;
    }
    cairo_surface_finish(surface);
    good = good && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(surface);
    return good;
}

/* Gives the file its own name, the first that is free. */
static bool give_name(const char *passing, const char *stem, const char *ending, char *out,
                      size_t n_out) {
    for (int i = 1; i <= MOST_OF_A_NAME; i++) {
        if (i == 1) {
            snprintf(out, n_out, "%s.%s", stem, ending);
        } else {
            snprintf(out, n_out, "%s-%d.%s", stem, i, ending);
        }
        if (link(passing, out) == 0) return true;
        if (errno == EEXIST) continue;
        if (access(out, F_OK) == 0) continue; /* a file system without links: */
        return rename(passing, out) == 0;
    }
    errno = EEXIST;
    return false;
}

static bool save(rv_stage *stage, rv_canvas *canvas, bool svg, const char *stem, char *out,
                 size_t n_out) {
    char passing[600];
    snprintf(passing, sizeof passing, "%s-XXXXXX", stem);
    const int fd = mkstemp(passing);
    if (fd < 0) return false;
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    FILE *file = fdopen(fd, "wb");
    if (file == NULL) close(fd);
    errno = 0;
    bool good = file != NULL && paint_file(stage, canvas, svg, file);
    if (file != NULL && fclose(file) != 0) good = false;
    good = good && give_name(passing, stem, svg ? "svg" : "png", out, n_out);
    const int reason = errno;
    unlink(passing); /* linked by now, renamed, or not wanted */
    errno = reason;
    return good;
}

void rv_save_picture(rv_stage *stage, rv_canvas *canvas, bool svg) {
    const rv_model *model = stage->trial->model;
    const char *prefix = stage->options->picture_prefix;
    char stem[512], place[32], path[600];
    snprintf(place, sizeof place, "step-%d", (int)model->step);
    if (model->step < 0) snprintf(place, sizeof place, "start");
    if (model->step >= model->n_steps) snprintf(place, sizeof place, "end");
    snprintf(stem, sizeof stem, "%.450s-%s", prefix != NULL ? prefix : "ringsim", place);
    rv_walk *walk = &stage->walk;
    if (save(stage, canvas, svg, stem, path, sizeof path)) {
        snprintf(walk->message, sizeof walk->message, _("Saved %.200s"), path);
    } else {
        snprintf(path, sizeof path, "%s.%s", stem, svg ? "svg" : "png");
        snprintf(walk->message, sizeof walk->message, _("%.150s: %.80s"), path,
                 errno != 0 ? strerror(errno) : _("it could not be written"));
    }
}
