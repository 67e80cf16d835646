/* backend_fixture.c: a backend's runs beside the reference's. See backend_fixture.h. */
#include "support/backend_fixture.h"

#include "support/own.h"
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "support/naive_apply.h"

rg_group *backend_fixture_open(rg_kind kind, const char *program, int32_t n) {
    const char *ours = getenv("RINGSIM"), *build = getenv("BUILD");
    if (program == NULL) program = ours != NULL ? ours : "./ringsim";
    const char *dirs[] = {build != NULL ? build : "build", NULL};
    const rg_setup setup = {.n_ranks = n, .program = program, .module_dirs = dirs};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    if (!rg_available(kind, &setup, &error)) cr_skip_test("%s", error.text);
    cr_assert_eq(rg_group_open(kind, &setup, NULL, &error, &group), RS_OK, "%s", error.text);
    return group;
}

rg_job backend_fixture_job(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count) {
    return (rg_job){.schedule = schedule,
                    .dtype = dtype,
                    .op = op,
                    .count = count,
                    .data = RS_DATA_RANDOM,
                    .seed = 11,
                    .times = 1,
                    .flip_rank = -1,
                    .oracle = true};
}

rg_result backend_fixture_run(rg_group *group, const rg_job *job, rs_arena *arena) {
    rs_error error = {.text = ""};
    rg_result result;
    cr_assert_eq(rg_group_run(group, job, arena, &error, &result), RS_OK, "%s", error.text);
    cr_assert(result.completed, "%s", result.failure);
    return result;
}

void backend_fixture_check(rg_group *group, rg_group *cpu, const rg_job *job) {
    OWN_ARENA arena = {0};
    const int32_t n = job->schedule->n_ranks;
    const rg_result a = backend_fixture_run(group, job, &arena),
                    b = backend_fixture_run(cpu, job, &arena);
    const bool same = job->special != RG_PLAIN || memcmp(a.crc32, b.crc32, (size_t)n * 4) == 0;
    cr_assert(a.n_wrong == 0 && a.n_spoilt == 0 && a.oracle_outside == 0 && same,
              "%s %s %s N=%d K=%d %s: %lld wrong, %lld spoilt, %lld outside%s", job->schedule->name,
              rs_dtype_name(job->dtype), rs_op_name(job->op), (int)n, (int)job->count,
              rg_special_name(job->special), (long long)a.n_wrong, (long long)a.n_spoilt,
              (long long)a.oracle_outside, same ? "" : ", other bits than the reference");
    cr_assert(a.has_oracle || !job->oracle);
}

/* One schedule with every other type, the next one with the others; operations, special values, places of arrays take turns. */
static void check_schedule(rg_kind kind, rg_group *group, rg_group *cpu, const rs_schedule *s,
                           int64_t count, int first) {
    static int turn;
    const bool all = getenv("RINGSIM_VERIFY_ALL") != NULL;
    for (int d = all ? 0 : first; d < RS_N_DTYPES; d += all ? 1 : 2, turn++) {
        for (int i = 0; i < (all ? RS_N_OPS * RG_N_SPECIALS : 1); i++) {
            const int choice = all ? i : turn * 7; /* 7 and 30 have no divisor in common */
            rg_job job = backend_fixture_job(s, (rs_dtype)d, (rs_op)(choice % RS_N_OPS), count);
            job.oracle = kind != RG_CUDA; /* one process asks nobody */
            job.special = (rg_special)(choice / RS_N_OPS % RG_N_SPECIALS);
            job.in_place = (turn + i) % 2 == 0;
            job.offset = (turn + i) / 2 % 2;
            backend_fixture_check(group, cpu, &job);
        }
    }
}

/* The other collectives, with the library's own call where it takes such a count. */
static void check_collective(rg_kind kind, rg_group *group, rg_group *cpu,
                             const rs_algorithm *algorithm, int32_t n, int turn) {
    const bool rooted = rs_collective_rooted(algorithm->collective);
    const int64_t counts[] = {0, 1, 2 * n + 1, 4 * n * n, 100 * n * n};
    for (int k = 0; k < 5; k++, turn++) {
        const rs_spec spec = {.n_ranks = n,
                              .root = rooted ? turn % n : 0,
                              .n_channels = k == 3 && !algorithm->one_channel ? 2 : 0};
        rs_schedule s;
        cr_assert_eq(rs_schedule_from_spec(algorithm, &spec, counts[k], NULL, &s), RS_OK);
        const rs_op op =
            rs_collective_reduces(s.collective) ? (rs_op)(turn / 3 % RS_N_OPS) : RS_SUM;
        rg_job job = backend_fixture_job(&s, (rs_dtype)((7 * turn + turn / 10) % RS_N_DTYPES), op,
                                         counts[k]);
        job.oracle = kind != RG_CUDA && k != 2 && (k != 1 || rooted);
        if (turn % 3 == 0) job.special = (rg_special)(turn / 3 % RG_N_SPECIALS);
        job.in_place = (turn + turn / 5) % 2 == 1;
        job.offset = turn / 7 % 2;
        backend_fixture_check(group, cpu, &job);
    }
}

void backend_fixture_collectives(rg_kind kind, rg_group *group, rg_group *cpu, int32_t n) {
    int turn = 17 * n; /* other choices in each world */
    for (int of = RS_COLL_REDUCE_SCATTER; of < RS_N_COLLECTIVES; of++) {
        const rs_algorithm *const *algorithms = rs_algorithms_of((rs_collective)of);
        for (int i = 0; algorithms[i] != NULL; i++, turn += 5) {
            check_collective(kind, group, cpu, algorithms[i], n, turn);
        }
    }
}

/* Takes every other message of the last step out of it. */
static rs_schedule spoil(const rs_schedule *s, rs_arena *arena) {
    enum { MOST = 100 };
    rs_transfer list[MOST], t;
    int64_t first[MOST + 1] = {0}, n = 0;
    rs_schedule made;
    cr_assert(s->n_steps <= MOST && s->n_transfers <= MOST);
    for (int32_t step = 0, k = 0; step < s->n_steps; step++) {
        for (rs_cursor c = {0}; rs_next_transfer(s, step, &c, &t); k++) {
            if (step < s->n_steps - 1 || k % 2 == 0) list[n++] = t;
        }
        first[step + 1] = n;
    }
    cr_assert_eq(
        rs_schedule_from_list(s->n_ranks, s->n_chunks, s->n_steps, first, list, arena, NULL, &made),
        RS_OK);
    cr_assert_eq(rs_schedule_as(&made, s->collective, s->root, NULL), RS_OK);
    return made;
}

void backend_fixture_blame(rg_kind kind, const char *program) {
    enum { N = 3, COUNT = 36 };
    rg_group *group = backend_fixture_open(kind, program, N),
             *cpu = backend_fixture_open(RG_CPU, program, N);
    for (int of = RS_COLL_REDUCE_SCATTER; of < RS_N_COLLECTIVES; of++) {
        const rs_algorithm *usual = rs_algorithms_of((rs_collective)of)[0];
        const rs_spec spec = {.n_ranks = N};
        OWN_ARENA arena = {0};
        rs_schedule s;
        cr_assert_eq(rs_schedule_from_spec(usual, &spec, COUNT, NULL, &s), RS_OK);
        const rs_schedule spoilt = spoil(&s, &arena);
        for (int turn = 0; turn < 4; turn++) { /* a message is lost; a bit flips */
            rg_job job = backend_fixture_job(turn < 2 ? &spoilt : &s, RS_I32, RS_SUM, COUNT);
            job.in_place = turn % 2 == 1;
            if (turn >= 2) {
                rs_transfer t;
                rs_cursor c = {0};
                job.flip_step = s.n_steps - 1;
                cr_assert(rs_next_transfer(&s, job.flip_step, &c, &t));
                job.flip_rank = t.src;
            }
            const rg_result a = backend_fixture_run(group, &job, &arena),
                            b = backend_fixture_run(cpu, &job, &arena);
            cr_expect(a.n_wrong > 0 && a.n_wrong == b.n_wrong, "%s %d: %lld wrong, not %lld",
                      rs_collective_name(s.collective), turn, (long long)a.n_wrong,
                      (long long)b.n_wrong);
            cr_expect_arr_eq(a.wrong, b.wrong, N * sizeof *a.wrong);
            cr_expect_arr_eq(a.crc32, b.crc32, N * sizeof *a.crc32);
        }
    }
    rg_group_close(group);
    rg_group_close(cpu);
}

void backend_fixture_world(rg_kind kind, const char *program, int32_t n) {
    rg_group *group = backend_fixture_open(kind, program, n),
             *cpu = backend_fixture_open(RG_CPU, program, n);
    const int64_t counts[] = {0, 1, n - 1, n, n + 1, 1000};
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        /* of one channel it is the ring */
        if (strcmp(rs_algorithms[i]->name, "rings") == 0) continue;
        for (int k = 0; k < 6; k++) {
            const rs_order order = k % 2 == 0 && i == 0 ? RS_ORDER_NCCL : RS_ORDER_SEED;
            const rs_schedule s = make_schedule(rs_algorithms[i]->name, order, n, counts[k]);
            check_schedule(kind, group, cpu, &s, counts[k], (i + k) % 2);
        }
    }
    if (n <= 5) backend_fixture_collectives(kind, group, cpu, n);
    rg_group_close(group);
    rg_group_close(cpu);
}

void backend_fixture_flips(rg_kind kind, const char *program) {
    enum { N = 3 };
    rg_group *group = backend_fixture_open(kind, program, N),
             *cpu = backend_fixture_open(RG_CPU, program, N);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 12);
    for (int32_t step = 0; step < s.n_steps; step++) {
        for (int32_t rank = 0; rank < N; rank++) {
            OWN_ARENA arena = {0};
            rg_job job = backend_fixture_job(&s, RS_I32, RS_SUM, 12);
            job.flip_rank = rank;
            job.flip_step = step;
            const rg_result a = backend_fixture_run(group, &job, &arena),
                            b = backend_fixture_run(cpu, &job, &arena);
            cr_expect(a.n_wrong > 0 && a.n_wrong == b.n_wrong);
            cr_expect_arr_eq(a.wrong, b.wrong, N * sizeof *a.wrong);
            cr_expect_arr_eq(a.crc32, b.crc32, N * sizeof *a.crc32);
        }
    }
    rg_group_close(group);
    rg_group_close(cpu);
}

void backend_fixture_runs(rg_kind kind, const char *program) {
    enum { N = 3, RUNS = 4 };
    rg_group *group = backend_fixture_open(kind, program, N);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 12);
    OWN_ARENA arena = {0};
    rg_job job = backend_fixture_job(&s, RS_I32, RS_SUM, 12);
    job.flip_rank = job.flip_step = 1;
    const rg_result one = backend_fixture_run(group, &job, &arena);
    cr_assert(one.n_wrong > 0 && one.n_checked == 1 && one.first_wrong_run == 1);
    job.times = RUNS;
    for (int i = 0; i < 4 * (RUNS + 1); i++) { /* each run, and none */
        const int32_t hit = i / 4 < RUNS ? i / 4 + 1 : 0;
        job.check_every = i % 2 == 0;
        job.in_place = i / 2 % 2 == 0;
        job.flip_rank = hit > 0 ? 1 : -1;
        job.flip_run = hit;
        const bool found = hit == RUNS || (hit > 0 && job.check_every);
        const rg_result r = backend_fixture_run(group, &job, &arena);
        cr_expect_eq(r.n_checked, job.check_every ? RUNS : 1);
        cr_expect_eq(r.n_wrong_runs, found);
        cr_expect_eq(r.first_wrong_run, found ? hit : 0, "run %d, not %d", (int)r.first_wrong_run,
                     (int)hit);
        cr_expect_eq(r.n_wrong, found ? one.n_wrong : 0);
        for (int k = 0; k < N; k++) cr_expect_eq(r.wrong[k], found && one.wrong[k]);
    }
    rg_group_close(group);
}

/* Two messages between the same ranks in a step, cells read and written in it, ranges of chunks. */
void backend_fixture_list(rg_kind kind, const char *program) {
    static const char text[] = "ringsim-schedule 1\nranks 3\nchunks 4\n"
                               "step\n0 -> 1 chunk 0..3 reduce\n1 -> 2 chunk 0..3 reduce\n"
                               "step\n2 -> 1 chunk 3 copy\n2 -> 1 chunk 0..2 copy\n"
                               "0 -> 2 chunk 1 reduce\n1 -> 2 chunk 1 reduce\n";
    rg_group *group = backend_fixture_open(kind, program, 3),
             *cpu = backend_fixture_open(RG_CPU, program, 3);
    for (int d = 0; d < RS_N_DTYPES; d++) {
        OWN_ARENA arena = {0};
        rs_schedule s;
        cr_assert_eq(rs_parse_schedule(text, sizeof text - 1, &arena, NULL, &s), RS_OK);
        const rg_job job = backend_fixture_job(&s, (rs_dtype)d, RS_SUM, 101);
        const rg_result a = backend_fixture_run(group, &job, &arena),
                        b = backend_fixture_run(cpu, &job, &arena);
        cr_expect_arr_eq(a.crc32, b.crc32, 3 * sizeof *a.crc32);
        cr_expect(a.n_wrong > 0 && a.n_wrong == b.n_wrong, "it is no all-reduce");
    }
    rg_group_close(group);
    rg_group_close(cpu);
}

void backend_fixture_trace(rg_kind kind, const char *program) {
    enum { N = 4 };
    rg_group *group = backend_fixture_open(kind, program, N);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 4000);
    OWN_ARENA arena = {0};
    rg_job job = backend_fixture_job(&s, RS_F32, RS_SUM, 4000);
    job.trace = true;
    {
        const rg_result result = backend_fixture_run(group, &job, &arena);
        cr_assert_not_null(result.trace);
        cr_assert_eq(result.trace->n_items, s.n_transfers);
        int64_t left_ps[N] = {0}, first_ps = INT64_MAX, adding_ps = 0;
        for (int64_t i = 0; i < result.trace->n_items; i++) {
            const rs_timed *t = &result.trace->items[i];
            cr_expect(t->start_ps >= 0 && t->start_ps <= t->end_ps && t->end_ps <= t->done_ps);
            if (t->start_ps < first_ps) first_ps = t->start_ps;
            if (t->transfer.effect == RS_REDUCE) adding_ps += t->done_ps - t->end_ps;
            /* The receiver has left the step before: all it had to add there is added. */
            cr_expect_geq(t->start_ps, left_ps[t->transfer.dst]);
            left_ps[t->transfer.dst] = t->done_ps;
        }
        cr_expect_eq(first_ps, 0);
        cr_expect_gt(adding_ps, 0);
    }
    rg_group_close(group);
}
