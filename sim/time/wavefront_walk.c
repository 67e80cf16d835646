/* wavefront_walk.c: the transfers of one step after another, without asking ranks that sit it out.
 *
 *     due[step] --> rank --> rank --> ...     each rank stands in the list of the next step that
 *                                             concerns it, and moves on when that step is over
 *
 *   - Only for schedules that know next_step (naive: two ranks of N in each step). Tables keep
 *     lists of their own, and in the others nearly every rank has something to do in every step.
 *   - In a step the ranks come in ascending order, so their transfers come in list order.
 */
#include "time/wavefront.h"

#include <stdlib.h>

struct rs_walk {
    const rs_schedule *schedule;
    int32_t *due;    /* [n_steps] the first rank of each step's list; -1 */
    int32_t *behind; /* [n_ranks] who stands behind a rank; -1 */
    int32_t *now;    /* [n_ranks] the ranks of the step under way, ascending */
    int32_t n_now, at, step;
    rs_cursor cursor; /* where no lists are needed */
};

static void enqueue(rs_walk *walk, int32_t rank, int32_t from_step) {
    const rs_schedule *schedule = walk->schedule;
    const int32_t step = schedule->next_step(schedule, from_step, rank);
    if (step >= schedule->n_steps) return;
    walk->behind[rank] = walk->due[step];
    walk->due[step] = rank;
}

rs_walk *rs_walk_new(const rs_schedule *schedule, rs_arena *arena) {
    const size_t n = (size_t)schedule->n_ranks, n_steps = (size_t)schedule->n_steps;
    rs_walk *walk = rs_alloc(arena, 1, sizeof *walk);
    if (walk == NULL) return NULL;
    walk->schedule = schedule;
    if (schedule->table != NULL || schedule->next_step == NULL) return walk;
    walk->due = rs_alloc(arena, n_steps, sizeof *walk->due);
    walk->behind = rs_alloc(arena, n, sizeof *walk->behind);
    walk->now = rs_alloc(arena, n, sizeof *walk->now);
    if (!walk->due || !walk->behind || !walk->now) return NULL;
    for (size_t step = 0; step < n_steps; step++) walk->due[step] = -1;
    for (int32_t rank = schedule->n_ranks - 1; rank >= 0; rank--) enqueue(walk, rank, 0);
    return walk;
}

static int ascending(const void *left, const void *right) {
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

void rs_walk_step(rs_walk *walk, int32_t step) {
    walk->step = step;
    walk->cursor = (rs_cursor){0};
    if (walk->due == NULL) return;
    walk->at = walk->n_now = 0;
    bool sorted = true;
    for (int32_t rank = walk->due[step]; rank >= 0; rank = walk->behind[rank]) {
        sorted = sorted && (walk->n_now == 0 || walk->now[walk->n_now - 1] < rank);
        walk->now[walk->n_now++] = rank;
    }
    if (!sorted) qsort(walk->now, (size_t)walk->n_now, sizeof *walk->now, ascending);
    /* From the last to the first, so that the next lists are mostly ascending again. */
    for (int32_t i = walk->n_now - 1; i >= 0; i--) enqueue(walk, walk->now[i], step + 1);
}

bool rs_walk_next(rs_walk *walk, rs_transfer *transfer) {
    const rs_schedule *schedule = walk->schedule;
    if (walk->due == NULL) return rs_next_transfer(schedule, walk->step, &walk->cursor, transfer);
    while (walk->at < walk->n_now) {
        const int32_t rank = walk->now[walk->at++];
        if (schedule->sends(schedule, walk->step, rank, transfer) == 1) return true;
    }
    return false;
}
