/* canvas.h: paints a scene with cairo and pango; the same code for window, PNG, SVG, PDF and film.
 *
 *     canvas.c    frames: paints only what has changed      label.c     text
 *     changes.c   what has changed
 *     shape.c     one item                                  hatch.c     fills
 *     paper.c     a file's pages                            formats.c   the kinds of files; svg.c: the same SVG each time
 *     picture.c   one moment, a lesson, slides              sheet.c     all steps
 *     film.c      the run as it plays                       encoder.c   ffmpeg
 *     fonts.c     are there any
 */
#pragma once

#include "ringsim_viz.h"
#include "scene/scene.h"

#include <cairo.h>

typedef struct rv_canvas rv_canvas;
rv_canvas *rv_canvas_new(void); /* NULL: no memory */
void rv_canvas_free(rv_canvas *canvas);

/* Paints the whole scene, for files. On an image's surface it puts lines and text on whole
   pixels. */
void rv_canvas_paint(rv_canvas *canvas, cairo_t *cr, const rv_scene *scene);
/* Paints a frame into an image surface of the scene's size (ARGB32). If the surface still holds
   the canvas's last frame, paints only what differs from it: nobody else may draw into it in
   between. */
void rv_canvas_frame(rv_canvas *canvas, cairo_surface_t *image, const rv_scene *scene);
/* Returns the boxes, in whole pixels, that the last frame has painted: a driver copies those. */
const rv_box *rv_canvas_changed(const rv_canvas *canvas, int *n_boxes);
/* Measures with this canvas's fonts, as long as it lives. */
rv_ruler rv_canvas_ruler(rv_canvas *canvas);
/* Tells whether the machine's fonts can write `text`; false: pango would draw boxes instead. */
bool rv_canvas_can_write(rv_canvas *canvas, const char *text);

/* ------------------------------------------------------------------ what the canvas's files share */

/* label.c: keeps the texts that it has set. pixels: paints a text as an image of its ink, on whole
   pixels; else as glyphs. */
typedef struct rv_labels rv_labels;
rv_labels *rv_labels_new(void);
void rv_labels_free(rv_labels *labels);
void rv_label_paint(rv_labels *labels, cairo_t *cr, const rv_item *item, const char *text,
                    bool pixels);
bool rv_labels_can_write(rv_labels *labels, const char *text);
/* Tells whether a label fits its box, shrunk if need be, without an ellipsis. */
bool rv_label_is_whole(rv_labels *labels, const rv_item *item, const char *text);

/* Returns how large a text is, set in one size and broken to a width; 0: not broken. */
rv_extent rv_label_extent(rv_labels *labels, const char *text, double size, double width,
                          unsigned style);

/* hatch.c: fills cairo's current path, and leaves the path there. */
typedef struct rv_tiles rv_tiles;
void rv_set_colour(cairo_t *cr, rv_colour colour);
rv_tiles *rv_tiles_new(void);
void rv_tiles_free(rv_tiles *tiles);
void rv_fill(rv_tiles *tiles, cairo_t *cr, const rv_item *item, double unit, bool pixels);

/* shape.c */
typedef struct rv_brush {
    cairo_t *cr;
    const rv_scene *scene;
    rv_labels *labels;
    rv_tiles *tiles;
    bool pixels;
} rv_brush;
void rv_paint_item(const rv_brush *brush, const rv_item *item);
double rv_arrow_size(const rv_item *item, double unit);

/* copy_box.c: copies a box of whole pixels from one image surface to the same place of another. */
void rv_copy_box(cairo_surface_t *to, cairo_surface_t *from, rv_box box);

/* changes.c: the parts of a picture, each dirty or not. A zeroed rv_tiled is ready for
   rv_tiled_clear. */
typedef struct rv_tiled {
    unsigned char *dirty; /* NULL: no memory */
    int columns, rows, width, height;
} rv_tiled;
void rv_tiled_clear(rv_tiled *tiled, int width, int height);
void rv_tiled_add(rv_tiled *tiled, rv_box box);
void rv_tiled_join(rv_tiled *tiled, const rv_tiled *more);
/* Takes one rectangle of dirty parts after the other, from *at = 0; false: there is no more. */
bool rv_tiled_take(rv_tiled *tiled, int *at, rv_box *box);

typedef struct rv_changes rv_changes;
rv_changes *rv_changes_new(void);
void rv_changes_free(rv_changes *changes);
/* Adds to `tiled` where the scene's items of some layers (bits 1 << layer) differ from those of the
   call before. inks: rv_ink_of each item. False: no memory to tell. */
bool rv_changes_find(rv_changes *changes, const rv_scene *scene, const rv_box inks[],
                     unsigned layers, rv_tiled *tiled);
/* Returns a box that holds all the ink of an item. */
rv_box rv_ink_of(const rv_item *item, double unit);

/* ----------------------------------------------------------------------------------------- files */

/* fonts.c: tells whether the machine's fonts can write the language in use. If not, *error says so,
   and what to install. */
bool rv_has_fonts(rs_error *error);

/* sheet.c: all steps on one picture, or on the pages of a PDF. Moves the stage. */
struct rv_stage;
rs_status rv_draw_sheet(struct rv_stage *stage, rv_picture kind, rs_write write, void *context,
                        rs_error *error);
/* film.c: the whole run as it plays, MP4 or GIF; RS_UNSUPPORTED without ffmpeg. */
rs_status rv_make_film(const rv_subject *subject, const rv_options *options, rv_picture kind,
                       rs_write write, void *context, const rs_host *host, rs_error *error);
/* picture.c */
rs_status rv_gui_picture(const rv_subject *subject, const rv_options *options, rv_picture kind,
                         rs_write write, void *context, const rs_host *host, rs_error *error);
