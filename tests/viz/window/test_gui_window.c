/* test_gui_window.c: the window upon a screen of our own (fake_screen.h): whatever comes, and whenever it then rests,
 * the screen shows what a stage of our own shows that went through the same; nothing is painted for nothing; which
 * size it opens with, and what it says where it cannot.
 */
#include "viz/window/fake_screen.h"

#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static int below(int n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

/* -------------------------------------------------------------------------------- a stage of our own */

static struct mirror {
    rv_stage *stage;
    rv_canvas *canvas;
    rv_ruler ruler;
    rs_error error;
    int n_left;  /* events to come */
    bool hidden; /* nobody looks */
    bool same;   /* the event changes nothing that can be seen */
    int n_shown; /* until the last event */
    long n_waits;
    char last[80];
} mine;

static SDL_Window *the_window(void) {
    for (Uint32 id = 1; id < 100000; id++) { /* SDL 3 numbers other things among them */
        if (SDL_GetWindowFromID(id) != NULL) return SDL_GetWindowFromID(id);
    }
    cr_assert_fail("no window");
    return NULL;
}

static void fit_mine(void) {
    int w, h;
    SDL_GetWindowSize(the_window(), &w, &h);
    if (w != (int)mine.stage->width || h != (int)mine.stage->height) {
        rv_stage_resize(mine.stage, w, h);
    }
}

static int far_from(uint32_t a, uint32_t b) {
    int most = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const int by = abs((int)(a >> shift & 0xFF) - (int)(b >> shift & 0xFF));
        most = by > most ? by : most;
    }
    return most;
}

/* Smoothed edges may come out a little differently where they are clipped (test_gui_canvas.c). */
static void expect_seen(void) {
    const int w = (int)mine.stage->width, h = (int)mine.stage->height;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
    rv_canvas *fresh = rv_canvas_new();
    rv_canvas_frame(fresh, image, &mine.stage->scene);
    rv_canvas_free(fresh);
    const unsigned char *data = cairo_image_surface_get_data(image);
    for (int y = 0; y < h; y++) {
        const uint32_t *row =
            (const uint32_t *)(const void *)(data +
                                             (ptrdiff_t)y * cairo_image_surface_get_stride(image));
        for (int x = 0; x < w; x++) {
            const int by = far_from(row[x], fake.seen[y * SEEN_WIDTH + x]);
            cr_assert(by <= 24, "%s: the screen differs by %d at %d,%d of %d x %d", mine.last, by,
                      x, y, w, h);
        }
    }
    cairo_surface_destroy(image);
}

static void expect_title(void) {
    char title[256] = "ringsim: ";
    rv_stage_title(mine.stage, title + strlen(title), sizeof title - strlen(title));
    cr_assert_str_eq(SDL_GetWindowTitle(the_window()), title, "%s", mine.last);
}

/* Lets our stage rest, too, and compares. */
static void look(void) {
    if (!mine.hidden) fit_mine();
    cr_assert(rv_stage_still_ms(mine.stage) < 0 || fake.n_waits > mine.n_waits,
              "%s: what moves goes on, seen or not", mine.last);
    for (int i = 0; i < 10000 && rv_stage_still_ms(mine.stage) >= 0; i++) {
        cr_assert_eq(rv_stage_tick(mine.stage, 50, &mine.error), RS_OK);
    }
    if (mine.hidden) return; /* what the pointer feels is what was drawn */
    rv_stage_draw(mine.stage);
    expect_seen();
    expect_title();
    cr_assert(!mine.same || fake.n_shown == mine.n_shown, "%s: painted for nothing", mine.last);
}

/* ------------------------------------------------------------------------------------ what comes */

static const struct {
    SDL_Keycode sym;
    Uint16 mod;
    int32_t key;
} presses[] = {{SDLK_RIGHT, 0, RV_KEY_RIGHT},
               {SDLK_RIGHT, KMOD_LSHIFT, RV_KEY_SHIFT_RIGHT},
               {SDLK_LEFT, 0, RV_KEY_LEFT},
               {SDLK_DOWN, 0, RV_KEY_DOWN},
               {SDLK_TAB, KMOD_RSHIFT, RV_KEY_SHIFT_TAB},
               {SDLK_HOME, 0, RV_KEY_HOME},
               {SDLK_KP_ENTER, 0, RV_KEY_ENTER},
               {SDLK_ESCAPE, 0, RV_KEY_ESCAPE},
               {SDLK_v, 0, 'v'},
               {SDLK_t, 0, 't'},
               {SDLK_m, 0, 'm'},
               {SDLK_F1, 0, '?'},
               {SDLK_w, 0, 'w'},
               {SDLK_x, 0, 'x'},
               {SDLK_p, 0, 'p'},
               {SDLK_SPACE, 0, ' '},
               {SDLK_SLASH, KMOD_LSHIFT, '?'},
               {SDLK_d, KMOD_LCTRL, RV_KEY_NONE},
               {SDLK_MENU, 0, RV_KEY_NONE}};

static void come_key(SDL_Event *e) {
    const int i = below(sizeof presses / sizeof presses[0]);
    e->type = SDL_KEYDOWN;
    e->key.keysym.sym = presses[i].sym;
    e->key.keysym.mod = presses[i].mod;
    snprintf(mine.last, sizeof mine.last, "key %d", (int)presses[i].key);
    if (presses[i].key == RV_KEY_NONE) {
        mine.same = true;
        return;
    }
    cr_assert_eq(rv_stage_key(mine.stage, presses[i].key, &mine.error), RS_OK);
}

/* The middle of something that can be pointed at. */
static rv_point some_place(void) {
    const rv_scene *scene = &mine.stage->scene;
    for (int tries = 0; tries < 300; tries++) {
        const rv_item *item = &scene->items[below(scene->n_items)];
        if (item->target.thing > RV_AREA) return rv_centre(item->box);
    }
    return (rv_point){3, 3};
}

static void come_pointer(SDL_Event *e, rv_pointer what) {
    static rv_point at;
    const bool resized = what == RV_POINT_MOVE && below(4) == 0;
    if (resized) { /* the pointer comes before the new size has been painted */
        SDL_SetWindowSize(the_window(), 500 + 10 * below(40), 400 + 10 * below(30));
        fit_mine();
        rv_stage_draw(mine.stage);
    }
    if (what == RV_POINT_MOVE) at = below(5) == 0 ? (rv_point){2 + below(3), 2} : some_place();
    const int x = (int)at.x, y = (int)at.y;
    const rv_target before = mine.stage->hover;
    snprintf(mine.last, sizeof mine.last, "pointer %d at %d,%d", (int)what, x, y);
    if (what == RV_POINT_MOVE) {
        e->type = SDL_MOUSEMOTION;
        e->motion.x = x, e->motion.y = y;
    } else {
        e->type = what == RV_POINT_PRESS ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP;
        e->button.state = what == RV_POINT_PRESS ? SDL_PRESSED : SDL_RELEASED;
        e->button.button = SDL_BUTTON_LEFT;
        e->button.x = x, e->button.y = y;
    }
    cr_assert_eq(rv_stage_pointer(mine.stage, what, x, y, &mine.error), RS_OK);
    mine.same = !resized && what == RV_POINT_MOVE && before.thing == RV_NOTHING &&
                mine.stage->hover.thing == RV_NOTHING && mine.stage->held.thing == RV_NOTHING;
}

static void come_side_button(SDL_Event *e) {
    const int which = below(3), down = below(2);
    e->type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP;
    e->button.state = down ? SDL_PRESSED : SDL_RELEASED;
    e->button.button = (Uint8)(which == 0   ? SDL_BUTTON_X1
                               : which == 1 ? SDL_BUTTON_X2
                                            : SDL_BUTTON_RIGHT);
    snprintf(mine.last, sizeof mine.last, "button %d %s", e->button.button, down ? "down" : "up");
    if (down && which < 2) {
        cr_assert_eq(rv_stage_act(mine.stage, which == 0 ? RV_BACK : RV_NEXT, &mine.error), RS_OK);
    }
}

static void come_wheel(SDL_Event *e) {
    const bool turned = below(2);
    const float by = below(2) ? 1 : -1;
    e->type = SDL_MOUSEWHEEL;
    e->wheel.preciseY = by;
    e->wheel.direction = turned ? SDL_MOUSEWHEEL_FLIPPED : SDL_MOUSEWHEEL_NORMAL;
    snprintf(mine.last, sizeof mine.last, "wheel %g, turned %d", (double)by, turned);
    cr_assert_eq(rv_stage_wheel(mine.stage, turned ? -by : by, &mine.error), RS_OK);
}

/* The screen has lost what it showed: or the window had another size, or was not seen, or nothing was. */
static void come_window(SDL_Event *e) {
    static const SDL_WindowEventID back[] = {SDL_WINDOWEVENT_SHOWN, SDL_WINDOWEVENT_RESTORED,
                                             SDL_WINDOWEVENT_MAXIMIZED, SDL_WINDOWEVENT_EXPOSED};
    e->type = SDL_WINDOWEVENT;
    int kind = mine.hidden ? 0 : below(4);
    snprintf(mine.last, sizeof mine.last, "window %d", kind);
    switch (kind) {
    case 0:
        memset(fake.seen, 0x5A, sizeof fake.seen);
        e->window.event = (Uint8)back[below(mine.hidden ? 4 : 1) + (mine.hidden ? 0 : 3)];
        mine.hidden = false;
        break;
    case 1:
        SDL_SetWindowSize(the_window(), 500 + 10 * below(40), 400 + 10 * below(30));
        e->window.event = SDL_WINDOWEVENT_SIZE_CHANGED;
        break;
    case 2:
        e->window.event = below(2) ? SDL_WINDOWEVENT_MINIMIZED : SDL_WINDOWEVENT_HIDDEN;
        mine.hidden = true;
        break;
    default:
        e->window.event = SDL_WINDOWEVENT_LEAVE;
        if (mine.stage->held.thing == RV_NOTHING) {
            cr_assert_eq(rv_stage_pointer(mine.stage, RV_POINT_LEAVE, 0, 0, &mine.error), RS_OK);
        }
    }
}

static bool anything(SDL_Event *e) {
    look();
    if (mine.n_left-- == 0) return false;
    mine.n_shown = fake.n_shown;
    mine.n_waits = fake.n_waits;
    mine.same = false;
    const bool held = mine.stage->held.thing != RV_NOTHING;
    switch (below(12)) {
    case 0:
    case 1:
    case 2:
    case 3: come_key(e); break;
    case 4: come_wheel(e); break;
    case 5: come_side_button(e); break;
    case 6:
    case 7: come_window(e); break;
    case 8: come_pointer(e, held ? RV_POINT_RELEASE : RV_POINT_PRESS); break;
    default: come_pointer(e, RV_POINT_MOVE); break;
    }
    return true;
}

/* --------------------------------------------------------------------------------------- a window */

static view_fixture run;

/* Runs a window, beside it our stage. */
static rs_status open_both(const rv_options *options, bool (*next)(SDL_Event *), int n_events) {
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    view_fixture_start(&run, "ring", 4);
    OWN_VIEW own = {0};
    view_fixture_start(&own, "ring", 4);
    mine = (struct mirror){.n_left = n_events, .canvas = rv_canvas_new()};
    cr_assert_eq(rv_stage_new(&own.subject, options, NULL, &mine.error, &mine.stage), RS_OK);
    mine.ruler = rv_canvas_ruler(mine.canvas);
    mine.stage->ruler = &mine.ruler;
    fake.next = next;
    fake.n_waits = 0;
    const rs_status status = rv_window_run(&run.subject, options, NULL, &run.error);
    rv_stage_free(mine.stage);
    rv_canvas_free(mine.canvas);
    view_fixture_free(&run);
    return status;
}

Test(gui_window, shows_at_rest_what_a_stage_shows_that_went_through_the_same, .timeout = 900) {
    const rv_options options = {.at = 1, .colour = true, .pixel_width = 640, .pixel_height = 480};
    for (int by_renderer = 0; by_renderer < 2; by_renderer++) {
        state = (uint64_t)by_renderer + 1;
        fake.no_surface = by_renderer;
        cr_assert_eq(open_both(&options, anything, 60), RS_OK, "%s", run.error.text);
    }
}

/* -------------------------------------------------------------------------------- step after step */

/* Events in turn: after each a look at the window. */
static const struct turn {
    SDL_Keycode sym; /* 0: the screen is lost; 1: the pointer lies on a button */
    bool full;       /* afterwards it fills the screen */
} turns[] = {{SDLK_v, false},      {SDLK_ESCAPE, false}, {SDLK_F11, true},
             {SDLK_ESCAPE, false}, {SDLK_f, true},       {SDLK_F1, true},
             {SDLK_ESCAPE, true},  {SDLK_p, true},       {SDLK_RIGHT, true},
             {SDLK_ESCAPE, true},  {SDLK_ESCAPE, false}, {SDLK_f, true},
             {SDLK_f, false},      {0, false},           {1, false}};
enum { N_TURNS = sizeof turns / sizeof turns[0] };

static bool next_turn(SDL_Event *e) {
    int w, h;
    const int i = N_TURNS - mine.n_left;
    const Uint32 flags = SDL_GetWindowFlags(the_window());
    SDL_GetWindowSize(the_window(), &w, &h);
    if (i > 0) {
        cr_expect_eq((flags & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0, turns[i - 1].full, "turn %d",
                     i - 1);
        if (turns[i - 1].sym == 0) cr_expect_eq(fake.last_area, w * h, "all of it is shown");
        if (turns[i - 1].sym == 1)
            cr_expect_lt(fake.last_area, w * h / 3.0, "a button: %.0f", fake.last_area);
    }
    if (mine.n_left-- == 0) return false;
    e->type = SDL_KEYDOWN;
    e->key.keysym.sym = turns[i].sym;
    if (turns[i].sym == 0) {
        e->type = SDL_WINDOWEVENT;
        e->window.event = SDL_WINDOWEVENT_EXPOSED;
    } else if (turns[i].sym == 1) {
        e->type = SDL_MOUSEMOTION;
        e->motion.x = w - 20;
        e->motion.y = h - 20;
    }
    return true;
}

Test(gui_window, escape_leaves_the_full_screen_once_nothing_is_open_and_little_is_shown_anew) {
    const rv_options options = {.at = 1, .colour = true, .pixel_width = 640, .pixel_height = 480};
    cr_assert_eq(open_both(&options, next_turn, N_TURNS), RS_OK, "%s", run.error.text);
}

/* ------------------------------------------------------------------------------------- its size */

static int opened_w, opened_h;

static bool note_size(SDL_Event *e) {
    (void)e;
    SDL_GetWindowSize(the_window(), &opened_w, &opened_h);
    return false;
}

/* As wanted, else 1280 x 720 and larger on a dense screen; never larger than the screen. */
Test(gui_window, opens_as_large_as_wanted_or_as_the_screen_allows, .timeout = 900) {
    static const int wanted[][2] = {{0, 0}, {700, 500}, {1900, 1000}, {1000, 0}};
    static const float dpis[] = {0, 96, 143, 144, 192, 400, 401};
    static const int rooms[][2] = {{1024, 768}, {1900, 1400}, {320, 240}, {319, 240}, {320, 239}};
    for (size_t i = 0; i < 4 * 7 * 5; i++) {
        const int *size = wanted[i % 4], *room = rooms[i / 28];
        const float dpi = dpis[i / 4 % 7];
        const rv_options options = {.at = -1, .pixel_width = size[0], .pixel_height = size[1]};
        const double dense = size[0] == 0 && dpi >= 144 && dpi <= 400 ? (double)dpi / 96 : 1;
        if (dense > 2) continue; /* more pixels than are seen here */
        double w = (size[0] > 0 ? size[0] : 1280) * dense,
               h = (size[1] > 0 ? size[1] : 720) * dense;
        const bool bounds = room[0] >= 320 && room[1] >= 240;
        if (bounds && w > room[0]) w = room[0];
        if (bounds && h > room[1]) h = room[1];
        if (w > SEEN_WIDTH || h > SEEN_HEIGHT) continue;
        fake.room = (SDL_Rect){0, 0, room[0], room[1]};
        fake.dpi = dpi;
        cr_assert_eq(open_both(&options, note_size, 0), RS_OK);
        cr_expect(opened_w == (int)w && opened_h == (int)h,
                  "%d x %d wanted, %g dpi, room for %d x %d: %d x %d", size[0], size[1],
                  (double)dpi, room[0], room[1], opened_w, opened_h);
    }
}

/* A desktop's portal in the test's hands. */
static const char *portal_says;

GDBusConnection *g_bus_get_sync(GBusType type, GCancellable *cancellable, GError **error) {
    (void)type, (void)cancellable, (void)error;
    return g_object_new(G_TYPE_OBJECT, NULL);
}
GVariant *g_dbus_connection_call_sync(GDBusConnection *bus, const gchar *name, const gchar *path,
                                      const gchar *face, const gchar *method, GVariant *asked,
                                      const GVariantType *type, GDBusCallFlags flags, gint ms,
                                      GCancellable *cancellable, GError **error) {
    (void)bus, (void)name, (void)path, (void)face, (void)method, (void)flags, (void)ms;
    (void)cancellable, (void)error, (void)type;
    g_variant_unref(g_variant_ref_sink(asked));
    return portal_says != NULL ? g_variant_new_parsed(portal_says) : NULL;
}

static bool note_theme(SDL_Event *event) {
    (void)event;
    mine.hidden = (fake.seen[SEEN_WIDTH + 1] & 0xFF) < 0x80; /* the ground's corner */
    return false;
}

Test(gui_window, begins_as_dark_as_the_desktop_unless_a_theme_was_chosen) {
    static const char *const said[] = {NULL, "(<<uint32 1>>,)", "(<uint32 1>,)", "(<<uint32 2>>,)"};
    for (int i = 0; i < 8; i++) {
        portal_says = said[i / 2];
        setenv("DBUS_SESSION_BUS_ADDRESS", "unix:", 1);
        open_both(&(rv_options){.at = -1, .desktop_theme = i % 2}, note_theme, 0);
        cr_expect_eq(mine.hidden, i == 3 || i == 5, "%d", i);
    }
}

Test(gui_window, that_cannot_be_opened_says_why) {
    const rv_options options = {.at = -1};
    fake.no_window = true;
    cr_expect_eq(open_both(&options, note_size, 0), RS_UNSUPPORTED);
    cr_expect_str_eq(run.error.text, "no window: no window today");
    fake.no_window = false;
    fake.no_surface = fake.no_renderer = true;
    cr_expect_eq(open_both(&options, note_size, 0), RS_UNSUPPORTED);
    cr_expect_str_eq(run.error.text, "no window: no renderer today");
}
