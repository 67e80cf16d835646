/* ask_values.c: asks for single functions: the question begins with the function's name.
 *
 *     naive_seconds 10 1.2e9 0 1e9 --> 21.6
 *
 * Numbers come with all their digits and go as they are, a row each. A function may be missing in the file.
 */
#include "question.h"
#include "ring.h"

#include <limits.h>
#include <string.h>

enum { MOST = 4096, MOST_TEXT = 1 << 17 };
static FILE *answers;
static double in[MOST], reals[MOST]; /* the question's numbers; what is written */
static int written[MOST];

static void read_numbers(void) {
    static char text[MOST_TEXT];
    char *at = text, *end;
    if (scanf("%131071[^\n]", text) != 1) ringsim_no_number();
    for (int i = 0; i < MOST; i++, at = end) {
        in[i] = strtod(at, &end);
        if (end == at) return;
    }
}

/* Numbers of the question, as ints and as floats. */
static int whole(int i) {
    return in[i] >= INT_MIN && in[i] <= INT_MAX ? (int)in[i] : 0;
}
static const int *ints(int from, int n) {
    static int list[MOST];
    for (int i = 0; i < n; i++) list[i] = whole(from + i);
    return list;
}
static const float *floats(int from, int n) {
    static float list[MOST];
    for (int i = 0; i < n; i++) list[i] = (float)in[from + i];
    return list;
}

/* Where a function writes, and what each byte is before. */
static int *to_write(int before) {
    return memset(written, before, sizeof written);
}

static void say(double number) {
    int row[6] = {ANSWER_NUMBER};
    memcpy(row + 1, &number, sizeof number);
    ringsim_put_row(answers, row);
}
static void say_written(int n) {
    for (int i = 0; i < n && i < MOST; i++) say(written[i]);
}

/* Those that are asked several times for one question. */
static void ask_reducer(void) {
    for (int i = 0; i < whole(1); i++) written[i] = reducer_of(whole(2 + i), whole(0));
    say_written(whole(1));
}
static void ask_range(void) {
    for (int c = 0; c < whole(1); c++) {
        written[0] = written[1] = -1;
        chunk_range(whole(0), whole(1), c, &written[0], &written[1]);
        say_written(2);
    }
}

static void ask_sampler(void) {
    const int n = sampler_indices(whole(0), whole(1), whole(2), written);
    say(n);
    if (n <= MOST) say_written(n);
}
static void ask_flows(int n) {
    for (int i = 0; i < n; i++) reals[i] = -1;
    flow_ends(n, in + 1, in[1 + n], reals);
    for (int i = 0; i < n; i++) say(reals[i]);
}

/* Each function, and how it is asked; n: the question's first number. */
#define FUNCTIONS(row)                                                                             \
    row(average, say(average(n, in + 1, ints(1 + n, n))));                                         \
    row(sampler_indices, ask_sampler());                                                           \
    row(reducer_of, ask_reducer());                                                                \
    row(reduce_values, say(reduce_values(n, whole(1), ints(2, whole(1)))));                        \
    row(reduce,                                                                                    \
        (reduce(n, whole(1), ints(2, n * whole(1)), to_write(0x55)), say_written(whole(1))));      \
    row(naive_seconds, say(naive_seconds(n, in[1], in[2], in[3])));                                \
    row(chunk_range, ask_range());                                                                 \
    row(ring_seconds, say(ring_seconds(n, in[1], in[2], in[3])));                                  \
    row(half_latency_bytes, say(half_latency_bytes(n, in[1], in[2])));                             \
    row(choose, say(choose(n, in[1], in[2], in[3])));                                              \
    row(world_size, say(world_size(n, whole(1), whole(2))));                                       \
    row(node_of, say(node_of(n, whole(1), whole(2))));                                             \
    row(local_rank, say(local_rank(n, whole(1), whole(2))));                                       \
    row(first_gpu, say(first_gpu(n, whole(1), whole(2))));                                         \
    row(plan_calls, (plan_calls(n, ints(1, n), to_write(0)), say_written(n)));                     \
    row(make_buckets,                                                                              \
        (say(make_buckets(n, ints(1, n), whole(1 + n), whole(2 + n), to_write(0x55))),             \
         say_written(n)));                                                                         \
    row(exchange_end, say(exchange_end(n, in + 1, in + 1 + n)));                                   \
    row(ring_order, (ring_order(n, in + 1, to_write(0)), say_written(n)));                         \
    row(ring_sum, say((double)ring_sum(n, whole(1), floats(2, n))));                               \
    row(keeps_order, say(keeps_order(n, whole(1), whole(2), whole(3))));                           \
    row(what_to_set, say(what_to_set(n, whole(1), whole(2), whole(3), whole(4))));                 \
    row(algbw, say(algbw(in[0], in[1])));                                                          \
    row(busbw, say(busbw(n, in[1], in[2])));                                                       \
    row(flow_ends, ask_flows(n));                                                                  \
    row(zero_kept, say(zero_kept(n, whole(1), in[2])));                                            \
    row(zero_sent, say(zero_sent(n, whole(1), in[2])));                                            \
    row(choose_way, say(choose_way(n, in + 1, in + 1 + n, in[1 + 2 * n])));                        \
    row(bus_factor, say(bus_factor(n, whole(1))));                                                 \
    row(buckets_sent, say(buckets_sent(n, ints(1, 2 * n), ints(1, 2 * n) + n)));                   \
    row(join_calls, say(join_calls(n, ints(1, n), whole(1 + n), whole(2 + n))));

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
    read_numbers();
    const int n = whole(0);
    FUNCTIONS(ASK)
    return 0;
}
