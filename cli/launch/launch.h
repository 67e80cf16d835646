/* launch.h: what the files of `ringsim launch` share. */
#ifndef RC_LAUNCH_H
#define RC_LAUNCH_H

#include "ringsim_launch.h"

/* Prints ringsim.launch/1. */
void rc_json_launch(const rs_bootstrap *bootstrap, FILE *out);

#endif
