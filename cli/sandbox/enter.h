/* enter.h: what the two sides of a run share, the parent's (exec.c) and the child's (enter.c): the descriptors, and what
 * keeps the program in: filter.c.
 */
#pragma once

#include "sandbox/sandbox.h"

/* The child's descriptors; a pipe leads to each. */
enum {
    RC_FD_QUESTIONS,
    RC_FD_OUT,
    RC_FD_ERR,
    RC_FD_ANSWERS,
    RC_FD_FILTER, /* which it puts on itself, and closes */
    RC_FD_TROUBLE,
    RC_N_FDS
};

/* The child sends this when it cannot build the sandbox. */
typedef struct rc_trouble {
    int number; /* errno */
    char what[60];
} rc_trouble;

/* Never returns: builds the sandbox and starts the program, with the descriptors in place. */
void rc_sandbox_enter(const rc_sandbox *sandbox, const rc_exec *exec) __attribute__((noreturn));

/* bubblewrap, like a shell, reports the signals 1..31 by these exit statuses. The filter lets no program end
   with one of them by itself: it always means a signal. */
enum { RC_EXIT_SIGNAL = 129, RC_EXIT_SIGNAL_LAST = 159 };

/* filter.c: tells whether filters can be made: whether libseccomp was there when this program was built. */
bool rc_has_filter(void);
/* Writes the filter's program, as the kernel and bubblewrap read it; own_pid > 0: the only process that may
   be signalled. It allocates: call it before or beside a fork, not in the child. Returns 0, or an errno. */
int rc_filter_write(bool compiler, pid_t own_pid, int to);

/* Allows from now on to open only what lies in `shown` (ends with NULL) and, for reading, or all that a
   compiler does, in `box`. Returns false where the kernel has no Landlock. */
bool rc_landlock(const char *const shown[], const char *box, bool writing);
