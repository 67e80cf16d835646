/* picture_kinds.c: the kinds of pictures (RV_PICTURES), as a table. */
#include "ringsim_viz.h"

#define ROW(name, ending, medium) {#ending, medium},
const rv_picture_row rv_pictures[RV_N_PICTURES] = {RV_PICTURES(ROW, ROW)};
