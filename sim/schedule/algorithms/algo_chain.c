/* algo_chain.c: the pipelined chain from the root, broadcast; backwards, reduce.
 *
 *     step 2    root --c2--> 1 --c1--> 2 --c0--> 3      v = (rank - root) mod N; at step s < C + N - 2
 *     step 3    root --c3--> 1 --c2--> 2 --c1--> 3      v passes chunk s - v on to v + 1
 *
 * The reduce is the same film backwards: the last chunk sets out first, at the far end, and each rank adds.
 * C chunks: 4(N-1) unless told, so that filling the chain costs less than a quarter more.
 * Time: (N-2) m(0) + sum over all c of m(c), m(c) = alpha + |c|/B, with |c| gamma more for the reduce: the first
 * chunk is a largest one, and its way is the longest path.
 */
#include "schedule/pipeline.h"

static rs_post post_of(const rs_schedule *schedule, int32_t tree, int32_t rank) {
    const int32_t last = schedule->n_ranks - 1, v = from_root(schedule, rank);
    (void)tree;
    return (rs_post){.parent = v == 0 ? -1 : behind_root(schedule, v - 1),
                     .children = {v == last ? -1 : behind_root(schedule, v + 1), -1, -1},
                     .height = last - v,
                     .depth = v};
}

static const rs_pipeline forth = {.n_trees = 1, .down = true, .post = post_of};
static const rs_pipeline back = {.n_trees = 1, .up = true, .last_first = true, .post = post_of};

/* Places low .. high of the chain send in a step; they may stand on both sides of rank 0. */
static int32_t next_sender(const rs_schedule *schedule, int32_t step, int32_t rank) {
    const bool reduce = schedule->collective == RS_COLL_REDUCE;
    const int32_t n = schedule->n_ranks, last = reduce ? schedule->n_steps - step : step;
    int32_t low = last - chunks_a_channel(schedule) + 1, high = reduce ? n - 1 : n - 2;
    if (low < reduce) low = reduce;
    if (high > last) high = last;
    if (low > high) return n;
    const int32_t first = behind_root(schedule, low), end = behind_root(schedule, high);
    if (first > end && rank <= end) return rank;
    if (rank <= first) return first;
    return first > end || rank <= end ? rank : n;
}

static const char broadcast_rule[] =
    "int sends(int step, int rank, int n, rs_send out[]) {\n"
    "    int place = (rank - root + n) % n;\n"
    "    int chunk = step - place;\n"
    "    if (place == n - 1 || chunk < 0 || chunk >= n_chunks) return 0;\n"
    "    int to = (rank + 1) % n;\n"
    "    out[0] = (rs_send){to, chunk, 1, 1};\n"
    "    return 1;\n"
    "}\n";

static const char reduce_rule[] =
    "int sends(int step, int rank, int n, rs_send out[]) {\n"
    "    int place = (rank - root + n) % n;\n"
    "    int chunk = n_chunks + n - 2 - step - place;\n"
    "    if (place == 0 || chunk < 0 || chunk >= n_chunks) return 0;\n"
    "    int to = (rank - 1 + n) % n;\n"
    "    out[0] = (rs_send){to, chunk, 1, 0};\n"
    "    return 1;\n"
    "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    const bool reduce = schedule->collective == RS_COLL_REDUCE;
    if (schedule->n_pieces == 0) schedule->n_chunks = 4 * (n - 1);
    schedule->n_steps = schedule->n_chunks + n - 2;
    schedule->n_transfers = (int64_t)schedule->n_chunks * (n - 1);
    add_phase(schedule, reduce ? RS_REDUCE_PHASE : RS_BROADCAST, 0);
    rs_pipeline_fill(schedule, reduce ? &back : &forth);
    schedule->next_sender = next_sender;
    schedule->rule = reduce ? reduce_rule : broadcast_rule;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const bool reduce = schedule->collective == RS_COLL_REDUCE;
    const int32_t n_chunks = schedule->n_chunks, larger = (int32_t)(count % n_chunks);
    const int64_t small = count / n_chunks * elem_bytes, large = small + elem_bytes;
    const int32_t before = schedule->n_ranks - 2; /* ranks that the first chunk passes */
    const int32_t n_large = larger > 0 ? larger + before : 0;
    const int32_t n_small = n_chunks + before - n_large;
    return in_turn_ps(net, large, n_large, reduce ? n_large : 0) +
           in_turn_ps(net, small, n_small, reduce ? n_small : 0);
}

const rs_algorithm rs_chain_broadcast = {
    .name = "ring",
    .summary = N_("a chain from the root passes chunk after chunk on"),
    .collective = RS_COLL_BROADCAST,
    .pipelined = true,
    .make = make,
    .closed_form_ps = closed_form_ps,
};

const rs_algorithm rs_chain_reduce = {
    .name = "ring",
    .summary = N_("a chain to the root adds and passes chunk after chunk on"),
    .collective = RS_COLL_REDUCE,
    .pipelined = true,
    .make = make,
    .closed_form_ps = closed_form_ps,
};
