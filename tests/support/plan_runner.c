/* plan_runner.c: see plan_runner.h. */
#include "support/plan_runner.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "support/naive_apply.h"

static size_t array_bytes(const planned *p) {
    return (size_t)p->job->count * (size_t)rs_dtype_bytes(p->job->dtype);
}

void planned_refill(planned *p) {
    for (int32_t r = 0; r < p->plan->n_ranks; r++) {
        if (p->job->in_place) {
            memcpy(p->targets[r], p->inputs[r], array_bytes(p));
        } else {
            memset(p->targets[r], 0x5a, array_bytes(p));
        }
        memset(p->asides[r], 0xa5, array_bytes(p));
    }
}

void planned_new(planned *p, const rg_job *job, rs_arena *arena) {
    const rs_schedule *s = job->schedule;
    rs_error error = {.text = ""};
    *p = (planned){.job = job};
    cr_assert_eq(rg_plan_new(job, arena, &error, &p->plan), RS_OK, "%s", error.text);
    const int32_t n_chunks = s->n_chunks > 0 ? s->n_chunks : 1;
    p->inputs = new_ranks(RS_DATA_RANDOM, job->dtype, s->n_ranks, n_chunks, job->count, NULL);
    p->targets = copy_ranks(p->inputs, job->dtype, s->n_ranks, job->count);
    p->asides = copy_ranks(p->inputs, job->dtype, s->n_ranks, job->count);
    if (!job->in_place) p->sources = copy_ranks(p->inputs, job->dtype, s->n_ranks, job->count);
    planned_refill(p);
}

void planned_free(planned *p) {
    const int32_t n = p->plan->n_ranks;
    free_ranks(p->inputs, n);
    free_ranks(p->targets, n);
    free_ranks(p->asides, n);
    if (p->sources != NULL) free_ranks(p->sources, n);
}

/* ------------------------------------------------------------------ execution */

static void make_move(planned *p, const rg_move *m) {
    const rg_job *job = p->job;
    const int64_t first = rs_chunk_first(job->schedule, job->count, m->chunk);
    const int64_t n = rs_chunk_first(job->schedule, job->count, m->chunk + 1) - first;
    const size_t size = (size_t)rs_dtype_bytes(job->dtype), n_bytes = (size_t)n * size;
    void *const *const rooms[RG_N_STORES] = {p->targets, p->sources, p->asides};
    const char *from = (const char *)rooms[m->left][m->src] + (size_t)first * size;
    const char *added = (const char *)rooms[m->right][m->by] + (size_t)first * size;
    char *own = (char *)p->targets[m->by] + (size_t)first * size;
    char *aside = (char *)p->asides[m->by] + (size_t)first * size;
    char *arrived = malloc(n_bytes);
    cr_assert(m->first == first && rg_move_count(p->plan, job, m) == n);
    cr_assert(n > 0 && (m->op_kind != RG_FINISH || m->finish));
    memcpy(arrived, from, n_bytes);
    if (m->flip) *arrived ^= 1;
    switch ((rg_plan_op)m->op_kind) {
    case RG_FINISH:
    case RG_COPY: memcpy(own, arrived, n_bytes); break;
    case RG_ASIDE: memcpy(aside, arrived, n_bytes); break;
    case RG_REDUCE: rs_fold(job->dtype, job->op, arrived, added, own, n); break;
    }
    if (m->finish) rs_finish(job->dtype, job->op, p->plan->n_ranks, own, n);
    free(arrived);
}

void planned_by_rounds(planned *p, uint64_t *state) {
    const rg_plan *plan = p->plan;
    int32_t *order = malloc(((size_t)plan->n_moves + 1) * sizeof *order);
    for (int32_t round = 0; round < plan->n_rounds; round++) {
        const int32_t first = plan->round_first[round], n = plan->round_first[round + 1] - first;
        for (int32_t i = 0; i < n; i++) { /* shuffled while it is written */
            const int32_t k = random_below(state, i + 1);
            order[i] = order[k];
            order[k] = first + i;
        }
        for (int32_t i = 0; i < n; i++) make_move(p, &plan->moves[order[i]]);
    }
    free(order);
}

static bool may_start(const rg_plan *plan, const int32_t done[], int32_t rank) {
    if (plan->task_first[rank] + done[rank] == plan->task_first[rank + 1]) return false;
    const rg_task *task = &plan->tasks[plan->task_first[rank] + done[rank]];
    for (int32_t i = 0; i < task->n_waits; i++) {
        const rg_wait *wait = &plan->waits[task->first_wait + i];
        if (done[wait->rank] < wait->n_tasks) return false;
    }
    return true;
}

/* Returns a rank that may do its next task; -1: none. Half the time the same ranks go first again and
   again, so that others lie far behind. */
static int32_t next_rank(const rg_plan *plan, const int32_t done[], int32_t favourite,
                         uint64_t *state) {
    const int32_t n = plan->n_ranks;
    const int32_t from = random_below(state, 2) == 0 ? favourite : random_below(state, n);
    for (int32_t i = 0; i < n; i++) {
        if (may_start(plan, done, (from + i) % n)) return (from + i) % n;
    }
    return -1;
}

bool planned_by_tasks(planned *p, uint64_t *state) {
    const rg_plan *plan = p->plan;
    int32_t *done = calloc((size_t)plan->n_ranks, sizeof *done);
    const int32_t favourite = random_below(state, plan->n_ranks);
    int32_t left = plan->n_tasks;
    for (int32_t rank; left > 0 && (rank = next_rank(plan, done, favourite, state)) >= 0; left--) {
        const rg_task *task = &plan->tasks[plan->task_first[rank] + done[rank]++];
        for (int32_t i = 0; i < task->n_moves; i++) {
            make_move(p, &plan->moves[task->first_move + i]);
        }
    }
    free(done);
    return left == 0;
}

bool planned_equals_reference(const planned *p) {
    const rg_job *job = p->job;
    const int32_t n = p->plan->n_ranks;
    const rs_fault flip = {.kind = RS_FLIP, .rank = job->flip_rank, .step = job->flip_step};
    const rs_apply_options options = {
        .until_step = job->schedule->n_steps, .faults = &flip, .n_faults = job->flip_rank >= 0};
    void **expected = copy_ranks(p->inputs, job->dtype, n, job->count);
    cr_assert_eq(
        rs_apply(job->schedule, job->dtype, job->op, job->count, expected, &options, NULL, NULL),
        RS_OK);
    bool equal = true;
    for (int32_t r = 0; r < n; r++) {
        for (rg_range range = {0}; rg_next_answer(job, r, &range);) {
            const int64_t at = range.first * rs_dtype_bytes(job->dtype);
            equal = equal && rs_equal(job->dtype, (char *)expected[r] + at,
                                      (char *)p->targets[r] + at, range.n);
        }
    }
    free_ranks(expected, n);
    return equal;
}

/* ------------------------------------------------------------------ order */

/* Where a move reads and writes, as a number for each cell: main cells first, then those aside. Inputs are
   nobody's target: -1. */
static int64_t cell_number(const rg_plan *plan, int32_t rank, int32_t chunk, bool aside) {
    return ((int64_t)rank + (aside ? plan->n_ranks : 0)) * plan->n_chunks + chunk;
}

static int64_t read_cell(const rg_plan *plan, const rg_move *m) {
    return m->left == RG_SOURCE ? -1 : cell_number(plan, m->src, m->chunk, m->left == RG_BESIDE);
}

static int64_t written_cell(const rg_plan *plan, const rg_move *m) {
    return cell_number(plan, m->by, m->chunk, m->op_kind == RG_ASIDE);
}

static bool meet(const rg_plan *plan, const rg_move *a, const rg_move *b) {
    const int64_t to = written_cell(plan, a);
    return to == written_cell(plan, b) || to == read_cell(plan, b) ||
           written_cell(plan, b) == read_cell(plan, a);
}

bool planned_rounds_clash(const rg_plan *plan) {
    for (int32_t round = 0; round < plan->n_rounds; round++) {
        for (int32_t i = plan->round_first[round]; i < plan->round_first[round + 1]; i++) {
            for (int32_t k = plan->round_first[round]; k < i; k++) {
                if (meet(plan, &plan->moves[i], &plan->moves[k])) return true;
            }
        }
    }
    return false;
}

/* clock[task * N + r]: so many of r's tasks are certainly done before `task` starts. Tasks are gone
   through in the order of rounds, which every wait follows. */
static int32_t *new_clocks(const rg_plan *plan) {
    const int32_t n = plan->n_ranks;
    int32_t *clocks = calloc((size_t)plan->n_tasks * (size_t)n + 1, sizeof *clocks);
    int32_t *next = calloc((size_t)n, sizeof *next);
    for (int32_t i = 0; i < plan->n_moves; i++) {
        const int32_t rank = plan->moves[i].by;
        const int32_t index = plan->task_first[rank] + next[rank];
        if (index == plan->task_first[rank + 1] || plan->tasks[index].first_move != i) continue;
        int32_t *clock = &clocks[(int64_t)index * n];
        if (next[rank] > 0) memcpy(clock, clock - n, (size_t)n * sizeof *clock);
        clock[rank] = next[rank]++;
        for (int32_t w = 0; w < plan->tasks[index].n_waits; w++) {
            const rg_wait *wait = &plan->waits[plan->tasks[index].first_wait + w];
            const int32_t before = plan->task_first[wait->rank] + wait->n_tasks - 1;
            for (int32_t r = 0; r < n; r++) {
                const int32_t known = clocks[(int64_t)before * n + r];
                if (known > clock[r]) clock[r] = known;
            }
            if (wait->n_tasks > clock[wait->rank]) clock[wait->rank] = wait->n_tasks;
        }
    }
    free(next);
    return clocks;
}

bool planned_tasks_race(const rg_plan *plan) {
    const int32_t n = plan->n_ranks;
    int32_t *clocks = new_clocks(plan),
            *task_of = malloc(sizeof(int32_t) * (size_t)plan->n_moves + 1);
    bool race = false;
    for (int32_t t = 0; t < plan->n_tasks; t++) {
        for (int32_t i = 0; i < plan->tasks[t].n_moves; i++) {
            task_of[plan->tasks[t].first_move + i] = t;
        }
    }
    for (int32_t i = 0; i < plan->n_moves && !race; i++) {
        for (int32_t k = 0; k < i && !race; k++) { /* k lies in an earlier round, or the same one */
            const rg_move *late = &plan->moves[i], *early = &plan->moves[k];
            if (late->by == early->by || !meet(plan, late, early)) continue;
            const int32_t n_tasks = task_of[k] - plan->task_first[early->by] + 1;
            race = clocks[(int64_t)task_of[i] * n + early->by] < n_tasks;
        }
    }
    free(clocks);
    free(task_of);
    return race;
}
