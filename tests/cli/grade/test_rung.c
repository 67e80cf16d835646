/* test_rung.c: the rung on which a submission stands, for drawn skeletons and what students make of them, beside a plain
   account; and what it is worth. */
#include "grade/grading.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/session.h"

enum { MOST_LINES = 12, TEXT = 4000 };

static char top[] = "/tmp/ringsim-rung-XXXXXX";
static rs_arena arena;
static rs_error error;
static rc_lab lab;
static rc_site site = {.lessons = "."};
static rc_grade grade;
static rc_grading grading;

static void begin(void) {
    rs_arena_init(&arena, NULL);
    cr_assert_not_null(mkdtemp(top));
    cr_assert_eq(chdir(top), 0);
    snprintf(lab.folder, sizeof lab.folder, "%s", top);
    lab.asks = 1;
    grading = (rc_grading){.site = &site,
                           .lab = &lab,
                           .path = "my.c",
                           .arena = &arena,
                           .error = &error,
                           .grade = &grade};
}
static void end(void) {
    static const char *const files[] = {"fill.c",     "example.c", "example.sched",
                                        "my.parsons", "my.ranks",  "my.c"};
    for (int i = 0; i < 6; i++) unlink(files[i]);
    rs_arena_free(&arena);
    cr_assert_eq(rmdir(top), 0);
}
TestSuite(rung, .init = begin, .fini = end);

static void put(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static rc_rung rung_of(const char *path, const char *text) {
    put(path, text);
    grading.path = path;
    return rc_rung_of(&grading);
}

/* Writes a line's words with other blanks, and comments between them. */
static void write_otherwise(const char *line, char out[TEXT]) {
    static const char *const between[] = {
        "", " ", "  ", "\t", "\n", "/* x */", " /* a // b */ ", "// c /* d\n"};
    for (; *line != '\0'; line++) {
        char letter[] = {*line, '\0'};
        if (*line != ' ') strcat(out, letter);
        if (*line == ' ' || session_below(9) == 0) strcat(out, between[session_below(8)]);
    }
    strcat(out, "\n");
}

/* All lines that are given, long enough and no comments, stand in a submission on the rung fill; where none is given, or one
   is missing, it is whole. */
Test(rung, fill_has_every_line_that_is_given) {
    session_begin(1);
    for (int k = 0; k < 500; k++) {
        char fill[TEXT] = "", code[TEXT] = "";
        bool all = true, in_solution = false;
        int n_given = 0;
        for (int i = session_below(MOST_LINES); i >= 0; i--) {
            char line[100];
            const int kind = session_below(10), x = session_below(100000);
            const bool kept = session_below(8) != 0;
            bool given = false;
            switch (kind) {
            case 0: /* seven letters: may be in any program */
                snprintf(line, sizeof line, "  b%03d + 1;", x % 1000);
                break;
            case 1: snprintf(line, sizeof line, "    /* what comes %d next */", x); break;
            case 2: snprintf(line, sizeof line, " * so it goes on %d", x); break;
            case 3: snprintf(line, sizeof line, "#include <stdio%d.h>", x); break;
            case 4: snprintf(line, sizeof line, "    sum%d += x; /* yours */", x); break;
            case 5:
                in_solution = !in_solution;
                snprintf(line, sizeof line, "    // %s SOLUTION", in_solution ? "BEGIN" : "END");
                break;
            case 6: /* eight letters */
                snprintf(line, sizeof line, "  b%04d + 1;", x % 10000);
                given = true;
                break;
            default:
                snprintf(line, sizeof line, "    int value%d = rank + %d; // so", x, x);
                given = true;
            }
            strcat(strcat(fill, line), "\n");
            given = given && !in_solution;
            n_given += given;
            line[strcspn(line, "/")] = '\0';
            if (kept && line[0] != '#' && strstr(line, " * ") == NULL) {
                write_otherwise(line, code);
            } else if (given) {
                all = false;
            }
        }
        put("fill.c", fill);
        const rc_rung want = all && n_given > 0 ? RC_RUNG_FILL : RC_RUNG_WHOLE;
        cr_assert_eq(rung_of("my.c", code), want, "%d given\n%s----\n%s", n_given, fill, code);
    }
    unlink("fill.c");
    cr_expect_eq(rung_of("my.c", "int value = rank + 1;\n"), RC_RUNG_WHOLE);
}

/* The example as it is, but for comments and blanks, is the example; one letter more and it is not. */
Test(rung, the_example_is_known_without_its_comments) {
    static const char example[] = "/* shows how */\nint f(int a) {\n    return a + 1; // so\n}\n";
    static const char *const same[] = {
        "int f(int a){return a+1;}", "int f(int a) { /* mine */ return a + 1; }\n\n",
        "// mine\nint f(int a)\n{\nreturn a + 1;\n}\n", "int f(int a){return a+1;}/* no end",
        "int f(int a){return a+1;}// no end"};
    static const char *const other[] = {"int f(int b){return b+1;}", "int f(int a){return a+1;};",
                                        "int f(int a){return a+1;", "int f(int a){return a+1;}#",
                                        ""};
    put("example.c", example);
    for (int i = 0; i < 5; i++) {
        cr_expect_eq(rung_of("my.c", same[i]), RC_RUNG_EXAMPLE, "%s", same[i]);
        cr_expect_eq(rung_of("my.c", other[i]), RC_RUNG_WHOLE, "%s", other[i]);
    }
    lab.asks = 0; /* a schedule: another example, and # begins a comment */
    put("example.sched", "ringsim-schedule 1\nranks 2 # two\nchunks 1\n");
    cr_expect_eq(rung_of("my.c", "ringsim-schedule 1 # mine\n# more\nranks 2\nchunks 1"),
                 RC_RUNG_EXAMPLE);
    cr_expect_eq(rung_of("my.c", "ringsim-schedule 1\nranks 3\nchunks 1\n"), RC_RUNG_WHOLE);
    cr_expect_eq(rung_of("my.c", "ringsim-schedule 1/* ranks 2\nchunks 1\n*/"), RC_RUNG_WHOLE);
    cr_expect_eq(rung_of("my.c", example), RC_RUNG_WHOLE);
    lab.asks = 1;
    cr_expect_eq(rung_of("my.parsons", "a b c"), RC_RUNG_PARSONS);
    cr_expect_eq(rung_of("my.ranks", "1 2"), RC_RUNG_WHOLE);
}

/* Points are multiplied by what the rung is worth, rounded down; below the lowest rung there are none, of the example
   neither. */
Test(rung, counts_for_what_it_is_worth) {
    session_begin(2);
    for (int k = 0; k < 600; k++) {
        const int rung = session_below(4), least = 1 + session_below(3);
        const int points = session_below(21);
        int worth = 0;
        grade = (rc_grade){.rung = (rc_rung)rung, .points = points, .n_parts = 2};
        grade.parts[0].points = points / 2;
        grade.parts[1].points = points - points / 2;
        lab.ladder.least = (rc_rung)least;
        for (int i = 0; i < 3; i++)
            lab.ladder.percent[i] = session_below(3) == 0 ? 100 : session_below(101);
        if (rung >= least) worth = lab.ladder.percent[rung - 1];
        rc_count_rung(&grading);
        cr_expect_eq(grade.points, points * worth / 100, "rung %d of %d", rung, least);
        cr_expect_eq(grade.parts[0].points, worth == 0 ? 0 : points / 2);
        cr_expect_eq(grade.parts[1].points, worth == 0 ? 0 : points - points / 2);
        cr_expect_eq(grade.trouble[0] != '\0', rung < least, "%s", grade.trouble);
        cr_expect_eq(strstr(grade.trouble, "worked example") != NULL, rung == 0);
        char note[100];
        snprintf(note, sizeof note, "counts %d %% of %d points", worth, points);
        cr_expect_eq(grade.note[0] != '\0', rung >= least && worth < 100 && points > 0);
        cr_expect(grade.note[0] == '\0' || strstr(grade.note, note) != NULL, "%s", grade.note);
    }
}
