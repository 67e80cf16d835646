/* turns.c: turns from a plan's tasks, waits and moves; see turns.h. */
#include "cuda/turns.h"

#include <assert.h>

enum { WAITS_A_TURN = sizeof((rg_turn *)0)->waits / sizeof(rg_wait) };

/* The turns that only wait; the last of the waits, and those of no task with fewer, go with a move. */
static int32_t only_waits(const rg_task *task) {
    const int32_t pairs = (task->n_waits + WAITS_A_TURN - 1) / WAITS_A_TURN;
    return pairs > 1 ? pairs - 1 : 0;
}

int32_t rg_most_tasks(const rg_plan *plan) {
    int32_t most = 0;
    for (int32_t r = 0; r < plan->n_ranks; r++) {
        const int32_t n = plan->task_first[r + 1] - plan->task_first[r];
        if (n > most) most = n;
    }
    return most;
}

void rg_turn_set(const rg_plan *plan, const rg_job *job, const rg_move *move,
                 const rg_places *places, rg_turn *turn) {
    *turn = (rg_turn){.transfer = move->transfer};
    const int64_t at = move->first * rs_dtype_bytes(job->dtype);
    const int to = move->op_kind == RG_ASIDE ? RG_BESIDE : RG_TARGET;
    turn->left = places->of[move->left][move->src] + at;
    turn->right = places->of[move->right][move->by] + at;
    turn->out = places->of[to][move->by] + at;
    turn->n = rg_move_count(plan, job, move);
    turn->larger = move->larger;
    turn->op_kind = move->op_kind;
    turn->flip = move->flip;
    turn->finish = move->finish;
}

static void write_task(const rg_plan *plan, const rg_job *job, const rg_task *task, int32_t n,
                       const rg_places *places, rg_turn turns[]) {
    for (int32_t i = 0; i < n; i++) {
        const int32_t move = i - only_waits(task);
        turns[i] = (rg_turn){.transfer = -1};
        if (move >= 0)
            rg_turn_set(plan, job, &plan->moves[task->first_move + move], places, &turns[i]);
        for (int32_t k = 0; k < WAITS_A_TURN; k++) {
            const int32_t w = i * WAITS_A_TURN + k;
            turns[i].waits[k] =
                w < task->n_waits ? plan->waits[task->first_wait + w] : (rg_wait){.rank = -1};
        }
    }
}

int32_t rg_turns_write(const rg_plan *plan, const rg_job *job, int32_t rank,
                       const rg_places *places, rg_turn turns[]) {
    const int32_t first = plan->task_first[rank];
    int32_t n = 0;
    for (int32_t t = first; t < plan->task_first[rank + 1]; t++) {
        const rg_task *task = &plan->tasks[t];
        const int32_t n_here = only_waits(task) + task->n_moves;
        assert(task->n_moves >= 1);
        if (turns != NULL) write_task(plan, job, task, n_here, places, &turns[n]);
        n += n_here;
        if (turns != NULL) turns[n - 1].n_tasks = t - first + 1;
    }
    return n;
}
