/* The six collectives: every algorithm of each is sound, moves the right values in the time that its closed form
 * says, never below the bound, for all worlds and roots; and what is not one is told. */
#include <criterion/criterion.h>
#include <string.h>

#include "ringsim.h"
#include "support/own.h"

static rs_schedule made(const rs_algorithm *algorithm, int32_t n, int32_t root, int64_t count) {
    const rs_spec spec = {.n_ranks = n, .root = root, .order = RS_ORDER_NCCL};
    rs_schedule s;
    rs_error error = {.text = ""};
    cr_assert_eq(rs_schedule_from_spec(algorithm, &spec, count, &error, &s), RS_OK, "%s",
                 error.text);
    cr_assert_eq(s.collective, algorithm->collective);
    return s;
}

static void expect_run(const rs_schedule *s, int64_t count, rs_dtype dtype, rs_op op) {
    const char *what = rs_collective_name(s->collective);
    const int n = (int)s->n_ranks, root = (int)s->root;
    OWN_ARENA arena = {0};
    rs_error error = {.text = ""};
    rs_report report;
    rs_request request = {
        .job = {.schedule = s,
                .count = rs_array_count(s->collective, s->n_ranks, count),
                .elem_bytes = rs_dtype_bytes(dtype),
                .net = {.link = {1234567, 7000000001}, .reduce_Bps = 3000000007}},
        .dtype = dtype,
        .op = op,
        .data = RS_DATA_RANDOM,
        .check = RS_ALWAYS,
        .values = RS_VALUES_ALL,
    };
    cr_assert_eq(rs_run(&request, &arena, &error, &report), RS_OK, "%s", error.text);
    cr_assert(report.verdict.sound, "%s %s N=%d root %d: %s", what, s->name, n, root,
              report.verdict.text);
    cr_assert(report.correct, "%s %s N=%d root %d K=%d", what, s->name, n, root, (int)count);
    const int64_t form_ps = rs_closed_form_ps(&request.job);
    if (form_ps >= 0) {
        cr_assert_eq(report.outcome.makespan_ps, form_ps, "%s %s N=%d K=%d: %lld, %lld", what,
                     s->name, n, (int)count, (long long)report.outcome.makespan_ps,
                     (long long)form_ps);
    }
    cr_assert_geq(report.outcome.makespan_ps, report.lower_bound_ps, "%s %s N=%d K=%d", what,
                  s->name, n, (int)count);
}

static void expect_all(rs_collective of) {
    int n_forms = 0;
    for (const rs_algorithm *const *at = rs_algorithms_of(of); *at != NULL; at++) {
        n_forms += (*at)->closed_form_ps != NULL;
        for (int32_t n = 2; n <= 17; n++) {
            const int64_t counts[] = {1, n - 1, n, n + 1, 97};
            for (int i = 0; i < 5; i++) {
                const int64_t count = of == RS_COLL_ALL_TO_ALL ? (1 + i * i) * n : counts[i];
                const int32_t roots[] = {0, n / 2, n - 1};
                for (int k = 0; k < (rs_collective_rooted(of) ? 3 : 1); k++) {
                    const rs_schedule s = made(*at, n, roots[k], count);
                    expect_run(&s, count, RS_F32, RS_SUM);
                    expect_run(&s, count, RS_I32, rs_collective_reduces(of) ? RS_AVG : RS_SUM);
                }
            }
        }
    }
    cr_expect_geq(n_forms, 1);
}

Test(collectives, reduce_scatter_is_sound_right_and_on_time) {
    expect_all(RS_COLL_REDUCE_SCATTER);
}

Test(collectives, all_gather_is_sound_right_and_on_time) {
    expect_all(RS_COLL_ALL_GATHER);
}

Test(collectives, broadcast_is_sound_right_and_on_time) {
    expect_all(RS_COLL_BROADCAST);
}

Test(collectives, reduce_is_sound_right_and_on_time) {
    expect_all(RS_COLL_REDUCE);
}

Test(collectives, all_to_all_is_sound_right_and_on_time) {
    expect_all(RS_COLL_ALL_TO_ALL);
}

/* Each channel moves its part of the array, and all parts come right. */
Test(collectives, on_several_channels_are_sound_and_right) {
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        for (const rs_algorithm *const *at = rs_algorithms_of((rs_collective)of); *at; at++) {
            for (int32_t n = 2; n <= 9; n++) {
                const rs_spec spec = {.n_ranks = n,
                                      .n_channels = 3,
                                      .order = RS_ORDER_NCCL,
                                      .gpus_per_node = n % 3 == 0 ? 3 : 0};
                rs_schedule s;
                rs_error error;
                const rs_status status = rs_schedule_from_spec(*at, &spec, 100, &error, &s);
                cr_assert_eq(status, (*at)->one_channel ? RS_BAD_INPUT : RS_OK);
                if (status != RS_OK) continue;
                expect_run(&s, 100, RS_F32, RS_SUM);
                expect_run(&s, 2, RS_I32, RS_SUM);
            }
        }
    }
}

/* Each cell is held by whom the definition names, before and after. */
Test(collectives, hold_what_they_define_at_both_ends) {
    OWN_ARENA arena = {0};
    rs_error error;
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        for (const rs_algorithm *const *at = rs_algorithms_of((rs_collective)of); *at; at++) {
            const int32_t n = 6, root = rs_collective_rooted((rs_collective)of) ? 2 : 0;
            const rs_schedule s = made(*at, n, root, 60);
            rs_contents *contents;
            cr_assert_eq(rs_contents_new(&s, &arena, &error, &contents), RS_OK);
            for (int end = 0; end < 2; end++) {
                rs_contents_seek(contents, end == 0 ? 0 : s.n_steps, NULL, &error);
                for (int32_t c = 0; c < s.n_chunks; c++) {
                    const int32_t owner = s.n_chunks < n ? 0 : c / (s.n_chunks / n);
                    for (int32_t r = 0; r < n; r++) {
                        const bool gathered = of == RS_COLL_ALL_GATHER || of == RS_COLL_BROADCAST;
                        const int32_t has = of == RS_COLL_BROADCAST    ? root
                                            : of == RS_COLL_ALL_TO_ALL ? c / n
                                                                       : owner;
                        int64_t want = gathered || of == RS_COLL_ALL_TO_ALL ? r == has : 1;
                        bool defined = true;
                        if (end == 1) {
                            want = gathered || of == RS_COLL_ALL_TO_ALL ? 1 : n;
                            defined = of == RS_COLL_REDUCE           ? r == root
                                      : of == RS_COLL_REDUCE_SCATTER ? r == owner
                                      : of == RS_COLL_ALL_TO_ALL     ? r == c % n
                                                                     : true;
                        }
                        if (!defined) continue;
                        cr_assert_eq(rs_contents_count(contents, r, c), want,
                                     "%s %s end %d chunk %d rank %d",
                                     rs_collective_name(s.collective), s.name, end, (int)c, (int)r);
                        if (end == 1) cr_assert(rs_contents_complete(contents, r, c));
                    }
                }
            }
        }
    }
}

/* ------------------------------------------------------------------ what is none */

typedef struct written {
    rs_collective of;
    int32_t n_chunks, n_steps;
    int64_t step_first[4];
    rs_transfer list[6];
    const char *fault;
    const char *says; /* in its words */
} written;

/* Three ranks; shard r is chunk r. */
static const written wrong[] = {
    {RS_COLL_ALL_GATHER,
     3,
     1,
     {0, 1},
     {{0, 1, 0, 1, 0, RS_COPY, 0}},
     "unfinished",
     "lacks the data of rank 1"},
    {RS_COLL_ALL_GATHER,
     3,
     1,
     {0, 1},
     {{0, 1, 0, 1, 0, RS_REDUCE, 0}},
     "added-to-nothing",
     "only copies"},
    {RS_COLL_ALL_GATHER,
     3,
     1,
     {0, 1},
     {{0, 1, 1, 1, 0, RS_COPY, 0}},
     "overwritten-too-early",
     "overwritten with nothing"},
    {RS_COLL_BROADCAST,
     1,
     2,
     {0, 1, 3},
     {{0, 1, 0, 1, 0, RS_COPY, 0}, {0, 2, 0, 1, 0, RS_COPY, 0}, {1, 2, 0, 1, 1, RS_COPY, 0}},
     "wrong",
     "same step"},
    {RS_COLL_BROADCAST,
     1,
     2,
     {0, 1, 2},
     {{0, 1, 0, 1, 0, RS_COPY, 0}, {1, 0, 0, 1, 0, RS_REDUCE, 0}},
     "counted-twice",
     "a second time"},
    {RS_COLL_REDUCE,
     1,
     1,
     {0, 1},
     {{1, 0, 0, 1, 0, RS_REDUCE, 0}},
     "unfinished",
     "rank 0's chunk 0 lacks the contribution of rank 2"},
    {RS_COLL_REDUCE,
     1,
     1,
     {0, 1},
     {{1, 0, 0, 1, 0, RS_COPY, 0}},
     "overwritten-too-early",
     "rank 0's contribution is lost"},
    {RS_COLL_REDUCE_SCATTER,
     3,
     1,
     {0, 2},
     {{1, 0, 0, 1, 0, RS_REDUCE, 0}, {2, 0, 0, 1, 1, RS_REDUCE, 0}},
     "unfinished",
     "rank 1's chunk 1"},
    {RS_COLL_ALL_TO_ALL,
     9,
     1,
     {0, 1},
     {{0, 1, 2, 1, 0, RS_COPY, 0}},
     "unfinished",
     "lacks the data of rank"},
};

Test(collectives, that_are_none_are_told_in_words) {
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const written *w = &wrong[i];
        OWN_ARENA arena = {0};
        rs_error error = {.text = ""};
        rs_verdict verdict;
        rs_schedule s;
        cr_assert_eq(rs_schedule_from_list(3, w->n_chunks, w->n_steps, w->step_first, w->list,
                                           &arena, &error, &s),
                     RS_OK, "%s", error.text);
        cr_assert_eq(rs_schedule_as(&s, w->of, 0, &error), RS_OK, "%s", error.text);
        cr_assert_eq(rs_check(&s, NULL, &error, &verdict), RS_OK);
        cr_expect(!verdict.sound, "%d", (int)i);
        cr_expect_str_eq(rs_fault_name(verdict.fault), w->fault, "%d: %s", (int)i, verdict.text);
        cr_expect(strstr(verdict.text, w->says) != NULL, "%d: %s", (int)i, verdict.text);
    }
}

/* Cells that no collective defines may hold anything: a reduce that leaves garbage elsewhere is one. */
Test(collectives, ask_for_nothing_where_they_define_nothing) {
    const int64_t step_first[] = {0, 2, 3};
    const rs_transfer list[] = {
        {1, 0, 0, 1, 0, RS_REDUCE, 0}, {2, 1, 0, 1, 1, RS_COPY, 0}, {1, 0, 0, 1, 0, RS_REDUCE, 0}};
    OWN_ARENA arena = {0};
    rs_error error;
    rs_verdict verdict;
    rs_schedule s;
    cr_assert_eq(rs_schedule_from_list(3, 1, 2, step_first, list, &arena, &error, &s), RS_OK);
    rs_check(&s, NULL, &error, &verdict);
    cr_expect(!verdict.sound, "as an all-reduce it is none");
    cr_assert_eq(rs_schedule_as(&s, RS_COLL_REDUCE, 0, &error), RS_OK);
    rs_check(&s, NULL, &error, &verdict);
    cr_expect(verdict.sound, "%s", verdict.text);
}

Test(collectives, refuse_what_they_cannot_be) {
    const rs_algorithm *chain = rs_find_algorithm(RS_COLL_BROADCAST, "ring");
    rs_schedule s;
    rs_error error;
    rs_spec spec = {.n_ranks = 4, .root = 4};
    cr_expect_eq(rs_schedule_from_spec(chain, &spec, 9, &error, &s), RS_BAD_INPUT);
    spec = (rs_spec){.n_ranks = 4, .n_pieces = RS_MAX_PIECES + 1};
    cr_expect_eq(rs_schedule_from_spec(chain, &spec, 9, &error, &s), RS_BAD_INPUT);
    spec.n_pieces = 7;
    cr_assert_eq(rs_schedule_from_spec(chain, &spec, 9, &error, &s), RS_OK);
    cr_expect_eq(s.n_chunks, 7);
    cr_expect_eq(rs_schedule_from_spec(rs_algorithms[0], &spec, 9, &error, &s), RS_BAD_INPUT);
    spec = (rs_spec){.n_ranks = RS_MAX_ALL_TO_ALL + 1};
    cr_expect_eq(rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_TO_ALL, "direct"), &spec, 9,
                                       &error, &s),
                 RS_BAD_INPUT);
    OWN_ARENA arena = {0};
    const int64_t none[] = {0};
    cr_assert_eq(rs_schedule_from_list(3, 4, 0, none, NULL, &arena, &error, &s), RS_OK);
    cr_expect_eq(rs_schedule_as(&s, RS_COLL_ALL_GATHER, 0, &error), RS_BAD_INPUT);
    cr_expect_eq(rs_schedule_as(&s, RS_COLL_ALL_TO_ALL, 0, &error), RS_BAD_INPUT);
    cr_expect_eq(rs_schedule_as(&s, RS_COLL_REDUCE, 3, &error), RS_BAD_INPUT);
    cr_expect_eq(s.collective, RS_COLL_ALL_REDUCE, "untouched");
}

/* k chunks a shard: shards first, then their pieces, so that a shard is where its owner looks for it. */
Test(collectives, cut_the_array_into_shards_first) {
    OWN_ARENA arena = {0};
    rs_error error;
    rs_schedule s;
    const int64_t none[] = {0};
    cr_assert_eq(rs_schedule_from_list(3, 6, 0, none, NULL, &arena, &error, &s), RS_OK);
    cr_assert_eq(rs_schedule_as(&s, RS_COLL_ALL_GATHER, 0, &error), RS_OK);
    for (int64_t count = 0; count < 40; count++) {
        int64_t seen = 0;
        for (int32_t c = 0; c < 6; c++) {
            const int64_t first = rs_chunk_first(&s, count, c),
                          end = rs_chunk_first(&s, count, c + 1);
            cr_assert_eq(first, seen);
            if (c % 2 == 0) cr_assert_eq(first, rs_chunk_offset(count, 3, c / 2));
            for (int64_t i = first; i < end; i++) cr_assert_eq(rs_chunk_of(&s, count, i), c);
            cr_assert_leq(end - first, rs_largest_transfer(&s, count));
            seen = end;
        }
        cr_assert_eq(seen, count);
    }
}
