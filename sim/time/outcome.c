/* outcome.c: what a run left behind, told from how far each rank came.
 *
 *   - A transfer happens exactly when both its ends entered its step. So entered[] alone says whom a
 *     rank that never left its step still waits for: under rendezvous its partners that did not come,
 *     under eager those that did not send.
 *   - Whoever did not finish and waits for nobody died before the next step.
 */
#include "time/costs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOPS_TOLD = 4 }; /* of a long chain: so many, then the last */

/* What the telling needs beside the outcome. */
typedef struct story {
    const rs_costs *costs;
    rs_arena *arena;
    rs_outcome *outcome;
    rs_transfer *transfers; /* [max_sends] */
    int32_t *peers;         /* [2 max_sends] */
    int32_t *place;         /* [n_ranks] in stalled[], -1: not stalled */
} story;

rs_status rs_outcome_new(const rs_job *job, rs_arena *arena, rs_error *error, rs_outcome *outcome) {
    const size_t n = (size_t)job->schedule->n_ranks;
    rs_outcome made = {
        .finish_ps = rs_alloc(arena, n, sizeof *made.finish_ps),
        .entered = rs_alloc(arena, n, sizeof *made.entered),
        .bytes_sent = rs_alloc(arena, n, sizeof *made.bytes_sent),
    };
    if (!made.finish_ps || !made.entered || !made.bytes_sent) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for the outcome of %d ranks", (int)n);
    }
    for (size_t r = 0; r < n; r++) made.finish_ps[r] = -1;
    *outcome = made;
    return RS_OK;
}

static int ascending(const void *left, const void *right) {
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Lists whom an unfinished rank waits for into told->peers, ascending; returns how many. */
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
    qsort(told->peers, (size_t)n, sizeof *told->peers, ascending);
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
    told->place[rank] = outcome->n_stalled;
    outcome->stalled[outcome->n_stalled++] = (rs_wait){
        .rank = rank,
        .step = outcome->entered[rank] - 1,
        .n_waits_for = n_waits,
        .waits_for = waits_for,
    };
    return true;
}

/* Returns the peer to follow to the cause: a dead one if there is one. */
static int32_t next_in_chain(const story *told, const rs_wait *wait) {
    for (int32_t i = 0; i < wait->n_waits_for; i++) {
        if (told->place[wait->waits_for[i]] < 0) return wait->waits_for[i];
    }
    return wait->waits_for[0];
}

static void append(char *text, size_t n_text, const char *part) {
    const size_t used = strlen(text);
    snprintf(text + used, n_text - used, "%s", part);
}

static void tell_hop(char *text, size_t n_text, const rs_wait *wait, int32_t next, int32_t *step) {
    char part[96];
    snprintf(part, sizeof part, "GPU %d waits for GPU %d", (int)wait->rank, (int)next);
    append(text, n_text, part);
    snprintf(part, sizeof part, " in step %d", (int)wait->step);
    if (wait->step != *step) append(text, n_text, part);
    append(text, n_text, ", ");
    *step = wait->step;
}

/* Follows the chain from the first survivor down to the dead rank; a chain that never ends there is
   a circle, and is cut after a round. */
static void tell_chain(const story *told) {
    rs_outcome *outcome = told->outcome;
    const size_t n_text = sizeof outcome->stall_text;
    char *text = outcome->stall_text, part[96];
    int32_t rank = outcome->stalled[0].rank, step = -1, n_hops = 0;
    const rs_wait *last = NULL;
    while (told->place[rank] >= 0 && n_hops <= outcome->n_stalled) {
        last = &outcome->stalled[told->place[rank]];
        rank = next_in_chain(told, last);
        if (++n_hops <= HOPS_TOLD) tell_hop(text, n_text, last, rank, &step);
    }
    if (n_hops > HOPS_TOLD + 1) {
        snprintf(part, sizeof part, "and so on over %d more, ", (int)(n_hops - HOPS_TOLD - 1));
        append(text, n_text, part);
    }
    if (n_hops > HOPS_TOLD) tell_hop(text, n_text, last, rank, &step);
    if (told->place[rank] >= 0) {
        snprintf(part, sizeof part, "and GPU %d is part of a circle", (int)rank);
    } else {
        snprintf(part, sizeof part, "GPU %d died before step %d", (int)rank,
                 (int)outcome->entered[rank]);
    }
    append(text, n_text, part);
}

static bool take_story(story *told, rs_outcome *outcome) {
    const rs_schedule *schedule = told->costs->job->schedule;
    const size_t n = (size_t)schedule->n_ranks, width = (size_t)schedule->max_sends;
    told->transfers = rs_alloc(told->arena, width, sizeof *told->transfers);
    told->peers = rs_alloc(told->arena, 2 * width, sizeof *told->peers);
    told->place = rs_alloc(told->arena, n, sizeof *told->place);
    outcome->stalled = rs_alloc(told->arena, n, sizeof *outcome->stalled);
    outcome->killed = rs_alloc(told->arena, n, sizeof *outcome->killed);
    return told->transfers && told->peers && told->place && outcome->stalled && outcome->killed;
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
        told.place[r] = -1;
        if (outcome->finish_ps[r] >= 0) continue;
        const int32_t n_waits = list_waits(&told, r);
        if (n_waits > 0) {
            whole = add_stalled(&told, r, n_waits);
        } else {
            assert(outcome->entered[r] == costs->kill_step[r]);
            outcome->killed[outcome->n_killed++] = r;
        }
    }
    if (!whole) return rs_fail(error, RS_NO_MEMORY, "no memory to tell who waits for whom");
    if (outcome->n_stalled > 0) {
        tell_chain(&told);
    } else {
        snprintf(outcome->stall_text, sizeof outcome->stall_text, "GPU %d died before step %d",
                 (int)outcome->killed[0], (int)outcome->entered[outcome->killed[0]]);
    }
    return RS_OK;
}
