/* naive_apply.c: see naive_apply.h. */
#include "support/naive_apply.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct application {
    const rs_schedule *schedule;
    const rs_apply_options *options;
    rs_dtype dtype;
    int64_t count;
    void *const *ranks;
} application;

static bool happens(const application *a, int32_t step, const rs_transfer *t) {
    const int32_t *entered = a->options->entered;
    return entered == NULL || (step < entered[t->src] && step < entered[t->dst]);
}

static bool flipped(const application *a, int32_t step, int32_t rank) {
    for (int32_t i = 0; i < a->options->n_faults; i++) {
        const rs_fault *fault = &a->options->faults[i];
        if (fault->kind == RS_FLIP && fault->step == step && fault->rank == rank) return true;
    }
    return false;
}

static char *first_byte(const application *a, int32_t rank, const rs_transfer *t) {
    const int64_t offset = rs_chunk_offset(a->count, a->schedule->n_chunks, t->chunk);
    return (char *)a->ranks[rank] + offset * rs_dtype_bytes(a->dtype);
}

/* By rank: lower ranks' messages move up, the first into the cell and the cell's own into the last. */
static void move_own_behind(const application *a, int32_t step, void *carried[], int n_carried) {
    rs_transfer list[4096];
    int n_listed = 0;
    for (rs_cursor c = {0}; rs_next_transfer(a->schedule, step, &c, &list[n_listed]);) n_listed++;
    for (int i = n_carried - 1; i >= 0; i--) {
        const rs_transfer *t = &list[i];
        if (t->effect == RS_COPY || t->src > t->dst || !happens(a, step, t)) continue;
        char *own = first_byte(a, t->dst, t), *came = carried[i];
        const int64_t n = rs_transfer_count(a->schedule, a->count, t);
        for (int64_t k = 0; k < n * rs_dtype_bytes(a->dtype); k++) {
            const char byte = own[k];
            own[k] = came[k];
            came[k] = byte;
        }
    }
}

static void play_step(const application *a, rs_op op, int32_t step) {
    void *carried[4096];
    int n_carried = 0, at = 0;
    rs_transfer t;
    for (rs_cursor c = {0}; rs_next_transfer(a->schedule, step, &c, &t); n_carried++) {
        assert(n_carried < 4096);
        const size_t n = (size_t)rs_transfer_count(a->schedule, a->count, &t);
        const size_t n_bytes = n * (size_t)rs_dtype_bytes(a->dtype);
        char *message = carried[n_carried] = malloc(n_bytes + 1);
        memcpy(message, first_byte(a, t.src, &t), n_bytes);
        if (n > 0 && flipped(a, step, t.src)) message[0] ^= 1;
    }
    if (a->schedule->by_rank) move_own_behind(a, step, carried, n_carried);
    for (rs_cursor c = {0}; rs_next_transfer(a->schedule, step, &c, &t); at++) {
        const int64_t n = rs_transfer_count(a->schedule, a->count, &t);
        char *own = first_byte(a, t.dst, &t);
        if (!happens(a, step, &t)) continue;
        if (t.effect == RS_REDUCE)
            rs_fold(a->dtype, op, carried[at], own, own, n);
        else
            memcpy(own, carried[at], (size_t)n * (size_t)rs_dtype_bytes(a->dtype));
    }
    for (int i = 0; i < n_carried; i++) free(carried[i]);
}

void apply_naively(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                   void *const ranks[], const rs_apply_options *options) {
    const application a = {schedule, options, dtype, count, ranks};
    for (int32_t step = 0; step < options->until_step; step++) play_step(&a, op, step);
    for (int32_t r = 0; r < schedule->n_ranks && options->until_step == schedule->n_steps; r++) {
        const bool there = options->entered == NULL || options->entered[r] >= schedule->n_steps;
        if (there) rs_finish(dtype, op, schedule->n_ranks, ranks[r], count);
    }
}

void **new_ranks(rs_data data, rs_dtype dtype, int32_t n_ranks, int32_t n_chunks, int64_t count,
                 const double list[]) {
    void **ranks = malloc((size_t)n_ranks * sizeof *ranks);
    for (int32_t r = 0; r < n_ranks; r++) {
        ranks[r] = malloc((size_t)count * (size_t)rs_dtype_bytes(dtype) + (count == 0));
        rs_fill(data, dtype, r, n_chunks, count, count, 1, list, ranks[r]);
    }
    return ranks;
}

void **copy_ranks(void *const ranks[], rs_dtype dtype, int32_t n_ranks, int64_t count) {
    const size_t n_bytes = (size_t)count * (size_t)rs_dtype_bytes(dtype);
    void **copy = malloc((size_t)n_ranks * sizeof *copy);
    for (int32_t r = 0; r < n_ranks; r++) {
        copy[r] = malloc(n_bytes + (n_bytes == 0));
        memcpy(copy[r], ranks[r], n_bytes);
    }
    return copy;
}

void free_ranks(void **ranks, int32_t n_ranks) {
    for (int32_t r = 0; r < n_ranks; r++) free(ranks[r]);
    free(ranks);
}

rs_schedule make_schedule(const char *algorithm, rs_order order, int32_t n_ranks, int64_t count) {
    rs_schedule schedule = {0};
    const rs_status status = rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm),
                                              order, n_ranks, count, NULL, &schedule);
    assert(status == RS_OK);
    return schedule;
}

int32_t random_below(uint64_t *state, int32_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((*state >> 33) % (uint64_t)below);
}

static int by_source(const void *a, const void *b) {
    return ((const rs_transfer *)a)->src - ((const rs_transfer *)b)->src;
}

rs_schedule random_schedule(uint64_t *state, rs_arena *arena) {
    enum { MOST_STEPS = 8, MOST_A_STEP = 12 };
    rs_transfer list[MOST_STEPS * MOST_A_STEP];
    int64_t first[MOST_STEPS + 1] = {0};
    const int32_t n = 2 + random_below(state, 7), n_chunks = 1 + random_below(state, 9);
    const int32_t n_steps = random_below(state, MOST_STEPS + 1);
    const bool by_rank = n_chunks % 2 == 0; /* additions alone, by source */
    int64_t at = 0;
    for (int32_t step = 0; step < n_steps; step++) {
        for (int32_t i = random_below(state, MOST_A_STEP + 1); i > 0; i--) {
            rs_transfer *t = &list[at++];
            *t = (rs_transfer){.src = random_below(state, n),
                               .chunk = random_below(state, n_chunks)};
            t->dst = (t->src + 1 + random_below(state, n - 1)) % n;
            t->n_chunks = 1 + random_below(state, n_chunks - t->chunk);
            t->effect = (uint8_t)(random_below(state, 3) == 0 && !by_rank ? RS_COPY : RS_REDUCE);
        }
        if (by_rank) qsort(list + first[step], (size_t)(at - first[step]), sizeof *list, by_source);
        first[step + 1] = at;
    }
    rs_schedule s;
    rs_error error = {.text = ""};
    const rs_status status =
        rs_schedule_from_list(n, n_chunks, n_steps, first, list, arena, &error, &s);
    assert(status == RS_OK);
    (void)status;
    s.by_rank = by_rank;
    return s;
}
