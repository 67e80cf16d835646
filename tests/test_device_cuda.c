/* test_device_cuda.c: the cuda backend, whole, on the EMULATED device of tests/device: no GPU has seen any of
   this. What is shown is that plan, kernels and host code together give the reference's bits in whatever
   order threads, blocks and streams take turns; of a real GPU's speed or memory nothing.

   RINGSIM_VERIFY_ALL=1 runs every combination instead of every pair of values; that takes hours. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "emulator.h"
#include "literal.h"
#include "ringsim_gpu.h"

/* Makes a machine of emulated devices: "EMU_DEVICES=2 EMU_PEERS=0". */
static void machine(const char *settings) {
    static const char *const known[] = {
        "EMU_DEVICES", "EMU_PEERS",   "EMU_MEMORY",      "EMU_SMS",
        "EMU_BLOCKS",  "EMU_DRIVER",  "EMU_COOPERATIVE", "EMU_CAPABILITY",
        "EMU_SEED",    "EMU_HANG_MS", "EMU_FAIL",        "CUDA_VISIBLE_DEVICES"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) unsetenv(known[i]);
    char text[256];
    snprintf(text, sizeof text, "%s", settings);
    for (char *at = strtok(text, " "); at != NULL; at = strtok(NULL, " ")) {
        char *value = strchr(at, '=');
        *value = '\0';
        setenv(at, value + 1, 1);
    }
    emu_reset();
}

static rg_group *open_group(rg_kind kind, int32_t n, int32_t kernel) {
    const rg_setup setup = {.n_ranks = n, .kernel = kernel};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    cr_assert_eq(rg_group_open(kind, &setup, NULL, &error, &group), RS_OK, "%s", error.text);
    return group;
}

static rg_job job_of(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count) {
    return (rg_job){.schedule = schedule,
                    .dtype = dtype,
                    .op = op,
                    .count = count,
                    .data = RS_DATA_RANDOM,
                    .seed = 5,
                    .times = 1,
                    .flip_rank = -1,
                    .timeout_ms = 60000};
}

static rg_result run(rg_group *group, const rg_job *job, rs_arena *arena) {
    rs_error error = {.text = ""};
    rg_result result;
    cr_assert_eq(rg_group_run(group, job, arena, &error, &result), RS_OK, "%s", error.text);
    cr_assert(result.completed, "%s", result.failure);
    return result;
}

/* ------------------------------------------------------------------ the reference's bits */

enum {
    ALGORITHM,
    ORDER,
    DTYPE,
    OP,
    RANKS,
    COUNT,
    SPECIAL,
    PLACE,
    OFFSET,
    RUNG,
    N_FACTORS,
    MOST = 10
};
typedef struct product {
    int n[N_FACTORS]; /* how many values each factor has */
    bool met[N_FACTORS][N_FACTORS][MOST][MOST];
    int64_t n_left; /* pairs of values that have not met yet */
} product;

static int n_algorithms(void) {
    int n = 0;
    while (rs_algorithms[n] != NULL) n++;
    return n;
}

static product product_new(void) {
    product p = {.n = {n_algorithms(), 2, RS_N_DTYPES, RS_N_OPS, 6, 7, RG_N_SPECIALS, 2, 2, 4}};
    for (int a = 0; a < N_FACTORS; a++) {
        for (int b = a + 1; b < N_FACTORS; b++) p.n_left += p.n[a] * p.n[b];
    }
    return p;
}

/* Counts the pairs of a choice that have not met; `meet`: now they have. */
static int new_pairs(product *p, const int choice[N_FACTORS], bool meet) {
    int n = 0;
    for (int a = 0; a < N_FACTORS; a++) {
        for (int b = a + 1; b < N_FACTORS; b++) {
            bool *met = &p->met[a][b][choice[a]][choice[b]];
            n += !*met;
            if (meet) *met = true;
        }
    }
    if (meet) p->n_left -= n;
    return n;
}

/* Of some drawn choices the one in which the most new pairs meet. */
static void choose(product *p, uint64_t *state, int choice[N_FACTORS]) {
    int most = -1;
    for (int k = 0; k < 60; k++) {
        int drawn[N_FACTORS];
        for (int f = 0; f < N_FACTORS; f++) drawn[f] = random_below(state, p->n[f]);
        const int n = new_pairs(p, drawn, false);
        if (n <= most) continue;
        most = n;
        memcpy(choice, drawn, sizeof drawn);
    }
    new_pairs(p, choice, true);
}

/* Runs one combination on the emulated device and on the cpu backend. */
static void check(const int choice[N_FACTORS]) {
    static const int32_t worlds[] = {1, 2, 3, 4, 5, 8};
    const int32_t n = worlds[choice[RANKS]];
    const int64_t counts[] = {0, 1, n - 1, n, n + 1, 1000, 3001};
    const char *name = rs_algorithms[choice[ALGORITHM]]->name;
    const rs_schedule s = make_schedule(name, choice[ORDER] == 0 ? RS_ORDER_SEED : RS_ORDER_NCCL, n,
                                        counts[choice[COUNT]]);
    rg_job job = job_of(&s, (rs_dtype)choice[DTYPE], (rs_op)choice[OP], counts[choice[COUNT]]);
    job.special = (rg_special)choice[SPECIAL];
    job.in_place = choice[PLACE] == 0;
    job.offset = choice[OFFSET];
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rg_group *cuda = open_group(RG_CUDA, n, choice[RUNG] + 1), *cpu = open_group(RG_CPU, n, 0);
    const rg_result a = run(cuda, &job, &arena), b = run(cpu, &job, &arena);
    const bool same = job.special != RG_PLAIN || memcmp(a.crc32, b.crc32, (size_t)n * 4) == 0;
    cr_assert(a.n_wrong == 0 && a.n_spoilt == 0 && same && !a.has_oracle,
              "%s %s %s N=%d K=%d %s %s offset %d kernel %d: %lld wrong, %lld spoilt%s", name,
              rs_dtype_name(job.dtype), rs_op_name(job.op), (int)n, (int)job.count,
              rg_special_name(job.special), job.in_place ? "in place" : "out of place",
              (int)job.offset, choice[RUNG] + 1, (long long)a.n_wrong, (long long)a.n_spoilt,
              same ? "" : ", other bits than the reference");
    rg_group_close(cuda);
    rg_group_close(cpu);
    rs_arena_free(&arena);
}

static void check_all(void) {
    const product p = product_new();
    int choice[N_FACTORS] = {0};
    for (int f = 0; f < N_FACTORS;) {
        check(choice);
        for (f = 0; f < N_FACTORS && ++choice[f] == p.n[f]; f++) choice[f] = 0;
    }
}

static void check_pairs(uint64_t seed) {
    product p = product_new();
    uint64_t state = seed;
    int n = 0;
    for (; p.n_left > 0; n++) {
        int choice[N_FACTORS];
        choose(&p, &state, choice);
        check(choice);
    }
    cr_assert_gt(n, 70, "ten types times seven counts must meet, at the least");
}

Test(device_cuda, every_pair_of_what_can_be_asked_gives_the_bits_of_the_reference) {
    machine("EMU_SEED=1");
    if (getenv("RINGSIM_VERIFY_ALL") != NULL) {
        check_all();
    } else {
        check_pairs(1);
        machine(""); /* in order */
        check_pairs(11);
    }
    cr_assert_eq(emu_live_allocations(), 0, "memory of the device is left behind");
}

Test(device_cuda, two_devices_that_reach_each_other_give_the_same_bits) {
    machine("EMU_DEVICES=2 EMU_SEED=2");
    check_pairs(2);
    cr_assert_eq(emu_live_allocations(), 0);
}

Test(device_cuda, three_devices_that_do_not_reach_each_other_meet_in_the_hosts_memory) {
    machine("EMU_DEVICES=3 EMU_PEERS=0 EMU_SEED=3");
    check_pairs(3);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 5, 1000);
    const rg_job job = job_of(&s, RS_F32, RS_SUM, 1000);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rg_group *group = open_group(RG_CUDA, 5, 0);
    const rg_result result = run(group, &job, &arena);
    cr_expect(strstr(result.note, "host's memory") != NULL, "%s", result.note);
    rg_group_close(group);
    rs_arena_free(&arena);
    cr_assert_eq(emu_live_allocations(), 0);
}

Test(device_cuda, a_million_elements_and_three) {
    machine("");
    const int64_t count = (1 << 20) + 3;
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, count);
    rg_group *cpu = open_group(RG_CPU, 4, 0);
    for (int32_t rung = 2; rung <= 4; rung += 2) {
        rg_group *cuda = open_group(RG_CUDA, 4, rung);
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rg_job job = job_of(&s, RS_BF16, RS_SUM, count);
        job.in_place = rung == 2;
        job.offset = 1;
        const rg_result a = run(cuda, &job, &arena), b = run(cpu, &job, &arena);
        cr_expect(a.n_wrong == 0 && a.n_spoilt == 0);
        cr_expect_arr_eq(a.crc32, b.crc32, 4 * sizeof *a.crc32);
        rg_group_close(cuda);
        rs_arena_free(&arena);
    }
    rg_group_close(cpu);
}

/* ------------------------------------------------------------------ schedules from files */

/* Cells that are sent and written in one step, several messages into one cell, whole ranges. */
static const char *const files[] = {
    "ringsim-schedule 1\nranks 2\nchunks 1\nstep\n"
    "0 -> 1 chunk 0 reduce\n1 -> 0 chunk 0 reduce\n",
    "ringsim-schedule 1\nranks 4\nchunks 3\nstep\n"
    "0 -> 1 chunk 0..2 reduce\n1 -> 0 chunk 0..2 reduce\n2 -> 3 chunk 0..2 reduce\n"
    "3 -> 2 chunk 0..2 reduce\nstep\n"
    "0 -> 2 chunk 0..2 reduce\n2 -> 0 chunk 0..2 reduce\n1 -> 3 chunk 0..2 reduce\n"
    "3 -> 1 chunk 0..2 reduce\n",
    "ringsim-schedule 1\nranks 4\nchunks 2\nstep\n"
    "1 -> 0 chunk 0..1 reduce\n2 -> 0 chunk 0..1 reduce\n3 -> 0 chunk 0..1 reduce\nstep\n"
    "0 -> 1 chunk 0..1 copy\n0 -> 2 chunk 0..1 copy\n0 -> 3 chunk 0..1 copy\n",
    /* unsound: all agree on what comes of it */
    "ringsim-schedule 1\nranks 3\nchunks 2\nstep\n"
    "0 -> 1 chunk 0 copy\n1 -> 2 chunk 0..1 reduce\n2 -> 1 chunk 0 reduce\n2 -> 0 chunk 1 copy\n"
    "step\n1 -> 0 chunk 0..1 reduce\n0 -> 1 chunk 1 copy\n",
};

static void check_file(const char *text, int32_t rung, bool in_place) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_schedule s;
    rs_error error = {.text = ""};
    cr_assert_eq(rs_parse_schedule(text, strlen(text), &arena, &error, &s), RS_OK, "%s",
                 error.text);
    rg_group *cuda = open_group(RG_CUDA, s.n_ranks, rung), *cpu = open_group(RG_CPU, s.n_ranks, 0);
    rg_job job = job_of(&s, RS_F32, RS_SUM, 777);
    job.in_place = in_place;
    const rg_result a = run(cuda, &job, &arena), b = run(cpu, &job, &arena);
    cr_expect_eq(a.n_wrong, b.n_wrong);
    cr_expect_eq(a.n_spoilt, 0);
    cr_expect_arr_eq(a.crc32, b.crc32, (size_t)s.n_ranks * sizeof *a.crc32, "kernel %d\n%s",
                     (int)rung, text);
    rg_group_close(cuda);
    rg_group_close(cpu);
    rs_arena_free(&arena);
}

Test(device_cuda, schedules_from_files_exchange_and_pile_up) {
    for (int devices = 1; devices <= 2; devices++) {
        machine(devices == 1 ? "EMU_SEED=4" : "EMU_DEVICES=2 EMU_SEED=4");
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            for (int32_t rung = 1; rung <= 4; rung++) {
                check_file(files[i], rung, true);
                check_file(files[i], rung, false);
            }
        }
    }
}

/* ------------------------------------------------------------------ what goes wrong */

Test(device_cuda, a_flipped_bit_is_found_and_the_right_ranks_are_named) {
    enum { N = 4 };
    machine("");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 1000);
    rg_group *cpu = open_group(RG_CPU, N, 0);
    for (int32_t rung = 1; rung <= 4; rung++) {
        rg_group *cuda = open_group(RG_CUDA, N, rung);
        for (int32_t step = 0; step < s.n_steps; step++) {
            rs_arena arena;
            rs_arena_init(&arena, NULL);
            rg_job job = job_of(&s, RS_I32, RS_SUM, 1000);
            job.flip_rank = (step + rung) % N;
            job.flip_step = step;
            const rg_result a = run(cuda, &job, &arena), b = run(cpu, &job, &arena);
            cr_expect_gt(a.n_wrong, 0);
            cr_expect_eq(a.n_wrong, b.n_wrong);
            cr_expect_arr_eq(a.wrong, b.wrong, N * sizeof *a.wrong);
            cr_expect_arr_eq(a.crc32, b.crc32, N * sizeof *a.crc32);
            cr_expect_gt(a.time_ps, 0);
            rs_arena_free(&arena);
        }
        rg_group_close(cuda);
    }
    rg_group_close(cpu);
}

/* Returns what rg_group_run says; the job is not to succeed. */
static rs_status fail(rg_group *group, const rg_job *job, rs_error *error) {
    rs_arena arena;
    rg_result result;
    rs_arena_init(&arena, NULL);
    const rs_status status = rg_group_run(group, job, &arena, error, &result);
    rs_arena_free(&arena);
    return status;
}

static void expect_in(const char *text, const char *part) {
    cr_expect(strstr(text, part) != NULL, "`%s` says nothing of `%s`", text, part);
}

Test(device_cuda, too_little_memory_is_seen_before_and_a_smaller_job_runs) {
    machine("EMU_MEMORY=128");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 8 << 20);
    rg_group *group = open_group(RG_CUDA, 4, 0);
    rs_error error = {.text = ""};
    const rg_job large = job_of(&s, RS_F32, RS_SUM, 8 << 20);
    cr_expect_eq(fail(group, &large, &error), RS_NO_MEMORY);
    expect_in(error.text, "4 ranks need 0.25 GiB");
    expect_in(error.text, "take smaller sizes");
    const rs_schedule smaller = make_schedule("ring", RS_ORDER_SEED, 4, 1000);
    const rg_job small = job_of(&smaller, RS_F32, RS_SUM, 1000);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    cr_expect_eq(run(group, &small, &arena).n_wrong, 0);
    rs_arena_free(&arena);
    rg_group_close(group);
    cr_assert_eq(emu_live_allocations(), 0);
}

static bool say_no(void *context, const char *what, int64_t done, int64_t total) {
    (void)what, (void)total;
    return done < *(const int *)context;
}

Test(device_cuda, a_cancelled_run_leaves_a_group_that_works) {
    machine("");
    int patience = 2;
    const rs_host host = {.context = &patience, .progress = say_no};
    const rg_setup setup = {.n_ranks = 3};
    rs_error error = {.text = ""};
    rg_group *group;
    cr_assert_eq(rg_group_open(RG_CUDA, &setup, &host, &error, &group), RS_OK, "%s", error.text);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 3, 100);
    rg_job job = job_of(&s, RS_F32, RS_SUM, 100);
    job.times = 10;
    cr_expect_eq(fail(group, &job, &error), RS_CANCELLED);
    patience = 1000;
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    cr_expect_eq(run(group, &job, &arena).n_wrong, 0);
    rs_arena_free(&arena);
    rg_group_close(group);
    cr_assert_eq(emu_live_allocations(), 0);
}

Test(device_cuda, kernel_4_is_refused_where_not_all_blocks_run_at_once) {
    enum { N = 8 };
    machine("EMU_SMS=1 EMU_BLOCKS=4");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 100);
    const rg_job job = job_of(&s, RS_F32, RS_SUM, 100);
    rs_error error = {.text = ""};
    rg_group *group = open_group(RG_CUDA, N, 4);
    cr_expect_eq(fail(group, &job, &error), RS_UNSUPPORTED);
    expect_in(error.text, "8 ranks need one each");
    rg_group_close(group);
    group = open_group(RG_CUDA, N, 0);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rg_result result = run(group, &job, &arena);
    cr_expect_eq(result.n_wrong, 0);
    expect_in(result.note, "kernel 3");
    rs_arena_free(&arena);
    rg_group_close(group);
}

Test(device_cuda, a_kernel_that_fails_ends_the_run_and_the_group) {
    machine("EMU_FAIL=kernel:2=700");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 100);
    const rg_job job = job_of(&s, RS_F32, RS_SUM, 100);
    rg_group *group = open_group(RG_CUDA, 4, 2);
    rs_arena arena;
    rs_error error = {.text = ""};
    rg_result result;
    rs_arena_init(&arena, NULL);
    cr_assert_eq(rg_group_run(group, &job, &arena, &error, &result), RS_OK);
    cr_expect_not(result.completed);
    expect_in(result.failure, "illegal memory access");
    expect_in(result.failure, "GPU 0");
    cr_expect_eq(rg_group_run(group, &job, &arena, &error, &result), RS_UNSUPPORTED);
    expect_in(error.text, "only be closed");
    rs_arena_free(&arena);
    rg_group_close(group);
}

/* The run must end without an answer, within a moment of the timeout. */
static void expect_hang(const char *settings, int32_t n, int32_t rung, const char *part) {
    machine(settings);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, n, 100);
    rg_job job = job_of(&s, RS_F32, RS_SUM, 100);
    job.in_place = true;
    job.timeout_ms = 300;
    rg_group *group = open_group(RG_CUDA, n, rung);
    rs_arena arena;
    rs_error error = {.text = ""};
    rg_result result;
    rs_arena_init(&arena, NULL);
    const int64_t start_ps = rg_now_ps();
    cr_assert_eq(rg_group_run(group, &job, &arena, &error, &result), RS_OK, "%s", error.text);
    cr_expect_not(result.completed);
    expect_in(result.failure, "no answer within 0.3 s");
    expect_in(result.failure, part);
    rs_arena_free(&arena);
    rg_group_close(group);
    cr_expect_lt(rg_now_ps() - start_ps, (int64_t)20 * 1000000000000,
                 "it took too long to give up");
}

Test(device_cuda, a_kernel_that_never_ends_is_given_up_and_named) {
    expect_hang("EMU_HANG_MS=60000 EMU_FAIL=hang:1", 4, 3, "GPU 0 (ranks 0..3) is at work");
    expect_hang("EMU_HANG_MS=60000 EMU_FAIL=hang:1", 4, 4, "rank 0 does not end step 0");
}

Test(device_cuda, who_waits_for_a_GPU_that_hangs_is_told_to_stop) {
    expect_hang("EMU_HANG_MS=60000 EMU_DEVICES=2 EMU_FAIL=hang:1", 4, 4,
                "GPU 1 (ranks 2..3) is at work and cannot be stopped; rank 2 does not end step 0");
    expect_hang("EMU_HANG_MS=60000 EMU_DEVICES=2 EMU_PEERS=0 EMU_FAIL=hang:1", 4, 4,
                "rank 0 waits in step 1 for rank 3");
}

Test(device_cuda, a_launch_that_fails_on_one_GPU_does_not_keep_the_other_waiting) {
    machine("EMU_DEVICES=2 EMU_FAIL=cudaLaunchCooperativeKernel:2=720");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 100);
    const rg_job job = job_of(&s, RS_F32, RS_SUM, 100);
    rg_group *group = open_group(RG_CUDA, 4, 4);
    rs_arena arena;
    rs_error error = {.text = ""};
    rg_result result;
    rs_arena_init(&arena, NULL);
    const int64_t start_ps = rg_now_ps();
    cr_assert_eq(rg_group_run(group, &job, &arena, &error, &result), RS_OK);
    cr_expect_not(result.completed);
    expect_in(result.failure, "cudaLaunchCooperativeKernel on GPU 1");
    cr_expect_lt(rg_now_ps() - start_ps, (int64_t)10 * 1000000000000);
    rs_arena_free(&arena);
    rg_group_close(group);
    cr_expect_eq(emu_live_allocations(), 0);
}

/* ------------------------------------------------------------------ the trace */

static int64_t end_of_input(const rs_trace *trace, const rs_timed *item) {
    int64_t latest = 0;
    for (int64_t i = 0; i < trace->n_items; i++) {
        const rs_timed *other = &trace->items[i];
        const bool feeds = other->step < item->step && other->transfer.dst == item->transfer.src &&
                           other->transfer.chunk == item->transfer.chunk;
        if (feeds && other->end_ps > latest) latest = other->end_ps;
    }
    return latest;
}

static void check_trace(int32_t n, int64_t count, int32_t rung) {
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, n, count);
    rg_group *group = open_group(RG_CUDA, n, rung);
    rg_job job = job_of(&s, RS_F32, RS_SUM, count);
    job.trace = true;
    job.in_place = rung % 2 == 0;
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rg_result result = run(group, &job, &arena);
    const rs_trace *trace = result.trace;
    cr_expect_eq(result.n_wrong, 0);
    cr_assert_not_null(trace);
    cr_assert_eq(trace->n_items, s.n_transfers);
    int64_t first = INT64_MAX, i = 0;
    for (int32_t step = 0; step < s.n_steps; step++) {
        rs_transfer t;
        for (rs_cursor c = {0}; rs_next_transfer(&s, step, &c, &t); i++) {
            const rs_timed *item = &trace->items[i];
            cr_assert(item->step == step && item->transfer.src == t.src &&
                      item->transfer.dst == t.dst && item->transfer.chunk == t.chunk);
            cr_assert(item->start_ps >= 0 && item->end_ps >= item->start_ps &&
                      item->done_ps >= item->end_ps);
            cr_assert_geq(item->start_ps, end_of_input(trace, item), "kernel %d step %d rank %d",
                          (int)rung, (int)step, (int)t.dst);
            if (item->start_ps < first) first = item->start_ps;
        }
    }
    if (s.n_transfers > 0) cr_expect_eq(first, 0);
    rs_arena_free(&arena);
    rg_group_close(group);
}

Test(device_cuda, a_trace_is_whole_and_in_order) {
    for (int32_t rung = 1; rung <= 4; rung++) {
        machine("EMU_SEED=3");
        check_trace(4, 1000, rung);
        check_trace(5, 3, rung); /* empty chunks */
        check_trace(3, 0, rung);
        check_trace(1, 10, rung);
        machine("EMU_DEVICES=2 EMU_SEED=4");
        check_trace(4, 1000, rung);
        cr_assert_eq(emu_live_allocations(), 0);
    }
}

/* ------------------------------------------------------------------ may it run here? */

static void expect_unavailable(const char *settings, const char *part) {
    const rg_setup setup = {.n_ranks = 4};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    machine(settings);
    cr_expect_not(rg_available(RG_CUDA, &setup, &error), "%s", settings);
    expect_in(error.text, part);
    cr_expect_eq(rg_group_open(RG_CUDA, &setup, NULL, &error, &group), RS_UNSUPPORTED);
    cr_expect_eq(emu_live_allocations(), 0);
}

Test(device_cuda, what_is_missing_is_named) {
    expect_unavailable("EMU_DRIVER=0", "no NVIDIA driver");
    expect_unavailable("EMU_DEVICES=0", "no GPU that it knows");
    expect_unavailable("EMU_DEVICES=0 CUDA_VISIBLE_DEVICES=", "CUDA_VISIBLE_DEVICES=\"\"");
    expect_unavailable("EMU_DEVICES=0 CUDA_VISIBLE_DEVICES=7", "CUDA_VISIBLE_DEVICES=\"7\"");
    expect_unavailable("EMU_CAPABILITY=61", "compute capability 6.1");
    expect_unavailable("EMU_FAIL=cudaGetDeviceCount:1=35,cudaGetDeviceCount:2=35",
                       "update the driver");
    expect_unavailable("EMU_FAIL=cudaGetDeviceCount:1=999,cudaGetDeviceCount:2=999",
                       "does not start");
}

Test(device_cuda, a_kernel_that_was_not_compiled_for_the_GPU_is_refused_at_the_start) {
    machine("EMU_FAIL=cudaOccupancyMaxActiveBlocksPerMultiprocessor:1=209");
    const rg_setup setup = {.n_ranks = 4};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    cr_expect(rg_available(RG_CUDA, &setup, &error));
    cr_expect_eq(rg_group_open(RG_CUDA, &setup, NULL, &error, &group), RS_UNSUPPORTED);
    expect_in(error.text, "this build has no kernels");
    cr_expect_eq(emu_live_allocations(), 0);
}

Test(device_cuda, without_cooperative_launches_kernel_3_is_the_best) {
    machine("EMU_COOPERATIVE=0");
    const rg_setup setup = {.n_ranks = 4, .kernel = 4};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    cr_expect_eq(rg_group_open(RG_CUDA, &setup, NULL, &error, &group), RS_UNSUPPORTED);
    expect_in(error.text, "no cooperative launch");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, 100);
    const rg_job job = job_of(&s, RS_F32, RS_SUM, 100);
    group = open_group(RG_CUDA, 4, 0);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rg_result result = run(group, &job, &arena);
    cr_expect_eq(result.n_wrong, 0);
    expect_in(result.note, "kernel 3: GPU 0 has no cooperative launch");
    rs_arena_free(&arena);
    rg_group_close(group);
}

Test(device_cuda, the_group_says_what_it_runs_on) {
    machine("EMU_DEVICES=2");
    rg_group *group = open_group(RG_CUDA, 4, 0);
    expect_in(rg_group_where(group), "2 emulated device");
    expect_in(rg_group_where(group), "kernel 4 of 4: one persistent launch");
    cr_expect(rg_group_reports(group));
    rg_group_close(group);
    const rg_setup setup = {.n_ranks = 4, .kernel = 5};
    rs_error error = {.text = ""};
    cr_expect_eq(rg_group_open(RG_CUDA, &setup, NULL, &error, &group), RS_BAD_INPUT);
}
