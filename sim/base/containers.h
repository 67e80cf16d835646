/* containers.h: what every room keeps things in: arrays that grow, small pieces of memory, texts kept once; orders for qsort;
 * hashes. Shared by our own rooms, and not installed.
 */
#pragma once

#include "ringsim_host.h"

/* ------------------------------------------------------------------ memory */

/* Small pieces of an arena's blocks, each twice the one before up to 256 KiB: without the 64 bytes of alignment, and the guard,
   that each of rs_alloc's has. */
typedef struct rs_heap {
    rs_arena *arena;
    char *at;
    size_t left;
    size_t block; /* bytes of the last one */
} rs_heap;
/* Returns n_bytes, which may be none, zeroed and aligned to 16; NULL: no memory, and arena->lacked. */
void *rs_heap_take(rs_heap *heap, size_t n_bytes);

/* Makes room for n items in an array and keeps those that are there; false: no memory, and nothing has changed.
 *
 *     if (!rs_reserve(arena, &list->items, list->n + 1, &list->room)) return rs_no_memory(error);
 *     list->items[list->n++] = item;
 *
 *   - `items` is the address of a pointer to any type, `room` that of an integer of 4 or 8 bytes, 0 at first.
 *   - Items of an arena are zero until they are written. arena NULL: the array is realloc's, the caller frees it.
 */
#define rs_reserve(arena, items, n, room) RS_RESERVE(arena, NULL, items, n, room)
/* The same in a heap. */
#define rs_heap_reserve(heap, items, n, room) RS_RESERVE(NULL, heap, items, n, room)
#define RS_RESERVE(arena, heap, items, n, room)                                                    \
    ((size_t)(n) <= (size_t) * (room) ||                                                           \
     rs_widen((arena), (heap), (items), (size_t)(n), sizeof **(items), (room), sizeof *(room)))
bool rs_widen(rs_arena *arena, rs_heap *heap, void *items, size_t n, size_t size, void *room,
              size_t room_bytes);

/* ------------------------------------------------------------------ texts */

typedef struct rs_text {
    const char *text; /* not terminated */
    uint32_t n_bytes, hash;
} rs_text;

/* Texts, or other bytes that are a key, each once, numbered from 0 as they come. Begins as {.heap = heap}. */
typedef struct rs_texts {
    rs_heap *heap;
    rs_text *list;
    uint32_t n, room;
    uint32_t *slots; /* number + 1; 0: free */
    uint32_t n_slots;
} rs_texts;
enum { RS_NO_TEXT = -1 };
/* Begins with the text "", number 0, and n more that stay where they are; false: no memory. */
bool rs_texts_begin(rs_texts *texts, rs_heap *heap, const char *const first[], uint32_t n);
/* Returns the number of a text, which must stay where it is; RS_NO_TEXT: no memory. */
int64_t rs_text_of(rs_texts *texts, const void *text, size_t n_bytes);
/* The same of a text that will go: it is copied where it is new, and a zero behind it. */
int64_t rs_text_kept(rs_texts *texts, const void *text, size_t n_bytes);
/* Returns the number of a text; RS_NO_TEXT: it is not there. */
int64_t rs_text_find(const rs_texts *texts, const void *text, size_t n_bytes);

/* ------------------------------------------------------------------ orders */

/* Below zero, zero, above zero: as qsort asks. */
#define RS_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Compares *a and *b by 1 to 5 members, one after another: the sign of the first that differs counts most. */
#define RS_BY(...)                                                                                 \
    RS_BY_OF(__VA_ARGS__, RS_BY_5, RS_BY_4, RS_BY_3, RS_BY_2, RS_BY_1, 0)(__VA_ARGS__)
#define RS_BY_OF(m1, m2, m3, m4, m5, by, ...) by
#define RS_BY_1(m) RS_COMPARE(a->m, b->m)
#define RS_BY_2(m, ...) (2 * RS_BY_1(m) + RS_BY_1(__VA_ARGS__))
#define RS_BY_3(m, ...) (4 * RS_BY_1(m) + RS_BY_2(__VA_ARGS__))
#define RS_BY_4(m, ...) (8 * RS_BY_1(m) + RS_BY_3(__VA_ARGS__))
#define RS_BY_5(m, ...) (16 * RS_BY_1(m) + RS_BY_4(__VA_ARGS__))

/* Defines a function for qsort that sorts items of a type by members: RS_ORDER(by_link, timed_link, src, dst); */
#define RS_ORDER(name, type, ...)                                                                  \
    static int name(const void *left, const void *right) {                                         \
        const type *a = left, *b = right;                                                          \
        return RS_BY(__VA_ARGS__);                                                                 \
    }                                                                                              \
    _Static_assert(1, "")

static inline int64_t rs_larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}
static inline int64_t rs_smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Returns the largest L with 2^L <= n; of what is below 1, 0. */
static inline int32_t rs_floor_log2(int64_t n) {
    return n < 1 ? 0 : 63 - __builtin_clzll((unsigned long long)n);
}

/* Plain values, the least first. */
int rs_by_int32(const void *left, const void *right);
int rs_by_int64(const void *left, const void *right);
int rs_by_double(const void *left, const void *right);

/* ------------------------------------------------------------------ groups */

/* Returns the first of a member's group, where at first group[i] = i; on the way there paths become shorter. */
int32_t rs_group_of(int32_t group[], int32_t member);
/* Makes two groups one. */
void rs_join_groups(int32_t group[], int32_t a, int32_t b);

/* ------------------------------------------------------------------ hashes, characters */

/* Continues a hash with bytes; begin with 0. Never shown or saved: machines with another order of bytes have others. */
uint64_t rs_hash(uint64_t hash, const void *bytes, size_t n_bytes);

/* One round of splitmix64 (Steele, Lea and Flood, OOPSLA 2014): a number to a random-looking one, the same everywhere and
   always. */
static inline uint64_t rs_mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* The next number of splitmix64's stream. */
static inline uint64_t rs_random(uint64_t *state) {
    const uint64_t drawn = rs_mix(*state);
    *state += 0x9e3779b97f4a7c15;
    return drawn;
}

/* Of any char, whatever the locale. */
static inline bool rs_is_digit(char c) {
    return c >= '0' && c <= '9';
}
static inline bool rs_is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* How many digits a number has that is not negative. */
static inline int rs_digits_of(int64_t number) {
    int n = 1;
    for (; number >= 10; number /= 10) n++;
    return n;
}
