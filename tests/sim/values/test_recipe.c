/* test_recipe.c: random events of a chunk, executed as they stand and by their recipe: the same values, no line for nothing, and
 * no more slots than there is room for.
 */
#include "values/recipe.h"

#include <criterion/criterion.h>
#include <string.h>

enum { RANKS = 6, STEPS = 7, EVENTS = 64 };

static uint64_t state;

static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

/* A value that tells how it was made: which was left, which right, in which order. */
static uint64_t fold(uint64_t left, uint64_t right) {
    return (left * 0x9e3779b97f4a7c15 + 1) ^ (right * 0xbf58476d1ce4e5b9 << 1 | right >> 63);
}
static uint64_t finish(uint64_t value) {
    return value * 0x94d049bb133111eb + 7;
}

static rs_chunk_event events[EVENTS];
static int n_events, n_ranks;
static rs_apply_options options;
static int32_t entered[RANKS];
static rs_recipe_rules rules;

static void make_events(uint64_t seed) {
    state = seed * 0x9e3779b97f4a7c15;
    n_ranks = 2 + draw(RANKS - 1);
    n_events = 0;
    for (int step = 0; step < STEPS; step++) {
        for (int i = draw(n_ranks + 2); i > 0; i--) {
            const int src = draw(n_ranks), behind = 1 + draw(n_ranks - 1);
            events[n_events++] = (rs_chunk_event){.step = step,
                                                  .src = src,
                                                  .dst = (src + behind) % n_ranks,
                                                  .order = i,
                                                  .effect = draw(3) ? RS_REDUCE : RS_COPY};
        }
    }
    options = (rs_apply_options){.until_step = draw(3) ? STEPS : draw(STEPS)};
    for (int r = 0; r < n_ranks; r++) entered[r] = draw(2) ? STEPS : draw(STEPS + 1);
    if (draw(3) == 0) options.entered = entered;
    rules.options = &options;
    rules.finish = draw(2);
}

/* Step by step: all send what they held before it, and messages to one rank fold in their order. */
static void execute(uint64_t values[RANKS]) {
    for (int r = 0; r < n_ranks; r++) values[r] = (uint64_t)r + 100;
    for (int step = 0; step < STEPS && step < options.until_step; step++) {
        uint64_t before[RANKS];
        memcpy(before, values, sizeof before);
        for (int i = 0; i < n_events; i++) {
            const rs_chunk_event *e = &events[i];
            if (e->step != step) continue;
            if (options.entered != NULL && (entered[e->src] <= step || entered[e->dst] <= step))
                continue;
            values[e->dst] =
                e->effect == RS_COPY ? before[e->src] : fold(before[e->src], values[e->dst]);
        }
    }
    for (int r = 0; r < n_ranks; r++) {
        if (rules.finish && (options.entered == NULL || entered[r] >= STEPS))
            values[r] = finish(values[r]);
    }
}

static uint64_t operand(int32_t at, const uint64_t slots[], bool read[], int n_slots) {
    if (at < 0) return (uint64_t)~at + 100;
    cr_assert_lt(at, n_slots);
    read[at] = true;
    return slots[at];
}

/* Line by line; whatever a line makes must be read before its slot is written again. */
static void follow(const rs_recipe *recipe, uint64_t values[RANKS]) {
    uint64_t slots[2 * RANKS + 2] = {0};
    bool read[2 * RANKS + 2], filled[2 * RANKS + 2] = {false}, loaded[RANKS] = {false};
    memset(read, 1, sizeof read);
    cr_assert_leq(recipe->n_slots, 2 * n_ranks + 2);
    for (int64_t i = 0; i < recipe->n_lines; i++) {
        const rs_fold_line *line = &recipe->lines[i];
        uint64_t made = operand(line->left, slots, read, recipe->n_slots);
        if (line->action == RS_DO_FOLD)
            made = fold(made, operand(line->right, slots, read, recipe->n_slots));
        if (line->action == RS_DO_FINISH) made = finish(made);
        if (line->action == RS_DO_LOAD) { /* of a rank's own data, once */
            cr_assert(line->left < 0 && !loaded[~line->left]);
            loaded[~line->left] = true;
        }
        cr_assert(line->action != RS_DO_FLIP && line->slot >= 0 && line->slot < recipe->n_slots);
        cr_assert(read[line->slot], "line %d writes over what nobody has read", (int)i);
        slots[line->slot] = made;
        read[line->slot] = false;
        filled[line->slot] = true;
    }
    for (int r = 0; r < n_ranks; r++) values[r] = (uint64_t)r + 100;
    for (int32_t i = 0; i < recipe->n_results; i++) {
        const rs_result *result = &recipe->results[i];
        cr_assert(result->slot >= 0 && filled[result->slot], "a result of no line");
        values[result->rank] = operand(result->slot, slots, read, recipe->n_slots);
    }
    for (int i = 0; i < recipe->n_slots; i++)
        cr_assert(read[i] && filled[i], "slot %d is for nothing", i);
}

Test(recipe, makes_what_the_events_make_and_nothing_else) {
    int n_finished = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        uint64_t wanted[RANKS], made[RANKS];
        rs_arena arena;
        rs_error error;
        rs_recipe recipe;
        rs_arena_init(&arena, NULL);
        make_events(seed);
        const rs_schedule schedule = {
            .n_ranks = n_ranks, .n_steps = STEPS, .n_chunks = 1, .max_sends = EVENTS};
        rules.schedule = &schedule;
        cr_assert_eq(rs_recipe_new(&schedule, n_events, 0, &arena, &error, &recipe), RS_OK);
        for (int again = 0; again < 2; again++) { /* over what was in it */
            rs_recipe_write(&rules, 0, events, n_events, &recipe);
            execute(wanted);
            follow(&recipe, made);
            for (int r = 0; r < n_ranks; r++)
                cr_assert_eq(made[r], wanted[r], "seed %d, rank %d", (int)seed, r);
        }
        n_finished += rules.finish;
        rs_arena_free(&arena);
    }
    cr_assert_gt(n_finished, 1000);
}
