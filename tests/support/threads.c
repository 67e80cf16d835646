/* threads.c: see threads.h. */
#include "support/threads.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST = 16 };

typedef struct work {
    void (*task)(void *argument, int index);
    void *argument;
    atomic_int next;
    int n_tasks;
} work;

static void *run(void *context) {
    work *w = context;
    for (int i = atomic_fetch_add(&w->next, 1); i < w->n_tasks; i = atomic_fetch_add(&w->next, 1)) {
        w->task(w->argument, i);
    }
    return NULL;
}

static void parallel_for(int n_workers, int n_tasks, void (*task)(void *, int), void *argument) {
    work w = {.task = task, .argument = argument, .n_tasks = n_tasks};
    pthread_t threads[MOST];
    int n_started = 0;
    while (n_started < n_workers - 1 && n_started < MOST &&
           pthread_create(&threads[n_started], NULL, run, &w) == 0) {
        n_started++;
    }
    run(&w);
    for (int i = 0; i < n_started; i++) pthread_join(threads[i], NULL);
}

static void for_two(void *context, int n_tasks, void (*task)(void *, int), void *argument) {
    (void)context;
    parallel_for(2, n_tasks, task, argument);
}

static void for_many(void *context, int n_tasks, void (*task)(void *, int), void *argument) {
    (void)context;
    parallel_for(MOST, n_tasks, task, argument);
}

rs_host threaded_host(int n_workers) {
    return (rs_host){.parallel_for = n_workers <= 2 ? for_two : for_many, .n_workers = n_workers};
}
