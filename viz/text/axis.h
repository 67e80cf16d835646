/* axis.h: the numbers beside a plot's axes. A logarithmic axis takes values that are logarithms already, and says what
 * they stand for: so every view draws straight lines as they are.
 *
 *     RV_AXIS_BYTES   log2 of bytes         0 .. 20: "1 B", "32 B", "1 KiB"
 *     RV_AXIS_TIME    log10 of picoseconds  6 .. 9: "1 us", "10 us", "100 us"
 *     RV_AXIS_PS      picoseconds           0 .. 4e9: "0", "2 ms", "4 ms"
 *     RV_AXIS_GPUS    numbers of GPUs       2 .. 9: "2", "4", "6", "8"
 */
#pragma once

#include <stddef.h>

typedef enum rv_axis {
    RV_AXIS_NUMBER,
    RV_AXIS_BYTES,
    RV_AXIS_TIME,
    RV_AXIS_PS,
    RV_AXIS_GPUS
} rv_axis;

enum { RV_MOST_TICKS = 32 };
/* Writes where the ticks lie from low to high, about `fit` of them; returns how many. */
int rv_axis_ticks(rv_axis axis, double low, double high, double fit, double ticks[RV_MOST_TICKS]);
/* Writes the text for a value; `span` is how far apart low and high are. */
void rv_axis_text(rv_axis axis, double value, double span, char *out, size_t n_out);
