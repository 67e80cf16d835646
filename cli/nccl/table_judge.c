/* table_judge.c: is a measured bus bandwidth what it should be? The best row of a table against what bounds the machine. */
#include "nccl/explain.h"

rc_exit rc_judge_table(const rs_machine *machine, rs_arena *arena, rs_error *error,
                       rc_explained *e) {
    const int32_t n = e->table.n_ranks;
    rs_bound bounds[RS_N_COLLECTIVES];
    if (n < 2) return RC_GOOD;
    for (int64_t i = 0; i < e->table.n_samples; i++) {
        const rs_sample *s = &e->table.samples[i];
        if (s->span_ps <= 0) continue;
        const double busbw = (double)s->n_bytes / (double)s->span_ps * 1000 * 2 * (n - 1) / n;
        if (busbw <= e->best_GBps) continue;
        e->best_GBps = busbw;
        e->n_best = s->n_bytes;
    }
    if (machine == NULL || e->n_best == 0) return RC_GOOD;
    if (machine->n_gpus != n) {
        return rc_fail(error, RC_USAGE, _("the table is of %d GPUs, the machine %s has %d"), (int)n,
                       machine->name, (int)machine->n_gpus);
    }
    const rc_exit status = rc_exit_of(rs_machine_bounds(machine, e->n_best, arena, error, bounds));
    if (status != RC_GOOD) return status;
    const rs_bound *bound = &bounds[RS_COLL_ALL_REDUCE];
    if (bound->time_ps > 0) {
        e->most_GBps = (double)e->n_best / (double)bound->time_ps * 1000 * 2 * (n - 1) / n;
    }
    return RC_GOOD;
}
