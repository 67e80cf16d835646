/* sum_order.h: what the files of this room know of a sum: its two operands, and the steps of a stack that add it up. */
#pragma once

#include "base/containers.h"
#include "ringsim_bits.h"

enum { RS_MOST_SUMS = 1 << 23, RS_ADD = -1 };

typedef struct rs_two_sums {
    int32_t a, b;
} rs_two_sums;
struct rs_sums {
    rs_heap heap;
    rs_texts pairs; /* sum n_ranks + i is the pair of number i */
    int32_t n_ranks;
};
rs_two_sums rs_operands_of(const rs_sums *sums, int32_t sum);
bool rs_is_exact(const rs_sums *sums, int32_t sum);
/* Returns *n steps: a rank puts its data on a stack, RS_ADD adds the two on top; *deep: the most that lie there. NULL: no
   memory. */
int32_t *rs_sum_steps(const rs_sums *sums, int32_t sum, rs_arena *arena, int32_t *n, int32_t *deep);
