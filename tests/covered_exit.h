/* covered_exit.h: ends a child process of a test at once, as _exit does; in a build with --coverage -DCOVERAGE what it ran
 * still counts, so that tools/mutants knows whom to ask.
 */
#ifndef TESTS_COVERED_EXIT_H
#define TESTS_COVERED_EXIT_H

#include <unistd.h>

#ifdef COVERAGE
void __gcov_dump(void); /* gcov's */
#endif

static inline void covered_exit(int status) {
#ifdef COVERAGE
    __gcov_dump();
#endif
    _exit(status);
}

#endif
