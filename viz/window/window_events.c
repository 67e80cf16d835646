/* window_events.c: hands SDL's events to the stage: keys, pointer, wheel, and the window's own.
 *
 *   - SDL gives the pointer's place in points, the stage gets it in pixels: on some displays these
 *     differ.
 *   - While a button is down we get the pointer also outside the window: a reader can drag a slider
 *     past its end.
 */
#include "window/window.h"

rs_status rv_window_fit(rv_window *w, rs_error *error) {
    bool changed;
    const rs_status status = rv_glass_fit(&w->glass, &changed, error);
    if (status != RS_OK || w->glass.image == NULL || !changed) return status;
    rv_stage_resize(w->stage, w->glass.width, w->glass.height);
    rv_stage_draw(w->stage);
    w->dirty = w->exposed = true;
    return RS_OK;
}

static rs_status move_pointer(rv_window *w, rv_pointer what, int x, int y, rs_error *error) {
    int points_w, points_h;
    SDL_GetWindowSize(w->window, &points_w, &points_h);
    if (points_w < 1 || points_h < 1) return RS_OK;
    /* The size may have changed since the last frame; one that is too large has nothing to point at. */
    if (rv_window_fit(w, error) != RS_OK || w->glass.width == 0) return RS_OK;
    const rv_target before = w->stage->hover;
    const rs_status status = rv_stage_pointer(w->stage, what, (double)x * w->glass.width / points_w,
                                              (double)y * w->glass.height / points_h, error);
    const bool moves_on_empty_ground = what == RV_POINT_MOVE && before.thing == RV_NOTHING &&
                                       w->stage->hover.thing == RV_NOTHING &&
                                       w->stage->held.thing == RV_NOTHING;
    if (!moves_on_empty_ground) w->dirty = true;
    return status;
}

static rs_status take_button(rv_window *w, const SDL_MouseButtonEvent *button, rs_error *error) {
    const bool down = button->state == SDL_PRESSED;
    if (button->button == SDL_BUTTON_X1 && down) return rv_stage_act(w->stage, RV_BACK, error);
    if (button->button == SDL_BUTTON_X2 && down) return rv_stage_act(w->stage, RV_NEXT, error);
    if (button->button != SDL_BUTTON_LEFT) return RS_OK;
    SDL_CaptureMouse(down);
    return move_pointer(w, down ? RV_POINT_PRESS : RV_POINT_RELEASE, button->x, button->y, error);
}

/* The stage adds up the parts of a notch that a touch pad sends. */
static rs_status take_wheel(rv_window *w, const SDL_MouseWheelEvent *wheel, rs_error *error) {
    const double turned = (double)wheel->preciseY;
    const double by = wheel->direction == SDL_MOUSEWHEEL_FLIPPED ? -turned : turned;
    const bool zooms = (SDL_GetModState() & KMOD_CTRL) != 0 && by != 0;
    if (zooms && rv_stage_zoom(w->stage, by)) return RS_OK;
    return rv_stage_wheel(w->stage, by, error);
}

static rs_status take_window(rv_window *w, const SDL_WindowEvent *event, rs_error *error) {
    w->exposed = true; /* more often than necessary */
    switch (event->event) {
    case SDL_WINDOWEVENT_MINIMIZED:
    case SDL_WINDOWEVENT_HIDDEN: w->hidden = true; break;
    case SDL_WINDOWEVENT_SHOWN:
    case SDL_WINDOWEVENT_RESTORED:
    case SDL_WINDOWEVENT_MAXIMIZED:
    case SDL_WINDOWEVENT_EXPOSED: w->hidden = false; break;
    case SDL_WINDOWEVENT_LEAVE:
        if (w->stage->held.thing == RV_NOTHING) return move_pointer(w, RV_POINT_LEAVE, 0, 0, error);
        break;
    default: break;
    }
    return RS_OK;
}

/* Esc closes what is open; if nothing is, it leaves the full screen. */
static bool leaves_full_screen(const rv_stage *stage, int32_t key) {
    return key == RV_KEY_ESCAPE && stage->full_screen && stage->playback.mode == RV_LOOKING &&
           stage->menu.thing == RV_NOTHING && !rv_may_end_race(stage);
}

rs_status rv_window_take(rv_window *w, const SDL_Event *event, rs_error *error) {
    if (event->type == SDL_MOUSEMOTION) { /* `point` sets dirty itself */
        return move_pointer(w, RV_POINT_MOVE, event->motion.x, event->motion.y, error);
    }
    const int32_t key = rv_key_of(event);
    if (key != RV_KEY_NONE) {
        w->dirty = true;
        if (leaves_full_screen(w->stage, key)) w->stage->full_screen = false;
        return rv_stage_key(w->stage, key, error);
    }
    switch (event->type) {
    case SDL_QUIT: w->stage->playback.quit = true; return RS_OK;
    case SDL_KEYMAPCHANGED: rv_choose_input(); return RS_OK;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP: w->dirty = true; return take_button(w, &event->button, error);
    case SDL_MOUSEWHEEL: w->dirty = true; return take_wheel(w, &event->wheel, error);
    case SDL_WINDOWEVENT: w->dirty = true; return take_window(w, &event->window, error);
    case SDL_RENDER_TARGETS_RESET:
    case SDL_RENDER_DEVICE_RESET:
        w->glass.width = 0; /* the texture is lost: the next fit makes a new one */
        return RS_OK;
    default: return RS_OK;
    }
}
