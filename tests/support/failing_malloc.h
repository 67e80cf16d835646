/* failing_malloc.h: a test program's malloc and rs_alloc, of which one call fails. Each program includes it once.
 *
 *     n_until_failure = n;  ...  n_until_failure = -1;      the n-th call from now on, from 0, returns NULL
 *     n_arrays_until_failure = n;                           the same of rs_alloc
 *     noted_arrays = &places;                               notes where rs_alloc is called from
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ringsim.h"

#if defined(SANITIZED) || !defined(__GLIBC__)
#define OWN_ALLOCATOR
#endif

/* The places in the code that a kind of call comes from, each with its first call, counted from 0. */
enum { MOST_PLACES = 4096 };
typedef struct call_places {
    long n_calls;
    int n;
    const void *at[MOST_PLACES];
    long first[MOST_PLACES];
} call_places;

/* Counts a call, and notes where it comes from if nobody has come from there; NULL: nobody wants to know. */
static inline void note_call(call_places *places, const void *at) {
    if (places == NULL) return;
    int i = 0;
    while (i < places->n && places->at[i] != at) i++;
    if (i == places->n && i < MOST_PLACES) {
        places->at[i] = at;
        places->first[i] = places->n_calls;
        places->n++;
    }
    places->n_calls++;
}

static _Atomic long n_until_failure = -1; /* < 0: never */

/* This program's malloc: glibc's, which fails once when the count is over. Elsewhere, and where a sanitizer
   has its own, nothing fails: it sees what a run leaks. */
#ifdef OWN_ALLOCATOR
enum { MALLOC_FAILS = 0 };
#else
enum { MALLOC_FAILS = 1 };

static call_places *noted_calls; /* NULL: not noted */

static bool fails(const void *from) {
    note_call(noted_calls, from);
    if (n_until_failure < 0 || n_until_failure-- > 0) return false;
    n_until_failure = -1;
    errno = ENOMEM;
    return true;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *malloc(size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}
#endif

static _Atomic long n_arrays_until_failure = -1; /* < 0: never */
static call_places *noted_arrays;                /* NULL: not noted */

/* All calls of rs_alloc but arena.c's own come here: the Makefile links with --wrap=rs_alloc. */
void *__real_rs_alloc(rs_arena *arena, size_t count, size_t size);
void *__wrap_rs_alloc(rs_arena *arena, size_t count, size_t size);
void *__wrap_rs_alloc(rs_arena *arena, size_t count, size_t size) {
    note_call(noted_arrays, __builtin_return_address(0));
    if (n_arrays_until_failure >= 0 && n_arrays_until_failure-- == 0) {
        arena->lacked = true;
        return NULL;
    }
    return __real_rs_alloc(arena, count, size);
}
