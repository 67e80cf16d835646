/* channels.h: a schedule several times side by side, each time with a part of the array. Private to sim/. */
#ifndef RS_CHANNELS_H
#define RS_CHANNELS_H

#include "ringsim.h"

/* Turns the schedule into n_channels of it. RS_BAD_INPUT: a rank would send too many messages in a step. */
rs_status rs_channels_wrap(rs_schedule *schedule, int32_t n_channels, rs_error *error);

#endif
