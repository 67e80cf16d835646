/* plan_tasks.c: what each rank does when, and for which ranks it waits; see plan.h.
 *
 *     rank 0   | reduce | reduce | copy |      a task: the moves of one rank in one round
 *                  ^ until rank 3 has done 1   a wait: until another rank has done so many
 *
 *   - Only its owner writes a cell. So there are two reasons to wait for another rank: to READ ITS
 *     CELL after it has written it, and to WRITE ONE'S OWN CELL after the others have read it. A
 *     rank does its tasks one after another, which keeps what it does to its own cells in order.
 *   - We go through the moves in the order of rounds. Each cell remembers when it was last written,
 *     and which ranks have read it since. Needs point to earlier rounds only: no ranks wait in a
 *     circle.
 *   - Only those needs become waits that no earlier wait of the same rank has met.
 */
#include "job/plan.h"

#include <assert.h>

enum { NONE = -1 };

/* The need that `rank` has done `n_tasks` of its tasks; cells and tasks have lists of these. */
typedef struct need {
    int32_t rank, n_tasks, next;
} need;

typedef struct written_cell {
    int32_t
        n_tasks; /* what its owner must have done for the cell to hold its last value; 0: nothing */
    int32_t readers; /* the ranks that have read that value: a list of needs */
} written_cell;

typedef struct weaver {
    rg_plan *plan;
    int32_t n_full;
    int64_t n_cells; /* of all ranks; their rooms aside follow in cells[] */
    written_cell *cells;
    int32_t *needs_of; /* [n_tasks] a list for each task */
    need *needs;       /* all lists' */
    int32_t n_needs;
} weaver;

static rs_status no_memory(const rg_plan *plan, rs_error *error) {
    return rs_fail(error, RS_NO_MEMORY, "no memory for the order of %d moves; take fewer ranks",
                   (int)plan->n_moves);
}

/* ------------------------------------------------------------------ tasks */

/* Returns where the task that begins with this move ends. */
static int32_t task_end(const rg_plan *plan, int32_t first_move) {
    const rg_move *first = &plan->moves[first_move];
    int32_t end = first_move + 1;
    while (end < plan->n_moves && plan->moves[end].round == first->round &&
           plan->moves[end].by == first->by) {
        end++;
    }
    return end;
}

static rs_status make_tasks(rg_plan *plan, rs_arena *arena, rs_arena *scratch, rs_error *error) {
    const size_t n_ranks = (size_t)plan->n_ranks;
    int32_t *next = rs_alloc(scratch, n_ranks, sizeof *next);
    plan->task_first = rs_alloc(arena, n_ranks + 1, sizeof *plan->task_first);
    if (next == NULL || plan->task_first == NULL) return no_memory(plan, error);
    for (int32_t i = 0; i < plan->n_moves; i = task_end(plan, i)) {
        plan->task_first[plan->moves[i].by + 1]++;
    }
    for (size_t r = 0; r < n_ranks; r++) {
        plan->task_first[r + 1] += plan->task_first[r];
        next[r] = plan->task_first[r];
    }
    plan->n_tasks = plan->task_first[n_ranks];
    plan->tasks = rs_alloc(arena, (size_t)plan->n_tasks, sizeof *plan->tasks);
    if (plan->tasks == NULL) return no_memory(plan, error);
    for (int32_t i = 0, end; i < plan->n_moves; i = end) {
        end = task_end(plan, i);
        plan->tasks[next[plan->moves[i].by]++] = (rg_task){.first_move = i, .n_moves = end - i};
    }
    return RS_OK;
}

/* ------------------------------------------------------------------ needs */

static written_cell *cell_of(const weaver *w, int32_t rank, int32_t chunk, bool aside) {
    return &w->cells[(int64_t)rank * w->n_full + chunk + (aside ? w->n_cells : 0)];
}

static void push(weaver *w, int32_t *list, int32_t rank, int32_t n_tasks) {
    w->needs[w->n_needs] = (need){rank, n_tasks, *list};
    *list = w->n_needs++;
}

/* Adds the needs of a move to its task. n_tasks: how many tasks its rank has done after this
   one. */
static void need_of_move(weaver *w, const rg_move *move, int32_t task, int32_t n_tasks) {
    written_cell *to = cell_of(w, move->by, move->chunk, move->op_kind == RG_ASIDE);
    if (move->src != move->by && move->left != RG_SOURCE) { /* nobody writes an input */
        written_cell *from = cell_of(w, move->src, move->chunk, move->left == RG_BESIDE);
        if (from->n_tasks > 0) push(w, &w->needs_of[task], move->src, from->n_tasks);
        push(w, &from->readers, move->by, n_tasks);
    }
    while (to->readers != NONE) { /* the list moves over to the task, one by one */
        need *reader = &w->needs[to->readers];
        const int32_t rest = reader->next;
        reader->next = w->needs_of[task];
        w->needs_of[task] = to->readers;
        to->readers = rest;
    }
    to->n_tasks = n_tasks;
}

static rs_status find_needs(weaver *w, rs_arena *scratch, rs_error *error) {
    const rg_plan *plan = w->plan;
    const size_t n_rooms = plan->has_aside ? 2 : 1, n_cells = (size_t)w->n_cells * n_rooms;
    size_t n_pulled = 0;
    for (int32_t i = 0; i < plan->n_moves; i++) n_pulled += plan->moves[i].src != plan->moves[i].by;
    int32_t *next = rs_alloc(scratch, (size_t)plan->n_ranks, sizeof *next);
    w->cells = rs_alloc(scratch, n_cells, sizeof *w->cells);
    w->needs_of = rs_alloc(scratch, (size_t)plan->n_tasks, sizeof *w->needs_of);
    w->needs = rs_alloc(scratch, 2 * n_pulled, sizeof *w->needs);
    if (scratch->lacked) return no_memory(plan, error);
    for (size_t i = 0; i < n_cells; i++) w->cells[i].readers = NONE;
    for (int32_t i = 0; i < plan->n_tasks; i++) w->needs_of[i] = NONE;
    for (int32_t i = 0, end; i < plan->n_moves; i = end) {
        const int32_t rank = plan->moves[i].by, n_tasks = ++next[rank];
        end = task_end(plan, i);
        for (int32_t k = i; k < end; k++) {
            need_of_move(w, &plan->moves[k], plan->task_first[rank] + n_tasks - 1, n_tasks);
        }
    }
    assert(w->n_needs <= (int64_t)(2 * n_pulled));
    return RS_OK;
}

/* ------------------------------------------------------------------ waits */

/* What one rank knows of another while we go through its tasks. */
typedef struct knowledge {
    int32_t of;      /* the rank that knows it, + 1: so for the next rank it is empty */
    int32_t n_tasks; /* the other has done so many tasks, by an earlier wait */
    int32_t wait;    /* the last of those waits */
} knowledge;

/* Turns the needs of one task into waits: at most one for each other rank, none for what is
   known. */
static void make_waits(const weaver *w, int32_t rank, rg_task *task, knowledge known[],
                       rg_wait waits[], int32_t *n_waits) {
    const int32_t index = (int32_t)(task - w->plan->tasks);
    task->first_wait = *n_waits;
    for (int32_t i = w->needs_of[index]; i != NONE; i = w->needs[i].next) {
        const need *n = &w->needs[i];
        knowledge *k = &known[n->rank];
        if (k->of != rank + 1) *k = (knowledge){rank + 1, 0, NONE};
        if (k->n_tasks >= n->n_tasks) continue;
        k->n_tasks = n->n_tasks;
        if (k->wait < task->first_wait) {
            k->wait = (*n_waits)++;
            waits[k->wait].rank = n->rank;
        }
        waits[k->wait].n_tasks = n->n_tasks;
    }
    task->n_waits = *n_waits - task->first_wait;
}

static rs_status find_waits(const weaver *w, rs_arena *arena, rs_arena *scratch, rs_error *error) {
    rg_plan *plan = w->plan;
    knowledge *known = rs_alloc(scratch, (size_t)plan->n_ranks, sizeof *known);
    rg_wait *waits = rs_alloc(scratch, (size_t)w->n_needs, sizeof *waits);
    if (known == NULL || waits == NULL) return no_memory(plan, error);
    for (int32_t rank = 0; rank < plan->n_ranks; rank++) {
        for (int32_t i = plan->task_first[rank]; i < plan->task_first[rank + 1]; i++) {
            make_waits(w, rank, &plan->tasks[i], known, waits, &plan->n_waits);
        }
    }
    plan->waits = rs_alloc(arena, (size_t)plan->n_waits, sizeof *plan->waits);
    if (plan->waits == NULL) return no_memory(plan, error);
    for (int32_t i = 0; i < plan->n_waits; i++) plan->waits[i] = waits[i];
    return RS_OK;
}

rs_status rg_plan_tasks(rg_plan *plan, int32_t n_full, rs_arena *arena, rs_arena *scratch,
                        rs_error *error) {
    assert(n_full >= 0);
    weaver w = {.plan = plan, .n_full = n_full, .n_cells = (int64_t)plan->n_ranks * n_full};
    rs_status status = make_tasks(plan, arena, scratch, error);
    if (status == RS_OK) status = find_needs(&w, scratch, error);
    if (status == RS_OK) status = find_waits(&w, arena, scratch, error);
    return status;
}
