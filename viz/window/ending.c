/* ending.c: how a window ends by a signal, or because its display has gone.
 *
 *   - Ctrl-C in the terminal and SIGTERM close the window as `q` does; then the program raises the
 *     signal again, so that the shell sees it. A second signal ends the program at once.
 *   - When the X server dies, Xlib would call exit. We jump out of its handler instead and never
 *     call Xlib again: so the run ends with a message.
 */
#include "window/window.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>

/* The few calls of Xlib that SDL does not make for us. We look its functions up by name in
 * the library that SDL itself loads: without X11 we find nothing and do nothing.
 */

typedef int (*error_handler)(void *display, void *event);

/* Returns one of Xlib's functions; NULL: there is none. */
static void *find_in_xlib(const char *name) {
    void *x11 = dlopen("libX11.so.6", RTLD_LAZY);
    return x11 != NULL ? dlsym(x11, name) : NULL;
}

static int on_complaint(void *display, void *event) {
    (void)display, (void)event;
    return 0;
}

/* When the X server reports an error, Xlib ends the program. SDL may cause one: it wakes itself by
   a message on a second connection, which the server may read after the window is closed. No such
   error is a reason to end the program. We must set our handler before SDL starts: when SDL ends it
   restores the one that it found. */
void rv_forgive_complaints(void) {
    error_handler (*set)(error_handler) = NULL;
    *(void **)(&set) = find_in_xlib("XSetErrorHandler");
    if (set != NULL) set(on_complaint);
}

/* Tells whether a window manager runs that knows full screen: it sets a property of the root
   window. */
bool rv_has_window_manager(void) {
    void *(*open_display)(const char *) = NULL;
    unsigned long (*root_of)(void *) = NULL, (*atom)(void *, const char *, int) = NULL;
    int (*property)(void *, unsigned long, unsigned long, long, long, int, unsigned long,
                    unsigned long *, int *, unsigned long *, unsigned long *, unsigned char **) =
        NULL;
    int (*release)(void *) = NULL, (*close_display)(void *) = NULL;
    *(void **)(&open_display) = find_in_xlib("XOpenDisplay");
    *(void **)(&root_of) = find_in_xlib("XDefaultRootWindow");
    *(void **)(&atom) = find_in_xlib("XInternAtom");
    *(void **)(&property) = find_in_xlib("XGetWindowProperty");
    *(void **)(&release) = find_in_xlib("XFree");
    *(void **)(&close_display) = find_in_xlib("XCloseDisplay");
    if (open_display == NULL || root_of == NULL || atom == NULL || property == NULL ||
        release == NULL || close_display == NULL) {
        return true;
    }
    void *display = open_display(NULL);
    if (display == NULL) return true;
    unsigned long type, n_items = 0, n_left;
    int format;
    unsigned char *value = NULL;
    property(display, root_of(display), atom(display, "_NET_SUPPORTING_WM_CHECK", 0), 0, 1, 0, 0,
             &type, &format, &n_items, &n_left, &value);
    if (value != NULL) release(value);
    close_display(display);
    return n_items > 0;
}

/* ------------------------------------------------------------------------------------- signals */

enum { N_ENDING = 2 };
static const int ending[N_ENDING] = {SIGINT, SIGTERM};
static struct sigaction before[N_ENDING]; /* as SDL has set them */
static volatile sig_atomic_t ended_by;
static bool watching;

static void watch_again(int number);

/* Notes which signal it was, then calls SDL's own handler, which makes a quit event of it. */
static void on_signal(int number) {
    if (ended_by != 0) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    ended_by = number;
    for (int i = 0; i < N_ENDING; i++) {
        if (ending[i] != number) continue;
        if (before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN) {
            before[i].sa_handler(number);
        }
    }
    watch_again(number); /* SDL's handler has set itself again */
}

static void watch_again(int number) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(number, &action, NULL);
}

void rv_watch_signals(void) {
    if (watching) return;
    watching = true;
    ended_by = 0;
    for (int i = 0; i < N_ENDING; i++) {
        sigaction(ending[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) watch_again(ending[i]);
    }
}

void rv_release_signals(void) {
    watching = false;
    for (int i = 0; i < N_ENDING; i++) {
        if (before[i].sa_handler != SIG_IGN) signal(ending[i], SIG_DFL);
    }
    if (ended_by != 0) raise(ended_by);
}

/* ------------------------------------------------------------------------------ a display that goes */

static sigjmp_buf lost;

static int on_lost_display(void *display) {
    (void)display;
    siglongjmp(lost, 1);
}

typedef int (*io_handler)(void *display);

sigjmp_buf *rv_watch_display(void) {
    io_handler (*set)(io_handler) = NULL;
    *(void **)(&set) = find_in_xlib("XSetIOErrorHandler");
    if (set != NULL) set(on_lost_display);
    return &lost;
}
