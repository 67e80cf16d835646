/* host.h: host.c: the outside world as the library sees it: threads, progress, Ctrl-C, memory. */
#ifndef RC_HOST_H
#define RC_HOST_H

#include "base/exit.h"

/* What the library asks for, and what this program has for it. */
typedef struct rc_host rc_host;
/* Makes what the library asks for: threads, progress, memory. NULL: no memory. */
rc_host *rc_host_new(void);
/* Ends its threads and frees it; NULL: nothing. */
void rc_host_free(rc_host *host);
/* Returns the side that the library sees. */
const rs_host *rc_host_face(rc_host *host);
/* Clears the progress line. */
void rc_host_quiet(rc_host *host);
/* From now on there is no progress line. */
void rc_host_hush(rc_host *host);
/* From now on Ctrl-C cancels the run; or does again what it did before. */
void rc_host_watch(rc_host *host, bool listening);
/* Ends the watch, clears the progress line, and heeds the signal. */
rc_exit rc_host_end(rc_host *host, rc_exit status, rs_error *error);
/* Returns RC_CANCELLED for a good status if a signal came too late for the library to hear of it. */
rc_exit rc_host_heed(rc_exit status, rs_error *error);
/* Returns the signal that cancelled the run; 0: none. */
int rc_host_signal(void);
/* Counts the cores that this process may use. */
int rc_cores(void);
/* Returns how much memory may still be taken; INT64_MAX where nobody says. */
int64_t rc_memory_bytes(void);

#endif
