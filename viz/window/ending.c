/* ending.c: how a window ends when nobody asked it to: a signal, or a display that has gone.
 *
 *   - Ctrl-C in the terminal and SIGTERM close the window as `q` does, and are raised again afterwards,
 *     so that the shell sees them. A second one ends the program at once.
 *   - When the X server dies Xlib would end the program where it stands. We jump out of it instead and
 *     never call it again: the run ends with a reason.
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

/* SDL's own handler makes a quit event of it; we only note which signal it was. */
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
    watch_again(number); /* SDL's puts itself back */
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
