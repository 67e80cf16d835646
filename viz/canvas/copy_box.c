/* copy_box.c: the way of a still picture's pixels into a frame. */
#include "canvas/canvas.h"

#include <string.h>

void rv_copy_box(cairo_surface_t *to, cairo_surface_t *from, rv_box box) {
    const ptrdiff_t stride = cairo_image_surface_get_stride(to);
    const ptrdiff_t at = (ptrdiff_t)box.y * stride + 4 * (ptrdiff_t)box.x;
    unsigned char *out = cairo_image_surface_get_data(to) + at;
    const unsigned char *in = cairo_image_surface_get_data(from) + at;
    for (int y = 0; y < (int)box.h; y++)
        memcpy(out + y * stride, in + y * stride, 4 * (size_t)box.w);
}
