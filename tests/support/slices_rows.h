/* slices_rows.h: the fitted constants of ringsim_slices.h beside what one would take without measuring, and between which ends a
 * fit looks.
 */
#pragma once

#include "slices/ringsim_slices.h"

typedef struct slices_row {
    const char *name;
    double documented, least, most;
} slices_row;

static const slices_row slices_rows[RN_N_CONSTANTS] = {
    [RN_FIT_LAUNCH] = {"launch", 0, 0, 12},
    [RN_FIT_SLICE] = {"slice", 0, 0, 12},
    [RN_FIT_NVLS] = {"NVLS reach", 1, 0.6, 1.3},
    [RN_FIT_FILL_NVLS_TREE] = {"NVLS tree fill", 1, 0, 6},
    [RN_FIT_HOP_TREE] = {"tree hop", 1, 0.5, 4},
    [RN_FIT_LL_PLUGIN] = {"LL by plug-in", 40, 0.2, 40},
    [RN_FIT_FLUSH] = {"plug-in flush", 0, 0, 40},
    {"infiniband share", 1, 0.5, 1.1},
    {"infiniband latency", 1, 0.3, 8},
    {"roce share", 1, 0.5, 1.1},
    {"roce latency", 1, 0.3, 8},
    {"efa share", 1, 0.5, 1.1},
    {"efa latency", 1, 0.3, 8},
    {"slingshot share", 1, 0.5, 1.1},
    {"slingshot latency", 1, 0.3, 8},
};

static inline void take_documented(rn_slices_constants *constants) {
    for (int i = 0; i < RN_N_CONSTANTS; i++) constants->at[i] = slices_rows[i].documented;
}
