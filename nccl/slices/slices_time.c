/* slices_time.c: how long a collective takes that NCCL runs by some algorithm and protocol: which part does what, and
 * what is before it: the kernels' launch, the base latency of the protocol.
 *
 *     time = max(base latency + pipeline, GPUs of one thread x launch)
 */
#include "slices/slices_private.h"

/* -1: no such algorithm here. */
static double parts_us(const rn_lowering *l, int32_t *wire) {
    const rn_slices_job *job = l->job;
    const rn_nccl_algorithm a = job->algorithm;
    const bool nvls = a == RN_NCCL_NVLS || a == RN_NCCL_NVLS_TREE;
    if (job->collective == RS_COLL_ALL_TO_ALL) return -1;
    if (a == RN_NCCL_RING && rs_collective_rooted(job->collective)) return rn_chain_us(l, wire);
    if (a == RN_NCCL_RING) return rn_ring_us(l, wire);
    if (a == RN_NCCL_TREE && job->collective == RS_COLL_ALL_REDUCE) return rn_tree_us(l, wire);
    return nvls && job->protocol == RN_NCCL_SIMPLE && job->site->adds ? rn_nvls_us(l, wire) : -1;
}

/* What a NIC wrote into a GPU is flushed before the GPU reads it; not into Hopper's and newer (src/graph/paths.cc), but for
   NCCL before 2.19.1, where only Amazon's environment switched that off (aws/aws-ofi-nccl#314). */
static bool flushes(const rn_slices_job *job) {
    enum { HOPPER = 90, SPARES_HOPPER = 21901 };
    return job->cc < HOPPER || (job->version < SPARES_HOPPER && job->fabric != RN_FABRIC_EFA);
}

/* What a message of Simple costs beside its bytes. By libfabric's plug-in a flush is a read over the network's own card, one
   after the other. NCCL's own flush over InfiniBand and RoCE costs too little to be seen. */
static double message_us(const rn_slices_job *job, const rn_slices_constants *constants) {
    return rn_by_plugin(job->fabric) && flushes(job) ? constants->at[RN_FIT_FLUSH] : 0;
}

rs_status rn_slices_time(const rn_slices_job *job, const rn_slices_constants *constants,
                         rs_error *error, rn_slices_result *result) {
    rn_lowering l = {.job = job,
                     .fit = constants->at,
                     .share = 1,
                     .latency_factor = 1,
                     .rate = job->rate > 0 ? job->rate : 1,
                     .latency = job->latency > 0 ? job->latency : 1};
    rn_slices_result made = {.wire = -1};
    l.column = job->site->n_nodes < 3 ? job->site->n_nodes - 1 : 2;
    rn_tuning_of(RN_NCCL_NEWEST, &l.tuning);
    l.generation = rn_tuning_generation(RN_NCCL_NEWEST, job->cc);
    if (job->fabric != RN_FABRIC_UNKNOWN) {
        const double *of = &constants->at[RN_FIT_FABRICS + RN_OF_A_FABRIC * ((int)job->fabric - 1)];
        l.share = of[RN_FABRIC_SHARE];
        l.latency_factor = of[RN_FABRIC_LATENCY];
        l.message_us = message_us(job, constants);
    }
    const double us = parts_us(&l, &made.wire);
    if (us < 0) {
        return rs_fail(error, RS_UNSUPPORTED, "%s by %s with %s is not simulated",
                       rn_nccl_collective_title(job->collective),
                       rn_nccl_algorithm_title(job->algorithm),
                       rn_nccl_protocol_title(job->protocol));
    }
    made.us = us + l.latency * l.tuning.us[job->algorithm][job->protocol][RN_ONCE];
    const double launch_us = job->launched_together > 1
                                 ? l.latency * job->launched_together * constants->at[RN_FIT_LAUNCH]
                                 : 0;
    if (launch_us > made.us) made = (rn_slices_result){launch_us, -1};
    *result = made;
    return RS_OK;
}
