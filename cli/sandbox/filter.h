/* filter.h: which system calls a sandboxed program may make. */
#ifndef RC_FILTER_H
#define RC_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <sys/types.h>

/* Exit statuses by which bubblewrap, like a shell, tells of the signals 1..31. The filter lets nobody
   end with one of them by itself: who reads one knows that it was a signal. */
enum { RC_EXIT_SIGNAL = 129, RC_EXIT_SIGNAL_LAST = 159 };

enum { RC_FILTER_MOST = 512 };
typedef struct rc_filter {
    struct sock_filter code[RC_FILTER_MOST];
    unsigned short n;
} rc_filter;
/* Writes the filter's program; own_pid > 0: the only process that may be signalled. */
void rc_filter_build(bool compiler, pid_t own_pid, rc_filter *filter);
/* Puts on the filter; false: errno says why. */
bool rc_filter_apply(const rc_filter *filter);

#endif
