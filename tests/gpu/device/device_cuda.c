/* device_cuda.c: groups of the cuda backend on the emulated device; see device_cuda.h. */
#include "gpu/device/device_cuda.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cuda_machine(const char *settings) {
    static const char *const known[] = {
        "EMU_DEVICES", "EMU_PEERS",       "EMU_MEMORY",          "EMU_SMS",  "EMU_BLOCKS",
        "EMU_DRIVER",  "EMU_COOPERATIVE", "EMU_CAPABILITY",      "EMU_SEED", "EMU_HANG_MS",
        "EMU_FAIL",    "EMU_CACHE",       "CUDA_VISIBLE_DEVICES"};
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

rg_group *cuda_open(rg_kind kind, int32_t n, int32_t kernel) {
    return cuda_open_tiled(kind, n, kernel, (rg_tiling){0});
}

rg_group *cuda_open_tiled(rg_kind kind, int32_t n, int32_t kernel, rg_tiling tiling) {
    const rg_setup setup = {.n_ranks = n, .kernel = kernel, .tiling = tiling};
    rs_error error = {.text = ""};
    rg_group *group = NULL;
    cr_assert_eq(rg_group_open(kind, &setup, NULL, &error, &group), RS_OK, "%s", error.text);
    return group;
}

rg_job cuda_job(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count) {
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

rg_result cuda_run(rg_group *group, const rg_job *job, rs_arena *arena) {
    rs_error error = {.text = ""};
    rg_result result;
    cr_assert_eq(rg_group_run(group, job, arena, &error, &result), RS_OK, "%s", error.text);
    cr_assert(result.completed, "%s", result.failure);
    return result;
}

rg_result cuda_right(rg_group *group, const rg_job *job) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rg_result result = cuda_run(group, job, &arena);
    cr_expect(result.n_wrong == 0 && result.n_spoilt == 0);
    rs_arena_free(&arena);
    return result;
}

rg_result cuda_equals_cpu(rg_group *group, const rg_job *job, const char *name) {
    const int32_t n = job->schedule->n_ranks;
    rg_group *cpu = cuda_open(RG_CPU, n, 0);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rg_result a = cuda_run(group, job, &arena), b = cuda_run(cpu, job, &arena);
    cr_expect(a.n_wrong == 0 && a.n_spoilt == 0, "%s", name);
    cr_expect_arr_eq(a.crc32, b.crc32, (size_t)n * sizeof *a.crc32, "%s", name);
    rs_arena_free(&arena);
    rg_group_close(cpu);
    rg_group_close(group);
    return a;
}

rs_status cuda_fail(rg_group *group, const rg_job *job, rs_error *error) {
    rs_arena arena;
    rg_result result;
    rs_arena_init(&arena, NULL);
    const rs_status status = rg_group_run(group, job, &arena, error, &result);
    rs_arena_free(&arena);
    return status;
}

void cuda_says(const char *text, const char *part) {
    cr_expect(strstr(text, part) != NULL, "`%s` says nothing of `%s`", text, part);
}
