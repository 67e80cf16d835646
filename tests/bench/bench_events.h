/* bench_events.h: what the event engine's benchmark is made of. */
#pragma once

/* Runs the yardstick once over n ranks; returns the number of events, *end is the last one's time. */
long bare_heap_loop(int n, double bytes, double *end);
