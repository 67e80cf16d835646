/* plan_runner.h: executes plans of gpu/ on plain arrays, in any order that a plan allows, and looks for
 * accesses that it leaves unordered.
 *
 *     planned p;  planned_new(&p, &job, &arena);   inputs: rs_fill's random numbers, seed 1
 *     planned_by_rounds(&p, &state);               or planned_by_tasks
 *     planned_equals_reference(&p)                 bit by bit what rs_apply makes of the same inputs
 *     planned_free(&p);
 */
#pragma once

#include "job/plan.h"

typedef struct planned {
    const rg_job *job;
    rg_plan *plan;
    void **inputs;  /* what the reference starts with */
    void **sources; /* from one array to another: the first; otherwise NULL */
    void **targets;
    void **asides;
} planned;

/* Makes the plan, or fails the test. */
void planned_new(planned *p, const rg_job *job, rs_arena *arena);
void planned_free(planned *p);
/* Fills the arrays anew, for another execution. */
void planned_refill(planned *p);
/* Executes round after round, the moves of each in random order. */
void planned_by_rounds(planned *p, uint64_t *state);
/* Executes the ranks' tasks in a random order that breaks no wait; false: nobody can go on. */
bool planned_by_tasks(planned *p, uint64_t *state);
/* Tells whether the targets hold what rs_apply makes of the inputs. */
bool planned_equals_reference(const planned *p);

/* Tells whether two moves of one round touch the same cell, and one of them writes. */
bool planned_rounds_clash(const rg_plan *plan);
/* Tells whether the waits leave two tasks unordered that touch the same cell, one of them writing. Goes
   by vector clocks: what a rank knows of all others is what it has waited for, and what those knew. */
bool planned_tasks_race(const rg_plan *plan);
