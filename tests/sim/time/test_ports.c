/* Ports that are queued for: cases worked out by hand (drawn ones: test_reference.c). */
#include <criterion/criterion.h>

#include "support/sim_jobs.h"

static rs_arena arena;

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}

static void close_arena(void) {
    rs_arena_free(&arena);
}

TestSuite(ports, .init = open_arena, .fini = close_arena);

/* A transfer of one chunk of 1 byte; with 1 TB/s and these latencies it takes alpha + 1 ps. */
static rs_transfer copy(int32_t src, int32_t dst) {
    return (rs_transfer){.src = src, .dst = dst, .n_chunks = 1, .effect = RS_COPY};
}

/* Runs a list; n_bytes wire time in ps, alpha_ps on top. */
static rs_trace *run_list(int32_t n_ranks, const rs_transfer list[], const int32_t step_of[],
                          int64_t n, int64_t n_bytes, int64_t alpha_ps, rs_protocol protocol) {
    static rs_schedule schedule;
    schedule = sim_list(n_ranks, 1, list, step_of, n, &arena);
    rs_job job = sim_job(&schedule, n_bytes);
    job.elem_bytes = 1;
    job.net.link = (rs_link){alpha_ps, 1000000000000};
    job.net.protocol = protocol;
    rs_trace *trace;
    sim_run(&job, &arena, &trace);
    return trace;
}

static void expect_times(const rs_trace *trace, const int64_t starts[], const int64_t ends[]) {
    for (int64_t i = 0; i < trace->n_items; i++) {
        cr_expect_eq(trace->items[i].start_ps, starts[i], "transfer %d starts at %d", (int)i,
                     (int)trace->items[i].start_ps);
        cr_expect_eq(trace->items[i].end_ps, ends[i], "transfer %d ends at %d", (int)i,
                     (int)trace->items[i].end_ps);
    }
}

Test(ports, two_senders_to_one_receiver_go_in_list_order) {
    const rs_transfer list[] = {copy(2, 0), copy(1, 0)};
    const int32_t step_of[] = {0, 0};
    expect_times(run_list(3, list, step_of, 2, 10, 5, RS_RENDEZVOUS), (int64_t[]){0, 15},
                 (int64_t[]){15, 30});
    /* eager: the port is free when the bytes are through; the latencies overlap */
    expect_times(run_list(3, list, step_of, 2, 10, 5, RS_EAGER), (int64_t[]){0, 10},
                 (int64_t[]){15, 25});
}

Test(ports, a_message_to_a_busy_receiver_does_not_hold_back_the_next) {
    /* 0 -> 2 is first; 1 -> 2 cannot start, 1 -> 3 can, and takes the port of 1 till 15 */
    const rs_transfer list[] = {copy(0, 2), copy(1, 2), copy(1, 3)};
    const int32_t step_of[] = {0, 0, 0};
    expect_times(run_list(4, list, step_of, 3, 10, 5, RS_RENDEZVOUS), (int64_t[]){0, 15, 0},
                 (int64_t[]){15, 30, 15});
    expect_times(run_list(4, list, step_of, 3, 10, 5, RS_EAGER), (int64_t[]){0, 10, 0},
                 (int64_t[]){15, 25, 15});
}

Test(ports, what_became_ready_first_goes_first_though_later_in_the_list_of_steps) {
    /* rank 1 reaches its step 1 at 15, when rank 0 has long had 3 -> 0 of step 1 waiting: eager */
    const rs_transfer list[] = {copy(2, 1), copy(1, 0), copy(3, 0)};
    const int32_t step_of[] = {0, 1, 1};
    expect_times(run_list(4, list, step_of, 3, 10, 5, RS_EAGER), (int64_t[]){0, 15, 0},
                 (int64_t[]){15, 30, 15});
}

Test(ports, both_directions_of_a_pair_run_at_once) {
    const rs_transfer list[] = {copy(0, 1), copy(1, 0)};
    const int32_t step_of[] = {0, 0};
    expect_times(run_list(2, list, step_of, 2, 10, 5, RS_RENDEZVOUS), (int64_t[]){0, 0},
                 (int64_t[]){15, 15});
}

Test(ports, all_to_all_in_one_step_is_served_in_list_order) {
    /* sorted by source: 0->1 0->2 1->0 1->2 2->0 2->1. At 0: 0->1 and 1->0 start (0->2: port of 0
       busy; 1->2: of 1; 2->0, 2->1: receivers busy). At 15 all four ports are free: 0->2, then 2->0
       (1->2 needs receiver 2), ... then 1->2 and 2->1. */
    const rs_transfer list[] = {copy(0, 1), copy(0, 2), copy(1, 0),
                                copy(1, 2), copy(2, 0), copy(2, 1)};
    const int32_t step_of[] = {0, 0, 0, 0, 0, 0};
    expect_times(run_list(3, list, step_of, 6, 10, 5, RS_RENDEZVOUS),
                 (int64_t[]){0, 15, 0, 30, 15, 30}, (int64_t[]){15, 30, 15, 45, 30, 45});
    /* rotated, nobody ever waits for a wrong port: N - 1 rounds */
    const rs_transfer rotated[] = {copy(0, 1), copy(1, 2), copy(2, 0),
                                   copy(0, 2), copy(1, 0), copy(2, 1)};
    expect_times(run_list(3, rotated, step_of, 6, 10, 5, RS_RENDEZVOUS),
                 (int64_t[]){0, 0, 0, 15, 15, 15}, (int64_t[]){15, 15, 15, 30, 30, 30});
}

Test(ports, several_messages_between_one_pair_go_one_after_another) {
    const rs_transfer list[] = {copy(0, 1), copy(0, 1), copy(0, 1)};
    const int32_t step_of[] = {0, 0, 0};
    expect_times(run_list(2, list, step_of, 3, 10, 5, RS_RENDEZVOUS), (int64_t[]){0, 15, 30},
                 (int64_t[]){15, 30, 45});
    expect_times(run_list(2, list, step_of, 3, 10, 5, RS_EAGER), (int64_t[]){0, 10, 20},
                 (int64_t[]){15, 25, 35});
}

Test(ports, an_outage_holds_up_the_first_message_of_the_step_only) {
    const rs_transfer list[] = {copy(0, 1), copy(0, 2), copy(0, 1)};
    const int32_t step_of[] = {0, 0, 1};
    const rs_schedule schedule = sim_list(3, 1, list, step_of, 3, &arena);
    const rs_fault down = {.kind = RS_DOWN, .rank = 0, .step = 0, .time_ps = 100};
    rs_job job = sim_job(&schedule, 10);
    job.elem_bytes = 1;
    job.net.link = (rs_link){5, 1000000000000};
    job.faults = &down, job.n_faults = 1;
    rs_trace *trace;
    sim_run(&job, &arena, &trace);
    expect_times(trace, (int64_t[]){0, 115, 130}, (int64_t[]){115, 130, 145});
    job.net.protocol = RS_EAGER;
    sim_run(&job, &arena, &trace);
    expect_times(trace, (int64_t[]){0, 110, 120}, (int64_t[]){115, 125, 135});
}

Test(ports, additions_of_several_messages_do_not_queue) {
    rs_transfer list[] = {copy(1, 0), copy(2, 0)};
    list[0].effect = list[1].effect = RS_REDUCE;
    const int32_t step_of[] = {0, 0};
    const rs_schedule schedule = sim_list(3, 1, list, step_of, 2, &arena);
    rs_job job = sim_job(&schedule, 10);
    job.elem_bytes = 1;
    job.net = (rs_net){.link = {5, 1000000000000}, .reduce_Bps = 100000000000};
    rs_trace *trace;
    const rs_outcome outcome = sim_run(&job, &arena, &trace);
    cr_expect_eq(trace->items[0].done_ps, 115);
    cr_expect_eq(trace->items[1].done_ps, 130);
    cr_expect_eq(outcome.finish_ps[1], 15); /* the sender does not wait for the addition */
    cr_expect_eq(outcome.finish_ps[0], 130);
}

/* Were anything searched that waits, these would take minutes. */
Test(ports, a_hundred_thousand_waiting_messages_are_no_matter) {
    enum { K = 100000 };
    static rs_transfer list[3 * K];
    static int32_t step_of[3 * K];
    for (int i = 0; i < K;
         i++) { /* one receiver busy for two senders, one of which has others too */
        list[i] = copy(1, 0), list[K + i] = copy(2, 0), list[2 * K + i] = copy(2, 3);
    }
    const rs_trace *busy = run_list(4, list, step_of, 3 * K, 1, 0, RS_RENDEZVOUS);
    cr_expect_eq(busy->items[2 * K - 1].end_ps, 2 * K);
    cr_expect_eq(busy->items[3 * K - 1].end_ps, K);
    for (int i = 0; i < K; i++) { /* all of 1 has come before 2 begins, and 0 takes turns with 3 */
        list[3 * i] = copy(3, 0), list[3 * i + 1] = copy(1, 0), list[3 * i + 2] = copy(2, 0);
        step_of[3 * i] = 2 * i, step_of[3 * i + 1] = 2 * i, step_of[3 * i + 2] = 2 * i + 1;
    }
    const rs_schedule schedule = sim_list(4, 1, list, step_of, 3 * K, &arena);
    const rs_fault late[] = {{.kind = RS_LATE, .rank = 3, .time_ps = 10 * K},
                             {.kind = RS_LATE, .rank = 2, .time_ps = 5 * K}};
    rs_job job = sim_job(&schedule, 1);
    job.elem_bytes = 1;
    job.net = (rs_net){.link = {0, 1000000000000}, .protocol = RS_EAGER};
    job.faults = late, job.n_faults = 2;
    const rs_outcome outcome = sim_run(&job, &arena, NULL);
    cr_expect(outcome.completed);
    cr_expect_eq(outcome.makespan_ps, 11 * K);
}

/* A message without bytes holds no port under eager: those behind it start as if it were not there. */
Test(ports, an_empty_message_occupies_no_port_under_eager) {
    /* chunk 0 has the array's only byte-run, chunk 1 none */
    const rs_transfer full = {.src = 0, .dst = 1, .n_chunks = 1, .effect = RS_COPY};
    for (int n_empty = 0; n_empty <= 3; n_empty++) {
        rs_transfer list[5];
        int32_t step_of[5] = {0};
        for (int i = 0; i < n_empty; i++) {
            list[i] = full;
            list[i].chunk = 1;
            list[i].dst = 2;
        }
        list[n_empty] = full;
        list[n_empty + 1] = full;
        list[n_empty + 1].dst = 2;
        const rs_schedule schedule = sim_list(3, 2, list, step_of, n_empty + 2, &arena);
        rs_job job = sim_job(&schedule, 1);
        job.elem_bytes = 10;
        job.net.link = (rs_link){5, 1000000000000};
        job.net.protocol = RS_EAGER;
        rs_trace *trace;
        sim_run(&job, &arena, &trace);
        for (int i = 0; i < n_empty; i++) cr_expect_eq(trace->items[i].start_ps, 0);
        cr_expect_eq(trace->items[n_empty].start_ps, 0, "behind %d", n_empty);
        cr_expect_eq(trace->items[n_empty + 1].start_ps, 10, "behind %d", n_empty);
    }
}
