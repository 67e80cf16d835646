/* tcp_tap.h: a listener in the middle of a bootstrap by TCP: what real processes say to rank 0, and it
 * to them, is handed on and written down. Processes come to a door of their own each.
 *
 *     rank 1 --> doors[1] --+                 record: (rank, kind, number), in the order heard
 *     rank 2 --> doors[2] --+--> rank 0's port
 *
 * What is said to those who wait (RG_WAITS) depends on the clock, and is left out.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

enum { OVERHEARD_RANKS = 8 };
/* Kinds are rg_message_kind's, and: */
enum { SAID_HELLO = 100, SAID_REFUSED };
typedef struct said {
    int32_t rank, kind;
    int64_t number;
} said;
enum { OVERHEARD_SAID = 512 };
typedef struct record {
    said list[OVERHEARD_SAID];
    int n;
} record;

/* Stands in the middle until all n processes have ended; doors[1..n-1] listen. */
void tcp_tap_stand(const int doors[], int32_t n, int port, const pid_t pids[], record *r);
