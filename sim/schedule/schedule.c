/* schedule.c: what all schedules share: the list of algorithms, phases, the walk along a step.
 *
 * To add an algorithm: one file algo_NAME.c, its name in the two lines below; README.md has the steps.
 */
#include "schedule/algo.h"

#include <assert.h>
#include <string.h>

extern const rs_algorithm rs_ring, rs_naive, rs_tree, rs_doubling, rs_halving;

const rs_algorithm *const rs_algorithms[] = {
    &rs_ring, &rs_naive, &rs_tree, &rs_doubling, &rs_halving, NULL,
};

const rs_algorithm *rs_find_algorithm(const char *name) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        if (strcmp(rs_algorithms[i]->name, name) == 0) return rs_algorithms[i];
    }
    return NULL;
}

static int nothing(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    (void)schedule, (void)step, (void)rank, (void)out;
    return 0;
}

rs_status rs_schedule_make(const rs_algorithm *algorithm, rs_order order, int32_t n_ranks,
                           int64_t count, rs_error *error, rs_schedule *schedule) {
    if (n_ranks < 1 || n_ranks > RS_MAX_RANKS) {
        return rs_fail(error, RS_BAD_INPUT, "%d GPUs: the world size must lie in 1..%d",
                       (int)n_ranks, RS_MAX_RANKS);
    }
    if (count < 0) {
        return rs_fail(error, RS_BAD_INPUT, "%lld elements: a count cannot be negative",
                       (long long)count);
    }
    rs_schedule made = {
        .name = algorithm->name,
        .n_ranks = n_ranks,
        .n_chunks = count == 0 ? 0 : 1,
        .max_sends = 1,
        .max_run = 1,
        .sends = nothing,
        .recvs = nothing,
        .algorithm = algorithm,
    };
    if (n_ranks > 1 && count > 0) algorithm->make(n_ranks, order, &made);
    made.order = order;
    if (made.max_sends > RS_MAX_SENDS) {
        return rs_fail(error, RS_BAD_INPUT,
                       "algorithm %s: max_sends is %d; a rank may send at most %d messages a step",
                       algorithm->name, (int)made.max_sends, RS_MAX_SENDS);
    }
    *schedule = made;
    return RS_OK;
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

/* The cursor counts messages: at = rank x RS_MAX_SENDS + the message's place among the rank's. */
static bool next_of_several(const rs_schedule *schedule, int32_t step, rs_cursor *cursor,
                            rs_transfer *transfer) {
    rs_transfer out[RS_MAX_SENDS];
    while (cursor->at < (int64_t)schedule->n_ranks * RS_MAX_SENDS) {
        const int32_t rank = (int32_t)(cursor->at / RS_MAX_SENDS);
        const int which = (int)(cursor->at % RS_MAX_SENDS);
        const int n = schedule->sends(schedule, step, rank, out);
        const int64_t rest = which + 1 < n ? 1 : RS_MAX_SENDS - which;
        cursor->at += rest;
        if (which >= n) continue;
        *transfer = out[which];
        return true;
    }
    return false;
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
    if (algorithm->elements_sent == NULL) return count_sent(schedule, count, rank);
    return algorithm->elements_sent(schedule, count, rank);
}
