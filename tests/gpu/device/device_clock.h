/* device_clock.h: the clock of a test on the emulated device, which stands before the system's.
 *
 *     device_clock_play();   from now on time is played: a look at the clock takes 10 us, a nap 5 ms, on every machine
 *
 * Who polls for seconds has them at once, and has looked as often as on a machine that does nothing else.
 */
#pragma once

#include <stdint.h>

void device_clock_play(void);
extern int64_t device_clock_ahead_s; /* of the system's */
