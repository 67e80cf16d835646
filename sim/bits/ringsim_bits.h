/* ringsim_bits.h: in which order the elements of a collective are added, and what becomes of their last bits.
 *
 *     schedule --rs_bits_of_schedule--> BITS: runs of elements, a sum each
 *     sum --rs_sum_text--> "((1+2)+3)+0"      two bits --rs_compare_bits--> the same for all data? how many differ?
 *
 *   - A sum is a number in a table, and two that are the same for all data have the same number: a+b is b+a, the bits of
 *     NaNs aside. The numbers of ranks are sums, too.
 *   - What is not certain is not answered: `undefined` says why.
 */
#pragma once

#include "ringsim_values.h"

RS_BEGIN_DECLS

typedef struct rs_sums rs_sums;
/* Begins a table for sums of n_ranks ranks' data; NULL: no memory. */
rs_sums *rs_sums_begin(int32_t n_ranks, rs_arena *arena);
/* The same for one element's way: a sum also knows which rank has added what came to what it had, so two that are the same
   for all data may have two numbers. */
rs_sums *rs_sums_begin_by_rank(int32_t n_ranks, rs_arena *arena);
/* Returns what comes + what the rank `at` has; -1: no memory, or an operand is -1. */
int32_t rs_sum_of(rs_sums *sums, int32_t comes, int32_t here, int32_t at);
/* Returns the exact sum over all ranks, rounded once: what a switch adds. */
int32_t rs_sum_exact(rs_sums *sums);
/* Returns the same additions done in f32 and rounded once, at the end, as many an engine's own kernel does; such a sum is added
   up and compared, not walked. */
int32_t rs_sum_in_f32(rs_sums *sums, int32_t sum);
/* Writes it with brackets, "((1+2)+3)+0"; a chain that does not fit by its ends, "((1+2)+3)+...+7+0". */
void rs_sum_text(const rs_sums *sums, int32_t sum, char *out, size_t n_out);
/* Adds n elements of all ranks up as a sum says: inputs[rank] and out begin with the first of them. op: not RS_AVG; an exact
   sum is of floats. */
rs_status rs_add_up(const rs_sums *sums, int32_t sum, rs_dtype dtype, rs_op op,
                    const void *const inputs[], int64_t n, void *out, rs_error *error);
/* Returns those that add every rank, *n of them; NULL: no memory. */
int32_t *rs_whole_sums(const rs_sums *sums, rs_arena *arena, int64_t *n);
/* The operands of sum n_ranks, n_ranks + 1, ...: the whole table, for another process; *n of them; NULL: no memory. */
typedef struct rs_two_sums {
    int32_t a, b;
    int32_t at; /* the rank that adds, in a table by ranks; else -1 */
} rs_two_sums;
rs_two_sums *rs_sums_list(const rs_sums *sums, rs_arena *arena, int64_t *n);
/* Makes the table of such a list; NULL: no memory, or no list of sums. */
rs_sums *rs_sums_listed(int32_t n_ranks, const rs_two_sums pairs[], int64_t n, rs_arena *arena);

/* Elements that are added alike. */
typedef struct rs_bits_run {
    int64_t first, count;
    int32_t sum;
} rs_bits_run;
typedef struct rs_bits {
    rs_bits_run *runs; /* they follow each other, and no two neighbours have one sum */
    int64_t n_runs, room;
    int64_t count;         /* elements of the result */
    const char *undefined; /* why nobody can say; NULL: said */
} rs_bits;

/* Says in which order a schedule adds each element, by doing what it says. Ranks that end with different sums: undefined. */
rs_status rs_bits_of_schedule(const rs_schedule *schedule, int64_t count, rs_sums *sums,
                              rs_arena *arena, rs_error *error, rs_bits *bits);
/* Adds elements to the last run, or begins another; false: no memory. */
bool rs_add_run(rs_bits *bits, rs_arena *arena, int64_t count, int32_t sum);
/* Returns the sum of an element of 0..count - 1. */
int32_t rs_bits_at(const rs_bits *bits, int64_t element);

/* Returns the orders by their first element, of how many elements each is, *n of them; NULL: no memory. */
rs_bits_run *rs_bits_orders(const rs_bits *bits, rs_arena *arena, int64_t *n);

/* What two settings make of the elements that both have: of data drawn evenly from [-1, 1) with all the digits of the type. */
typedef struct rs_bits_same {
    bool for_all_data;
    int64_t of, moved;    /* elements, those whose sum is another one */
    double differ;        /* share of all that differs on such data */
    double largest, mean; /* difference there */
    int64_t n;            /* elements that were looked at */
} rs_bits_same;
/* Tells whether sums are the same in any order. */
bool rs_never_rounds(rs_dtype dtype, rs_op op);
/* Returns how many of the elements that both have are added in another order. */
int64_t rs_bits_moved(const rs_bits *a, const rs_bits *b);
/* Compares two settings; b NULL: with the exact sums, in units in the last place, where sums and averages (RS_SUM, RS_AVG) round;
   else n is 0. */
rs_status rs_compare_bits(const rs_bits *a, const rs_bits *b, const rs_sums *sums, rs_dtype dtype,
                          rs_op op, uint64_t seed, rs_arena *arena, rs_error *error,
                          rs_bits_same *same);

/* ------------------------------------------------------------------ one element's way */

enum { RS_SWITCH = -1 };
/* An addition. An operand is a rank's own data, 0 .. n_ranks - 1, or what addition i made, n_ranks + i. */
typedef struct rs_addition {
    int32_t at;          /* the rank that adds; RS_SWITCH: all ranks' data, exactly, rounded once */
    int32_t comes, here; /* what comes to it, and what it has; of a switch -1 */
    double exact, rest;  /* without rounding, exact + rest (of a switch to thirty digits) */
    double sum;          /* what the type keeps */
    double off;          /* units in the last place, from the exact sum of all that is inside */
    /* exponents of two: of the highest digit of the three, of the last that is kept */
    int32_t first, last;
} rs_addition;
typedef struct rs_walk {
    int32_t n_ranks, n; /* ranks, additions */
    const double *data; /* [n_ranks] */
    rs_addition *additions;
} rs_walk;
/* Walks one element of a float type along a sum of a table by ranks; data[rank]: its value there, which the type has.
   The walk borrows them. */
rs_status rs_walk_sum(const rs_sums *sums, int32_t sum, rs_dtype dtype, const double data[],
                      rs_arena *arena, rs_error *error, rs_walk *walk);
/* Return an operand's value; the rank whose data it is, or that made it. */
double rs_value_at(const rs_walk *walk, int32_t of);
int32_t rs_maker_of(const rs_walk *walk, int32_t of);
/* Writes the binary digits of |value + rest| from 2^first on, with a bar behind that of 2^last: "1.0111|01"; of many the last 32
   before the bar, ten behind it at most, ".." for what is left out. Needs 64 bytes. */
void rs_binary_text(double value, double rest, int32_t first, int32_t last, char *out);

RS_END_DECLS
