/* filter.h: which system calls a sandboxed program may make. */
#ifndef RC_FILTER_H
#define RC_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <sys/types.h>

/* bubblewrap, like a shell, reports the signals 1..31 by these exit statuses. The filter lets no program end
   with one of them by itself: it always means a signal. */
enum { RC_EXIT_SIGNAL = 129, RC_EXIT_SIGNAL_LAST = 159 };

enum { RC_FILTER_MOST = 512 };
typedef struct rc_filter {
    struct sock_filter code[RC_FILTER_MOST];
    unsigned short n;
} rc_filter;
/* Writes the filter's program; own_pid > 0: the only process that may be signalled. */
void rc_filter_build(bool compiler, pid_t own_pid, rc_filter *filter);
/* Puts the filter on this process; false: errno says why. */
bool rc_filter_apply(const rc_filter *filter);

#endif
