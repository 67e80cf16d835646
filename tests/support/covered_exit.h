/* covered_exit.h: ends a child process of a test at once, as _exit does; in a build with --coverage what it ran still counts,
 * so that tools/mutants knows whom to ask.
 */
#ifndef TESTS_COVERED_EXIT_H
#define TESTS_COVERED_EXIT_H

#include <unistd.h>

#if defined(__GNUC__)
void __gcov_dump(void) __attribute__((weak)); /* gcov's; NULL: another build */
#endif

static inline void covered_exit(int status) {
#if defined(__GNUC__)
    if (__gcov_dump != NULL) __gcov_dump();
#endif
    _exit(status);
}

#endif
