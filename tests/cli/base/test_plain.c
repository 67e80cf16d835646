/* test_plain.c: what came from outside is printed without what a terminal would obey. */
#include "base/text.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const char *text, bool one_line, const char *wanted) {
    char out[64];
    cr_assert_str_eq(rc_plain(text, one_line, out, sizeof out), wanted);
}

Test(plain, leaves_words_in_any_script_alone) {
    expect("", true, "");
    expect("ring.sched", true, "ring.sched");
    expect("5\xc2\xb5s \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x92\xa1", true,
           "5\xc2\xb5s \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x92\xa1");
}

Test(plain, takes_out_what_a_terminal_would_obey) {
    expect("a\033[31m\r\n\tb\x7f", true, "a?[31m???b?");
    expect("a\xc2\x9b"
           "31m",
           true, "a?31m"); /* the same escape beyond ASCII */
    expect("a\xe2\x80\xae"
           "b\xe2\x81\xa6"
           "c",
           true, "a?b?c");                              /* marks that turn the reading direction */
    expect("a\033\xc2\x9b\n\tb\r", false, "a??\n\tb?"); /* of several lines */
    expect("a\xef\xbf\xbe", true, "a?");                /* U+FFFE is no character, and ends XML */
}

Test(plain, takes_out_what_is_no_utf8) {
    static const char *const bad[] = {
        "\xff",             /* never */
        "\x80",             /* a middle without a beginning */
        "\xc3",             /* cut short */
        "\xc0\xaf",         /* overlong */
        "\xe0\x80\xaf",     /* overlong */
        "\xed\xa0\x80",     /* half a pair */
        "\xf4\x90\x80\x80", /* past the last character */
        "\xe4\xb8",         /* cut short */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char wanted[8] = "????";
        wanted[strlen(bad[i])] = '\0';
        expect(bad[i], false, wanted);
    }
}

Test(plain, cuts_between_characters) {
    char out[4];
    cr_assert_str_eq(rc_plain("ab\xc3\xa9", true, out, sizeof out), "ab");
    cr_assert_str_eq(rc_plain("\xe4\xb8\xad", true, out, sizeof out), "\xe4\xb8\xad");
    cr_assert_str_eq(rc_plain("\xf0\x9f\x92\xa1", true, out, sizeof out), "");
}
