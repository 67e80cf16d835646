/* Two levels, and two directions: what only these algorithms promise, for all worlds and nodes. */
#include <criterion/criterion.h>
#include <string.h>

#include "ringsim.h"
#include "support/own.h"

static rs_spec all_of(int32_t n, int32_t g) {
    return (rs_spec){.n_ranks = n, .gpus_per_node = g};
}

static rs_schedule made(const char *name, int32_t n, int32_t g, int64_t count) {
    const rs_spec spec = all_of(n, g);
    rs_schedule s;
    rs_error error = {.text = ""};
    cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_REDUCE, name), &spec, count,
                                       &error, &s),
                 RS_OK, "%s", error.text);
    return s;
}

static bool same(const rs_transfer *a, const rs_transfer *b) {
    return a->src == b->src && a->dst == b->dst && a->chunk == b->chunk &&
           a->n_chunks == b->n_chunks && a->effect == b->effect && a->order == b->order &&
           a->channel == b->channel;
}

static void expect_inverse(const rs_schedule *s, int64_t count) {
    const int32_t g = s->gpus_per_node;
    int64_t n_sent = 0;
    for (int32_t rank = 0; rank < s->n_ranks; rank++) {
        int64_t elements = 0;
        for (int32_t step = 0; step < s->n_steps; step++) {
            rs_transfer sent, received;
            cr_assert_eq(s->sends(s, step, rank, &sent), 1);
            cr_assert_eq(s->recvs(s, step, sent.dst, &received), 1);
            cr_assert(same(&sent, &received), "N=%d G=%d step %d rank %d", (int)s->n_ranks, (int)g,
                      (int)step, (int)rank);
            /* One ring inside the node, one through the GPUs of the same place. */
            if (sent.dst / g == rank / g) {
                cr_assert_eq(sent.dst % g, (rank + 1) % g);
                cr_assert_eq(sent.n_chunks, s->n_ranks / g);
            } else {
                cr_assert_eq(sent.dst, (rank + g) % s->n_ranks);
                cr_assert_eq(sent.n_chunks, 1);
            }
            cr_assert_leq(sent.n_chunks, s->max_run);
            elements += rs_transfer_count(s, count, &sent);
            n_sent++;
        }
        cr_assert_eq(rs_elements_sent(s, count, rank), elements, "N=%d G=%d rank %d",
                     (int)s->n_ranks, (int)g, (int)rank);
    }
    cr_assert_eq(n_sent, s->n_transfers);
}

static void expect_run(const rs_schedule *s, int64_t count, bool has_form) {
    OWN_ARENA arena = {0};
    rs_error error = {.text = ""};
    rs_report report;
    rs_request request = {
        .job = {.schedule = s,
                .count = count,
                .elem_bytes = 4,
                .net = {.link = {1234567, 7000000001}, .reduce_Bps = 3000000007}},
        .dtype = RS_F32,
        .data = RS_DATA_RANDOM,
        .check = RS_ALWAYS,
        .values = RS_VALUES_ALL,
    };
    cr_assert_eq(rs_run(&request, &arena, &error, &report), RS_OK, "%s", error.text);
    cr_assert(report.verdict.sound, "N=%d G=%d: %s", (int)s->n_ranks, (int)s->gpus_per_node,
              report.verdict.text);
    cr_assert(report.correct, "N=%d G=%d K=%d", (int)s->n_ranks, (int)s->gpus_per_node, (int)count);
    const int64_t form_ps = rs_closed_form_ps(&request.job);
    cr_assert_eq(form_ps >= 0, has_form);
    if (has_form) {
        cr_assert_eq(report.outcome.makespan_ps, form_ps, "N=%d G=%d K=%d", (int)s->n_ranks,
                     (int)s->gpus_per_node, (int)count);
    }
}

Test(two_level, is_its_inverse_sound_right_and_on_time_for_every_node) {
    for (int32_t n = 2; n <= 40; n++) {
        for (int32_t g = 1; g <= n; g++) {
            if (n % g != 0) continue;
            const int64_t counts[] = {1, n - 1, n, n + 1, 997};
            for (int i = 0; i < 5; i++) {
                const rs_schedule s = made("two-level", n, g, counts[i]);
                cr_assert_eq(s.n_steps, 2 * (g - 1) + 2 * (n / g - 1));
                cr_assert_eq(s.gpus_per_node, g);
                expect_inverse(&s, counts[i]);
                expect_run(&s, counts[i], true);
            }
        }
    }
}

/* Dealt out over the nodes, rank r is what rank (r mod m) G + r / m is in order: m nodes of G. */
static void expect_dealt(const char *name, const rs_spec *of, int64_t count) {
    const int32_t g = of->gpus_per_node, m = of->n_ranks / g;
    const rs_algorithm *algorithm = rs_find_algorithm(RS_COLL_ALL_REDUCE, name);
    rs_spec spec = *of;
    rs_schedule ordered, dealt;
    cr_assert_eq(rs_schedule_from_spec(algorithm, &spec, count, NULL, &ordered), RS_OK);
    spec.dealt = true;
    cr_assert_eq(rs_schedule_from_spec(algorithm, &spec, count, NULL, &dealt), RS_OK);
    for (int32_t step = 0; step < dealt.n_steps; step++) {
        for (int32_t r = 0; r < of->n_ranks; r++) {
            rs_transfer a[RS_MAX_SENDS], b[RS_MAX_SENDS];
            const int n = dealt.sends(&dealt, step, r, a);
            cr_assert_eq(n, ordered.sends(&ordered, step, r % m * g + r / m, b));
            for (int i = 0; i < n; i++) {
                cr_assert(a[i].src == r && a[i].dst % m * g + a[i].dst / m == b[i].dst &&
                              a[i].chunk == b[i].chunk && a[i].n_chunks == b[i].n_chunks &&
                              a[i].effect == b[i].effect && a[i].channel == b[i].channel,
                          "%s N=%d G=%d step %d rank %d", name, (int)of->n_ranks, (int)g, (int)step,
                          (int)r);
            }
        }
    }
    expect_run(&dealt, count,
               rs_closed_form_ps(&(rs_job){
                   .schedule = &dealt, .count = count, .elem_bytes = 4, .net.link = {1, 1000}}) >=
                   0);
}

Test(nodes, dealt_out_ranks_do_what_ranks_in_order_do) {
    for (int32_t n = 2; n <= 24; n++) {
        for (int32_t g = 1; g <= n; g++) {
            if (n % g != 0) continue;
            expect_dealt("two-level", &(rs_spec){.n_ranks = n, .gpus_per_node = g}, 3 * n + 1);
            expect_dealt("double-tree", &(rs_spec){.n_ranks = n, .gpus_per_node = g}, 3 * n + 1);
            for (int32_t k = 1; k <= 3; k++) {
                const rs_spec rings = {.n_ranks = n, .gpus_per_node = g, .n_channels = k};
                expect_dealt("rings", &rings, 3 * n + 1);
            }
        }
    }
}

/* What leaves a node for all of its GPUs: 2(m-1)/m of the array, as if it were one GPU. */
Test(two_level, sends_out_of_a_node_what_one_gpu_of_a_ring_would) {
    for (int32_t n = 2; n <= 40; n++) {
        for (int32_t g = 1; g <= n; g++) {
            if (n % g != 0) continue;
            const int32_t m = n / g;
            const rs_schedule s = made("two-level", n, g, 1000 * n);
            int64_t out = 0;
            for (int32_t rank = 0; rank < g; rank++) {
                for (int32_t step = 0; step < s.n_steps; step++) {
                    rs_transfer t;
                    s.sends(&s, step, rank, &t);
                    if (t.dst / g != 0) out += rs_transfer_count(&s, 1000 * n, &t);
                }
            }
            cr_expect_eq(out, 2 * (m - 1) * (1000LL * n / m), "N=%d G=%d", (int)n, (int)g);
        }
    }
}

Test(two_level, takes_the_largest_node_up_to_8_that_leaves_two) {
    const int32_t usual[][2] = {{2, 1},  {4, 2},  {6, 3},  {7, 1},  {8, 4},           {9, 3},
                                {16, 8}, {48, 8}, {11, 1}, {22, 2}, {RS_MAX_RANKS, 8}};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        cr_expect_eq(made("two-level", usual[i][0], 0, 1000).gpus_per_node, usual[i][1]);
    }
}

Test(two_level, refuses_nodes_that_do_not_fill_the_world) {
    const int64_t counts[] = {0, 1000};
    for (int i = 0; i < 2; i++) {
        for (int32_t g = 1; g <= 13; g++) {
            const rs_spec spec = all_of(12, g);
            rs_schedule s = {.n_ranks = 77};
            rs_error error = {.text = ""};
            const rs_status status = rs_schedule_from_spec(
                rs_find_algorithm(RS_COLL_ALL_REDUCE, "two-level"), &spec, counts[i], &error, &s);
            cr_expect_eq(status, 12 % g == 0 ? RS_OK : RS_BAD_INPUT, "G=%d", (int)g);
            if (status == RS_OK) continue;
            cr_expect_eq(s.n_ranks, 77);
            cr_expect(strstr(error.text, "12 GPUs cannot be cut into nodes") != NULL);
        }
    }
    const rs_spec none = all_of(12, -1);
    rs_schedule s;
    cr_expect_eq(
        rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), &none, 1, NULL, &s),
        RS_BAD_INPUT);
}

Test(two_level, a_spec_makes_the_schedule_again) {
    const rs_schedule s = made("two-level", 24, 0, 500);
    const rs_spec spec = rs_spec_of(&s);
    rs_schedule again;
    cr_assert_eq(rs_schedule_from_spec(s.algorithm, &spec, 500, NULL, &again), RS_OK);
    cr_expect_eq(again.gpus_per_node, 8);
    cr_expect_eq(again.n_steps, s.n_steps);
}

/* Half of the array each way: channel 0 only to the right, channel 1 only to the left. */
Test(bidirectional, each_channel_is_a_ring_with_half_of_the_array) {
    for (int32_t n = 2; n <= 40; n++) {
        const int64_t counts[] = {1, n - 1, n, n + 1, 2 * n, 1000 * n};
        for (int i = 0; i < 6; i++) {
            const rs_schedule s = made("bidirectional", n, 0, counts[i]);
            int64_t sent[2] = {0, 0};
            for (int32_t step = 0; step < s.n_steps; step++) {
                rs_cursor cursor = {0};
                for (rs_transfer t; rs_next_transfer(&s, step, &cursor, &t);) {
                    cr_assert_eq(t.dst, (t.src + (t.channel == 0 ? 1 : n - 1)) % n);
                    cr_assert_eq(t.chunk / n, t.channel);
                    sent[t.channel] += rs_transfer_count(&s, counts[i], &t);
                }
            }
            const int64_t first = rs_chunk_offset(counts[i], 2 * n, n);
            cr_expect_eq(sent[0], 2 * (n - 1) * first, "N=%d K=%d", (int)n, (int)counts[i]);
            cr_expect_eq(sent[1], 2 * (n - 1) * (counts[i] - first));
            expect_run(&s, counts[i], false);
        }
    }
}

/* One message at a time at a port: the two directions take turns, and equal pieces cost the ring's
   bytes and twice its latencies. */
Test(bidirectional, gains_nothing_where_ports_take_turns) {
    for (int32_t n = 3; n <= 20; n++) {
        const int64_t count = 1000 * n;
        const rs_schedule s = made("bidirectional", n, 0, count);
        const rs_job job = {.schedule = &s,
                            .count = count,
                            .elem_bytes = 4,
                            .net = {.link = {5000000, 20000000000}}};
        OWN_ARENA arena = {0};
        rs_outcome outcome;
        cr_assert_eq(rs_simulate(&job, RS_ENGINE_AUTO, NULL, &arena, NULL, &outcome), RS_OK);
        cr_expect_eq(outcome.makespan_ps, 2 * (n - 1) * 2 * (5000000 + 500 * 4 * 50LL), "N=%d",
                     (int)n);
    }
}
