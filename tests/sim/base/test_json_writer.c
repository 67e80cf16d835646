/* test_json_writer.c: JSON as it is written: commas, brackets, texts, numbers. */
#include "ringsim_print.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was written, and in how many pieces it came. */
static char text[1 << 16];
static size_t n_text, n_pieces;

static void take(void *context, const char *bytes, size_t n_bytes) {
    (void)context;
    cr_assert_lt(n_text + n_bytes, sizeof text);
    memcpy(text + n_text, bytes, n_bytes);
    n_text += n_bytes;
    n_pieces++;
}

static rs_json begin(void) {
    rs_json json;
    n_text = n_pieces = 0;
    rs_json_begin(&json, take, NULL);
    return json;
}

static const char *end(rs_json *json) {
    rs_json_end(json);
    text[n_text] = '\0';
    return text;
}

/* ------------------------------------------------------------------ nesting */

Test(json_writer, sets_commas_keys_and_brackets) {
    rs_json json = begin();
    rs_json_object(&json, NULL);
    rs_json_integers(&json, {"a", 1}, {"b", -2});
    rs_json_array(&json, "c");
    rs_json_array(&json, NULL);
    rs_json_close(&json);
    rs_json_object(&json, NULL);
    rs_json_close(&json);
    rs_json_bool(&json, NULL, true);
    rs_json_null(&json, NULL);
    rs_json_close(&json);
    rs_json_bool(&json, "d", false);
    rs_json_close(&json);
    rs_json_newline(&json);
    cr_expect_str_eq(end(&json), "{\"a\":1,\"b\":-2,\"c\":[[],{},true,null],\"d\":false}\n");
}

Test(json_writer, writes_lists_of_each_width) {
    rs_json json = begin();
    rs_json_array(&json, NULL);
    rs_json_i32s(&json, NULL, (int32_t[]){-1, 2}, 2);
    rs_json_u32s(&json, NULL, (uint32_t[]){UINT32_MAX}, 1);
    rs_json_i64s(&json, NULL, (int64_t[]){INT64_MIN, INT64_MAX}, 2);
    rs_json_i64s(&json, NULL, NULL, 0);
    rs_json_close(&json);
    cr_expect_str_eq(end(&json),
                     "[[-1,2],[4294967295],[-9223372036854775808,9223372036854775807],[]]");
}

Test(json_writer, gives_items_lines_of_their_own) {
    for (int ended = 0; ended < 2; ended++) { /* each item ends its line, or only the list does */
        rs_json json = begin();
        rs_json_lines(&json, NULL);
        for (int i = 0; i < 2; i++) {
            rs_json_object(&json, NULL);
            rs_json_i32s(&json, "n", (int32_t[]){i, i}, 2);
            rs_json_close(&json);
            if (ended == 1) rs_json_newline(&json);
        }
        rs_json_close(&json);
        cr_expect_str_eq(end(&json), ended == 1 ? "[\n{\"n\":[0,0]}\n,\n{\"n\":[1,1]}\n]"
                                                : "[\n{\"n\":[0,0]},\n{\"n\":[1,1]}\n]");
    }
    rs_json json = begin();
    rs_json_lines(&json, NULL);
    rs_json_close(&json);
    cr_expect_str_eq(end(&json), "[\n]");
}

Test(json_writer, a_member_without_a_key_is_our_bug, .signal = SIGABRT) {
    rs_json json = begin();
    rs_json_object(&json, NULL);
    rs_json_integer(&json, NULL, 1);
}

Test(json_writer, an_item_with_a_key_is_our_bug, .signal = SIGABRT) {
    rs_json json = begin();
    rs_json_array(&json, NULL);
    rs_json_integer(&json, "key", 1);
}

Test(json_writer, what_is_left_open_is_our_bug, .signal = SIGABRT) {
    rs_json json = begin();
    rs_json_array(&json, NULL);
    rs_json_end(&json);
}

/* ------------------------------------------------------------------ texts */

static const char *quoted(const char *bytes, size_t n_bytes) {
    rs_json json = begin();
    rs_json_bytes(&json, NULL, bytes, n_bytes);
    return end(&json);
}

Test(json_writer, escapes_what_json_does_not_take) {
    static const char odd[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
    for (int c = 0; c < 0x80; c++) {
        const char byte[] = {'a', (char)c, 'z'};
        const char *found = c == 0 ? NULL : strchr(odd, c);
        char want[16];
        snprintf(want, sizeof want, "\"a%cz\"", c);
        if (c < ' ') snprintf(want, sizeof want, "\"a\\u%04xz\"", (unsigned)c);
        if (c == 0) snprintf(want, sizeof want, "\"a?z\"");
        if (found != NULL) snprintf(want, sizeof want, "\"a\\%cz\"", letters[found - odd]);
        cr_expect_str_eq(quoted(byte, 3), want, "%d", c);
    }
}

Test(json_writer, writes_utf8_whatever_a_text_holds) {
    static const struct {
        const char *from, *to;
    } texts[] = {
        {"\xe7\x8e\xaf \xf0\x9f\x92\xa1 \xc2\x80", "\xe7\x8e\xaf \xf0\x9f\x92\xa1 \xc2\x80"},
        {"a\xff\xfe"
         "b",
         "a??b"},
        {"\xc0\x80\xc3 ", "??? "},                 /* too long a form; cut short by another */
        {"\xed\xa0\x80", "???"},                   /* half of a pair */
        {"\xf4\x90\x80\x80", "????"},              /* beyond the last character */
        {"\xe7\x8e", "??"},                        /* cut short by the end */
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"}}; /* the last character */
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "\"%s\"", texts[i].to);
        cr_expect_str_eq(quoted(texts[i].from, strlen(texts[i].from)), wanted);
    }
    cr_expect_str_eq(quoted("a\0b", 3), "\"a?b\"");
    cr_expect_str_eq(quoted("\xe7\x8e\xaf", 2), "\"??\"", "nothing behind the end is read");
}

Test(json_writer, a_key_is_escaped_too_and_no_text_is_null) {
    rs_json json = begin();
    rs_json_object(&json, NULL);
    rs_json_text(&json, "a\"b", "");
    rs_json_text(&json, "c", NULL);
    rs_json_close(&json);
    cr_expect_str_eq(end(&json), "{\"a\\\"b\":\"\",\"c\":null}");
}

/* ------------------------------------------------------------------ numbers */

Test(json_writer, writes_every_integer_whole) {
    rs_json json = begin();
    rs_json_array(&json, NULL);
    rs_json_integer(&json, NULL, 0);
    rs_json_integer(&json, NULL, INT64_MIN);
    rs_json_unsigned(&json, NULL, UINT64_MAX);
    rs_json_known(&json, NULL, 0);
    rs_json_known(&json, NULL, -1);
    rs_json_close(&json);
    cr_expect_str_eq(end(&json), "[0,-9223372036854775808,18446744073709551615,0,null]");
}

Test(json_writer, writes_fractions_and_null_for_what_is_none) {
    rs_json json = begin();
    rs_json_array(&json, NULL);
    rs_json_number(&json, NULL, 2.0 / 3, 6);
    rs_json_number(&json, NULL, 1234567890, 9);
    rs_json_number(&json, NULL, NAN, 6);
    rs_json_fixed(&json, NULL, 0.125, 2);
    rs_json_fixed(&json, NULL, -1e300, 1);
    rs_json_fixed(&json, NULL, INFINITY, 6);
    rs_json_real(&json, NULL, -INFINITY);
    rs_json_close(&json);
    static const char wanted[] = "[0.666667,1.23456789e+09,null,0.12,-1000000000";
    const char *written = end(&json);
    cr_expect_eq(strncmp(written, wanted, sizeof wanted - 1), 0, "%s", written);
    cr_expect_str_eq(written + n_text - 13, ".0,null,null]");
}

Test(json_writer, writes_millionths_exactly) {
    rs_json json = begin();
    rs_json_array(&json, NULL);
    rs_json_millionths(&json, NULL, 0);
    rs_json_millionths(&json, NULL, 1);
    rs_json_millionths(&json, NULL, -1500001);
    rs_json_millionths(&json, NULL, INT64_MAX);
    rs_json_close(&json);
    cr_expect_str_eq(end(&json), "[0.000000,0.000001,-1.500001,9223372036854.775807]");
}

static const char *real(double value) {
    rs_json json = begin();
    rs_json_real(&json, NULL, value);
    return end(&json);
}

Test(json_writer, a_real_number_reads_back_as_itself_or_its_neighbour) {
    cr_expect_str_eq(real(8), "8");
    cr_expect_str_eq(real(0.1), "0.1");
    cr_expect_str_eq(real(1e15), "1e+15");
    cr_expect_str_eq(real(1.0 / 3), "0.33333333333333331");
    cr_expect_str_eq(real(1 + 0x1p-52), "1", "the neighbour");
    srand(1);
    for (int i = 0; i < 100000; i++) {
        const double value = ldexp(rand() / 3.0, rand() % 200 - 100);
        const double read = strtod(real(value), NULL);
        cr_assert(fabs(read - value) <= value * 0x1p-52, "%a became %a", value, read);
    }
}

/* ------------------------------------------------------------------ the sink */

Test(json_writer, long_texts_arrive_whole_and_in_pages) {
    static char word[10000];
    memset(word, 'x', sizeof word - 1);
    rs_json json = begin();
    rs_json_array(&json, NULL);
    for (int i = 0; i < 3; i++) rs_json_text(&json, NULL, word);
    for (int i = 0; i < 1000; i++) rs_json_integer(&json, NULL, i);
    rs_json_close(&json);
    const char *at = end(&json);
    cr_expect_leq(n_pieces, n_text / 4000 + 1);
    cr_expect_eq(*at++, '[');
    for (int i = 0; i < 3; i++, at += sizeof word + 2) {
        cr_expect(at[0] == '"' && memcmp(at + 1, word, sizeof word - 1) == 0);
        cr_expect(at[sizeof word] == '"' && at[sizeof word + 1] == ',');
    }
    for (int i = 0; i < 1000; i++, at++) {
        char *after;
        cr_assert_eq(strtol(at, &after, 10), i);
        at = after;
    }
    cr_expect_str_eq(at, "");
}

Test(json_writer, pages_take_pieces_longer_than_themselves) {
    static char word[10000];
    rs_printer out = {.write = take};
    memset(word, 'y', sizeof word - 1);
    n_text = n_pieces = 0;
    rs_printer_put(&out, "a");
    rs_printer_put(&out, word);
    rs_printer_put(&out, "b");
    rs_printer_flush(&out);
    rs_printer_flush(&out);
    cr_expect_eq(n_text, sizeof word + 1);
    cr_expect_eq(n_pieces, 3, "the page before, the piece, the page behind");
    cr_expect(text[0] == 'a' && text[1] == 'y' && text[sizeof word - 1] == 'y');
    cr_expect_eq(text[sizeof word], 'b');
}
