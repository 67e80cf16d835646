/* channels.c: a schedule several times side by side, each time with a part of the array; see channels.h.
 *
 *     K = 2, C = 3     | c0 | c1 | c2 || c3 | c4 | c5 |      channel 0 moves chunks 0..2 as the schedule does,
 *                         channel 0        channel 1         channel 1 chunks 3..5
 *
 * An all-gather and a reduce-scatter are cut into shards first: each shard has a piece for each channel.
 */
#include "schedule/channels.h"

#include "schedule/algo.h"

#include <assert.h>

/* Returns the schedule of one channel. */
static rs_schedule one_of(const rs_schedule *schedule) {
    rs_schedule one = *schedule;
    one.n_chunks = schedule->n_chunks / schedule->n_channels;
    one.n_channels = 1;
    one.sends = schedule->sends_one;
    one.recvs = schedule->recvs_one;
    return one;
}

/* Chunk c of channel k is chunk k C + c; of shards, piece k of shard c. */
static void put_on(const rs_schedule *schedule, int32_t channel, rs_transfer *t) {
    const int32_t n_channels = schedule->n_channels;
    const bool shards = is_sharded(schedule->collective);
    t->chunk = shards ? t->chunk * n_channels + channel
                      : t->chunk + channel * (schedule->n_chunks / n_channels);
    t->order = t->order * n_channels + channel;
    t->channel = (uint8_t)channel;
}

/* Every message of one channel, for each of them; in list order. */
static int repeat(const rs_schedule *schedule, int n, rs_transfer out[]) {
    const int32_t n_channels = schedule->n_channels;
    for (int i = n - 1; i >= 0; i--) {
        const rs_transfer one = out[i];
        for (int32_t c = n_channels - 1; c >= 0; c--) {
            out[i * n_channels + c] = one;
            put_on(schedule, c, &out[i * n_channels + c]);
        }
    }
    return n * n_channels;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const rs_schedule one = one_of(schedule);
    return repeat(schedule, one.sends(&one, step, rank, out), out);
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const rs_schedule one = one_of(schedule);
    return repeat(schedule, one.recvs(&one, step, rank, out), out);
}

/* Puts all messages on one channel. */
static int put_all(const rs_schedule *schedule, int32_t channel, int n, rs_transfer out[]) {
    for (int i = 0; i < n; i++) put_on(schedule, channel, &out[i]);
    return n;
}

static int channel_sends(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t channel,
                         rs_transfer out[]) {
    const rs_schedule one = one_of(schedule);
    return put_all(schedule, channel, one.sends(&one, step, rank, out), out);
}

static int channel_recvs(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t channel,
                         rs_transfer out[]) {
    const rs_schedule one = one_of(schedule);
    return put_all(schedule, channel, one.recvs(&one, step, rank, out), out);
}

/* In list order: there are few. */
static int all_channels(const rs_schedule *schedule, rs_on_channel *on, int32_t step, int32_t rank,
                        rs_transfer out[]) {
    int n = 0;
    for (int32_t c = 0; c < schedule->n_channels; c++) {
        for (int last = n + on(schedule, step, rank, c, &out[n]); n < last; n++) {
            const rs_transfer t = out[n];
            int i = n;
            for (; i > 0 && out[i - 1].order > t.order; i--) out[i] = out[i - 1];
            out[i] = t;
        }
    }
    return n;
}

static int all_sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return all_channels(schedule, schedule->channel_sends, step, rank, out);
}

static int all_recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return all_channels(schedule, schedule->channel_recvs, step, rank, out);
}

void rs_channels_join(rs_schedule *schedule, rs_on_channel *sends_on, rs_on_channel *recvs_on) {
    schedule->channel_sends = sends_on;
    schedule->channel_recvs = recvs_on;
    schedule->sends = all_sends;
    schedule->recvs = all_recvs;
}

rs_status rs_channels_wrap(rs_schedule *schedule, int32_t n_channels, rs_error *error) {
    assert(n_channels >= 1 && n_channels <= RS_MAX_CHANNELS);
    if (schedule->algorithm->one_channel) {
        return rs_fail(error, RS_BAD_INPUT, "algorithm %s goes by one channel only",
                       schedule->name);
    }
    if (schedule->n_chunks > INT32_MAX / n_channels ||
        schedule->max_sends > RS_MAX_SENDS / n_channels) {
        return rs_fail(error, RS_BAD_INPUT, "%d channels: too many messages a rank and step",
                       (int)n_channels);
    }
    schedule->sends_one = schedule->sends;
    schedule->recvs_one = schedule->recvs;
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->channel_sends = channel_sends;
    schedule->channel_recvs = channel_recvs;
    schedule->n_recvs = NULL;
    schedule->n_channels = n_channels;
    schedule->n_chunks *= n_channels;
    if (!is_sharded(schedule->collective)) schedule->n_parts = n_channels;
    schedule->n_transfers *= n_channels;
    schedule->max_sends *= n_channels;
    schedule->fixed_neighbours = false;
    return RS_OK;
}
