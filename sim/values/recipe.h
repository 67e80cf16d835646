/* recipe.h: the events of one chunk, rewritten as a straight line of folds. Private to sim/.
 *
 *     events    step 0: 0 -> 1 reduce        recipe    slot 0 = rank 0 + rank 1
 *              step 1: 1 -> 2 reduce                  slot 0 = slot 0 + rank 2
 *              step 2: 2 -> 0 copy          results   ranks 0, 1, 2: slot 0
 *              step 3: 0 -> 1 copy
 *
 * Executing the events would write and read a cell in every step. The recipe reads every rank's own data
 * where they lie, keeps what is on the way in a few scratch slots, and writes every rank once at the
 * end. On a slice that fits the cache that is one pass over memory, however many steps there are.
 *
 *   - Lines never write a rank's array, so a step reads before it writes by construction.
 *   - Values that no rank holds at the end are not computed.
 *   - A slot is used again once its last reader is done, so there are few.
 */
#pragma once

#include "check/chunk_history.h"

typedef enum rs_action {
    RS_DO_FOLD,   /* slot = left op right */
    RS_DO_LOAD,   /* slot = left */
    RS_DO_FLIP,   /* slot = left, with the lowest bit of the chunk's first element flipped */
    RS_DO_FINISH, /* slot = left / N, for avg */
} rs_action;

/* Operands: slot i is i, rank r's own data is ~r. */
typedef struct rs_fold_line {
    int32_t slot, left, right;
    uint8_t action; /* rs_action */
} rs_fold_line;

typedef struct rs_result { /* at the end rank holds the slot's value */
    int32_t rank, slot;
} rs_result;

typedef struct rs_recipe {
    rs_fold_line *lines;
    int64_t n_lines;
    rs_result *results; /* ranks that end with what they had are not listed */
    int32_t n_results;
    int32_t n_slots;
    struct rs_node *nodes; /* while it is written */
    int32_t *cells, *fresh, *memo, *free_slots;
} rs_recipe;

/* Which of the events happen, and how. */
typedef struct rs_recipe_rules {
    const rs_schedule *schedule;
    const rs_apply_options *options;
    bool finish; /* the op is avg and the run goes to the end */
} rs_recipe_rules;

/* Takes the memory for the recipe of any chunk with at most max_events, under n_faults faults. Never more
   than 2N + 2 slots are needed: what the cells hold before and after a step, and two on the way. */
rs_status rs_recipe_new(const rs_schedule *schedule, int64_t max_events, int32_t n_faults,
                        rs_arena *arena, rs_error *error, rs_recipe *recipe);
/* Writes the recipe of one chunk over what was in it. */
void rs_recipe_write(const rs_recipe_rules *rules, int32_t chunk, const rs_chunk_event events[],
                     int64_t n_events, rs_recipe *recipe);
