/* The numbers in the texts of the lessons: each equation holds, in both languages, and so does each formula
 * in a comment. And the keys: what they say of a lesson is so.
 */
#include <criterion/criterion.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sums.h"

enum { MOST = 400, MOST_TEXT = 1 << 17 };

static found_sum found[MOST];

static double value_of(const char *text) {
    double value = NAN;
    return work_out(text, false, &value) ? value : (double)NAN;
}

Test(sums, are_worked_out) {
    cr_expect_eq(value_of("2 x 9 x 1.2"), 2 * 9 * 1.2);
    cr_expect_eq(value_of("2(5-1)"), 8);
    cr_expect_eq(value_of("2*(5-1)/5"), 1.6);
    cr_expect_eq(value_of("((1e8 + 1) - 1e8) + 1"), 2);
    cr_expect_float_eq(value_of("160 MB / 8 ms"), 20e9, 1);
    cr_expect_eq(value_of("ceil(log2(5))"), 3);
    cr_expect(isnan(value_of("2(N-1)")) && isnan(value_of("2 x")) && isnan(value_of("")));
}

Test(sums, are_found_in_a_text_and_judged_to_the_digits_shown) {
    static const struct {
        const char *text;
        int n, n_hold;
    } texts[] = {
        {"Both: 2 x 9 x 1.2 = 21.6 s.", 1, 1},
        {"Both: 2 x 9 x 1.2 = 21.7 s.", 1, 0},
        {"5 ms + 5 us = 5.005 ms, and 8 x 5.005 = 40.04 ms.", 2, 2},
        {"400 / 130.03 = 3.08 times; 1 GB / 50 ms = 20 GB/s", 2, 2},
        {"400 / 130.03 = 3.07 times", 1, 0},
        {"(10 x 1 + 20 x 4) / 40 = 90 / 40 = 2.25.", 2, 2},
        {"N - 1 = 4, T = 2(N-1)t, 2 (N - 1) = 8", 0, 0},
        {"a\n```\n1 + 1 = 3\n```\nb", 0, 0},
        {"1.60<!-- = 2*(5-1)/5 --> arrays", 1, 1},
        {"1.61<!-- = 2*(5-1)/5 --> arrays", 1, 0},
        {"8.04 ms<!-- = 8*5 us + 8 ms --> in all", 1, 1},
        {"nothing<!-- = 3 -->", 1, 0},
        {"一个 GPU 发送 2 x 4 = 8 块", 1, 1},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const int n = find_sums(texts[i].text, found, MOST);
        int n_hold = 0;
        for (int k = 0; k < n; k++) n_hold += found[k].holds;
        cr_expect(n == texts[i].n && n_hold == texts[i].n_hold, "%s: %d found, %d hold; %s = %s",
                  texts[i].text, n, n_hold, n > 0 ? found[0].left : "",
                  n > 0 ? found[0].right : "");
    }
}

/* ------------------------------------------------------------------ in the lessons */

static int n_all, n_comments;

static int load(const char *folder, const char *file, char text[MOST_TEXT]) {
    char path[512];
    snprintf(path, sizeof path, "lessons/%.200s/%s", folder, file);
    FILE *in = fopen(path, "rb");
    if (in == NULL) return -1;
    const size_t n = fread(text, 1, MOST_TEXT - 1, in);
    fclose(in);
    text[n] = '\0';
    return (int)n;
}

static int by_text(const void *a, const void *b) {
    const found_sum *x = a, *y = b;
    const int order = strcmp(x->left, y->left);
    return order != 0 ? order : strcmp(x->right, y->right);
}

/* Lists a file's equations in one text, in an order of their own, to compare; each must hold. */
static void list_sums(const char *folder, const char *file, char out[MOST_TEXT]) {
    static char text[MOST_TEXT];
    size_t at = 0;
    out[0] = '\0';
    if (load(folder, file, text) < 0) return;
    const int n = find_sums(text, found, MOST);
    qsort(found, (size_t)n, sizeof found[0], by_text);
    for (int i = 0; i < n; i++) {
        cr_expect(found[i].holds, "lessons/%s/%s: %s = %s", folder, file, found[i].left,
                  found[i].right);
        n_all++;
        n_comments += found[i].comment;
        at +=
            (size_t)snprintf(out + at, MOST_TEXT - at, "%s = %s\n", found[i].left, found[i].right);
    }
}

Test(sums, hold_in_every_lesson_and_key_and_are_the_same_in_both_languages) {
    static char en[MOST_TEXT], zh[MOST_TEXT];
    struct dirent **names;
    const int n = scandir("lessons", &names, NULL, alphasort);
    cr_assert_gt(n, 0, "run from the top folder");
    for (int i = 0; i < n; i++) {
        list_sums(names[i]->d_name, "en.md", en);
        list_sums(names[i]->d_name, "zh_CN.md", zh);
        cr_expect_str_eq(en, zh, "lessons/%s\nen.md:\n%s\nzh_CN.md:\n%s", names[i]->d_name, en, zh);
        list_sums(names[i]->d_name, "key.en.md", en);
        list_sums(names[i]->d_name, "key.zh_CN.md", zh);
        free(names[i]);
    }
    free(names);
    cr_expect_gt(n_all, 100, "%d", n_all);
    printf("%d equations, %d of them in comments\n", n_all, n_comments);
}
