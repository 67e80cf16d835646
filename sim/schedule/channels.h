/* channels.h: a schedule several times side by side, each time with a part of the array. Private to sim/. */
#pragma once

#include "ringsim.h"

/* Turns the schedule into n_channels of it. RS_BAD_INPUT: a rank would send too many messages in a step. */
rs_status rs_channels_wrap(rs_schedule *schedule, int32_t n_channels, rs_error *error);

/* Gives the schedule what all its channels send and receive together, each told by a function of its own that
   is as rs_schedule's channel_sends and channel_recvs. */
typedef int rs_on_channel(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t channel,
                          rs_transfer out[]);
void rs_channels_join(rs_schedule *schedule, rs_on_channel *sends, rs_on_channel *recvs);
