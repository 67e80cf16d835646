/* sum_order.h: what the files of this room know of a sum: its two operands. */
#pragma once

#include "base/containers.h"
#include "ringsim_bits.h"

enum { RS_MOST_SUMS = 1 << 23 };

struct rs_sums {
    rs_heap heap;
    rs_texts pairs; /* sum n_ranks + i is the pair of number i */
    int32_t n_ranks;
    bool by_rank;
};
rs_two_sums rs_operands_of(const rs_sums *sums, int32_t sum);
bool rs_is_exact(const rs_sums *sums, int32_t sum);
/* Tells whether a sum is one done in f32: of its operands' b. */
bool rs_is_in_f32(const rs_sums *sums, int32_t sum);
/* Returns the *n additions of a sum in the order in which they were made; an operand is a rank, or n_ranks + i for what addition i
   makes; of the exact sum, which is one addition, -1. NULL: no memory, or a rank is in it twice. */
rs_two_sums *rs_additions_of(const rs_sums *sums, int32_t sum, rs_arena *arena, int32_t *n);
/* add_up.c: a + b = *sum + *rest, without error (Knuth's two-sum). */
void rs_add_two(double a, double b, double *sum, double *rest);
/* The exact sums of a float type, each as near as a double is. */
void rs_add_exactly(const rs_sums *sums, rs_dtype dtype, const void *const inputs[], int64_t n,
                    double out[]);
/* compare_bits.c: returns the exponent of two of the last digit that a float type has at x: the unit in the last place is 2 to
   it. */
int rs_last_digit(rs_dtype dtype, double x);
/* bits_runs.c: returns the run of an element. */
const rs_bits_run *rs_run_at(const rs_bits *bits, int64_t element);
