/* filter.h: which system calls a sandboxed program may make. */
#ifndef RC_FILTER_H
#define RC_FILTER_H

#include <stdbool.h>
#include <sys/types.h>

/* bubblewrap, like a shell, reports the signals 1..31 by these exit statuses. The filter lets no program end
   with one of them by itself: it always means a signal. */
enum { RC_EXIT_SIGNAL = 129, RC_EXIT_SIGNAL_LAST = 159 };

/* Tells whether filters can be made: whether libseccomp was there when this program was built. */
bool rc_has_filter(void);
/* Writes the filter's program, as the kernel and bubblewrap read it; own_pid > 0: the only process that may
   be signalled. It allocates: call it before or beside a fork, not in the child. Returns 0, or an errno. */
int rc_filter_write(bool compiler, pid_t own_pid, int to);

#endif
