/* test_compare_row.c: a row of the comparison is what a plain account of all transfers says, on private wires and on a machine. */
#include "compare/compare.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/session.h"

enum { MOST = 12 };

static rs_arena arena;
static rs_error error;
static void begin(void) {
    rs_arena_init(&arena, NULL);
}
static void end(void) {
    rs_arena_free(&arena);
}
TestSuite(compare_row, .init = begin, .fini = end);

/* Adds up all transfers: sent[src][dst] in bytes. */
static void add_up(const rs_schedule *schedule, int64_t count, int64_t elem_bytes,
                   int64_t sent[MOST][MOST]) {
    memset(sent, 0, sizeof(int64_t[MOST][MOST]));
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        rs_cursor cursor = {0};
        for (rs_transfer t; rs_next_transfer(schedule, step, &cursor, &t);) {
            sent[t.src][t.dst] += rs_transfer_count(schedule, count, &t) * elem_bytes;
        }
    }
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* n GPUs around a switch, each with a link of the same bandwidth. */
static void make_star(int32_t n, rs_machine *machine) {
    char text[1000];
    int at = snprintf(text, sizeof text, "ringsim-machine 1\ngpus %d\nswitch s\n", (int)n);
    for (int32_t i = 0; i < n; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "link gpu%d s bandwidth 2GB/s latency 1us\n", (int)i);
    }
    cr_assert_eq(rs_parse_machine(text, strlen(text), "star", &arena, &error, machine), RS_OK, "%s",
                 error.text);
}

static void expect_row(rc_session *session, const rc_table *table, const rs_algorithm *algorithm,
                       const rs_spec *spec, int64_t count) {
    static int64_t sent[MOST][MOST];
    const int32_t n = spec->n_ranks, elem_bytes = rs_dtype_bytes(table->dtype);
    rc_row row = {.algorithm = algorithm, .n_ranks = n, .count = count, .n_bytes = -1};
    rs_schedule schedule;
    int64_t most_out = 0, busiest = 0, through_switch = 0;
    error.text[0] = '\0';
    cr_assert_eq(rc_measure(session, table, spec, RS_ENGINE_AUTO, &row), RC_GOOD, "%s", error.text);
    const rs_collective of = algorithm->collective;
    if (of == RS_COLL_ALL_TO_ALL) count = count / n * n;
    const int64_t whole = rs_array_count(of, n, count);
    cr_assert_eq(rs_schedule_from_spec(algorithm, spec, count, &error, &schedule), RS_OK);
    add_up(&schedule, whole, elem_bytes, sent);
    for (int32_t a = 0; a < n; a++) {
        int64_t out = 0, in = 0;
        for (int32_t b = 0; b < n; b++) {
            out += sent[a][b];
            in += sent[b][a];
            busiest = larger(busiest, sent[a][b]);
        }
        most_out = larger(most_out, out);
        through_switch = larger(through_switch, larger(out, in));
    }
    const char *name = algorithm->name;
    cr_expect(row.count == count && row.n_bytes == count * elem_bytes, "%s %d", name, (int)n);
    cr_expect_eq(row.n_steps, schedule.n_steps, "%s %d", name, (int)n);
    cr_expect_eq(row.most_sent, most_out, "%s %d", name, (int)n);
    cr_expect_eq(row.busiest_link, table->net.machine != NULL ? through_switch : busiest,
                 "%s %s, %d GPUs, %lld elements: %lld", rs_collective_name(of), name, (int)n,
                 (long long)count, (long long)row.busiest_link);
    cr_expect(row.closed_form_ps == -1 || row.closed_form_ps == row.time_ps, "%s %d", name, (int)n);
    cr_expect(row.bound_ps >= 0 && row.bound_ps <= row.time_ps, "%s %d", name, (int)n);
}

Test(compare_row, a_row_is_a_plain_account_of_all_transfers) {
    static const rs_dtype dtypes[] = {RS_U8, RS_F16, RS_I32, RS_F64};
    rc_session session = {.program = "ringsim", .arena = &arena, .error = &error};
    session_begin(9);
    for (int k = 0; k < 300; k++) {
        const rs_collective of = (rs_collective)(k % RS_N_COLLECTIVES);
        const rs_algorithm *const *all = rs_algorithms_of(of);
        const int32_t n = 1 + session_below(MOST);
        const int64_t count = session_below(3) == 0 ? session_below(4) : session_below(5000);
        rs_machine machine;
        rc_table table = {.net = {.link = {5000000, 20000000000u}},
                          .dtype = dtypes[session_below(4)]};
        if (session_below(2) == 0) {
            make_star(n, &machine);
            table.net.machine = &machine;
        }
        for (int i = 0; all[i] != NULL; i++) {
            rs_spec spec = {.n_ranks = n, .order = RS_ORDER_SEED};
            if (!rs_algorithm_serves(all[i], &table.net)) continue;
            if (rs_collective_rooted(of)) spec.root = table.root = session_below(n);
            expect_row(&session, &table, all[i], &spec, count);
        }
    }
}
