/* nccl_cut.c: how NCCL cuts an array, as its source says from 2.22 to 2.30.
 *
 *     cells of so many bytes that a channel has enough to carry --> a part a channel: lo | mid | mid | ... | hi
 *     part --> loops of n chunks; the last loop's chunks are what is left, divided, in 16 bytes
 *
 *   - src/enqueue.cc scheduleCollTasksToPlan, for one call alone: calls of one group share channels, and are cut otherwise.
 *     Every channel but the first and the last has the same part.
 *   - The chunk is calcCollChunking's (src/enqueue.cc). A tuner plugin, or NCCL_BUFFSIZE and its like, would change it.
 *   - What a version changed: least traffic a channel (512 bytes; 16 KiB from 2.23; 32 KiB from 2.29), LL's weight (4 from
 *     2.26), and 2.22 rounds the first part down.
 */
#include "bits/nccl_cut.h"

#include "base/containers.h"

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t least_traffic(int32_t version) {
    return version < 22300 ? 512 : version < 22900 ? 16384 : 32768;
}

/* Bytes of a chunk of a ring; a tree's part is added alike, however it is cut. */
static int64_t chunk_bytes(rn_nccl_protocol protocol) {
    static const int64_t grain[RN_NCCL_N_PROTOCOLS] = {
        [RN_NCCL_LL] = 16, [RN_NCCL_LL128] = 1920, [RN_NCCL_SIMPLE] = 512};
    return rn_nccl_chunk_bytes(protocol) / grain[protocol] * grain[protocol];
}

int32_t rn_cut_channels(const rn_bits_job *job, rn_channel_part parts[]) {
    const bool floor_first = job->version < 22300;
    const int64_t elem = rs_dtype_bytes(job->dtype), least = least_traffic(job->version);
    int64_t per_byte = job->collective == RS_COLL_ALL_REDUCE ? 2 : job->n_ranks;
    if (job->protocol == RN_NCCL_LL && job->version >= 22600) per_byte *= 4;
    const int64_t bytes = job->count * elem;
    const int64_t traffic = floor_first ? bytes * per_byte : rs_larger(least, bytes * per_byte);
    const int32_t channels =
        job->used_channels < job->n_channels ? job->used_channels : job->n_channels;
    const int64_t per_channel = divide_up(traffic / channels, 16) * 16;
    const int64_t cell = floor_first ? 16 : divide_up(divide_up(least, per_byte), 16) * 16;
    const int64_t in_cell = cell / elem, cells = divide_up(bytes, cell), of_cell = cell * per_byte;
    int64_t each = divide_up(per_channel, of_cell);
    if (each > cells) each = cells;
    int64_t lo = job->n_channels == 1 ? cells
                 : floor_first        ? per_channel / of_cell
                                      : divide_up(per_channel, of_cell);
    if (lo > cells) lo = cells;
    int64_t mids = (cells - lo) / each, hi = (cells - lo) % each;
    int32_t channel = 0;
    if (job->n_channels < (lo != 0) + mids + (hi != 0)) { /* more than there are */
        mids = job->n_channels - 2;
        each = (cells - lo) / (mids + 1);
        hi = each + (cells - lo) % (mids + 1);
    }
    if (hi == 0 && mids != 0) hi = each, mids--;
    if (lo == 0) {
        channel++;
        if (mids == 0) {
            lo = hi, hi = 0;
        } else {
            lo = each, mids--;
        }
    }
    const int64_t spare = cells * in_cell - job->count; /* the last cell is not full */
    const int64_t chunk = chunk_bytes(job->protocol) / elem;
    int32_t n = 0;
    parts[n++] = (rn_channel_part){channel, lo * in_cell - (hi == 0 ? spare : 0), chunk};
    for (int64_t i = 0; i < mids; i++, n++) {
        parts[n] = (rn_channel_part){channel + n, each * in_cell, chunk};
    }
    if (hi != 0) {
        parts[n] = (rn_channel_part){channel + n, hi * in_cell - spare, chunk};
        n++;
    }
    return n;
}

int64_t rn_chunk_count(const rn_bits_job *job, const rn_channel_part *part, int64_t left) {
    const int64_t line = 16 / rs_dtype_bytes(job->dtype);
    if (left >= job->n_ranks * part->chunk) return part->chunk;
    return divide_up(divide_up(left, job->n_ranks), line) * line;
}
