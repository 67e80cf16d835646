/* test_progress.c: where the learner stands is kept as it was written; what is not exactly of that form is nobody's to
   change; of a lab's points the best stay. */
#include "lesson/shelf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/session.h"

enum { STOPS = 3 + RV_MOST_PAGES + RV_MOST_QUIZZES + 1, TEXT = 8000 };

static char top[] = "/tmp/ringsim-progress-XXXXXX", path[100];

static void begin(void) {
    char folder[90];
    cr_assert_not_null(mkdtemp(top));
    snprintf(folder, sizeof folder, "%s/ringsim", top);
    cr_assert_eq(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/progress", folder);
    setenv("XDG_DATA_HOME", top, 1);
}
static void end(void) {
    char folder[90];
    unlink(path);
    snprintf(folder, sizeof folder, "%s/ringsim", top);
    rmdir(folder);
    cr_assert_eq(rmdir(top), 0);
}
TestSuite(progress, .init = begin, .fini = end);

static void put(const char *text) {
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}
static void get(char text[TEXT]) {
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, TEXT - 1, file)] = '\0';
    fclose(file);
}

static char draw_choice(void) {
    return "-abcdefgh"[session_below(1 + RV_MOST_OPTIONS)];
}

/* A lesson's place, as it may be. */
static rc_place_in draw_place(int number) {
    rc_place_in p = {.number = number, .prediction = draw_choice()};
    p.n_stops = 1 + session_below(STOPS);
    p.most = session_below(p.n_stops);
    p.at = session_below(p.most + 1);
    for (int i = 0; i < RV_MOST_QUIZZES; i++) p.answers[i] = draw_choice();
    if (session_below(2) == 0) p.points = session_below((p.n_points = session_below(9999)) + 1);
    if (session_below(2) == 0)
        p.ranks_points = session_below((p.n_ranks_points = session_below(9999)) + 1);
    return p;
}

static void expect_same(const rc_place_in *a, const rc_place_in *b) {
    cr_expect(a->number == b->number && a->at == b->at && a->most == b->most &&
                  a->n_stops == b->n_stops && a->prediction == b->prediction,
              "lesson %d", a->number);
    cr_expect_str_eq(a->answers, b->answers);
    cr_expect(a->points == b->points && a->n_points == b->n_points &&
                  a->ranks_points == b->ranks_points && a->n_ranks_points == b->n_ranks_points,
              "lesson %d: %d/%d %d/%d, %d/%d %d/%d", a->number, a->points, a->n_points,
              a->ranks_points, a->n_ranks_points, b->points, b->n_points, b->ranks_points,
              b->n_ranks_points);
}

Test(progress, what_is_written_is_read_again) {
    static rc_progress kept, read;
    rs_error error;
    session_begin(2);
    for (int k = 0; k < 200; k++) {
        char text[TEXT], again[TEXT];
        const int n = session_below(2) == 0 ? session_below(5) : RC_MOST_LESSONS;
        rc_read_progress(&kept, &error);
        kept.n = 0;
        for (int i = 0; i < n; i++) kept.places[kept.n++] = draw_place(RC_MOST_LESSONS - i);
        cr_assert_eq(rc_write_progress(&kept, &error), RC_GOOD, "%s", error.text);
        get(text);
        rc_read_progress(&read, &error);
        cr_assert(error.text[0] == '\0' && read.n == n, "%s:\n%s", error.text, text);
        cr_expect_str_eq(read.path, path);
        for (int i = 0; i < n; i++) expect_same(&read.places[i], &kept.places[i]);
        cr_assert_eq(rc_write_progress(&read, &error), RC_GOOD);
        get(again);
        cr_expect_str_eq(text, again);
    }
}

/* The line of a lesson, field by field; each at its limits, and beyond. */
Test(progress, a_line_that_is_no_place_is_left_alone) {
    static const struct {
        const char *line;
        bool good;
    } lines[] = {
        {"05 7 9 17 b a-c", true},
        {"05 0 0 1 - -", true},
        {"99 0 0 1 - -", true},
        {"1 0 0 1 a ------------", true},
        {"05 0 0 1 e eeeeeeeeeeee", true},
        {"05 0 0 1 - - 0/0 4/5", true},
        {"05 0 0 1 - - 5/5 5/5", true},
        {"05 0 0 1 - - 0/1", true},
        {"0 0 0 1 - -", false},
        {"-1 0 0 1 - -", false},
        {"05 -1 0 1 - -", false},
        {"05 1 0 2 - -", false},
        {"05 0 1 1 - -", false},
        {"05 0 0 0 - -", false},
        {"05 0 0 1 f -", false},
        {"05 0 0 1 ` -", false},
        {"05 0 0 1 aa -", false},
        {"05 0 0 1 - f", false},
        {"05 0 0 1 - a_", false},
        {"05 0 0 1 - -------------", false},
        {"05 0 0 1 - - 2/1", false},
        {"05 0 0 1 - - -1/1", false},
        {"05 0 0 1 - - 1/1 2/1", false},
        {"05 0 0 1 - - 1/1 -1/1", false},
        {"05 0 0 1 - - 1/1 1/1 1/1", false},
        {"05 0 0 1 - - 1", false},
        {"05 0 0 1 - - x", false},
        {"05 0 0 1 - -x/1", false},
        {"05 0 0 1 -", false},
        {"05 0 0 1", false},
        {"", false},
        {"05 0 0 1 - -\n05 0 0 1 - -", false},
        {"05 0 0 1 - -\n06 0 0 1 - -", true},
    };
    static rc_progress read;
    rs_error error;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[TEXT], after[TEXT];
        snprintf(text, sizeof text, "ringsim progress 1\n%s\n", lines[i].line);
        put(text);
        rc_read_progress(&read, &error);
        cr_expect_eq(error.text[0] == '\0', lines[i].good, "%s: %s", lines[i].line, error.text);
        cr_expect_eq(read.n > 0, lines[i].good, "%s", lines[i].line);
        cr_expect_eq(read.path[0] != '\0', lines[i].good, "%s", lines[i].line);
        if (lines[i].good) continue;
        cr_expect_not_null(strstr(error.text, "is no progress of ringsim's"));
        rc_place_of(&read, 7);
        cr_expect_eq(rc_write_progress(&read, &error), RC_GOOD);
        get(after);
        cr_expect_str_eq(after, text);
    }
    for (int stops = STOPS - 1; stops <= STOPS + 1; stops++) {
        char text[TEXT];
        snprintf(text, sizeof text, "ringsim progress 1\n05 0 %d %d - -\n", stops - 1, stops);
        put(text);
        rc_read_progress(&read, &error);
        cr_expect_eq(read.n, stops <= STOPS, "%d stops", stops);
    }
    static const char *const texts[] = {"", "ringsim progress 1", "ringsim progress 2\n",
                                        "ringsim progress 1 \n",
                                        "ringsim progress 1\n05 0 0 1 - -"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put(texts[i]);
        rc_read_progress(&read, &error);
        cr_expect(error.text[0] != '\0' && read.path[0] == '\0', "%s", texts[i]);
    }
    put("ringsim progress 1\n");
    rc_read_progress(&read, &error);
    cr_expect(error.text[0] == '\0' && read.n == 0 && read.path[0] != '\0');
    unlink(path);
    rc_read_progress(&read, &error);
    cr_expect(error.text[0] == '\0' && read.n == 0 && read.path[0] != '\0');
}

/* A file of 16384 bytes is read, a larger one is nobody's. */
Test(progress, only_a_file_of_16_kib_is_read) {
    static rc_progress read;
    rs_error error;
    for (int more = -1; more <= 1; more++) {
        FILE *file = fopen(path, "w");
        fputs("ringsim progress 1\n", file);
        /* blanks between two numbers */
        fprintf(file, "05 0 0%*s", 16384 + more - 19 - 6 - 7, "");
        fputs(" 1 - -\n", file);
        cr_assert_eq(ftell(file), 16384 + more);
        fclose(file);
        rc_read_progress(&read, &error);
        cr_expect_eq(read.n, more <= 0, "%d: %s", more, error.text);
    }
}

/* Where no file can be made the reason is told, without the name of an option that nobody typed. */
Test(progress, that_cannot_be_kept_is_told_of) {
    static rc_progress progress;
    rs_error error;
    char want[300];
    put("no folder");
    snprintf(progress.path, sizeof progress.path, "%s/progress", path);
    snprintf(want, sizeof want,
             "your progress is not kept: cannot write %s/progress: Not a directory", path);
    cr_expect_eq(rc_write_progress(&progress, &error), RC_USAGE);
    cr_expect_str_eq(error.text, want);
    progress.path[0] = '\0'; /* it was said once */
    cr_expect_eq(rc_write_progress(&progress, &error), RC_GOOD);
}

/* Of the same lab the best points stay; of one that gives another number of points the last. */
Test(progress, of_points_the_best_are_kept) {
    static rc_progress read;
    rs_error error;
    session_begin(4);
    for (int k = 0; k < 40; k++) {
        int best[2] = {0}, most[2] = {0};
        unlink(path);
        for (int i = 0; i < 12; i++) {
            const int which = session_below(2), of = session_below(4) == 0 ? 10 : 20;
            const int points = session_below(of + 1);
            rc_keep_points(5, which == 1, points, of);
            if (most[which] != of || points > best[which]) best[which] = points;
            most[which] = of;
            rc_read_progress(&read, &error);
            const rc_place_in *place = rc_find_place(&read, 5);
            cr_assert(place != NULL && read.n == 1);
            cr_expect(place->points == best[0] && place->n_points == most[0] &&
                          place->ranks_points == best[1] && place->n_ranks_points == most[1],
                      "%d/%d %d/%d", place->points, place->n_points, place->ranks_points,
                      place->n_ranks_points);
            cr_expect(place->at == 0 && place->most == 0 && place->prediction == '-');
        }
    }
}

/* XDG_DATA_HOME if it is a path from the root, else HOME's folder, else nothing is kept. */
Test(progress, lies_where_the_environment_says) {
    static rc_progress read;
    rs_error error;
    static const struct {
        const char *data, *home, *path;
    } places[] = {{"/d", "/h", "/d/ringsim/progress"},
                  {"d", "/h", "/h/.local/share/ringsim/progress"},
                  {NULL, "/h", "/h/.local/share/ringsim/progress"},
                  {"", "/h", "/h/.local/share/ringsim/progress"},
                  {"/d", NULL, "/d/ringsim/progress"},
                  {"d", "h", ""},
                  {NULL, NULL, ""}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        unsetenv("XDG_DATA_HOME");
        unsetenv("HOME");
        if (places[i].data != NULL) setenv("XDG_DATA_HOME", places[i].data, 1);
        if (places[i].home != NULL) setenv("HOME", places[i].home, 1);
        rc_read_progress(&read, &error);
        cr_expect_str_eq(read.path, places[i].path);
        cr_expect_eq(error.text[0], '\0');
    }
}

/* A lesson is open while grade gives points: a page turned afterwards leaves them. */
Test(progress, a_page_that_is_turned_takes_no_points_away) {
    rc_progress open, read;
    rs_error error;
    rc_read_progress(&open, &error);
    rc_place_of(&open, 6)->n_stops = 9;
    rc_place_of(&open, 6)->most = rc_place_of(&open, 6)->at = 3;
    cr_assert_eq(rc_keep_progress(&open, &error), RC_GOOD, "%s", error.text);
    rc_keep_points(6, false, 18, 20);
    rc_keep_points(5, false, 20, 20);
    rc_place_of(&open, 6)->most = rc_place_of(&open, 6)->at = 4;
    cr_assert_eq(rc_keep_progress(&open, &error), RC_GOOD, "%s", error.text);
    rc_read_progress(&read, &error);
    const rc_place_in *six = rc_find_place(&read, 6), *five = rc_find_place(&read, 5);
    cr_assert(six != NULL && five != NULL);
    cr_expect(six->points == 18 && six->n_points == 20 && six->at == 4);
    cr_expect(five->points == 20);
}
