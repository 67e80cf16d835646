/* test_device_cuda.c: the cuda backend, whole, on the EMULATED device of tests/fake_cuda: no GPU has seen any of
   this. What is shown is that plan, kernels and host code together give the reference's bits in whatever
   order threads, blocks and streams take turns; of a real GPU's speed or memory nothing.

   RINGSIM_VERIFY_ALL=1 runs every combination instead of every pair of values; that takes hours. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"
#include "gpu/device/device_cuda.h"
#include "cuda/kernels.h"
#include "support/naive_apply.h"

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
    VARIANT,
    N_FACTORS,
    MOST = 16 /* values of a factor */
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
    product p = {
        .n = {n_algorithms(), 2, RS_N_DTYPES, RS_N_OPS, 6, 7, RG_N_SPECIALS, 2, 2, RG_BY_LINES}};
    for (int a = 0; a < N_FACTORS; a++) {
        for (int b = a + 1; b < N_FACTORS; b++) p.n_left += p.n[a] * p.n[b];
    }
    return p;
}

/* Counts the pairs of a choice that have not run together; `mark`: now they have. */
static int new_pairs(product *p, const int choice[N_FACTORS], bool mark) {
    int n = 0;
    for (int a = 0; a < N_FACTORS; a++) {
        for (int b = a + 1; b < N_FACTORS; b++) {
            bool *met = &p->met[a][b][choice[a]][choice[b]];
            n += !*met;
            if (mark) *met = true;
        }
    }
    if (mark) p->n_left -= n;
    return n;
}

/* Of some drawn choices the one with the most new pairs. */
static void choose(product *p, uint64_t *state, int choice[N_FACTORS]) {
    int most = -1;
    for (int k = 0; k < 60; k++) {
        int random_job[N_FACTORS];
        for (int f = 0; f < N_FACTORS; f++) random_job[f] = random_below(state, p->n[f]);
        const int n = new_pairs(p, random_job, false);
        if (n <= most) continue;
        most = n;
        memcpy(choice, random_job, sizeof random_job);
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
    rg_job job = cuda_job(&s, (rs_dtype)choice[DTYPE], (rs_op)choice[OP], counts[choice[COUNT]]);
    job.special = (rg_special)choice[SPECIAL];
    job.in_place = choice[PLACE] == 0;
    job.offset = choice[OFFSET];
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rg_group *cuda = cuda_open(RG_CUDA, n, choice[VARIANT] + 1), *cpu = cuda_open(RG_CPU, n, 0);
    const rg_result a = cuda_run(cuda, &job, &arena), b = cuda_run(cpu, &job, &arena);
    const bool same = job.special != RG_PLAIN || memcmp(a.crc32, b.crc32, (size_t)n * 4) == 0;
    cr_assert(a.n_wrong == 0 && a.n_spoilt == 0 && same && !a.has_oracle,
              "%s %s %s N=%d K=%d %s %s offset %d kernel %d: %lld wrong, %lld spoilt%s", name,
              rs_dtype_name(job.dtype), rs_op_name(job.op), (int)n, (int)job.count,
              rg_special_name(job.special), job.in_place ? "in place" : "out of place",
              (int)job.offset, choice[VARIANT] + 1, (long long)a.n_wrong, (long long)a.n_spoilt,
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
    cuda_machine("EMU_SEED=1");
    if (getenv("RINGSIM_VERIFY_ALL") != NULL) {
        check_all();
    } else {
        check_pairs(1);
        cuda_machine(""); /* in order */
        check_pairs(11);
    }
    cr_assert_eq(emu_live_allocations(), 0, "memory of the device is left behind");
}

Test(device_cuda, two_devices_that_reach_each_other_give_the_same_bits) {
    cuda_machine("EMU_DEVICES=2 EMU_SEED=2");
    check_pairs(2);
    cr_assert_eq(emu_live_allocations(), 0);
}

/* Whoever waits, for a flag or for lines, looks in its own device's memory. */
Test(device_cuda, several_devices_wait_at_flags_of_their_own) {
    static const char *const names[] = {"ring", "tree", "one-shot", "two-shot"};
    for (int k = 0; k < 3 * 4 * 3; k++) {
        const int32_t devices = (int32_t[]){2, 3, 8}[k % 3], n = devices + k % 2;
        char machine[40];
        snprintf(machine, sizeof machine, "EMU_DEVICES=%d EMU_SEED=%d", (int)devices, k);
        cuda_machine(machine);
        const rs_schedule s = make_schedule(names[k / 3 % 4], RS_ORDER_SEED, n, 1003);
        const rg_job job = cuda_job(&s, RS_F32, RS_AVG, 1003);
        const uint64_t before = emu_spun().far_looks;
        cuda_equals_cpu(cuda_open(RG_CUDA, n, 4 + k / 12), &job, machine);
        cr_expect_eq(emu_spun().far_looks, before, "%s, %d ranks on %d devices, kernel %d", s.name,
                     (int)n, (int)devices, 4 + k / 12);
    }
}

Test(device_cuda, three_devices_that_do_not_reach_each_other_meet_in_the_hosts_memory) {
    cuda_machine("EMU_DEVICES=3 EMU_PEERS=0 EMU_SEED=3");
    check_pairs(3);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 5, 1000);
    const rg_job job = cuda_job(&s, RS_F32, RS_SUM, 1000);
    rg_group *group = cuda_open(RG_CUDA, 5, 0);
    const rg_result result = cuda_right(group, &job);
    cr_expect(strstr(result.note, "host's memory") != NULL, "%s", result.note);
    rg_group_close(group);
    cr_assert_eq(emu_live_allocations(), 0);
}

Test(device_cuda, a_million_elements_and_three) {
    cuda_machine("");
    const int64_t count = (1 << 20) + 3;
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, count);
    for (int32_t variant = 2; variant <= 5; variant += variant == 4 ? 1 : 2) {
        rg_job job = cuda_job(&s, RS_BF16, RS_SUM, count);
        job.in_place = variant == 2;
        job.offset = 1;
        cuda_equals_cpu(cuda_open(RG_CUDA, 4, variant), &job, "");
    }
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

static void check_file(const char *text, int32_t variant, bool in_place) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_schedule s;
    rs_error error = {.text = ""};
    cr_assert_eq(rs_parse_schedule(text, strlen(text), &arena, &error, &s), RS_OK, "%s",
                 error.text);
    rg_group *cuda = cuda_open(RG_CUDA, s.n_ranks, variant), *cpu = cuda_open(RG_CPU, s.n_ranks, 0);
    rg_job job = cuda_job(&s, RS_F32, RS_SUM, 777);
    job.in_place = in_place;
    const rg_result a = cuda_run(cuda, &job, &arena), b = cuda_run(cpu, &job, &arena);
    cr_expect_eq(a.n_wrong, b.n_wrong);
    cr_expect_eq(a.n_spoilt, 0);
    cr_expect_arr_eq(a.crc32, b.crc32, (size_t)s.n_ranks * sizeof *a.crc32, "kernel %d\n%s",
                     (int)variant, text);
    rg_group_close(cuda);
    rg_group_close(cpu);
    rs_arena_free(&arena);
}

Test(device_cuda, schedules_from_files_exchange_and_pile_up) {
    for (int devices = 1; devices <= 2; devices++) {
        cuda_machine(devices == 1 ? "EMU_SEED=4" : "EMU_DEVICES=2 EMU_SEED=4");
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            for (int32_t variant = 1; variant <= RG_BY_LINES; variant++) {
                check_file(files[i], variant, true);
                check_file(files[i], variant, false);
            }
        }
    }
}

/* As many tiles as twice the cache wants, but no slice below 4 KiB; and whatever they are, the reference's bits. */
Test(device_cuda, kernel_5_cuts_tiles_that_fit_the_cache) {
    enum { N = 4, ELEMENTS = 100000 };
    static const struct {
        const char *machine, *note;
        bool in_place;
        rg_tiling tiling;
    } cases[] = {
        {"EMU_CACHE=521 EMU_SEED=1", "", true, {0}}, /* 1.6 MB are less than 3 times that */
        {"EMU_CACHE=521 EMU_SEED=1", "", false, {.early = true}},
        {"EMU_CACHE=520 EMU_SEED=1", "2 tiles", true, {0}}, /* more */
        {"EMU_CACHE=300 EMU_SEED=2", "3 tiles", true, {0}}, /* 5.2 times */
        {"EMU_CACHE=300 EMU_SEED=2", "5 tiles", true, {.lanes = 2}},
        {"EMU_CACHE=300 EMU_SEED=3", "7 tiles", false, {2, .cache_percent = 150, true, true}},
        {"EMU_CACHE=32 EMU_SEED=3",
         "12 tiles",
         true,
         {0}}, /* 2 slices of 4 KiB in a chunk's 100 kB */
        {"EMU_CACHE=32 EMU_SEED=4 EMU_DEVICES=2", "6 tiles", false, {0}}, /* 4 slices of 4 KiB */
    };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, ELEMENTS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cuda_machine(cases[i].machine);
        rg_job job = cuda_job(&s, RS_F32, RS_AVG, ELEMENTS);
        job.in_place = cases[i].in_place;
        job.times = 2;
        const rg_result a = cuda_equals_cpu(cuda_open_tiled(RG_CUDA, N, 5, cases[i].tiling), &job,
                                            cases[i].machine);
        cr_expect(cases[i].note[0] == '\0'
                      ? strstr(a.note, "tiles") == NULL
                      : strncmp(a.note, cases[i].note, strlen(cases[i].note)) == 0,
                  "%s: %s", cases[i].machine, a.note);
    }
}

/* On one GPU, and where no transfer's time is asked for; kernel 4 elsewhere. */
Test(device_cuda, tiles_are_cut_where_they_pay) {
    enum { N = 4, ELEMENTS = 100000 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, ELEMENTS);
    for (int which = 0; which < 3; which++) {
        cuda_machine(which == 1 ? "EMU_CACHE=300 EMU_DEVICES=2" : "EMU_CACHE=300");
        rg_group *group = cuda_open(RG_CUDA, N, 0);
        rg_job job = cuda_job(&s, RS_F32, RS_SUM, ELEMENTS);
        job.trace = which == 2;
        const rg_result result = cuda_right(group, &job);
        cr_expect_eq(strstr(result.note, "tiles") != NULL, which == 0, "%d: %s", which,
                     result.note);
        rg_group_close(group);
    }
}

/* Tiles side by side, on 2, 3 and 8 GPUs: the reference's bits. */
Test(device_cuda, tiles_side_by_side_on_several_GPUs) {
    enum { N = 8, N_BYTES = 50000 * N };
    static const char *const machines[] = {"EMU_DEVICES=2", "EMU_DEVICES=3", "EMU_DEVICES=8",
                                           "EMU_DEVICES=3 EMU_PEERS=0"};
    static const rs_dtype dtypes[] = {RS_F32, RS_F16, RS_I8, RS_F64};
    static const rs_op ops[] = {RS_SUM, RS_AVG, RS_MAX, RS_PROD};
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, N_BYTES / 4);
    for (int i = 0; i < 4; i++) {
        char machine[80];
        snprintf(machine, sizeof machine, "EMU_CACHE=16 EMU_SMS=4 EMU_BLOCKS=1 EMU_SEED=%d %s", i,
                 machines[i]);
        cuda_machine(machine);
        const rg_tiling tiling = {.lanes = 2 + i % 2, .early = i < 2, .ahead = i != 1};
        const rg_job job = cuda_job(&s, dtypes[i], ops[i], N_BYTES / rs_dtype_bytes(dtypes[i]));
        const rg_result a = cuda_equals_cpu(cuda_open_tiled(RG_CUDA, N, 5, tiling), &job, machine);
        cuda_says(a.note, "tiles");
    }
}

/* One GPU launches rounds of which it would wait for most ranks; a kernel that was named runs. */
Test(device_cuda, rounds_are_launched_where_most_ranks_rest) {
    static const struct {
        const char *algorithm, *machine, *note; /* "": blocks stay */
        int32_t n_ranks, kernel;
    } cases[] = {
        {"ring", "EMU_SEED=1", "kernel 3: 2 rounds in all", 2, 0},
        {"ring", "EMU_SEED=2", "", 2, 4},
        {"ring", "EMU_DEVICES=2", "", 2, 0},
        {"ring", "EMU_SEED=3", "", 3, 0},
        {"doubling", "EMU_SEED=4", "", 8, 0},
        {"halving", "EMU_SEED=5", "", 8, 0},
        {"naive", "EMU_SEED=6", "kernel 3: most ranks rest in a round", 8, 0},
        {"tree", "EMU_SEED=7", "kernel 3: most ranks rest in a round", 8, 0},
        {"tree", "EMU_DEVICES=2", "", 8, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rs_schedule s =
            make_schedule(cases[i].algorithm, RS_ORDER_SEED, cases[i].n_ranks, 999);
        cuda_machine(cases[i].machine);
        rg_group *group = cuda_open(RG_CUDA, cases[i].n_ranks, cases[i].kernel);
        const rg_job job = cuda_job(&s, RS_F32, RS_SUM, 999);
        const rg_result result = cuda_right(group, &job);
        const size_t n = strlen(cases[i].note);
        cr_expect(n > 0 ? strncmp(result.note, cases[i].note, n) == 0
                        : strstr(result.note, "kernel") == NULL,
                  "%zu: %s", i, result.note);
        rg_group_close(group);
    }
}

/* Events that are asked for, and no others, are made; they lie within what the host measures. */
Test(device_cuda, times_by_the_devices_own_clock_where_asked) {
    cuda_machine("EMU_SEED=2");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 3, 5000);
    for (int32_t variant = 1; variant <= RG_N_VARIANTS; variant++) {
        for (int asked = 0; asked < 2; asked++) {
            rg_group *group = cuda_open(RG_CUDA, 3, variant);
            const size_t n_handles = emu_live_handles();
            rg_job job = cuda_job(&s, RS_F32, RS_SUM, 5000);
            job.times = 3;
            job.warmup_ms = 20;
            job.device_clock = asked == 1;
            const int64_t start_ps = rg_now_ps();
            const rg_result result = cuda_right(group, &job);
            cr_expect_eq(result.device_ps > 0, asked == 1);
            cr_expect_leq(result.device_ps * 2, rg_now_ps() - start_ps);
            cr_expect_geq(rg_now_ps() - start_ps, (int64_t)job.warmup_ms * 1000000000);
            cr_expect_eq(emu_live_handles(), n_handles);
            rg_group_close(group);
        }
    }
}

Test(device_cuda, a_flipped_bit_is_found_and_the_right_ranks_are_named) {
    enum { N = 4 };
    cuda_machine("");
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, 1000);
    rg_group *cpu = cuda_open(RG_CPU, N, 0);
    for (int32_t variant = 1; variant <= RG_BY_LINES; variant++) {
        rg_group *cuda = cuda_open(RG_CUDA, N, variant);
        for (int32_t step = 0; step < s.n_steps; step++) {
            rs_arena arena;
            rs_arena_init(&arena, NULL);
            rg_job job = cuda_job(&s, RS_I32, RS_SUM, 1000);
            job.flip_rank = (step + variant) % N;
            job.flip_step = step;
            const rg_result a = cuda_run(cuda, &job, &arena), b = cuda_run(cpu, &job, &arena);
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

/* ------------------------------------------------------------------ which rank lives where */

/* Every GPU has its ranks, no two differ by more than one, and what a rank owns lies on its own GPU. */
Test(device_cuda, ranks_are_spread_over_all_gpus) {
    for (int devices = 1; devices <= 5; devices++) {
        for (int n = 1; n <= 11; n++) {
            char machine[32];
            snprintf(machine, sizeof machine, "EMU_DEVICES=%d", devices);
            cuda_machine(machine);
            rg_group *group = cuda_open(RG_CUDA, n, 0);
            const rg_gpus *gpus = (const rg_gpus *)group;
            int32_t next = 0, counts[5] = {0};
            cr_expect_eq(gpus->n, devices < n ? devices : n);
            for (int32_t r = 0; r < n; r++) counts[rg_gpu_of(gpus, r)]++;
            for (int i = 0; i < gpus->n; i++) {
                cr_expect_eq(gpus->list[i].first_rank, next);
                cr_expect_eq(gpus->list[i].n_ranks, counts[i], "%d ranks, GPU %d", n, i);
                cr_expect(counts[i] >= n / gpus->n && counts[i] <= n / gpus->n + 1);
                for (int32_t r = next; r < next + counts[i]; r++)
                    cr_expect_eq(rg_gpu_of(gpus, r), i);
                next += counts[i];
            }
            cr_expect_eq(next, n);
            rg_group_close(group);
        }
    }
}

/* Who reaches whose memory does not change: a second group is told what the first was. */
Test(device_cuda, a_second_group_reaches_what_the_first_reached) {
    for (int peers = 0; peers < 2; peers++) {
        cuda_machine(peers ? "EMU_DEVICES=3" : "EMU_DEVICES=3 EMU_PEERS=0");
        for (int turn = 0; turn < 2; turn++) {
            rg_group *group = cuda_open(RG_CUDA, 5, 0);
            const rg_gpus *gpus = (const rg_gpus *)group;
            for (int pair = 0; pair < 9; pair++) {
                const bool itself = pair / 3 == pair % 3;
                cr_expect_eq(gpus->reaches[pair], peers == 1 || itself, "group %d: %d to %d", turn,
                             pair / 3, pair % 3);
            }
            rg_group_close(group);
            cr_expect_eq(emu_live_handles(), 0, "streams and events outlive their group");
        }
    }
}
