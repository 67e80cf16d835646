/* outcome.c: how a run ended, derived from how far each rank came.
 *
 *   - A transfer happens exactly when both its ends entered its step. So entered[] alone says for
 *     whom a rank that never left its step still waits: under rendezvous for its partners that did
 *     not enter the step, under eager for those that did not send.
 *   - A rank that did not finish and waits for nobody died before its next step.
 */
#include "time/costs.h"
#include "base/containers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What the functions here need beside the outcome. */
typedef struct story {
    const rs_costs *costs;
    rs_arena *arena;
    rs_outcome *outcome;
    rs_transfer *transfers; /* [max_sends] */
    int32_t *peers;         /* [2 max_sends] */
} story;

rs_status rs_outcome_new(const rs_job *job, rs_arena *arena, rs_error *error, rs_outcome *outcome) {
    const size_t n = (size_t)job->schedule->n_ranks;
    rs_outcome made = {
        .finish_ps = rs_alloc(arena, n, sizeof *made.finish_ps),
        .entered = rs_alloc(arena, n, sizeof *made.entered),
        .bytes_sent = rs_alloc(arena, n, sizeof *made.bytes_sent),
    };
    if (!made.finish_ps || !made.entered || !made.bytes_sent) return rs_no_memory(error);
    for (size_t r = 0; r < n; r++) made.finish_ps[r] = -1;
    *outcome = made;
    return RS_OK;
}

/* Lists in told->peers, ascending, for whom an unfinished rank waits; returns how many they are. */
static int32_t list_waits(const story *told, int32_t rank) {
    const rs_schedule *schedule = told->costs->job->schedule;
    const int32_t *entered = told->outcome->entered;
    const int32_t step = entered[rank] - 1;
    if (step < 0) return 0;
    int32_t n = 0;
    int n_in_step = schedule->recvs(schedule, step, rank, told->transfers);
    for (int i = 0; i < n_in_step; i++) {
        if (entered[told->transfers[i].src] <= step) told->peers[n++] = told->transfers[i].src;
    }
    if (told->costs->job->net.protocol == RS_RENDEZVOUS) {
        n_in_step = schedule->sends(schedule, step, rank, told->transfers);
        for (int i = 0; i < n_in_step; i++) {
            if (entered[told->transfers[i].dst] <= step) told->peers[n++] = told->transfers[i].dst;
        }
    }
    if (n == 0) return 0;
    qsort(told->peers, (size_t)n, sizeof *told->peers, rs_by_int32);
    int32_t kept = 1;
    for (int32_t i = 1; i < n; i++) {
        if (told->peers[i] != told->peers[kept - 1]) told->peers[kept++] = told->peers[i];
    }
    return kept;
}

static bool add_stalled(const story *told, int32_t rank, int32_t n_waits) {
    rs_outcome *outcome = told->outcome;
    int32_t *waits_for = rs_alloc(told->arena, (size_t)n_waits, sizeof *waits_for);
    if (waits_for == NULL) return false;
    memcpy(waits_for, told->peers, (size_t)n_waits * sizeof *waits_for);
    outcome->stalled[outcome->n_stalled++] = (rs_wait){
        .rank = rank,
        .step = outcome->entered[rank] - 1,
        .n_waits_for = n_waits,
        .waits_for = waits_for,
    };
    return true;
}

static bool take_story(story *told, rs_outcome *outcome) {
    const rs_schedule *schedule = told->costs->job->schedule;
    const size_t n = (size_t)schedule->n_ranks, width = (size_t)schedule->max_sends;
    told->transfers = rs_alloc(told->arena, width, sizeof *told->transfers);
    told->peers = rs_alloc(told->arena, 2 * width, sizeof *told->peers);
    outcome->stalled = rs_alloc(told->arena, n, sizeof *outcome->stalled);
    outcome->killed = rs_alloc(told->arena, n, sizeof *outcome->killed);
    return told->transfers && told->peers && outcome->stalled && outcome->killed;
}

rs_status rs_outcome_end(const rs_costs *costs, rs_arena *arena, rs_error *error,
                         rs_outcome *outcome) {
    outcome->completed = true;
    for (int32_t r = 0; r < costs->n_ranks; r++) {
        if (outcome->finish_ps[r] < 0) outcome->completed = false;
    }
    if (outcome->completed) return RS_OK;
    story told = {.costs = costs, .arena = arena, .outcome = outcome};
    bool whole = take_story(&told, outcome);
    for (int32_t r = 0; whole && r < costs->n_ranks; r++) {
        if (outcome->finish_ps[r] >= 0) continue;
        const int32_t n_waits = list_waits(&told, r);
        if (n_waits > 0) {
            whole = add_stalled(&told, r, n_waits);
        } else {
            assert(outcome->entered[r] == costs->kill_step[r]);
            outcome->killed[outcome->n_killed++] = r;
        }
    }
    return whole ? RS_OK : rs_no_memory(error);
}
