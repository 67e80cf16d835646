/* pace.c: see pace.h. Sweeps over the moments at which some message's bytes begin or end to flow. */
#include "model/pace.h"
#include "base/containers.h"
#include "model/model.h"

#include <stdlib.h>

typedef struct pace_event {
    int64_t time_ps;
    int32_t message;
    bool ends;
} pace_event;

/* What the sweep works with: malloc's, and given back. */
typedef struct pace_sweep {
    pace_event *events; /* [2 n_items] */
    int32_t n_events;
    const rs_timed **flowing; /* [n_items] */
    int32_t n_flowing;
    uint64_t *rates;    /* [n_items] */
    uint64_t *narrow;   /* [n_items] capacity of the narrowest wire; 0: not yet known */
    int32_t *share;     /* [n_items] the last one noted */
    rv_pace_part *list; /* in time */
    int64_t n_parts, room;
} pace_sweep;

/* Ends before beginnings. */
static int by_time(const void *left, const void *right) {
    const pace_event *a = left, *b = right;
    return 4 * RS_BY(time_ps) + 2 * RS_COMPARE(b->ends, a->ends) + RS_BY(message);
}

static void find_events(const rv_model *model, const rs_together *together, pace_sweep *w) {
    const rs_trace *trace = model->report->trace;
    const int64_t count = model->report->request.job.count;
    for (int32_t i = 0; i < trace->n_items; i++) {
        const rs_timed *item = &trace->items[i];
        if (rs_transfer_count(model->schedule, count, &item->transfer) <= 0) continue;
        const int64_t from_ps = rs_together_from(together, item);
        if (from_ps >= item->end_ps) continue;
        w->events[w->n_events++] = (pace_event){from_ps, i, false};
        w->events[w->n_events++] = (pace_event){item->end_ps, i, true};
    }
    qsort(w->events, (size_t)w->n_events, sizeof *w->events, by_time);
}

static void take_event(const rs_trace *trace, pace_sweep *w, const pace_event *e) {
    const rs_timed *item = &trace->items[e->message];
    if (!e->ends) {
        w->flowing[w->n_flowing++] = item;
        return;
    }
    for (int32_t k = 0; k < w->n_flowing; k++) {
        if (w->flowing[k] == item) w->flowing[k] = w->flowing[--w->n_flowing];
    }
}

static uint64_t narrowest(rs_together *together, const rs_timed *item) {
    rs_route route;
    uint64_t least = UINT64_MAX;
    if (rs_together_way(together, &item->transfer, NULL, &route) != RS_OK) return 0;
    for (int32_t k = 0; k < route.n_wires; k++) {
        const uint64_t here = rs_together_capacity(together, route.wires[k]);
        if (here < least) least = here;
    }
    return least;
}

static bool note(pace_sweep *w, rv_pace_part part) {
    if (!rs_reserve(NULL, &w->list, w->n_parts + 1, &w->room)) return false;
    w->list[w->n_parts++] = part;
    return true;
}

/* Notes the share of each flowing message whose share is no longer the last one noted. */
static bool share_out(const rs_trace *trace, rs_together *together, pace_sweep *w, int64_t now_ps,
                      bool *shared) {
    if (rs_share_out(together, w->flowing, w->n_flowing, NULL, w->rates) != RS_OK) return false;
    for (int32_t k = 0; k < w->n_flowing; k++) {
        const int32_t i = (int32_t)(w->flowing[k] - trace->items);
        if (w->narrow[i] == 0) w->narrow[i] = narrowest(together, w->flowing[k]);
        if (w->narrow[i] == 0) return false;
        const double share = (double)w->rates[k] / (double)w->narrow[i];
        const int32_t permille = share > 0.999 ? 1000 : (int32_t)(1000 * share + 0.5);
        if (permille == w->share[i]) continue;
        if (permille < 1000) *shared = true;
        w->share[i] = permille;
        if (!note(w, (rv_pace_part){now_ps, i, permille})) return false;
    }
    return true;
}

/* Sorts the parts by message: counting sort, so that they stay in time. */
static void sort_parts(const pace_sweep *w, int64_t n_items, rv_pace *pace) {
    for (int64_t k = 0; k < w->n_parts; k++) pace->first[w->list[k].message + 1]++;
    for (int64_t i = 0; i < n_items; i++) pace->first[i + 1] += pace->first[i];
    for (int64_t k = w->n_parts; k-- > 0;) {
        pace->parts[--pace->first[w->list[k].message + 1]] = w->list[k];
    }
    for (int64_t i = 0; i < n_items; i++) pace->first[i] = pace->first[i + 1];
    pace->first[n_items] = w->n_parts;
}

static rv_pace *sweep_over(const rv_model *model, rs_together *together, rs_arena *arena,
                           pace_sweep *w) {
    const rs_trace *trace = model->report->trace;
    bool shared = false;
    find_events(model, together, w);
    for (int32_t e = 0; e < w->n_events;) {
        const int64_t now_ps = w->events[e].time_ps;
        for (; e < w->n_events && w->events[e].time_ps == now_ps; e++) {
            take_event(trace, w, &w->events[e]);
        }
        if (w->n_flowing > 0 && !share_out(trace, together, w, now_ps, &shared)) return NULL;
    }
    const size_t n = (size_t)trace->n_items;
    rv_pace *pace = rs_alloc(arena, 1, sizeof *pace);
    if (pace == NULL) return NULL;
    *pace = (rv_pace){.shared = shared,
                      .first = rs_alloc(arena, n + 2, sizeof *pace->first),
                      .parts = rs_alloc(arena, (size_t)w->n_parts + 1, sizeof *pace->parts)};
    if (pace->first == NULL || pace->parts == NULL) return NULL;
    sort_parts(w, trace->n_items, pace);
    return pace;
}

rv_pace *rv_pace_new(const rv_model *model, rs_together *together, rs_arena *arena) {
    const size_t n = (size_t)model->report->trace->n_items + 1;
    pace_sweep w = {.events = calloc(2 * n, sizeof *w.events),
                    .flowing = calloc(n, sizeof *w.flowing),
                    .rates = calloc(n, sizeof *w.rates),
                    .narrow = calloc(n, sizeof *w.narrow),
                    .share = calloc(n, sizeof *w.share)};
    const bool ready = w.events && w.flowing && w.rates && w.narrow && w.share;
    rv_pace *pace = ready ? sweep_over(model, together, arena, &w) : NULL;
    free(w.events);
    free(w.flowing);
    free(w.rates);
    free(w.narrow);
    free(w.share);
    free(w.list);
    return pace;
}
