/* knob.h: the numbers that a reader sets: GPUs, size, latency, bandwidth, each on an axis. Pure.
 *
 *     place  0 ............................ 1      all axes are logarithmic; a place sets the round
 *     GPUs   2 .. 64 .................. 1024      number nearest to it: 1.2, 1.5, 2, 2.5, 3, ...
 *     size   one element .......... 16 GB
 *     alpha  0 | 10 ns ............ 10 ms
 *     B      100 MB/s ............ 2 TB/s
 */
#pragma once

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

/* ----------------------------------------------------------------------------------------- curve */

/* The curve: time against one of the numbers that have a slider, while the others stay as they are:
 * the time of the run, of a rival on the same network, and the lower bound. Pure.
 *
 *     ps |           . rival
 *        |       .     _ own       both axes are logarithmic; places are those of the slider
 *        |   . _ - - - - bound
 *        +--------------------- place
 *
 *   - A closed form gives the times where one holds; else the curve simulates as many points as its
 *     budget allows, so that it follows a drag. -1: not known.
 */
enum { RV_CURVE_POINTS = 41 };

typedef struct rv_curve_point {
    double place;
    int64_t own_ps, rival_ps, bound_ps;
} rv_curve_point;

typedef struct rv_curve {
    const rv_what_if *what_if; /* the run that the points hold for, ... */
    int64_t version;           /* ... and its version; then the rival and the knob */
    const rs_algorithm *rival;
    rv_knob knob;
    rv_curve_point points[RV_CURVE_POINTS];
    int32_t n_points;
    int64_t least_ps, most_ps; /* of all points; 0: none is known */
} rv_curve;

/* Computes the curve, unless it holds already. rival NULL: naive (one reducer), or the ring if the
   run is naive. */
void rv_curve_take(rv_curve *curve, const rv_what_if *what_if, const rs_algorithm *rival,
                   rv_knob knob);
