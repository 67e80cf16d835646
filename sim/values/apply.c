/* apply.c: the reference execution. Moves real values as the schedule says.
 *
 *     for each chunk:   its events -> recipe        (recipe.h)
 *     for each slice:   lines into scratch slots, then the results into the ranks' arrays
 *
 * A slice of all ranks fits the cache, so memory is read once and written once for any number of
 * steps: one pass in place of the 2(N-1) of a ring.
 *
 *   - The results are those of the steps one after another, bit by bit.
 *   - Several messages into one cell in a step fold in list order: m2 + (m1 + own).
 *   - A flip hits everything that a rank sends in a step; the same flip given twice is one.
 */
#include "base/containers.h"
#include "values/pieces.h"
#include "values/recipe.h"

#include <assert.h>
#include <string.h>

enum {
    SLICE_BYTES = 8192,      /* of one rank at most */
    CACHE_BYTES = 256 << 10, /* of all ranks at most, if possible; the same for the scratch slots */
    LINE_BYTES = 64
};

typedef struct scratch { /* of one task */
    rs_recipe recipe;
    char *slots;
    size_t n_bytes;
} scratch;

typedef struct application {
    const rs_schedule *schedule;
    int64_t base; /* the element where the ranks' arrays begin */
    rs_recipe_rules rules;
    rs_dtype dtype;
    rs_op op;
    size_t elem_bytes;
    void *const *ranks;
    scratch *tasks;
    int32_t n_tasks;
    int64_t max_events;
    rs_arena *arena;
} application;

static char *own_data(const application *a, int32_t rank, int64_t first) {
    return (char *)a->ranks[rank] + (size_t)(first - a->base) * a->elem_bytes;
}

/* Executes the recipe on elements first .. first + n - 1, all in one chunk. */
static void run_slice(const application *a, const scratch *own, int64_t first, int64_t n,
                      size_t pitch, bool has_first_element) {
    const size_t n_bytes = (size_t)n * a->elem_bytes;
    for (int64_t i = 0; i < own->recipe.n_lines; i++) {
        const rs_fold_line *line = &own->recipe.lines[i];
        const char *left = line->left < 0 ? own_data(a, ~line->left, first)
                                          : own->slots + (size_t)line->left * pitch;
        const char *right = line->right < 0 ? own_data(a, ~line->right, first)
                                            : own->slots + (size_t)line->right * pitch;
        char *slot = own->slots + (size_t)line->slot * pitch;
        if (line->action == RS_DO_FOLD) {
            rs_fold(a->dtype, a->op, left, right, slot, n);
            continue;
        }
        if (slot != left) memcpy(slot, left, n_bytes);
        if (line->action == RS_DO_FLIP && has_first_element) *slot ^= 1;
        if (line->action == RS_DO_FINISH) {
            rs_finish(a->dtype, a->op, a->schedule->n_ranks, slot, n);
        }
    }
    for (int32_t i = 0; i < own->recipe.n_results; i++) {
        const rs_result *result = &own->recipe.results[i];
        memcpy(own_data(a, result->rank, first), own->slots + (size_t)result->slot * pitch,
               n_bytes);
    }
}

/* Returns the bytes of one rank in a slice: whole cache lines where there is room for one. */
static size_t slice_bytes(const application *a, const scratch *own) {
    const int64_t n_slots = own->recipe.n_slots > 0 ? own->recipe.n_slots : 1;
    int64_t n_bytes = rs_smaller(SLICE_BYTES, CACHE_BYTES / a->schedule->n_ranks);
    n_bytes = rs_smaller(n_bytes, (int64_t)own->n_bytes / n_slots);
    if (n_bytes >= LINE_BYTES) return (size_t)(n_bytes / LINE_BYTES * LINE_BYTES);
    const int64_t size = (int64_t)a->elem_bytes;
    return (size_t)(n_bytes >= size ? n_bytes / size * size : size);
}

static void work(void *context, const rs_piece *piece) {
    const application *a = context;
    scratch *own = &a->tasks[piece->task];
    rs_recipe_write(&a->rules, piece->chunk, piece->events, piece->n_events, &own->recipe);
    const size_t pitch = slice_bytes(a, own);
    const int64_t slice = (int64_t)(pitch / a->elem_bytes);
    for (int64_t done = 0, n; done < piece->n && !rs_stopped(a->arena->host); done += n) {
        n = rs_smaller(slice, piece->n - done);
        const int64_t first = piece->first + done;
        run_slice(a, own, first, n, pitch, first == piece->chunk_first);
    }
}

static bool make_scratch(const application *a, scratch *own, rs_error *error) {
    const size_t least = (2 * (size_t)a->schedule->n_ranks + 2) * a->elem_bytes;
    own->n_bytes = least > CACHE_BYTES ? least : CACHE_BYTES;
    own->slots = rs_alloc(a->arena, own->n_bytes, 1);
    return rs_recipe_new(a->schedule, a->max_events, a->rules.options->n_faults, a->arena, error,
                         &own->recipe) == RS_OK &&
           own->slots != NULL;
}

static rs_status prepare(void *context, int32_t n_tasks, int64_t max_events, rs_error *error) {
    application *a = context;
    if (n_tasks <= a->n_tasks && max_events <= a->max_events) return RS_OK;
    if (n_tasks > a->n_tasks) a->n_tasks = n_tasks;
    if (max_events > a->max_events) a->max_events = max_events;
    a->tasks = rs_alloc(a->arena, (size_t)a->n_tasks, sizeof *a->tasks);
    bool whole = a->tasks != NULL;
    for (int32_t i = 0; whole && i < a->n_tasks; i++) whole = make_scratch(a, &a->tasks[i], error);
    if (whole) return RS_OK;
    return rs_fail(error, RS_NO_MEMORY,
                   "no memory to move the values of %d ranks; take fewer, or values none",
                   (int)a->schedule->n_ranks);
}

rs_status rs_apply_part(rs_part *part, rs_dtype dtype, rs_op op, void *const ranks[],
                        const rs_apply_options *options, const rs_host *host, rs_error *error) {
    const rs_schedule *schedule = part->schedule;
    assert(options->until_step >= 0 && options->until_step <= schedule->n_steps);
    rs_arena arena;
    rs_arena_init(&arena, host);
    application a = {.schedule = schedule, .dtype = dtype, .op = op, .ranks = ranks};
    a.base = part->first;
    a.elem_bytes = (size_t)rs_dtype_bytes(dtype);
    a.arena = &arena;
    a.rules = (rs_recipe_rules){.schedule = schedule, .options = options};
    a.rules.finish = op == RS_AVG && options->until_step == schedule->n_steps &&
                     rs_collective_reduces(schedule->collective);
    const rs_pieces pieces = {
        .part = part,
        .elem_bytes = (int32_t)a.elem_bytes,
        .what = RS_MESSAGE("moving the values"),
        .context = &a,
        .prepare = prepare,
        .work = work,
    };
    const rs_status status = rs_for_pieces(&pieces, host, error);
    rs_arena_free(&arena);
    return status;
}

rs_status rs_apply(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                   void *const ranks[], const rs_apply_options *options, const rs_host *host,
                   rs_error *error) {
    rs_arena arena;
    rs_arena_init(&arena, host);
    rs_part all = {.schedule = schedule, .count = count, .n = count, .arena = &arena};
    const rs_status status = rs_apply_part(&all, dtype, op, ranks, options, host, error);
    rs_arena_free(&arena);
    return status;
}
