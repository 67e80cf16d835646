/* estimate_options.h: the options of `estimate` by their ids. */
#ifndef RC_ESTIMATE_OPTIONS_H
#define RC_ESTIMATE_OPTIONS_H

#include "run/options.h"

enum {
    RC_LEAST = RC_OWN,
    RC_MOST,
    RC_FACTOR,
    RC_NCCL,
    RC_LAUNCH,
    RC_NCCL_ALGO,
    RC_NCCL_PROTO,
    RC_LIKE,
    RC_FABRIC,
    RC_MEASURED,
    RC_STRICT
};

#endif
