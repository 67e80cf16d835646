/* ask_values.c: asks for single functions: the question begins with the function's name.
 *
 *     naive_seconds 10 1.2e9 0 1e9 --> 21.6
 *
 * Numbers go both ways with all their digits. A function that the file does not define is `missing`.
 */
#include "question.h"
#include "ring.h"

#include <string.h>

#pragma weak average
#pragma weak sampler_indices
#pragma weak reducer_of
#pragma weak reduce_values
#pragma weak reduce
#pragma weak naive_seconds
#pragma weak chunk_range
#pragma weak ring_seconds
#pragma weak half_latency_bytes
#pragma weak choose
#pragma weak world_size
#pragma weak node_of
#pragma weak local_rank
#pragma weak first_gpu
#pragma weak plan_calls
#pragma weak make_buckets
#pragma weak exchange_end
#pragma weak ring_order
#pragma weak ring_sum
#pragma weak algbw
#pragma weak busbw
#pragma weak flow_ends
#pragma weak zero_kept
#pragma weak zero_sent
#pragma weak choose_way
#pragma weak bus_factor

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
    fprintf(answers, "%.17g\n", number);
}

static void say_ints(const int list[], int n) {
    for (int i = 0; i < n; i++) fprintf(answers, "%d\n", list[i]);
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
    fprintf(answers, "%d\n", n);
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
        fprintf(answers, "%d %d\n", first, length);
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
    fprintf(answers, "%d\n", make_buckets(n, ints, first, limit, more_ints));
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

static void ask_kept(void) {
    ask_shards(zero_kept);
}
static void ask_sent(void) {
    ask_shards(zero_sent);
}
static void ask_naive(void) {
    ask_times(naive_seconds);
}
static void ask_ring_time(void) {
    ask_times(ring_seconds);
}
static void ask_world(void) {
    ask_three(world_size);
}
static void ask_node(void) {
    ask_three(node_of);
}
static void ask_local(void) {
    ask_three(local_rank);
}
static void ask_gpu(void) {
    ask_three(first_gpu);
}

int ringsim_ask_value(const char *function, FILE *to) {
    answers = to;
    const struct {
        const char *name;
        int there;
        void (*ask)(void);
    } functions[] = {
        {"average", average != NULL, ask_average},
        {"sampler_indices", sampler_indices != NULL, ask_sampler},
        {"reducer_of", reducer_of != NULL, ask_reducer},
        {"reduce_values", reduce_values != NULL, ask_values_of_word},
        {"reduce", reduce != NULL, ask_reduce},
        {"naive_seconds", naive_seconds != NULL, ask_naive},
        {"chunk_range", chunk_range != NULL, ask_range},
        {"ring_seconds", ring_seconds != NULL, ask_ring_time},
        {"half_latency_bytes", half_latency_bytes != NULL, ask_half},
        {"choose", choose != NULL, ask_choose},
        {"world_size", world_size != NULL, ask_world},
        {"node_of", node_of != NULL, ask_node},
        {"local_rank", local_rank != NULL, ask_local},
        {"first_gpu", first_gpu != NULL, ask_gpu},
        {"plan_calls", plan_calls != NULL, ask_calls},
        {"make_buckets", make_buckets != NULL, ask_buckets},
        {"exchange_end", exchange_end != NULL, ask_exchange},
        {"ring_order", ring_order != NULL, ask_order},
        {"ring_sum", ring_sum != NULL, ask_sum},
        {"algbw", algbw != NULL, ask_algbw},
        {"busbw", busbw != NULL, ask_busbw},
        {"flow_ends", flow_ends != NULL, ask_flows},
        {"zero_kept", zero_kept != NULL, ask_kept},
        {"zero_sent", zero_sent != NULL, ask_sent},
        {"choose_way", choose_way != NULL, ask_way},
        {"bus_factor", bus_factor != NULL, ask_factor},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(function, functions[i].name) != 0) continue;
        if (functions[i].there) {
            functions[i].ask();
        } else {
            fputs("missing\n", answers);
        }
        return 1;
    }
    return 0;
}
