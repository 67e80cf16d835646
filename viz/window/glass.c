/* glass.c: the image with the window's pixels, into which cairo paints, and how it gets to the
 * screen.
 *
 *     X11                 cairo --> the window's own shared memory --> X server
 *     Wayland, others     cairo --> image --> streaming texture --> GPU, in step with the screen
 *
 *   - The first way needs no OpenGL: the first frame is there 100 ms earlier, and a frame at
 *     1280 x 720 is shown in 0.1 ms instead of 5 (without a GPU: 15).
 *   - It falls back to the second where the window's pixels are not the ones that cairo paints.
 */
#include "window/window.h"

/* ------------------------------------------------------------------------ the window's own memory */

static bool starts_with_surface(void) {
    const char *driver = SDL_GetCurrentVideoDriver();
    return driver != NULL && (SDL_strcmp(driver, "x11") == 0 || SDL_strcmp(driver, "dummy") == 0 ||
                              SDL_strcmp(driver, "offscreen") == 0);
}

/* Returns the window's pixels as a cairo image; NULL: they have another format. A window of another
   size has other pixels. */
static cairo_surface_t *own_pixels(SDL_Window *window) {
    SDL_Surface *surface = SDL_GetWindowSurface(window);
    if (surface == NULL || SDL_MUSTLOCK(surface)) return NULL;
    const Uint32 format = surface->format->format;
    if (format != SDL_PIXELFORMAT_RGB888 && format != SDL_PIXELFORMAT_ARGB8888) return NULL;
    if (cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, surface->w) != surface->pitch)
        return NULL;
    return cairo_image_surface_create_for_data(surface->pixels, CAIRO_FORMAT_RGB24, surface->w,
                                               surface->h, surface->pitch);
}

/* -------------------------------------------------------------------------------- the renderer */

static rs_status open_renderer(rv_glass *glass, rs_error *error) {
    glass->renderer = SDL_CreateRenderer(glass->window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (glass->renderer == NULL) {
        glass->renderer = SDL_CreateRenderer(glass->window, -1, SDL_RENDERER_SOFTWARE);
    }
    SDL_RendererInfo info;
    if (glass->renderer == NULL || SDL_GetRendererInfo(glass->renderer, &info) != 0) {
        return rs_fail(error, RS_UNSUPPORTED, _("no window: %.300s"), SDL_GetError());
    }
    glass->waits = (info.flags & SDL_RENDERER_PRESENTVSYNC) != 0;
    return RS_OK;
}

static void free_image(rv_glass *glass) {
    if (glass->image != NULL) cairo_surface_destroy(glass->image);
    if (glass->texture != NULL) SDL_DestroyTexture(glass->texture);
    glass->image = NULL;
    glass->texture = NULL;
}

/* ----------------------------------------------------------------------------------- what is used */

rs_status rv_glass_open(rv_glass *glass, SDL_Window *window, rs_error *error) {
    *glass = (rv_glass){.window = window};
    if (starts_with_surface()) {
        SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0"); /* else SDL would use a texture */
        glass->image = own_pixels(window);
    }
    if (glass->image == NULL) return open_renderer(glass, error);
    glass->direct = true;
    SDL_GetWindowSize(window, &glass->width, &glass->height);
    return RS_OK;
}

rs_status rv_glass_fit(rv_glass *glass, bool *changed, rs_error *error) {
    int width, height;
    *changed = false;
    if (glass->direct) {
        SDL_GetWindowSize(glass->window, &width, &height);
    } else if (SDL_GetRendererOutputSize(glass->renderer, &width, &height) != 0) {
        return RS_OK;
    }
    if (width < 1 || height < 1) return RS_OK; /* minimised: keep what there is */
    if (glass->image != NULL && width == glass->width && height == glass->height) return RS_OK;
    free_image(glass);
    if (glass->direct) {
        glass->image = own_pixels(glass->window);
    } else {
        glass->image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
        glass->texture = SDL_CreateTexture(glass->renderer, SDL_PIXELFORMAT_RGB888,
                                           SDL_TEXTUREACCESS_STREAMING, width, height);
    }
    if (glass->image == NULL || (!glass->direct && glass->texture == NULL) ||
        cairo_surface_status(glass->image) != CAIRO_STATUS_SUCCESS) {
        return rs_fail(error, RS_NO_MEMORY, _("no memory for a window of %d x %d pixels"), width,
                       height);
    }
    glass->width = cairo_image_surface_get_width(glass->image);
    glass->height = cairo_image_surface_get_height(glass->image);
    *changed = true;
    return RS_OK;
}

/* Gives changed boxes, or all pixels, to the X server. SDL fails if the window's size has changed:
   width 0 makes rv_glass_fit fetch the pixels again. */
static void show_direct(rv_glass *glass, const rv_box boxes[], int n_boxes) {
    enum { MOST = 64 };
    SDL_Rect rects[MOST];
    if (n_boxes < 0 || n_boxes > MOST) {
        if (SDL_UpdateWindowSurface(glass->window) != 0) glass->width = 0;
        return;
    }
    for (int i = 0; i < n_boxes; i++) {
        rects[i] = (SDL_Rect){(int)boxes[i].x, (int)boxes[i].y, (int)boxes[i].w, (int)boxes[i].h};
    }
    if (n_boxes == 0) return;
    if (SDL_UpdateWindowSurfaceRects(glass->window, rects, n_boxes) != 0) glass->width = 0;
}

void rv_glass_show(rv_glass *glass, const rv_box boxes[], int n_boxes) {
    if (glass->direct) {
        show_direct(glass, boxes, n_boxes);
        return;
    }
    SDL_UpdateTexture(glass->texture, NULL, cairo_image_surface_get_data(glass->image),
                      cairo_image_surface_get_stride(glass->image));
    SDL_RenderCopy(glass->renderer, glass->texture, NULL, NULL);
    SDL_RenderPresent(glass->renderer);
}

void rv_glass_close(rv_glass *glass) {
    free_image(glass);
    if (glass->renderer != NULL) SDL_DestroyRenderer(glass->renderer);
    *glass = (rv_glass){0};
}
