/* bench_events.h: what the event engine's benchmark is made of. */
#ifndef BENCH_EVENTS_H
#define BENCH_EVENTS_H

/* Runs the yardstick once over n ranks; returns the number of events, *end is the last one's time. */
long bare_heap_loop(int n, double bytes, double *end);

#endif
