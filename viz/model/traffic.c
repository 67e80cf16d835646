/* traffic.c: see traffic.h. */
#include "model/model.h"
#include "base/containers.h"
#include "model/traffic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 product;

/* When a step's bytes flow. */
typedef struct step_span {
    int64_t flows_from_ps, flows_to_ps; /* to < 0: no bytes ever flow in it */
    int64_t fullest_ps;                 /* when the most of its messages flow; -1: not yet known */
} step_span;

struct rv_traffic {
    const rv_model *model;
    rs_together *together;
    step_span *spans; /* [n_steps] */
    int32_t n_machine_wires;
    rs_arena *arena;
    rv_load load;
    rv_pace *pace;    /* NULL: not yet made */
    int64_t shown_ps; /* the load's; -2: none yet */
    const rs_timed **messages;
    uint64_t *rates;
    int32_t room, wires_room, users_room;
};

/* ------------------------------------------------------------------------------------ preparation */

static bool has_bytes(const rv_model *model, const rs_transfer *t) {
    return rs_transfer_count(model->schedule, model->report->request.job.count, t) > 0;
}

static void measure_steps(rv_traffic *traffic) {
    const rv_model *model = traffic->model;
    const rs_timed *items = model->report->trace->items;
    for (int32_t s = 0; s < model->n_steps; s++) {
        step_span *span = &traffic->spans[s];
        *span = (step_span){INT64_MAX, -1, -1};
        for (int64_t i = model->step_items[s]; i < model->step_items[s + 1]; i++) {
            if (!has_bytes(model, &items[i].transfer)) continue;
            const int64_t from_ps = rs_together_from(traffic->together, &items[i]);
            if (from_ps < span->flows_from_ps) span->flows_from_ps = from_ps;
            if (items[i].end_ps > span->flows_to_ps) span->flows_to_ps = items[i].end_ps;
        }
    }
}

rs_status rv_traffic_new(const rv_model *model, rs_arena *arena, rs_error *error,
                         rv_traffic **traffic) {
    const rs_job *job = &model->report->request.job;
    const rs_machine *machine = job->net.machine;
    *traffic = NULL;
    if (machine == NULL || model->step_items == NULL || model->report->outcome.wires == NULL)
        return RS_OK;
    const size_t n_wires = 2 * (size_t)machine->n_links;
    rv_traffic *made = rs_alloc(arena, 1, sizeof *made);
    if (made == NULL) return rs_no_memory(error);
    *made = (rv_traffic){.model = model,
                         .n_machine_wires = (int32_t)n_wires,
                         .arena = arena,
                         .shown_ps = -2,
                         .spans = rs_alloc(arena, (size_t)model->n_steps + 1, sizeof *made->spans)};
    made->load = (rv_load){.used_Bps = rs_alloc(arena, n_wires + 1, sizeof *made->load.used_Bps),
                           .first = rs_alloc(arena, n_wires + 1, sizeof *made->load.first)};
    if (!made->spans || !made->load.used_Bps || !made->load.first) {
        return rs_no_memory(error);
    }
    const rs_status status = rs_together_new(job, arena, error, &made->together);
    if (status != RS_OK) return status;
    measure_steps(made);
    *traffic = made;
    return RS_OK;
}

/* ------------------------------------------------------------------------------------- the moment */

static bool take_message(rv_traffic *traffic, const rs_timed *message) {
    int32_t rooms[2] = {traffic->room, traffic->room};
    const int32_t n = traffic->load.n_streams + 1;
    if (!rs_reserve(traffic->arena, &traffic->messages, n, &rooms[0]) ||
        !rs_reserve(traffic->arena, &traffic->rates, n, &rooms[1]) ||
        !rs_reserve(traffic->arena, &traffic->load.streams, n, &traffic->room)) {
        return false;
    }
    traffic->messages[n - 1] = message;
    traffic->load.n_streams = n;
    return true;
}

static int by_sender(const void *left, const void *right) {
    const rs_timed *a = *(const rs_timed *const *)left, *b = *(const rs_timed *const *)right;
    return 2 * RS_BY(transfer.src, transfer.dst) + RS_COMPARE(a, b);
}

/* Collects the messages whose bytes flow at the moment. */
static bool collect(rv_traffic *traffic, int64_t at_ps) {
    const rv_model *model = traffic->model;
    const rs_timed *items = model->report->trace->items;
    traffic->load.n_streams = 0;
    for (int32_t s = 0; s < model->n_steps; s++) {
        const step_span *span = &traffic->spans[s];
        if (span->flows_to_ps <= at_ps || span->flows_from_ps > at_ps) continue;
        for (int64_t i = model->step_items[s]; i < model->step_items[s + 1]; i++) {
            if (items[i].end_ps <= at_ps || !has_bytes(model, &items[i].transfer)) continue;
            if (rs_together_from(traffic->together, &items[i]) > at_ps) continue;
            if (!take_message(traffic, &items[i])) return false;
        }
    }
    const size_t n = (size_t)traffic->load.n_streams;
    if (n > 0) qsort(traffic->messages, n, sizeof *traffic->messages, by_sender);
    return true;
}

/* Gives each stream its rate and its wires, and each wire what it carries. */
static bool fill_in(rv_traffic *traffic) {
    rv_load *load = &traffic->load;
    rs_error ignored;
    if (rs_share_out(traffic->together, traffic->messages, load->n_streams, &ignored,
                     traffic->rates) != RS_OK) {
        return false;
    }
    load->n_wires = 0;
    for (int32_t i = 0; i < load->n_streams; i++) {
        const rs_transfer *t = &traffic->messages[i]->transfer;
        rs_route route;
        if (rs_together_way(traffic->together, t, &ignored, &route) != RS_OK) return false;
        if (!rs_reserve(traffic->arena, &load->wires, load->n_wires + route.n_wires,
                        &traffic->wires_room)) {
            return false;
        }
        load->streams[i] =
            (rv_stream){t->src, t->dst, traffic->rates[i], load->n_wires, route.n_wires};
        for (int32_t k = 0; k < route.n_wires; k++) {
            load->wires[load->n_wires++] = route.wires[k];
            load->used_Bps[route.wires[k]] += traffic->rates[i];
            load->first[route.wires[k] + 1]++;
        }
    }
    return true;
}

/* Sorts the streams by wire: counting sort, so each wire has them in ascending order. */
static bool list_users(rv_traffic *traffic) {
    rv_load *load = &traffic->load;
    const int32_t n = traffic->n_machine_wires;
    if (!rs_reserve(traffic->arena, &load->users, load->n_wires, &traffic->users_room))
        return false;
    for (int32_t w = 0; w < n; w++) load->first[w + 1] += load->first[w];
    assert(load->first[n] == load->n_wires);
    for (int32_t i = load->n_streams; i-- > 0;) {
        const rv_stream *stream = &load->streams[i];
        for (int32_t k = stream->n; k-- > 0;) {
            const int32_t wire = load->wires[stream->first + k];
            load->users[--load->first[wire + 1]] = i;
        }
    }
    for (int32_t w = 0; w < n; w++) load->first[w] = load->first[w + 1];
    load->first[n] = load->n_wires;
    return true;
}

static void take_whole_run(rv_traffic *traffic) {
    const rs_outcome *outcome = &traffic->model->report->outcome;
    rv_load *load = &traffic->load;
    load->n_streams = load->n_wires = 0;
    for (int32_t w = 0; w < traffic->n_machine_wires; w++) {
        const product bytes = (uint64_t)outcome->wires[w].n_bytes;
        if (outcome->makespan_ps <= 0) continue;
        load->used_Bps[w] = (uint64_t)(bytes * 1000000000000U / (uint64_t)outcome->makespan_ps);
    }
}

/* Returns when the most messages of a step flow, the first such moment: sweeps over their beginnings and ends. */
static int64_t fullest_moment(const rv_traffic *traffic, int32_t step) {
    const rv_model *model = traffic->model;
    const int64_t first = model->step_items[step], end = model->step_items[step + 1];
    const rs_timed *items = model->report->trace->items;
    int64_t *from = malloc((size_t)(end - first) * 2 * sizeof *from), n = 0;
    if (from == NULL) return traffic->spans[step].flows_from_ps;
    int64_t *to = from + (end - first);
    for (int64_t i = first; i < end; i++) {
        if (!has_bytes(model, &items[i].transfer)) continue;
        from[n] = rs_together_from(traffic->together, &items[i]);
        to[n++] = items[i].end_ps;
    }
    qsort(from, (size_t)n, sizeof *from, rs_by_int64);
    qsort(to, (size_t)n, sizeof *to, rs_by_int64);
    int64_t best_ps = from[0], most = 0;
    for (int64_t i = 0, over = 0; i < n; i++) {
        while (to[over] <= from[i]) over++;
        if (i + 1 - over <= most) continue;
        most = i + 1 - over;
        best_ps = from[i];
    }
    free(from);
    return best_ps;
}

/* Moves a time to where bytes of the step flow. */
static int64_t move_in(rv_traffic *traffic, int32_t step, int64_t now_ps) {
    step_span *span = &traffic->spans[step];
    if (span->flows_to_ps < 0) return now_ps;
    if (now_ps < span->flows_from_ps) return span->flows_from_ps;
    if (now_ps < span->flows_to_ps) return now_ps;
    if (span->fullest_ps < 0) span->fullest_ps = fullest_moment(traffic, step);
    return span->fullest_ps;
}

const rv_load *rv_traffic_at(rv_traffic *traffic, int32_t step, int64_t now_ps) {
    rv_load *load = &traffic->load;
    const bool whole = step < 0 || step >= traffic->model->n_steps;
    const int64_t at_ps = whole ? -1 : move_in(traffic, step, now_ps);
    if (traffic->shown_ps == at_ps) return load;
    const size_t n = (size_t)traffic->n_machine_wires;
    memset(load->used_Bps, 0, n * sizeof *load->used_Bps);
    memset(load->first, 0, (n + 1) * sizeof *load->first);
    traffic->shown_ps = -2;
    load->whole = whole;
    load->time_ps = at_ps;
    if (whole) {
        take_whole_run(traffic);
    } else if (!collect(traffic, at_ps) || !fill_in(traffic) || !list_users(traffic)) {
        return NULL;
    }
    traffic->shown_ps = at_ps;
    return load;
}

const rv_pace *rv_traffic_pace(rv_traffic *traffic) {
    if (traffic->pace == NULL) {
        traffic->pace = rv_pace_new(traffic->model, traffic->together, traffic->arena);
    }
    return traffic->pace;
}

/* ------------------------------------------------------------------------------------------ shares */

uint64_t rv_traffic_capacity(const rv_traffic *traffic, int32_t wire) {
    return rs_together_capacity(traffic->together, wire);
}

int64_t rv_load_permille(const rv_traffic *traffic, const rv_load *load, int32_t wire) {
    return rv_permille((int64_t)load->used_Bps[wire], (int64_t)rv_traffic_capacity(traffic, wire));
}

int32_t rv_traffic_bottleneck(const rv_traffic *traffic, int64_t *permille) {
    const rs_report *report = traffic->model->report;
    double share = 0;
    const int32_t wire = rs_busiest_wire(&report->request.job, report->outcome.wires,
                                         report->outcome.makespan_ps, &share);
    *permille = (int64_t)(share * 1000 + 0.5);
    return wire;
}

int64_t rv_traffic_share(const rv_traffic *traffic, int32_t wire) {
    const rs_outcome *outcome = &traffic->model->report->outcome;
    if (outcome->makespan_ps <= 0) return 0;
    const product bytes = (uint64_t)outcome->wires[wire].n_bytes;
    const uint64_t rate = (uint64_t)(bytes * 1000000000000U / (uint64_t)outcome->makespan_ps);
    return rv_permille((int64_t)rate, (int64_t)rv_traffic_capacity(traffic, wire));
}

int32_t rv_busiest_wires(const rv_traffic *traffic, const rv_load *load, int32_t most,
                         int32_t wires[]) {
    int32_t n = 0;
    for (int32_t w = 0; w < traffic->n_machine_wires; w++) {
        const int64_t own = rv_load_permille(traffic, load, w);
        if (own == 0) continue;
        int32_t at = n;
        for (; at > 0; at--) {
            const int64_t other = rv_load_permille(traffic, load, wires[at - 1]);
            if (other > own || (other == own && rv_traffic_share(traffic, wires[at - 1]) >=
                                                    rv_traffic_share(traffic, w)))
                break;
        }
        if (at == most) continue;
        if (n < most) n++;
        for (int32_t i = n - 1; i > at; i--) wires[i] = wires[i - 1];
        wires[at] = w;
    }
    return n;
}
