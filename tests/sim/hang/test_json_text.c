/* test_json_text.c: every sign that JSON can name by four digits is read as its UTF-8, and every sign behind a backslash.
 */
#include "hang/dump_values.h"

#include <criterion/criterion.h>
#include <stdio.h>
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
    cr_assert(rs_texts_begin(&words, &heap));
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

static void expect(const rs_datum *datum, const void *bytes, size_t n, unsigned sign) {
    cr_assert_eq(datum->kind, RS_DATUM_TEXT);
    const rs_text *read = &words.list[datum->word];
    cr_assert(read->n_bytes == n + 2 && read->text[0] == 'a' && read->text[n + 1] == 'z' &&
                  memcmp(read->text + 1, bytes, n) == 0,
              "sign %x: %d bytes", sign, (int)read->n_bytes);
}

Test(json_text, four_digits_are_a_sign_of_one_to_three_bytes) {
    rs_datum top;
    bool cut = false;
    text[n_text++] = '[';
    for (unsigned sign = 1; sign < SIGNS; sign++) {
        n_text += (size_t)snprintf(text + n_text, ROOM - n_text,
                                   sign % 2 ? "%s\"a\\u%04xz\"" : "%s\"a\\u%04Xz\"",
                                   sign > 1 ? "," : "", sign);
    }
    text[n_text++] = ']';
    cr_assert_eq(rs_read_json(text, n_text, &words, &error, &top, &cut), RS_OK, "%s", error.text);
    cr_assert(top.kind == RS_DATUM_LIST && top.items->n == SIGNS - 1 && !cut);
    for (unsigned sign = 1; sign < SIGNS; sign++) {
        unsigned char bytes[3];
        expect(&top.items->at[sign - 1], bytes, utf8(sign, bytes), sign);
    }
}

Test(json_text, a_sign_behind_a_backslash_is_what_it_stands_for) {
    static const char signs[] = "bfnrt\"\\/", meant[] = "\b\f\n\r\t\"\\/";
    rs_datum top;
    bool cut = false;
    text[n_text++] = '[';
    for (int i = 0; i < 8; i++) {
        n_text += (size_t)snprintf(text + n_text, ROOM - n_text, "%s\"a\\%cz\"", i > 0 ? "," : "",
                                   signs[i]);
    }
    text[n_text++] = ']';
    cr_assert_eq(rs_read_json(text, n_text, &words, &error, &top, &cut), RS_OK, "%s", error.text);
    for (unsigned i = 0; i < 8; i++) expect(&top.items->at[i], &meant[i], 1, i);
}
