/* nccl_exchange.c: what the ranks agree on beside NCCL: votes and a common start, through the bootstrap. */
#include "nccl/nccl_world.h"

#include <sched.h>

enum { AHEAD_US = 200 };
static const int64_t us_ps = 1000000;

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
