/* test_explain_draw.c: which rings and trees of some files become one schedule, and that they are the all-reduce along them: drawn
 * by chance, beside a plain account.
 */
#include "explain/explain_draw.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "explain/found_schedule.h"
#include "support/naive_apply.h"

enum { MOST_FILES = 3, MOST_FOUND = 7, MOST = 1030 };

static rs_arena arena;
static rs_error error;
static rc_explained files[MOST_FILES];
static rn_nccl_ring rings[MOST_FILES][MOST_FOUND];
static rn_nccl_tree trees[MOST_FILES][MOST_FOUND];
static int32_t orders[MOST_FILES][MOST_FOUND][MOST], ups[MOST_FILES][MOST_FOUND][MOST];
static uint64_t state = 11;
static int n_files;

static void draw_files(void) {
    static const int32_t worlds[] = {1, 2, 3, 4, 5, 5, 6, 300, 1024, 1025};
    memset(files, 0, sizeof files);
    n_files = random_below(&state, MOST_FILES + 1);
    for (int f = 0; f < n_files; f++) {
        rc_explained *e = &files[f];
        const int32_t world = worlds[random_below(&state, random_below(&state, 9) == 0 ? 10 : 7)];
        e->kind = random_below(&state, 3) == 0 ? RC_KIND_GRAPH : RC_KIND_LOG;
        const int n_rings = random_below(&state, MOST_FOUND + 1);
        for (int i = 0; i < n_rings; i++) {
            const int32_t n = random_below(&state, 9) == 0 ? 1 + random_below(&state, 5) : world;
            int32_t *order = orders[f][i];
            for (int32_t k = 0; k < n; k++) order[k] = k;
            for (int32_t k = n < 100 ? n - 1 : 0; k > 1; k--) { /* rank 0 stays the first */
                const int32_t at = 1 + random_below(&state, k), was = order[k];
                order[k] = order[at];
                order[at] = was;
            }
            rings[f][i] = (rn_nccl_ring){.ranks = order, .n = n, .whole = random_below(&state, 5)};
        }
        e->log.n_ranks = world;
        const int n_trees = random_below(&state, MOST_FOUND + 1);
        for (int i = 0; i < n_trees; i++) {
            ups[f][i][0] = -1;
            for (int32_t k = 1; k < world; k++) ups[f][i][k] = random_below(&state, k);
            trees[f][i] = (rn_nccl_tree){.up = ups[f][i], .whole = random_below(&state, 5)};
        }
        if (e->kind == RC_KIND_LOG) {
            e->log.rings = rings[f], e->log.n_rings = n_rings;
            e->log.trees = trees[f], e->log.n_trees = n_trees;
        } else {
            e->graph.rings = rings[f], e->graph.n_rings = n_rings;
            e->log.n_ranks = 0;
        }
    }
}

/* ------------------------------------------------------------------ the plain account */

typedef struct chosen {
    int n;
    int32_t n_ranks;
    const int32_t *of[RC_MOST_LANES]; /* a ring's order, a tree's rank above each */
} chosen;

static int lanes(int32_t n) {
    for (int k = RC_MOST_LANES; k > 1; k--) {
        if ((int64_t)k * n * n <= 1 << 18) return k;
    }
    return 1;
}

static void choose(chosen *c, const int32_t *of, int32_t n, int most) {
    if (n < 2 || n > 1024 || c->n == most || (c->n > 0 && n != c->n_ranks)) return;
    for (int k = 0; k < c->n; k++) {
        if (memcmp(c->of[k], of, (size_t)n * sizeof *of) == 0) return;
    }
    c->of[c->n++] = of;
    c->n_ranks = n;
}

static chosen choose_rings(void) {
    chosen c = {.n = 0};
    for (int f = 0; f < n_files && c.n == 0; f++) {
        const int n = files[f].log.n_rings + files[f].graph.n_rings;
        for (int i = 0; i < n; i++) {
            const rn_nccl_ring *r = &rings[f][i];
            if (r->whole) choose(&c, r->ranks, r->n, lanes(r->n));
        }
    }
    return c;
}

static chosen choose_trees(void) {
    chosen c = {.n = 0};
    for (int f = 0; f < n_files && c.n == 0; f++) {
        for (int i = 0; i < files[f].log.n_trees; i++) {
            if (trees[f][i].whole) choose(&c, trees[f][i].up, files[f].log.n_ranks, RC_MOST_LANES);
        }
    }
    return c;
}

/* Each message goes along its channel's ring, or up and down its tree; and all of them are an all-reduce. */
static void check_schedule(const rs_schedule *s, const chosen *c, bool is_ring) {
    rs_transfer t;
    static int32_t next[MOST];
    cr_assert_eq(s->n_ranks, c->n_ranks);
    cr_assert_eq(s->n_channels, c->n);
    for (int lane = 0; lane < c->n; lane++) {
        for (int32_t i = 0; i < c->n_ranks && is_ring; i++) {
            next[c->of[lane][i]] = c->of[lane][(i + 1) % c->n_ranks];
        }
        for (int32_t step = 0; step < s->n_steps; step++) {
            for (rs_cursor at = {0}; rs_next_transfer(s, step, &at, &t);) {
                if (t.channel != lane) continue;
                const int32_t *up = c->of[lane];
                const bool along =
                    is_ring ? next[t.src] == t.dst
                            : (t.effect == RS_REDUCE ? up[t.src] == t.dst : up[t.dst] == t.src);
                cr_assert(along, "lane %d, step %d: %d to %d", lane, step, t.src, t.dst);
            }
        }
    }
    rs_verdict verdict;
    if (c->n_ranks > 6) return;
    cr_assert_eq(rs_check(s, NULL, &error, &verdict), RS_OK, "%s", error.text);
    cr_assert(verdict.sound, "%d ranks, %d lanes", c->n_ranks, c->n);
}

Test(explain_draw, rings_and_trees_of_the_first_file_that_has_some) {
    int n_drawn[3] = {0};
    for (int trial = 0; trial < 400; trial++) {
        rc_session session = {.arena = &arena, .error = &error};
        rc_drawing d = {.what = (rc_draw)(trial % 3)};
        rs_arena_init(&arena, NULL);
        error.text[0] = '\0';
        draw_files();
        chosen c = {.n = 0};
        if (d.what != RC_DRAW_TREES) c = choose_rings();
        const bool is_ring = c.n > 0;
        if (d.what != RC_DRAW_RINGS && !is_ring) c = choose_trees();
        const rc_exit status = rc_find_drawing(&session, files, n_files, &d);
        cr_assert_eq(status, c.n > 0 ? RC_GOOD : RC_USAGE, "trial %d: %s", trial, error.text);
        cr_assert_eq(d.has_schedule, c.n > 0);
        if (c.n > 0) check_schedule(&d.schedule, &c, is_ring);
        if (c.n == 0) {
            static const char *const told[] = {"nothing here can be drawn", "no ring can be drawn",
                                               "no tree can be drawn"};
            cr_assert_eq(strncmp(error.text, told[d.what], strlen(told[d.what])), 0, "%s",
                         error.text);
        }
        n_drawn[c.n == 0 ? 2 : is_ring]++;
        rs_arena_free(&arena);
    }
    cr_expect(n_drawn[0] > 20 && n_drawn[1] > 20 && n_drawn[2] > 20);
}
