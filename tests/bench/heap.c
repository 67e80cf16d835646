/* heap.c: the yardstick: a bare binary-heap event loop over a ring with different links. It models
 * nothing but the data dependence (a rank sends when it has what it sends), has one array for each
 * quantity, no schedule, no ports, no faults, no trace.
 */
#include "bench_events.h"

#include <stdlib.h>

typedef struct event {
    double time;
    int rank;
} event;

typedef struct heap {
    event *events;
    int n;
} heap;

static void push(heap *h, event new) {
    int i = h->n++;
    while (i != 0 && h->events[(i - 1) / 2].time > new.time) {
        h->events[i] = h->events[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->events[i] = new;
}

static event pop(heap *h) {
    const event top = h->events[0], last = h->events[--h->n];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= h->n) break;
        if (child + 1 < h->n && h->events[child + 1].time < h->events[child].time) child++;
        if (h->events[child].time >= last.time) break;
        h->events[i] = h->events[child];
        i = child;
    }
    h->events[i] = last;
    return top;
}

long bare_heap_loop(int n, double bytes, double *end) {
    const int n_steps = 2 * (n - 1);
    const double chunk = bytes / n;
    const size_t count = (size_t)n;
    heap h = {.events = malloc(sizeof *h.events * (4 * count + 8))};
    double *cost = malloc(sizeof *cost * count), *ready = calloc(count, sizeof *ready);
    int *sent = calloc(count, sizeof *sent), *got = calloc(count, sizeof *got);
    for (int i = 0; i < n; i++) {
        cost[i] = 1e-5 * (1 + (7 * i % 16) / 16.0) + chunk / (12.5e9 / (1 + (5 * i % 16) / 16.0));
        push(&h, (event){cost[i], (i + 1) % n});
        sent[i] = 1;
    }
    long n_events = 0;
    *end = 0;
    while (h.n != 0) {
        const event e = pop(&h);
        const int r = e.rank;
        n_events++;
        if (e.time > *end) *end = e.time;
        got[r]++;
        if (e.time > ready[r]) ready[r] = e.time;
        while (sent[r] < n_steps && sent[r] <= got[r]) {
            push(&h, (event){ready[r] + cost[r], (r + 1) % n});
            sent[r]++;
        }
    }
    free(h.events), free(cost), free(ready), free(sent), free(got);
    return n_events;
}
