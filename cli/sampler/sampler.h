/* sampler.h: what the files of `ringsim sampler` share. */
#ifndef RC_SAMPLER_H
#define RC_SAMPLER_H

#include "story/story_sampler.h"

/* Prints ringsim.sampler/1. */
void rc_json_sampled(const rv_sampler_story *sampled, FILE *out);

#endif
