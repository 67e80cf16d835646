/* place.c: where a file that is written will really lie, and how to clear away when a signal ends us.
 *
 *     rc_place("link") --> "/data/folder/target"        all links followed, the last part may be new
 *
 *   - Two spellings of one place ("a", "./a", a link to a) give the same text.
 *   - Scratch files that are known here are removed when a signal ends the program (Ctrl-C while a
 *     large trace is written, a reader who leaves); then the signal does what it always does.
 */
#include "base/files.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes folder + "/" + name; false: too long. */
static bool join(const char *folder, int n_folder, const char *name, char out[PATH_MAX]) {
    const bool slash = n_folder > 0 && folder[n_folder - 1] != '/';
    const int n = snprintf(out, PATH_MAX, "%.*s%s%s", n_folder, folder, slash ? "/" : "", name);
    if (n < PATH_MAX) return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Returns the place of a name that is not there yet, in a folder that is. */
static char *place_of_new(const char *path) {
    char folder[PATH_MAX], place[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    if (*name == '\0') {
        errno = ENOENT;
        return NULL;
    }
    if (!join(path, (int)(name - path), "", folder)) return NULL;
    char *real = realpath(slash != NULL ? folder : ".", NULL);
    if (real == NULL) return NULL;
    const bool fits = join(real, (int)strlen(real), name, place);
    free(real);
    return fits ? strdup(place) : NULL;
}

static char *follow(const char *path, int links_left) {
    char *real = realpath(path, NULL);
    if (real != NULL || errno != ENOENT) return real;
    char target[PATH_MAX], next[PATH_MAX];
    const ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0) return place_of_new(path);
    target[n] = '\0';
    if (links_left == 0) {
        errno = ELOOP;
        return NULL;
    }
    const char *slash = target[0] == '/' ? NULL : strrchr(path, '/');
    const int n_folder = slash != NULL ? (int)(slash + 1 - path) : 0;
    return join(path, n_folder, target, next) ? follow(next, links_left - 1) : NULL;
}

char *rc_place(const char *path) {
    enum { MOST_LINKS = 40 };
    return follow(path, MOST_LINKS);
}

/* ------------------------------------------------------------------ signals */

enum { MOST_SCRATCHES = 8 };
static const char *volatile scratches[MOST_SCRATCHES];
static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};

void rc_end_by_signal(int number) {
    for (int i = 0; i < MOST_SCRATCHES; i++) {
        if (scratches[i] != NULL) unlink(scratches[i]);
    }
    signal(number, SIG_DFL);
    raise(number); /* comes as soon as this handler is left */
}

/* A signal that whoever started us told us to ignore stays ignored. */
static void watch_signals(void) {
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        struct sigaction now, action = {.sa_handler = rc_end_by_signal};
        if (sigaction(fatal[i], NULL, &now) != 0 || now.sa_handler != SIG_DFL) continue;
        sigaction(fatal[i], &action, NULL);
    }
}

void rc_scratch_made(const char *path) {
    int i = 0;
    while (i < MOST_SCRATCHES && scratches[i] != NULL) i++;
    if (i == MOST_SCRATCHES) return;
    scratches[i] = path;
    watch_signals();
}

void rc_scratch_gone(const char *path) {
    for (int i = 0; i < MOST_SCRATCHES; i++) {
        if (scratches[i] == path) scratches[i] = NULL;
    }
}
