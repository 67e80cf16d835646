/* icon.c: the window's icon: a ring of five GPUs in their colours, drawn by our own scene and canvas. */
#include "window/window.h"

#include <math.h>

enum { ICON_PIXELS = 64, N_DISCS = 5 };

static void draw(rv_scene *scene) {
    const rv_look look = rv_look_of(false, 1280, 720, 1);
    const double middle = ICON_PIXELS / 2.0, radius = 0.33 * ICON_PIXELS;
    rv_scene_start(scene, ICON_PIXELS, ICON_PIXELS, 0);
    rv_scene_rect(scene, (rv_box){0, 0, ICON_PIXELS, ICON_PIXELS}, 12, look.ground);
    rv_scene_arc(scene, (rv_point){middle, middle}, radius, 0, 6.2832, 3, look.faint);
    for (int i = 0; i < N_DISCS; i++) {
        const double angle = (i * 2.0 / N_DISCS - 0.5) * 3.14159265358979;
        const rv_point at = {middle + radius * cos(angle), middle + radius * sin(angle)};
        rv_item *disc = rv_scene_disc(scene, at, 8.5, rv_dye_of(&look, i).fill);
        disc->line = 1.5;
        disc->stroke = look.outline;
    }
}

void rv_set_icon(SDL_Window *window, rv_canvas *canvas) {
    rv_scene scene = {0};
    draw(&scene);
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, ICON_PIXELS, ICON_PIXELS);
    cairo_t *cr = cairo_create(image);
    rv_canvas_paint(canvas, cr, &scene);
    cairo_destroy(cr);
    cairo_surface_flush(image);
    rv_scene_free(&scene);
    if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
        SDL_Surface *icon = SDL_CreateRGBSurfaceWithFormatFrom(
            cairo_image_surface_get_data(image), ICON_PIXELS, ICON_PIXELS, 32,
            cairo_image_surface_get_stride(image), SDL_PIXELFORMAT_ARGB8888);
        if (icon != NULL) SDL_SetWindowIcon(window, icon);
        SDL_FreeSurface(icon);
    }
    cairo_surface_destroy(image);
}
