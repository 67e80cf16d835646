/* test_error.c: a message in English is what printf writes, and in another language the same values stand where that
 * language has them. */
#include <criterion/criterion.h>

#include <string.h>

#include "ringsim.h"

/* A language that reads backwards. */
static const char *translate(const char *id) {
    static const char *const pairs[][2] = {
        {"%s must lie in %d..%d", "between %2$d and %3$d lies %1$s"},
        {"the number of ranks", "ranks' number"},
        {"%lld of %zu, %.2f, %.3s, %c, %x: 100 %%", "100 %% :%6$x %5$c %4$.3s %3$.2f %2$zu %1$lld"},
        {"line %lld, column %lld: ", "(%lld|%lld) "},
        {"a and %s", "%s, and a, %s"},
        {"line %lld: ", "(%lld) "},
        {"%s among %d", "of %2$d: %1$s"},
        {"chunk %d of %s", "%2$s's chunk %1$d"},
        {"all", "everybody"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (strcmp(id, pairs[i][0]) == 0) return pairs[i][1];
    }
    return id;
}

static const char *said(const rs_error *error) {
    static char out[RS_ERROR_TEXT];
    return rs_error_said(error, translate, out, sizeof out);
}

Test(error, keeps_as_much_of_a_text_as_its_conversion_says) {
    char text[301];
    rs_error e;
    memset(text, 'x', sizeof text);
    text[300] = '\0';
    rs_fail(&e, RS_OK, "%.200s|%.9s|%s", text, text, "y");
    cr_expect_eq(strlen(e.text), 200 + 1 + 9 + 1 + 1);
    cr_expect_str_eq(said(&e), e.text);
}

Test(error, has_its_values_where_the_language_has_them) {
    rs_error e;
    cr_expect_eq(rs_fail(&e, RS_TOO_LARGE, "%s must lie in %d..%d", "the number of ranks", 1, 9),
                 RS_TOO_LARGE);
    cr_expect_str_eq(e.text, "the number of ranks must lie in 1..9");
    cr_expect_str_eq(said(&e), "between 1 and 9 lies the number of ranks");
    rs_fail_word(&e, RS_BAD_INPUT, 0, "%s must lie in %d..%d", "the number of ranks", 1, 9);
    cr_expect_str_eq(e.text, "the number of ranks must lie in 1..9");
    cr_expect_str_eq(said(&e), "between 1 and 9 lies ranks' number");
    rs_fail(&e, RS_OK, "%lld of %zu, %.2f, %.3s, %c, %x: 100 %%", -5LL, (size_t)7, 2.0 / 3,
            "abcdef", '!', 255U);
    cr_expect_str_eq(e.text, "-5 of 7, 0.67, abc, !, ff: 100 %");
    cr_expect_str_eq(said(&e), "100 % :ff ! abc 0.67 7 -5");
}

Test(error, stands_behind_its_place) {
    rs_error e;
    rs_fail(&e, RS_BAD_INPUT, "a and %s", "b");
    rs_error_at(&e, 3, 14);
    cr_expect_str_eq(e.text, "line 3, column 14: a and b");
    cr_expect(e.line == 3 && e.column == 14);
    cr_expect_str_eq(said(&e), "(3|14) b, and a, "); /* a value too many is empty */
    rs_fail(&e, RS_BAD_INPUT, "no values");
    cr_expect_str_eq(said(&e), "no values");
    cr_expect_eq(rs_fail(NULL, RS_BAD_INPUT, "%d", 1), RS_BAD_INPUT);
    rs_error_at(NULL, 1, 1);
}

Test(error, may_hold_another_one_with_its_values) {
    rs_error inner, e;
    rs_fail_word(&inner, RS_BAD_INPUT, 1, "chunk %d of %s", 3, "all");
    cr_expect_eq(rs_fail_with(&e, RS_TOO_LARGE, 0, &inner, "%s among %d", inner.text, 5),
                 RS_TOO_LARGE);
    cr_expect_str_eq(e.text, "chunk 3 of all among 5");
    cr_expect_str_eq(said(&e), "of 5: everybody's chunk 3");
    inner = e;
    rs_fail_with(&e, RS_BAD_INPUT, 0, &inner, "%s among %d", inner.text, 7);
    rs_error_at(&e, 4, 0);
    rs_error_in(&e, "p.xml");
    cr_expect_str_eq(e.text, "p.xml: line 4: chunk 3 of all among 5 among 7");
    cr_expect_str_eq(said(&e), "p.xml: (4) of 7: of 5: everybody's chunk 3");
    inner = (rs_error){.text = "in the reader's language already"};
    rs_fail_with(&e, RS_BAD_INPUT, 0, &inner, "%s among %d", inner.text, 7);
    cr_expect_str_eq(said(&e), "of 7: in the reader's language already");
}

/* A text of somebody else's that begins like a message's mark is none. */
Test(error, takes_no_text_for_a_message) {
    rs_error e;
    rs_fail(&e, RS_BAD_INPUT, "%s among %d", "\1all", 5);
    cr_expect_str_eq(said(&e), "of 5: ?all");
    rs_fail(&e, RS_BAD_INPUT, "%s among %d", "\2chunk %d of %s", 5);
    cr_expect_str_eq(said(&e), "of 5: ?chunk %d of %s");
}

/* What is too long is cut, in English and in the other language, and always ends. */
Test(error, of_any_length_ends) {
    char text[2 * RS_ERROR_TEXT + 1];
    for (int n = 0; n <= 2 * RS_ERROR_TEXT; n += 1 + n / 9) {
        rs_error e;
        char small[40];
        memset(text, 'x', sizeof text);
        text[n] = '\0';
        rs_fail(&e, RS_BAD_INPUT, "%s must lie in %d..%d", text, 1, 9);
        rs_error_at(&e, 1, 1);
        cr_expect_lt(strlen(e.text), RS_ERROR_TEXT);
        cr_expect_lt(strlen(said(&e)), RS_ERROR_TEXT);
        cr_expect_lt(strlen(rs_error_said(&e, translate, small, sizeof small)), sizeof small);
        if (n < 100)
            cr_expect_eq(strlen(said(&e)), (size_t)n + strlen("(1|1) between 1 and 9 lies "));
    }
}
