/* The one table of keys, the numbers for people, and the language. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ringsim_viz.h"

Test(keys, no_key_means_two_things) {
    rv_key_row row;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        for (int k = 0; k < RV_MAX_KEYS && row.keys[k] != 0; k++) {
            const int32_t key = row.keys[k];
            const rv_action means = row.lesson_only ? rv_lesson_action_of(key) : rv_action_of(key);
            cr_expect_eq(means, row.action, "key %d of %s", k, row.names);
        }
    }
}

Test(keys, every_action_has_a_key_a_name_and_a_help_text) {
    int n_views = 1; /* of which the first, the ring, is always there */
    while (rv_view_word(n_views) != NULL) n_views++;
    for (int action = RV_NO_ACTION + 1; action <= RV_SCROLL_UP; action++) {
        int found = 0; /* RV_LESSON_OTHER and RV_LESSON_LAB are buttons alone */
        rv_key_row row;
        for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
            if ((int)row.action != action) continue;
            found++;
            cr_expect(row.keys[0] != 0 && row.names[0] && row.help[0]);
        }
        const bool view = action >= RV_SHOW_VIEW && action <= RV_SHOW_LAST_VIEW;
        const int nth = action - RV_SHOW_VIEW;
        const int wanted = action != RV_LESSON_LAB && action != RV_LESSON_OTHER &&
                           (!view || (nth > 0 && nth < n_views));
        cr_expect_eq(found, wanted, "action %d is in the table %d times", action, found);
    }
}

Test(keys, in_a_lesson_a_presenters_buttons_turn_pages_and_arrows_step) {
    cr_expect_eq(rv_lesson_action_of(RV_KEY_PAGE_DOWN), RV_LESSON_NEXT);
    cr_expect_eq(rv_lesson_action_of(RV_KEY_PAGE_UP), RV_LESSON_BACK);
    cr_expect_eq(rv_lesson_action_of(RV_KEY_RIGHT), RV_NEXT);
    cr_expect_eq(rv_action_of('o'), RV_NO_ACTION, "it means nothing elsewhere");
}

Test(keys, a_presenter_with_two_buttons_walks_on_and_back) {
    cr_expect_eq(rv_action_of(RV_KEY_PAGE_DOWN), RV_NEXT);
    cr_expect_eq(rv_action_of(RV_KEY_PAGE_UP), RV_BACK);
    cr_expect_eq(rv_action_of('Z'), RV_NO_ACTION);
    cr_expect_eq(rv_action_of(0), RV_NO_ACTION);
}

static const char *time_text(int64_t ps) {
    static char text[64];
    rv_format_time(ps, text, sizeof text);
    return text;
}

Test(format, times_have_three_digits_and_a_unit) {
    cr_expect_str_eq(time_text(0), "0 ps");
    cr_expect_str_eq(time_text(999), "999 ps");
    cr_expect_str_eq(time_text(5000000), "5 us");
    cr_expect_str_eq(time_text(8040000000), "8.04 ms");
    cr_expect_str_eq(time_text(40040000000), "40.04 ms");
    cr_expect_str_eq(time_text(7999999999), "8 ms");
    cr_expect_str_eq(time_text(999999999), "1 ms");
    cr_expect_str_eq(time_text(123456789), "123.4 us");
    cr_expect_str_eq(time_text(INT64_MAX), "9223372 s");
}

Test(format, bytes_are_powers_of_1000) {
    char text[64];
    rv_format_bytes(160000000, text, sizeof text);
    cr_expect_str_eq(text, "160 MB");
    rv_format_bytes(20, text, sizeof text);
    cr_expect_str_eq(text, "20 B");
    rv_format_bytes(1536, text, sizeof text);
    cr_expect_str_eq(text, "1.54 kB");
}

Test(lang, picks_the_first_value_that_says_something) {
    cr_expect_str_eq(rv_pick_language(NULL, NULL, NULL), "en");
    cr_expect_str_eq(rv_pick_language("", "", "zh_CN.UTF-8"), "zh_CN");
    cr_expect_str_eq(rv_pick_language("C", "", "zh_CN.UTF-8"), "en");
    cr_expect_str_eq(rv_pick_language(NULL, "zh_CN", "de_DE"), "zh_CN");
    cr_expect_str_eq(rv_pick_language(NULL, NULL, "zh_TW.UTF-8"), "en");
}

/* A catalogue of one string, "quit" -> "bye", written by hand. */
static void write_catalogue(const char *root, uint32_t length_of_answer, uint32_t n_bytes) {
    char path[600];
    snprintf(path, sizeof path, "%s/zh_CN", root);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/zh_CN/LC_MESSAGES", root);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/zh_CN/LC_MESSAGES/ringsim.mo", root);
    const uint32_t head[] = {0x950412de, 0, 1, 28, 36, 0, 44, 4, 44, length_of_answer, 49};
    char bytes[64] = {0};
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + 44, "quit\0bye", 9);
    FILE *file = fopen(path, "wb");
    fwrite(bytes, 1, n_bytes, file);
    fclose(file);
}

static void remove_catalogue(const char *root) {
    static const char *const inside[] = {"/zh_CN/LC_MESSAGES/ringsim.mo", "/zh_CN/LC_MESSAGES",
                                         "/zh_CN", ""};
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s%s", root, inside[i]);
        remove(path);
    }
}

Test(lang, looks_texts_up_in_a_catalogue_without_any_locale) {
    char root[] = "/tmp/ringsim-lang-XXXXXX";
    cr_assert(mkdtemp(root) != NULL);
    const char *const dirs[] = {"/nowhere", root, NULL};
    write_catalogue(root, 3, 53);
    cr_expect(rv_set_language("zh_CN", dirs));
    cr_expect_str_eq(rv_language(), "zh_CN");
    cr_expect_str_eq(rv_gettext("quit"), "bye");
    cr_expect_str_eq(rv_gettext("other"), "other");
    cr_expect_str_eq(rv_gettext(""), "");
    cr_expect(rv_set_language("en", NULL));
    cr_expect_str_eq(rv_gettext("quit"), "quit");
    remove_catalogue(root);
}

Test(lang, a_broken_catalogue_is_no_catalogue) {
    char root[] = "/tmp/ringsim-lang-XXXXXX";
    cr_assert(mkdtemp(root) != NULL);
    const char *const dirs[] = {root, NULL};
    write_catalogue(root, 1000, 53);
    cr_expect_not(rv_set_language("zh_CN", dirs));
    for (uint32_t cut = 0; cut < 53; cut++) {
        write_catalogue(root, 3, cut);
        cr_expect_not(rv_set_language("zh_CN", dirs), "cut at %u", cut);
    }
    cr_expect_str_eq(rv_language(), "en");
    cr_expect_not(rv_set_language("tlh", dirs));
    remove_catalogue(root);
}
