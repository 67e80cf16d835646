/* ask_values.c: asks for single functions: the question begins with the function's name.
 *
 *     naive_seconds 10 1.2e9 0 1e9 --> 21.6
 *
 * Numbers come with all their digits and go as they are, a row each. A function may be missing in the file.
 */
#include "question.h"
#include "ring.h"

#include <string.h>

enum { MOST = 4096, MOST_RANKS = 64 };
static FILE *answers;
static double reals[MOST];
static int ints[MOST], more_ints[MOST];
static float floats[MOST];

static int small(int most) {
    const int n = ringsim_next_int();
    if (n < 0 || n > most) exit(1);
    return n;
}

static void say(double number) {
    int row[6] = {ANSWER_NUMBER};
    memcpy(row + 1, &number, sizeof number);
    ringsim_put_row(answers, row);
}

static void say_ints(const int list[], int n) {
    for (int i = 0; i < n; i++) say(list[i]);
}

static void ask_average(void) {
    const int n = small(MOST_RANKS);
    for (int i = 0; i < n; i++) reals[i] = ringsim_next_double();
    for (int i = 0; i < n; i++) ints[i] = ringsim_next_int();
    say(average(n, reals, ints));
}

static void ask_sampler(void) {
    const int len = small(MOST), world = ringsim_next_int(), rank = ringsim_next_int();
    const int n = sampler_indices(len, world, rank, ints);
    say(n);
    if (n >= 0 && n <= MOST) say_ints(ints, n);
}

static void ask_reducer(void) {
    const int n = ringsim_next_int(), count = small(MOST);
    for (int i = 0; i < count; i++) ints[i] = ringsim_next_int();
    for (int i = 0; i < count; i++) more_ints[i] = reducer_of(ints[i], n);
    say_ints(more_ints, count);
}

static void ask_values_of_word(void) {
    const int op = ringsim_next_int(), count = small(MOST);
    for (int i = 0; i < count; i++) ints[i] = ringsim_next_int();
    say(reduce_values(op, count, ints));
}

static void ask_reduce(void) {
    const int n = small(MOST_RANKS), count = small(MOST / MOST_RANKS);
    for (int i = 0; i < n * count; i++) ints[i] = ringsim_next_int();
    memset(more_ints, 0x55, sizeof more_ints);
    reduce(n, count, ints, more_ints);
    say_ints(more_ints, count);
}

static void ask_times(double (*function)(int, double, double, double)) {
    const int n = ringsim_next_int();
    const double bytes = ringsim_next_double(), alpha = ringsim_next_double(),
                 bandwidth = ringsim_next_double();
    say(function(n, bytes, alpha, bandwidth));
}

static void ask_range(void) {
    const int count = ringsim_next_int(), n = small(MOST_RANKS);
    for (int c = 0; c < n; c++) {
        int first = -1, length = -1;
        chunk_range(count, n, c, &first, &length);
        say(first);
        say(length);
    }
}

static void ask_three(int (*function)(int, int, int)) {
    const int a = ringsim_next_int(), b = ringsim_next_int(), c = ringsim_next_int();
    say(function(a, b, c));
}

static void ask_calls(void) {
    const int n = small(MOST_RANKS);
    for (int i = 0; i < n; i++) ints[i] = ringsim_next_int();
    memset(more_ints, 0, sizeof more_ints);
    plan_calls(n, ints, more_ints);
    say_ints(more_ints, n);
}

static void ask_buckets(void) {
    const int n = small(MOST_RANKS);
    for (int i = 0; i < n; i++) ints[i] = ringsim_next_int();
    const int first = ringsim_next_int(), limit = ringsim_next_int();
    memset(more_ints, 0x55, sizeof more_ints);
    say(make_buckets(n, ints, first, limit, more_ints));
    say_ints(more_ints, n);
}

static void ask_exchange(void) {
    const int n = small(MOST_RANKS);
    for (int i = 0; i < 2 * n; i++) reals[i] = ringsim_next_double();
    say(exchange_end(n, reals, reals + n));
}

static void ask_order(void) {
    const int n = small(MOST_RANKS);
    for (int i = 0; i < n * n; i++) reals[i] = ringsim_next_double();
    memset(more_ints, 0, sizeof more_ints);
    ring_order(n, reals, more_ints);
    say_ints(more_ints, n);
}

static void ask_sum(void) {
    const int n = small(MOST_RANKS), chunk = ringsim_next_int();
    for (int i = 0; i < n; i++) floats[i] = (float)ringsim_next_double();
    say((double)ring_sum(n, chunk, floats));
}

static void ask_half(void) {
    const int n = ringsim_next_int();
    const double alpha = ringsim_next_double(), bandwidth = ringsim_next_double();
    say(half_latency_bytes(n, alpha, bandwidth));
}

static void ask_choose(void) {
    const int n = ringsim_next_int();
    const double bytes = ringsim_next_double(), alpha = ringsim_next_double(),
                 bandwidth = ringsim_next_double();
    say(choose(n, bytes, alpha, bandwidth));
}

static void ask_algbw(void) {
    const double bytes = ringsim_next_double(), seconds = ringsim_next_double();
    say(algbw(bytes, seconds));
}

static void ask_busbw(void) {
    const int n = ringsim_next_int();
    const double bytes = ringsim_next_double(), seconds = ringsim_next_double();
    say(busbw(n, bytes, seconds));
}

static void ask_flows(void) {
    const int n = small(MOST_RANKS);
    for (int i = 0; i < n; i++) reals[i] = ringsim_next_double();
    const double bandwidth = ringsim_next_double();
    double *end = reals + MOST_RANKS;
    for (int i = 0; i < n; i++) end[i] = -1;
    flow_ends(n, reals, bandwidth, end);
    for (int i = 0; i < n; i++) say(end[i]);
}

static void ask_shards(double (*function)(int, int, double)) {
    const int stage = ringsim_next_int(), n = ringsim_next_int();
    say(function(stage, n, ringsim_next_double()));
}

static void ask_way(void) {
    const int n = small(MOST_RANKS);
    for (int i = 0; i < 2 * n; i++) reals[i] = ringsim_next_double();
    say(choose_way(n, reals, reals + n, ringsim_next_double()));
}

static void ask_factor(void) {
    const int collective = ringsim_next_int();
    say(bus_factor(collective, ringsim_next_int()));
}

/* Each function, and how it is asked. */
#define FUNCTIONS(row)                                                                             \
    row(average, ask_average());                                                                   \
    row(sampler_indices, ask_sampler());                                                           \
    row(reducer_of, ask_reducer());                                                                \
    row(reduce_values, ask_values_of_word());                                                      \
    row(reduce, ask_reduce());                                                                     \
    row(naive_seconds, ask_times(naive_seconds));                                                  \
    row(chunk_range, ask_range());                                                                 \
    row(ring_seconds, ask_times(ring_seconds));                                                    \
    row(half_latency_bytes, ask_half());                                                           \
    row(choose, ask_choose());                                                                     \
    row(world_size, ask_three(world_size));                                                        \
    row(node_of, ask_three(node_of));                                                              \
    row(local_rank, ask_three(local_rank));                                                        \
    row(first_gpu, ask_three(first_gpu));                                                          \
    row(plan_calls, ask_calls());                                                                  \
    row(make_buckets, ask_buckets());                                                              \
    row(exchange_end, ask_exchange());                                                             \
    row(ring_order, ask_order());                                                                  \
    row(ring_sum, ask_sum());                                                                      \
    row(algbw, ask_algbw());                                                                       \
    row(busbw, ask_busbw());                                                                       \
    row(flow_ends, ask_flows());                                                                   \
    row(zero_kept, ask_shards(zero_kept));                                                         \
    row(zero_sent, ask_shards(zero_sent));                                                         \
    row(choose_way, ask_way());                                                                    \
    row(bus_factor, ask_factor());

/* What a learner's file does not define is NULL. */
#define PRAGMA(text) _Pragma(#text)
#define WEAK(name, ask) PRAGMA(weak name) extern __typeof__(name) name
FUNCTIONS(WEAK)

#define ASK(name, ask)                                                                             \
    if (strcmp(function, #name) == 0) {                                                            \
        if (name != NULL)                                                                          \
            ask;                                                                                   \
        else                                                                                       \
            ringsim_put_row(answers, (int[6]){ANSWER_MISSING});                                    \
        return 1;                                                                                  \
    }

int ringsim_ask_value(const char *function, FILE *to) {
    answers = to;
    FUNCTIONS(ASK)
    return 0;
}
