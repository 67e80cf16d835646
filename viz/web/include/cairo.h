/* cairo.h: for a page: the part of cairo that viz/canvas/ uses. Functions without a body are imports: web/paint.js
 * does them on Canvas 2D, and web/imports lists them. Pointers are numbers of paint.js.
 *
 *   - Everything is painted in pixels, on surfaces of a browser: there is one kind of surface, with one status.
 */
#pragma once

#include <stddef.h>

typedef struct cairo_t cairo_t;
typedef struct cairo_surface_t cairo_surface_t;
typedef struct cairo_pattern_t cairo_pattern_t;
typedef struct cairo_path_t cairo_path_t;
typedef struct cairo_font_options_t cairo_font_options_t;
typedef struct cairo_matrix_t {
    double xx, yx, xy, yy, x0, y0;
} cairo_matrix_t;
typedef struct cairo_user_data_key_t {
    int unused;
} cairo_user_data_key_t;
typedef enum cairo_status_t { CAIRO_STATUS_SUCCESS, CAIRO_STATUS_NO_MEMORY } cairo_status_t;
enum { CAIRO_FORMAT_ARGB32, CAIRO_FORMAT_RGB24, CAIRO_FORMAT_A8 };
enum { CAIRO_SURFACE_TYPE_IMAGE };
enum { CAIRO_LINE_CAP_BUTT, CAIRO_LINE_CAP_ROUND };
enum { CAIRO_LINE_JOIN_MITER, CAIRO_LINE_JOIN_ROUND };
enum { CAIRO_EXTEND_REPEAT, CAIRO_FILTER_NEAREST };
enum { CAIRO_ANTIALIAS_GRAY, CAIRO_HINT_STYLE_NONE, CAIRO_HINT_METRICS_OFF };

cairo_t *cairo_create(cairo_surface_t *surface);
void cairo_destroy(cairo_t *cr);
void cairo_save(cairo_t *cr);
void cairo_restore(cairo_t *cr);
void cairo_translate(cairo_t *cr, double x, double y);
void cairo_scale(cairo_t *cr, double x, double y);
void cairo_clip(cairo_t *cr);
void cairo_reset_clip(cairo_t *cr);

void cairo_new_path(cairo_t *cr);
void cairo_new_sub_path(cairo_t *cr);
void cairo_move_to(cairo_t *cr, double x, double y);
void cairo_line_to(cairo_t *cr, double x, double y);
void cairo_arc(cairo_t *cr, double x, double y, double radius, double from, double to);
void cairo_rectangle(cairo_t *cr, double x, double y, double w, double h);
void cairo_close_path(cairo_t *cr);

void cairo_set_line_width(cairo_t *cr, double width);
void cairo_set_line_cap(cairo_t *cr, int cap);
void cairo_set_line_join(cairo_t *cr, int join);
void cairo_set_dash(cairo_t *cr, const double *dashes, int n, double offset);
void cairo_set_source_rgba(cairo_t *cr, double r, double g, double b, double a);
void cairo_set_source(cairo_t *cr, cairo_pattern_t *pattern);
void cairo_set_source_surface(cairo_t *cr, cairo_surface_t *surface, double x, double y);
void cairo_fill(cairo_t *cr);
void cairo_fill_preserve(cairo_t *cr);
void cairo_stroke(cairo_t *cr);
void cairo_paint(cairo_t *cr);
void cairo_mask_surface(cairo_t *cr, cairo_surface_t *surface, double x, double y);

cairo_surface_t *cairo_image_surface_create(int format, int width, int height);
unsigned char *cairo_image_surface_get_data(cairo_surface_t *surface);
int cairo_image_surface_get_width(cairo_surface_t *surface);
int cairo_image_surface_get_height(cairo_surface_t *surface);
int cairo_image_surface_get_stride(cairo_surface_t *surface);
void cairo_surface_mark_dirty(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);
int cairo_surface_set_user_data(cairo_surface_t *surface, const cairo_user_data_key_t *key,
                                void *data, void (*destroy)(void *));
void *cairo_surface_get_user_data(cairo_surface_t *surface, const cairo_user_data_key_t *key);

cairo_pattern_t *cairo_pattern_create_for_surface(cairo_surface_t *surface);
void cairo_pattern_set_matrix(cairo_pattern_t *pattern, const cairo_matrix_t *matrix);
void cairo_pattern_destroy(cairo_pattern_t *pattern);

static inline void cairo_matrix_init_translate(cairo_matrix_t *matrix, double x, double y) {
    *matrix = (cairo_matrix_t){1, 0, 0, 1, x, y};
}

/* What a browser does by itself, or has no word for; only pictures in lines copy a path. */
#define cairo_get_target(cr) ((void)(cr), (cairo_surface_t *)NULL)
#define cairo_surface_get_type(surface) ((void)(surface), CAIRO_SURFACE_TYPE_IMAGE)
#define cairo_surface_status(surface) ((void)(surface), CAIRO_STATUS_SUCCESS)
#define cairo_surface_flush(surface) ((void)(surface))
#define cairo_get_source(cr) ((void)(cr), (cairo_pattern_t *)NULL)
#define cairo_pattern_set_extend(pattern, extend) ((void)(pattern))
#define cairo_pattern_set_filter(pattern, filter) ((void)(pattern))
#define cairo_copy_path(cr) ((void)(cr), (cairo_path_t *)NULL)
#define cairo_append_path(cr, path) ((void)(path))
#define cairo_path_destroy(path) ((void)(path))
#define cairo_font_options_create() ((cairo_font_options_t *)NULL)
#define cairo_font_options_set_antialias(options, how) ((void)(options))
#define cairo_font_options_set_hint_style(options, how) ((void)(options))
#define cairo_font_options_set_hint_metrics(options, how) ((void)(options))
#define cairo_font_options_destroy(options) ((void)(options))
