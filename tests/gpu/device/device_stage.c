/* device_stage.c: see device_stage.h. */
#include "gpu/device/device_stage.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 64, GUARD = 0x3c };

void stage_seed(int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv("EMU_SEED", text, 1);
    setenv("EMU_SMS", "16", 1);
    emu_reset();
}

void *stage_upload(const void *data, size_t n_bytes) {
    void *device;
    OK(cudaMalloc(&device, n_bytes + 1));
    if (n_bytes > 0) OK(cudaMemcpy(device, data, n_bytes, cudaMemcpyHostToDevice));
    return device;
}

static size_t array_bytes(const stage *s) {
    return (size_t)s->p.job->count * (size_t)rs_dtype_bytes(s->p.job->dtype);
}
static size_t before(const stage *s) {
    return MARGIN + (size_t)s->p.job->offset * (size_t)rs_dtype_bytes(s->p.job->dtype);
}

/* Puts one kind of array of all ranks on the device. */
static void upload_arrays(stage *s, int kind, void *const ranks[]) {
    const int32_t n = s->p.plan->n_ranks;
    const size_t n_bytes = before(s) + array_bytes(s) + MARGIN;
    char *block = malloc(n_bytes);
    s->blocks[kind] = malloc((size_t)n * sizeof *s->blocks[kind]);
    for (int32_t r = 0; r < n; r++) {
        memset(block, GUARD, n_bytes);
        memcpy(block + before(s), ranks[r], array_bytes(s));
        s->blocks[kind][r] = stage_upload(block, n_bytes);
    }
    free(block);
}

bool stage_fetch(stage *s, int kind, void *const ranks[]) {
    const size_t n_bytes = before(s) + array_bytes(s) + MARGIN;
    char *block = malloc(n_bytes);
    bool intact = true;
    for (int32_t r = 0; r < s->p.plan->n_ranks; r++) {
        OK(cudaMemcpy(block, s->blocks[kind][r], n_bytes, cudaMemcpyDeviceToHost));
        memcpy(ranks[r], block + before(s), array_bytes(s));
        memset(block + before(s), GUARD, array_bytes(s));
        for (size_t i = 0; i < n_bytes; i++) intact = intact && block[i] == GUARD;
    }
    free(block);
    return intact;
}

static char **list_of(const stage *s, int kind) {
    char **list = calloc((size_t)s->p.plan->n_ranks, sizeof *list);
    for (int32_t r = 0; r < s->p.plan->n_ranks && s->blocks[kind] != NULL; r++) {
        list[r] = s->blocks[kind][r] + before(s);
    }
    return list;
}

static rg_places places_new(const stage *s) {
    return (rg_places){{list_of(s, TARGETS), list_of(s, SOURCES), list_of(s, ASIDES)}};
}
static void places_free(const rg_places *places) {
    for (int kind = TARGETS; kind <= ASIDES; kind++) free((void *)places->of[kind]);
}

void stage_new_turns(stage *s) {
    const rg_plan *plan = s->p.plan;
    const rg_places places = places_new(s);
    int32_t *first = calloc((size_t)plan->n_ranks + 1, sizeof *first);
    for (int32_t r = 0; r < plan->n_ranks; r++)
        first[r + 1] = first[r] + rg_turns_write(plan, s->p.job, r, NULL, NULL);
    rg_turn *turns = malloc(((size_t)first[plan->n_ranks] + 1) * sizeof *turns);
    for (int32_t r = 0; r < plan->n_ranks; r++)
        rg_turns_write(plan, s->p.job, r, &places, &turns[first[r]]);
    s->turns = stage_upload(turns, (size_t)first[plan->n_ranks] * sizeof *turns);
    s->turn_first = stage_upload(first, ((size_t)plan->n_ranks + 1) * sizeof *first);
    free(turns);
    free(first);
    places_free(&places);
}

void stage_new(stage *s, const rg_job *job, int32_t slices, rs_arena *arena) {
    *s = (stage){.slices = slices, .tiles = 1, .tiling = {.lanes = 1}};
    planned_new(&s->p, job, arena);
    const rg_plan *plan = s->p.plan;
    const size_t n_transfers = (size_t)plan->n_transfers;
    const size_t n_stamps = n_transfers * sizeof *s->field.starts;
    s->field =
        (rg_field){.count = job->count, .n_chunks = plan->n_chunks, .n_ranks = plan->n_ranks};
    upload_arrays(s, TARGETS, s->p.targets);
    upload_arrays(s, ASIDES, s->p.asides);
    if (!job->in_place) upload_arrays(s, SOURCES, s->p.sources);
    if (job->trace) {
        OK(cudaMalloc((void **)&s->field.starts, n_stamps + 1));
        OK(cudaMalloc((void **)&s->field.ends, n_stamps + 1));
        OK(cudaMemsetAsync(s->field.starts, 0xff, n_stamps, NULL));
        OK(cudaMemsetAsync(s->field.ends, 0, n_stamps, NULL));
    }
    stage_new_turns(s);
    OK(cudaHostAlloc((void **)&s->stop, sizeof *s->stop, cudaHostAllocMapped));
    *s->stop = 0;
}

void stage_free(stage *s) {
    for (int kind = TARGETS; kind <= ASIDES; kind++) free(s->blocks[kind]);
    planned_free(&s->p);
    emu_reset();
}

void stage_launch(const void *kernel, int64_t n_blocks, void *argument, bool cooperative) {
    void *arguments[] = {argument};
    const dim3 grid = {(unsigned)n_blocks, 1, 1}, block = {RG_THREADS, 1, 1};
    if (cooperative) {
        OK(cudaLaunchCooperativeKernel(kernel, grid, block, arguments, 0, NULL));
    } else {
        OK(cudaLaunchKernel(kernel, grid, block, arguments, 0, NULL));
    }
}

void stage_run_rounds(const stage *s, bool vector) {
    const rg_plan *plan = s->p.plan;
    const rg_places places = places_new(s);
    rg_turn *turns = malloc((size_t)plan->n_moves * sizeof *turns);
    for (int32_t i = 0; i < plan->n_moves; i++) {
        rg_turn_set(plan, s->p.job, &plan->moves[i], &places, &turns[i]);
    }
    const rg_turn *sent = stage_upload(turns, (size_t)plan->n_moves * sizeof *turns);
    free(turns);
    places_free(&places);
    const void *kernel = rg_kernel_of(vector ? 2 : 1, s->p.job->dtype, s->p.job->op);
    for (int32_t i = 0; i < plan->n_rounds; i++) {
        rg_round round = {.field = s->field,
                          .turns = sent + plan->round_first[i],
                          .n_turns = plan->round_first[i + 1] - plan->round_first[i],
                          .slices = s->slices};
        stage_launch(kernel, (int64_t)round.n_turns * s->slices, &round, false);
    }
    OK(cudaDeviceSynchronize());
}

rg_whole stage_whole(const stage *s, uint32_t run) {
    rg_whole whole = {.field = s->field,
                      .turns = s->turns,
                      .turn_first = s->turn_first,
                      .done = s->done,
                      .run = run,
                      .most_tasks = rg_most_tasks(s->p.plan),
                      .slices = s->slices,
                      .tiles = s->tiles,
                      .lanes = s->tiling.lanes,
                      .early = !s->p.job->trace && s->tiling.early,
                      .ahead = s->tiling.ahead};
    void *stop;
    OK(cudaHostGetDevicePointer(&stop, s->stop, 0));
    whole.stop = stop;
    return whole;
}

void stage_set_done(stage *s, uint32_t n_runs) {
    const rg_plan *plan = s->p.plan;
    const size_t n = (size_t)plan->n_ranks * (size_t)s->slices * RG_WARPS;
    uint32_t *done = malloc(n * sizeof *done);
    for (size_t i = 0; i < n; i++) {
        done[i] = n_runs * (uint32_t)s->tiles * (uint32_t)rg_most_tasks(plan);
    }
    s->done = stage_upload(done, n * sizeof *done);
    free(done);
}

void stage_run_whole(stage *s, uint32_t run) {
    rg_whole whole = stage_whole(s, run);
    stage_set_done(s, run);
    whole.done = s->done;
    stage_launch(rg_kernel_of(4, s->p.job->dtype, s->p.job->op),
                 (int64_t)s->p.plan->n_ranks * s->slices, &whole, true);
    OK(cudaDeviceSynchronize());
}

void stage_run_lines(stage *s, uint32_t run) {
    const rg_plan *plan = s->p.plan;
    const int32_t n = plan->n_ranks;
    const rg_places places = places_new(s);
    rs_arena arena;
    rg_line_plan made;
    rs_arena_init(&arena, NULL);
    cr_assert(rg_lines_new(plan, s->p.job, &arena, &made));
    int64_t n_lines = 0;
    uint64_t **lines = rs_alloc(&arena, (size_t)n, sizeof *lines);
    int32_t *first = rs_alloc(&arena, (size_t)n + 1, sizeof *first);
    for (int32_t r = 0; r < n; r++) n_lines += made.n_lines[r];
    uint64_t *old = rs_alloc(&arena, (size_t)n_lines, sizeof *old); /* of the run before */
    for (int64_t i = 0; i < n_lines; i++) old[i] = (uint64_t)run << 32 | 0xdeadbeef;
    s->lines = stage_upload(old, (size_t)n_lines * sizeof *old);
    n_lines = 0;
    for (int32_t r = 0; r < n; n_lines += made.n_lines[r++]) lines[r] = s->lines + n_lines;
    for (int32_t r = 0; r < n; r++) {
        first[r + 1] = first[r] + rg_lines_write(&made, plan, s->p.job, r, &places, lines, NULL);
    }
    rg_turn *turns = rs_alloc(&arena, (size_t)first[n], sizeof *turns);
    for (int32_t r = 0; r < n; r++) {
        rg_lines_write(&made, plan, s->p.job, r, &places, lines, &turns[first[r]]);
    }
    rg_whole whole = stage_whole(s, run);
    whole.turns = stage_upload(turns, (size_t)first[n] * sizeof *turns);
    whole.turn_first = stage_upload(first, ((size_t)n + 1) * sizeof *first);
    stage_launch(rg_kernel_of(RG_BY_LINES, s->p.job->dtype, s->p.job->op), (int64_t)n * s->slices,
                 &whole, true);
    OK(cudaDeviceSynchronize());
    places_free(&places);
    rs_arena_free(&arena);
}

rs_status stage_run_floor(stage *s) {
    const rg_places places = places_new(s);
    rs_arena arena;
    rs_error error;
    rg_floor made;
    rs_arena_init(&arena, NULL);
    const rs_status status = rg_floor_new(s->p.plan, s->p.job, &places, &arena, &error, &made);
    if (status == RS_OK && made.n_sums > 0) {
        rg_floor_run run = {
            .field = s->field,
            .sums = stage_upload(made.sums, (size_t)made.n_sums * sizeof *made.sums),
            .terms = stage_upload(made.terms, (size_t)made.n_terms * sizeof *made.terms),
            .ends = stage_upload(made.ends, (size_t)made.n_ends * sizeof *made.ends),
            .slices = s->slices};
        stage_launch(rg_kernel_of(RG_FLOOR, s->p.job->dtype, s->p.job->op),
                     (int64_t)made.n_sums * s->slices, &run, false);
        OK(cudaDeviceSynchronize());
    }
    places_free(&places);
    rs_arena_free(&arena);
    return status;
}
