/* pipeline.c: see pipeline.h. */
#include "schedule/pipeline.h"

enum { SLOTS = 1 + RS_POST_CHILDREN, MOST_TREES = 2, MOST_BEGINS = 3 + RS_POST_CHILDREN };

static const rs_pipeline *pipeline_of(const rs_schedule *schedule) {
    return schedule->context;
}

/* Returns the step in which a rank at this depth sends the first chunk down. */
static int32_t falls_from(const rs_schedule *schedule, int32_t depth) {
    const rs_pipeline *by = pipeline_of(schedule);
    return depth + (by->up && by->down ? by->height(schedule) : 0);
}

/* Writes the i-th chunk's message on a tree, if there is such a chunk; returns how many, 0 or 1. */
static int message(const rs_schedule *schedule, int32_t tree, int32_t src, int32_t dst, int32_t i,
                   int32_t slot, rs_transfer *out) {
    const rs_pipeline *by = pipeline_of(schedule);
    const int32_t n = schedule->n_chunks / by->n_trees;
    if (i < 0 || i >= n) return 0;
    *out = (rs_transfer){.src = src,
                         .dst = dst,
                         .chunk = tree * n + (by->last_first ? n - 1 - i : i),
                         .n_chunks = 1,
                         .order = (src * by->n_trees + tree) * SLOTS + slot,
                         .effect = slot == 0 ? RS_REDUCE : RS_COPY,
                         .channel = (uint8_t)tree};
    return 1;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const rs_pipeline *by = pipeline_of(schedule);
    int n = 0;
    for (int32_t tree = 0; tree < by->n_trees; tree++) {
        const rs_post own = by->post(schedule, tree, rank);
        if (by->up && own.parent >= 0) {
            n += message(schedule, tree, rank, own.parent, step - own.height, 0, &out[n]);
        }
        const int32_t falling = step - falls_from(schedule, own.depth);
        for (int i = 0; by->down && i < RS_POST_CHILDREN; i++) {
            if (own.children[i] < 0) continue;
            n += message(schedule, tree, rank, own.children[i], falling, 1 + i, &out[n]);
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
    const rs_pipeline *by = pipeline_of(schedule);
    rs_transfer t;
    int n = 0;
    for (int32_t tree = 0; tree < by->n_trees; tree++) {
        const rs_post own = by->post(schedule, tree, rank);
        const int32_t falling = step - falls_from(schedule, own.depth - 1);
        if (by->down && own.parent >= 0 &&
            message(schedule, tree, own.parent, rank, falling, 1 + own.slot, &t)) {
            n = put_in(&t, n, out);
        }
        for (int i = 0; by->up && i < RS_POST_CHILDREN; i++) {
            if (own.children[i] < 0) continue;
            const rs_post child = by->post(schedule, tree, own.children[i]);
            if (message(schedule, tree, own.children[i], rank, step - child.height, 0, &t)) {
                n = put_in(&t, n, out);
            }
        }
    }
    return n;
}

/* Lists the steps in which a rank's first chunk on a tree leaves or arrives; returns how many. */
static int list_begins(const rs_schedule *schedule, int32_t tree, int32_t rank,
                       int32_t begins[MOST_BEGINS]) {
    const rs_pipeline *by = pipeline_of(schedule);
    const rs_post own = by->post(schedule, tree, rank);
    const int32_t fall = falls_from(schedule, own.depth);
    int n = 0;
    bool falls = false;
    if (by->up && own.parent >= 0) begins[n++] = own.height;
    if (by->down && own.parent >= 0) begins[n++] = fall - 1;
    for (int i = 0; i < RS_POST_CHILDREN; i++) {
        if (own.children[i] < 0) continue;
        falls = by->down;
        if (by->up) begins[n++] = by->post(schedule, tree, own.children[i]).height;
    }
    if (falls) begins[n++] = fall;
    return n;
}

/* The most is reached when something begins. */
static int32_t most_of(const rs_schedule *schedule, int32_t rank) {
    rs_transfer out[MOST_TREES * SLOTS];
    int32_t begins[MOST_BEGINS], most = 0;
    for (int32_t tree = 0; tree < pipeline_of(schedule)->n_trees; tree++) {
        const int n = list_begins(schedule, tree, rank, begins);
        for (int i = 0; i < n; i++) {
            const int32_t n_out = sends(schedule, begins[i], rank, out);
            const int32_t n_in = recvs(schedule, begins[i], rank, out);
            if (n_out > most) most = n_out;
            if (n_in > most) most = n_in;
        }
    }
    return most;
}

static int32_t next_step(const rs_schedule *schedule, int32_t step, int32_t rank) {
    const int32_t n_chunks = chunks_a_channel(schedule);
    int32_t begins[MOST_BEGINS], next = schedule->n_steps;
    for (int32_t tree = 0; tree < pipeline_of(schedule)->n_trees; tree++) {
        const int n = list_begins(schedule, tree, rank, begins);
        for (int i = 0; i < n; i++) {
            const int32_t at = step < begins[i] ? begins[i] : step;
            if (at < begins[i] + n_chunks && at < next) next = at;
        }
    }
    return next;
}

int32_t rs_pipeline_most(const rs_schedule *schedule) {
    int32_t most = 1;
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        const int32_t own = most_of(schedule, r);
        if (own > most) most = own;
    }
    return most;
}

void rs_pipeline_fill(rs_schedule *schedule, const rs_pipeline *pipeline) {
    schedule->context = pipeline;
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->next_step = next_step;
}
