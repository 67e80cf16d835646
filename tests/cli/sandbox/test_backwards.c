/* test_backwards.c: of all pairs of short texts those are each other backwards that have the same first line
 * and then the same lines from the last to the first.
 */
#include "sandbox/answers.h"

#include <criterion/criterion.h>
#include <string.h>

enum { HEADS = 1, MOST = 16 };

/* Puts the lines of a text behind the heads in the other order: our own account. */
static void turn(const char *text, size_t n, char out[MOST]) {
    size_t begin[MOST + 1], n_lines = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || text[i - 1] == '\n') begin[n_lines++] = i;
    begin[n_lines] = n;
    for (size_t k = 0; k < n_lines; k++) {
        const size_t line = k < HEADS ? k : n_lines - 1 - (k - HEADS);
        for (size_t i = begin[line]; i < begin[line + 1]; i++) out[at++] = text[i];
    }
}

/* The text number `which` of this length, of some letters. */
static void spell(const char *letters, int which, size_t n, char *out) {
    const int n_letters = (int)strlen(letters);
    for (size_t i = 0; i < n; i++, which /= n_letters) out[i] = letters[which % n_letters];
}

static void try_all(const char *letters, size_t n) {
    char text[MOST], want[MOST], other[MOST];
    int n_texts = 1;
    for (size_t i = 0; i < n; i++) n_texts *= (int)strlen(letters);
    for (int a = 0; a < n_texts; a++) {
        spell(letters, a, n, text);
        turn(text, n, want);
        for (int b = 0; b < n_texts; b++) {
            spell(letters, b, n, other);
            cr_assert_eq(rc_is_backwards(text, n, other, n), memcmp(other, want, n) == 0,
                         "%.*s|%.*s", (int)n, text, (int)n, other);
        }
        cr_assert_not(rc_is_backwards(text, n, want, n - 1));
        cr_assert_not(rc_is_backwards(text, n - 1, want, n));
    }
}

Test(backwards, of_all_short_texts_only_those_in_the_other_order) {
    for (size_t n = 1; n <= 9; n++) try_all("a\n", n);
    for (size_t n = 1; n <= 6; n++) try_all("ab\n", n);
}

Test(backwards, a_text_of_some_lines_is_turned_line_by_line) {
    static const char heads[] = "abcde\n";
    char text[MOST], want[MOST];
    for (int which = 0; which < 19683; which++) { /* nine bytes of three letters */
        memcpy(text, heads, 6);
        spell("xy\n", which, 9, text + 6);
        turn(text, 15, want);
        cr_assert(rc_is_backwards(text, 15, want, 15), "%.15s", text);
        for (int i = 0; i < 15; i++) {
            want[i] ^= 1;
            cr_assert_not(rc_is_backwards(text, 15, want, 15), "%.15s, byte %d", text, i);
            want[i] ^= 1;
        }
    }
}
