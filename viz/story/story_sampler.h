/* story_sampler.h: a dataset dealt to GPUs, round by round, as a story (frame.h). */
#pragma once

#include "ringsim_sampler.h"
#include "story/frame.h"

typedef struct rv_sampler_story {
    const rs_shards *epochs; /* [n_epochs], of one sampling: only the order differs */
    int32_t n_epochs;
    uint64_t first_epoch;
    bool forgotten;     /* nobody told the sampler which epoch it is: set_epoch was never called */
    rs_batches batches; /* per_rank 0: no batches were asked for */
    int64_t met;        /* how many samples GPU 0 has met at least once after all epochs */
} rv_sampler_story;

/* Fills *story: a step is a round, in which every GPU gets one sample. `of` must outlive it. */
void rv_story_sampler(const rv_sampler_story *of, rv_story *story);
