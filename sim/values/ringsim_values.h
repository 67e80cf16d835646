/* ringsim_values.h: element types and their arithmetic, what ranks hold at first, the reference execution.
 *
 *     fill ---> [n_ranks] arrays ---> apply the schedule ---> [n_ranks] results ---> compare
 */
#pragma once

#include "ringsim_schedule.h"

RS_BEGIN_DECLS

typedef enum rs_dtype {
    RS_I8,
    RS_U8,
    RS_I32,
    RS_U32,
    RS_I64,
    RS_U64,
    RS_F16,
    RS_BF16,
    RS_F32,
    RS_F64,
    RS_N_DTYPES
} rs_dtype;
typedef enum rs_op { RS_SUM, RS_PROD, RS_MIN, RS_MAX, RS_AVG, RS_N_OPS } rs_op;
const char *rs_dtype_name(rs_dtype dtype); /* "i8", ... */
const char *rs_op_name(rs_op op);          /* "sum", ... */
int32_t rs_dtype_bytes(rs_dtype dtype);
bool rs_dtype_is_float(rs_dtype dtype);
/* Prints element `index` of `data` as the shortest text that reads back; returns snprintf's count. */
int rs_print_value(rs_dtype dtype, const void *data, int64_t index, char *out, size_t n_out);

/* Returns element `index` of floats, exactly; writes one, rounded to nearest. */
double rs_read_float(rs_dtype dtype, const void *data, int64_t index);
void rs_write_float(rs_dtype dtype, void *data, int64_t index, double value);

/* Folds `count` elements: acc[i] = left[i] op right[i]; acc may be left or right. avg folds as sum. The
   README of this room has the rules for the bits. */
void rs_fold(rs_dtype dtype, rs_op op, const void *left, const void *right, void *acc,
             int64_t count);
/* Ends avg: divides each of `count` elements by n_ranks, in place; does nothing for the other ops. */
void rs_finish(rs_dtype dtype, rs_op op, int32_t n_ranks, void *data, int64_t count);
/* Tells whether two arrays hold the same values: bits equal, or both NaN. */
bool rs_equal(rs_dtype dtype, const void *a, const void *b, int64_t count);
/* Continues a CRC-32 (IEEE, as in zlib) over n_bytes more; begin with crc = 0. */
uint32_t rs_crc32(uint32_t crc, const void *data, size_t n_bytes);
/* The same of `count` elements; every NaN counts as the quiet one of its type, for its bits are nobody's promise. */
uint32_t rs_crc32_values(uint32_t crc, rs_dtype dtype, const void *data, int64_t count);

typedef enum rs_data {
    RS_DATA_AUTO,
    RS_DATA_DIGITS,
    RS_DATA_INDEX,
    RS_DATA_RANDOM,
    RS_DATA_EXACT,
    RS_DATA_LIST
} rs_data;
/* Tells whether digits data stays readable: every sum fits dtype exactly and chunk + 1 < 10. */
bool rs_digits_fit(int32_t n_ranks, int32_t n_chunks, rs_dtype dtype, rs_op op);
/* Tells whether no sum of `exact` data over the ranks rounds: f16 up to 136 ranks, bf16 85, all other types always. */
bool rs_exact_fits(int32_t n_ranks, rs_dtype dtype);
/* Fills `out` with what `rank` holds at the start: n_elems elements, all of them (n_elems = count) or,
   with n_elems = n_chunks < count, the first of each chunk, standing for it.
   digits: (chunk + 1) x 10^rank. index: integers rank x count + i (wrapping), floats (rank + i) mod 8.
   random: from (seed, rank, i) alone, integers of all bits, floats evenly from [-1, 1) with all the digits of the
   type. exact: the same, but floats are small whole numbers whose sums never round (rs_exact_fits). list: list[rank], n_ranks numbers. */
void rs_fill(rs_data data, rs_dtype dtype, int32_t rank, int32_t n_chunks, int64_t count,
             int64_t n_elems, uint64_t seed, const double list[], void *out);
/* Fills `out` with a part of all elements: first .. first + n - 1. */
void rs_fill_part(rs_data data, rs_dtype dtype, int32_t rank, int32_t n_chunks, int64_t count,
                  int64_t first, int64_t n, uint64_t seed, const double list[], void *out);

typedef struct rs_apply_options {
    int32_t until_step;            /* stop before this step; n_steps: run to the end */
    const int32_t *entered;        /* [n_ranks] steps each rank entered (rs_outcome); NULL: all. A
                                    transfer happens when both ends entered its step */
    const struct rs_fault *faults; /* flips are obeyed, all others ignored */
    int32_t n_faults;
} rs_apply_options;
/* Executes the schedule on real arrays: ranks[r] points to `count` elements, in place; the arrays do
   not overlap. A step reads before it writes; several messages into one cell fold in list order.
   Includes rs_finish when it runs to the end. */
rs_status rs_apply(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                   void *const ranks[], const rs_apply_options *options, const rs_host *host,
                   rs_error *error);
/* Judges results: wrong[r] = rank r does not hold the exact answer for inputs[] (integers, min, max:
   whatever the order; other floats: bit by bit, with the fold in the schedule's own order). */
rs_status rs_compare(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                     const void *const inputs[], const void *const results[], const rs_host *host,
                     rs_error *error, bool wrong[]);
/* Counts, for each rank, the elements that are not the exact answer. results[r] NULL: that rank is
   not judged here, in rs_compare neither; its inputs are needed all the same. */
rs_status rs_count_wrong(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                         const void *const inputs[], const void *const results[],
                         const rs_host *host, rs_error *error, int64_t n_wrong[]);

/* A part of all arrays, for who cannot hold them whole: elements first .. first + n - 1 of each rank's
   `count`. Arrays beside it hold these elements only. Calls keep in it what they have read of the
   schedule: begin with `history` NULL, and move first and n on. Its memory is the arena's. */
typedef struct rs_part {
    const rs_schedule *schedule;
    int64_t count, first, n;
    rs_arena *arena;
    struct rs_chunk_history *history;
} rs_part;
/* As rs_apply and rs_count_wrong, for a part: all parts together give the same. */
rs_status rs_apply_part(rs_part *part, rs_dtype dtype, rs_op op, void *const ranks[],
                        const rs_apply_options *options, const rs_host *host, rs_error *error);
rs_status rs_count_wrong_part(rs_part *part, rs_dtype dtype, rs_op op, const void *const inputs[],
                              const void *const results[], const rs_host *host, rs_error *error,
                              int64_t n_wrong[]);

RS_END_DECLS
