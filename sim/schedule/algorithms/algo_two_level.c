/* algo_two_level.c: inside the nodes, between them, inside again.
 *
 *     N = 8, G = 4      node 0: 0 > 1 > 2 > 3 > 0     ring inside, of slices (m chunks in one message)
 *     m = N / G = 2             |   |   |   |
 *                       node 1: 4 > 5 > 6 > 7 > 4     rings between equal places, of chunks
 *
 *     slice    |  0  |  1  |  2  |  3  |     Rank r has place p = r mod G in node q = r / G (dealt out: p = r / m,
 *     chunk    |0   1|2   3|4   5|6   7|     q = r mod m). The C = N chunks lie slice after slice: slice p is chunks
 *                                            pm .. pm+m-1.
 *
 *     scatter-reduce   G - 1 steps     place p sends slice p-1-s, ends owning slice p of its node
 *     exchange         2(m - 1) steps  node q sends chunk q-1-s of slice p; half adds, half overwrites
 *     all-gather       G - 1 steps     place p sends slice p-s
 *
 * A GPU sends 2(m-1)/m of 1/G of the array out of its node, so NICs carry G times less than a node holds.
 * Time: the slowest chain follows slice 0, then chunk 0 in it, then slice 0 again, since the largest
 * comes first: (G-1)(2 (alpha + L/B) + L gamma) + (m-1)(2 (alpha + M/B) + M gamma), L the slice, M the chunk
 * (Jia et al. 2018, arXiv:1807.11205, hierarchical all-reduce).
 */
#include "schedule/algo.h"

/* Returns the largest divisor of n up to 8 that leaves two nodes. */
static int32_t usual_node(int32_t n) {
    int32_t g = n / 2 < 8 ? n / 2 : 8; /* n >= 2 */
    while (n % g != 0) g--;
    return g;
}

/* Writes what `src` sends. */
static int sends(const rs_schedule *schedule, int32_t step, int32_t src, rs_transfer out[]) {
    const int32_t g = schedule->gpus_per_node, m = schedule->n_ranks / g;
    const int32_t seat = seat_of(schedule, src), place = seat % g, node = seat / g;
    const int32_t inside = g - 1, between = 2 * (m - 1);
    out[0] = (rs_transfer){.src = src, .order = src, .n_chunks = m, .effect = RS_COPY};
    if (step >= inside && step < inside + between) {
        const int32_t s = step - inside;
        out[0].dst = rank_in(schedule, (node + 1) % m * g + place);
        out[0].chunk = place * m + (node - 1 - s + 2 * m) % m;
        out[0].n_chunks = 1;
        if (s < m - 1) out[0].effect = RS_REDUCE;
        return 1;
    }
    const bool first = step < inside;
    const int32_t slice = first ? place - 1 - step : place - (step - inside - between);
    out[0].dst = rank_in(schedule, node * g + (place + 1) % g);
    out[0].chunk = (slice + g) % g * m;
    if (first) out[0].effect = RS_REDUCE;
    return 1;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const int32_t g = schedule->gpus_per_node, n = schedule->n_ranks, n_between = 2 * (n / g - 1);
    const bool between = step >= g - 1 && step < g - 1 + n_between;
    const int32_t seat = seat_of(schedule, rank);
    const int32_t left = seat % g == 0 ? seat + g - 1 : seat - 1; /* in its own node */
    return sends(schedule, step, rank_in(schedule, between ? (seat + n - g) % n : left), out);
}

static const char rule[] =
    "int sends(int step, int rank, int n, rs_send out[]) {\n"
    "    int g = gpus_per_node, m = n / g;\n"
    "    int place = dealt ? rank / m : rank % g;\n"
    "    int node = dealt ? rank % m : rank / g;\n"
    "    int round = step - (g - 1);\n"
    "    int between = round >= 0 && round < 2 * (m - 1);\n"
    "    if (between) node = (node + 1) % m;\n"
    "    int next = between ? place : (place + 1) % g;\n"
    "    int to = dealt ? next * m + node : node * g + next;\n"
    "    int chunk = place * m + (node - 2 - round + 3 * m) % m;\n"
    "    if (round < 0) chunk = (place - 1 - step + g) % g * m;\n"
    "    if (round >= 2 * (m - 1)) chunk = (place - round + 2 * (m - 1) + g) % g * m;\n"
    "    out[0] = (rs_send){to, chunk, between ? 1 : m, round >= m - 1};\n"
    "    return 1;\n"
    "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    if (schedule->gpus_per_node == 0) schedule->gpus_per_node = usual_node(n);
    const int32_t g = schedule->gpus_per_node, m = n / g;
    schedule->n_chunks = n;
    schedule->n_steps = 2 * (g - 1) + 2 * (m - 1);
    schedule->n_transfers = (int64_t)n * schedule->n_steps;
    schedule->max_run = g > 1 ? m : 1;
    if (g > 1) add_phase(schedule, RS_SCATTER_REDUCE, 0);
    if (m > 1) add_phase(schedule, RS_EXCHANGE, g - 1);
    if (g > 1) add_phase(schedule, RS_ALL_GATHER, schedule->n_steps - (g - 1));
    schedule->fixed_neighbours = g == 1 || m == 1;
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->rule = rule;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int32_t n = schedule->n_ranks, g = schedule->gpus_per_node, m = n / g;
    const int64_t slice = rs_chunk_offset(count, n, m) * elem_bytes;
    const int64_t chunk = rs_chunk_offset(count, n, 1) * elem_bytes;
    return in_turn_ps(net, slice, 2 * (g - 1), g - 1) + in_turn_ps(net, chunk, 2 * (m - 1), m - 1);
}

const rs_algorithm rs_two_level = {
    .name = "two-level",
    .summary = N_("rings inside the nodes, between them, and inside again"),
    .make = make,
    .closed_form_ps = closed_form_ps,
    .accepts = rs_whole_nodes,
};
