/* canvas.h: paints a scene with cairo and pango; the same code for window, PNG, SVG, PDF and film.
 *
 *     canvas.c   shapes, layers, the cache of what stands still      label.c    text
 *     paper.c    PNG, SVG, PDF       picture.c  one moment       sheet.c  all steps
 *     film.c     all that moves      encoder.c  ffmpeg           fonts.c   are there any
 */
#ifndef RV_CANVAS_H
#define RV_CANVAS_H

#include "ringsim_viz.h"
#include "scene.h"

#include <cairo.h>

typedef struct rv_canvas rv_canvas;
rv_canvas *rv_canvas_new(void); /* NULL: no memory */
void rv_canvas_free(rv_canvas *canvas);

/* Paints the whole scene as vectors: for files. */
void rv_canvas_paint(rv_canvas *canvas, cairo_t *cr, const rv_scene *scene);
/* Paints a frame into an image surface of the scene's size (ARGB32): what stands still is kept from
   frame to frame and only copied. */
void rv_canvas_frame(rv_canvas *canvas, cairo_surface_t *image, const rv_scene *scene);
/* Tells whether the machine's fonts can write `text`; false: boxes would be drawn. */
bool rv_canvas_can_write(rv_canvas *canvas, const char *text);

/* fonts.c: tells whether the machine's fonts can write the language in use; the reason, and what to
   install, in *error. */
bool rv_has_fonts(rs_error *error);

/* label.c */
typedef struct rv_labels rv_labels; /* texts already laid out, by what they are */
rv_labels *rv_labels_new(void);
void rv_labels_free(rv_labels *labels);
void rv_label_paint(rv_labels *labels, cairo_t *cr, const rv_item *item, const char *text);
bool rv_labels_can_write(rv_labels *labels, const char *text);

/* sheet.c: all steps on one picture, or on the pages of a PDF. Moves the stage. */
struct rv_stage;
rs_status rv_draw_sheet(struct rv_stage *stage, rv_picture kind, rs_write write, void *context,
                        rs_error *error);
/* film.c: the whole run as it plays, MP4 or GIF; RS_UNSUPPORTED without ffmpeg. */
rs_status rv_make_film(const rs_report *report, const rv_options *options, rv_picture kind,
                       rs_write write, void *context, const rs_host *host, rs_error *error);
/* picture.c */
rs_status rv_gui_picture(const rs_report *report, const rv_options *options, rv_picture kind,
                         rs_write write, void *context, const rs_host *host, rs_error *error);

#endif
