/* The schedules themselves: what is sent is what is received, and every stated number is true. */
#include <criterion/criterion.h>
#include <string.h>

#include "ringsim.h"
#include "support/own.h"

enum { MOST = RS_MAX_SENDS };

/* Returns the i-th algorithm of all collectives, NULL behind the last. */
static const rs_algorithm *any(int i) {
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        for (const rs_algorithm *const *at = rs_algorithms_of((rs_collective)of); *at != NULL;
             at++) {
            if (i-- == 0) return *at;
        }
    }
    return NULL;
}

static rs_schedule make(const rs_algorithm *algorithm, rs_order order, int32_t n, int64_t count) {
    rs_schedule schedule;
    rs_error error;
    const rs_status status = rs_schedule_make(algorithm, order, n, count, &error, &schedule);
    cr_assert_eq(status, RS_OK, "%s", error.text);
    return schedule;
}

static bool same(const rs_transfer *a, const rs_transfer *b) {
    return a->src == b->src && a->dst == b->dst && a->chunk == b->chunk &&
           a->n_chunks == b->n_chunks && a->effect == b->effect && a->order == b->order &&
           a->channel == b->channel;
}

Test(schedule, ring_of_five_sends_the_chunks_of_the_seed_documents) {
    const char *rows[] = {"01234", "40123", "34012", "23401", "12340", "01234", "40123", "34012"};
    const rs_schedule ring =
        make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, 5, 5);
    cr_assert_eq(ring.n_steps, 8);
    for (int32_t step = 0; step < ring.n_steps; step++) {
        for (int32_t rank = 0; rank < 5; rank++) {
            rs_transfer sent;
            cr_assert_eq(ring.sends(&ring, step, rank, &sent), 1);
            cr_expect_eq(sent.chunk, rows[step][rank] - '0', "step %d rank %d", step, rank);
            cr_expect_eq(sent.dst, (rank + 1) % 5);
            cr_expect_eq(sent.effect, step < 4 ? RS_REDUCE : RS_COPY);
        }
    }
}

Test(schedule, nccl_order_is_the_same_ring_shifted_by_one) {
    const rs_schedule seed =
        make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, 7, 7);
    const rs_schedule nccl =
        make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_NCCL, 7, 7);
    for (int32_t step = 0; step < seed.n_steps; step++) {
        for (int32_t rank = 0; rank < 7; rank++) {
            rs_transfer a, b;
            seed.sends(&seed, step, rank, &a);
            nccl.sends(&nccl, step, rank, &b);
            cr_expect_eq(b.chunk, (a.chunk + 6) % 7);
        }
    }
}

static void check_sent(const rs_schedule *s, int32_t step, const rs_transfer *sent) {
    rs_transfer mirror[MOST];
    int n_same = 0;
    cr_assert(sent->dst >= 0 && sent->dst < s->n_ranks && sent->dst != sent->src);
    cr_assert(sent->n_chunks >= 1 && sent->n_chunks <= s->max_run);
    cr_assert(sent->chunk >= 0 && sent->chunk + sent->n_chunks <= s->n_chunks);
    const int n = s->recvs(s, step, sent->dst, mirror);
    for (int i = 0; i < n; i++) n_same += same(sent, &mirror[i]);
    cr_assert_eq(n_same, 1, "%s N=%d step %d: rank %d receives it once", s->name, s->n_ranks, step,
                 sent->dst);
    if (s->next_step) cr_assert_eq(s->next_step(s, step, sent->src), step);
}

/* What is on one channel is what is on it of all. */
static void check_channels(const rs_schedule *s, int32_t step, int32_t rank) {
    rs_transfer all[MOST], some[MOST];
    if (s->channel_sends == NULL) return;
    for (int way = 0; way < 2; way++) {
        const int n = (way == 0 ? s->sends : s->recvs)(s, step, rank, all);
        int n_some = 0;
        for (int32_t c = 0; c < s->n_channels; c++) {
            const int n_own =
                (way == 0 ? s->channel_sends : s->channel_recvs)(s, step, rank, c, some);
            for (int i = 0, k = 0; i < n; i++) {
                if (all[i].channel != c) continue;
                cr_assert_lt(k, n_own);
                cr_assert(same(&all[i], &some[k++]));
            }
            n_some += n_own;
        }
        cr_assert_eq(n_some, n);
    }
}

/* Walks a schedule and holds it against its own inverse and its own numbers. */
static void check_one(const rs_schedule *s, int64_t count) {
    int64_t n_sent = 0, n_received = 0;
    for (int32_t step = 0; step < s->n_steps; step++) {
        int32_t order = -1;
        for (int32_t rank = 0; rank < s->n_ranks; rank++) {
            rs_transfer sent[MOST], received[MOST];
            const int n_out = s->sends(s, step, rank, sent);
            const int n_in = s->recvs(s, step, rank, received);
            cr_assert(n_out <= s->max_sends && n_in <= s->max_sends);
            if (s->n_recvs) cr_assert_eq(s->n_recvs(s, step, rank), n_in);
            for (int i = 0; i < n_out; i++) {
                cr_assert_eq(sent[i].src, rank);
                cr_assert_gt(sent[i].order, order, "%s: orders rise along the list", s->name);
                order = sent[i].order;
                check_sent(s, step, &sent[i]);
            }
            for (int i = 0; i < n_in; i++) {
                cr_assert_eq(received[i].dst, rank);
                if (i > 0) cr_assert_gt(received[i].order, received[i - 1].order);
            }
            if (n_in > 0 && s->next_step) cr_assert_eq(s->next_step(s, step, rank), step);
            check_channels(s, step, rank);
            n_sent += n_out;
            n_received += n_in;
        }
    }
    cr_assert_eq(n_sent, s->n_transfers);
    cr_assert_eq(n_received, s->n_transfers);
    for (int32_t rank = 0; rank < s->n_ranks; rank++) {
        int64_t elements = 0;
        for (int32_t step = 0; step < s->n_steps; step++) {
            rs_transfer sent[MOST];
            const int n = s->sends(s, step, rank, sent);
            for (int i = 0; i < n; i++) elements += rs_transfer_count(s, count, &sent[i]);
        }
        cr_assert_eq(rs_elements_sent(s, count, rank), elements, "%s N=%d rank %d", s->name,
                     s->n_ranks, rank);
    }
}

Test(schedule, what_is_sent_is_received_for_all_algorithms_and_sizes) {
    for (int i = 0; any(i) != NULL; i++) {
        for (int32_t n = 1; n <= (any(i)->pipelined ? 8 : 33); n += n < 17 ? 1 : 8) {
            const int64_t counts[] = {n - 1, 1000, 1, n, n + 1};
            for (int k = 0; k < (n < 9 ? 5 : 2); k++) {
                for (rs_order order = RS_ORDER_SEED; order <= RS_ORDER_NCCL; order++) {
                    if (order == RS_ORDER_NCCL && strncmp(any(i)->name, "ring", 4) != 0) continue;
                    const rs_schedule schedule = make(any(i), order, n, counts[k]);
                    check_one(&schedule, counts[k]);
                }
            }
        }
    }
}

Test(schedule, of_several_channels_is_its_own_inverse) {
    for (int i = 0; any(i) != NULL; i++) {
        if (any(i)->one_channel) continue;
        for (int32_t n = 2; n <= 12; n += n < 8 ? 1 : 4) {
            for (int32_t k = 1; k <= 5; k += 2) {
                const rs_spec spec = {
                    .n_ranks = n, .n_channels = k, .gpus_per_node = n % 4 == 0 ? 4 : 0};
                rs_schedule s;
                rs_error error = {.text = ""};
                cr_assert_eq(rs_schedule_from_spec(any(i), &spec, 97, &error, &s), RS_OK, "%s",
                             error.text);
                if (any(i)->own_channels)
                    cr_assert_geq(s.n_channels, 1); /* some have two in any case */
                else
                    cr_assert_eq(s.n_channels > 1 ? s.n_channels : 1, k);
                check_one(&s, 97);
                check_one(&s, 3);
            }
        }
    }
}

/* The walk skips the ranks that send nothing and no other. */
Test(schedule, a_walk_meets_every_sender_once_in_order) {
    for (int i = 0; any(i) != NULL; i++) {
        for (int32_t n = 2; n <= 33; n++) {
            const rs_schedule s = make(any(i), RS_ORDER_SEED, n, 100);
            for (int32_t step = 0; step < s.n_steps; step++) {
                rs_cursor cursor = {0};
                rs_transfer walked, sent[MOST];
                for (int32_t rank = 0; rank < n; rank++) {
                    const int n_sent = s.sends(&s, step, rank, sent);
                    for (int k = 0; k < n_sent; k++) {
                        cr_assert(rs_next_transfer(&s, step, &cursor, &walked));
                        cr_assert(same(&walked, &sent[k]), "%s N=%d step %d", s.name, n, step);
                    }
                }
                cr_assert(!rs_next_transfer(&s, step, &cursor, &walked));
            }
        }
    }
}

Test(schedule, a_walk_through_131072_ranks_and_one_reducer_ends) {
    const rs_schedule s =
        make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "naive"), RS_ORDER_SEED, RS_MAX_RANKS, 1);
    int64_t n_walked = 0;
    for (int32_t step = 0; step < s.n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(&s, step, &cursor, &t)) n_walked++;
    }
    cr_expect_eq(n_walked, s.n_transfers);
}

Test(schedule, one_gpu_or_no_elements_is_nothing_to_do) {
    for (int i = 0; any(i) != NULL; i++) {
        cr_expect_eq(make(any(i), RS_ORDER_SEED, 1, 1000).n_steps, 0);
        cr_expect_eq(make(any(i), RS_ORDER_NCCL, 1, 1000).order, RS_ORDER_NCCL);
        cr_expect_eq(make(any(i), RS_ORDER_SEED, 9, 0).n_steps, 0);
        cr_expect_eq(make(any(i), RS_ORDER_SEED, 9, 0).n_chunks, 0);
    }
}

Test(schedule, sizes_beyond_2_to_31_need_no_buffer) {
    const int64_t counts[] = {(1LL << 31) - 1, (1LL << 31) + 1, (1LL << 32) + 3, 1LL << 40};
    for (int i = 0; any(i) != NULL; i++) {
        for (int k = 0; k < 4; k++) {
            const rs_schedule schedule = make(any(i), RS_ORDER_SEED, 6, counts[k]);
            check_one(&schedule, counts[k]);
            int64_t all = 0;
            for (int32_t c = 0; c < schedule.n_chunks; c++) {
                all += rs_chunk_offset(counts[k], schedule.n_chunks, c + 1) -
                       rs_chunk_offset(counts[k], schedule.n_chunks, c);
            }
            cr_expect_eq(all, counts[k]);
        }
    }
}

Test(schedule, refuses_impossible_world_sizes) {
    rs_schedule schedule;
    rs_error error;
    const rs_algorithm *ring = rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring");
    cr_expect_eq(rs_schedule_make(ring, RS_ORDER_SEED, 0, 1, &error, &schedule), RS_BAD_INPUT);
    cr_expect_eq(rs_schedule_make(ring, RS_ORDER_SEED, RS_MAX_RANKS + 1, 1, &error, &schedule),
                 RS_BAD_INPUT);
    cr_expect_eq(rs_schedule_make(ring, RS_ORDER_SEED, 4, -1, &error, &schedule), RS_BAD_INPUT);
    cr_expect(rs_find_algorithm(RS_COLL_ALL_REDUCE, "rong") == NULL);
}

/* A compiled copy of a generated schedule answers every question in the same way. */
Test(table, a_compiled_schedule_is_the_schedule) {
    enum { MOST_TRANSFERS = 1 << 14 };
    static rs_transfer list[MOST_TRANSFERS];
    static int64_t step_first[MOST_TRANSFERS];
    for (int i = 0; any(i) != NULL; i++) {
        for (int32_t n = 2; n <= 20; n++) {
            const rs_schedule schedule = make(any(i), RS_ORDER_SEED, n, 100);
            int64_t at = 0;
            cr_assert_lt(schedule.n_transfers, MOST_TRANSFERS);
            for (int32_t step = 0; step < schedule.n_steps; step++) {
                step_first[step] = at;
                rs_cursor cursor = {0};
                while (rs_next_transfer(&schedule, step, &cursor, &list[at])) at++;
            }
            step_first[schedule.n_steps] = at;
            OWN_ARENA arena = {0};
            rs_schedule copy;
            rs_error error;
            cr_assert_eq(rs_schedule_from_list(n, schedule.n_chunks, schedule.n_steps, step_first,
                                               list, &arena, &error, &copy),
                         RS_OK);
            copy.n_parts = schedule.n_parts; /* which a list does not say */
            cr_assert_eq(copy.n_transfers, schedule.n_transfers);
            cr_assert_eq(copy.max_run, schedule.max_run);
            for (int32_t step = 0; step < schedule.n_steps; step++) {
                for (int32_t rank = 0; rank < n; rank++) {
                    rs_transfer a[MOST], b[MOST];
                    const int sent = schedule.sends(&schedule, step, rank, a);
                    cr_assert_eq(copy.sends(&copy, step, rank, b), sent);
                    for (int k = 0; k < sent; k++) {
                        b[k].order = a[k].order;
                        cr_assert(same(&a[k], &b[k]));
                    }
                    const int received = schedule.recvs(&schedule, step, rank, a);
                    cr_assert_eq(copy.recvs(&copy, step, rank, b), received);
                    for (int k = 0; k < received; k++) {
                        b[k].order = a[k].order;
                        cr_assert(same(&a[k], &b[k]));
                    }
                }
            }
            for (int32_t rank = 0; rank < n; rank++) {
                cr_assert_eq(rs_elements_sent(&copy, 100, rank),
                             rs_elements_sent(&schedule, 100, rank));
            }
        }
    }
}

Test(table, every_number_of_a_list_is_checked) {
    const rs_transfer good = {.src = 1, .dst = 2, .chunk = 3, .n_chunks = 2};
    rs_transfer list[2] = {good, good};
    const struct {
        int64_t first[3];
        rs_transfer second;
    } bad[] = {
        {{1, 1, 2}, good},
        {{-1, 0, 2}, good},
        {{0, 3, 2}, good},
        {{0, 1, -1}, good},
        {{0, 1, 1 + (int64_t)RS_MAX_FILE_TRANSFERS}, good},
        {{0, 1, 2}, {.src = 4, .dst = 2, .chunk = 3, .n_chunks = 2}},
        {{0, 1, 2}, {.src = -1, .dst = 2, .chunk = 3, .n_chunks = 2}},
        {{0, 1, 2}, {.src = 1, .dst = 4, .chunk = 3, .n_chunks = 2}},
        {{0, 1, 2}, {.src = 2, .dst = 2, .chunk = 3, .n_chunks = 2}},
        {{0, 1, 2}, {.src = 1, .dst = 2, .chunk = 4, .n_chunks = 2}},
        {{0, 1, 2}, {.src = 1, .dst = 2, .chunk = -1, .n_chunks = 2}},
        {{0, 1, 2}, {.src = 1, .dst = 2, .chunk = 3, .n_chunks = 0}},
        {{0, 1, 2}, {.src = 1, .dst = 2, .chunk = 3, .n_chunks = INT32_MAX}},
        {{0, 1, 2}, {.src = 1, .dst = 2, .chunk = 3, .n_chunks = 2, .effect = 2}},
    };
    OWN_ARENA arena = {0};
    rs_error error;
    rs_schedule schedule = {.n_ranks = 77};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        list[1] = bad[i].second;
        const rs_status status =
            rs_schedule_from_list(4, 5, 2, bad[i].first, list, &arena, &error, &schedule);
        cr_expect_eq(status, RS_BAD_INPUT, "case %zu", i);
        cr_expect_eq(schedule.n_ranks, 77);
    }
    list[1] = good;
    cr_expect_eq(
        rs_schedule_from_list(4, 5, 2, (int64_t[]){0, 1, 2}, list, &arena, &error, &schedule),
        RS_OK);
}

Test(schedule, the_next_step_is_the_first_in_which_a_rank_takes_part) {
    for (int i = 0; any(i) != NULL; i++) {
        for (int32_t n = 2; n <= (any(i)->pipelined ? 12 : 70); n++) {
            const rs_schedule s = make(any(i), RS_ORDER_SEED, n, 100);
            for (int32_t rank = 0; rank < n && s.next_step != NULL; rank++) {
                int32_t next = s.n_steps;
                for (int32_t step = s.n_steps; step >= 0; step--) {
                    rs_transfer t[MOST];
                    const bool busy = step < s.n_steps && (s.sends(&s, step, rank, t) > 0 ||
                                                           s.recvs(&s, step, rank, t) > 0);
                    if (busy) next = step;
                    cr_assert_eq(s.next_step(&s, step, rank), next, "%s N=%d rank %d step %d",
                                 s.name, n, rank, step);
                }
            }
        }
    }
}
