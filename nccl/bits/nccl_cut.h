/* nccl_cut.h: how NCCL cuts an array: a part a channel, loops, chunks. */
#pragma once

#include "ringsim_nccl_bits.h"

/* What a channel has of the array. */
typedef struct rn_channel_part {
    int32_t channel;
    int64_t count, chunk; /* elements; those of a chunk of a ring, but in the last loop */
} rn_channel_part;

/* Cuts the array over channels, in their order; returns how many parts, at most RN_NCCL_MOST_CHANNELS. */
int32_t rn_cut_channels(const rn_bits_job *job, rn_channel_part parts[]);
/* Returns a chunk's elements in the loop that begins where so many are left. */
int64_t rn_chunk_count(const rn_bits_job *job, const rn_channel_part *part, int64_t left);
