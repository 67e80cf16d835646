/* ending.c: how a window ends by a signal, or because its display has gone.
 *
 *   - Ctrl-C in the terminal and SIGTERM close the window as `q` does; then the program raises the
 *     signal again, so that the shell sees it. A second signal ends the program at once.
 *   - When the X server dies, Xlib would call exit. We jump out of its handler instead and never
 *     call Xlib again: so the run ends with a message.
 */
#include "window/window.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>

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
    *(void **)(&set) = rv_in_xlib("XSetIOErrorHandler");
    if (set != NULL) set(on_lost_display);
    return &lost;
}
