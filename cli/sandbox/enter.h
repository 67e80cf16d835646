/* enter.h: what the two sides of a run share, the parent's (exec.c) and the child's (enter.c). */
#ifndef RC_ENTER_H
#define RC_ENTER_H

#include "sandbox/sandbox.h"

/* The child's descriptors behind 0, 1 and 2, stdin, stdout and stderr. */
enum { RC_FD_ANSWERS = 3, RC_FD_FILTER, RC_FD_TROUBLE, RC_N_FDS };

/* The child sends this when it cannot build the sandbox. */
typedef struct rc_trouble {
    int number; /* errno */
    char what[60];
} rc_trouble;

/* Never returns: builds the sandbox and starts the program, with the descriptors in place. */
void rc_sandbox_enter(const rc_sandbox *sandbox, const rc_exec *exec) __attribute__((noreturn));

#endif
