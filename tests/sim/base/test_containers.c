/* test_containers.c: small pieces of memory lie apart, aligned and zeroed; arrays grow and keep what they hold; texts have a number
 * each; and where there is no memory it is known ever after.
 */
#include "base/containers.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 3000, LARGEST = 6000, ITEMS = 5000 };

static rs_arena arena;
static rs_heap heap;
static uint64_t state;

static void start(void) {
    rs_arena_init(&arena, NULL);
    heap = (rs_heap){.arena = &arena};
    state = 1;
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(containers, .init = start, .fini = stop);

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}

/* Each piece is filled with a byte of its own; whatever another one wrote into it shows at the end. */
Test(containers, pieces_lie_apart_and_are_zeroed) {
    static unsigned char *pieces[PIECES];
    static size_t sizes[PIECES];
    size_t all = 0;
    for (int i = 0; i < PIECES; i++) {
        sizes[i] = draw(4) ? draw(40) : draw(LARGEST);
        pieces[i] = rs_heap_take(&heap, sizes[i]);
        cr_assert_not_null(pieces[i]);
        cr_assert_eq((uintptr_t)pieces[i] % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++) cr_assert_eq(pieces[i][k], 0);
        memset(pieces[i], i % 251 + 1, sizes[i]);
        all += sizes[i] + 16;
    }
    for (int i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < sizes[i]; k++) cr_assert_eq(pieces[i][k], i % 251 + 1);
    }
    cr_assert_not(arena.lacked);
    cr_assert(arena.n_bytes < 2 * all + (1 << 20), "%d for %d", (int)arena.n_bytes, (int)all);
}

/* An array of realloc, an arena, a heap, with a room of 4 bytes, and of 8. */
Test(containers, an_array_grows_and_keeps_its_items) {
    for (int way = 0; way < 6; way++) {
        rs_arena *of = way % 3 == 1 ? &arena : NULL;
        rs_heap *in = way % 3 == 2 ? &heap : NULL;
        int64_t *list = NULL, long_room = 0, n_moves = 0;
        int32_t short_room = 0;
        for (int64_t n = 0; n < ITEMS; n++) {
            const int64_t *before = list, had = way < 3 ? long_room : short_room;
            cr_assert(way < 3 ? RS_RESERVE(of, in, &list, n + 1, &long_room)
                              : RS_RESERVE(of, in, &list, n + 1, &short_room));
            const int64_t room = way < 3 ? long_room : short_room;
            cr_assert_gt(room, n);
            cr_assert(room == had ? list == before : had == n);
            n_moves += room != had;
            for (int64_t i = n; i < room && way % 3 != 0; i++) cr_assert_eq(list[i], 0);
            list[n] = n * n + 1;
        }
        for (int64_t i = 0; i < ITEMS; i++) cr_assert_eq(list[i], i * i + 1);
        cr_assert(n_moves < 16, "%d moves", (int)n_moves);
        if (way % 3 == 0) free(list);
    }
}

/* No length overflows, and without memory all stays as it was. */
Test(containers, an_array_that_cannot_grow_stays) {
    char list[8] = "abcdef", *at = list;
    int32_t short_room = 7;
    size_t long_room = 7;
    arena.limit_bytes = 1;
    cr_assert(rs_reserve(&arena, &at, 7, &short_room));
    cr_assert_not(rs_reserve(&arena, &at, 8, &short_room));
    cr_assert(arena.lacked);
    cr_assert_not(rs_reserve(&arena, &at, (int64_t)INT32_MAX + 1, &short_room));
    cr_assert_not(rs_reserve(&arena, &at, SIZE_MAX, &long_room));
    uint64_t *wide = NULL;
    size_t wide_room = 0;
    cr_assert_not(rs_reserve(NULL, &wide, SIZE_MAX / 8 + 2, &wide_room));
    cr_assert(at == list && strcmp(list, "abcdef") == 0 && short_room == 7 && long_room == 7);
    cr_assert(wide == NULL && wide_room == 0);
}

/* From every amount of memory on the pieces end at some place. */
Test(containers, knows_that_there_was_no_memory) {
    static char room[4096] __attribute__((aligned(16)));
    rs_arena none;
    rs_arena_init(&none, NULL);
    none.limit_bytes = 1;
    for (size_t left = 0; left <= 512; left += 16) {
        memset(room, 0, sizeof room);
        none.lacked = false;
        heap = (rs_heap){.arena = &none, .at = room, .left = left};
        for (size_t taken = 0; taken < left; taken += 32) {
            cr_assert_not(none.lacked);
            const char *place = rs_heap_take(&heap, left - taken < 32 ? 1 : 17);
            cr_assert_eq(place, room + taken);
        }
        cr_assert_not(none.lacked);
        cr_assert_null(rs_heap_take(&heap, 1));
        cr_assert(none.lacked);
        heap.at = room, heap.left = sizeof room;
        cr_assert_not_null(rs_heap_take(&heap, 0));
        cr_assert(none.lacked);
    }
}

/* Lengths come from files: those that no memory has are refused without a try. */
Test(containers, refuses_what_is_too_long) {
    const size_t longest = 8 * ((size_t)1 << 30) + 7;
    rs_arena small;
    rs_arena_init(&small, NULL);
    small.limit_bytes = 1 << 20;
    heap = (rs_heap){.arena = &small};
    cr_assert_null(rs_heap_take(&heap, longest + 1));
    cr_assert_null(rs_heap_take(&heap, SIZE_MAX));
    cr_assert_null(rs_heap_take(&heap, SIZE_MAX - 8));
    cr_assert(small.lacked && small.n_bytes == 0);
}

/* ------------------------------------------------------------------ texts */

/* From every amount of memory on: as many texts as there is room for, each with its number, and a copy that ends. */
Test(containers, texts_are_kept_as_long_as_there_is_memory) {
    static char room[1 << 16] __attribute__((aligned(16)));
    enum { TEXTS = 600 };
    int n_all = 0;
    rs_arena none;
    rs_arena_init(&none, NULL);
    none.limit_bytes = 1;
    for (size_t left = 0; left < sizeof room; left += left < 8192 ? 16 : 496) {
        rs_texts texts;
        uint32_t n = 1;
        memset(room, 0, sizeof room);
        heap = (rs_heap){.arena = &none, .at = room, .left = left};
        if (!rs_texts_begin(&texts, &heap, NULL, 0)) continue;
        for (int i = 0; i < TEXTS; i++) {
            char text[16];
            const size_t n_text = (size_t)snprintf(text, sizeof text, "%d", i * 7919);
            const int64_t number = rs_text_kept(&texts, text, n_text);
            cr_assert(number == n || number == RS_NO_TEXT);
            if (number == RS_NO_TEXT) break;
            memset(text, 'x', sizeof text);
            n++;
        }
        for (uint32_t k = 1; k < n; k++) {
            char text[16];
            const size_t n_text = (size_t)snprintf(text, sizeof text, "%d", (int)(k - 1) * 7919);
            cr_assert_eq(rs_text_of(&texts, text, n_text), k);
            cr_assert_str_eq(texts.list[k].text, text);
        }
        n_all += n == TEXTS + 1;
    }
    cr_assert_gt(n_all, 3);
}

Test(containers, texts_are_added_in_their_order) {
    static const char *const list[] = {"a", "", "c", "a", "d"};
    rs_texts texts;
    cr_assert(rs_texts_begin(&texts, &heap, list, 5));
    cr_assert(texts.n == 4 && rs_text_of(&texts, "c", 1) == 2 && rs_text_find(&texts, "d", 1) == 3);
    cr_assert_eq(rs_text_find(&texts, "e", 1), RS_NO_TEXT);
    texts = (rs_texts){.heap = &heap};
    cr_assert_eq(rs_text_find(&texts, "a", 1), RS_NO_TEXT);
}

/* ------------------------------------------------------------------ orders */

typedef struct item {
    int32_t a;
    uint64_t b;
    double c;
} item;
RS_ORDER(by_all, item, a, b, c);
RS_ORDER(by_one, item, b);

Test(containers, items_are_ordered_by_one_member_after_another) {
    enum { KINDS = 3 };
    static const item least = {-1, 0, -0.5};
    for (int i = 0; i < KINDS * KINDS * KINDS; i++) {
        for (int k = 0; k < KINDS * KINDS * KINDS; k++) {
            const item left = {least.a + i / 9, (uint64_t)i / 3 % 3, least.c + i % 3};
            const item right = {least.a + k / 9, (uint64_t)k / 3 % 3, least.c + k % 3};
            const int order = by_all(&left, &right), one = by_one(&left, &right);
            cr_assert((order > 0) == (i > k) && (order < 0) == (i < k), "%d %d", i, k);
            cr_assert((one > 0) == (left.b > right.b) && (one < 0) == (left.b < right.b));
        }
    }
}

/* What is hashed before a text is no part of it: none of these pairs is another one. */
Test(containers, a_hash_that_goes_on_keeps_what_came_before_apart) {
    enum { BEFORE = 64, TEXTS = 64, PAIRS = BEFORE * TEXTS };
    static int64_t all[PAIRS];
    for (size_t n_bytes = 1; n_bytes <= 9; n_bytes++) {
        for (int i = 0; i < PAIRS; i++) {
            char text[9] = "hosts-12";
            text[n_bytes - 1] = (char)(i % TEXTS);
            all[i] = (int64_t)rs_hash((uint64_t)(i / TEXTS), text, n_bytes);
        }
        qsort(all, PAIRS, sizeof *all, rs_by_int64);
        for (int i = 1; i < PAIRS; i++) cr_assert_neq(all[i], all[i - 1], "%d bytes", (int)n_bytes);
    }
}
