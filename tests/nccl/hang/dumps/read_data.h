/* read_data.h: data of a dump, read from exact bytes, and shown as text: what the suites of data trees share. Each program includes
 * it once.
 *
 *     TestSuite(data_tree, .init = start, .fini = stop);
 *     put(&pickle, bytes, n);  read_as(false, pickle.bytes, pickle.n);  show(&shown, &top, 0);
 */
#pragma once

#include "hangs/dump_values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 16, DEEPEST = 4 };

static rs_arena arena;
static rs_heap heap;
static rs_texts words;
static rs_error error;
static rn_datum top;
static bool cut;

static inline void start(void) {
    rs_arena_init(&arena, NULL);
}
static inline void stop(void) {
    rs_arena_free(&arena);
}

/* The bytes are copied into the arena, where texts stay. */
static inline rs_status read_as(bool json, const char *bytes, size_t n) {
    rs_arena_free(&arena);
    rs_arena_init(&arena, NULL);
    heap = (rs_heap){.arena = &arena};
    cr_assert(rs_texts_begin(&words, &heap, NULL, 0));
    char *kept = rs_alloc(&arena, n + 1, 1);
    memcpy(kept, bytes, n);
    cut = false;
    return json ? rn_read_json(kept, n, &words, &error, &top, &cut)
                : rn_read_pickle(kept, n, &words, &error, &top, &cut);
}

typedef struct text {
    char bytes[ROOM];
    size_t n;
} text;
static text plain, pickle;
static uint64_t state;

static inline uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}

static inline void put(text *t, const void *bytes, size_t n) {
    cr_assert_lt(t->n + n, ROOM);
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
}
static inline void say(text *t, const char *what) {
    put(t, what, strlen(what));
}

static inline void show(text *t, const rn_datum *d, int depth) {
    char number[64];
    cr_assert_lt(depth, DEEPEST + 2);
    switch (d->kind) {
    case RN_DATUM_NONE: say(t, "null"); break;
    case RN_DATUM_BOOL: say(t, d->integer == 1 ? "true" : d->integer == 0 ? "false" : "?"); break;
    case RN_DATUM_INTEGER:
        snprintf(number, sizeof number, "%lld", (long long)d->integer);
        say(t, number);
        break;
    case RN_DATUM_REAL: snprintf(number, sizeof number, "%.17g", d->real), say(t, number); break;
    case RN_DATUM_TEXT:
        say(t, "<");
        for (uint32_t i = 0; i < words.list[d->word].n_bytes; i++) {
            snprintf(number, sizeof number, "%02x", (unsigned char)words.list[d->word].text[i]);
            say(t, number);
        }
        say(t, ">");
        break;
    case RN_DATUM_LIST:
    case RN_DATUM_DICT:
        cr_assert(!d->items->partial);
        say(t, d->kind == RN_DATUM_DICT ? "{" : "[");
        for (uint32_t i = 0; i < d->items->n; i++) {
            if (i > 0) say(t, d->kind == RN_DATUM_DICT && i % 2 == 1 ? ":" : ",");
            show(t, &d->items->at[i], depth + 1);
        }
        say(t, d->kind == RN_DATUM_DICT ? "}" : "]");
        break;
    case RN_DATUM_UNTAG: cr_assert_fail("a function is no data");
    }
}
