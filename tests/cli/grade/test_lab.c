/* Tests of labs as files, of lines put together, and of texts that were cut: whatever stands at a bound is taken, and
 * what is one beyond is refused with its line.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grade/lab.h"
#include "grade/parsons.h"
#include "grade/result.h"
#include "ringsim_hang.h"
#include "sandbox/build.h"

static char top[] = "/tmp/ringsim-lab-XXXXXX";
static rs_arena arena;
static rs_error error;

static void begin(void) {
    rs_arena_init(&arena, NULL);
    cr_assert_not_null(mkdtemp(top));
    cr_assert_eq(chdir(top), 0);
    cr_assert_eq(mkdir("03-made", 0700), 0);
}
static void end(void) {
    rs_arena_free(&arena);
    unlink("03-made/lab");
    unlink("03-made/parsons");
    cr_assert_eq(rmdir("03-made"), 0);
    cr_assert_eq(rmdir(top), 0);
}
TestSuite(lab, .init = begin, .fini = end);

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

/* Reads a lab whose third line is this one. */
static rc_exit read_with(const char *line, rc_lab *lab) {
    char text[400];
    snprintf(text, sizeof text,
             "ringsim-lab 1\n# notes\n%s # and why\nmachine thin-wire 1MB\npart 1 sound 5\n", line);
    write_text("03-made/lab", text);
    return rc_read_lab(top, "3", &arena, &error, lab);
}

/* ------------------------------------------------------------------ a lab's lines */

Test(lab, numbers_up_to_their_bounds_are_taken_and_kept) {
    static const struct {
        const char *before, *after;
        int least, most;
    } lines[] = {
        {"part 2 sound ", "", 1, 128},      {"part 2 sound 1..", "", 1, 128},
        {"part 2 sound ", "..128", 1, 128}, {"part 2 job ", "", 1, RN_BROKEN_JOBS},
        {"part ", " sound 5", 0, 9999},     {"ranks ", "", 1, 1024},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        for (int which = -1; which <= 2; which++) {
            const bool fits = which == 0 || which == 1;
            const int value = which < 1 ? lines[i].least + which : lines[i].most + which - 1;
            char line[80];
            rc_lab lab;
            if (lines[i].most > 999 && which == 2) continue; /* no bound worth the name */
            snprintf(line, sizeof line, "%s%d%s", lines[i].before, value, lines[i].after);
            const rc_exit status = read_with(line, &lab);
            cr_assert_eq(status, fits ? RC_GOOD : RC_USAGE, "%s", line);
            if (!fits) cr_assert_not_null(strstr(error.text, "/lab:3: "), "%s", error.text);
            if (!fits || strncmp(line, "part 2", 6) != 0) continue;
            cr_assert_eq(lab.n_parts, 2);
            cr_assert_eq(lab.parts[0].points, 2);
            cr_assert(lab.parts[0].low == value || lab.parts[0].high == value);
        }
    }
}

Test(lab, what_is_no_line_of_a_lab_is_refused_with_its_number) {
    static const char *const lines[] = {"part",
                                        "part 2",
                                        "part x sound 5",
                                        "part 2 sound",
                                        "part 2 sound 9..2",
                                        "part 2 sound x",
                                        "part 2 bytes 1",
                                        "part 2 bytes 0.5 2",
                                        "part 2 bytes 2 2",
                                        "part 2 steps 1 1e7",
                                        "part 2 job",
                                        "part 2 job x",
                                        "part 2 what",
                                        "part 2 time ring 1 2",
                                        "ranks x",
                                        "machine thin-wire",
                                        "machine thin-wire 0",
                                        "machine thin-wire 9GB",
                                        "machine  1MB",
                                        "phase all-gather",
                                        "hand-in",
                                        "?"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        rc_lab lab;
        error.text[0] = '\0';
        cr_assert_eq(read_with(lines[i], &lab), RC_USAGE, "%s", lines[i]);
        cr_assert_not_null(strstr(error.text, "/lab:3: "), "%s: %s", lines[i], error.text);
    }
}

/* ------------------------------------------------------------------ lines put together */

Test(lab, lines_in_order_fill_a_source_to_its_last_byte) {
    enum { LINE = 1000 };
    static char lines[LINE + 40], letters[2 * RC_SOURCE_LIMIT];
    char *text, trouble[240];
    const size_t n_first = strlen("#include \"ring.h\"\n");
    rc_lab lab = {.id = "03", .folder = "03-made"};
    strcpy(lines, "a | \nb | ");
    memset(lines + strlen(lines), 'x', LINE);
    strcat(lines, "\n");
    write_text("03-made/parsons", lines);
    /* so many long lines, then short ones until nothing more fits */
    const size_t n_long = (RC_SOURCE_LIMIT - n_first) / (LINE + 1);
    memset(letters, 'b', n_long);
    size_t n = n_long, bytes = n_first + n_long * (LINE + 1);
    while (bytes + 2 <= RC_SOURCE_LIMIT) letters[n++] = 'a', bytes++;
    letters[n] = '\0';
    cr_assert_eq(rc_assemble(&lab, letters, &arena, &error, &text, trouble), RC_GOOD);
    cr_assert_str_empty(trouble);
    cr_assert_eq(strlen(text), bytes);
    letters[n++] = 'a';
    letters[n] = '\0';
    cr_assert_eq(rc_assemble(&lab, letters, &arena, &error, &text, trouble), RC_GOOD);
    cr_assert_str_not_empty(trouble);
    memset(letters, 'b', n_long + 1); /* a long one too many */
    letters[n_long + 1] = '\0';
    cr_assert_eq(rc_assemble(&lab, letters, &arena, &error, &text, trouble), RC_GOOD);
    cr_assert_str_not_empty(trouble);
}

/* ------------------------------------------------------------------ texts that were cut */

/* Fills a text to its end with characters of so many bytes, `shift` of one byte before them. */
static void fill(char *text, size_t n_text, const char *character, size_t shift) {
    const size_t n = strlen(character);
    memset(text, '-', shift);
    for (size_t at = shift; at < n_text - 1; at++) text[at] = character[(at - shift) % n];
    text[n_text - 1] = '\0';
}

/* Whole characters, then a question mark for each byte of one that was cut. */
static void is_whole(const char *text, size_t n_text, const char *character, size_t shift) {
    const size_t n = strlen(character), n_cut = (n_text - 1 - shift) % n;
    cr_assert_eq(strlen(text), n_text - 1);
    for (size_t at = 0; at < n_text - 1; at++) {
        const char wanted = at < shift                 ? '-'
                            : at >= n_text - 1 - n_cut ? '?'
                                                       : character[(at - shift) % n];
        cr_assert_eq(text[at], wanted, "byte %zu of %zu", at, n_text);
    }
}

Test(lab, texts_of_a_result_end_with_a_whole_character) {
    static const char *const characters[] = {"e", "\u00e9", "\u6b65", "\U0001d54f"};
    static rc_grade grade;
    for (size_t c = 0; c < 4; c++) {
        for (size_t shift = 0; shift < 4; shift++) {
            grade.n_parts = 2;
            char *const texts[] = {grade.parts[0].why, grade.parts[1].why, grade.trouble,
                                   grade.messages, grade.printed};
            for (size_t t = 0; t < 5; t++)
                fill(texts[t], t < 3 ? RC_WHY : RC_MESSAGES, characters[c], shift);
            rc_tidy_texts(&grade);
            for (size_t t = 0; t < 5; t++)
                is_whole(texts[t], t < 3 ? RC_WHY : RC_MESSAGES, characters[c], shift);
        }
    }
}
