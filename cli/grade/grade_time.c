/* grade_time.c: how long a sound schedule takes on the lab's machine, and the points for it.
 *
 *     all points:    `full` times the time of the lab's algorithm (or the bound), or less
 *     none:          `none` times that, or more
 *     in between:    on a straight line
 *
 *   - Only what the checker finds sound is timed, for as many GPUs as the machine has.
 *   - The lower bound is told beside: who is faster than the algorithm sees how far one could go.
 */
#include "grade/grading.h"

#include <assert.h>

void rc_give_share(const rc_lab_part *part, double times, rc_part *out) {
    assert(part->none > part->full);
    const double share = (part->none - times) / (part->none - part->full);
    out->points = (int)(part->points * (share > 1 ? 1 : share < 0 ? 0 : share) + 1e-9);
}

enum { MOST_TIMED = 100000 /* messages */ };

static rs_job job_of(const rc_lab *lab, const rs_schedule *schedule) {
    return (rs_job){.schedule = schedule,
                    .count = lab->n_bytes / 4,
                    .elem_bytes = 4,
                    .net = {.machine = lab->wires}};
}

static rc_exit time_of(rc_grading *g, const rs_schedule *schedule, int64_t *time_ps) {
    const rs_job job = job_of(g->lab, schedule);
    rs_outcome outcome;
    const rs_status status = rs_simulate(&job, RS_ENGINE_FLOWS, NULL, g->arena, g->error, &outcome);
    if (status != RS_OK) return rc_exit_of(status);
    *time_ps = outcome.completed ? outcome.makespan_ps : INT64_MAX;
    return RC_GOOD;
}

rc_exit rc_time_plan(rc_grading *g, const rs_schedule *schedule, rc_plan_case *one) {
    const rs_machine *wires = g->lab->wires;
    one->time_ps = 0;
    if (wires == NULL || !one->sound || schedule->n_ranks != wires->n_gpus) return RC_GOOD;
    if (schedule->n_transfers > MOST_TIMED) {
        one->time_ps = INT64_MAX;
        return RC_GOOD;
    }
    return time_of(g, schedule, &one->time_ps);
}

/* Finds the bound, and times what the part names: the lab's algorithm, or the bound itself. */
static rc_exit find_least(rc_grading *g, const rc_lab_part *part, int64_t *time_ps,
                          int64_t *bound_ps) {
    const rs_machine *wires = g->lab->wires;
    const rs_algorithm *named = rs_find_algorithm(RS_COLL_ALL_REDUCE, part->function);
    const rs_spec spec = {.n_ranks = wires->n_gpus,
                          .gpus_per_node = wires->n_gpus / wires->n_nodes};
    rs_schedule schedule;
    const rs_status status =
        rs_schedule_from_spec(named != NULL ? named : rs_algorithms_of(RS_COLL_ALL_REDUCE)[0],
                              &spec, g->lab->n_bytes / 4, g->error, &schedule);
    if (status != RS_OK) return rc_exit_of(status);
    const rs_job job = job_of(g->lab, &schedule);
    *bound_ps = *time_ps = rs_lower_bound_ps(&job, g->arena);
    if (*bound_ps < 0) return rc_no_memory(g->error);
    return named != NULL ? time_of(g, &schedule, time_ps) : RC_GOOD;
}

rc_exit rc_give_for_time(rc_grading *g, const rc_lab_part *part, rc_part *out) {
    char own[32], full[32], bound[32];
    int64_t time_ps = 0, full_ps = 0, bound_ps = 0;
    assert(g->lab->wires != NULL && part->none > part->full);
    for (int i = 0; i < g->n_cases; i++) {
        if (g->cases[i].time_ps > time_ps) time_ps = g->cases[i].time_ps;
    }
    if (time_ps == 0 || time_ps == INT64_MAX) {
        snprintf(out->why, RC_WHY, _("no schedule for %d GPUs could be timed"),
                 (int)g->lab->wires->n_gpus);
        return RC_GOOD;
    }
    const rc_exit status = find_least(g, part, &full_ps, &bound_ps);
    if (status != RC_GOOD) return status;
    const double times = (double)time_ps / (double)full_ps;
    rc_give_share(part, times, out);
    rv_format_time(time_ps, own, sizeof own);
    rv_format_time(full_ps, full, sizeof full);
    rv_format_time(bound_ps, bound, sizeof bound);
    if (out->points == out->most) {
        const bool further = g->lab->further[0] != '\0' && time_ps > bound_ps / 2 * 3;
        if (further) /* it says why the bound is lower */
            snprintf(out->why, RC_WHY, _("it takes %s; %s takes %s\n%s"), own, part->function, full,
                     g->lab->further);
        else
            snprintf(out->why, RC_WHY, _("it takes %s; %s takes %s; the bound is %s"), own,
                     part->function, full, bound);
    } else if (full_ps == bound_ps) {
        snprintf(out->why, RC_WHY,
                 _("it takes %s, %.2f times the bound, %s; all points up to %g times, none from %g "
                   "times on"),
                 own, times, bound, part->full, part->none);
    } else {
        snprintf(out->why, RC_WHY,
                 _("it takes %s, %.2f times as long as %s, %s; all points up to %g times, none "
                   "from %g times on; the bound is %s"),
                 own, times, part->function, full, part->full, part->none, bound);
    }
    return RC_GOOD;
}
