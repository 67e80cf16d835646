/* test_nccl_join.c: random rings and trees of which some lines are missing, joined from those that are there, as a plain
 * account of them has it.
 */
#include "log_text.h"

enum { MOST = 9, CHANNELS = 4 };

static int n_ranks;

TestSuite(nccl_join, .init = start, .fini = stop);

/* Begins a line of a rank's; ADD("\n") ends it. */
static void say(int rank) {
    ADD("h:%d:2 [0] NCCL INFO ", rank);
    n_lines++;
}

/* A communicator of n_ranks, and one of two, whose lines are none of its. */
static void begin(uint64_t seed) {
    begin_log(seed);
    n_ranks = 3 + draw(MOST - 2);
    say(0);
    ADD("comm 0x5 rank 0 nRanks %d nNodes 1 localRanks 8 localRank 0 MNNVL 0\n", n_ranks);
    say(99);
    ADD("comm 0x6 rank 0 nRanks 2 nNodes 1 localRanks 2 localRank 0 MNNVL 0\n");
}
static void say_other(void) {
    if (draw(4) > 0) return;
    say(99);
    ADD("%s\n", draw(2) ? "Ring 00 : 1 -> 0 -> 1" : "Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->1");
}

static void read_whole(void) {
    read_log();
    cr_assert(log_.n_ranks == n_ranks && log_.n_unknown == 0);
}

/* ------------------------------------------------------------------ rings */

typedef struct made_ring {
    int order[MOST], n_listed; /* by rank 0; 0: no list */
    int next[MOST];            /* -1: no line says it */
    int64_t line, list_line;
} made_ring;

static void say_ring(made_ring *ring, int channel, int chance) {
    for (int i = 0; i < n_ranks; i++) ring->order[i] = i, ring->next[i] = -1;
    ring->line = ring->list_line = ring->n_listed = 0;
    for (int i = n_ranks - 1; i > 1; i--) { /* rank 0 comes first */
        const int other = 1 + draw(i), kept = ring->order[i];
        ring->order[i] = ring->order[other];
        ring->order[other] = kept;
    }
    if (draw(2)) {
        ring->n_listed = draw(3) ? n_ranks : 1 + draw(n_ranks);
        say(0);
        ADD("Channel %02d/%02d :", channel, CHANNELS);
        for (int i = 0; i < ring->n_listed; i++) ADD("  %d", ring->order[i]);
        ADD("\n");
        ring->list_line = n_lines;
    }
    for (int i = 0; i < n_ranks; i++) {
        const int before = ring->order[(i + n_ranks - 1) % n_ranks], own = ring->order[i];
        const int behind = ring->order[(i + 1) % n_ranks];
        say_other();
        if (draw(10) >= chance) continue;
        say(own);
        ADD("Ring %02d : %d -> %d -> %d\n", channel, before, own, behind);
        if (ring->line == 0) ring->line = n_lines;
        ring->next[before] = own;
        ring->next[own] = behind;
    }
}

/* What should become of it: how many ranks, in which order. */
static int account_ring(const made_ring *ring, int ranks[MOST], bool *whole, int64_t *line) {
    int from = 0, n = 0;
    while (from < n_ranks && ring->next[from] < 0) from++;
    for (int at = from; at >= 0 && at < n_ranks; at = ring->next[at]) {
        if (n > 0 && at == from) break;
        ranks[n++] = at;
    }
    *whole = n == n_ranks && ring->next[ranks[n - 1]] == from;
    *line = ring->line;
    if (!*whole && ring->n_listed > 0) {
        for (n = 0; n < ring->n_listed; n++) ranks[n] = ring->order[n];
        *whole = n == n_ranks;
        *line = ring->list_line;
    }
    return n;
}

Test(nccl_join, rings_are_closed_from_what_is_said_of_them) {
    int n_whole = 0, n_cut = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        made_ring rings[CHANNELS];
        int n = 0, n_open = 0;
        begin(seed);
        for (int i = 0; i < CHANNELS; i++) { /* in another order than that of their numbers */
            const int channel = (i + 1) % CHANNELS;
            say_ring(&rings[channel], channel, draw(3) ? 10 : draw(11));
        }
        read_whole();
        for (int channel = 0; channel < CHANNELS; channel++) {
            int ranks[MOST];
            bool whole;
            int64_t line;
            const int wanted = account_ring(&rings[channel], ranks, &whole, &line);
            if (wanted == 0) continue;
            cr_assert_lt(n, log_.n_rings, "seed %d", (int)seed);
            const rn_nccl_ring *ring = &log_.rings[n++];
            cr_assert(ring->channel == channel && ring->n == wanted && ring->line == line,
                      "seed %d: channel %d, %d ranks, line %d", (int)seed, (int)ring->channel,
                      (int)ring->n, (int)ring->line);
            for (int i = 0; i < wanted; i++) cr_assert_eq(ring->ranks[i], ranks[i]);
            cr_assert_eq(ring->whole, whole, "seed %d, channel %d", (int)seed, channel);
            n_open += !whole;
        }
        cr_assert_eq(log_.n_rings, n);
        cr_assert_eq(count_found("do not close"), n_open > 0);
        if (n_open > 0)
            expect_found(RN_NOTE, log_.rings[0].line, "rings that the lines do not close: %d of %d",
                         n_open, n);
        n_whole += n - n_open;
        n_cut += n_open;
    }
    cr_assert(n_whole > 2000 && n_cut > 300, "%d, %d", n_whole, n_cut);
}

/* ------------------------------------------------------------------ trees */

typedef struct made_tree {
    int up[MOST], said[MOST]; /* said -2: no line says it */
    int below[MOST][3];
    int root; /* -1: none of the lines says so */
    int64_t line;
} made_tree;

static void make_tree(made_tree *t) {
    int order[MOST];
    for (int i = 0; i < n_ranks; i++) order[i] = i;
    for (int i = n_ranks - 1; i > 0; i--) {
        const int other = draw(i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (int i = 0; i < n_ranks; i++) {
        t->up[order[i]] = i == 0 ? -1 : order[draw(i)];
        t->said[i] = -2;
        t->below[i][0] = t->below[i][1] = t->below[i][2] = -1;
    }
    if (draw(4) == 0) t->up[draw(n_ranks)] = draw(n_ranks + 1) - 1; /* perhaps none then */
    t->root = -1;
    t->line = 0;
}

/* Children are kept in their order, whatever stands between them. */
static const char *children(made_tree *t, int rank) {
    static char line[40];
    int n = 0, at = 0;
    for (int i = 0; i < 3; i++) {
        const int child = draw(2) ? -1 : draw(n_ranks);
        at += snprintf(line + at, sizeof line - (size_t)at, i == 0 ? "%d" : "/%d", child);
        if (child >= 0) t->below[rank][n++] = child;
    }
    return line;
}

static void note_tree(made_tree *t, int rank) {
    t->said[rank] = t->up[rank];
    if (t->up[rank] < 0) t->root = rank;
    if (t->line == 0) t->line = n_lines;
}

static bool is_tree(const made_tree *t) {
    int n_roots = 0;
    for (int r = 0; r < n_ranks; r++) {
        int at = r;
        for (int i = 0; i <= n_ranks && at >= 0; i++) at = t->said[at];
        n_roots += t->said[r] == -1;
        if (at != -1) return false;
    }
    return n_roots == 1;
}

Test(nccl_join, trees_are_whole_where_every_rank_comes_to_the_one_root) {
    int n_whole = 0, n_broken = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        made_tree trees[2][2]; /* channel, the first or the second of it */
        int n = 0;
        begin(seed);
        const int form = draw(3), chance = draw(3) ? 10 : 8;
        for (int i = 0; i < 4; i++) make_tree(&trees[i / 2][i % 2]);
        for (int r = 0; r < n_ranks; r++) {
            say_other();
            if (draw(10) >= chance) continue;
            say(r);
            for (int c = 0; c < 2; c++) {
                if (form == 2) { /* a line each, what is above first */
                    if (c > 0) {
                        ADD("\n");
                        say(r);
                    }
                    ADD("Tree %d : %d -> %d -> %s", c, trees[c][0].up[r], r,
                        children(&trees[c][0], r));
                    note_tree(&trees[c][0], r);
                    continue;
                }
                ADD("%s[%d] %s->%d->%d", c == 0 ? "Trees " : " ", c, children(&trees[c][0], r), r,
                    trees[c][0].up[r]);
                note_tree(&trees[c][0], r);
                if (form == 0) continue;
                ADD("|%d->%d->%s", trees[c][1].up[r], r, children(&trees[c][1], r));
                note_tree(&trees[c][1], r);
            }
            ADD("\n");
        }
        read_whole();
        for (int i = 0; i < 4; i++) {
            const int channel = form == 1 ? i / 2 : i % 2;
            const made_tree *t = &trees[channel][form == 1 ? i % 2 : i / 2];
            if (t->line == 0) continue;
            cr_assert_lt(n, log_.n_trees);
            const rn_nccl_tree *tree = &log_.trees[n++];
            cr_assert(tree->channel == channel && tree->line == t->line && tree->root == t->root,
                      "seed %d: channel %d, root %d, line %d", (int)seed, (int)tree->channel,
                      (int)tree->root, (int)tree->line);
            for (int r = 0; r < n_ranks; r++) cr_assert_eq(tree->up[r], t->said[r]);
            cr_assert_arr_eq(tree->below, t->below, (size_t)n_ranks * sizeof *t->below);
            cr_assert_eq(tree->whole, is_tree(t), "seed %d, channel %d", (int)seed, channel);
            n_whole += tree->whole;
            n_broken += !tree->whole;
        }
        cr_assert_eq(log_.n_trees, n, "seed %d: %d trees, not %d", (int)seed, (int)log_.n_trees, n);
    }
    cr_assert(n_whole > 800 && n_broken > 800, "%d, %d", n_whole, n_broken);
}
