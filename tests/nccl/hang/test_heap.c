/* test_heap.c: small pieces of memory: they lie apart, aligned, zeroed where asked for; lists grow and keep what they hold; and
 * where there is no memory it is known ever after.
 */
#include "hang/dumps/data_tree.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { PIECES = 3000, LARGEST = 6000, ITEMS = 5000 };

static rs_arena arena;
static rn_heap heap;
static uint64_t state;

static void start(void) {
    rs_arena_init(&arena, NULL);
    heap = (rn_heap){.arena = &arena};
    state = 1;
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(heap, .init = start, .fini = stop);

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}

/* Each piece is filled with a byte of its own; whatever another one wrote into it shows at the end. */
Test(heap, pieces_lie_apart_and_are_zeroed_where_asked_for) {
    static unsigned char *pieces[PIECES];
    static size_t sizes[PIECES];
    size_t all = 0;
    for (int i = 0; i < PIECES; i++) {
        sizes[i] = draw(4) ? draw(40) : draw(LARGEST);
        const bool zeroed = draw(2);
        pieces[i] = zeroed ? rn_heap_zeros(&heap, sizes[i]) : rn_heap_take(&heap, sizes[i]);
        cr_assert_not_null(pieces[i]);
        cr_assert_eq((uintptr_t)pieces[i] % 16, 0);
        for (size_t k = 0; k < sizes[i] && zeroed; k++) cr_assert_eq(pieces[i][k], 0);
        memset(pieces[i], i % 251 + 1, sizes[i]);
        all += sizes[i] + 16;
    }
    for (int i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < sizes[i]; k++) cr_assert_eq(pieces[i][k], i % 251 + 1);
    }
    cr_assert_not(heap.failed);
    cr_assert(arena.n_bytes < 2 * all + (1 << 20), "%d for %d", (int)arena.n_bytes, (int)all);
}

/* What was used before is zeroed again. */
Test(heap, zeroes_memory_that_is_not_fresh) {
    static char used[1024] __attribute__((aligned(16)));
    for (size_t n = 0; n <= 100; n++) {
        memset(used, 0x5a, sizeof used);
        heap = (rn_heap){.arena = &arena, .at = used, .left = sizeof used};
        const char *zeros = rn_heap_zeros(&heap, n);
        cr_assert_eq(zeros, used);
        for (size_t k = 0; k < n; k++) cr_assert_eq(zeros[k], 0);
        for (size_t k = (n + 15) / 16 * 16; k < sizeof used && n > 0; k++)
            cr_assert_eq(used[k], 0x5a);
    }
}

Test(heap, a_list_grows_and_keeps_its_items) {
    int64_t *list = NULL, room = 0, n_moves = 0;
    for (int64_t n = 0; n < ITEMS; n++) {
        const int64_t before = room;
        int64_t *longer = rn_heap_grow(&heap, list, n, &room, sizeof *list);
        cr_assert_not_null(longer);
        cr_assert_gt(room, n);
        cr_assert_eq(longer == list, n < before);
        n_moves += longer != list;
        list = longer;
        list[n] = n * n;
    }
    for (int64_t i = 0; i < ITEMS; i++) cr_assert_eq(list[i], i * i);
    cr_assert(n_moves < 16 && room < 3 * ITEMS, "%d moves", (int)n_moves);
}

/* From every amount of memory on the pieces end at some place; a list stays what it was. */
Test(heap, knows_that_there_was_no_memory) {
    static char room[4096] __attribute__((aligned(16)));
    rs_arena none;
    rs_arena_init(&none, NULL);
    none.limit_bytes = 1;
    for (size_t left = 0; left <= 512; left += 16) {
        heap = (rn_heap){.arena = &none, .at = room, .left = left};
        for (size_t taken = 0; taken < left; taken += 32) {
            cr_assert_not(heap.failed);
            const char *place = rn_heap_take(&heap, left - taken < 32 ? 1 : 17);
            cr_assert_eq(place, room + taken);
        }
        cr_assert_not(heap.failed);
        cr_assert_null(left % 64 ? rn_heap_take(&heap, 1) : rn_heap_zeros(&heap, 1));
        cr_assert(heap.failed);
        heap.at = room, heap.left = sizeof room;
        cr_assert_not_null(rn_heap_take(&heap, 0));
        cr_assert(heap.failed);
    }
    int64_t n_room = 7;
    char list[7] = "abcdef";
    heap = (rn_heap){.arena = &none};
    cr_assert_eq(rn_heap_grow(&heap, list, 6, &n_room, 1), list);
    cr_assert_null(rn_heap_grow(&heap, list, 7, &n_room, 1));
    cr_assert(n_room == 7 && heap.failed && strcmp(list, "abcdef") == 0);
}

/* Lengths come from files: those that no memory has are refused without a try. */
Test(heap, refuses_what_is_too_long) {
    const size_t longest = 8 * ((size_t)1 << 30) + 7;
    rs_arena small;
    rs_arena_init(&small, NULL);
    small.limit_bytes = 1 << 20;
    heap = (rn_heap){.arena = &small};
    cr_assert_null(rn_heap_take(&heap, longest + 1));
    cr_assert_null(rn_heap_take(&heap, SIZE_MAX));
    cr_assert_null(rn_heap_take(&heap, SIZE_MAX - 8));
    cr_assert(heap.failed && small.n_bytes == 0);
}

/* ------------------------------------------------------------------ texts */

/* From every amount of memory on: as many texts as there is room for, each with its number, and a copy that ends. */
Test(heap, texts_are_kept_as_long_as_there_is_memory) {
    static char room[1 << 16] __attribute__((aligned(16)));
    enum { TEXTS = 600 };
    int n_all = 0;
    rs_arena none;
    rs_arena_init(&none, NULL);
    none.limit_bytes = 1;
    for (size_t left = 0; left < sizeof room; left += left < 8192 ? 16 : 496) {
        rn_texts texts;
        uint32_t n = 1;
        memset(room, 0x5a, sizeof room);
        heap = (rn_heap){.arena = &none, .at = room, .left = left};
        if (!rn_texts_begin(&texts, &heap)) continue;
        for (int i = 0; i < TEXTS; i++) {
            char text[16];
            const size_t n_text = (size_t)snprintf(text, sizeof text, "%d", i * 7919);
            const int64_t number = rn_text_kept(&texts, text, n_text);
            cr_assert(number == n || number == RN_NO_TEXT);
            if (number == RN_NO_TEXT) break;
            memset(text, 'x', sizeof text);
            n++;
        }
        for (uint32_t k = 1; k < n; k++) {
            char text[16];
            const size_t n_text = (size_t)snprintf(text, sizeof text, "%d", (int)(k - 1) * 7919);
            cr_assert_eq(rn_text_of(&texts, text, n_text), k);
            cr_assert_str_eq(texts.list[k].text, text);
        }
        n_all += n == TEXTS + 1;
    }
    cr_assert_gt(n_all, 3);
}

Test(heap, texts_are_added_in_their_order) {
    static const char *const list[] = {"a", "", "c", "a", "d"};
    rn_texts texts;
    cr_assert(rn_texts_begin(&texts, &heap));
    cr_assert(rn_texts_add(&texts, list, 5));
    cr_assert(texts.n == 4 && rn_text_of(&texts, "c", 1) == 2 && rn_text_of(&texts, "d", 1) == 3);
}
