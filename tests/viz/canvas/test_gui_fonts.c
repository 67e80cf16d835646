/* test_gui_fonts.c: a machine without the fonts is told so, and gets its picture all the same. */
#include "canvas/canvas.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lets fontconfig see only the fonts in `folder`; must come before the first text. */
static void only_fonts_in(const char *folder) {
    static char path[] = "/tmp/ringsim-fonts-XXXXXX";
    const int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    FILE *file = fdopen(descriptor, "w");
    cr_assert_not_null(file);
    fprintf(file,
            "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">"
            "<fontconfig><dir>%s</dir></fontconfig>\n",
            folder);
    fclose(file);
    setenv("FONTCONFIG_FILE", path, 1);
}

static void stop(void) {
    const char *path = getenv("FONTCONFIG_FILE");
    if (path != NULL) remove(path);
}

static size_t n_taken;
static void take(void *context, const char *bytes, size_t n) {
    (void)context, (void)bytes;
    n_taken += n;
}

TestSuite(gui_fonts, .fini = stop);

Test(gui_fonts, without_any_one_line_names_a_package_and_the_picture_is_drawn) {
    only_fonts_in("/nonexistent");
    rs_error error = {.text = ""};
    cr_expect_not(rv_has_fonts(&error));
    cr_expect_not_null(strstr(error.text, "install fonts-noto-cjk"), "%s", error.text);
    cr_expect_null(strchr(error.text, '\n'));
    OWN_VIEW v = {0};
    const rv_options options = {.at = 1};
    view_fixture_start(&v, "ring", 5);
    cr_expect_eq(rv_gui_picture(&v.subject, &options, RV_PNG, take, NULL, NULL, &v.error), RS_OK);
    cr_expect_gt(n_taken, 1000);
}

Test(gui_fonts, chinese_without_any_font_is_a_picture_without_words) {
    if (!view_fixture_chinese()) {
        cr_skip_test("skipped: no Chinese catalogue was built");
        return;
    }
    only_fonts_in("/nonexistent");
    OWN_VIEW v = {0};
    const rv_options options = {.at = 1, .views = RV_VIEW_ALL};
    view_fixture_start(&v, "ring", 5);
    for (int i = 0; i < 8; i++) { /* it went wrong by chance */
        cr_expect_eq(rv_gui_picture(&v.subject, &options, RV_PNG, take, NULL, NULL, &v.error),
                     RS_OK, "%s", v.error.text);
    }
}

Test(gui_fonts, chinese_without_a_chinese_font_is_said) {
    static const char latin[] = "/usr/share/fonts/truetype/dejavu";
    if (!view_fixture_chinese()) {
        cr_skip_test("skipped: no Chinese catalogue was built");
        return;
    }
    only_fonts_in(latin);
    rs_error error = {.text = ""};
    cr_expect_not(rv_has_fonts(&error));
    cr_expect_not_null(strstr(error.text, "fonts-noto-cjk"), "%s", error.text);
}

Test(gui_fonts, with_fonts_nothing_is_said) {
    if (system("fc-list | grep -q .") != 0) {
        cr_skip_test("skipped: this machine has no fonts");
        return;
    }
    rs_error error = {.text = ""};
    cr_expect(rv_has_fonts(&error), "%s", error.text);
    cr_expect_eq(error.text[0], '\0');
}
