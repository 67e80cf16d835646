/* sim_jobs.c: see sim_jobs.h. */
#include "support/sim_jobs.h"

#include <criterion/criterion.h>

rs_schedule sim_schedule(const char *algorithm, int32_t n_ranks, int64_t count) {
    rs_schedule schedule;
    rs_error error;
    const rs_status status = rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm),
                                              RS_ORDER_SEED, n_ranks, count, &error, &schedule);
    cr_assert_eq(status, RS_OK, "%s", error.text);
    return schedule;
}

rs_schedule sim_list(int32_t n_ranks, int32_t n_chunks, const rs_transfer list[],
                     const int32_t step_of[], int64_t n_transfers, rs_arena *arena) {
    const int32_t n_steps = step_of[n_transfers - 1] + 1;
    int64_t *first = rs_alloc(arena, (size_t)n_steps + 1, sizeof *first);
    cr_assert(first != NULL);
    for (int64_t i = 0; i < n_transfers; i++) first[step_of[i] + 1]++;
    for (int32_t step = 0; step < n_steps; step++) first[step + 1] += first[step];
    rs_schedule schedule;
    rs_error error;
    const rs_status status =
        rs_schedule_from_list(n_ranks, n_chunks, n_steps, first, list, arena, &error, &schedule);
    cr_assert_eq(status, RS_OK, "%s", error.text);
    return schedule;
}

rs_job sim_job(const rs_schedule *schedule, int64_t count) {
    return (rs_job){
        .schedule = schedule,
        .count = count,
        .elem_bytes = 4,
        .net = {.link = {5000000, 20000000000}},
    };
}

rs_outcome sim_run(const rs_job *job, rs_arena *arena, rs_trace **trace) {
    rs_outcome outcome;
    rs_error error;
    rs_trace *kept = NULL;
    rs_sink sink = {0};
    if (trace != NULL) {
        cr_assert_eq(rs_trace_new(job->schedule->n_transfers, arena, &error, &kept), RS_OK);
        sink = rs_trace_sink(kept);
    }
    const rs_status status =
        rs_simulate(job, RS_ENGINE_EVENTS, trace == NULL ? NULL : &sink, arena, &error, &outcome);
    cr_assert_eq(status, RS_OK, "%s", error.text);
    if (trace != NULL) {
        rs_trace_sort(kept);
        cr_assert_eq(kept->n_items, outcome.n_transfers);
        *trace = kept;
    }
    return outcome;
}

uint64_t sim_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1d;
}

int64_t sim_between(uint64_t *state, int64_t low, int64_t high) {
    return low + (int64_t)((sim_random(state) >> 11) % (uint64_t)(high - low + 1));
}

void sim_vary_links(uint64_t *state, rs_job *job, rs_arena *arena) {
    const int32_t n = job->schedule->n_ranks;
    rs_link_override *links = rs_alloc(arena, (size_t)n * (size_t)n, sizeof *links);
    cr_assert(links != NULL);
    int32_t at = 0;
    for (int32_t src = 0; src < n; src++) {
        for (int32_t dst = 0; dst < n; dst++) {
            if (src == dst) continue;
            const int64_t alpha_ps = sim_between(state, 0, 3) * sim_between(state, 0, 10000000);
            const uint64_t bandwidth = (uint64_t)sim_between(state, 1000000, 50000000000);
            links[at++] = (rs_link_override){src, dst, {alpha_ps, bandwidth}};
        }
    }
    job->net.overrides = links;
    job->net.n_overrides = at;
}
