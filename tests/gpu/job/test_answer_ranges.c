/* test_answer_ranges.c: runs of all collectives: what a rank starts with, what it must hold at the end, and that each
   element that is not so is blamed on its rank, and no other. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job/backend.h"
#include "ringsim_gpu.h"
#include "support/backend_fixture.h"
#include "support/naive_apply.h"

enum { MOST_RANKS = 5, MOST_COUNT = 120, MOST_TRANSFERS = 400, MOST_STEPS = 40 };

static rs_schedule schedule_of(const rs_algorithm *algorithm, int32_t n, int32_t n_channels,
                               int64_t count) {
    rs_error error = {.text = ""};
    rs_schedule made;
    const bool rooted = rs_collective_rooted(algorithm->collective);
    const rs_spec spec = {.n_ranks = n, .root = rooted ? n / 2 : 0, .n_channels = n_channels};
    cr_assert_eq(rs_schedule_from_spec(algorithm, &spec, count, &error, &made), RS_OK, "%s",
                 error.text);
    return made;
}

static rg_job job_of(const rs_schedule *schedule, rs_dtype dtype, int64_t count) {
    rg_job job = backend_fixture_job(schedule, dtype, RS_SUM, count);
    job.oracle = false;
    return job;
}

/* Tells whether an element is the rank's at the start or at the end: chunk by chunk. */
static bool is_of(const rg_job *job, int32_t rank, int64_t element, bool at_the_end) {
    const rs_schedule *s = job->schedule;
    int32_t c = 0;
    while (rs_chunk_first(s, job->count, c + 1) <= element) c++;
    const rs_ends ends = rs_ends_of(s, c);
    const int32_t who = at_the_end ? ends.to : ends.from;
    return who == RS_EVERY_RANK || who == rank;
}

typedef void visit(const rs_schedule *schedule, int64_t count);

/* All collectives and their algorithms, some worlds and counts; of a machine's, several channels. */
static void visit_all(visit *each, bool channels) {
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        for (int i = 0; rs_algorithms_of((rs_collective)of)[i] != NULL; i++) {
            const rs_algorithm *algorithm = rs_algorithms_of((rs_collective)of)[i];
            for (int32_t n = 1; n <= MOST_RANKS; n++) {
                const int64_t counts[] = {0, 1, n, 2 * n + 1, MOST_COUNT - 1, MOST_COUNT};
                for (int k = 0; k < 6; k++) {
                    const int32_t n_channels = channels && !algorithm->one_channel ? 2 : 0;
                    const rs_schedule s = schedule_of(algorithm, n, n_channels, counts[k]);
                    each(&s, counts[k]);
                }
            }
        }
    }
}

static void check_ranges(const rs_schedule *s, int64_t count) {
    const rg_job job = job_of(s, RS_F32, count);
    for (int32_t r = 0; r < s->n_ranks; r++) {
        bool promised[MOST_COUNT] = {false};
        const rg_range held = rg_held(&job, r);
        int64_t n = 0, before = -1;
        for (rg_range range = {0}; rg_next_answer(&job, r, &range);
             before = range.first + range.n) {
            cr_assert(range.first > before && range.n > 0,
                      "ranges rise, and none touches the next");
            for (int64_t i = 0; i < range.n; i++) promised[range.first + i] = true;
            n += range.n;
        }
        cr_assert_eq(n, rg_count_answers(&job, r));
        for (int64_t i = 0; i < count; i++) {
            cr_assert_eq(promised[i], is_of(&job, r, i, true), "%s %s N=%d K=%d rank %d at %d",
                         rs_collective_name(s->collective), s->name, s->n_ranks, (int)count, r,
                         (int)i);
            cr_assert_eq(i >= held.first && i < held.first + held.n, is_of(&job, r, i, false));
        }
    }
}

Test(answer_ranges, they_are_the_chunks_that_the_collective_names) {
    visit_all(check_ranges, false);
    visit_all(check_ranges, true);
}

/* What is not data would show wherever it came: NaN, and integers that no two ranks have alike. */
static void check_noise(const rs_schedule *s, int64_t count) {
    const rg_job job = job_of(s, RS_F32, count), whole = job_of(s, RS_I64, count);
    int64_t others[MOST_COUNT] = {0};
    for (int32_t r = 0; r < s->n_ranks; r++) {
        float reals[MOST_COUNT];
        int64_t integers[MOST_COUNT];
        rg_fill(&job, r, NULL, reals);
        rg_fill(&whole, r, NULL, integers);
        for (int64_t i = 0; i < count; i++) {
            cr_assert_eq(isnan(reals[i]) != 0, !is_of(&job, r, i, false));
            cr_assert_neq(integers[i], others[i]);
        }
        memcpy(others, integers, sizeof others);
        for (int64_t first = 0; first < count; first += 7) { /* the same in parts */
            const int64_t n = count - first < 7 ? count - first : 7;
            float part[7];
            rg_fill_part(&job, r, first, n, part);
            cr_assert_arr_eq(part, reals + first, (size_t)n * sizeof *part);
        }
    }
}

Test(answer_ranges, what_is_no_data_at_the_start_is_noise) {
    visit_all(check_noise, false);
}

/* ------------------------------------------------------------------ who is blamed */

static void check_blame(const rs_schedule *s, int64_t count) {
    const rg_job job = job_of(s, RS_I32, count);
    const int32_t n = s->n_ranks;
    if (count == 0 || count == MOST_COUNT) return;
    rs_arena arena;
    rg_judge judge;
    rs_arena_init(&arena, NULL);
    cr_assert_eq(rg_judge_new(&job, 300, &arena, NULL, &judge), RS_OK);
    void **all = new_ranks(RS_DATA_INDEX, RS_I32, n, s->n_chunks, count, NULL);
    for (int32_t r = 0; r < n; r++) rg_fill(&job, r, NULL, all[r]);
    const rs_apply_options options = {.until_step = s->n_steps};
    apply_naively(s, RS_I32, RS_SUM, count, all, &options);
    for (int32_t r = 0; r < n; r++) {
        int32_t *mine = all[r], oracle[MOST_COUNT];
        memcpy(oracle, mine, (size_t)count * sizeof *oracle);
        for (int64_t i = -1; i < count; i++) {
            const bool counts = i >= 0 && is_of(&job, r, i, true);
            int64_t n_wrong[MOST_RANKS];
            rg_oracle_tally tally;
            if (i >= 0) mine[i] ^= 4;
            cr_assert_eq(rg_judge_count(&judge, (const void *const *)all, NULL, NULL, n_wrong),
                         RS_OK);
            rg_judge_oracle(&judge, r, mine, oracle, true, NULL, &tally);
            for (int32_t k = 0; k < n; k++) {
                cr_assert_eq(n_wrong[k], k == r && counts,
                             "%s %s N=%d K=%d rank %d at %d: %d of %d",
                             rs_collective_name(s->collective), s->name, n, (int)count, r, (int)i,
                             (int)n_wrong[k], k);
            }
            cr_assert(tally.n_differ == counts && tally.n_outside == counts &&
                      tally.n_unjudged == 0);
            if (i >= 0) mine[i] ^= 4;
        }
    }
    free_ranks(all, n);
    rs_arena_free(&arena);
}

Test(answer_ranges, each_element_that_is_not_the_answer_is_blamed_on_its_rank) {
    visit_all(check_blame, false);
}

/* Planted values, and integers near their end, excuse a library that adds; not one that only copies. */
Test(answer_ranges, what_is_only_copied_must_have_equal_bits) {
    enum { N = 2, COUNT = 8 };
    static const rs_dtype dtypes[] = {RS_F32, RS_I8};
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        for (int i = 0; i < 2; i++) {
            const rs_schedule s = schedule_of(rs_algorithms_of((rs_collective)of)[0], N, 0, COUNT);
            const bool adds = rs_collective_reduces(s.collective);
            rg_job job = job_of(&s, dtypes[i], COUNT);
            char result[4 * COUNT] = {0}, oracle[4 * COUNT] = {0};
            rs_arena arena;
            rg_judge judge;
            rg_oracle_tally tally;
            rs_arena_init(&arena, NULL);
            job.special = RG_OVERFLOW;
            cr_assert_eq(rg_judge_new(&job, 1000, &arena, NULL, &judge), RS_OK);
            rg_range own = {0};
            cr_assert(rg_next_answer(&job, 1, &own));
            for (int64_t k = 0; k < own.n; k++) { /* all of it, so that planted places are met */
                oracle[(own.first + k) * rs_dtype_bytes(job.dtype)] = 1;
            }
            rg_judge_oracle(&judge, 1, result, oracle, false, NULL, &tally);
            cr_expect_eq(tally.n_differ, own.n);
            cr_expect_eq(tally.n_unjudged > 0, adds, "%s", rs_collective_name(s.collective));
            cr_expect_eq(rg_oracle_bound(&job), 0);
            if (!adds) cr_expect_eq(tally.n_outside, tally.n_differ);
            rs_arena_free(&arena);
        }
    }
}

/* ------------------------------------------------------------------ the reference */

static void check_right(const rs_schedule *s, int64_t count) {
    static int turn;
    rg_group *cpu = backend_fixture_open(RG_CPU, NULL, s->n_ranks);
    for (int i = 0; i < 3; i++, turn++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rg_job job = job_of(s, (rs_dtype)(turn % RS_N_DTYPES), count);
        if (rs_collective_reduces(s->collective)) job.op = (rs_op)(turn * 7 % RS_N_OPS);
        job.special = (rg_special)(turn / 3 % RG_N_SPECIALS);
        job.in_place = turn % 2 == 0;
        job.times = 1 + turn % 2;
        job.check_every = true;
        const rg_result whole = backend_fixture_run(cpu, &job, &arena);
        cr_assert(whole.n_wrong == 0 && whole.n_spoilt == 0, "%s %s N=%d K=%d %s: %lld wrong",
                  rs_collective_name(s->collective), s->name, s->n_ranks, (int)count,
                  rs_dtype_name(job.dtype), (long long)whole.n_wrong);
        job.window_bytes = 100;
        const rg_result cut = backend_fixture_run(cpu, &job, &arena);
        cr_assert_eq(cut.n_wrong, 0);
        cr_assert_arr_eq(cut.crc32, whole.crc32, (size_t)s->n_ranks * sizeof *cut.crc32);
        rs_arena_free(&arena);
    }
    rg_group_close(cpu);
}

Test(answer_ranges, the_reference_is_right_for_every_collective) {
    visit_all(check_right, false);
    visit_all(check_right, true);
}

/* Leaves one transfer of the schedule out. */
static rs_schedule without(const rs_schedule *s, int64_t left_out, rs_arena *arena) {
    rs_transfer list[MOST_TRANSFERS], t;
    int64_t first[MOST_STEPS + 1] = {0}, n = 0, at = 0;
    rs_schedule made;
    cr_assert(s->n_steps <= MOST_STEPS && s->n_transfers <= MOST_TRANSFERS);
    for (int32_t step = 0; step < s->n_steps; step++) {
        for (rs_cursor c = {0}; rs_next_transfer(s, step, &c, &t);) {
            if (at++ != left_out) list[n++] = t;
        }
        first[step + 1] = n;
    }
    cr_assert_eq(
        rs_schedule_from_list(s->n_ranks, s->n_chunks, s->n_steps, first, list, arena, NULL, &made),
        RS_OK);
    cr_assert_eq(rs_schedule_as(&made, s->collective, s->root, NULL), RS_OK);
    return made;
}

/* A transfer that is missing shows: somebody keeps noise, or a part of a sum. */
Test(answer_ranges, no_transfer_can_be_left_out_unseen) {
    enum { N = 4, COUNT = 48 };
    rg_group *cpu = backend_fixture_open(RG_CPU, NULL, N);
    for (int of = RS_COLL_REDUCE_SCATTER; of < RS_N_COLLECTIVES; of++) {
        for (int i = 0; rs_algorithms_of((rs_collective)of)[i] != NULL; i++) {
            const rs_schedule s = schedule_of(rs_algorithms_of((rs_collective)of)[i], N, 0, COUNT);
            for (int64_t k = -1; k < s.n_transfers; k++) {
                rs_arena arena;
                rs_arena_init(&arena, NULL);
                const rs_schedule less = without(&s, k, &arena);
                rg_job job = job_of(&less, k % 2 == 0 ? RS_F32 : RS_I32, COUNT);
                for (int place = 0; place < 2; place++) {
                    job.in_place = place == 1;
                    job.times = 2; /* the second has the first one's result before it */
                    const rg_result result = backend_fixture_run(cpu, &job, &arena);
                    cr_expect_eq(result.n_wrong > 0, k >= 0, "%s %s without %d of %d",
                                 rs_collective_name(less.collective), s.name, (int)k,
                                 (int)s.n_transfers);
                }
                rs_arena_free(&arena);
            }
        }
    }
    rg_group_close(cpu);
}

/* N - 1 additions, each of which rounds; an average may round twice more, before and after. */
Test(answer_ranges, bound_is_a_rounding_for_each_addition) {
    for (int32_t n = 1; n <= MOST_RANKS; n++) {
        const rs_schedule s = schedule_of(rs_algorithms_of(RS_COLL_ALL_REDUCE)[0], n, 0, 20);
        rg_job job = job_of(&s, RS_F32, 20);
        cr_expect_float_eq(rg_oracle_bound(&job), (n - 1) * ldexp(1, -24), 1e-15);
        job.op = RS_AVG;
        cr_expect_float_eq(rg_oracle_bound(&job), (n + 1) * ldexp(1, -24), 1e-15);
        job.op = RS_MAX;
        cr_expect_eq(rg_oracle_bound(&job), 0);
    }
}
