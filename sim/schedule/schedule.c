/* schedule.c: what all schedules share: the list of algorithms, phases, the walk along a step.
 *
 * To add an algorithm: one file algo_NAME.c, its name in a line below; README.md has the steps.
 */
#include "schedule/algo.h"
#include "schedule/channels.h"

#include <assert.h>
#include <string.h>

/* Of each collective, the usual one first. */
#define ALL_REDUCE(row)                                                                            \
    row(ring) row(naive) row(tree) row(doubling) row(halving) row(bidirectional) row(rings)        \
        row(two_level) row(double_tree) row(one_shot) row(two_shot) row(nvls)
#define REDUCE_SCATTER(row) row(ring_scatter) row(halving_scatter)
#define ALL_GATHER(row) row(ring_gather) row(doubling_gather)
#define BROADCAST(row) row(chain_broadcast) row(tree_broadcast)
#define REDUCE(row) row(chain_reduce) row(tree_reduce)
#define ALL_TO_ALL(row) row(pairwise) row(direct)

#define DECLARE(name) extern const rs_algorithm rs_##name;
ALL_REDUCE(DECLARE)
REDUCE_SCATTER(DECLARE)
ALL_GATHER(DECLARE)
BROADCAST(DECLARE)
REDUCE(DECLARE)
ALL_TO_ALL(DECLARE)

#define POINT_TO(name) &rs_##name,
const rs_algorithm *const rs_algorithms[] = {ALL_REDUCE(POINT_TO) NULL};
static const rs_algorithm *const scatters[] = {REDUCE_SCATTER(POINT_TO) NULL};
static const rs_algorithm *const gathers[] = {ALL_GATHER(POINT_TO) NULL};
static const rs_algorithm *const broadcasts[] = {BROADCAST(POINT_TO) NULL};
static const rs_algorithm *const reduces[] = {REDUCE(POINT_TO) NULL};
static const rs_algorithm *const to_alls[] = {ALL_TO_ALL(POINT_TO) NULL};

const rs_algorithm *const *rs_algorithms_of(rs_collective of) {
    static const rs_algorithm *const *const all[RS_N_COLLECTIVES] = {
        rs_algorithms, scatters, gathers, broadcasts, reduces, to_alls};
    return all[of];
}

const rs_algorithm *rs_find_algorithm(rs_collective of, const char *name) {
    for (const rs_algorithm *const *at = rs_algorithms_of(of); *at != NULL; at++) {
        if (strcmp((*at)->name, name) == 0) return *at;
    }
    return NULL;
}

static int nothing(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    (void)schedule, (void)step, (void)rank, (void)out;
    return 0;
}

static rs_status check_spec(const rs_spec *spec, int64_t count, rs_error *error) {
    if (spec->n_ranks < 1 || spec->n_ranks > RS_MAX_RANKS) {
        return rs_fail(error, RS_BAD_INPUT, "%d GPUs: the world size must lie in 1..%d",
                       (int)spec->n_ranks, RS_MAX_RANKS);
    }
    if (spec->n_pieces < 0 || spec->n_pieces > RS_MAX_PIECES) {
        return rs_fail(error, RS_BAD_INPUT, "%d chunks: they must lie in 1..%d",
                       (int)spec->n_pieces, RS_MAX_PIECES);
    }
    if (spec->n_channels < 0 || spec->n_channels > RS_MAX_CHANNELS) {
        return rs_fail(error, RS_BAD_INPUT, "%d channels: they must lie in 1..%d",
                       (int)spec->n_channels, RS_MAX_CHANNELS);
    }
    if (spec->root < 0 || spec->root >= spec->n_ranks) {
        return rs_fail(error, RS_BAD_INPUT, "root %d: the ranks are 0..%d", (int)spec->root,
                       (int)spec->n_ranks - 1);
    }
    if (spec->gpus_per_node < 0) {
        return rs_fail(error, RS_BAD_INPUT, "%d GPUs a node: it must be 1 at least",
                       (int)spec->gpus_per_node);
    }
    if (count >= 0) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT, "%lld elements: a count cannot be negative",
                   (long long)count);
}

rs_status rs_whole_nodes(const rs_schedule *wanted, rs_error *error) {
    const int32_t g = wanted->gpus_per_node, n = wanted->n_ranks;
    if (g == 0 || n % g == 0) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT,
                   "%s: %d GPUs cannot be cut into nodes of %d; take a divisor of %d", wanted->name,
                   (int)n, (int)g, (int)n);
}

rs_status rs_each_to_each(const rs_schedule *wanted, rs_error *error) {
    if (wanted->n_ranks <= RS_MAX_ALL_TO_ALL) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT, "%s: %d GPUs, but each sends to each: it takes at most %d",
                   wanted->name, (int)wanted->n_ranks, RS_MAX_ALL_TO_ALL);
}

static rs_status check_made(const rs_schedule *made, const rs_spec *spec, rs_error *error) {
    if (spec->n_pieces > 0 && !made->algorithm->pipelined) {
        return rs_fail(error, RS_BAD_INPUT,
                       "algorithm %s cuts the array itself: only a pipeline can be told how many "
                       "chunks to make",
                       made->name);
    }
    return made->n_steps == 0 ? RS_OK
                              : rs_collective_fits(made->collective, made->n_ranks, made->n_chunks,
                                                   made->root, error);
}

rs_status rs_schedule_from_spec(const rs_algorithm *algorithm, const rs_spec *spec, int64_t count,
                                rs_error *error, rs_schedule *schedule) {
    rs_schedule made = {
        .name = algorithm->name,
        .order = spec->order,
        .n_ranks = spec->n_ranks,
        .collective = algorithm->collective,
        .root = spec->root,
        .gpus_per_node = spec->gpus_per_node,
        .dealt = spec->dealt,
        .n_pieces = spec->n_pieces,
        .asked_channels = spec->n_channels,
        .n_channels = algorithm->own_channels ? spec->n_channels : 0,
        .n_chunks = spec->n_pieces,
        .max_sends = 1,
        .max_run = 1,
        .sends = nothing,
        .recvs = nothing,
        .algorithm = algorithm,
    };
    rs_status status = check_spec(spec, count, error);
    if (status == RS_OK && algorithm->accepts != NULL) status = algorithm->accepts(&made, error);
    if (status != RS_OK) return status;
    if (spec->n_pieces == 0 && algorithm->piece_elements > 0) {
        const int64_t pieces = count / algorithm->piece_elements;
        const int32_t most = algorithm->most_pieces;
        made.n_chunks = pieces < most ? (int32_t)pieces : most;
    }
    if (spec->n_ranks > 1 && count > 0) algorithm->make(spec->n_ranks, spec->order, &made);
    if (made.n_chunks == 0) made.n_chunks = 1;
    if (is_sharded(made.collective)) made.n_parts = made.n_ranks;
    status = check_made(&made, spec, error);
    if (status == RS_OK && spec->n_channels > 1 && made.n_steps > 0 && !algorithm->own_channels) {
        status = rs_channels_wrap(&made, spec->n_channels, error);
    }
    if (status != RS_OK) return status;
    if (count == 0) made.n_chunks = 0;
    if (made.max_sends > RS_MAX_SENDS) {
        return rs_fail(error, RS_BAD_INPUT,
                       "algorithm %s: max_sends is %d; a rank may send at most %d messages a step",
                       algorithm->name, (int)made.max_sends, RS_MAX_SENDS);
    }
    *schedule = made;
    return RS_OK;
}

rs_status rs_schedule_make(const rs_algorithm *algorithm, rs_order order, int32_t n_ranks,
                           int64_t count, rs_error *error, rs_schedule *schedule) {
    const rs_spec spec = {.n_ranks = n_ranks, .order = order};
    return rs_schedule_from_spec(algorithm, &spec, count, error, schedule);
}

rs_status rs_schedule_as(rs_schedule *schedule, rs_collective of, int32_t root, rs_error *error) {
    const rs_status status =
        rs_collective_fits(of, schedule->n_ranks, schedule->n_chunks, root, error);
    if (status != RS_OK) return status;
    if (schedule->table != NULL && of != schedule->collective) schedule->n_phases = 0;
    schedule->collective = of;
    schedule->root = root;
    schedule->n_parts = is_sharded(of) ? schedule->n_ranks : 1;
    return RS_OK;
}

rs_spec rs_spec_of(const rs_schedule *schedule) {
    return (rs_spec){.n_ranks = schedule->n_ranks,
                     .order = schedule->order,
                     .gpus_per_node = schedule->gpus_per_node,
                     .dealt = schedule->dealt,
                     .root = schedule->root,
                     .n_pieces = schedule->n_pieces,
                     .n_channels = schedule->asked_channels};
}

rs_phase rs_phase_at(const rs_schedule *schedule, int32_t step, int32_t *iteration, int32_t *of) {
    assert(step >= 0);
    int32_t i = schedule->n_phases - 1;
    while (i > 0 && schedule->phases[i].first_step > step) i--;
    const bool none = i < 0;
    const int32_t first = none ? 0 : schedule->phases[i].first_step;
    const bool last = none || i == schedule->n_phases - 1;
    const int32_t end = last ? schedule->n_steps : schedule->phases[i + 1].first_step;
    if (iteration != NULL) *iteration = step - first;
    if (of != NULL) *of = end - first;
    return none ? RS_PHASE_NONE : schedule->phases[i].phase;
}

const char *rs_phase_name(rs_phase phase) {
    assert(phase <= RS_FOLD_OUT);
    static const char *const names[] = {NULL,        "scatter-reduce", "all-gather", "reduce",
                                        "broadcast", "exchange",       "fold-in",    "fold-out"};
    return names[phase];
}

/* Asks for all that a rank sends, more than a cursor holds, and keeps those from `which` on. */
__attribute__((noinline)) static int hold_part(const rs_schedule *schedule, int32_t step,
                                               int32_t rank, int which, rs_cursor *cursor) {
    rs_transfer all[RS_MAX_SENDS];
    const int n = schedule->sends(schedule, step, rank, all);
    const int rest = n - which;
    cursor->n_held = rest < 0 ? 0 : rest < RS_HELD ? rest : RS_HELD;
    for (int i = 0; i < cursor->n_held; i++) cursor->held[i] = all[which + i];
    return n;
}

/* Fills the cursor with the next messages of one rank: at = rank x RS_MAX_SENDS + the place of the
   first among the rank's. Those of a rank that sends many come in several parts. */
static bool hold_more(const rs_schedule *schedule, int32_t step, rs_cursor *cursor) {
    int32_t rank = (int32_t)(cursor->at / RS_MAX_SENDS);
    const int which = (int)(cursor->at % RS_MAX_SENDS);
    if (which == 0 && rank < schedule->n_ranks && schedule->next_sender != NULL) {
        rank = schedule->next_sender(schedule, step, rank);
    }
    if (rank >= schedule->n_ranks) return false;
    int n;
    if (schedule->max_sends <= RS_HELD) {
        n = cursor->n_held = schedule->sends(schedule, step, rank, cursor->held);
    } else {
        n = hold_part(schedule, step, rank, which, cursor);
    }
    const int end = which + cursor->n_held;
    cursor->at = (int64_t)rank * RS_MAX_SENDS + (end < n ? end : RS_MAX_SENDS);
    cursor->next_held = 0;
    return true;
}

static bool next_of_several(const rs_schedule *schedule, int32_t step, rs_cursor *cursor,
                            rs_transfer *transfer) {
    while (cursor->next_held == cursor->n_held) {
        if (!hold_more(schedule, step, cursor)) return false;
    }
    *transfer = cursor->held[cursor->next_held++];
    return true;
}

bool rs_next_transfer(const rs_schedule *schedule, int32_t step, rs_cursor *cursor,
                      rs_transfer *transfer) {
    if (schedule->table != NULL) return rs_table_next(schedule, step, cursor, transfer);
    if (schedule->max_sends > 1) return next_of_several(schedule, step, cursor, transfer);
    while (cursor->at < schedule->n_ranks) { /* each rank sends one message at most */
        if (schedule->next_sender != NULL) {
            cursor->at = schedule->next_sender(schedule, step, (int32_t)cursor->at);
            if (cursor->at == schedule->n_ranks) return false;
        }
        if (schedule->sends(schedule, step, (int32_t)cursor->at++, transfer) == 1) return true;
    }
    return false;
}

static int64_t count_sent(const rs_schedule *schedule, int64_t count, int32_t rank) {
    rs_transfer out[RS_MAX_SENDS];
    int64_t sent = 0;
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        if (schedule->next_step != NULL) step = schedule->next_step(schedule, step, rank);
        const int n = step < schedule->n_steps ? schedule->sends(schedule, step, rank, out) : 0;
        for (int i = 0; i < n; i++) sent += rs_transfer_count(schedule, count, &out[i]);
    }
    return sent;
}

int64_t rs_elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank) {
    assert(rank >= 0);
    assert(rank < schedule->n_ranks);
    if (schedule->n_steps == 0) return 0;
    if (schedule->table != NULL) return rs_table_elements_sent(schedule, count, rank);
    const rs_algorithm *algorithm = schedule->algorithm;
    if (algorithm->elements_sent == NULL || schedule->sends_one != NULL)
        return count_sent(schedule, count, rank);
    return algorithm->elements_sent(schedule, count, rank);
}
