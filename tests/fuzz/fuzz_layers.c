/* fuzz_layers.c: any bytes as a .lay file. What parses is cut into buckets that hold every gradient once,
 * and a step of it is timed, or refused as too long, in every mode; what does not parse has an error that
 * names line and column. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim_train.h"

enum { RANKS = 3, MOST_LAYERS = 400 };

static void check_step(const rs_step_plan *plan, rs_arena *arena) {
    rs_step_time time;
    rs_error error = {.text = ""};
    const rs_status status = rs_time_step(plan, arena, &error, &time);
    if (status != RS_OK) {
        assert(status == RS_TOO_LARGE && error.text[0] != '\0');
        return;
    }
    assert(time.step_ps >= 0 && time.exposed_ps >= 0 && time.exposed_ps <= time.step_ps);
    for (int64_t i = 0; i < time.n_pieces; i++) {
        assert(time.pieces[i].start_ps < time.pieces[i].end_ps);
        assert(time.pieces[i].end_ps <= time.step_ps);
    }
}

static void use(const rs_layers *layers, int64_t bytes, rs_arena *arena) {
    const int64_t batch[RANKS] = {1, 3, 1};
    rs_bucket *buckets;
    rs_schedule schedule;
    rs_step_plan plan = {.layers = layers,
                         .n_ranks = RANKS,
                         .batch = batch,
                         .accumulate = 2,
                         .flops_per_s = 1000000000000,
                         .python = {1, 7},
                         .schedule = &schedule,
                         .overlap = true,
                         .net = {.link = {5000000, 20000000000}},
                         .keep_pieces = true};
    int64_t count = 0;
    assert(rs_cut_buckets(layers, bytes, bytes * 5, arena, NULL, &buckets, &plan.n_buckets) ==
           RS_OK);
    for (int32_t b = 0; b < plan.n_buckets; b++) {
        assert(buckets[b].offset == count && buckets[b].count > 0);
        count += buckets[b].count;
    }
    assert(count == layers->parameters);
    if (layers->n_layers > MOST_LAYERS) return; /* slow */
    assert(rs_schedule_make(rs_algorithms[0], RS_ORDER_SEED, RANKS, 1, NULL, &schedule) == RS_OK);
    plan.buckets = buckets;
    check_step(&plan, arena);
    plan.mode = RS_DP;
    check_step(&plan, arena);
    plan.mode = RS_NONE;
    check_step(&plan, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *exact = malloc(size > 0 ? size : 1); /* no byte more: a read beyond them is caught */
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error = {.text = ""};
    rs_layers layers;
    const rs_status status = rs_parse_layers(exact, size, &arena, &error, &layers);
    if (status == RS_OK) {
        use(&layers, (int64_t)size, &arena);
    } else {
        assert(status == RS_BAD_INPUT && strncmp(error.text, "line ", 5) == 0);
        assert(strchr(error.text, '\n') == NULL);
    }
    rs_arena_free(&arena);
    free(exact);
    return 0;
}
