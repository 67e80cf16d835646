/* slices_time.c: how long a collective takes that NCCL runs by some algorithm and protocol: which part does what, and
 * what is before it: the kernels' launch, the base latency of the protocol.
 *
 *     time = max(base latency + pipeline, GPUs of one thread x launch)
 */
#include "slices/slices_private.h"

static rs_status refuse(const rs_slices_job *job, rs_error *error) {
    return rs_fail(error, RS_UNSUPPORTED, "%s by %s with %s is not simulated",
                   rs_nccl_collective_title(job->collective),
                   rs_nccl_algorithm_title(job->algorithm), rs_nccl_protocol_title(job->protocol));
}

static bool knows(const rs_slices_job *job) {
    const bool all_reduce = job->collective == RS_COLL_ALL_REDUCE;
    if (job->collective == RS_COLL_ALL_TO_ALL) return false;
    switch (job->algorithm) {
    case RS_NCCL_RING: return true;
    case RS_NCCL_TREE: return all_reduce;
    case RS_NCCL_NVLS:
    case RS_NCCL_NVLS_TREE: return job->protocol == RS_NCCL_SIMPLE && job->site->adds;
    default: return false;
    }
}

static double parts_us(const rs_lowering *l, int32_t *wire) {
    switch (l->job->algorithm) {
    case RS_NCCL_TREE: return rs_tree_us(l, wire);
    case RS_NCCL_NVLS:
    case RS_NCCL_NVLS_TREE: return rs_nvls_us(l, wire);
    default: break;
    }
    return rs_collective_rooted(l->job->collective) ? rs_chain_us(l, wire) : rs_ring_us(l, wire);
}

/* What a NIC wrote into a GPU is flushed before the GPU reads it; not into Hopper's and newer (src/graph/paths.cc), but for
   NCCL before 2.19.1, where only Amazon's environment switched that off (aws/aws-ofi-nccl#314). */
static bool flushes(const rs_slices_job *job) {
    enum { HOPPER = 90, SPARES_HOPPER = 21901 };
    return job->cc < HOPPER || (job->version < SPARES_HOPPER && job->fabric != RS_FABRIC_EFA);
}

/* What a message of Simple costs beside its bytes. By libfabric's plug-in a flush is a read over the network's own card, one
   after the other. NCCL's own flush over InfiniBand and RoCE costs too little to be seen. */
static double message_us(const rs_slices_job *job, const rs_slices_constants *constants) {
    return rs_by_plugin(job->fabric) && flushes(job) ? constants->at[RS_FIT_FLUSH] : 0;
}

rs_status rs_slices_time(const rs_slices_job *job, const rs_slices_constants *constants,
                         rs_error *error, rs_slices_result *result) {
    rs_lowering l = {.job = job,
                     .fit = constants->at,
                     .share = 1,
                     .latency_factor = 1,
                     .rate = job->rate > 0 ? job->rate : 1,
                     .latency = job->latency > 0 ? job->latency : 1};
    rs_slices_result made = {.wire = -1};
    if (!knows(job)) return refuse(job, error);
    rs_tuning_of(RS_NCCL_NEWEST, &l.tuning);
    l.generation = rs_tuning_generation(RS_NCCL_NEWEST, job->cc);
    if (job->fabric != RS_FABRIC_UNKNOWN) {
        const double *of = &constants->at[RS_FIT_FABRICS + RS_OF_A_FABRIC * ((int)job->fabric - 1)];
        l.share = of[RS_FABRIC_SHARE];
        l.latency_factor = of[RS_FABRIC_LATENCY];
        l.message_us = message_us(job, constants);
    }
    const double us = parts_us(&l, &made.wire);
    made.us = us + l.latency * l.tuning.base[job->algorithm][job->protocol];
    const double launch_us = job->launched_together > 1
                                 ? l.latency * job->launched_together * constants->at[RS_FIT_LAUNCH]
                                 : 0;
    if (launch_us > made.us) made = (rs_slices_result){launch_us, -1};
    *result = made;
    return RS_OK;
}
