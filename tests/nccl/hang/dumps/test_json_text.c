/* test_json_text.c: every sign that JSON can name by four digits is read as its UTF-8, and every sign behind a backslash; of a
 * text that ends anywhere it is known which lists and dictionaries are not whole.
 */
#include "hangs/dump_values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNS = 0x10000, ROOM = 16 * SIGNS };

static rs_arena arena;
static rs_heap heap;
static rs_texts words;
static rs_error error;
static char text[ROOM];
static size_t n_text;

static void start(void) {
    rs_arena_init(&arena, NULL);
    heap = (rs_heap){.arena = &arena};
    cr_assert(rs_texts_begin(&words, &heap, NULL, 0));
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(json_text, .init = start, .fini = stop);

/* Seven bits in one byte, eleven in two, sixteen in three; all but the first byte hold six. */
static size_t utf8(unsigned sign, unsigned char out[3]) {
    static const unsigned char first[4] = {0, 0, 0xc0, 0xe0};
    const size_t n = sign < 1U << 7 ? 1 : sign < 1U << 11 ? 2 : 3;
    for (size_t i = n; i-- > 1; sign >>= 6) out[i] = (unsigned char)(0x80 + sign % 64);
    out[0] = (unsigned char)(first[n] + sign);
    return n;
}

static void expect(const rn_datum *datum, const void *bytes, size_t n, unsigned sign) {
    cr_assert_eq(datum->kind, RN_DATUM_TEXT);
    const rs_text *read = &words.list[datum->word];
    cr_assert(read->n_bytes == n + 2 && read->text[0] == 'a' && read->text[n + 1] == 'z' &&
                  memcmp(read->text + 1, bytes, n) == 0,
              "sign %x: %d bytes", sign, (int)read->n_bytes);
}

Test(json_text, four_digits_are_a_sign_of_one_to_three_bytes) {
    rn_datum top;
    bool cut = false;
    text[n_text++] = '[';
    for (unsigned sign = 1; sign < SIGNS; sign++) {
        n_text += (size_t)snprintf(text + n_text, ROOM - n_text,
                                   sign % 2 ? "%s\"a\\u%04xz\"" : "%s\"a\\u%04Xz\"",
                                   sign > 1 ? "," : "", sign);
    }
    text[n_text++] = ']';
    cr_assert_eq(rn_read_json(text, n_text, &words, &error, &top, &cut), RS_OK, "%s", error.text);
    cr_assert(top.kind == RN_DATUM_LIST && top.items->n == SIGNS - 1 && !cut);
    for (unsigned sign = 1; sign < SIGNS; sign++) {
        unsigned char bytes[3];
        expect(&top.items->at[sign - 1], bytes, utf8(sign, bytes), sign);
    }
}

Test(json_text, a_sign_behind_a_backslash_is_what_it_stands_for) {
    static const char signs[] = "bfnrt\"\\/", meant[] = "\b\f\n\r\t\"\\/";
    rn_datum top;
    bool cut = false;
    text[n_text++] = '[';
    for (int i = 0; i < 8; i++) {
        n_text += (size_t)snprintf(text + n_text, ROOM - n_text, "%s\"a\\%cz\"", i > 0 ? "," : "",
                                   signs[i]);
    }
    text[n_text++] = ']';
    cr_assert_eq(rn_read_json(text, n_text, &words, &error, &top, &cut), RS_OK, "%s", error.text);
    for (unsigned i = 0; i < 8; i++) expect(&top.items->at[i], &meant[i], 1, i);
}

/* Whatever is no such digit counts as 0; behind fewer than four signs the letter stands for itself. */
Test(json_text, signs_that_are_no_digits_count_as_nothing) {
    static const char others[] = "gzGZ/:@`xX -";
    rn_datum top;
    bool cut = false;
    n_text += (size_t)snprintf(text, ROOM, "[\"u\\u12\"");
    for (unsigned i = 0; i < 4 * (sizeof others - 1); i++) {
        char digits[5] = "1111";
        digits[i % 4] = others[i / 4];
        n_text += (size_t)snprintf(text + n_text, ROOM - n_text, ",\"a\\u%sz\"", digits);
    }
    text[n_text++] = ']';
    cr_assert_eq(rn_read_json(text, n_text, &words, &error, &top, &cut), RS_OK, "%s", error.text);
    const rs_text *first = &words.list[top.items->at[0].word];
    cr_assert(first->n_bytes == 4 && memcmp(first->text, "uu12", 4) == 0);
    for (unsigned i = 0; i < 4 * (sizeof others - 1); i++) {
        const unsigned sign = 0x1111 & ~(0xf000u >> 4 * (i % 4));
        unsigned char bytes[3];
        expect(&top.items->at[i + 1], bytes, utf8(sign, bytes), sign);
    }
}

/* ------------------------------------------------------------------ texts that end too early */

enum { MOST = 200 };

static uint64_t state;
static size_t
    ends[MOST]; /* where each list and dictionary is closed, in the order of their beginnings */
static int n_made, n_seen;

static int draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % below);
}

static void add(const char *piece) {
    if (draw(3) == 0) text[n_text++] = " \t\r\n"[draw(4)];
    memcpy(text + n_text, piece, strlen(piece));
    n_text += strlen(piece);
}

static void add_value(int depth) {
    static const char *const plain[] = {"1", "-2.5", "true", "null", "\"a]}\"", "\"\\\"\"", "NaN"};
    const bool dict = draw(2);
    if ((depth > 0 && draw(3) == 0) || depth > 5 || n_made > MOST - 10) {
        add(plain[draw(7)]);
        return;
    }
    const int own = n_made++;
    add(dict ? "{" : "[");
    for (int i = 0, n = draw(4); i < n; i++) {
        if (i > 0) add(",");
        if (dict) add("\"k\""), add(":");
        add_value(depth + 1);
    }
    add(dict ? "}" : "]");
    ends[own] = n_text;
}

static void walk(const rn_datum *datum, size_t n) {
    if (datum->kind != RN_DATUM_LIST && datum->kind != RN_DATUM_DICT) return;
    cr_assert_lt(n_seen, n_made);
    cr_assert_eq(datum->items->partial, ends[n_seen] > n, "%d of %d bytes, list %d", (int)n,
                 (int)n_text, n_seen);
    n_seen++;
    const bool dict = datum->kind == RN_DATUM_DICT;
    for (uint32_t i = dict; i < datum->items->n; i += 1 + dict) walk(&datum->items->at[i], n);
}

Test(json_text, what_is_not_whole_is_known_wherever_it_ends) {
    for (uint64_t seed = 1; seed <= 150; seed++) {
        state = seed * 0x9e3779b97f4a7c15;
        n_text = 0;
        n_made = 0;
        add_value(0);
        for (size_t n = 0; n <= n_text; n++) {
            rn_datum top;
            bool cut = false;
            stop(); /* words stand in the text that was read */
            start();
            char *exact = malloc(n + 1);
            cr_assert_not_null(exact);
            memcpy(exact, text, n);
            const rs_status status = rn_read_json(exact, n, &words, &error, &top, &cut);
            const bool begun = memchr(exact, '[', n) != NULL || memchr(exact, '{', n) != NULL;
            cr_assert_eq(status, begun ? RS_OK : RS_BAD_INPUT);
            cr_assert(begun || strcmp(error.text, "it ends before anything is in it") == 0);
            cr_assert_eq(cut, n < ends[0]);
            n_seen = 0;
            if (begun) walk(&top, n);
            free(exact);
        }
    }
    static const char *const early[] = {"", " ", "nul", "\n\t", "tru", "\"a", "-Infinit", "\"a\\"};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        rn_datum top;
        bool cut = false;
        const size_t n = strlen(early[i]);
        cr_expect_eq(rn_read_json(early[i], n, &words, &error, &top, &cut), RS_BAD_INPUT);
        cr_expect_str_eq(error.text, "it ends before anything is in it", "%s", early[i]);
    }
}
