/* curve.h: time against one of the numbers that have a slider, while the others stay as they are:
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
#ifndef RV_CURVE_H
#define RV_CURVE_H

#include "stage/knob.h"

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

#endif
