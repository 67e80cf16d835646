/* Numbers at every edge: a run is refused in one line or ends. Nothing overflows on the way (in `make
 * check` the sanitizers look on), no assertion is reached, and both engines say the same.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "time/costs.h"
#include "support/own.h"
#include "support/sim_jobs.h"

enum { MOST_FAULTS = 3 };

static int64_t edge(uint64_t *state) {
    static const int64_t edges[] = {
        0,         1,         2,         3,         1000000000,    1LL << 31, 1LL << 32,
        1LL << 52, 1LL << 53, 1LL << 61, 1LL << 62, INT64_MAX / 8, INT64_MAX,
    };
    const int64_t last = (int64_t)(sizeof edges / sizeof *edges) - 1;
    return edges[sim_between(state, 0, sim_between(state, 0, 1) ? 4 : last)];
}

static rs_job draw_job(uint64_t *state, rs_schedule *schedule, rs_fault faults[]) {
    const int32_t n = (int32_t)sim_between(state, 1, 6);
    const int64_t count = edge(state);
    *schedule = sim_schedule(rs_algorithms[sim_between(state, 0, 4)]->name, n, count);
    rs_job job = sim_job(schedule, count);
    job.elem_bytes = (int32_t)1 << sim_between(state, 0, 3);
    job.net.link.alpha_ps = edge(state);
    job.net.link.bandwidth_Bps = (uint64_t)edge(state);
    job.net.reduce_Bps = (uint64_t)edge(state);
    job.net.protocol = (rs_protocol)sim_between(state, 0, 1);
    job.faults = faults;
    job.n_faults = (int32_t)sim_between(state, 0, MOST_FAULTS);
    for (int32_t f = 0; f < job.n_faults; f++) {
        faults[f] = (rs_fault){.kind = (rs_fault_kind)sim_between(state, 0, RS_DOWN)};
        faults[f].rank = (int32_t)sim_between(state, 0, n - 1);
        faults[f].step = (int32_t)sim_between(state, 0, 3);
        faults[f].time_ps = edge(state);
        faults[f].factor_num = (uint64_t)edge(state);
        faults[f].factor_den = (uint64_t)edge(state);
    }
    return job;
}

/* Returns whether the job ran. */
static bool run_or_refuse(const rs_job *job, int number) {
    OWN_ARENA arena = {0};
    rs_error error = {.text = ""};
    rs_outcome events, swept;
    const rs_status status = rs_simulate(job, RS_ENGINE_EVENTS, NULL, &arena, &error, &events);
    if (status == RS_OK) {
        cr_assert(events.makespan_ps >= 0 && events.makespan_ps < RS_CLOCK_LIMIT_PS);
        const int64_t expected_ps = rs_closed_form_ps(job);
        cr_assert(expected_ps == -1 || expected_ps == events.makespan_ps, "case %d", number);
        cr_assert(expected_ps == -1 ||
                  expected_ps + job->schedule->n_steps >= rs_lower_bound_ps(job, NULL));
    } else {
        cr_assert(status == RS_BAD_INPUT || status == RS_TOO_LARGE, "case %d", number);
        cr_assert(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
    }
    if (rs_wavefront_applies(job)) {
        cr_assert_eq(rs_simulate(job, RS_ENGINE_WAVEFRONT, NULL, &arena, &error, &swept), status,
                     "case %d", number);
        cr_assert(status != RS_OK || swept.makespan_ps == events.makespan_ps, "case %d", number);
    }
    return status == RS_OK;
}

Test(extremes, are_refused_or_exact) {
    uint64_t state = 31;
    int n_ran = 0;
    for (int i = 0; i < 20000; i++) {
        rs_schedule schedule;
        rs_fault faults[MOST_FAULTS];
        const rs_job job = draw_job(&state, &schedule, faults);
        n_ran += run_or_refuse(&job, i);
    }
    cr_expect(n_ran > 1000 && n_ran < 19000, "%d", n_ran);
}

/* Runs that last nearly 2^53 ps, or hardly longer, mostly of latency, wire time or additions. */
Test(extremes, the_longest_run_ends_just_before_the_limit) {
    uint64_t state = 32;
    int n_ran = 0;
    for (int i = 0; i < 4000; i++) {
        const int32_t n = (int32_t)sim_between(&state, 2, 6);
        const int64_t count = n * sim_between(&state, 1, 50);
        const rs_schedule schedule =
            sim_schedule(rs_algorithms[sim_between(&state, 0, 4)]->name, n, count);
        rs_job job = sim_job(&schedule, count);
        const int64_t step_ps = RS_CLOCK_LIMIT_PS / schedule.n_steps;
        const int64_t n_bytes = schedule.max_run * (count / schedule.n_chunks) * job.elem_bytes;
        int64_t parts[3], rest = step_ps / 100 * sim_between(&state, 60, 120);
        for (int k = 0; k < 3; k++) {
            parts[k] = k == 2 ? rest : rest / 100 * sim_between(&state, 0, 100);
            rest -= parts[k];
        }
        const int turn = (int)sim_between(&state, 0, 2);
        const double wire_s = (double)parts[(turn + 1) % 3] * 1e-12,
                     added_s = (double)parts[(turn + 2) % 3] * 1e-12;
        job.net.link.alpha_ps = parts[turn];
        job.net.link.bandwidth_Bps = 1 + (uint64_t)((double)n_bytes / (wire_s + 1e-9));
        job.net.reduce_Bps = 1 + (uint64_t)((double)n_bytes / (added_s + 1e-9));
        n_ran += run_or_refuse(&job, i);
    }
    cr_expect(n_ran > 1000 && n_ran < 3900, "%d", n_ran);
}

/* Where ranks have one message each way in a step, a run is refused from the very picosecond on where the clock's
   limit could be passed: late ranks, every step's latency, wire and pause, and each outage. */
Test(extremes, a_bounded_run_is_refused_at_the_limit_and_not_before) {
    uint64_t state = 11;
    for (int turn = 0; turn < 400; turn++) {
        const int32_t n = (int32_t)sim_between(&state, 2, 9);
        const int64_t chunk = sim_between(&state, 0, 1000), steps = 2 * (n - 1);
        rs_schedule schedule = sim_schedule("ring", n, chunk * n);
        rs_job job = sim_job(&schedule, chunk * n);
        job.net.link.bandwidth_Bps = 1000000000;
        job.net.reduce_Bps = 0;
        job.net.protocol = (rs_protocol)(turn % 2);
        const int64_t pause_ps = sim_between(&state, 0, 1000000);
        rs_fault faults[4] = {
            {.kind = RS_STRAGGLER, .rank = 0, .time_ps = pause_ps},
            {.kind = RS_LATE, .rank = (int32_t)sim_between(&state, 0, n - 1)},
            {.kind = RS_DOWN, .rank = 0, .step = 0, .time_ps = sim_between(&state, 0, 1000000)},
            {.kind = RS_DOWN, .rank = n - 1, .step = 1, .time_ps = sim_between(&state, 0, 1000000)},
        };
        job.faults = faults;
        job.n_faults = 4;
        const int64_t wire_ps = rs_wire_ps(chunk * job.elem_bytes, 1000000000, 1, 1);
        const int64_t left_ps = RS_CLOCK_LIMIT_PS - 1 - faults[2].time_ps - faults[3].time_ps;
        job.net.link.alpha_ps = left_ps / steps - wire_ps - pause_ps - sim_between(&state, 0, 1000);
        const int64_t late_ps = left_ps - steps * (job.net.link.alpha_ps + wire_ps + pause_ps);
        for (int64_t more = -1; more <= 1; more++) {
            OWN_ARENA arena = {0};
            rs_error error = {.text = ""};
            rs_outcome outcome;
            faults[1].time_ps = late_ps + more;
            if (faults[1].time_ps < 0) continue;
            const rs_status status =
                rs_simulate(&job, RS_ENGINE_EVENTS, NULL, &arena, &error, &outcome);
            cr_expect_eq(status, more > 0 ? RS_TOO_LARGE : RS_OK, "turn %d, %+d ps: %s", turn,
                         (int)more, error.text);
        }
    }
}
