/* posix.h: what POSIX has and WASI has not, as far as cli/ needs it: every file of a page begins with it. A page's
 * files are in memory, and its own: nobody locks them, and rights mean nothing.
 */
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif
#ifndef O_NOCTTY
#define O_NOCTTY 0
#endif
#ifndef F_DUPFD_CLOEXEC
#define F_DUPFD_CLOEXEC 1030 /* there is no second descriptor, and the caller does without */
#endif

static inline int fchmod(int file, mode_t mode) {
    (void)file, (void)mode;
    return 0;
}
static inline mode_t umask(mode_t mask) {
    (void)mask;
    return 022;
}
static inline uid_t geteuid(void) {
    return 0;
}
/* Back to where a page always is: nobody else goes away from there. */
static inline int fchdir(int folder) {
    (void)folder;
    return chdir("/");
}
static inline char *realpath(const char *path, char *out) { /* no link leads to our own files */
    (void)path, (void)out;
    return NULL;
}
static inline int mkstemp(char *name) {
    char *end = name + strlen(name) - 6;
    memcpy(end, "ours-a", 6);
    for (; end[5] <= 'z'; end[5]++) {
        const int file = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (file >= 0) return file;
    }
    return -1;
}
