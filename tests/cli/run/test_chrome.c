/* test_chrome.c: the Chrome trace, read back with cJSON. */
#include "config.h"
#include "printed_run.h"
#include "support/random_job.h"

#ifndef HAVE_CJSON
Test(chrome, is_left_out_of_this_build) {
    cr_skip("built without cJSON");
}
#else

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void trace_of(printed *p) {
    FILE *out = open_memstream(&p->text, &p->n_bytes);
    rc_chrome_trace(&p->report, out);
    fclose(out);
    parse(p);
}

static int count_events(const printed *p, const char *phase, int tid) {
    int n = 0;
    for (const cJSON *e = at(p->json, "traceEvents")->child; e != NULL; e = e->next) {
        n += strcmp(at(e, "ph")->valuestring, phase) == 0 && at(e, "tid")->valueint == tid;
    }
    return n;
}

Test(chrome, every_transfer_is_a_send_a_receive_and_an_arrow) {
    printed p;
    run(&p, "ring", 5, 5, NULL);
    trace_of(&p);
    cr_expect_eq(count_events(&p, "X", 0), 40);
    cr_expect_eq(count_events(&p, "X", 1), 40);
    cr_expect_eq(count_events(&p, "X", 2), 0, "additions cost nothing here");
    cr_expect_eq(count_events(&p, "s", 0), 40);
    cr_expect_eq(count_events(&p, "f", 1), 40);
    cr_expect(strstr(p.text, "\"name\":\"GPU 4\"") != NULL);
    cr_expect(strstr(p.text, "\"ts\":5.000200,\"dur\":5.000200") != NULL, "picoseconds are kept");
    for (const cJSON *e = at(p.json, "traceEvents")->child; e != NULL; e = e->next) {
        if (strcmp(at(e, "ph")->valuestring, "X") != 0) continue;
        expect_keys(at(e, "args"),
                    (const char *const[]){"step", "chunk", "peer", "bytes", "effect", NULL});
        cr_expect_eq(integer(at(e, "args"), "bytes"), 4);
    }
    done(&p);
}

static void eager_and_adding(rs_request *request) {
    request->job.net.protocol = RS_EAGER;
    request->job.net.reduce_Bps = 1000000000;
}

Test(chrome, slices_of_one_port_never_overlap_under_eager) {
    printed p;
    run(&p, "ring", 6, 100000, eager_and_adding);
    trace_of(&p);
    cr_expect_eq(count_events(&p, "X", 2), 30, "the additions show");
    double end[6][2] = {{0}};
    for (const cJSON *e = at(p.json, "traceEvents")->child; e != NULL; e = e->next) {
        const int tid = at(e, "tid")->valueint;
        if (strcmp(at(e, "ph")->valuestring, "X") != 0 || tid > 1) continue;
        double *before = &end[at(e, "pid")->valueint][tid];
        const double ts = at(e, "ts")->valuedouble;
        cr_expect_geq(ts, *before - 1e-6);
        *before = ts + at(e, "dur")->valuedouble;
    }
    done(&p);
}

/* ------------------------------------------------------------------ any run */

enum { SENDS, RECEIVES, ADDS, MOST_RANKS = 12 };

/* Returns the k-th event of a phase, in a thread of its rank; NULL: there are not so many. */
static const cJSON *event(const cJSON *from, const char *phase, int tid) {
    const cJSON *e = from;
    while (e != NULL &&
           (strcmp(at(e, "ph")->valuestring, phase) != 0 || integer(e, "tid") != tid)) {
        e = e->next;
    }
    return e;
}

/* Returns a time of an event in ps. */
static int64_t ps(const cJSON *e, const char *key) {
    return (int64_t)(at(e, key)->valuedouble * 1e6 + 0.5);
}

static void expect_slice(const cJSON *e, const rs_timed *timed, int tid, const char *name) {
    const rs_transfer *t = &timed->transfer;
    const cJSON *args = at(e, "args");
    cr_expect_eq(integer(e, "pid"), tid == SENDS ? t->src : t->dst, "%s", name);
    cr_expect_eq(integer(args, "peer"), tid == SENDS ? t->dst : t->src, "%s", name);
    cr_expect_eq(integer(args, "step"), timed->step, "%s", name);
    cr_expect_eq(integer(args, "chunk"), t->chunk, "%s", name);
    cr_expect_eq(integer(args, "chunks"), t->n_chunks, "%s", name);
    cr_expect_str_eq(at(args, "effect")->valuestring, t->effect == RS_REDUCE ? "reduce" : "copy");
    cr_expect(strstr(at(e, "name")->valuestring, "chunk") != NULL);
}

/* For how long a message keeps its ports under eager, in ps: b/B of its own link, slowed by its sender's faults. */
static double wire_ps(const rs_job *job, const rs_transfer *t) {
    const rs_net *net = &job->net;
    double Bps = (double)net->link.bandwidth_Bps;
    for (int32_t i = 0; i < net->n_overrides; i++) {
        const rs_link_override *own = &net->overrides[i];
        if (own->src == t->src && own->dst == t->dst) Bps = (double)own->link.bandwidth_Bps;
    }
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind != RS_SLOW_LINK || fault->rank != t->src) continue;
        Bps *= (double)fault->factor_den / (double)fault->factor_num;
    }
    const int64_t count = rs_transfer_count(job->schedule, job->count, t);
    return (double)(count * job->elem_bytes) * 1e12 / Bps;
}

/* Checks one transfer's slices and arrow, which come one after the other; returns the event behind them. */
static const cJSON *expect_transfer(const cJSON *e, const printed *p, const rs_timed *timed,
                                    int64_t bytes[][2], const char *name) {
    const bool eager = p->report.request.job.net.protocol == RS_EAGER;
    const int64_t way_ps = timed->end_ps - timed->start_ps;
    const cJSON *sent = event(e, "X", SENDS), *from = event(e, "s", SENDS);
    const cJSON *received = event(e, "X", RECEIVES), *to = event(e, "f", RECEIVES);
    cr_assert(sent != NULL && from != NULL && received != NULL && to != NULL, "%s", name);
    expect_slice(sent, timed, SENDS, name);
    expect_slice(received, timed, RECEIVES, name);
    cr_expect_eq(ps(sent, "ts"), timed->start_ps, "%s", name);
    cr_expect_eq(ps(received, "ts") + ps(received, "dur"), timed->end_ps, "%s", name);
    cr_expect_eq(ps(sent, "dur"), ps(received, "dur"), "%s", name);
    const double wire = wire_ps(&p->report.request.job, &timed->transfer);
    const double busy = eager && wire < (double)way_ps ? wire : (double)way_ps;
    cr_expect_lt(fabs((double)ps(sent, "dur") - busy), 1 + 1e-9 * busy, "%s", name);
    /* the arrow begins and ends inside the slices that it joins */
    cr_expect_eq(integer(from, "id"), integer(to, "id"), "%s", name);
    cr_expect_eq(integer(from, "pid"), timed->transfer.src, "%s", name);
    cr_expect_eq(integer(to, "pid"), timed->transfer.dst, "%s", name);
    cr_expect_eq(ps(from, "ts"), timed->start_ps, "%s", name);
    const int64_t arrived_ps = ps(to, "ts"), begun_ps = ps(received, "ts");
    cr_expect(arrived_ps >= begun_ps && arrived_ps <= timed->end_ps, "%s", name);
    cr_expect(ps(received, "dur") == 0 || arrived_ps < timed->end_ps, "%s", name);
    bytes[timed->transfer.src][SENDS] += integer(at(sent, "args"), "bytes");
    bytes[timed->transfer.dst][RECEIVES] += integer(at(received, "args"), "bytes");
    const cJSON *last = to;
    if (timed->done_ps > timed->end_ps) {
        last = event(e, "X", ADDS);
        cr_assert(last != NULL && last == to->next, "%s", name);
        expect_slice(last, timed, ADDS, name);
        cr_expect_eq(ps(last, "ts"), timed->end_ps, "%s", name);
        cr_expect_eq(ps(last, "ts") + ps(last, "dur"), timed->done_ps, "%s", name);
    }
    return last->next;
}

/* Runs a drawn job; the trace has its transfers and nothing else, and all bytes that were sent. */
static void expect_whole(const char *algorithm, rs_protocol protocol, uint64_t seed) {
    random_job d;
    printed p = {.n_bytes = 0};
    uint64_t state = seed;
    const int32_t n = 1 + (int32_t)draw_below(&state, MOST_RANKS);
    draw(&d, algorithm, n, 1 + draw_below(&state, 100000), protocol, true, seed);
    d.job.elem_bytes = 4;
    rs_arena_init(&p.arena, NULL);
    const rs_request request = {
        .job = d.job, .dtype = RS_I32, .values = RS_VALUES_NONE, .trace_limit = INT64_MAX};
    cr_assert_eq(rs_run(&request, &p.arena, &p.error, &p.report), RS_OK, "%s", p.error.text);
    trace_of(&p);
    int64_t bytes[MOST_RANKS][2] = {{0}};
    const cJSON *e = at(p.json, "traceEvents")->child;
    while (e != NULL && strcmp(at(e, "ph")->valuestring, "M") == 0) e = e->next;
    for (int64_t i = 0; i < p.report.trace->n_items; i++) {
        e = expect_transfer(e, &p, &p.report.trace->items[i], bytes, d.name);
    }
    cr_expect(e == NULL, "%s: more than the transfers", d.name);
    int64_t sent = 0, received = 0;
    for (int32_t r = 0; r < n; r++) {
        /* an eager sender does not wait for a receiver that never comes */
        const bool all = protocol == RS_RENDEZVOUS || p.report.outcome.completed;
        const int64_t told = bytes[r][SENDS], counted = p.report.outcome.bytes_sent[r];
        cr_expect(all ? told == counted : told <= counted, "%s: rank %d", d.name, (int)r);
        sent += bytes[r][SENDS];
        received += bytes[r][RECEIVES];
    }
    cr_expect_eq(sent, received, "%s", d.name);
    free(d.links);
    done(&p);
}

Test(chrome, has_every_byte_and_picosecond_of_any_run) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (uint64_t seed = 0; seed < 30; seed++) {
            expect_whole(rs_algorithms[i]->name, (rs_protocol)(seed % 2),
                         1000 * (uint64_t)i + seed);
        }
    }
}

#endif
