/* bits_runs.c: runs of elements that are added alike, and the orders among them. */
#include "bits/sum_order.h"

bool rs_add_run(rs_bits *bits, rs_arena *arena, int64_t count, int32_t sum) {
    if (count <= 0) return true;
    rs_bits_run *last = bits->n_runs > 0 ? &bits->runs[bits->n_runs - 1] : NULL;
    if (last != NULL && last->sum == sum) {
        last->count += count;
    } else {
        if (!rs_reserve(arena, &bits->runs, bits->n_runs + 1, &bits->room)) return false;
        bits->runs[bits->n_runs++] = (rs_bits_run){bits->count, count, sum};
    }
    bits->count += count;
    return true;
}

const rs_bits_run *rs_run_at(const rs_bits *bits, int64_t element) {
    int64_t from = 0, to = bits->n_runs;
    while (to - from > 1) {
        const int64_t middle = from + (to - from) / 2;
        if (bits->runs[middle].first <= element) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return &bits->runs[from];
}

int32_t rs_bits_at(const rs_bits *bits, int64_t element) {
    return rs_run_at(bits, element)->sum;
}

rs_bits_run *rs_bits_orders(const rs_bits *bits, rs_arena *arena, int64_t *n) {
    int32_t last = 0;
    for (int64_t i = 0; i < bits->n_runs; i++) {
        if (bits->runs[i].sum > last) last = bits->runs[i].sum;
    }
    int64_t *place = rs_alloc(arena, (size_t)last + 1, sizeof *place); /* of a sum, from 1 on */
    rs_bits_run *orders = rs_alloc(arena, (size_t)bits->n_runs, sizeof *orders);
    *n = 0;
    if (place == NULL || orders == NULL) return NULL;
    for (int64_t i = 0; i < bits->n_runs; i++) {
        const rs_bits_run *run = &bits->runs[i];
        int64_t *at = &place[run->sum];
        if (*at == 0) {
            orders[*n] = (rs_bits_run){.sum = run->sum, .first = run->first};
            *at = ++*n;
        }
        orders[*at - 1].count += run->count;
    }
    return orders;
}
