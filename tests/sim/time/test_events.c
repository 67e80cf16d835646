/* The event queue against a sorted list. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "time/event_queue.h"

static rs_arena arena;
static rs_queue queue;

static void open_queue(void) {
    rs_arena_init(&arena, NULL);
    cr_assert(rs_queue_init(&queue, 3, &arena)); /* small: it has to grow */
}

static void close_queue(void) {
    rs_arena_free(&arena);
}

TestSuite(events, .init = open_queue, .fini = close_queue);

static uint64_t state = 1;

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static int ascending(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

Test(events, come_out_in_the_order_of_their_times) {
    enum { N = 5000 };
    static int64_t times[N];
    for (int bits = 1; bits <= 53; bits++) {
        for (int i = 0; i < N; i++) {
            times[i] = (int64_t)(next_random() & ((1ULL << bits) - 1)) + queue.last_ps % 1000;
            if (times[i] < queue.last_ps) times[i] = queue.last_ps;
            cr_assert(rs_queue_push(&queue, times[i], (uint32_t)i));
        }
        qsort(times, N, sizeof *times, ascending);
        for (int i = 0; i < N; i++) {
            cr_assert_eq(queue.n, N - i);
            cr_assert_eq(rs_queue_pop(&queue).time_ps, times[i], "%d bits, event %d", bits, i);
        }
        cr_assert_eq(queue.n, 0);
    }
}

/* As an engine uses it: everything that comes out puts in what comes later, or at once. */
Test(events, pushed_while_popping_come_out_in_order_and_each_once) {
    enum { N = 200000, WIDTH = 700 };
    static bool seen[N];
    static int64_t time_of[N];
    uint32_t n_pushed = 0;
    int64_t last_ps = 0, pending = 0;
    for (; n_pushed < WIDTH; n_pushed++, pending++) {
        time_of[n_pushed] = (int64_t)(next_random() % 1000);
        cr_assert(rs_queue_push(&queue, time_of[n_pushed], n_pushed));
    }
    for (; pending > 0; pending--) {
        const rs_event event = rs_queue_pop(&queue);
        cr_assert(event.time_ps >= last_ps);
        cr_assert_eq(event.time_ps, time_of[event.what]);
        cr_assert_not(seen[event.what]);
        seen[event.what] = true;
        last_ps = event.time_ps;
        const int64_t n_new = n_pushed == N ? 0 : (int64_t)(next_random() % 3);
        for (int64_t i = 0; i < n_new && n_pushed < N; i++, n_pushed++, pending++) {
            const int64_t spread[] = {1, 2, 64, 5000, 20000000, 1LL << 40};
            const int64_t most = spread[next_random() % (n_pushed % 100 == 0 ? 6 : 5)];
            time_of[n_pushed] = last_ps + (int64_t)(next_random() % (uint64_t)most);
            cr_assert(rs_queue_push(&queue, time_of[n_pushed], n_pushed));
        }
        bool more = false;
        cr_assert_eq(queue.n, pending - 1);
        for (uint32_t i = 0; n_pushed < 2000 && i < n_pushed; i++) {
            more = more || (!seen[i] && time_of[i] == last_ps);
        }
        if (n_pushed < 2000) cr_assert_eq(rs_queue_more_now(&queue), more);
    }
    for (uint32_t i = 0; i < n_pushed; i++) cr_assert(seen[i]);
}

/* Messages that end nearly together: waves of many events, a period apart, so that a slot of one rung becomes
   another; what such a wave puts in falls at its own end, or into the next one. */
Test(events, waves_of_nearly_one_time_come_out_in_order) {
    enum { N = 64, N_WAVES = 40, N_DRAWS = 200 };
    static const int64_t periods[] = {40000, 49148800, 7777777, 1LL << 34};
    for (int draw = 0; draw < N_DRAWS; draw++) {
        int64_t left[N + 2], n = 0, last_ps = queue.last_ps;
        const int64_t grain = 1 + (int64_t)(next_random() % 300), period = periods[draw % 4];
        for (; n < N; n++) left[n] = last_ps + (int64_t)(next_random() % 20) * grain;
        for (int i = 0; i < N; i++) cr_assert(rs_queue_push(&queue, left[i], 0));
        for (int i = 0; n > 0; i++) {
            int64_t first = 0;
            for (int64_t k = 1; k < n; k++) first = left[k] < left[first] ? k : first;
            last_ps = rs_queue_pop(&queue).time_ps;
            cr_assert_eq(last_ps, left[first], "draw %d, event %d", draw, i);
            left[first] = left[--n];
            const int n_new = i >= N * N_WAVES ? 0 : n < N ? 2 : 1;
            for (int k = 0; k < n_new; k++) {
                const int64_t ahead_ps = next_random() % 8 == 0 ? 0 : period;
                left[n] = last_ps + ahead_ps + (int64_t)(next_random() % 10) * grain;
                cr_assert(rs_queue_push(&queue, left[n++], 0));
            }
        }
    }
}

Test(events, of_one_time_come_out_together) {
    for (uint32_t i = 0; i < 100; i++) cr_assert(rs_queue_push(&queue, i % 10 * 1000000, i));
    for (int64_t group = 0; group < 10; group++) {
        for (int i = 0; i < 10; i++) {
            const rs_event event = rs_queue_pop(&queue);
            cr_assert_eq(event.time_ps, group * 1000000);
            cr_assert_eq(event.what % 10, group);
            cr_assert_eq(rs_queue_more_now(&queue), i < 9);
        }
    }
}

Test(events, a_queue_without_memory_says_so) {
    arena.limit_bytes = arena.n_bytes;
    int n = 0;
    while (n < 100000 && rs_queue_push(&queue, n, 0)) n++;
    cr_expect(n >= 3 && n < 100000);
    for (int i = 0; i < n; i++) cr_assert_eq(rs_queue_pop(&queue).time_ps, i);
}
