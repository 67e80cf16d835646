/* Recorded runs: .trace text, print and parse, and what a report made from one says. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim.h"
#include "support/printed.h"
#include "support/random_job.h"

static rs_arena arena;
static rs_error error;
static rs_recording *runs;
static int32_t n_runs;

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(trace, .init = open_arena, .fini = close_arena);

static rs_status parse(const char *text) {
    return rs_parse_trace(text, strlen(text), &arena, &error, &runs, &n_runs);
}

static rs_report run(const rs_schedule *schedule, int64_t count, const rs_fault *faults,
                     int32_t n_faults) {
    rs_report report;
    const rs_request request = {.job = {.schedule = schedule,
                                        .count = count,
                                        .elem_bytes = 4,
                                        .net = {.link = {5000000, 20000000000}},
                                        .faults = faults,
                                        .n_faults = n_faults},
                                .dtype = RS_I32,
                                .trace_limit = INT64_MAX};
    cr_assert_eq(rs_run(&request, &arena, &error, &report), RS_OK, "%s", error.text);
    return report;
}

/* Prints, parses and prints again: the same bytes. Returns the run that was read. */
static const rs_recording *round_trip(const rs_report *report) {
    rs_recording made;
    page first = {0}, second = {0};
    cr_assert_eq(rs_recording_of(report, "a test", &arena, &error, &made), RS_OK, "%s", error.text);
    rs_print_trace(&made, 1, keep, &first);
    cr_assert_eq(parse(first.text), RS_OK, "%s\n%s", error.text, first.text);
    rs_print_trace(runs, n_runs, keep, &second);
    cr_assert_str_eq(first.text, second.text);
    free(first.text);
    free(second.text);
    return &runs[0];
}

static void same_outcome(const rs_report *a, const rs_report *b) {
    const rs_outcome *x = &a->outcome, *y = &b->outcome;
    cr_assert_eq(x->completed, y->completed);
    cr_assert_eq(x->makespan_ps, y->makespan_ps);
    cr_assert_eq(x->n_transfers, y->n_transfers);
    cr_assert_eq(x->n_stalled, y->n_stalled);
    cr_assert_eq(x->n_killed, y->n_killed);
    for (int32_t r = 0; r < a->request.job.schedule->n_ranks; r++) {
        cr_assert_eq(x->bytes_sent[r], y->bytes_sent[r]);
        cr_assert_eq(x->entered[r], y->entered[r]);
    }
    cr_assert_eq(a->trace->n_items, b->trace->n_items);
    for (int64_t i = 0; i < a->trace->n_items; i++) {
        const rs_timed *t = &a->trace->items[i], *u = &b->trace->items[i];
        cr_assert(t->step == u->step && t->start_ps == u->start_ps && t->end_ps == u->end_ps &&
                  t->done_ps == u->done_ps && t->transfer.src == u->transfer.src &&
                  t->transfer.order == u->transfer.order);
    }
}

Test(trace, every_algorithm_comes_back_from_its_record_with_its_name_and_outcome) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        if (rs_algorithms[i]->in_switch) continue; /* its messages are two-shot's */
        for (int32_t n = 1; n <= 17; n++) {
            for (rs_order order = RS_ORDER_SEED; order <= RS_ORDER_NCCL; order++) {
                rs_schedule schedule;
                rs_schedule_make(rs_algorithms[i], order, n, 1000, &error, &schedule);
                const rs_report report = run(&schedule, 1000, NULL, 0);
                const rs_recording *read = round_trip(&report);
                rs_report again;
                cr_assert_eq(rs_recording_report(read, &arena, &error, &again), RS_OK);
                same_outcome(&report, &again);
                cr_expect(again.judged && again.verdict.sound && !again.computed);
                cr_expect_eq(again.has_rates, report.has_rates);
                if (n < 3) continue; /* for two, several algorithms are the same */
                /* Nodes of one GPU, or one node: the ring in NCCL's order. */
                const bool plain = schedule.gpus_per_node > 0 && schedule.fixed_neighbours;
                cr_expect_str_eq(read->schedule.name, plain ? "ring" : schedule.name);
                cr_expect_eq(read->schedule.gpus_per_node, plain ? 0 : schedule.gpus_per_node);
                if (strcmp(schedule.name, "ring") != 0) continue; /* only the ring has orders */
                cr_expect_eq(read->schedule.order, schedule.order);
            }
        }
    }
}

/* A straggler waits before steps in which it has nothing to do, the last ones too; a rank may come after all is over. */
Test(trace, a_run_with_any_faults_and_its_record_tell_one_time) {
    static const rs_collective of[] = {RS_COLL_ALL_REDUCE, RS_COLL_BROADCAST, RS_COLL_ALL_TO_ALL};
    int n_later = 0;
    for (uint64_t seed = 0; seed < 900; seed++) {
        random_job d;
        rs_machine machine;
        rs_report again, report;
        const rs_algorithm *const *all = rs_algorithms_of(of[seed % 3]);
        size_t n_all = 0;
        while (all[n_all] != NULL) n_all++;
        const int32_t n = 2 + (int32_t)(seed % 7);
        draw(&d, "ring", n, 840, seed % 5 == 0 ? RS_EAGER : RS_RENDEZVOUS, seed % 4 == 0, seed);
        const rs_spec spec = {.n_ranks = n, .n_channels = (int32_t)(seed % 4)};
        if (rs_schedule_from_spec(all[seed / 3 % n_all], &spec, 841, NULL, &d.schedule) != RS_OK) {
            free(d.links);
            continue;
        }
        for (int32_t i = 0; i < d.job.n_faults; i++) d.faults[i].step %= d.schedule.n_steps;
        if (seed % 5 == 1) draw_private_machine(&d.job, &arena, &machine);
        if (seed % 5 == 1)
            d.job.net = (rs_net){.machine = &machine, .reduce_Bps = d.job.net.reduce_Bps};
        d.job.elem_bytes = 4;
        d.job.count = d.schedule.collective == RS_COLL_ALL_TO_ALL ? n * n * 841 : 841;
        const rs_request request = {
            .job = d.job, .dtype = RS_I32, .values = RS_VALUES_NONE, .trace_limit = INT64_MAX};
        if (rs_run(&request, &arena, &error, &report) != RS_OK) { /* no such link to be down */
            free(d.links);
            continue;
        }
        const rs_recording *read = round_trip(&report);
        cr_assert_eq(rs_recording_report(read, &arena, &error, &again), RS_OK, "%s", d.name);
        cr_expect_eq(again.outcome.makespan_ps, report.outcome.makespan_ps, "%s", d.name);
        cr_expect(again.has_rates == report.has_rates && again.busbw_GBps == report.busbw_GBps,
                  "%s", d.name);
        const bool whole = report.outcome.completed;
        for (int32_t r = 0; r < n && whole; r++) {
            cr_expect_eq(again.outcome.bytes_sent[r], report.outcome.bytes_sent[r], "%s", d.name);
        }
        n_later += read->makespan_ps > 0;
        free(d.links);
    }
    cr_expect_gt(n_later, 20, "%d", n_later);
}

Test(trace, a_run_that_stalls_comes_back_with_who_waits_for_whom) {
    for (int32_t n = 2; n <= 9; n++) {
        for (int32_t step = 0; step < 2 * n - 2; step++) {
            rs_schedule schedule;
            const rs_fault fault = {.kind = RS_KILL, .rank = n / 2, .step = step};
            rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, n, 99,
                             &error, &schedule);
            const rs_report report = run(&schedule, 99, &fault, 1);
            cr_assert_not(report.outcome.completed);
            rs_report again;
            cr_assert_eq(rs_recording_report(round_trip(&report), &arena, &error, &again), RS_OK);
            same_outcome(&report, &again);
        }
    }
}

Test(trace, a_schedule_from_a_file_keeps_its_order_channels_and_empty_steps) {
    const char *text =
        "ringsim-trace 1\nmeasured a stopwatch\nranks 3\nrun\ntype f32 max\ncount 10\n"
        "chunks 4\n"
        "# step src dst chunk effect channel start_ps end_ps done_ps\n"
        "0 -\n1 2 0 1..3 copy 7 5 6 6\n1 0 1 0 reduce 0 0 10 12\n2 -\n";
    page printed = {0};
    cr_assert_eq(parse(text), RS_OK, "%s", error.text);
    cr_expect_eq(n_runs, 1);
    cr_expect(runs[0].measured);
    cr_expect_str_eq(runs[0].by, "a stopwatch");
    cr_expect(runs[0].dtype == RS_F32 && runs[0].op == RS_MAX && runs[0].count == 10);
    cr_expect(runs[0].schedule.n_steps == 3 && runs[0].schedule.n_transfers == 2);
    cr_expect_str_eq(runs[0].schedule.name, "file");
    rs_print_trace(runs, n_runs, keep, &printed);
    cr_expect_str_eq(printed.text, text);
    free(printed.text);
}

Test(trace, several_runs_may_stand_in_one_file) {
    cr_assert_eq(parse("ringsim-trace 1\nsimulated\nranks 2\n"
                       "run\ntype i8 sum\ncount 2\nchunks 1\n0 0 1 0 reduce 0 0 1 1\n"
                       "run\ncount 4\nchunks 1\ntype f64 avg\n"
                       "run\ntype i8 sum\ncount 9\nchunks 9\n0 1 0 8 copy 0 3 3 3\n"),
                 RS_OK, "%s", error.text);
    cr_expect_eq(n_runs, 3);
    cr_expect(runs[0].count == 2 && runs[0].trace.n_items == 1);
    cr_expect(runs[1].count == 4 && runs[1].trace.n_items == 0 && runs[1].dtype == RS_F64);
    cr_expect(runs[2].count == 9 && runs[2].trace.items[0].transfer.chunk == 8);
}

/* What a double holds exactly: 2^53 itself, and nothing beyond it. */
Test(trace, times_end_at_two_to_the_53_which_is_one_of_them) {
    const int64_t last_ps = (int64_t)1 << 53;
    for (int64_t ps = last_ps - 2; ps <= last_ps + 2; ps++) {
        char text[300];
        snprintf(text, sizeof text,
                 "ringsim-trace 1\nsimulated\nranks 2\nrun\ntype i8 sum\ncount 2\nchunks 1\n"
                 "0 0 1 0 reduce 0 %lld %lld %lld\n",
                 (long long)ps, (long long)ps, (long long)ps);
        cr_expect_eq(parse(text), ps <= last_ps ? RS_OK : RS_BAD_INPUT, "%lld", (long long)ps);
        if (ps > last_ps) continue;
        const rs_timed *only = &runs[0].trace.items[0];
        cr_expect(only->start_ps == ps && only->end_ps == ps && only->done_ps == ps);
    }
}

Test(trace, the_origin_survives_whatever_it_holds) {
    rs_schedule schedule;
    rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, 2, 8, &error,
                     &schedule);
    const rs_report report = run(&schedule, 8, NULL, 0);
    rs_recording made;
    page printed = {0};
    cr_assert_eq(rs_recording_of(&report, " a # b\nc\t", &arena, &error, &made), RS_OK);
    rs_print_trace(&made, 1, keep, &printed);
    cr_assert_eq(parse(printed.text), RS_OK, "%s", error.text);
    cr_expect_str_eq(runs[0].by, "a   b c");
    free(printed.text);
}

#define HEAD "ringsim-trace 1\nsimulated x\nranks 3\n"
#define RUN HEAD "run\ntype i32 sum\ncount 9\nchunks 3\n"

Test(trace, every_error_names_line_and_column) {
    const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1, column 1: 'ringsim-trace 1' is missing"},
        {"ringsim-schedule 1\n",
         "line 1, column 1: expected 'ringsim-trace 1' as the first statement"},
        {"ringsim-trace 2\n", "line 1, column 15: the format's version must lie in 1..1"},
        {HEAD, "line 4, column 1: there is no 'run'"},
        {"ringsim-trace 1\nranks 3\nrun\n",
         "line 3, column 1: 'measured' or 'simulated' must come before 'run'"},
        {"ringsim-trace 1\nmeasured\nrun\n", "line 3, column 1: 'ranks N' must come before 'run'"},
        {HEAD "ranks 4\n", "line 4, column 1: this is said twice"},
        {HEAD "measured\n", "line 4, column 1: the origin is said twice"},
        {HEAD "0 0 1 0 copy 0 1 2 3\n", "line 4, column 1: a transfer before the first 'run'"},
        {HEAD "run\ncount 1\nchunks 1\n", "line 6, column 1: the run's 'type' is missing"},
        {HEAD "run\ntype i32\n", "line 5, column 9: expected sum prod min max or avg"},
        {HEAD "run\ntype i33 sum\n",
         "line 5, column 6: expected i8 u8 i32 u32 i64 u64 f16 bf16 f32 or f64"},
        {RUN "1 0 1 0 copy 0 1 2 3\n", "line 8, column 1: the steps begin at 0"},
        {RUN "0 -\n2 -\n", "line 9, column 1: expected step 0 or 1"},
        {RUN "0 0 3 0 copy 0 1 2 3\n", "line 8, column 5: the destination rank must lie in 0..2"},
        {RUN "0 2 2 0 copy 0 1 2 3\n", "line 8, column 5: a rank cannot send to itself"},
        {RUN "0 0 1 2..1 copy 0 1 2 3\n",
         "line 8, column 10: the last chunk comes before the first: a range cannot wrap"},
        {RUN "0 0 1 2 move 0 1 2 3\n",
         "line 8, column 9: expected 'reduce' or 'copy' after the chunk"},
        {RUN "0 0 1 2 copy 256 1 2 3\n", "line 8, column 14: the channel must lie in 0..255"},
        {RUN "0 0 1 2 copy 0 5 4 6\n",
         "line 8, column 18: the end must lie in 5..9007199254740992"},
        {RUN "0 0 1 2 copy 0 5 6\n", "line 8, column 19: expected the time it was done, a "
                                     "number in 6..9007199254740992"},
        {RUN "0 0 1 2 copy 0 5 6 9007199254740993\n",
         "line 8, column 20: the time it was done must lie in "
         "6..9007199254740992"},
        {RUN "0 0 1 2 copy 0 5.5 6 6\n", "line 8, column 17: expected a time in whole picoseconds"},
        {RUN "0 0 1 2 copy 0 - - -\n",
         "line 8, column 16: both ranks entered this step, so it must have times; a rank that did "
         "not is named by 'entered RANK STEPS' in the run's head"},
        {RUN "entered 1 0\n0 0 1 2 copy 0 1 2 3\n",
         "line 9, column 16: a rank did not enter this step, so there can be no times but '- - -'"},
        {RUN "entered 1 0\nentered 1 0\n", "line 9, column 1: this is said twice"},
        {RUN "0 0 1 2 copy 0 1 2 3 4\n",
         "line 8, column 22: expected the end of the line, or '#' and a comment"},
        {RUN "0 -\nchunks 3\n", "line 9, column 1: this is said twice"},
        {RUN "makespan 5\n0 0 1 2 copy 0 1 5 6\n",
         "line 9, column 20: this is after the run's 'makespan'"},
        {RUN "makespan 5\nmakespan 5\n", "line 9, column 1: this is said twice"},
        {RUN "0 -\nmakespan 5\n", "line 9, column 1: this must stand before the transfers"},
        {RUN "makespan 0\n", "line 8, column 10: the run's time must lie in 1..9007199254740992"},
        {RUN "hello\n",
         "line 8, column 1: expected 'type', 'count', 'chunks', 'entered', 'makespan', 'run' or "
         "a transfer such as '0 1 2 3 reduce 0 0 5000 5000'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_eq(parse(cases[i].text), RS_BAD_INPUT, "case %zu", i);
        cr_expect_str_eq(error.text, cases[i].message, "case %zu: %s", i, error.text);
    }
}

Test(trace, a_cut_text_is_refused_or_says_less_but_never_crashes) {
    rs_schedule schedule;
    rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, 3, 9, &error,
                     &schedule);
    const rs_report report = run(&schedule, 9, NULL, 0);
    rs_recording made;
    page printed = {0};
    cr_assert_eq(rs_recording_of(&report, "x", &arena, &error, &made), RS_OK);
    rs_print_trace(&made, 1, keep, &printed);
    for (size_t n = 0; n < printed.n; n++) {
        char *cut = malloc(n + 1);
        memcpy(cut, printed.text, n);
        const rs_status status = rs_parse_trace(cut, n, &arena, &error, &runs, &n_runs);
        cr_expect(status == RS_BAD_INPUT || (status == RS_OK && n_runs == 1));
        free(cut);
    }
    free(printed.text);
}

/* Of an all-to-all each rank has a part for each other. */
Test(trace, an_all_to_all_wants_a_count_that_its_ranks_divide) {
    static const char form[] =
        "ringsim-trace 1\ncollective all-to-all\nmeasured x\nranks 3\nrun\ntype i32 sum\n"
        "count %s\nchunks 9\n0 0 1 1 copy 0 1 2 3\n";
    static const struct {
        const char *count;
        bool good;
    } cases[] = {
        {"9", true}, {"3", true}, {"10", false}, {"8", false}, {"3000000000000000000", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, form, cases[i].count);
        const rs_status status = parse(text);
        cr_expect_eq(status, cases[i].good ? RS_OK : RS_BAD_INPUT, "%s: %s", cases[i].count,
                     error.text);
        if (cases[i].good || i == 4) continue;
        cr_expect(strstr(error.text, "must divide by the ranks") != NULL, "%s", error.text);
    }
}
