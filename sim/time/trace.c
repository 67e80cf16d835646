/* trace.c: the whole trace of a run: what happened when, transfer by transfer.
 *
 *     rs_trace_new(capacity) --> rs_trace_sink --> an engine --> rs_trace_sort
 *
 * Engines report transfers in their own order; sorted, the traces of two engines are the same bytes.
 */
#include "ringsim.h"
#include "base/containers.h"

#include <stdlib.h>

rs_status rs_trace_new(int64_t capacity, rs_arena *arena, rs_error *error, rs_trace **trace) {
    rs_trace *made = rs_alloc(arena, 1, sizeof *made);
    rs_timed *items = capacity < 0 ? NULL : rs_alloc(arena, (size_t)capacity, sizeof *items);
    if (made == NULL || items == NULL) {
        return rs_fail(error, RS_NO_MEMORY,
                       "no memory for a trace of %lld transfers; run without one",
                       (long long)capacity);
    }
    *made = (rs_trace){.items = items, .capacity = capacity};
    *trace = made;
    return RS_OK;
}

/* Keeps a transfer, unless the trace is full. */
static void keep(void *context, const rs_timed *timed) {
    rs_trace *trace = context;
    if (trace->n_items < trace->capacity) trace->items[trace->n_items++] = *timed;
}

rs_sink rs_trace_sink(rs_trace *trace) {
    return (rs_sink){.context = trace, .transfer = keep};
}

RS_ORDER(by_place, rs_timed, step, transfer.order);

void rs_trace_sort(rs_trace *trace) {
    int64_t n = 1; /* so many stand in order: all, as a rule */
    while (n < trace->n_items && by_place(&trace->items[n - 1], &trace->items[n]) < 0) n++;
    if (n < trace->n_items)
        qsort(trace->items, (size_t)trace->n_items, sizeof *trace->items, by_place);
}
