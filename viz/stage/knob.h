/* knob.h: the numbers that a reader sets: GPUs, size, latency, bandwidth, each on an axis. Pure.
 *
 *     place  0 ............................ 1      all axes are logarithmic; a place sets the round
 *     GPUs   2 .. 64 .................. 1024      number nearest to it: 1.2, 1.5, 2, 2.5, 3, ...
 *     size   one element .......... 16 GB
 *     alpha  0 | 10 ns ............ 10 ms
 *     B      100 MB/s ............ 2 TB/s
 */
#ifndef RV_KNOB_H
#define RV_KNOB_H

#include "stage/what_if.h"

typedef enum rv_knob {
    RV_KNOB_GPUS,
    RV_KNOB_BYTES,
    RV_KNOB_ALPHA,
    RV_KNOB_BANDWIDTH,
    RV_N_KNOBS
} rv_knob;

/* Returns where the setting lies on its axis, 0..1; the nearer end if it lies outside. */
double rv_knob_place(const rv_setup *setup, rv_knob knob);
/* Sets it to the round number nearest to a place. */
void rv_knob_set(rv_setup *setup, rv_knob knob, double place);
/* Sets it to the next round number in a direction, 1 or -1; at the end of the axis it stays. */
void rv_knob_move(rv_setup *setup, rv_knob knob, int direction);
/* Tells whether the reader may set it. Not for a recorded run, and not the number of ranks of a
   schedule from a file. */
bool rv_knob_turns(const rv_setup *setup, rv_knob knob);
/* Places for ticks: the i-th place, and its text; false: there are no more. */
bool rv_knob_tick(const rv_setup *setup, rv_knob knob, int i, double *place, char *out,
                  size_t n_out);
const char *rv_knob_name(rv_knob knob); /* translated */
size_t rv_knob_text(const rv_setup *setup, rv_knob knob, char *out, size_t n_out);

#endif
