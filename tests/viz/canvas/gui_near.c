/* gui_near.c: see gui_near.h. */
#include "viz/canvas/gui_near.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* A square differs if its mean colour does, by so much of 255 in a channel: a letter drawn in another
   way changes it little, a chunk in another place a lot. */
enum { SIDE = 16, CLEARLY = 22 };

cairo_surface_t *near_read(const char *path) {
    cairo_surface_t *read = cairo_image_surface_create_from_png(path);
    cr_assert_eq(cairo_surface_status(read), CAIRO_STATUS_SUCCESS, "%s: %s", path,
                 cairo_status_to_string(cairo_surface_status(read)));
    return read;
}

static int channel_of(cairo_surface_t *image, int x, int y, int channel) {
    const unsigned char *row =
        cairo_image_surface_get_data(image) + (ptrdiff_t)y * cairo_image_surface_get_stride(image);
    return row[4 * x + channel];
}

static bool square_differs(cairo_surface_t *a, cairo_surface_t *b, int left, int top) {
    const int width = cairo_image_surface_get_width(a), height = cairo_image_surface_get_height(a);
    for (int channel = 0; channel < 3; channel++) {
        int sum = 0, n = 0;
        for (int y = top; y < top + SIDE && y < height; y++) {
            for (int x = left; x < left + SIDE && x < width; x++, n++) {
                sum += channel_of(a, x, y, channel) - channel_of(b, x, y, channel);
            }
        }
        if (abs(sum) > CLEARLY * n) return true;
    }
    return false;
}

double near_distance(cairo_surface_t *a, cairo_surface_t *b) {
    const int width = cairo_image_surface_get_width(a), height = cairo_image_surface_get_height(a);
    if (width != cairo_image_surface_get_width(b) || height != cairo_image_surface_get_height(b)) {
        return 1;
    }
    int differ = 0, squares = 0;
    for (int y = 0; y < height; y += SIDE) {
        for (int x = 0; x < width; x += SIDE, squares++) differ += square_differs(a, b, x, y);
    }
    return (double)differ / squares;
}
