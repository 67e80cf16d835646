/* format.h: what the canvas must know of a kind of picture. Each kind has a file (png.c, svg.c,
 * pdf.c, mp4.c, gif.c), which ends with its row; RV_PICTURES (ringsim_viz.h) lists them.
 *
 *     pages   open --> drawn on --> finish, write
 *     films   frames --> ffmpeg (encoder.h) with these arguments --> is_whole
 */
#ifndef RV_FORMAT_H
#define RV_FORMAT_H

#include "canvas/paper.h"

#include <sys/types.h>

struct rv_format {
    cairo_surface_t *(*open)(rv_paper *paper, double width, double height);
    /* Turns what is drawn into the file's bytes. NULL: the surface has written them already. */
    cairo_status_t (*finish)(rv_paper *paper);
    /* Hands the bytes out; false: no memory. NULL: paper.c hands them out unchanged. */
    bool (*write)(const rv_paper *paper, rs_write write, void *context);

    int per_second, most_width;   /* frames a second; pixels, 0: any width */
    const char *const *arguments; /* of ffmpeg, for what it writes; end with NULL */
    bool has_palette;             /* a first run of ffmpeg finds the 256 colours that suit best */
    bool (*is_whole)(int file, off_t n_bytes);
};
const rv_format *rv_format_of(rv_picture kind);

#endif
