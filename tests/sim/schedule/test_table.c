/* test_table.c: lists of transfers drawn by chance, compiled: what a schedule says of itself, and of each rank and step, is what is
 * counted in the list.
 */
#include "ringsim.h"

#include <criterion/criterion.h>

#include "support/naive_apply.h"

enum { MOST_RANKS = 7, MOST_STEPS = 6, MOST_A_STEP = 9, MOST = MOST_STEPS * MOST_A_STEP };

typedef struct drawn {
    int32_t n_ranks, n_chunks, n_steps;
    int64_t first[MOST_STEPS + 1];
    rs_transfer list[MOST];
} drawn;

static uint64_t state = 17;

static void draw_list(drawn *d) {
    const bool fixed = random_below(&state, 2), one_channel = random_below(&state, 2);
    *d = (drawn){.n_ranks = 2 + random_below(&state, MOST_RANKS - 1),
                 .n_chunks = 1 + random_below(&state, 9),
                 .n_steps = random_below(&state, MOST_STEPS + 1)};
    int64_t at = 0;
    for (int32_t step = 0; step < d->n_steps; step++) {
        for (int32_t i = random_below(&state, MOST_A_STEP + 1); i > 0; i--) {
            rs_transfer *t = &d->list[at++];
            t->src = random_below(&state, d->n_ranks);
            t->dst = (t->src + 1 + (fixed ? 0 : random_below(&state, d->n_ranks - 1))) % d->n_ranks;
            t->chunk = random_below(&state, d->n_chunks);
            t->n_chunks = 1 + random_below(&state, d->n_chunks - t->chunk);
            t->effect = (uint8_t)(random_below(&state, 2) ? RS_COPY : RS_REDUCE);
            t->channel = (uint8_t)(one_channel ? 0 : random_below(&state, 3));
        }
        d->first[step + 1] = at;
    }
}

static bool same(const rs_transfer *a, const rs_transfer *b) {
    return a->src == b->src && a->dst == b->dst && a->chunk == b->chunk &&
           a->n_chunks == b->n_chunks && a->effect == b->effect && a->channel == b->channel;
}

/* Every rank hears from one rank at the most, and sends to one. */
static bool has_fixed_neighbours(const drawn *d) {
    for (int64_t i = 0; i < d->first[d->n_steps]; i++) {
        for (int64_t k = 0; k < i; k++) {
            const rs_transfer *a = &d->list[i], *b = &d->list[k];
            if ((a->src == b->src) != (a->dst == b->dst)) return false;
        }
    }
    return true;
}

/* What the rank sends, or receives, in the step, in list order. */
static void check_rank(const rs_schedule *s, const drawn *d, int32_t step, int32_t rank, bool sends,
                       int32_t *most) {
    rs_transfer got[MOST_A_STEP];
    const int n = (sends ? s->sends : s->recvs)(s, step, rank, got);
    int k = 0;
    for (int64_t i = d->first[step]; i < d->first[step + 1]; i++) {
        if ((sends ? d->list[i].src : d->list[i].dst) != rank) continue;
        cr_assert(k < n && same(&got[k], &d->list[i]));
        cr_assert_eq(got[k].order, i - d->first[step]);
        k++;
    }
    cr_assert_eq(k, n);
    if (!sends) cr_assert_eq(s->n_recvs(s, step, rank), n);
    if (n > *most) *most = n;
}

static void check_all(const rs_schedule *s, const drawn *d) {
    int32_t most = 0, longest = 1, n_channels = 1;
    for (int64_t i = 0; i < d->first[d->n_steps]; i++) {
        if (d->list[i].n_chunks > longest) longest = d->list[i].n_chunks;
        if (d->list[i].channel >= n_channels) n_channels = d->list[i].channel + 1;
    }
    for (int32_t step = 0; step < d->n_steps; step++) {
        rs_transfer t;
        rs_cursor cursor = {0};
        for (int64_t i = d->first[step]; i < d->first[step + 1]; i++) {
            cr_assert(rs_next_transfer(s, step, &cursor, &t) && same(&t, &d->list[i]));
        }
        cr_assert_not(rs_next_transfer(s, step, &cursor, &t));
        for (int32_t rank = 0; rank < d->n_ranks; rank++) {
            check_rank(s, d, step, rank, true, &most);
            check_rank(s, d, step, rank, false, &most);
        }
    }
    for (int32_t rank = 0; rank < d->n_ranks; rank++) {
        int64_t sent = 0;
        int32_t next = d->n_steps;
        for (int32_t step = d->n_steps - 1; step >= 0; step--) {
            for (int64_t i = d->first[step]; i < d->first[step + 1]; i++) {
                const rs_transfer *t = &d->list[i];
                if (t->src == rank || t->dst == rank) next = step;
                if (t->src != rank) continue;
                sent += rs_chunk_first(s, 100, t->chunk + t->n_chunks) -
                        rs_chunk_first(s, 100, t->chunk);
            }
            cr_assert_eq(s->next_step(s, step, rank), next);
        }
        cr_assert_eq(s->next_step(s, d->n_steps, rank), d->n_steps);
        cr_assert_eq(rs_elements_sent(s, 100, rank), sent);
    }
    cr_assert_str_eq(s->name, "file");
    cr_assert(s->n_ranks == d->n_ranks && s->n_chunks == d->n_chunks && s->n_steps == d->n_steps);
    cr_assert(s->n_transfers == d->first[d->n_steps] && s->max_run == longest);
    cr_assert(s->max_sends == most && s->n_channels == n_channels);
    cr_assert_eq(s->fixed_neighbours, has_fixed_neighbours(d));
}

Test(table, a_compiled_list_says_what_the_list_says) {
    int n_fixed = 0, n_channels = 0;
    for (int trial = 0; trial < 2000; trial++) {
        drawn d;
        rs_arena arena;
        rs_error error = {.text = ""};
        rs_schedule s;
        rs_arena_init(&arena, NULL);
        draw_list(&d);
        cr_assert_eq(rs_schedule_from_list(d.n_ranks, d.n_chunks, d.n_steps, d.first, d.list,
                                           &arena, &error, &s),
                     RS_OK, "%s", error.text);
        check_all(&s, &d);
        n_fixed += s.fixed_neighbours && s.n_transfers > 5;
        n_channels += s.n_channels > 1;
        rs_arena_free(&arena);
    }
    cr_assert(n_fixed > 200 && n_channels > 200);
}
