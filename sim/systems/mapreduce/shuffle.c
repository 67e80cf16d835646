/* shuffle.c: the shuffle as a schedule: every rank has a message for every other rank.
 *
 *     step 0: 0 -> 1, 1 -> 2, ...     step s: n -> n + s + 1     N - 1 steps; mod N
 *
 *     chunks:  | 0 -> 0 | 0 -> 1 | 0 -> 2 | 1 -> 0 | 1 -> 1 | ...    a chunk for each byte (or
 *     unit), so a
 *                                                                    message is a range of chunks
 *
 *   - In a step a rank sends one message and receives one. A message without bytes is left out.
 *   - The receiver reduces: it folds what arrives.
 */
#include "schedule/algo.h"
#include "ringsim_mapreduce.h"

#define MOST_UNITS ((int64_t)1 << 30)

typedef struct shuffle_plan {
    int32_t *first; /* [n_ranks^2 + 1] the first unit of each message */
} shuffle_plan;

static int message(const rs_schedule *schedule, int32_t src, int32_t dst, rs_transfer *out) {
    const shuffle_plan *plan = schedule->context;
    const size_t at = (size_t)src * (size_t)schedule->n_ranks + (size_t)dst;
    const int32_t n_units = plan->first[at + 1] - plan->first[at];
    if (n_units == 0) return 0;
    *out = (rs_transfer){.src = src,
                         .dst = dst,
                         .chunk = plan->first[at],
                         .n_chunks = n_units,
                         .order = src,
                         .effect = RS_REDUCE};
    return 1;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return message(schedule, rank, (rank + step + 1) % schedule->n_ranks, out);
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const int32_t n = schedule->n_ranks;
    return message(schedule, (rank + n - step - 1) % n, rank, out);
}

static void make(int32_t n_ranks, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_steps = n_ranks - 1;
    schedule->sends = sends;
    schedule->recvs = recvs;
}

static const rs_algorithm algorithm = {
    .name = "shuffle", .summary = "every GPU to every other", .make = make};

/* Returns the bytes of a unit: one, unless there are too many to number. */
static int64_t unit_of(int64_t n_bytes) {
    int64_t unit = 1;
    while (n_bytes / unit >= MOST_UNITS) unit *= 2;
    return unit;
}

rs_status rs_mr_shuffle(int32_t n_ranks, const int64_t bytes[], rs_arena *arena, rs_error *error,
                        rs_schedule *schedule, int64_t *count) {
    const size_t n = (size_t)n_ranks;
    rs_schedule made;
    shuffle_plan *plan = rs_alloc(arena, 1, sizeof *plan);
    int32_t *first = rs_alloc(arena, n * n + 1, sizeof *first);
    if (plan == NULL || first == NULL) return rs_no_memory(error);
    int64_t n_bytes = 0;
    for (size_t i = 0; i < n * n; i++) n_bytes += i / n == i % n ? 0 : bytes[i];
    const int64_t unit = unit_of(n_bytes);
    rs_status status = rs_schedule_make(&algorithm, RS_ORDER_SEED, n_ranks, n_bytes, error, &made);
    if (status != RS_OK) return status;
    for (size_t i = 0; i < n * n; i++) {
        const int64_t n_units = i / n == i % n ? 0 : (bytes[i] + unit - 1) / unit;
        first[i + 1] = first[i] + (int32_t)n_units;
        if (n_units > 0) made.n_transfers++;
        if (n_units > made.max_run) made.max_run = (int32_t)n_units;
    }
    plan->first = first;
    made.context = plan;
    made.n_chunks = first[n * n];
    *schedule = made;
    *count = made.n_chunks * unit;
    return RS_OK;
}
