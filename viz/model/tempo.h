/* tempo.h: time inside a step: how far each chunk has come. Pure.
 *
 *     progress   0 ......... LIFT ............... ARRIVE ......... 1
 *                at rest     leaves its cell      at the door      added or copied
 *
 *   - Inside a step every transfer moves by its own times in the trace: over a slow link it crawls
 *     while the others are there already. LIFT..ARRIVE spans the step's own time, from its first
 *     start to its last arrival.
 *   - The micro-steps of the keys stand at RV_LIFT (send), RV_ARRIVAL (arrive) and 1 (add).
 *   - Runs without a trace (too large) move evenly.
 */
#pragma once

#include "model/model.h"

#define RV_LIFT 0.12
#define RV_ARRIVAL 0.66

/* One transfer at a moment. */
typedef struct rv_flight {
    rs_transfer transfer;
    const rs_timed *timed; /* NULL: the run has no trace */
    double flown;          /* 0: still with its sender, 1: at the receiver's door */
    double merged;         /* 0..1: how much of it is added to, or replaces, the receiver's */
    bool happens;          /* false: never, since one end is dead or waits for ever */
} rv_flight;

typedef struct rv_flights {
    const rv_model *model;
    int32_t step;
    double progress;
    int64_t at; /* item of the trace, or cursor */
    int64_t from_ps, to_ps;
    rs_cursor cursor;
} rv_flights;
/* Walks the transfers of the model's step at `progress` in list order:
       rv_flights f = rv_flights_of(model, p); while (rv_next_flight(&f, &flight)) ...  */
rv_flights rv_flights_of(const rv_model *model, double progress);
bool rv_next_flight(rv_flights *flights, rv_flight *flight);

/* The time, in ps, that the play head shows at a step and a progress; -1: there is no trace. */
int64_t rv_time_at(const rv_model *model, int32_t step, double progress);
/* The step and the progress at a time: the inverse, as far as steps do not overlap. */
void rv_moment_at(const rv_model *model, int64_t time_ps, int32_t *step, double *progress);
/* Returns the moment that the model must show for a progress; the progress at which a moment
   stands. */
rv_moment rv_moment_of(double progress);
double rv_progress_of(rv_moment moment);
