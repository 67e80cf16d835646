/* report.c: prints results in words, as `make grade` shows them, and as CSV for a whole class.
 *
 *     == lab 05: Scatter-reduce: my_ring.c ==
 *     Score: 2/20
 *     N = 5: every sum is complete on one GPU: FAIL
 *         N = 5: Step 1: ...
 */
#include "base/text.h"
#include "grade/report.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

enum { INDENT = 4 };

const char *const rc_report_formats[] = {"text", "gradescope", "autolab", "junit", "csv", NULL};

/* Prints the text with every line indented; wrapped: on a terminal its lines end between words. */
static void print_lines(const char *text, int indent, bool wrapped, FILE *out) {
    char line[RC_MESSAGES];
    const bool wraps = wrapped && out == stdout && isatty(STDOUT_FILENO) == 1;
    while (*text != '\0') {
        const int n = (int)strcspn(text, "\n");
        fprintf(out, "%*s", indent, "");
        if (wraps && n > 0) {
            snprintf(line, sizeof line, "%.*s", n, text);
            rc_print_indented(line, indent, 80);
        } else {
            fprintf(out, "%.*s\n", n, text);
        }
        text += n;
        text += *text == '\n';
    }
}

static void print_part(const rc_part *part, FILE *out) {
    const char *how = part->points == part->most ? _("OK")
                      : part->points > 0         ? _("PART")
                      : part->follows            ? _("no points yet")
                                                 : _("FAIL");
    fprintf(out, _("%s: %s"), part->title, how);
    if (part->points > 0 && part->points < part->most)
        fprintf(out, _(", %d of %d points"), part->points, part->most);
    if (part->seconds >= 0) fprintf(out, _(" (%.1fs)"), part->seconds);
    fputc('\n', out);
    print_lines(part->why, INDENT, true, out);
}

/* Prints the beginning of what the submission printed: it counts for nothing, and must not hide what does. */
static void print_printed(const char *text, FILE *out) {
    enum { MOST_LINES = 8 };
    if (text[0] == '\0') return;
    fprintf(out, "%s\n", _("what the submission printed, which counts for nothing:"));
    for (int i = 0; i < MOST_LINES && *text != '\0'; i++) {
        const int n = (int)strcspn(text, "\n");
        fprintf(out, "    %.*s\n", n, text);
        text += n;
        text += *text == '\n';
    }
    if (*text != '\0') fprintf(out, "    ...\n");
}

/* Prints what kept the file from being graded; the compiler's own words follow where they say it. */
static void print_trouble(const rc_grade *grade, FILE *out) {
    if (grade->trouble[0] == '\0') return;
    const bool follows = strstr(grade->messages, grade->trouble) != NULL;
    print_lines(follows ? _("it does not compile, and nothing was asked:") : grade->trouble, 0,
                true, out);
}

static void print_one(const rc_grade *grade, const char *program, FILE *out) {
    const char *slash = strrchr(grade->file, '/');
    fprintf(out, _("== lab %s: %s: %s ==\n"), grade->lab, grade->title,
            slash != NULL ? slash + 1 : grade->file);
    if (!grade->not_judged) fprintf(out, _("Score: %d/%d\n"), grade->points, grade->most);
    if (grade->student[0] != '\0') {
        fprintf(out, _("numbers of %s, seed %s\n"), grade->student, grade->seed);
    }
    print_trouble(grade, out);
    print_lines(grade->messages, INDENT, false, out); /* carets stand below what they mean */
    for (int i = 0; i < grade->n_parts && !grade->not_judged; i++) {
        const rc_part *part = &grade->parts[i];
        const bool said = grade->trouble[0] != '\0' && part->why[0] == '\0' && part->points == 0;
        if (!said) print_part(part, out);
    }
    print_printed(grade->printed, out);
    if (grade->wrong_step >= 0) {
        fprintf(out, _("to see it: %s grade %s %s --show\n"), program, grade->lab, grade->file);
    }
    print_lines(grade->note, 0, true, out);
    if (grade->sandbox[0] != '\0') fprintf(out, _("sandbox: %s\n"), grade->sandbox);
}

/* Prints a field of CSV, quoted where it must be. A spreadsheet would run a formula: none goes out as one. */
static void print_field(const char *text, FILE *out) {
    const bool formula = text[0] != '\0' && strchr("=+-@", text[0]) != NULL;
    if (strpbrk(text, ",\"\n\r") == NULL && !formula) {
        fputs(text, out);
        return;
    }
    fputs(formula ? "\"'" : "\"", out);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
    fputc('"', out);
}

static void print_row(const rc_grade *g, int n_parts, FILE *out) {
    const char *rung = g->unread                    ? ""
                       : g->rung == RC_RUNG_EXAMPLE ? "example"
                                                    : rc_rungs[g->rung - 1];
    print_field(g->student, out);
    fputc(',', out);
    print_field(g->file, out);
    fprintf(out, ",%s,", g->lab);
    if (!g->not_judged) fprintf(out, "%d", g->points);
    fprintf(out, ",%d,%.2f,", g->most, g->seconds);
    print_field(rc_main_reason(g), out);
    fputc(',', out);
    print_field(g->sandbox, out);
    fprintf(out, ",%s", rung);
    for (int i = 0; i < n_parts; i++) {
        fputc(',', out);
        if (i < g->n_parts && !g->not_judged) fprintf(out, "%d", g->parts[i].points);
    }
    fputc('\n', out);
}

static void print_csv(const rc_grade grades[], int n, FILE *out) {
    int n_parts = 0;
    for (int i = 0; i < n; i++) n_parts = grades[i].n_parts > n_parts ? grades[i].n_parts : n_parts;
    fputs("student,file,lab,points,most,seconds,reason,sandbox,rung", out);
    for (int i = 0; i < n_parts; i++) fprintf(out, ",part%d", i + 1);
    fputc('\n', out);
    for (int i = 0; i < n; i++) print_row(&grades[i], n_parts, out);
}

void rc_report(int format, const rc_grade grades[], int n_grades, const char *program, FILE *out) {
    assert(n_grades >= 1);
    switch (format) {
    case RC_REPORT_CSV: print_csv(grades, n_grades, out); return;
    case RC_REPORT_GRADESCOPE: rc_report_gradescope(&grades[0], out); return;
    case RC_REPORT_JUNIT: rc_report_junit(grades, n_grades, out); return;
    default: break;
    }
    for (int i = 0; i < n_grades; i++) print_one(&grades[i], program, out);
    if (format == RC_REPORT_AUTOLAB) rc_report_autolab(&grades[0], out);
}
