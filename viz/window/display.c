/* display.c: is there a display, and which? Is its desktop dark? The program asks before it opens anything; a failure is
 * one line of text.
 *
 *   - Without a display SDL silently takes a driver that shows nothing (`offscreen`), or takes over
 *     a bare console (`KMSDRM`). So we try X11 and Wayland by name. If SDL_VIDEODRIVER is set, we
 *     obey it: `dummy` gives a window that nobody sees, for tests.
 *   - A remote X server that does not answer would delay the start for minutes: we first try to
 *     connect to it, with two seconds to answer.
 */
#include "window/window.h"

#include <errno.h>
#include <gio/gio.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000, FIRST_X_PORT = 6000 };

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value != NULL && *value != '\0';
}

/* ----------------------------------------------------------------------------- a far X server */

static bool connects(const struct addrinfo *to) {
    const int fd = socket(to->ai_family, to->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    int failed = 0;
    socklen_t n = sizeof failed;
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    bool good = connect(fd, to->ai_addr, to->ai_addrlen) == 0;
    if (!good && errno == EINPROGRESS && poll(&wait, 1, PATIENCE_MS) == 1) {
        good = getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &n) == 0 && failed == 0;
    }
    close(fd);
    return good;
}

/* Tells whether HOST:NUMBER.SCREEN answers. True for displays of this machine (:0, unix:0), which
   never keep us waiting, and for names of another form, which are Xlib's matter. */
static bool x_answers(const char *display) {
    char host[256], port[16];
    const char *colon = strrchr(display, ':');
    if (colon == NULL || colon == display || *display == '/') return true;
    const size_t n_host = (size_t)(colon - display);
    const long number = strtol(colon + 1, NULL, 10);
    if (n_host >= sizeof host || number < 0 || number > 59535) return true;
    memcpy(host, display, n_host);
    host[n_host] = '\0';
    if (strcmp(host, "unix") == 0 || strncmp(host, "unix/", 5) == 0) return true;
    snprintf(port, sizeof port, "%ld", FIRST_X_PORT + number);
    struct addrinfo *found, wanted = {.ai_socktype = SOCK_STREAM};
    if (getaddrinfo(host, port, &wanted, &found) != 0) return false;
    const bool answers = connects(found);
    freeaddrinfo(found);
    return answers;
}

/* ------------------------------------------------------------------------------------ the driver */

static void give_hints(void) {
    SDL_SetHint("SDL_APP_NAME", "ringsim");
    SDL_SetHint("SDL_VIDEO_X11_WMCLASS", "ringsim");
    SDL_SetHint("SDL_VIDEO_WAYLAND_WMCLASS", "ringsim");
    /* The window mostly stands still: the desktop may keep its effects and its screen saver. */
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    /* The click that brings the window to the front counts, too: else one soon after a full screen is lost. */
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
}

static bool start(const char *driver) {
    /* Once its events run, SDL turns SIGINT and SIGTERM into a quit event. We set our handlers,
       which note the signal, before the slow part starts. */
    if (SDL_InitSubSystem(SDL_INIT_EVENTS) != 0) return false;
    rv_watch_signals();
    if (driver != NULL) SDL_setenv("SDL_VIDEODRIVER", driver, 1);
    const bool good = SDL_InitSubSystem(SDL_INIT_VIDEO) == 0;
    if (driver != NULL) unsetenv("SDL_VIDEODRIVER"); /* children must not inherit it */
    return good;
}

static bool start_by_name(rs_error *error) {
    const bool x = is_set("DISPLAY"), wayland = is_set("WAYLAND_DISPLAY");
    if (!x && !wayland) {
        rs_fail(error, RS_UNSUPPORTED, _("no display: neither DISPLAY nor WAYLAND_DISPLAY is set"));
        return false;
    }
    if (x && x_answers(getenv("DISPLAY")) && start("x11")) return true;
    /* Without XDG_RUNTIME_DIR Wayland's library would print a complaint to stderr. */
    if (wayland && is_set("XDG_RUNTIME_DIR") && start("wayland")) return true;
    rs_fail(error, RS_UNSUPPORTED, _("no display: %s=%.100s cannot be opened"),
            x ? "DISPLAY" : "WAYLAND_DISPLAY", getenv(x ? "DISPLAY" : "WAYLAND_DISPLAY"));
    return false;
}

bool rv_has_display(rs_error *error) {
    if (SDL_WasInit(SDL_INIT_VIDEO) != 0) return true;
    give_hints();
    if (is_set("DISPLAY")) rv_forgive_complaints();
#ifdef __APPLE__
    const bool own = true; /* one driver, always there */
#else
    const bool own = is_set("SDL_VIDEODRIVER");
#endif
    if (!own) return start_by_name(error);
    if (start(NULL)) return true;
    rs_fail(error, RS_UNSUPPORTED, _("no display: %.200s"), SDL_GetError());
    return false;
}

/* ------------------------------------------------------------------------------------ the desktop */

/* Asks the desktop's portal. Without a session's bus nobody is asked: GLib would start one. */
bool rv_desktop_is_dark(void) {
    enum { WAIT_MS = 500 };
    GDBusConnection *bus =
        is_set("DBUS_SESSION_BUS_ADDRESS") ? g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL) : NULL;
    if (bus == NULL) return false;
    GVariant *said = g_dbus_connection_call_sync(
        bus, "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop",
        "org.freedesktop.portal.Settings", "Read",
        g_variant_new("(ss)", "org.freedesktop.appearance", "color-scheme"), G_VARIANT_TYPE("(v)"),
        G_DBUS_CALL_FLAGS_NONE, WAIT_MS, NULL, NULL);
    char *text = said != NULL ? g_variant_print(said, FALSE) : NULL;
    const bool dark = text != NULL && strstr(text, "uint32 1>") != NULL; /* (<<uint32 1>>,) */
    g_free(text);
    if (said != NULL) g_variant_unref(said);
    g_object_unref(bus);
    return dark;
}
