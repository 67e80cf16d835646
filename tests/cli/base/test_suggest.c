/* test_suggest.c: the nearest of some names, for words and names drawn by chance from few letters, beside a plain account; and what is
 * said of a word that is none of the choices.
 */
#include "base/units.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LONGEST = 9, MOST_NAMES = 5 };
static uint64_t state = 7;

static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

static void draw_word(char word[LONGEST + 1], int n) {
    for (int i = 0; i < n; i++) word[i] = (char)('a' + draw(3));
    word[n] = '\0';
}

/* Few edits on the way from a to b: what each word begins with is dropped, added, changed, or two letters swap. */
static int edits(const char *a, const char *b) {
    if (*a == '\0' || *b == '\0') return (int)(strlen(a) + strlen(b));
    if (*a == *b) return edits(a + 1, b + 1);
    int best = edits(a + 1, b);
    const int added = edits(a, b + 1), changed = edits(a + 1, b + 1);
    if (added < best) best = added;
    if (changed < best) best = changed;
    if (a[0] == b[1] && a[1] == b[0]) {
        const int swapped = edits(a + 2, b + 2);
        if (swapped < best) best = swapped;
    }
    return best + 1;
}

static const char *plainly(const char *word, const char *const names[]) {
    const int n = (int)strlen(word), most = n <= 2 ? 1 : n / 3 + 1;
    const char *best = NULL;
    int fewest = 1000;
    for (int i = 0; names[i] != NULL; i++) {
        const bool begins = n >= 3 && strstr(names[i], word) == names[i];
        const int of = begins ? 1 : edits(word, names[i]);
        if (of > most || of >= fewest || of >= (int)strlen(names[i])) continue;
        best = names[i];
        fewest = of;
    }
    return best;
}

Test(suggest, the_first_of_the_nearest_names_is_meant) {
    int n_none = 0, n_some = 0;
    for (int trial = 0; trial < 20000; trial++) {
        char word[LONGEST + 1], list[MOST_NAMES][LONGEST + 1];
        const char *names[MOST_NAMES + 1] = {NULL};
        draw_word(word, draw(8));
        const int n = draw(MOST_NAMES + 1);
        for (int i = 0; i < n; i++) {
            draw_word(list[i], 1 + draw(7));
            names[i] = list[i];
        }
        const char *got = rc_nearest(word, names), *wanted = plainly(word, names);
        cr_assert_eq(got, wanted, "%s: %s, not %s", word, got != NULL ? got : "none",
                     wanted != NULL ? wanted : "none");
        n_none += wanted == NULL;
        n_some += wanted != NULL;
    }
    cr_assert(n_none > 1000 && n_some > 1000);
}

Test(suggest, a_word_that_is_no_choice_is_told_with_all_of_them) {
    static const char *const names[] = {"ring", "tree", "halving", NULL};
    rs_error error = {.text = ""};
    int index = -1;
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(rc_parse_choice("--algo", names[i], names, &error, &index), RC_GOOD);
        cr_expect_eq(index, i);
    }
    cr_expect_eq(rc_parse_choice("--algo", "rign", names, &error, &index), RC_USAGE);
    cr_expect_str_eq(error.text, "--algo rign: did you mean 'ring'? There are ring, tree, halving");
    cr_expect_eq(rc_parse_choice("--algo", "zzz", names, &error, &index), RC_USAGE);
    cr_expect_str_eq(error.text, "--algo zzz: choose one of ring, tree, halving");
    cr_expect_eq(index, 2, "what is refused changes nothing");
}
