/* window.c: the SDL2 window: waits for events while nothing moves, paints a frame when something does.
 *
 *     event --> stage (pure) --> scene --> canvas (cairo) --> glass --> screen
 *
 *   - While nothing moves it sleeps in SDL_WaitEvent: no timer, no processor time. While something
 *     moves it paints once in each period of the screen and waits for events in between.
 *   - It takes all waiting events before the next frame; of several pointer moves only the last.
 */
#include "config.h"
#include "window/window.h"
#include "lesson/lesson_flow.h"

#include <math.h>
#include <string.h>

static const double LONGEST_MS = 250; /* after a longer frame the motion goes on by so much only */

/* ---------------------------------------------------------------------------------------- opening */

/* Chooses the wanted size, in points, but no larger than the screen allows. On a dense screen 1280
   x 720 pixels would be too small to read: the window, and its type, grow with the density. */
static void choose_size(const rv_options *options, int *width, int *height) {
    SDL_Rect room = {0, 0, 0, 0};
    float dpi = 0;
    *width = options->pixel_width > 0 ? options->pixel_width : 1280;
    *height = options->pixel_height > 0 ? options->pixel_height : 720;
    if (options->pixel_width <= 0 && SDL_GetDisplayDPI(0, NULL, &dpi, NULL) == 0 && dpi >= 144 &&
        dpi <= 400) {
        *width = (int)lround(*width * (double)dpi / 96);
        *height = (int)lround(*height * (double)dpi / 96);
    }
    if (SDL_GetDisplayUsableBounds(0, &room) != 0 || room.w < 320 || room.h < 240) return;
    if (*width > room.w) *width = room.w;
    if (*height > room.h) *height = room.h;
}

static rs_status open_window(rv_window *w, const rv_options *options, rs_error *error) {
    int width, height;
    choose_size(options, &width, &height);
    w->window = SDL_CreateWindow("ringsim", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width,
                                 height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (w->window == NULL) {
        return rs_fail(error, RS_UNSUPPORTED, _("no window: %.300s"), SDL_GetError());
    }
    SDL_SetWindowMinimumSize(w->window, 320, 240);
    rv_choose_input();
    w->canvas = rv_canvas_new();
    if (w->canvas == NULL) return rs_fail(error, RS_NO_MEMORY, _("no memory for the window"));
    w->dirty = true;
    return rv_glass_open(&w->glass, w->window, error);
}

static void close_window(rv_window *w) {
    rv_glass_close(&w->glass);
    SDL_FreeCursor(w->hand);
    if (w->window != NULL) SDL_DestroyWindow(w->window);
    SDL_Quit();
}

/* ------------------------------------------------------------------------- what the stage asks for */

/* Without a window manager SDL would assume a full-screen size that the window never gets: so this
   resizes the window itself. */
static bool fill_by_hand(rv_window *w, bool fill) {
    SDL_Rect all;
    const char *driver = SDL_GetCurrentVideoDriver();
    if (driver == NULL || strcmp(driver, "x11") != 0 || rv_has_window_manager()) return false;
    if (SDL_GetDisplayBounds(SDL_GetWindowDisplayIndex(w->window), &all) != 0) return false;
    if (fill) {
        SDL_GetWindowPosition(w->window, &w->before.x, &w->before.y);
        SDL_GetWindowSize(w->window, &w->before.w, &w->before.h);
    } else {
        all = w->before;
    }
    SDL_SetWindowPosition(w->window, all.x, all.y);
    SDL_SetWindowSize(w->window, all.w, all.h);
    return true;
}

static void set_full_screen(rv_window *w) {
    rv_stage *stage = w->stage;
    const Uint32 flags = stage->full_screen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0;
    if (!fill_by_hand(w, stage->full_screen) && SDL_SetWindowFullscreen(w->window, flags) != 0) {
        SDL_strlcpy(stage->playback.message, SDL_GetError(), sizeof stage->playback.message);
        stage->full_screen = w->full_screen;
    }
    w->full_screen = stage->full_screen;
    if (w->full_screen) { /* probably a lecture: keep the screen on */
        SDL_DisableScreenSaver();
    } else {
        SDL_EnableScreenSaver();
    }
}

static void copy_code(const rv_course *course) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    SDL_SetClipboardText(rv_flow_code(course, &arena));
    rs_arena_free(&arena);
}

static void do_wishes(rv_window *w) {
    rv_stage *stage = w->stage;
    if (stage->wish == RV_WISH_PNG) rv_save_picture(stage, false);
    if (stage->wish == RV_WISH_SVG) rv_save_picture(stage, true);
    if (stage->wish == RV_WISH_COPY) copy_code(stage->course);
    if (stage->wish == RV_WISH_LANGUAGE) rv_stage_swap_language(stage);
    if (stage->full_screen != w->full_screen) set_full_screen(w);
    stage->wish = RV_NO_WISH;
}

/* ---------------------------------------------------------------------------------------- painting */

static void show_hand(rv_window *w) {
    const int32_t thing = w->stage->hover.thing;
    const bool hand = thing != RV_NOTHING && thing != RV_AREA;
    if (hand == w->hand_shown) return;
    if (w->hand == NULL) w->hand = SDL_CreateSystemCursor(SDL_SYSTEM_CURSOR_HAND);
    SDL_SetCursor(hand && w->hand != NULL ? w->hand : SDL_GetDefaultCursor());
    w->hand_shown = hand;
}

static void show_title(rv_window *w) {
    char title[sizeof w->title] = "ringsim: ";
    const size_t n = strlen(title);
    rv_stage_title(w->stage, title + n, sizeof title - n);
    if (strcmp(title, w->title) == 0) return;
    memcpy(w->title, title, sizeof title);
    SDL_SetWindowTitle(w->window, title);
}

static rs_status paint(rv_window *w, rs_error *error) {
    const bool first = w->title[0] == '\0';
    const rs_status status = rv_window_fit(w, error);
    w->dirty = false;
    if (status != RS_OK && !first) return RS_OK; /* too large: it may become smaller again */
    if (status != RS_OK || w->glass.image == NULL) return status;
    rv_stage_draw(w->stage);
    rv_canvas_frame(w->canvas, w->glass.image, &w->stage->scene);
    int n_boxes;
    const rv_box *boxes = rv_canvas_changed(w->canvas, &n_boxes);
    rv_glass_show(&w->glass, boxes, w->exposed ? -1 : n_boxes);
    w->exposed = false;
    if (w->glass.width == 0) w->dirty = true; /* the size changed while we painted */
    show_title(w);
    show_hand(w);
    if (first) rv_set_icon(w->window, w->canvas);
    return RS_OK;
}

/* -------------------------------------------------------------------------------------------- time */

static double now_ms(void) {
    return (double)SDL_GetPerformanceCounter() * 1000 / (double)SDL_GetPerformanceFrequency();
}

/* Returns how long the screen shows a frame. If showing already waits for the screen, less: to wait
   twice would miss every second frame. */
static double period_ms(const rv_window *w) {
    SDL_DisplayMode mode;
    const int display = SDL_GetWindowDisplayIndex(w->window);
    int hz = 60;
    if (SDL_GetCurrentDisplayMode(display, &mode) == 0 && mode.refresh_rate >= 24) {
        hz = mode.refresh_rate > 120 ? 120 : mode.refresh_rate;
    }
    return 1000.0 / hz - (w->glass.waits ? 4 : 0);
}

/* Waits for an event, for `ms` at most (-1: for ever); false: none came. */
static bool wait_for_event(double ms, SDL_Event *event) {
    if (ms < 0) return SDL_WaitEvent(event) == 1;
    return SDL_WaitEventTimeout(event, (int)ceil(ms)) == 1;
}

static bool another_move_follows(const SDL_Event *event) {
    SDL_Event next;
    return event->type == SDL_MOUSEMOTION &&
           SDL_PeepEvents(&next, 1, SDL_PEEKEVENT, SDL_FIRSTEVENT, SDL_LASTEVENT) == 1 &&
           next.type == SDL_MOUSEMOTION;
}

static rs_status take_events(rv_window *w, double wait_ms, rs_error *error) {
    SDL_Event event;
    rs_status status = RS_OK;
    bool got = wait_for_event(wait_ms, &event);
    while (got && status == RS_OK && !w->stage->playback.quit) {
        if (!another_move_follows(&event)) status = rv_window_take(w, &event, error);
        do_wishes(w);
        got = SDL_PollEvent(&event) == 1;
    }
    return status;
}

/* due: the time from which on the next frame may be painted. */
static double time_to_wait(const rv_window *w, int still_ms, double due) {
    if (w->hidden) return still_ms < 0 ? -1 : fmax(still_ms, 100);
    if (w->dirty || still_ms == 0) return fmax(0, due - now_ms());
    return still_ms;
}

static rs_status loop(rv_window *w, rs_error *error) {
    rs_status status = RS_OK;
    double before = now_ms(), due = before;
    while (status == RS_OK && !w->stage->playback.quit) {
        const double frame = now_ms();
        if (w->dirty && !w->hidden && frame >= due) {
            status = paint(w, error);
            due = frame + period_ms(w);
        }
        if (status != RS_OK) break;
        const int still_ms = rv_stage_still_ms(w->stage);
        status = take_events(w, time_to_wait(w, still_ms, due), error);
        const double now = now_ms();
        if (still_ms >= 0 && status == RS_OK) {
            const double ms = now - before;
            status = rv_stage_tick(w->stage, still_ms > 0 ? ms : fmin(ms, LONGEST_MS), error);
            w->dirty = true;
        }
        before = now;
    }
    return status;
}

/* -------------------------------------------------------------------------------------- all of it */

static rs_status open_and_loop(rv_window *w, const rv_subject *subject, const rv_options *options,
                               const rs_host *host, rs_error *error) {
    if (sigsetjmp(*rv_watch_display(), 0) != 0) {
        if (w->glass.image != NULL) cairo_surface_destroy(w->glass.image);
        return rs_fail(error, RS_UNSUPPORTED, _("the display has gone; the window with it"));
    }
    rs_status status = open_window(w, options, error);
    if (status == RS_OK) status = rv_stage_new(subject, options, host, error, &w->stage);
    if (status == RS_OK) {
        w->ruler = rv_canvas_ruler(w->canvas);
        w->stage->ruler = &w->ruler;
        if (options->desktop_theme) rv_stage_take_theme(w->stage, rv_desktop_is_dark());
        status = loop(w, error);
    }
    close_window(w);
    return status;
}

rs_status rv_window_run(const rv_subject *subject, const rv_options *options, const rs_host *host,
                        rs_error *error) {
    rv_window w = {0};
    if (!rv_has_display(error)) return RS_UNSUPPORTED;
    const rs_status status = open_and_loop(&w, subject, options, host, error);
    rv_stage_free(w.stage);
    rv_canvas_free(w.canvas);
    rv_release_signals();
    return status;
}

/* The one name that the module exports: a table of the functions that the program calls. */
extern const rv_gui rv_gui_table;
__attribute__((visibility("default"))) const rv_gui rv_gui_table = {
    .abi = RV_GUI_ABI,
    .version = RINGSIM_VERSION,
    .has_display = rv_has_display,
    .has_fonts = rv_has_fonts,
    .run = rv_window_run,
    .picture = rv_gui_picture,
};
