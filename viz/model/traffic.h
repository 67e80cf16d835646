/* traffic.h: who uses which wire of a run's machine at a moment. Pure.
 *
 *     model, step, time ---> LOAD: the messages whose bytes flow then, the rate of each, the sum on each wire
 *
 *   - Rates are those the run was timed with (rs_share_out).
 *   - Inside a step the moment is one at which bytes flow: a time before the first is moved to it; when all have
 *     arrived, the moment is the one at which the most messages of the step flowed.
 *   - At the start and at the end it is the whole run: what each wire carried, over the run's time.
 */
#pragma once

#include "model/pace.h"

/* The bytes of a message on their way. */
typedef struct rv_stream {
    int32_t src, dst; /* ranks */
    uint64_t rate_Bps;
    int32_t first, n; /* wires[first ..] of the load, in the order of its route */
} rv_stream;

typedef struct rv_load {
    bool whole;      /* of the whole run: there are no streams */
    int64_t time_ps; /* the moment */
    rv_stream *streams;
    int32_t n_streams; /* sorted by sender, then receiver */
    int32_t *wires;
    int32_t n_wires;
    uint64_t *used_Bps; /* [2 n_links] of the machine */
    int32_t *first;     /* [2 n_links + 1] users[first[w] ..]: the streams on wire w, ascending */
    int32_t *users;
} rv_load;

typedef struct rv_traffic rv_traffic;
/* Prepares it for a model whose run has a machine, and times; otherwise *traffic is NULL. The model must outlive
   it; it lives in the arena. */
rs_status rv_traffic_new(const rv_model *model, rs_arena *arena, rs_error *error,
                         rv_traffic **traffic);
/* Returns who uses what at a time in a step (-1, n_steps: the whole run); it holds until the next call. NULL: no
   memory. */
const rv_load *rv_traffic_at(rv_traffic *traffic, int32_t step, int64_t now_ps);
/* Returns how fast each message of the run flows; made when it is first asked for. NULL: no memory. */
const rv_pace *rv_traffic_pace(rv_traffic *traffic);
/* Returns what a wire can carry, with its faults, in bytes a second. */
uint64_t rv_traffic_capacity(const rv_traffic *traffic, int32_t wire);
/* Returns the wire of the run's largest share (JSON: bottleneck), -1: none; writes its share in tenths of a
   percent. */
int32_t rv_traffic_bottleneck(const rv_traffic *traffic, int64_t *permille);
/* Returns in tenths of a percent what a wire carried of what it could have in the whole run. */
int64_t rv_traffic_share(const rv_traffic *traffic, int32_t wire);
/* Writes the wires that are fullest at the moment, the fullest first, of equals what is fuller in the whole run,
   then by number; returns how many, at most `most`. Idle ones are not among them. */
int32_t rv_busiest_wires(const rv_traffic *traffic, const rv_load *load, int32_t most,
                         int32_t wires[]);
/* Returns how full a wire is at the moment, in tenths of a percent. */
int64_t rv_load_permille(const rv_traffic *traffic, const rv_load *load, int32_t wire);
