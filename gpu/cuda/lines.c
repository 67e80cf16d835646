/* lines.c: turns that send and receive lines, from a plan's moves; see lines.h. */
#include "cuda/lines.h"

static bool is_message(const rg_move *m) {
    return m->by != m->src;
}

/* Of 4 bytes each; what fills no 4 has one, too. */
static int64_t lines_of_move(const rg_plan *plan, const rg_job *job, const rg_move *m) {
    return (rg_move_count(plan, job, m) * rs_dtype_bytes(job->dtype) + 3) / 4;
}

/* Puts the messages on the lists of the moves that make their values, going backwards in time: a list waits at the
   cell until its value's move is met. What waits at the end is what ranks start with. */
static void link_messages(const rg_plan *plan, rg_line_plan *made, int32_t *wanted[RG_N_STORES]) {
    for (int32_t i = plan->n_moves - 1; i >= 0; i--) {
        const rg_move *m = &plan->moves[i];
        int32_t *own = &wanted[RG_TARGET][(int64_t)m->by * plan->n_chunks + m->chunk];
        int32_t *aside = &wanted[RG_BESIDE][(int64_t)m->by * plan->n_chunks + m->chunk];
        made->first_after[i] = made->next_after[i] = -1;
        if (m->op_kind == RG_ASIDE) { /* both hold the same value */
            int32_t *end = own;
            while (*end >= 0) end = &made->next_after[*end];
            *end = *aside;
            *aside = -1;
            continue;
        }
        made->first_after[i] = *own;
        *own = -1;
        if (!is_message(m)) continue;
        int32_t *list = m->left == RG_SOURCE
                            ? &made->first_own[m->src]
                            : &wanted[m->left][(int64_t)m->src * plan->n_chunks + m->chunk];
        made->next_after[i] = *list;
        *list = i;
    }
    for (int32_t rank = 0; rank < plan->n_ranks; rank++) {
        for (int32_t chunk = 0; chunk < plan->n_chunks; chunk++) {
            int32_t *list = &wanted[RG_TARGET][(int64_t)rank * plan->n_chunks + chunk], *end = list;
            while (*end >= 0) end = &made->next_after[*end];
            *end = made->first_own[rank];
            made->first_own[rank] = *list;
        }
    }
}

bool rg_lines_new(const rg_plan *plan, const rg_job *job, rs_arena *arena, rg_line_plan *made) {
    const size_t n_moves = (size_t)plan->n_moves, n_ranks = (size_t)plan->n_ranks;
    const size_t n_cells = n_ranks * (size_t)plan->n_chunks;
    int32_t *wanted[RG_N_STORES] = {[RG_TARGET] = rs_alloc(arena, n_cells, sizeof(int32_t)),
                                    [RG_BESIDE] = rs_alloc(arena, n_cells, sizeof(int32_t))};
    *made = (rg_line_plan){.first_after = rs_alloc(arena, n_moves, sizeof(int32_t)),
                           .next_after = rs_alloc(arena, n_moves, sizeof(int32_t)),
                           .first_own = rs_alloc(arena, n_ranks, sizeof(int32_t)),
                           .at = rs_alloc(arena, n_moves, sizeof(int64_t)),
                           .n_lines = rs_alloc(arena, n_ranks, sizeof(int64_t))};
    if (arena->lacked) return false;
    for (size_t i = 0; i < n_cells; i++) wanted[RG_TARGET][i] = wanted[RG_BESIDE][i] = -1;
    for (size_t r = 0; r < n_ranks; r++) made->first_own[r] = -1;
    for (int32_t i = 0; i < plan->n_moves; i++) {
        const rg_move *m = &plan->moves[i];
        made->at[i] = made->n_lines[m->by];
        if (is_message(m)) made->n_lines[m->by] += lines_of_move(plan, job, m);
    }
    link_messages(plan, made, wanted);
    return true;
}

/* ------------------------------------------------------------------ turns */

/* Sends a chunk that lies in the rank's own array to all messages of a list. */
static int32_t write_sends(const rg_line_plan *of, const rg_plan *plan, const rg_job *job,
                           int32_t message, const char *const own[], uint64_t *const lines[],
                           rg_turn turns[]) {
    int32_t n = 0;
    for (; message >= 0; message = of->next_after[message], n++) {
        const rg_move *m = &plan->moves[message];
        if (turns == NULL) continue;
        turns[n] = (rg_turn){.left = own[m->src] + m->first * rs_dtype_bytes(job->dtype),
                             .n = rg_move_count(plan, job, m),
                             .lines = {.to = lines[m->by] + of->at[message]},
                             .transfer = -1,
                             .op_kind = RG_COPY,
                             .larger = m->larger};
    }
    return n;
}

int32_t rg_lines_write(const rg_line_plan *of, const rg_plan *plan, const rg_job *job, int32_t rank,
                       const rg_places *places, uint64_t *const lines[], rg_turn turns[]) {
    const char *const *targets = (const char *const *)places->of[RG_TARGET];
    const char *const *starts =
        job->in_place ? targets : (const char *const *)places->of[RG_SOURCE];
    int32_t n = write_sends(of, plan, job, of->first_own[rank], starts, lines, turns);
    for (int32_t t = plan->task_first[rank]; t < plan->task_first[rank + 1]; t++) {
        const rg_task *task = &plan->tasks[t];
        for (int32_t i = task->first_move; i < task->first_move + task->n_moves; i++) {
            const rg_move *m = &plan->moves[i];
            const int32_t message = of->first_after[i];
            if (m->op_kind == RG_ASIDE && !job->schedule->by_rank) continue;
            if (turns != NULL) {
                rg_turn *turn = &turns[n];
                rg_turn_set(plan, job, m, places, turn);
                turn->lines = (rg_lines){0};
                if (is_message(m)) {
                    turn->left = NULL;
                    turn->lines.in = lines[rank] + of->at[i];
                }
                if (message >= 0) turn->lines.to = lines[plan->moves[message].by] + of->at[message];
            }
            n++;
            if (message < 0) continue;
            n += write_sends(of, plan, job, of->next_after[message], targets, lines,
                             turns == NULL ? NULL : &turns[n]);
        }
    }
    return n;
}
