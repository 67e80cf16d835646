/* sampler.h: what the files of `ringsim sampler` share.
 *
 *     options --> rc_sampled --> words (sampler_print.c) | JSON (sampler_json.c)
 */
#ifndef RC_SAMPLER_H
#define RC_SAMPLER_H

#include "ringsim_sampler.h"

enum { RC_MOST_EPOCHS = 64 };
typedef struct rc_sampled {
    rs_shards epochs[RC_MOST_EPOCHS]; /* side by side; they differ in their order alone */
    int n_epochs;                     /* at least 1 */
    uint64_t first_epoch;
    bool forgotten;     /* nobody told the sampler which epoch it is */
    rs_batches batches; /* per_rank 0: no batches were asked for */
} rc_sampled;

/* Prints who sees what; met: how many samples GPU 0 has met at least once after all epochs. */
void rc_print_sampled(const rc_sampled *sampled, int64_t met);
/* Prints ringsim.sampler/1. */
void rc_json_sampled(const rc_sampled *sampled, int64_t met, FILE *out);

#endif
