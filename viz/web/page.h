/* page.h: what the files of a page share: the window in a browser.
 *
 *     page.c        opens; events, time, frames       page_link.c          this moment as a command line
 *     imports       what the browser does for us      pango_attributes.c   what a span of a text looks like
 *     page.js       the browser's side: events        paint.js, text.js, files.js    cairo, pango, files
 */
#pragma once

#include "canvas/canvas.h"
#include "stage/stage.h"

/* page.js: leaves the program where it stands, without unwinding: what lies on the stack stays there for the events
   that follow. */
_Noreturn void page_opened(void);
/* paint.js: copies a box of one surface to the same place of another. */
void page_copy_box(cairo_surface_t *to, cairo_surface_t *from, double x, double y, double w,
                   double h);

/* Writes the options that lead from what was typed, when the run was as `begun`, to what the stage shows now, each
   after a space: " --at 3 --moment arrive --show matrix". *runs_anew: the reader has changed the run itself, and of
   faults all are named. Returns the bytes written. */
size_t rv_page_link(const rv_stage *stage, const rv_setup *begun, bool *runs_anew, char *out,
                    size_t n_out);
