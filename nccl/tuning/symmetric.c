/* symmetric.c: what NCCL expects of its kernels for registered (symmetric) buffers inside an NVLink domain: all ranks read and write
 * one another's memory, in one step or two (src/sym_kernels.cc, queryModel_lsa; alike from 2.27 to 2.30).
 *
 *     time = latency + the bytes through a port, over a bandwidth that grows with the blocks up to a ceiling
 *
 *   - A kernel: LL gathers all arrays and adds them (one-shot); LD, ST read a share from each, add, and write it to each
 *     (two-shot); LDMC, STMC have the switch add and copy (NVLS).
 *   - Its gigabytes a second are 2^30 bytes.
 */
#include "ringsim_tuning.h"

#include <math.h>

enum { MOST_BLOCKS = 64, HOPPER = 90, BLACKWELL = 100, FIRST = 22700 };
typedef struct lsa_kernel {
    const char *name;
    bool lines, in_switch; /* LL: flags with the data */
} lsa_kernel;
static const lsa_kernel kernels[RS_N_COLLECTIVES][4] = {
    [RS_COLL_ALL_REDUCE] = {{"AGxLL", true, false},
                            {"AGxLLMC", true, true},
                            {"RSxLD_AGxST", false, false},
                            {"RSxLDMC_AGxSTMC", false, true}},
    [RS_COLL_ALL_GATHER] = {{"LL", true, false},
                            {"LLMC", true, true},
                            {"ST", false, false},
                            {"STMC", false, true}},
    [RS_COLL_REDUCE_SCATTER] = {{"LL", true, false}, {"LD", false, false}, {"LDMC", false, true}},
};

/* The least of both, without a corner. */
static double soft_min(double x, double ceiling, double softness) {
    return ceiling - softness * log1p((exp(ceiling / softness) - 1) * exp(-x / softness));
}

static double soft_plus(double x) {
    return x > 100 ? x : log1p(exp(x));
}

/* us of one kernel; n_bytes: of a rank's own array or shard. */
static double kernel_us(const rn_nccl_comm *comm, rs_collective coll, const lsa_kernel *k,
                        double n_bytes) {
    const double n = comm->n_ranks, per_us = 1073741824 / 1e6; /* of a GB/s */
    const bool all_reduce = coll == RS_COLL_ALL_REDUCE, newer = comm->cc_min >= BLACKWELL;
    double bytes, faster = 1, blocks = MOST_BLOCKS;
    if (k->lines) {
        bytes = 9 * n * n_bytes; /* twice the bytes, and the work on them */
        if (k->in_switch) faster = 1.1;
    } else if (all_reduce) {
        bytes = k->in_switch ? n_bytes / n + n_bytes : 2 * n_bytes * (n - 1) / n;
        if (k->in_switch) faster = n;
    } else {
        bytes = (n - 1) * n_bytes;
        if (k->in_switch) faster = 0.55 * n;
    }
    if (k->in_switch && !k->lines) blocks = ceil((newer ? 32 : 16) / n);
    const double latency = !newer     ? (k->lines ? 4.5 : 7.8)
                           : k->lines ? (coll == RS_COLL_REDUCE_SCATTER ? 11 : 8.5)
                                      : (all_reduce ? 19.5 : 13);
    const double block_GBps = newer ? 55 : all_reduce ? 65 : 44;
    const bool adds = all_reduce && k->in_switch && !k->lines;
    const double most_GBps = newer ? (adds ? 1000 : 600) : (adds ? 480 : 320);
    const double GBps = soft_min(blocks * block_GBps * faster, most_GBps, block_GBps);
    return latency + soft_plus(bytes / (GBps * per_us) - 1);
}

double rn_nccl_registered_us(const rn_nccl_comm *comm, rs_collective coll, int64_t n_bytes,
                             const char **name) {
    const bool sharded = coll == RS_COLL_ALL_GATHER || coll == RS_COLL_REDUCE_SCATTER;
    const double own = (double)n_bytes / (sharded ? comm->n_ranks : 1);
    const bool multimem = comm->graphs[RN_NCCL_NVLS].n_channels > 0 && comm->n_ranks > 2;
    double least = -1;
    if (comm->n_nodes > 1 || comm->cc_min < HOPPER || comm->version < FIRST) return -1;
    for (const lsa_kernel *k = kernels[coll]; k < kernels[coll] + 4 && k->name != NULL; k++) {
        if (k->in_switch && !multimem) continue;
        const double us = kernel_us(comm, coll, k, own);
        if (least >= 0 && us >= least) continue;
        least = us;
        *name = k->name;
    }
    return least;
}
