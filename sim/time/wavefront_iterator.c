/* wavefront_iterator.c: the transfers of one step after another, without asking ranks that sit it out.
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

struct rs_step_iterator {
    const rs_schedule *schedule;
    int32_t *due;    /* [n_steps] the first rank of each step's list; -1 */
    int32_t *behind; /* [n_ranks] who stands behind a rank; -1 */
    int32_t *now;    /* [n_ranks] the ranks of the step under way, ascending */
    int32_t n_now, at, step;
    rs_cursor cursor; /* where no lists are needed */
};

static void enqueue(rs_step_iterator *iterator, int32_t rank, int32_t from_step) {
    const rs_schedule *schedule = iterator->schedule;
    const int32_t step = schedule->next_step(schedule, from_step, rank);
    if (step >= schedule->n_steps) return;
    iterator->behind[rank] = iterator->due[step];
    iterator->due[step] = rank;
}

rs_step_iterator *rs_step_iterator_new(const rs_schedule *schedule, rs_arena *arena) {
    const size_t n = (size_t)schedule->n_ranks, n_steps = (size_t)schedule->n_steps;
    rs_step_iterator *iterator = rs_alloc(arena, 1, sizeof *iterator);
    if (iterator == NULL) return NULL;
    iterator->schedule = schedule;
    if (schedule->table != NULL || schedule->next_step == NULL) return iterator;
    iterator->due = rs_alloc(arena, n_steps, sizeof *iterator->due);
    iterator->behind = rs_alloc(arena, n, sizeof *iterator->behind);
    iterator->now = rs_alloc(arena, n, sizeof *iterator->now);
    if (!iterator->due || !iterator->behind || !iterator->now) return NULL;
    for (size_t step = 0; step < n_steps; step++) iterator->due[step] = -1;
    for (int32_t rank = schedule->n_ranks - 1; rank >= 0; rank--) enqueue(iterator, rank, 0);
    return iterator;
}

static int ascending(const void *left, const void *right) {
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

void rs_step_iterator_step(rs_step_iterator *iterator, int32_t step) {
    iterator->step = step;
    iterator->cursor = (rs_cursor){0};
    if (iterator->due == NULL) return;
    iterator->at = iterator->n_now = 0;
    bool sorted = true;
    for (int32_t rank = iterator->due[step]; rank >= 0; rank = iterator->behind[rank]) {
        sorted = sorted && (iterator->n_now == 0 || iterator->now[iterator->n_now - 1] < rank);
        iterator->now[iterator->n_now++] = rank;
    }
    if (!sorted) qsort(iterator->now, (size_t)iterator->n_now, sizeof *iterator->now, ascending);
    /* From the last to the first, so that the next lists are mostly ascending again. */
    for (int32_t i = iterator->n_now - 1; i >= 0; i--)
        enqueue(iterator, iterator->now[i], step + 1);
}

bool rs_step_iterator_next(rs_step_iterator *iterator, rs_transfer *transfer) {
    const rs_schedule *schedule = iterator->schedule;
    if (iterator->due == NULL)
        return rs_next_transfer(schedule, iterator->step, &iterator->cursor, transfer);
    while (iterator->at < iterator->n_now) {
        const int32_t rank = iterator->now[iterator->at++];
        if (schedule->sends(schedule, iterator->step, rank, transfer) == 1) return true;
    }
    return false;
}
