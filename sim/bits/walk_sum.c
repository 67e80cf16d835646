/* walk_sum.c: one element's way to its sum, addition after addition, with what each one rounds away. */
#include "bits/sum_order.h"

#include <math.h>
#include <stdlib.h>

/* a + b = *sum + *rest, without error (Knuth's two-sum). */
static void add_two(double a, double b, double *sum, double *rest) {
    const double now = a + b, part = now - a;
    *rest = (a - (now - part)) + (b - part);
    *sum = now;
}

/* Sums by their numbers: an operand is older than what is made of it, so this is the order in time. */
static int by_number(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Lists the additions that a sum is made of; -1: no memory, or a rank is in it twice. */
static int32_t list_additions(const rs_sums *sums, int32_t sum, int32_t list[]) {
    int32_t n = 0;
    if (sum >= sums->n_ranks) list[n++] = sum;
    for (int32_t i = 0; i < n; i++) {
        const rs_two_sums pair = rs_operands_of(sums, list[i]);
        const int32_t both[] = {pair.a, pair.b};
        for (int k = 0; k < 2; k++) {
            if (both[k] < sums->n_ranks) continue;
            if (n >= sums->n_ranks - 1) return -1;
            list[n++] = both[k];
        }
    }
    qsort(list, (size_t)n, sizeof *list, by_number);
    return n;
}

static int32_t place_of(const int32_t list[], int32_t n, int32_t n_ranks, int32_t sum) {
    if (sum < n_ranks) return sum;
    const int32_t *at = bsearch(&sum, list, (size_t)n, sizeof *list, by_number);
    return n_ranks + (int32_t)(at - list);
}

/* What is seen of it in binary. */
static void frame_digits(rs_dtype dtype, double largest, rs_addition *add) {
    const double seen = add->exact != 0 ? add->exact : largest;
    add->last = rs_last_digit(dtype, seen);
    add->first = largest != 0 ? ilogb(largest) : add->last;
    if (add->exact != 0 && ilogb(add->exact) > add->first) add->first = ilogb(add->exact);
}

static double off_by(rs_dtype dtype, double sum, double whole, double rest) {
    return fabs((sum - whole) - rest) / ldexp(1, rs_last_digit(dtype, whole));
}

/* All at once, as a switch does. */
static void add_all(rs_dtype dtype, const double data[], int32_t n, rs_addition *add) {
    double largest = 0;
    *add = (rs_addition){.at = RS_SWITCH, .comes = -1, .here = -1};
    for (int32_t r = 0; r < n; r++) {
        double off;
        add_two(add->exact, data[r], &add->exact, &off);
        add->rest += off;
        largest = fmax(largest, fabs(data[r]));
    }
    add_two(add->exact, add->rest, &add->exact, &add->rest);
    char kept[8];
    rs_write_float(dtype, kept, 0, add->exact);
    add->sum = rs_read_float(dtype, kept, 0);
    add->off = off_by(dtype, add->sum, add->exact, add->rest);
    frame_digits(dtype, largest, add);
}

static double fold(rs_dtype dtype, double a, double b) {
    char x[8], y[8];
    rs_write_float(dtype, x, 0, a);
    rs_write_float(dtype, y, 0, b);
    rs_fold(dtype, RS_SUM, x, y, x, 1);
    return rs_read_float(dtype, x, 0);
}

rs_status rs_walk_sum(const rs_sums *sums, int32_t sum, rs_dtype dtype, const double data[],
                      rs_arena *arena, rs_error *error, rs_walk *walk) {
    const int32_t n = sums->n_ranks;
    int32_t *list = rs_alloc(arena, (size_t)n, sizeof *list);
    double *whole = rs_alloc(arena, 4 * (size_t)n, sizeof *whole); /* exact sums, and their rests */
    *walk = (rs_walk){.n_ranks = n, .data = data};
    walk->additions = rs_alloc(arena, (size_t)n, sizeof *walk->additions);
    if (list == NULL || whole == NULL || walk->additions == NULL) return rs_no_memory(error);
    if (rs_is_exact(sums, sum)) {
        add_all(dtype, data, n, &walk->additions[walk->n++]);
        return RS_OK;
    }
    double *rest = whole + 2 * n;
    for (int32_t r = 0; r < n; r++) whole[r] = data[r];
    walk->n = list_additions(sums, sum, list);
    if (walk->n < 0) return rs_fail(error, RS_BAD_INPUT, "a sum has a rank twice");
    for (int32_t i = 0; i < walk->n; i++) {
        const rs_two_sums pair = rs_operands_of(sums, list[i]);
        const int32_t comes = place_of(list, walk->n, n, pair.a);
        const int32_t here = place_of(list, walk->n, n, pair.b);
        const double a = rs_value_at(walk, comes), b = rs_value_at(walk, here);
        rs_addition *add = &walk->additions[i];
        *add = (rs_addition){.at = pair.at, .comes = comes, .here = here, .sum = fold(dtype, a, b)};
        add_two(a, b, &add->exact, &add->rest);
        add_two(whole[comes], whole[here], &whole[n + i], &rest[n + i]);
        rest[n + i] += rest[comes] + rest[here];
        add->off = off_by(dtype, add->sum, whole[n + i], rest[n + i]);
        frame_digits(dtype, fmax(fabs(a), fabs(b)), add);
    }
    return RS_OK;
}

double rs_value_at(const rs_walk *walk, int32_t of) {
    return of < walk->n_ranks ? walk->data[of] : walk->additions[of - walk->n_ranks].sum;
}

int32_t rs_maker_of(const rs_walk *walk, int32_t of) {
    return of < walk->n_ranks ? of : walk->additions[of - walk->n_ranks].at;
}

void rs_binary_text(double value, double rest, int32_t first, int32_t last, char *out) {
    enum { LONGEST = 32, BEHIND = 10 };
    const bool cut = first - last >= LONGEST;
    if (value < 0) value = -value, rest = -rest;
    if (cut) *out++ = '.', *out++ = '.';
    for (int32_t i = first; i >= last - BEHIND; i--) {
        if (i < last && value == 0 && rest == 0) break;
        const double off = value - ldexp(1, i);
        const bool set = off > 0 || (off == 0 && rest >= 0);
        if (set) add_two(off, rest, &value, &rest);
        if (i == last - 1) *out++ = '|';
        if (i < last + LONGEST) *out++ = set ? '1' : '0';
        if (i == first && first > last && !cut) *out++ = '.';
    }
    if (value != 0 || rest != 0) *out++ = '.', *out++ = '.';
    *out = '\0';
}
