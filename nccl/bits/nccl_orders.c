/* nccl_orders.c: in which order NCCL adds each element.
 *
 *     ring, chunk c of a loop: it leaves the rank behind c's, and each adds its own on the way; the c-th ends it. Ranks of
 *                              a ring count from rank 0 (src/init.cc setupChannel, src/device/all_reduce.h runRing)
 *     tree:                    a rank's own, then what comes from below, child by child in NCCL's order (runTreeSplit)
 *     NVLS, one node:          the switch adds f32 exactly and rounds once (NVIDIA/nccl#2360); of the 16-bit floats nobody
 *                              promises it
 *
 *   - Operands of an addition may change sides, so LL, LL128 and Simple differ in how they cut, in nothing else.
 */
#include "bits/nccl_cut.h"

enum { LEAST_THREADS = 96 };

/* ------------------------------------------------------------------ rings */

/* A ring from rank 0 on. */
static rs_status turn_ring(const rn_bits_job *job, int32_t ring, int32_t ranks[], rs_error *error) {
    const int32_t n = job->n_ranks;
    const int32_t *order = job->rings + (int64_t)ring * n;
    int32_t zero = 0;
    int64_t seen = 0;
    while (zero < n && order[zero] != 0) zero++;
    bool whole = zero < n;
    for (int32_t i = 0; i < n && whole; i++) {
        ranks[i] = order[(zero + i) % n];
        whole = ranks[i] >= 0 && ranks[i] < n;
        seen += ranks[i];
    }
    if (whole && seen == (int64_t)n * (n - 1) / 2) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT, "ring %d does not hold every rank", ring);
}

/* The sums of a ring: of an all-reduce by the number of the chunk in its loop, of a reduce-scatter by the rank whose part it is,
   for there it ends. */
static rs_status ring_sums(const rn_bits_job *job, int32_t ring, rs_sums *sums, rs_arena *arena,
                           rs_error *error, int32_t ends[]) {
    const int32_t n = job->n_ranks;
    int32_t *ranks = rs_alloc(arena, (size_t)n, sizeof *ranks);
    if (ranks == NULL) return rs_no_memory(error);
    const rs_status status = turn_ring(job, ring, ranks, error);
    if (status != RS_OK) return status;
    for (int32_t place = 0; place < n; place++) {
        if (!rs_go_on(arena->host, "finding orders", place, n))
            return rs_fail(error, RS_CANCELLED, "stopped at channel %d of %d", ring,
                           job->n_channels);
        int32_t sum = ranks[(place + 1) % n];
        for (int32_t i = 2; i <= n; i++) {
            const int32_t own = ranks[(place + i) % n];
            sum = rs_sum_of(sums, sum, own, own);
        }
        ends[job->collective == RS_COLL_ALL_REDUCE ? place : ranks[place]] = sum;
        if (sum < 0) {
            return rs_fail(error, RS_TOO_LARGE,
                           "%d ranks on %d channels have too many sums to tell apart", n,
                           job->n_channels);
        }
    }
    return RS_OK;
}

/* ------------------------------------------------------------------ trees */

/* What the root of a tree ends with: a rank hands up its own, to which child after child has added what it hands up. */
static rs_status tree_sum(const rn_bits_job *job, int32_t tree, rs_sums *sums, rs_arena *arena,
                          rs_error *error, int32_t *sum) {
    const int32_t n = job->n_ranks, *below = job->trees + (int64_t)tree * n * 3;
    int32_t *place =
        rs_alloc(arena, 2 * (size_t)n, sizeof *place); /* in below, from 1 on; 0: none */
    int32_t *hands = place + n, root = -1, n_seen = 0;
    bool once = true;
    if (place == NULL) return rs_no_memory(error);
    for (int32_t i = 0; i < 3 * n && once; i++) {
        if (below[i] < 0) continue;
        once = below[i] < n && place[below[i]] == 0;
        if (once) place[below[i]] = i + 1;
    }
    for (int32_t r = 0; r < n; r++) {
        hands[r] = r;
        if (place[r] == 0) root = r;
    }
    for (int32_t rank = once ? root : -1, next = 0; rank >= 0;) { /* down to a child, or up */
        if (next < 3) {
            const int32_t child = below[3 * rank + next++];
            if (child >= 0) rank = child, next = 0;
            continue;
        }
        const int32_t above = rank == root ? -1 : (place[rank] - 1) / 3;
        if (above >= 0) hands[above] = rs_sum_of(sums, hands[rank], hands[above], above);
        next = (place[rank] - 1) % 3 + 1;
        rank = above;
        n_seen++;
    }
    *sum = n_seen == n ? hands[root] : -1;
    if (*sum >= 0) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT, "tree %d does not hold every rank", tree);
}

/* ------------------------------------------------------------------ rings and trees */

static rs_status reduce_in_ranks(const rn_bits_job *job, rs_sums *sums, rs_arena *arena,
                                 rs_error *error, rs_bits *bits) {
    const bool ring = job->algorithm == RN_NCCL_RING;
    const int32_t n_parts = job->collective == RS_COLL_ALL_REDUCE ? 1 : job->n_ranks;
    int32_t *known[RN_NCCL_MOST_CHANNELS] = {NULL}; /* sums of a ring, of a tree */
    rn_pieces pieces = {.arena = arena};
    if (!rn_cut(job, &pieces)) return rs_no_memory(error);
    for (int32_t part = 0; part < n_parts; part++) {
        for (int64_t i = 0; i < pieces.n; i++) {
            const rn_piece *piece = &pieces.list[i];
            const int32_t which = piece->channel % (ring ? job->n_rings : job->n_trees);
            int32_t **of = &known[which];
            if (*of == NULL) {
                *of = rs_alloc(arena, (size_t)job->n_ranks, sizeof **of);
                if (*of == NULL) return rs_no_memory(error);
                const rs_status status =
                    (ring ? ring_sums : tree_sum)(job, which, sums, arena, error, *of);
                if (status != RS_OK) return status;
            }
            if (!rs_add_run(bits, arena, piece->count, (*of)[part + piece->place]))
                return rs_no_memory(error);
        }
    }
    return RS_OK;
}

/* ------------------------------------------------------------------ switches */

static rs_status reduce_in_switch(const rn_bits_job *job, rs_sums *sums, rs_arena *arena,
                                  rs_error *error, rs_bits *bits) {
    const bool whole = job->collective == RS_COLL_ALL_REDUCE;
    if (job->algorithm == RN_NCCL_COLLNET_DIRECT || job->algorithm == RN_NCCL_COLLNET_CHAIN) {
        bits->undefined = RS_MESSAGE("the network adds what comes from the nodes, in an order that "
                                     "nobody promises");
    } else if (job->n_nodes > 1) {
        bits->undefined = RS_MESSAGE("in each node the switch adds, and what nodes have is added "
                                     "along trees or by the network: that part is not modelled");
    } else if (rs_dtype_is_float(job->dtype) && job->dtype != RS_F32) {
        bits->undefined = RS_MESSAGE(
            "a switch's sum of this type is promised nowhere: NVIDIA called it not deterministic between calls in 2024 "
            "(NVIDIA/nccl#1497), and it was seen to change (NVIDIA/nccl#2360)");
    }
    const int64_t count = job->count * (whole ? 1 : job->n_ranks);
    return rs_add_run(bits, arena, count, rs_sum_exact(sums)) ? RS_OK : rs_no_memory(error);
}

/* ------------------------------------------------------------------ all of them */

rs_status rn_bits_of_nccl(const rn_bits_job *job, rs_sums *sums, rs_arena *arena, rs_error *error,
                          rs_bits *bits) {
    *bits = (rs_bits){0};
    const bool reduces =
        job->collective == RS_COLL_ALL_REDUCE || job->collective == RS_COLL_REDUCE_SCATTER;
    if (job->version < RN_NCCL_OLDEST) {
        return rs_fail(error, RS_BAD_INPUT, "how NCCL before 2.18 cuts an array has not been read");
    }
    if (job->version < 22200 && job->n_threads < LEAST_THREADS)
        return rs_fail(error, RS_BAD_INPUT, "before 2.22 chunks end as the threads of a block say");
    if (!reduces)
        return rs_fail(error, RS_BAD_INPUT, "bits are of an all-reduce or a reduce-scatter");
    if (job->n_ranks < 2 || job->count < 1)
        return rs_fail(error, RS_BAD_INPUT, "bits are of two ranks and more");
    switch (job->algorithm) {
    case RN_NCCL_TREE:
        if (job->collective != RS_COLL_ALL_REDUCE) break;
        return reduce_in_ranks(job, sums, arena, error, bits);
    case RN_NCCL_RING: return reduce_in_ranks(job, sums, arena, error, bits);
    case RN_NCCL_COLLNET_DIRECT:
    case RN_NCCL_COLLNET_CHAIN:
    case RN_NCCL_NVLS:
    case RN_NCCL_NVLS_TREE: return reduce_in_switch(job, sums, arena, error, bits);
    default: break;
    }
    return rs_fail(error, RS_BAD_INPUT, "the order of this algorithm has not been read");
}
