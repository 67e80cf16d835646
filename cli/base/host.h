/* host.h: the outside world as the library sees it: threads, progress, Ctrl-C (host.c), memory (memory.c). */
#pragma once

#include "base/exit.h"

#include <time.h>

/* Seconds on a clock that nobody sets. */
static inline double rc_now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

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
/* Tells whether progress is shown now: on a terminal after a second, ten times a second; elsewhere a line
   a minute. Times since the start; shown_ns: of the last time, 0: never. */
bool rc_progress_due(bool terminal, int64_t now_ns, int64_t shown_ns);
/* Lets the progress say how much memory the run takes, if it is much. */
void rc_host_needs(rc_host *host, double n_bytes);

/* ------------------------------------------------------------------ memory.c */

/* Returns how much memory may still be taken, of the machine, of our container and by our own limits;
   INT64_MAX where nobody says. */
int64_t rc_memory_bytes(void);
/* Returns what the control groups that we are in leave, versions 1 and 2: the tightest of a group and all
   above it counts, without the page cache that goes first; INT64_MAX: they leave all. root: the folder in
   which proc/ and sys/ lie; "": the machine's own. */
int64_t rc_container_bytes(const char *root);
/* Refuses, before anything is taken, what does not fit: `what` takes it, `instead` can be done. What fits
   the progress may name. */
rc_exit rc_need_memory(rc_host *host, double need_bytes, const char *what, const char *instead,
                       rs_error *error);
