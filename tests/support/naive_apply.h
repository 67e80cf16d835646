/* naive_apply.h: the reference execution's reference: whole arrays, step by step, word for word.
 *
 * What a step sends is copied out before anything is folded in. It shares rs_fold with the library,
 * which has tests of its own, and nothing else.
 */
#pragma once

#include "ringsim.h"

void apply_naively(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                   void *const ranks[], const rs_apply_options *options);

/* N arrays of exactly `count` elements, each a heap block of its own, so that the address sanitizer
   sees every step beyond; filled with `data`, seed 1. */
void **new_ranks(rs_data data, rs_dtype dtype, int32_t n_ranks, int32_t n_chunks, int64_t count,
                 const double list[]);
void **copy_ranks(void *const ranks[], rs_dtype dtype, int32_t n_ranks, int64_t count);
void free_ranks(void **ranks, int32_t n_ranks);

rs_schedule make_schedule(const char *algorithm, rs_order order, int32_t n_ranks, int64_t count);

/* Deterministic small random numbers: 0 .. below - 1. */
int32_t random_below(uint64_t *state, int32_t below);
/* A list of random transfers among 2 to 8 ranks: unsound, with messages that meet in a cell, copies among
   them, and cells that are read and written in one step. */
rs_schedule random_schedule(uint64_t *state, rs_arena *arena);
