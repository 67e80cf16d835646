/* test_word_table.c: the hash table that words are counted in. */
#include "systems/mapreduce/word_table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static rs_arena arena;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(word_table, .init = start, .fini = stop);

/* Counts a word, with whatever hash; the table grows when it must. */
static rs_word_entry *count(rs_words *words, const char *text, size_t n_bytes, uint32_t hash) {
    if (words->n_slots == 0) cr_assert(rs_words_grow(words, &arena));
    for (;;) {
        rs_word_entry **slot = rs_words_find(words, text, n_bytes, hash);
        rs_word_entry *entry =
            *slot != NULL ? *slot : rs_words_add(words, slot, text, n_bytes, hash);
        if (entry != NULL) {
            entry->count++;
            return entry;
        }
        cr_assert(rs_words_grow(words, &arena));
    }
}

Test(word_table, words_of_one_hash_stay_apart) {
    const char *const same[] = {"a", "b", "ab", "", "a\0b", "a\0c"};
    const size_t n_bytes[] = {1, 1, 2, 0, 3, 3};
    rs_words words = {0};
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 6; i++) {
            const rs_word_entry *entry = count(&words, same[i], n_bytes[i], UINT32_MAX);
            cr_expect_eq(entry->count, round + 1);
            cr_expect_eq(entry->n_bytes, n_bytes[i]);
            cr_expect_eq(memcmp(entry->text, same[i], n_bytes[i]), 0);
        }
    }
    cr_expect_eq(words.n_used, 6);
}

/* All hashes fall into a few slots at the table's end, so that looking goes on at its front. */
Test(word_table, finds_all_words_after_it_has_grown_and_moves_none) {
    enum { N = 9000 };
    static const rs_word_entry *entries[N];
    rs_words words = {0};
    char text[16];
    for (unsigned i = 0; i < N; i++) {
        const int n = snprintf(text, sizeof text, "w%x", i);
        entries[i] =
            count(&words, text, (size_t)n, i % 2 == 0 ? UINT32_MAX - i % 8 : i * 2654435761);
    }
    cr_expect_eq(words.n_used, N);
    cr_expect_geq(words.n_slots, 2 * N);
    for (unsigned i = 0; i < N; i++) {
        const int n = snprintf(text, sizeof text, "w%x", i);
        const uint32_t hash = i % 2 == 0 ? UINT32_MAX - i % 8 : i * 2654435761;
        cr_assert_eq(*rs_words_find(&words, text, (size_t)n, hash), entries[i]);
    }
}

Test(word_table, holds_the_longest_words) {
    enum { LONGEST = UINT16_MAX, N = 20 };
    static char text[LONGEST];
    rs_words words = {0};
    for (int i = 0; i < N; i++) {
        memset(text, 'x', sizeof text);
        text[LONGEST - 1] = (char)('a' + i);
        count(&words, text, sizeof text, 7);
    }
    cr_expect_eq(words.n_used, N);
    cr_expect_eq((*rs_words_find(&words, text, sizeof text, 7))->count, 1);
    cr_expect_null(*rs_words_find(&words, text, sizeof text - 1, 7));
}

Test(word_table, tables_share_an_entry) {
    rs_words first = {0}, second = {0};
    rs_word_entry *entry = count(&first, "hello", 5, 3);
    count(&second, "world", 5, 3);
    cr_expect(rs_words_put(&second, rs_words_find(&second, "hello", 5, 3), entry));
    cr_expect_eq(*rs_words_find(&second, "hello", 5, 3), entry);
    cr_expect_eq(second.n_used, 2);
}

Test(word_table, stays_as_it_is_where_memory_is_short) {
    rs_words words = {0};
    rs_arena none;
    rs_arena_init(&none, NULL);
    none.limit_bytes = 1;
    cr_expect_not(rs_words_grow(&words, &none));
    cr_expect_null(words.slots);
    cr_assert(rs_words_grow(&words, &arena));
    cr_expect_not(rs_words_grow(&words, &none));
    rs_word_entry **slot = rs_words_find(&words, "a", 1, 0);
    cr_expect_null(rs_words_add(&words, slot, "a", 1, 0));
    cr_expect_null(*slot);
    cr_expect_eq(count(&words, "a", 1, 0)->count, 1);
}
