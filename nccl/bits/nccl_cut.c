/* nccl_cut.c: how NCCL cuts an array, as its source says from 2.18 to 2.30, for one call alone: calls of one group share
 * channels, and are cut otherwise.
 *
 *     2.22 and later: cells of so many bytes that a channel has enough to carry --> a part a channel: lo | mid | mid | ... | hi
 *     2.20, 2.21:     as many bytes a channel, up to what all threads move at once
 *     part --> loops of n chunks; the last loop's chunks are what is left, divided, up to a grain
 *     2.18, 2.19:     loops over all channels: | chunk of channel 0 | of channel 1 | ... | chunk of channel 0 | ...
 *
 *   - src/enqueue.cc scheduleCollTasksToPlan, of which every channel but the first and the last has the same part;
 *     addCBDCollToPlan; src/device/all_reduce.h runRing, runTreeSplit, reduce-scatter's runRing (src/collectives/device in 2.18).
 *   - What a version changed since 2.22: least traffic a channel (512 bytes; 16 KiB from 2.23; 32 KiB from 2.29), LL's weight (4
 *     from 2.26), and 2.22 rounds the first part down.
 *   - A tuner plugin, or NCCL_BUFFSIZE and its like, would change all of it.
 */
#include "bits/nccl_cut.h"

#include "base/containers.h"

static const int64_t MOST_ELEMENTS = INT64_C(1)
                                     << 48;         /* of more there is no memory for the pieces */
enum { WARP = 32, LL_GRAIN = 8, LL128_GRAIN = 60 }; /* bytes that a thread moves at once */

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}
static int64_t round_up(int64_t a, int64_t to) {
    return divide_up(a, to) * to;
}

static bool add(rn_pieces *pieces, int32_t channel, int32_t place, int64_t count) {
    if (count <= 0) return true;
    if (!rs_reserve(pieces->arena, &pieces->list, pieces->n + 1, &pieces->room)) return false;
    pieces->list[pieces->n++] = (rn_piece){channel, place, count};
    return true;
}

/* Chunks that a loop has on a channel. */
static int32_t places_of(const rn_bits_job *job) {
    const bool all = job->collective == RS_COLL_ALL_REDUCE && job->algorithm == RN_NCCL_RING;
    return all ? job->n_ranks : 1;
}

static int32_t channels_of(const rn_bits_job *job) {
    return job->used_channels < job->n_channels ? job->used_channels : job->n_channels;
}

/* ------------------------------------------------------------------ 2.20 and later: a part a channel */

/* A channel's part; the last loop's chunks are multiples of the grain, in elements. */
static bool cut_part(const rn_bits_job *job, int32_t channel, int64_t count, int64_t chunk,
                     int64_t grain, rn_pieces *pieces) {
    const int32_t n = places_of(job);
    if (n == 1) return add(pieces, channel, 0, count);
    for (int64_t left = count; left > 0;) {
        if (left < n * chunk) chunk = round_up(divide_up(left, n), grain);
        for (int32_t place = 0; place < n && left > 0; place++) {
            if (!add(pieces, channel, place, rs_smaller(chunk, left))) return false;
            left -= rs_smaller(chunk, left);
        }
    }
    return true;
}

static bool cut_cells(const rn_bits_job *job, rn_pieces *pieces) {
    static const int64_t grains[RN_NCCL_N_PROTOCOLS] = {
        [RN_NCCL_LL] = 16, [RN_NCCL_LL128] = 1920, [RN_NCCL_SIMPLE] = 512};
    const bool oldest = job->version < 22300;
    const int64_t elem = rs_dtype_bytes(job->dtype), bytes = job->count * elem;
    const int64_t enough = oldest ? 512 : job->version < 22900 ? 16384 : 32768;
    int64_t per_byte = job->collective == RS_COLL_ALL_REDUCE ? 2 : job->n_ranks;
    if (job->protocol == RN_NCCL_LL && job->version >= 22600) per_byte *= 4;
    const int64_t traffic = oldest ? bytes * per_byte : rs_larger(enough, bytes * per_byte);
    const int64_t per_channel = rs_larger(enough, traffic / channels_of(job));
    const int64_t cell = oldest ? 16 : round_up(divide_up(enough, per_byte), 16);
    const int64_t in_cell = cell / elem, cells = divide_up(bytes, cell), of_cell = cell * per_byte;
    int64_t each = rs_smaller(cells, divide_up(per_channel, of_cell));
    const int64_t lo = job->n_channels == 1 ? cells
                       : oldest             ? rs_smaller(cells, per_channel / of_cell)
                                            : each;
    int64_t mids = (cells - lo) / each, hi = (cells - lo) % each;
    if (job->n_channels < (lo != 0) + mids + (hi != 0)) { /* more than there are */
        mids = job->n_channels - 2;
        each = (cells - lo) / (mids + 1);
        hi = each + (cells - lo) % (mids + 1);
    }
    const int64_t grain = grains[job->protocol];
    const int64_t chunk = rn_nccl_chunk_bytes(job->protocol) / grain * grain / elem;
    int64_t left = job->count; /* the last cell is not full */
    for (int32_t channel = 0; left > 0; channel++) {
        const int64_t n = rs_smaller(left, in_cell * (channel == 0      ? lo
                                                      : channel <= mids ? each
                                                                        : hi));
        if (!cut_part(job, channel, n, chunk, 16 / elem, pieces)) return false;
        left -= n;
    }
    return true;
}

static bool cut_evenly(const rn_bits_job *job, rn_pieces *pieces) {
    const int64_t elem = rs_dtype_bytes(job->dtype);
    const int64_t chunk = rn_nccl_chunk_bytes(job->protocol) / elem;
    const int64_t grain = job->protocol == RN_NCCL_SIMPLE ? 4096 / elem
                          : job->protocol == RN_NCCL_LL   ? LL_GRAIN / elem * job->n_threads
                                                          : 480 / elem * (job->n_threads / WARP);
    const int64_t bytes = round_up(divide_up(job->count * elem, channels_of(job)), 16);
    int64_t left = job->count;
    for (int32_t channel = 0; left > 0; channel++) {
        const int64_t n =
            rs_smaller(left, round_up(rs_smaller(divide_up(bytes, elem), left), grain));
        if (!cut_part(job, channel, n, chunk, grain, pieces)) return false;
        left -= n;
    }
    return true;
}

/* ------------------------------------------------------------------ 2.18, 2.19: loops over all channels */

/* Halves a tree's chunk while a channel has fewer of them than that, down to so many bytes. */
static void halve(const rn_bits_job *job, double fewer, int64_t down_to, int64_t *chunk) {
    const int64_t bytes = job->count * rs_dtype_bytes(job->dtype);
    while ((double)(bytes / (channels_of(job) * *chunk)) < fewer && *chunk > down_to) *chunk /= 2;
}

/* Elements of a tree's chunk, and in *grain what all threads move at once. */
static int64_t tree_chunk(const rn_bits_job *job, int64_t *grain) {
    const int64_t elem = rs_dtype_bytes(job->dtype);
    const int32_t depth = job->n_ranks / job->n_nodes - 1 + rs_floor_log2(job->n_nodes);
    const float a_node = (float)job->n_ranks / (float)job->n_nodes;
    const float steps = (float)(1 + rs_floor_log2(job->n_nodes) + 0.1 * (double)a_node);
    int64_t chunk;
    switch (job->protocol) {
    case RN_NCCL_LL:
        *grain = job->n_threads * (LL_GRAIN / elem);
        return rn_nccl_chunk_bytes(RN_NCCL_LL) / elem;
    case RN_NCCL_LL128:
        *grain = job->n_threads * (LL128_GRAIN / elem) / 8;
        chunk = 614400; /* a step, with its flags */
        halve(job, (double)(steps * 64 / a_node), 131072, &chunk);
        halve(job, (double)(steps * 16 / a_node), 32768, &chunk);
        return chunk * 15 / (16 * elem);
    default:
        *grain = (job->n_threads - 2 * WARP) * 8 * (LL_GRAIN / elem);
        chunk = 524288;
        halve(job, depth * 8, 131072, &chunk);
        halve(job, depth * 4, 65536, &chunk);
        halve(job, depth, 32768, &chunk);
        return chunk / elem;
    }
}

/* Elements of a ring's chunk in the loop that begins where so many are left. */
static int64_t ring_chunk(const rn_bits_job *job, int64_t left) {
    const int64_t elem = rs_dtype_bytes(job->dtype), n = channels_of(job) * places_of(job);
    const int64_t most = rn_nccl_chunk_bytes(job->protocol) / elem;
    if (job->protocol == RN_NCCL_SIMPLE) {
        const int64_t grain = (job->n_threads - WARP) * LL_GRAIN / elem;
        return round_up(rs_smaller(most, divide_up(left, n)), grain);
    }
    const int64_t grain = job->protocol == RN_NCCL_LL ? job->n_threads * (LL_GRAIN / elem)
                                                      : job->n_threads * (LL128_GRAIN / elem) / 2;
    return rs_smaller(most, divide_up(left, n * grain) * grain);
}

static bool cut_loops(const rn_bits_job *job, rn_pieces *pieces) {
    const bool tree = job->algorithm == RN_NCCL_TREE;
    const int32_t channels = channels_of(job), places = places_of(job), n = channels * places;
    int64_t grain = 0, chunk = tree ? tree_chunk(job, &grain) : 0;
    const int64_t loop =
        n * (tree ? chunk : rn_nccl_chunk_bytes(job->protocol) / rs_dtype_bytes(job->dtype));
    if (tree && loop > job->count) chunk = divide_up(job->count, channels * grain) * grain;
    for (int64_t at = 0; at < job->count; at += loop) {
        int64_t left = rs_smaller(loop, job->count - at);
        if (!tree) chunk = ring_chunk(job, job->count - at);
        for (int32_t i = 0; i < n && left > 0; i++) {
            const bool by_channel = job->protocol == RN_NCCL_SIMPLE;
            const int32_t channel = by_channel ? i / places : i % channels;
            const int32_t place = by_channel ? i % places : i / channels;
            if (!add(pieces, channel, place, rs_smaller(chunk, left))) return false;
            left -= rs_smaller(chunk, left);
        }
    }
    return true;
}

/* ------------------------------------------------------------------ all of them */

bool rn_cut(const rn_bits_job *job, rn_pieces *pieces) {
    if (job->count > MOST_ELEMENTS) return false;
    if (job->version < 22000) return cut_loops(job, pieces);
    return job->version < 22200 ? cut_evenly(job, pieces) : cut_cells(job, pieces);
}

int32_t rn_bits_channels(const rn_bits_job *job, rs_arena *arena) {
    rn_pieces pieces = {.arena = arena};
    int32_t most = 0;
    if (job->algorithm != RN_NCCL_RING && job->algorithm != RN_NCCL_TREE) return 0;
    if (!rn_cut(job, &pieces)) return -1;
    for (int64_t i = 0; i < pieces.n; i++) {
        if (pieces.list[i].channel >= most) most = pieces.list[i].channel + 1;
    }
    return most;
}
