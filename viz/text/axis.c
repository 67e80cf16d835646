/* axis.c: see axis.h. */
#include "ringsim_viz.h"
#include "text/axis.h"

#include <math.h>
#include <stdio.h>

/* Returns the smallest 1, 2 or 5 times a power of ten that is at least `least`. */
static double round_step(double least) {
    const double power = pow(10, floor(log10(least)));
    const double factors[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++) {
        if (factors[i] * power >= 0.999 * least) return factors[i] * power;
    }
    return 10 * power;
}

/* 1, 2 and 5 of each power of ten. */
static int fine_ticks(double low, double high, double ticks[RV_MOST_TICKS]) {
    const double factors[] = {0, log10(2), log10(5)};
    int n = 0;
    for (double whole = floor(low); whole <= high; whole++) {
        for (int i = 0; i < 3; i++) {
            const double at = whole + factors[i];
            if (at >= low && at <= high && n < RV_MOST_TICKS) ticks[n++] = at;
        }
    }
    return n;
}

int rv_axis_ticks(rv_axis axis, double low, double high, double fit, double ticks[RV_MOST_TICKS]) {
    double step = round_step((high - low) / fmax(1, fit));
    int n = 0;
    if (axis == RV_AXIS_TIME && high - low < 2) return fine_ticks(low, high, ticks);
    if (axis != RV_AXIS_NUMBER) step = fmax(1, step);
    for (double at = ceil(low / step) * step; at <= high * (1 + 1e-12) && n < RV_MOST_TICKS;
         at += step) {
        ticks[n++] = at;
    }
    return n;
}

static void say_bytes(double exponent, char *out, size_t n_out) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int unit = (int)floor(exponent / 10 + 1e-9);
    unit = unit < 0 ? 0 : unit > 5 ? 5 : unit;
    snprintf(out, n_out, "%.4g %s", exp2(exponent - 10 * unit), units[unit]);
}

void rv_axis_text(rv_axis axis, double value, double span, char *out, size_t n_out) {
    switch (axis) {
    case RV_AXIS_NUMBER:
        snprintf(out, n_out, "%.5g", fabs(value) < 1e-9 * span ? 0 : value);
        return;
    case RV_AXIS_BYTES: say_bytes(value, out, n_out); return;
    case RV_AXIS_TIME: rv_format_time(llround(pow(10, value)), out, n_out); return;
    case RV_AXIS_PS:
        if (value < 0.5) {
            snprintf(out, n_out, "0");
        } else {
            rv_format_time(llround(value), out, n_out);
        }
        return;
    case RV_AXIS_GPUS: snprintf(out, n_out, "%.0f", value); return;
    }
}
