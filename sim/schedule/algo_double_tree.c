/* algo_double_tree.c: two complementary trees over the nodes, a chain inside each, pipelined up and down.
 *
 *     tree 0 of 8 nodes       0                tree 1 is its mirror image (7 - u; of an odd number of nodes, moved
 *                             4                on by one): who is inside one tree is a leaf of the other, so all
 *                       2           6          nodes send about as much
 *                     1   3       5   7
 *
 *     inside a node   head <-- next <-- next     tree c hangs on place c: each leaves the node by another GPU
 *
 * Each tree moves half of the array, a channel of C chunks. With h(r) the height of a rank, d(r) its depth and H the
 * root's height: r sends chunk i up in step i + h(r), and down in step i + H + d(r). 2 (C - 1 + H + D) messages at most
 * follow each other, D the depth (Sanders, Speck, Traeff, Parallel Computing 35(12), 2009).
 * C: 3 (H + D) unless told. No closed form: the messages of a step share ports.
 */
#include "schedule/algo.h"

enum { TREES = 2, CHILDREN = 3, SLOTS = 1 + CHILDREN };

/* A rank's place in one tree. */
typedef struct post {
    int32_t parent, children[CHILDREN]; /* ranks; -1: none */
    int32_t height, depth, slot;        /* slot: which of its parent's children it is */
} post;

static int32_t low_bit(int32_t u) {
    return u & -u;
}

/* In tree 0 the parent of node u > 0 among m: the next multiple of twice its lowest bit, where there is one. */
static int32_t up(int32_t u, int32_t m) {
    const int32_t b = low_bit(u), next = (u ^ b) | b << 1;
    return next < m ? next : u ^ b;
}

/* Returns the height of node u of tree 0: its lowest bit's number; of the root one more than its only child's. */
static int32_t height_of(int32_t u, int32_t m) {
    if (u > 0) return floor_log2(low_bit(u));
    return m == 1 ? 0 : floor_log2(m - 1) + 1;
}

/* Writes the children of node u of tree 0, at most two. */
static int children_of(int32_t u, int32_t m, int32_t out[2]) {
    int n = 0;
    if (u == 0) {
        if (m > 1) out[n++] = 1 << floor_log2(m - 1);
        return n;
    }
    for (int32_t b = low_bit(u) / 2; b > 0; b /= 2) {
        if (n == 0) out[n++] = u - b;
        if (u + b >= m) continue;
        out[n++] = u + b;
        break;
    }
    return n;
}

/* Between nodes as they are and as tree 0 numbers them; mirroring is its own inverse. */
static int32_t to_tree(int32_t u, int32_t m, int32_t tree) {
    return tree == 0 ? u : m % 2 == 0 ? m - 1 - u : (u + m - 1) % m;
}
static int32_t from_tree(int32_t u, int32_t m, int32_t tree) {
    return tree == 0 ? u : m % 2 == 0 ? m - 1 - u : (u + 1) % m;
}

static post post_of(const rs_schedule *schedule, int32_t tree, int32_t rank) {
    const int32_t g = schedule->gpus_per_node, m = schedule->n_ranks / g, node = rank / g;
    const int32_t turn = tree % g, q = (rank % g + g - turn) % g; /* place in the node's chain */
    const int32_t u = to_tree(node, m, tree);
    post p = {.parent = -1, .children = {-1, -1, -1}, .height = g - 1 - q, .depth = q};
    if (q + 1 < g) p.children[0] = node * g + (q + 1 + turn) % g;
    for (int32_t at = u; at > 0; at = up(at, m)) p.depth++;
    if (q > 0) {
        p.parent = node * g + (q - 1 + turn) % g;
        return p;
    }
    int32_t below[2];
    const int n = children_of(u, m, below);
    for (int i = 0; i < n; i++) p.children[1 + i] = from_tree(below[i], m, tree) * g + turn;
    p.height += height_of(u, m);
    if (u == 0) return p;
    const int32_t above = up(u, m), n_above = children_of(above, m, below);
    p.parent = from_tree(above, m, tree) * g + turn;
    p.slot = 1 + (n_above > 1 && below[1] == u);
    return p;
}

static int32_t root_height(const rs_schedule *schedule) {
    const int32_t g = schedule->gpus_per_node;
    return g - 1 + height_of(0, schedule->n_ranks / g);
}

static rs_transfer message(const rs_schedule *schedule, int32_t tree, int32_t src, int32_t dst,
                           int32_t chunk, int32_t slot) {
    return (rs_transfer){.src = src,
                         .dst = dst,
                         .chunk = tree * (schedule->n_chunks / TREES) + chunk,
                         .n_chunks = 1,
                         .order = (src * TREES + tree) * SLOTS + slot,
                         .effect = slot == 0 ? RS_REDUCE : RS_COPY,
                         .channel = (uint8_t)tree};
}

static bool is_chunk(const rs_schedule *schedule, int32_t chunk) {
    return chunk >= 0 && chunk < schedule->n_chunks / TREES;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    int n = 0;
    for (int32_t tree = 0; tree < TREES; tree++) {
        const post own = post_of(schedule, tree, rank);
        const int32_t rising = step - own.height;
        const int32_t falling = step - root_height(schedule) - own.depth;
        if (own.parent >= 0 && is_chunk(schedule, rising)) {
            out[n++] = message(schedule, tree, rank, own.parent, rising, 0);
        }
        for (int i = 0; i < CHILDREN; i++) {
            if (own.children[i] < 0 || !is_chunk(schedule, falling)) continue;
            out[n++] = message(schedule, tree, rank, own.children[i], falling, 1 + i);
        }
    }
    return n;
}

/* Sorted by source: there are few. */
static int put_in(const rs_transfer *t, int n, rs_transfer out[]) {
    int i = n;
    for (; i > 0 && out[i - 1].order > t->order; i--) out[i] = out[i - 1];
    out[i] = *t;
    return n + 1;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    int n = 0;
    for (int32_t tree = 0; tree < TREES; tree++) {
        const post own = post_of(schedule, tree, rank);
        const int32_t falling = step - root_height(schedule) - (own.depth - 1);
        if (own.parent >= 0 && is_chunk(schedule, falling)) {
            const rs_transfer t = message(schedule, tree, own.parent, rank, falling, 1 + own.slot);
            n = put_in(&t, n, out);
        }
        for (int i = 0; i < CHILDREN; i++) {
            if (own.children[i] < 0) continue;
            const int32_t rising = step - post_of(schedule, tree, own.children[i]).height;
            if (!is_chunk(schedule, rising)) continue;
            const rs_transfer t = message(schedule, tree, own.children[i], rank, rising, 0);
            n = put_in(&t, n, out);
        }
    }
    return n;
}

/* Returns the most that a rank sends or receives in one step: something begins or the most was before. */
static int32_t most_at_once(const rs_schedule *schedule, int32_t rank) {
    rs_transfer out[TREES * SLOTS];
    int32_t most = 0;
    for (int32_t tree = 0; tree < TREES; tree++) {
        const post own = post_of(schedule, tree, rank);
        const int32_t fall = root_height(schedule) + own.depth;
        int32_t begins[3 + CHILDREN] = {own.height, fall, fall - 1};
        for (int i = 0; i < CHILDREN; i++) {
            begins[3 + i] =
                own.children[i] < 0 ? 0 : post_of(schedule, tree, own.children[i]).height;
        }
        for (int i = 0; i < 3 + CHILDREN; i++) {
            if (begins[i] < 0 || begins[i] >= schedule->n_steps) continue;
            const int32_t n_out = sends(schedule, begins[i], rank, out);
            const int32_t n_in = recvs(schedule, begins[i], rank, out);
            if (n_out > most) most = n_out;
            if (n_in > most) most = n_in;
        }
    }
    return most;
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    if (schedule->gpus_per_node == 0) schedule->gpus_per_node = 1;
    int32_t depth = 0;
    for (int32_t r = 0; r < n; r++) {
        const post own = post_of(schedule, 0, r);
        if (own.depth > depth) depth = own.depth;
    }
    const int32_t height = root_height(schedule);
    const int32_t pieces = schedule->n_pieces > 0 ? schedule->n_pieces : 3 * (height + depth);
    schedule->n_channels = TREES;
    schedule->n_chunks = TREES * pieces;
    schedule->n_steps = pieces - 1 + height + depth;
    schedule->n_phases = 1; /* up and down at once */
    schedule->phases[0] = (rs_phase_range){RS_EXCHANGE, 0};
    schedule->n_transfers = (int64_t)TREES * pieces * 2 * (n - 1);
    schedule->sends = sends;
    schedule->recvs = recvs;
    for (int32_t r = 0; r < n; r++) {
        const int32_t most = most_at_once(schedule, r);
        if (most > schedule->max_sends) schedule->max_sends = most;
    }
}

static rs_status accepts(const rs_schedule *wanted, rs_error *error) {
    const int32_t g = wanted->gpus_per_node, n = wanted->n_ranks;
    if (g == 0 || n % g == 0) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT,
                   "double-tree: %d GPUs cannot be cut into nodes of %d; take a divisor of %d",
                   (int)n, (int)g, (int)n);
}

const rs_algorithm rs_double_tree = {
    .name = "double-tree",
    .summary = N_("two trees over the nodes, chains inside, chunk after chunk up and down"),
    .make = make,
    .accepts = accepts,
    .own_channels = true, /* two */
    .pipelined = true,
};
