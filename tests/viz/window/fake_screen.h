/* fake_screen.h: SDL's screen, clock and events in a test's hands, upon SDL's driver `dummy`. Only test_gui_window.c
 * and test_gui_keys.c include it: SDL's functions that are defined here take the place of its own.
 *
 *     window --SDL_UpdateWindowSurface*, SDL_RenderPresent--> fake.seen, what somebody would see
 *     fake.next(event), called whenever the window waits for ever --> the window's next event
 */
#pragma once

#include "window/window.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN_WIDTH = 2000, SEEN_HEIGHT = 1500 };

static struct fake_screen {
    uint32_t seen[SEEN_HEIGHT * SEEN_WIDTH]; /* 0x00RRGGBB, a row of SEEN_WIDTH after the other */
    int n_shown;                             /* how often something was shown */
    double last_area;                        /* what was shown last, in pixels */
    bool (*next)(SDL_Event *event);          /* false: none */
    Uint64 now_ms;
    long n_waits;
    bool no_surface, no_renderer, no_window, no_links; /* what fails */
    float dpi;                                         /* 0: nobody knows */
    SDL_Rect room;                                     /* of the screen; w 0: as the driver says */
    SDL_Scancode odd; /* a key with another sign than the US layout's */
} fake;

/* The function of that name in SDL itself. */
static void *of_sdl(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    cr_assert_not_null(found, "%s", name);
    return found;
}
#define REAL(name) (*(__typeof__(&name)[1]){of_sdl(#name)})

/* Shows some of the pixels: rows of `pitch` bytes. */
static void fake_show(const void *pixels, int pitch, SDL_Rect r) {
    cr_assert(r.x >= 0 && r.y >= 0 && r.x + r.w <= SEEN_WIDTH && r.y + r.h <= SEEN_HEIGHT);
    for (int y = r.y; y < r.y + r.h; y++) {
        const char *row = (const char *)pixels + (ptrdiff_t)y * pitch;
        for (int x = r.x; x < r.x + r.w; x++) {
            memcpy(&fake.seen[y * SEEN_WIDTH + x], row + (ptrdiff_t)4 * x, 4);
        }
    }
    fake.last_area += (double)r.w * r.h;
}

SDL_Surface *SDL_GetWindowSurface(SDL_Window *window) {
    return fake.no_surface ? NULL : REAL(SDL_GetWindowSurface)(window);
}
/* Only a surface that is still the window's is asked for: else SDL would make a new one. */
int SDL_UpdateWindowSurfaceRects(SDL_Window *window, const SDL_Rect *rects, int n) {
    const int status = REAL(SDL_UpdateWindowSurfaceRects)(window, rects, n);
    if (status != 0) return status;
    const SDL_Surface *surface = REAL(SDL_GetWindowSurface)(window);
    fake.n_shown++;
    fake.last_area = 0;
    for (int i = 0; i < n; i++) fake_show(surface->pixels, surface->pitch, rects[i]);
    return status;
}
int SDL_UpdateWindowSurface(SDL_Window *window) {
    SDL_Rect all = {0, 0, 0, 0};
    SDL_GetWindowSize(window, &all.w, &all.h);
    return SDL_UpdateWindowSurfaceRects(window, &all, 1);
}
void SDL_RenderPresent(SDL_Renderer *renderer) {
    SDL_Rect all = {0, 0, 0, 0};
    SDL_GetRendererOutputSize(renderer, &all.w, &all.h);
    uint32_t *pixels = malloc((size_t)all.w * (size_t)all.h * 4);
    cr_assert_eq(SDL_RenderReadPixels(renderer, &all, SDL_PIXELFORMAT_RGB888, pixels, 4 * all.w),
                 0);
    fake.n_shown++;
    fake.last_area = 0;
    fake_show(pixels, 4 * all.w, all);
    free(pixels);
    REAL(SDL_RenderPresent)(renderer);
}
SDL_Renderer *SDL_CreateRenderer(SDL_Window *window, int index, Uint32 flags) {
    if (fake.no_renderer) SDL_SetError("no renderer today");
    return fake.no_renderer ? NULL : REAL(SDL_CreateRenderer)(window, index, flags);
}
SDL_Window *SDL_CreateWindow(const char *title, int x, int y, int w, int h, Uint32 flags) {
    if (fake.no_window) SDL_SetError("no window today");
    return fake.no_window ? NULL : REAL(SDL_CreateWindow)(title, x, y, w, h, flags);
}

/* ------------------------------------------------------------------------------- clock and events */

Uint64 SDL_GetPerformanceCounter(void) {
    return fake.now_ms;
}
Uint64 SDL_GetPerformanceFrequency(void) {
    return 1000;
}
int SDL_WaitEventTimeout(SDL_Event *event, int ms) {
    (void)event;
    cr_assert_lt(++fake.n_waits, 100000, "the window does not come to rest");
    fake.now_ms += (Uint64)(ms > 0 ? ms : 1);
    return 0;
}
int SDL_WaitEvent(SDL_Event *event) {
    memset(event, 0, sizeof *event);
    if (!fake.next(event)) event->type = SDL_QUIT;
    return 1;
}
int SDL_PollEvent(SDL_Event *event) {
    (void)event;
    return 0;
}
int SDL_PeepEvents(SDL_Event *events, int n, SDL_eventaction action, Uint32 from, Uint32 to) {
    (void)events, (void)n, (void)action, (void)from, (void)to;
    return 0;
}

/* ------------------------------------------------------------------------------ screen and keyboard */

int SDL_GetDisplayDPI(int display, float *diagonal, float *across, float *down) {
    (void)display, (void)diagonal, (void)down;
    *across = fake.dpi;
    return fake.dpi > 0 ? 0 : -1;
}
int SDL_GetDisplayUsableBounds(int display, SDL_Rect *bounds) {
    if (fake.room.w == 0) return REAL(SDL_GetDisplayUsableBounds)(display, bounds);
    *bounds = fake.room;
    return 0;
}
SDL_Keycode SDL_GetKeyFromScancode(SDL_Scancode place) {
    const SDL_Keycode sign = REAL(SDL_GetKeyFromScancode)(place);
    return place == fake.odd && place != SDL_SCANCODE_UNKNOWN ? sign + 1 : sign;
}
