/* test_gui_golden.c: pictures as they were when somebody last looked at them, and those of the READMEs.
 *
 * Goldens: tests/golden/picture/NAME.png. RINGSIM_UPDATE=1 writes them anew; look at them then. The
 * READMEs' pictures lie in assets/; `make docs` draws them anew. Both may differ a little (gui_near.h).
 */
#include "canvas/canvas.h"
#include "viz/canvas/gui_near.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double NEAR = 0.025;

static bool have_fonts(void) {
    rs_error error;
    if (rv_has_fonts(&error)) return true;
    cr_skip_test("skipped: %s", error.text);
    return false;
}

static void put(void *context, const char *bytes, size_t n) {
    fwrite(bytes, 1, n, context);
}

typedef struct golden {
    const char *name, *algorithm;
    int32_t n_ranks;
    rv_options options;
    const rs_fault *fault;
} golden;

static const rs_fault dead = {.kind = RS_KILL, .rank = 3, .step = 2};
static const golden goldens[] = {
    {"ring-5-underway", "ring", 5, {.at = 3, .progress = 0.39}, NULL},
    {"ring-8-views-dark", "ring", 8, {.at = 9, .views = RV_VIEW_ALL, .dark = true}, NULL},
    {"ring-64", "ring", 64, {.at = 40, .progress = 0.39}, NULL},
    {"naive-5", "naive", 5, {.at = 2, .progress = 0.3}, NULL},
    {"race", "ring", 5, {.at = 5, .compare = "naive", .dark = true}, NULL},
    {"dead", "ring", 5, {.at = 4, .rank = 1, .views = VIEW_DIAGRAM}, &dead},
    {"sheet", "ring", 3, {.at = -1, .sheet = true}, NULL},
};
enum { N_GOLDENS = sizeof goldens / sizeof goldens[0] };

static void draw_golden(const golden *g, const char *path) {
    OWN_VIEW v = {0};
    rv_options options = g->options;
    options.pixel_width = 640;
    options.pixel_height = 400;
    view_fixture_prepare(&v, g->algorithm, g->n_ranks);
    view_fixture_faults(&v, g->fault, g->fault != NULL);
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file, "%s", path);
    const rs_status status =
        rv_gui_picture(&v.subject, &options, RV_PNG, put, file, NULL, &v.error);
    fclose(file);
    cr_assert_eq(status, RS_OK, "%s", v.error.text);
}

static void expect_near(const char *a, const char *b) {
    cairo_surface_t *x = near_read(a), *y = near_read(b);
    const double distance = near_distance(x, y);
    cr_expect_leq(distance, NEAR, "%s and %s differ in %.1f %% of their squares", a, b,
                  100 * distance);
    cairo_surface_destroy(x);
    cairo_surface_destroy(y);
}

Test(gui_golden, pictures_are_as_they_were) {
    if (!have_fonts()) return;
    char fresh[] = "/tmp/ringsim-golden-XXXXXX";
    close(mkstemp(fresh));
    for (int i = 0; i < N_GOLDENS; i++) {
        char path[256];
        snprintf(path, sizeof path, "tests/golden/picture/%s.png", goldens[i].name);
        const bool update = getenv("RINGSIM_UPDATE") != NULL;
        draw_golden(&goldens[i], update ? path : fresh);
        if (!update) expect_near(path, fresh);
    }
    remove(fresh);
}

/* So that the test above can fail. */
Test(gui_golden, another_moment_is_not_near) {
    char a[] = "/tmp/ringsim-golden-XXXXXX", b[] = "/tmp/ringsim-golden-XXXXXX";
    close(mkstemp(a));
    close(mkstemp(b));
    for (int i = 0; i < 2; i++) {
        golden other = goldens[i];
        other.options.at++;
        draw_golden(&goldens[i], a);
        draw_golden(&other, b);
        cairo_surface_t *x = near_read(a), *y = near_read(b);
        cr_expect_gt(near_distance(x, y), NEAR, "%s", goldens[i].name);
        cr_expect_eq(near_distance(x, x), 0);
        cairo_surface_destroy(x);
        cairo_surface_destroy(y);
    }
    remove(a);
    remove(b);
}

/* ---------------------------------------------------------------------------------- of the READMEs */

static bool ends_with(const char *name, const char *end) {
    const size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* Compares the folder's pictures with those in assets/, and removes it. */
static int compare_all(const char *folder) {
    int n = 0;
    DIR *open = opendir(folder);
    cr_assert_not_null(open);
    for (struct dirent *entry; (entry = readdir(open)) != NULL;) {
        char path[512], asset[512];
        snprintf(path, sizeof path, "%s/%.200s", folder, entry->d_name);
        snprintf(asset, sizeof asset, "assets/%.200s", entry->d_name);
        if (!ends_with(path, ".png")) continue;
        expect_near(asset, path);
        remove(path);
        n++;
    }
    closedir(open);
    rmdir(folder);
    return n;
}

Test(gui_golden, the_READMEs_pictures_are_what_the_program_draws, .timeout = 900) {
    if (!have_fonts()) return;
    if (!view_fixture_chinese() || !have_fonts()) {
        cr_skip_test("skipped: no Chinese here");
        return;
    }
    char folder[] = "/tmp/ringsim-assets-XXXXXX", command[256];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(command, sizeof command, "tests/tools/pictures %s window", folder);
    cr_assert_eq(system(command), 0);
    cr_expect_geq(compare_all(folder), 14);
}

Test(gui_golden, the_READMEs_films_are_small_and_whole) {
    static const char *const names[] = {"assets/ring.gif", "assets/ring.zh_CN.gif"};
    for (int i = 0; i < 2; i++) {
        unsigned char head[10], last = 0;
        FILE *file = fopen(names[i], "rb");
        cr_assert_not_null(file, "%s", names[i]);
        cr_assert_eq(fread(head, 1, sizeof head, file), sizeof head);
        cr_expect_eq(memcmp(head, "GIF89a", 6), 0);
        cr_expect_eq(head[6] + 256 * head[7], 800);
        cr_expect_eq(head[8] + 256 * head[9], 450);
        fseek(file, -1, SEEK_END);
        cr_expect_eq(fread(&last, 1, 1, file), 1);
        cr_expect_eq(last, 0x3B, "%s is cut short", names[i]);
        cr_expect_lt(ftell(file), 1500000);
        fclose(file);
    }
}
