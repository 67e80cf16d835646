/* walk_sum.c: one element's way to its sum, addition after addition, with what each one rounds away. */
#include "bits/sum_order.h"

#include <math.h>

/* What is seen of it in binary. */
static void frame_digits(rs_dtype dtype, double largest, rs_addition *add) {
    const double seen = add->exact != 0 ? add->exact : largest;
    add->last = rs_last_digit(dtype, seen);
    add->first = largest != 0 ? ilogb(largest) : add->last;
    if (add->exact != 0 && ilogb(add->exact) > add->first) add->first = ilogb(add->exact);
}

/* What is made of all ranks' data at once, as by a switch. */
static double add_all(rs_dtype dtype, const double data[], int32_t n, rs_addition *add) {
    double largest = 0;
    for (int32_t r = 0; r < n; r++) {
        double off;
        rs_add_two(add->exact, data[r], &add->exact, &off);
        add->rest += off;
        largest = fmax(largest, fabs(data[r]));
    }
    rs_add_two(add->exact, add->rest, &add->exact, &add->rest);
    char kept[8];
    rs_write_float(dtype, kept, 0, add->exact);
    add->sum = rs_read_float(dtype, kept, 0);
    return largest;
}

static double add_pair(rs_dtype dtype, double a, double b, rs_addition *add) {
    char x[8], y[8];
    rs_write_float(dtype, x, 0, a);
    rs_write_float(dtype, y, 0, b);
    rs_fold(dtype, RS_SUM, x, y, x, 1);
    add->sum = rs_read_float(dtype, x, 0);
    rs_add_two(a, b, &add->exact, &add->rest);
    return fmax(fabs(a), fabs(b));
}

rs_status rs_walk_sum(const rs_sums *sums, int32_t sum, rs_dtype dtype, const double data[],
                      rs_arena *arena, rs_error *error, rs_walk *walk) {
    const int32_t n = sums->n_ranks;
    double *whole = rs_alloc(arena, 4 * (size_t)n, sizeof *whole); /* exact sums, and their rests */
    *walk = (rs_walk){.n_ranks = n, .data = data};
    const rs_two_sums *list = rs_additions_of(sums, sum, arena, &walk->n);
    walk->additions = rs_alloc(arena, (size_t)n, sizeof *walk->additions);
    if (list == NULL || whole == NULL || walk->additions == NULL) return rs_no_memory(error);
    double *rest = whole + 2 * n;
    for (int32_t r = 0; r < n; r++) whole[r] = data[r];
    for (int32_t i = 0; i < walk->n; i++) {
        const int32_t a = list[i].a, b = list[i].b, made = n + i;
        rs_addition *add = &walk->additions[i];
        double largest;
        *add = (rs_addition){.at = list[i].at, .comes = a, .here = b};
        if (a < 0) {
            largest = add_all(dtype, data, n, add);
            whole[made] = add->exact;
            rest[made] = add->rest;
        } else {
            largest = add_pair(dtype, rs_value_at(walk, a), rs_value_at(walk, b), add);
            rs_add_two(whole[a], whole[b], &whole[made], &rest[made]);
            rest[made] += rest[a] + rest[b];
        }
        add->off = fabs((add->sum - whole[made]) - rest[made]) /
                   ldexp(1, rs_last_digit(dtype, whole[made]));
        frame_digits(dtype, largest, add);
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
        if (set) rs_add_two(off, rest, &value, &rest);
        if (i == last - 1) *out++ = '|';
        if (i < last + LONGEST) *out++ = set ? '1' : '0';
        if (i == first && first > last && !cut) *out++ = '.';
    }
    if (value != 0 || rest != 0) *out++ = '.', *out++ = '.';
    *out = '\0';
}
