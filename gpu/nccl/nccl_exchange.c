/* nccl_exchange.c: what the ranks agree on beside NCCL, through the bootstrap: whether all can go on, how far
 * their clocks are apart, votes in a job, a common start. */
#include "nccl/nccl_world.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { AHEAD_US = 200, ROUND_TRIPS = 32, AGREE_MS = 1500 };
static const int64_t us_ps = 1000000;

/* ------------------------------------------------------------------ votes before there is a job */

typedef struct opinion {
    int32_t status, waited; /* waited: this rank only knows that another did not answer */
    char text[RS_ERROR_TEXT];
} opinion;

/* Chooses the reason to report, the same on all ranks: that of the first rank that knows most. -1: no rank failed. */
static int32_t choose_opinion(const opinion all[], int32_t n) {
    int32_t chosen = -1;
    for (int32_t r = 0; r < n; r++) {
        if (all[r].status == RS_OK) continue;
        if (chosen < 0 || (all[chosen].waited && !all[r].waited)) chosen = r;
    }
    return chosen;
}

/* A rank that fails comes here at once, the others when their time is over: so it waits for them. */
rs_status rg_nccl_agree(rg_nccl_world *w, rs_status own, rs_error *error) {
    const int32_t n = w->ranks.group.n_ranks;
    opinion mine = {(int32_t)own, w->waited, ""}, *all = calloc((size_t)n, sizeof *all);
    if (own != RS_OK) snprintf(mine.text, sizeof mine.text, "%s", error->text);
    if (all == NULL) return rs_no_memory(error);
    const int32_t ms = w->ranks.timeout_ms + AGREE_MS;
    rs_status status = rg_exchange(w->bootstrap, &mine, sizeof mine, all, ms, error);
    const int32_t r = status == RS_OK ? choose_opinion(all, n) : -1;
    if (r >= 0) {
        char who[24] = "";
        if (!all[r].waited) snprintf(who, sizeof who, "rank %d: ", (int)r);
        status = rs_fail(error, (rs_status)all[r].status, "%s%.*s", who,
                         (int)(sizeof all[r].text - sizeof who), all[r].text);
    }
    free(all);
    return status;
}

/* ------------------------------------------------------------------ clocks of other machines */

/* Exchanges in a row. Rank 0 ends one only after it has heard of rank r, and rank r only after it has
   heard of rank 0:

       rank r   enter -----\            /----> leave       ahead >= enter - leave of rank 0
       rank 0               \-> leave -/                   ahead <= leave - leave of rank 0, nearly

   The tightest of all rounds is taken, the middle of it; half the quickest way is the error. */
int64_t rg_nccl_compare_clocks(rg_nccl_world *w) {
    typedef struct trip {
        int64_t enter_ps, leave_ps;
    } trip;
    const int32_t n = w->ranks.group.n_ranks;
    trip last = {0, 0}, *all = calloc((size_t)n, sizeof *all);
    int64_t least = INT64_MIN, most = INT64_MAX;
    for (int i = 0; i <= ROUND_TRIPS && all != NULL; i++) {
        rs_error error;
        const int64_t enter_ps = rg_now_ps();
        if (rg_exchange(w->bootstrap, &last, sizeof last, all, w->ranks.timeout_ms, &error)) break;
        if (i > 0) { /* what came is of the round before */
            const int64_t low = last.enter_ps - all[0].leave_ps;
            const int64_t high = last.leave_ps - all[0].leave_ps;
            if (low > least) least = low;
            if (high < most) most = high;
        }
        last = (trip){enter_ps, rg_now_ps()};
    }
    free(all);
    return w->n_machines == 1 || least == INT64_MIN ? 0 : least + (most - least) / 2;
}

/* ------------------------------------------------------------------ in a job */

bool rg_nccl_collect(rg_ranks *ranks, const void *own, void *all, size_t n) {
    rg_nccl_world *w = (rg_nccl_world *)ranks;
    rs_error error = {.text = ""};
    const int64_t left_ms = (ranks->deadline_ps - rg_now_ps()) / (1000 * us_ps) + 1;
    const int32_t ms = left_ms < 1 ? 1 : (int32_t)left_ms;
    if (rg_exchange(w->bootstrap, own, n, all, ms, &error) == RS_OK) return true;
    return rg_ranks_trouble(ranks, "%.240s", error.text);
}

/* A message through the bootstrap takes as long as a small run, and not the same for all. So the ranks
   agree on an instant that lies ahead, by the clock of rank 0. A rank that learns of it too late starts
   late, and the delay counts. */
bool rg_nccl_line_up(rg_ranks *ranks, int64_t *start_ps) {
    rg_nccl_world *w = (rg_nccl_world *)ranks;
    if (!rg_nccl_wait(w, NULL, NULL)) return false;
    int64_t latest = rg_now_ps() - ranks->ahead_ps;
    if (!rg_ranks_vote(ranks, &latest, 1, RG_LARGEST)) return false;
    *start_ps = latest + AHEAD_US * us_ps + ranks->ahead_ps;
    while (rg_now_ps() < *start_ps) sched_yield();
    return true;
}
