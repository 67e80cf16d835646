/* format.h: what a kind of picture knows of itself: a file each (png.c, svg.c, pdf.c, mp4.c, gif.c), which
 * ends with its row; the list of them is RV_PICTURES (ringsim_viz.h).
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
    /* Turns what is drawn into bytes; hands them out. NULL: the surface has written them; as they are. */
    cairo_status_t (*finish)(rv_paper *paper);
    bool (*write)(const rv_paper *paper, rs_write write, void *context); /* false: no memory */

    int per_second, most_width;   /* frames; pixels, 0: any */
    const char *const *arguments; /* of ffmpeg, for what it writes; end with NULL */
    bool has_palette;             /* the 256 colours that suit the frames best are found first */
    bool (*is_whole)(int file, off_t n_bytes);
};
const rv_format *rv_format_of(rv_picture kind);

#endif
