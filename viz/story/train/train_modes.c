/* train_modes.c: which ways of sharing the work are shown, and beside which others. */
#include "story/train/train_facts.h"

bool rv_shows_shards(const rv_train_facts *facts) {
    const rs_step_plan *plan = facts->of.plan;
    return rs_is_sharded(plan->mode) && plan->n_ranks > 1 && plan->n_buckets > 0;
}

rs_parallel rv_other_mode(rs_parallel mode) {
    return rs_is_sharded(mode) ? mode : RS_DP;
}

int rv_compared_modes(const rs_step_plan *plan, rs_parallel modes[RS_HSDP + 1]) {
    static const rs_parallel compared[] = {RS_DDP, RS_ZERO1, RS_ZERO2, RS_ZERO3};
    int n = 0;
    if (plan->mode == RS_DP || plan->mode == RS_NONE || plan->n_ranks < 2) {
        modes[n++] = plan->mode;
        return n;
    }
    for (; n < 4; n++) modes[n] = compared[n];
    if (plan->mode == RS_HSDP) modes[n++] = RS_HSDP;
    return n;
}
