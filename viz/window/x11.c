/* x11.c: the few calls of Xlib that SDL does not make for us. We look its functions up by name in
 * the library that SDL itself loads: without X11 we find nothing and do nothing.
 */
#include "window/window.h"

#include <dlfcn.h>

typedef int (*error_handler)(void *display, void *event);

void *rv_in_xlib(const char *name) {
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
    *(void **)(&set) = rv_in_xlib("XSetErrorHandler");
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
    *(void **)(&open_display) = rv_in_xlib("XOpenDisplay");
    *(void **)(&root_of) = rv_in_xlib("XDefaultRootWindow");
    *(void **)(&atom) = rv_in_xlib("XInternAtom");
    *(void **)(&property) = rv_in_xlib("XGetWindowProperty");
    *(void **)(&release) = rv_in_xlib("XFree");
    *(void **)(&close_display) = rv_in_xlib("XCloseDisplay");
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
