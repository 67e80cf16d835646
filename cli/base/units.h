/* units.h: numbers with units and lists of them (units.c), one word of a list (suggest.c). Pure text. */
#pragma once

#include "base/exit.h"

/* Each reads the whole text, exactly, and refuses garbage and overflow. A bare number is bytes,
   bytes/s, seconds. Sizes and times must come out whole; rates are rounded to the nearest. */

/* What an amount is of. */
typedef enum rc_quantity {
    RC_IN_BYTES,       /* 100MB, 4KiB: >= 0 */
    RC_IN_BYTES_PER_S, /* 20GB/s, 100Gb/s: >= 1 */
    RC_IN_PS,          /* 5us, 1e-6: >= 0 */
    RC_IN_FLOPS,       /* 10TFLOP/s: >= 1 */
} rc_quantity;
/* Reads an amount of that quantity. */
rc_exit rc_parse_amount(rc_quantity quantity, const char *text, rs_error *error, int64_t *amount);
/* Reads a positive decimal number as num / den, both at most 10^9. */
rc_exit rc_parse_factor(const char *text, rs_error *error, uint64_t *num, uint64_t *den);
/* Reads a whole number of that range. */
rc_exit rc_parse_integer(const char *text, int64_t least, int64_t most, rs_error *error,
                         int64_t *number);
/* Returns the greatest common divisor; of 0 and a number that number. */
uint64_t rc_common_divisor(uint64_t a, uint64_t b);
/* Refuses the number that was typed, because of its size. */
rc_exit rc_outside(const char *text, int64_t least, int64_t most, rs_error *error);
/* Reads any 64 bits, as a decimal number. */
rc_exit rc_parse_seed(const char *text, rs_error *error, uint64_t *seed);

enum { RC_UNIT_TEXT = 32 };
/* Writes the size exactly, with the unit that leaves the least number: "4KiB", "4GB". Returns out. */
char *rc_exact_size(int64_t n_bytes, char out[RC_UNIT_TEXT]);

/* Reads "2,4,8" or "2..10" or both mixed: every number of a range. */
rc_exit rc_parse_numbers(const char *text, int64_t least, int64_t most, rs_arena *arena,
                         rs_error *error, int64_t **numbers, int64_t *n);
/* Reads sizes (or plain counts): "1MiB,4MiB", or "1KiB..1GiB": by factors of four, both ends in. */
rc_exit rc_parse_sweep(const char *text, bool sizes, rs_arena *arena, rs_error *error,
                       int64_t **numbers, int64_t *n);

/* ------------------------------------------------------------------ suggest.c */

/* Returns the name next to `word` among those of a list that ends with NULL; NULL if none is near. */
const char *rc_nearest(const char *word, const char *const names[]);
/* Finds `word` in the list; the error names the option, the nearest name and the choices. */
rc_exit rc_parse_choice(const char *option, const char *word, const char *const names[],
                        rs_error *error, int *index);
