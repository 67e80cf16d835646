/* All engines, transfer for transfer: the wavefront gives what the event queue gives wherever it
 * applies, and flows on a machine whose wires nobody shares give it too, with different links, all faults, and deaths. Cases are drawn from seeds. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/own.h"
#include "support/random_job.h"

static void assert_same_trace(const rs_trace *a, const rs_trace *b, const char *name) {
    cr_assert_eq(a->n_items, b->n_items, "%s: items", name);
    for (int64_t i = 0; i < a->n_items; i++) {
        const rs_timed *x = &a->items[i], *y = &b->items[i];
        const rs_transfer *p = &x->transfer, *q = &y->transfer;
        cr_assert(x->step == y->step && p->src == q->src && p->dst == q->dst &&
                      p->chunk == q->chunk && p->n_chunks == q->n_chunks && p->order == q->order &&
                      p->effect == q->effect && p->channel == q->channel,
                  "%s: transfer %lld", name, (long long)i);
        cr_assert(x->start_ps == y->start_ps && x->end_ps == y->end_ps && x->done_ps == y->done_ps,
                  "%s: step %d, %d -> %d: start %lld %lld, end %lld %lld, done %lld %lld", name,
                  (int)x->step, (int)p->src, (int)p->dst, (long long)x->start_ps,
                  (long long)y->start_ps, (long long)x->end_ps, (long long)y->end_ps,
                  (long long)x->done_ps, (long long)y->done_ps);
    }
}

static void simulate(const random_job *d, rs_engine engine, rs_arena *arena, rs_trace **trace,
                     rs_outcome *outcome) {
    rs_error error = {.text = ""};
    rs_sink sink;
    if (trace != NULL) {
        cr_assert_eq(rs_trace_new(d->schedule.n_transfers, arena, &error, trace), RS_OK);
        sink = rs_trace_sink(*trace);
    }
    const rs_status status =
        rs_simulate(&d->job, engine, trace == NULL ? NULL : &sink, arena, &error, outcome);
    cr_assert_eq(status, RS_OK, "%s: %s", d->name, error.text);
    cr_assert_eq(outcome->engine, engine, "%s", d->name);
}

static bool in_list_order(const rs_trace *trace) {
    for (int64_t i = 1; i < trace->n_items; i++) {
        const rs_timed *a = &trace->items[i - 1], *b = &trace->items[i];
        if (a->step > b->step) return false;
        if (a->step == b->step && a->transfer.order >= b->transfer.order) return false;
    }
    return true;
}

static void assert_flows_agree(const random_job *d, const rs_trace *queued,
                               const rs_outcome *events, rs_arena *arena) {
    random_job on_wires = *d;
    rs_machine machine;
    rs_trace *flowed;
    rs_outcome flows;
    draw_private_machine(&d->job, arena, &machine);
    on_wires.job.net.machine = &machine;
    on_wires.job.schedule = &on_wires.schedule;
    simulate(&on_wires, RS_ENGINE_FLOWS, arena, &flowed, &flows);
    rs_trace_sort(flowed);
    assert_same_trace(queued, flowed, d->name);
    assert_same_outcome(events, &flows, d->schedule.n_ranks, d->name);
}

/* Runs the job on all engines; returns whether it stalled. */
static bool assert_engines_agree(const random_job *d) {
    OWN_ARENA arena = {0};
    rs_outcome events, wavefront, unwatched;
    rs_trace *queued, *swept;
    cr_assert(rs_wavefront_applies(&d->job), "%s", d->name);
    simulate(d, RS_ENGINE_EVENTS, &arena, &queued, &events);
    simulate(d, RS_ENGINE_WAVEFRONT, &arena, &swept, &wavefront);
    simulate(d, RS_ENGINE_WAVEFRONT, &arena, NULL, &unwatched);
    cr_assert(in_list_order(swept), "%s: the sink's order", d->name);
    rs_trace_sort(queued);
    assert_same_trace(queued, swept, d->name);
    assert_same_outcome(&events, &wavefront, d->schedule.n_ranks, d->name);
    assert_same_outcome(&events, &unwatched, d->schedule.n_ranks, d->name);
    if (d->job.net.protocol == RS_RENDEZVOUS) assert_flows_agree(d, queued, &events, &arena);
    const bool completed = events.completed;
    return !completed;
}

static void compare_engines(const char *algorithm, rs_protocol protocol) {
    int n_stalled = 0;
    for (int32_t n = 1; n <= 33; n++) {
        const int64_t counts[] = {1, n - 1, n, n + 1, 1000};
        for (int i = 0; i < 5; i++) {
            for (int round = 0; round < 4; round++) {
                random_job d;
                draw(&d, algorithm, n, counts[i], protocol, round >= 2,
                     (uint64_t)(((n * 5 + i) * 4 + round) * 2 + (int)protocol));
                n_stalled += assert_engines_agree(&d);
                free(d.links);
            }
        }
    }
    cr_assert_gt(n_stalled, 50, "the cases hold too few deaths to say much");
}

Test(engines, give_every_transfer_of_a_ring_the_same_times) {
    compare_engines("ring", RS_RENDEZVOUS);
}

Test(engines, give_every_transfer_of_an_eager_ring_the_same_times) {
    compare_engines("ring", RS_EAGER);
}

Test(engines, give_every_transfer_of_naive_the_same_times) {
    compare_engines("naive", RS_RENDEZVOUS);
}

Test(engines, give_every_transfer_of_a_tree_the_same_times) {
    compare_engines("tree", RS_RENDEZVOUS);
}

Test(engines, give_every_transfer_of_doubling_the_same_times) {
    compare_engines("doubling", RS_RENDEZVOUS);
}

Test(engines, give_every_transfer_of_halving_the_same_times) {
    compare_engines("halving", RS_RENDEZVOUS);
}

static void compare_on_lists(rs_protocol protocol) {
    int n_stalled = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        random_job d;
        OWN_ARENA arena = {0};
        draw_list(&d, protocol, &arena, seed);
        n_stalled += assert_engines_agree(&d);
        free(d.links);
    }
    cr_assert_gt(n_stalled, 100);
}

Test(engines, give_every_transfer_of_a_list_the_same_times) {
    compare_on_lists(RS_RENDEZVOUS);
}

/* Neighbours are fixed, but not everybody sends in every step, nor messages of one size. */
Test(engines, give_every_transfer_of_an_eager_list_the_same_times) {
    compare_on_lists(RS_EAGER);
}

Test(engines, the_wavefront_does_not_apply_where_messages_may_share_a_port) {
    random_job d;
    draw(&d, "tree", 8, 100, RS_EAGER, false, 1);
    cr_assert_not(rs_wavefront_applies(&d.job));
    free(d.links);
    draw(&d, "ring", 4, 4, RS_RENDEZVOUS, false, 1);
    const int64_t step_first[] = {0, 2};
    const rs_transfer list[] = {{.src = 0, .dst = 1, .n_chunks = 1},
                                {.src = 2, .dst = 1, .n_chunks = 1}};
    OWN_ARENA arena = {0};
    rs_error error;
    cr_assert_eq(rs_schedule_from_list(4, 4, 1, step_first, list, &arena, &error, &d.schedule),
                 RS_OK);
    cr_assert_not(rs_wavefront_applies(&d.job));
    free(d.links);
}
