/* algo_tree.c: binomial reduce to rank 0, then binomial broadcast.
 *
 *     step 0   1 -> 0   3 -> 2   5 -> 4      With h = ceil(log2 N): at step j < h the ranks whose
 *     step 1   2 -> 0            6 -> 4      lowest set bit is 2^j send their whole array to
 *     step 2   4 -> 0                        rank - 2^j. The broadcast does it in reverse order.
 *
 * Time: h (2(alpha + K/B) + K gamma) (Thakur, Rabenseifner, Gropp 2005).
 */
#include "schedule/algo.h"

/* ------------------------------------------------------------------ pairs of a binomial tree */

/* Whole arrays along a binomial tree over v = (rank - root) mod N, the root 0 where the collective has
 * none.
 *
 *     up, step 0     1 -> 0   3 -> 2   5 -> 4      At step j of ceil(log2 N) those whose lowest set bit is 2^j
 *         step 1     2 -> 0            6 -> 4      send to v - 2^j, who adds.
 *         step 2     4 -> 0                        Down: the same film backwards, and v overwrites.
 *
 * A reduce goes up, a broadcast down, an all-reduce up and then down.
 */

static bool goes_up(const rs_schedule *schedule, int32_t step) {
    if (schedule->collective != RS_COLL_ALL_REDUCE) return schedule->collective == RS_COLL_REDUCE;
    return step < schedule->n_steps / 2;
}

/* Finds the one message of a step that `rank` sends or receives; false: there is none. */
static bool find_message(const rs_schedule *schedule, int32_t step, int32_t rank,
                         rs_transfer *out) {
    const int32_t n = schedule->n_ranks;
    const int32_t root = schedule->collective == RS_COLL_ALL_REDUCE ? 0 : schedule->root;
    const bool up = goes_up(schedule, step);
    const int32_t b = 1 << (up ? step : schedule->n_steps - 1 - step); /* where a pair differs */
    const int32_t v = rank < root ? rank - root + n : rank - root;
    const int32_t low = v & (2 * b - 1), upper = low == b ? v : v + b;
    if ((low != b && low != 0) || upper >= n) return false;
    const int32_t child = upper + root < n ? upper + root : upper + root - n;
    const int32_t parent = child < b ? child - b + n : child - b;
    *out = (rs_transfer){
        .src = up ? child : parent,
        .dst = up ? parent : child,
        .n_chunks = 1,
        .order = up ? child : parent,
        .effect = up ? RS_REDUCE : RS_COPY,
    };
    return true;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return find_message(schedule, step, rank, &out[0]) && out[0].src == rank;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return find_message(schedule, step, rank, &out[0]) && out[0].dst == rank;
}

/* Lets a schedule, whose steps are there, go by the tree. */
static void fill_schedule(rs_schedule *schedule) {
    schedule->sends = sends;
    schedule->recvs = recvs;
}

static int32_t tree_next_step(const rs_schedule *schedule, int32_t step, int32_t rank) {
    rs_transfer t;
    while (step < schedule->n_steps && !find_message(schedule, step, rank, &t)) step++;
    return step;
}

/* In a step every 2b-th rank sends, b the step's bit: upper ends to their parents, or parents to them. */
static int32_t tree_next_sender(const rs_schedule *schedule, int32_t step, int32_t rank) {
    const int32_t n = schedule->n_ranks, height = schedule->n_steps / 2;
    const bool reduce = step < height;
    const int32_t b = 1 << (reduce ? step : schedule->n_steps - 1 - step);
    const int32_t next = rank + (((reduce ? b : 0) - rank) & (2 * b - 1));
    return next < (reduce ? n : n - b) ? next : n;
}

static const char tree_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                                "    int height = 0;\n"
                                "    while (1 << height < n) height++;\n"
                                "    int up = step < height;\n"
                                "    int bit = 1 << (up ? step : 2 * height - 1 - step);\n"
                                "    int to = up ? rank - bit : rank + bit;\n"
                                "    if (rank % (2 * bit) != (up ? bit : 0)) return 0;\n"
                                "    if (to >= n) return 0;\n"
                                "    out[0] = (rs_send){to, 0, 1, !up};\n"
                                "    return 1;\n"
                                "}\n";

static void make_tree(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    const int32_t height = ceil_log2(n);
    schedule->n_chunks = 1;
    schedule->n_steps = 2 * height;
    schedule->n_transfers = 2 * (n - 1);
    add_phase(schedule, RS_REDUCE_PHASE, 0);
    add_phase(schedule, RS_BROADCAST, height);
    fill_schedule(schedule);
    schedule->rule = tree_rule;
    schedule->next_step = tree_next_step;
    schedule->next_sender = tree_next_sender;
}

static int64_t tree_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                       const rs_net *net) {
    return in_turn_ps(net, count * elem_bytes, schedule->n_steps, schedule->n_steps / 2);
}

const rs_algorithm rs_tree = {
    .name = "tree",
    .summary = N_("pairs add up to GPU 0 and the sum comes back down (binomial tree)"),
    .make = make_tree,
    .closed_form_ps = tree_ps,
};

/* ------------------------------------------------------------------ from the root, and to it */

/* The binomial tree, from the root, broadcast; to the root, reduce.
 *
 *     step 0   0 -> 4                             v = (rank - root) mod N; h = ceil(log2 N): at step j the
 *     step 1   0 -> 2              4 -> 6         multiples of 2^(h-j) send the whole array to
 *     step 2   0 -> 1    2 -> 3    4 -> 5         v + 2^(h-j-1), where there is such a rank
 *
 * The reduce is the same film backwards, and who receives adds.
 * Time: h (alpha + K/B), the reduce h (alpha + K/B + K gamma) (Thakur, Rabenseifner, Gropp 2005).
 */

static bool is_reduce(const rs_schedule *schedule) {
    return schedule->collective == RS_COLL_REDUCE;
}

static const char broadcast_rule[] =
    "int sends(int step, int rank, int n, rs_send out[]) {\n"
    "    int place = (rank - root + n) % n, bit = 1;\n"
    "    while (2 * bit < n) bit *= 2;\n"
    "    bit >>= step;\n"
    "    if (place % (2 * bit) != 0 || place + bit >= n) return 0;\n"
    "    int to = (rank + bit) % n;\n"
    "    out[0] = (rs_send){to, 0, 1, 1};\n"
    "    return 1;\n"
    "}\n";

static const char reduce_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                                  "    int place = (rank - root + n) % n, bit = 1 << step;\n"
                                  "    if (place % (2 * bit) != bit) return 0;\n"
                                  "    int to = (rank - bit + n) % n;\n"
                                  "    out[0] = (rs_send){to, 0, 1, 0};\n"
                                  "    return 1;\n"
                                  "}\n";

static void make_rooted(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = 1;
    schedule->n_steps = ceil_log2(n);
    schedule->n_transfers = n - 1;
    add_phase(schedule, is_reduce(schedule) ? RS_REDUCE_PHASE : RS_BROADCAST, 0);
    fill_schedule(schedule);
    schedule->rule = is_reduce(schedule) ? reduce_rule : broadcast_rule;
}

static int64_t rooted_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                         const rs_net *net) {
    const int32_t n_steps = schedule->n_steps;
    return in_turn_ps(net, count * elem_bytes, n_steps, is_reduce(schedule) ? n_steps : 0);
}

const rs_algorithm rs_tree_broadcast = {
    .name = "tree",
    .summary = N_("who has the array hands it on, twice as many in every step"),
    .collective = RS_COLL_BROADCAST,
    .make = make_rooted,
    .closed_form_ps = rooted_ps,
};

const rs_algorithm rs_tree_reduce = {
    .name = "tree",
    .summary = N_("pairs add up towards the root, half as many in every step"),
    .collective = RS_COLL_REDUCE,
    .make = make_rooted,
    .closed_form_ps = rooted_ps,
};
