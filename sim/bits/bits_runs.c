/* bits_runs.c: runs of elements that are added alike, and the orders among them. */
#include "bits/sum_order.h"

#include <stdlib.h>

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

int32_t rs_bits_at(const rs_bits *bits, int64_t element) {
    int64_t from = 0, to = bits->n_runs;
    while (to - from > 1) {
        const int64_t middle = from + (to - from) / 2;
        if (bits->runs[middle].first <= element) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return bits->runs[from].sum;
}

int64_t rs_bits_moved(const rs_bits *a, const rs_bits *b) {
    const int64_t n = a->count < b->count ? a->count : b->count;
    int64_t moved = 0;
    for (int64_t at = 0, i = 0, j = 0, end; at < n; at = end) {
        const rs_bits_run *x = &a->runs[i], *y = &b->runs[j];
        const int64_t x_end = x->first + x->count, y_end = y->first + y->count;
        end = x_end < y_end ? x_end : y_end;
        if (x->sum != y->sum) moved += (end < n ? end : n) - at;
        i += end == x_end;
        j += end == y_end;
    }
    return moved;
}

RS_ORDER(by_sum, rs_bits_order, sum, first);
RS_ORDER(by_first, rs_bits_order, first);

rs_bits_order *rs_bits_orders(const rs_bits *bits, rs_arena *arena, int64_t *n) {
    rs_bits_order *orders = rs_alloc(arena, (size_t)bits->n_runs, sizeof *orders);
    *n = 0;
    if (orders == NULL) return NULL;
    for (int64_t i = 0; i < bits->n_runs; i++) {
        const rs_bits_run *run = &bits->runs[i];
        orders[i] = (rs_bits_order){run->sum, run->first, run->count};
    }
    qsort(orders, (size_t)bits->n_runs, sizeof *orders, by_sum);
    for (int64_t i = 0; i < bits->n_runs; i++) {
        if (*n > 0 && orders[*n - 1].sum == orders[i].sum) {
            orders[*n - 1].count += orders[i].count;
        } else {
            orders[(*n)++] = orders[i];
        }
    }
    qsort(orders, (size_t)*n, sizeof *orders, by_first);
    return orders;
}
