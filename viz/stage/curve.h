/* curve.h: time against one of the numbers that can be turned, all others as they are: of the run, of a
 * rival on the same network, and the lower bound. Pure.
 *
 *     ps |           . rival
 *        |       .     _ own       both axes are logarithmic; places are those of the slider
 *        |   . _ - - - - bound
 *        +--------------------- place
 *
 *   - By closed form where there is one that holds, else simulated, as many points as a budget allows:
 *     the curve follows a drag. What is not known is -1.
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
    const rv_what_if *what_if; /* of which run, as of which change; for which number */
    int64_t version;
    const rs_algorithm *rival;
    rv_knob knob;
    rv_curve_point points[RV_CURVE_POINTS];
    int32_t n_points;
    int64_t least_ps, most_ps; /* of all points; 0: none is known */
} rv_curve;

/* Computes the curve, unless it holds already. rival NULL: one reducer; for that one, the ring. */
void rv_curve_take(rv_curve *curve, const rv_what_if *what_if, const rs_algorithm *rival,
                   rv_knob knob);

#endif
