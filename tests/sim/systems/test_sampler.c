/* Who sees which sample: against torch.randperm's known results, and against the rules written out as
 * lists, the way the documented sampler makes them. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "ringsim_sampler.h"
#include "story/story_sampler.h"

static rs_arena arena;
static rs_error error;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(sampler, .init = open_arena, .fini = close_arena);

static rs_shards shard(rs_sampling sampling) {
    rs_shards shards;
    cr_assert_eq(rs_shard(&sampling, &arena, &error, &shards), RS_OK, "%s", error.text);
    return shards;
}

/* ------------------------------------------------------------------ the shuffled order */

/* As torch prints torch.randperm(10) after torch.manual_seed(seed), on the CPU. */
Test(sampler, shuffles_as_torch_randperm_does) {
    static const struct {
        uint64_t seed;
        int32_t order[10];
    } known[] = {
        {0, {4, 1, 7, 5, 3, 9, 0, 8, 6, 2}},
        {1, {5, 6, 1, 2, 0, 8, 9, 3, 7, 4}},
        {42, {2, 6, 1, 8, 4, 5, 0, 9, 3, 7}},
        {((uint64_t)1 << 32) + 1, {5, 6, 1, 2, 0, 8, 9, 3, 7, 4}}, /* only the low 32 bits count */
        {((uint64_t)1 << 53) - 1, {1, 4, 6, 2, 0, 5, 8, 7, 9, 3}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        int32_t order[10];
        rs_permute(10, known[k].seed, order);
        cr_expect_arr_eq(order, known[k].order, sizeof order, "seed %llu",
                         (unsigned long long)known[k].seed);
    }
}

Test(sampler, an_order_holds_every_sample_once) {
    enum { MOST = 3000 }; /* the twister is refilled four times */
    int32_t order[MOST];
    for (int32_t n = 0; n <= MOST; n = n < 3 ? n + 1 : n * 10) {
        bool there[MOST] = {false};
        rs_permute(n, 7, order);
        for (int32_t i = 0; i < n; i++) {
            cr_assert(order[i] >= 0 && order[i] < n && !there[order[i]]);
            there[order[i]] = true;
        }
    }
}

/* The 10,000th number of mt19937 with its usual seed is 4123659995 (the C++ standard, rand.predef). A
   permutation cannot show it directly; the last swap of 10,001 places draws it modulo 2. */
Test(sampler, the_generator_is_mt19937_to_its_ten_thousandth_number) {
    enum { N = 10001 };
    static int32_t order[N], shorter[N];
    rs_permute(N, 5489, order);
    /* The same draws, taken by a twister written as its authors print it. */
    static uint32_t mt[624];
    mt[0] = 5489;
    for (uint32_t i = 1; i < 624; i++) mt[i] = 1812433253u * (mt[i - 1] ^ (mt[i - 1] >> 30)) + i;
    for (int32_t i = 0; i < N; i++) shorter[i] = i;
    uint32_t last = 0;
    for (int k = 0; k < N - 1; k++) {
        if (k % 624 == 0) {
            for (int i = 0; i < 624; i++) {
                const uint32_t y = (mt[i] & 0x80000000u) | (mt[(i + 1) % 624] & 0x7fffffffu);
                mt[i] = mt[(i + 397) % 624] ^ (y >> 1) ^ (y % 2 != 0 ? 0x9908b0dfu : 0);
            }
        }
        uint32_t y = mt[k % 624];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        last = y ^ (y >> 18);
        const int64_t other = k + (int64_t)last % (N - k);
        const int32_t kept = shorter[k];
        shorter[k] = shorter[other];
        shorter[other] = kept;
    }
    cr_expect_eq(last, 4123659995u);
    cr_expect_arr_eq(order, shorter, sizeof order);
}

/* ------------------------------------------------------------------ who gets what */

static void deals(const rs_shards *shards, int32_t rank, const int64_t *wanted, int64_t n) {
    cr_assert_eq(shards->per_rank, n);
    for (int64_t i = 0; i < n; i++) {
        cr_expect_eq(rs_shard_sample(shards, rank, i), wanted[i], "rank %d, %lld: %lld", (int)rank,
                     (long long)i, (long long)rs_shard_sample(shards, rank, i));
    }
}

Test(sampler, ten_samples_on_four_ranks_show_two_of_them_twice) {
    const rs_shards shards = shard((rs_sampling){.n_samples = 10, .n_ranks = 4});
    deals(&shards, 0, (int64_t[]){0, 4, 8}, 3);
    deals(&shards, 1, (int64_t[]){1, 5, 9}, 3);
    deals(&shards, 2, (int64_t[]){2, 6, 0}, 3);
    deals(&shards, 3, (int64_t[]){3, 7, 1}, 3);
    cr_expect_eq(shards.n_padded, 2);
    cr_expect_eq(shards.n_dropped, 0);
}

Test(sampler, three_samples_on_seven_ranks_go_round) {
    const rs_shards shards = shard((rs_sampling){.n_samples = 3, .n_ranks = 7});
    cr_expect_eq(shards.per_rank, 1);
    for (int32_t r = 0; r < 7; r++) cr_expect_eq(rs_shard_sample(&shards, r, 0), r % 3);
    const rs_shards none = shard((rs_sampling){.n_samples = 3, .n_ranks = 7, .drop_last = true});
    cr_expect_eq(none.per_rank, 0);
    cr_expect_eq(none.n_dropped, 3);
}

Test(sampler, an_empty_dataset_is_dealt_out_too) {
    const rs_shards shards = shard((rs_sampling){.n_ranks = 4, .shuffle = true});
    cr_expect_eq(shards.total, 0);
    cr_expect_eq(shards.n_padded, 0);
}

Test(sampler, padding_of_a_shuffled_order_comes_from_its_own_head) {
    const rs_shards shards = shard((rs_sampling){.n_samples = 10, .n_ranks = 4, .shuffle = true});
    deals(&shards, 0, (int64_t[]){4, 3, 6}, 3);
    deals(&shards, 2, (int64_t[]){7, 0, 4}, 3); /* 4 is the head of the order, not sample 0 */
}

/* The documented sampler, as it is told: lists are made longer, or cut, and then taken in strides. */
static int64_t by_lists(const rs_sampling *s, int32_t rank, int64_t out[]) {
    const int64_t n = s->n_samples, r = s->n_ranks;
    int64_t each = n % r == 0 ? n / r : n / r + 1;
    if (s->drop_last && n % r != 0) each = n < r ? 0 : (n - r + r - 1) / r; /* ceil((n - r) / r) */
    const int64_t total = each * r;
    int64_t *list = calloc((size_t)(n + total) * 2 + 1, sizeof *list);
    int32_t *order = calloc((size_t)n + 1, sizeof *order);
    int64_t length = 0, n_out = 0;
    if (s->shuffle) rs_permute(n, s->seed + s->epoch, order);
    for (int64_t i = 0; i < n; i++) list[length++] = s->shuffle ? order[i] : i;
    const int64_t padding = total - n;
    for (int64_t i = 0; !s->drop_last && i < padding; i++) list[length++] = list[i];
    if (s->drop_last) length = total;
    cr_assert_eq(length, total);
    for (int64_t i = rank; i < total; i += r) out[n_out++] = list[i];
    cr_assert_eq(n_out, each);
    free(list);
    free(order);
    return n_out;
}

Test(sampler, deals_as_the_documented_sampler_for_all_small_cases) {
    int64_t wanted[128];
    for (int64_t n = 0; n <= 40; n++) {
        for (int32_t r = 1; r <= 12; r++) {
            for (int kind = 0; kind < 4; kind++) {
                const rs_sampling s = {.n_samples = n,
                                       .n_ranks = r,
                                       .shuffle = kind % 2 != 0,
                                       .drop_last = kind / 2 != 0,
                                       .seed = 3,
                                       .epoch = 5};
                const rs_shards shards = shard(s);
                for (int32_t rank = 0; rank < r; rank++) {
                    const int64_t n_wanted = by_lists(&s, rank, wanted);
                    deals(&shards, rank, wanted, n_wanted);
                }
            }
        }
    }
}

Test(sampler, every_sample_is_seen_by_somebody_and_the_extra_ones_are_the_padding) {
    for (int64_t n = 1; n <= 60; n++) {
        const rs_shards shards =
            shard((rs_sampling){.n_samples = n, .n_ranks = 7, .shuffle = true});
        int64_t seen[60] = {0}, extra = 0;
        for (int64_t p = 0; p < shards.total; p++) seen[rs_shard_position(&shards, p)]++;
        for (int64_t i = 0; i < n; i++) {
            cr_assert_geq(seen[i], 1);
            extra += seen[i] - 1;
        }
        cr_expect_eq(extra, shards.n_padded);
        cr_expect(n >= 7 ? shards.n_padded < 7 : shards.n_padded == 7 - n);
    }
}

Test(sampler, seed_and_epoch_are_added_so_an_epoch_of_one_seed_is_another_of_the_next) {
    const rs_shards a =
        shard((rs_sampling){.n_samples = 50, .n_ranks = 4, .shuffle = true, .seed = 3, .epoch = 4});
    const rs_shards b =
        shard((rs_sampling){.n_samples = 50, .n_ranks = 4, .shuffle = true, .seed = 4, .epoch = 3});
    const rs_shards c =
        shard((rs_sampling){.n_samples = 50, .n_ranks = 4, .shuffle = true, .seed = 3, .epoch = 3});
    cr_expect_arr_eq(a.order, b.order, 50 * sizeof *a.order);
    cr_expect(memcmp(a.order, c.order, 50 * sizeof *a.order) != 0);
}

Test(sampler, numbers_out_of_range_are_refused_and_nothing_is_touched) {
    rs_shards shards = {.per_rank = -5};
    const rs_sampling wrong[] = {
        {.n_samples = -1, .n_ranks = 4},
        {.n_samples = (int64_t)RS_MAX_SAMPLES + 1, .n_ranks = 4},
        {.n_samples = 10, .n_ranks = 0},
        {.n_samples = 10, .n_ranks = RS_MAX_RANKS + 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(rs_shard(&wrong[i], &arena, &error, &shards), RS_BAD_INPUT);
        cr_expect_eq(shards.per_rank, -5);
    }
    arena.limit_bytes = 1000000;
    const rs_sampling large = {.n_samples = 10000000, .n_ranks = 2, .shuffle = true};
    cr_expect_eq(rs_shard(&large, &arena, &error, &shards), RS_NO_MEMORY);
}

/* ------------------------------------------------------------------ batches */

Test(sampler, a_batch_is_counted_per_rank_and_the_last_may_be_short) {
    rs_batches batches;
    const rs_shards shards = shard((rs_sampling){.n_samples = 1000, .n_ranks = 4});
    rs_batches_of(&shards, 24, &batches);
    cr_expect_eq(batches.per_step, 96);
    cr_expect_eq(batches.n_steps, 11);
    cr_expect_eq(batches.last, 10);
    rs_batches_of(&shards, 250, &batches);
    cr_expect_eq(batches.n_steps, 1);
    cr_expect_eq(batches.last, 250);
    rs_batches_of(&shards, 1000000, &batches);
    cr_expect_eq(batches.n_steps, 1);
    cr_expect_eq(batches.last, 250);
    const rs_shards none = shard((rs_sampling){.n_ranks = 4});
    rs_batches_of(&none, 8, &batches);
    cr_expect_eq(batches.n_steps, 0);
    cr_expect_eq(batches.last, 0);
}

/* ------------------------------------------------------------------ the history */

/* Walks the whole history; counts how often it hands out each sample, from its own table. */
static void deal_by_story(const rv_sampler_story *of, int32_t seen[]) {
    rv_story history;
    const rs_shards *s = &of->epochs[0];
    rv_story_sampler(of, &history);
    for (int32_t step = -1; step <= history.n_steps; step++) {
        rv_frame frame = {.arena = &arena, .now_ps = -1};
        history.frame(&history, step, 0, &frame);
        cr_expect_gt(strlen(frame.caption), 10u);
        cr_expect(step < history.n_steps || frame.good != frame.bad);
        if (step < 0 || step >= history.n_steps) continue;
        const rv_grid *grid = &frame.grids[1];
        const int32_t column = step % grid->n_columns;
        for (int32_t r = 0; r < s->of.n_ranks; r++) {
            const rv_entry *entry = &grid->entries[r * grid->n_columns + column];
            cr_assert_not_null(entry->text);
            const bool marked = strchr(entry->text, '*') != NULL;
            const int sample = atoi(entry->text);
            cr_expect_eq(marked, column * s->of.n_ranks + r >= s->of.n_samples);
            cr_expect_eq(entry->tone == RV_TONE_BAD, marked);
            seen[sample]++;
        }
    }
}

Test(sampler, the_story_deals_what_the_sampler_deals) {
    const rs_shards epochs[2] = {
        shard((rs_sampling){.n_samples = 10, .n_ranks = 4, .shuffle = true}),
        shard((rs_sampling){.n_samples = 10, .n_ranks = 4, .shuffle = true, .epoch = 1})};
    int32_t seen[10] = {0}, wanted[10] = {0};
    const rv_sampler_story of = {.epochs = epochs, .n_epochs = 2};
    for (int e = 0; e < 2; e++) {
        for (int64_t p = 0; p < epochs[e].total; p++) wanted[rs_shard_position(&epochs[e], p)]++;
    }
    deal_by_story(&of, seen);
    cr_expect_arr_eq(seen, wanted, sizeof seen);
}

Test(sampler, a_story_of_many_rounds_shows_the_first_and_the_last) {
    const rs_shards epoch = shard((rs_sampling){.n_samples = 1001, .n_ranks = 4});
    const rv_sampler_story of = {.epochs = &epoch, .n_epochs = 1};
    rv_story history;
    rv_frame frame = {.arena = &arena, .now_ps = -1};
    rv_story_sampler(&of, &history);
    cr_assert_eq(history.n_steps, 24);
    history.frame(&history, 23, 1, &frame);
    cr_expect_str_eq(frame.grids[0].entries[24 + 23].text, "0*");
    cr_expect_not_null(strstr(frame.caption, "Round 251 of 251"));
}

Test(sampler, a_story_without_samples_has_a_start_and_an_end) {
    const rs_shards epoch = shard((rs_sampling){.n_ranks = 4});
    const rv_sampler_story of = {.epochs = &epoch, .n_epochs = 1};
    rv_story history;
    rv_story_sampler(&of, &history);
    for (int32_t step = -1; step <= history.n_steps; step++) {
        rv_frame frame = {.arena = &arena, .now_ps = -1};
        history.frame(&history, step, 0, &frame);
    }
}
