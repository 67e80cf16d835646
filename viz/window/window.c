/* window.c: the SDL2 window: waits for events while nothing moves, paints a frame when something does.
 *
 *     event --> stage (pure) --> scene --> canvas (cairo) --> streaming texture --> screen
 */
#include "window.h"

#include <string.h>

typedef struct window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    cairo_surface_t *image;
    rv_canvas *canvas;
    rv_stage *stage;
    int width, height;
    bool dirty;
} window;

/* With an X display only, SDL would try Wayland's library too, and that complains on stderr. */
static void leave_wayland_out(void) {
#ifdef __linux__
    const char *x11 = SDL_getenv("DISPLAY"), *wayland = SDL_getenv("WAYLAND_DISPLAY");
    if (x11 == NULL || x11[0] == '\0' || (wayland != NULL && wayland[0] != '\0')) return;
    if (SDL_getenv("SDL_VIDEODRIVER") == NULL) SDL_SetHint(SDL_HINT_VIDEODRIVER, "x11");
#endif
}

bool rv_has_display(rs_error *error) {
    leave_wayland_out();
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) {
        rs_fail(error, RS_UNSUPPORTED, "no display: %.200s", SDL_GetError());
        return false;
    }
    const char *driver = SDL_GetCurrentVideoDriver();
    const char *asked = SDL_getenv("SDL_VIDEODRIVER");
    const bool silent =
        driver == NULL || strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0;
    if (silent && (asked == NULL || driver == NULL || strcmp(asked, driver) != 0)) {
        rs_fail(error, RS_UNSUPPORTED,
                "no display (neither DISPLAY nor WAYLAND_DISPLAY leads to one)");
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
        return false;
    }
    return true;
}

/* Fits image and texture to the window's size in pixels. */
static rs_status fit(window *w, rs_error *error) {
    int width, height;
    SDL_GetRendererOutputSize(w->renderer, &width, &height);
    if (width < 1 || height < 1) return RS_OK; /* minimised: keep what there is */
    if (w->image != NULL && width == w->width && height == w->height) return RS_OK;
    w->width = width;
    w->height = height;
    if (w->image != NULL) cairo_surface_destroy(w->image);
    if (w->texture != NULL) SDL_DestroyTexture(w->texture);
    w->image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    w->texture = SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_ARGB8888,
                                   SDL_TEXTUREACCESS_STREAMING, width, height);
    if (w->texture == NULL || cairo_surface_status(w->image) != CAIRO_STATUS_SUCCESS) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for a window of %d x %d pixels", width,
                       height);
    }
    rv_stage_resize(w->stage, width, height);
    w->dirty = true;
    return RS_OK;
}

static void paint(window *w) {
    rv_stage_draw(w->stage);
    rv_canvas_frame(w->canvas, w->image, &w->stage->scene);
    SDL_UpdateTexture(w->texture, NULL, cairo_image_surface_get_data(w->image),
                      cairo_image_surface_get_stride(w->image));
    SDL_RenderCopy(w->renderer, w->texture, NULL, NULL);
    SDL_RenderPresent(w->renderer);
    w->dirty = false;
}

static rs_status point(window *w, rv_pointer what, int x, int y, rs_error *error) {
    int points_w, points_h;
    SDL_GetWindowSize(w->window, &points_w, &points_h);
    if (points_w < 1 || points_h < 1) return RS_OK;
    return rv_stage_pointer(w->stage, what, (double)x * w->width / points_w,
                            (double)y * w->height / points_h, error);
}

static rs_status handle(window *w, const SDL_Event *event, rs_error *error) {
    const int32_t key = rv_key_of(event);
    w->dirty = true;
    if (key != RV_KEY_NONE) return rv_stage_key(w->stage, key, error);
    switch (event->type) {
    case SDL_QUIT: w->stage->walk.quit = true; break;
    case SDL_MOUSEMOTION: return point(w, RV_POINT_MOVE, event->motion.x, event->motion.y, error);
    case SDL_MOUSEBUTTONDOWN:
        return point(w, RV_POINT_PRESS, event->button.x, event->button.y, error);
    case SDL_MOUSEBUTTONUP:
        return point(w, RV_POINT_RELEASE, event->button.x, event->button.y, error);
    case SDL_MOUSEWHEEL: return rv_stage_wheel(w->stage, event->wheel.y, error);
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_LEAVE) {
            return point(w, RV_POINT_LEAVE, 0, 0, error);
        }
        break;
    default: break;
    }
    return RS_OK;
}

static rs_status loop(window *w, rs_error *error) {
    rs_status status = RS_OK;
    Uint64 before = SDL_GetTicks64();
    while (status == RS_OK && !w->stage->walk.quit) {
        status = fit(w, error);
        if (status != RS_OK) break;
        if (w->dirty) paint(w);
        const int still_ms = rv_stage_still_ms(w->stage);
        SDL_Event event;
        int got = still_ms < 0 ? SDL_WaitEvent(&event)
                               : SDL_WaitEventTimeout(&event, still_ms > 0 ? still_ms : 8);
        while (got && status == RS_OK) {
            status = handle(w, &event, error);
            got = SDL_PollEvent(&event);
        }
        const Uint64 now = SDL_GetTicks64();
        if (still_ms >= 0 && status == RS_OK) {
            status = rv_stage_tick(w->stage, (double)(now - before), error);
            w->dirty = true;
        }
        before = now;
    }
    return status;
}

static rs_status open(window *w, const rv_options *options, rs_error *error) {
    const int width = options->pixel_width > 0 ? options->pixel_width : 1280;
    const int height = options->pixel_height > 0 ? options->pixel_height : 720;
    w->window = SDL_CreateWindow("ringsim", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width,
                                 height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (w->window != NULL) w->renderer = SDL_CreateRenderer(w->window, -1, 0);
    if (w->renderer == NULL) {
        return rs_fail(error, RS_UNSUPPORTED, "no window: %.300s", SDL_GetError());
    }
    w->canvas = rv_canvas_new();
    if (w->canvas == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for the window");
    return RS_OK;
}

static void close_all(window *w) {
    rv_stage_free(w->stage);
    rv_canvas_free(w->canvas);
    if (w->image != NULL) cairo_surface_destroy(w->image);
    if (w->texture != NULL) SDL_DestroyTexture(w->texture);
    if (w->renderer != NULL) SDL_DestroyRenderer(w->renderer);
    if (w->window != NULL) SDL_DestroyWindow(w->window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    SDL_Quit();
}

rs_status rv_window_run(const rs_report *report, const rv_options *options, const rs_host *host,
                        rs_error *error) {
    window w = {0};
    if (!rv_has_display(error)) return RS_UNSUPPORTED;
    rs_status status = open(&w, options, error);
    if (status == RS_OK) status = rv_stage_new(report, options, host, error, &w.stage);
    if (status == RS_OK) status = loop(&w, error);
    close_all(&w);
    return status;
}
