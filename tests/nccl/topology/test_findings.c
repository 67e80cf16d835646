/* test_findings.c: of many findings the first are kept, errors before all others; all are counted, and it is said how many
 * are not shown.
 */
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/session.h"

enum { MOST = 120 };

/* A finding with its place among those that were told. */
typedef struct told {
    int line, number;
    rn_level level;
} told;
static told all[MOST];
static rn_findings findings;

/* Draws so many, with as many lines and levels to choose from; puts them into `all` and into the findings. */
static void draw(int n, int n_lines, int n_levels) {
    findings = (rn_findings){.n_kept = 0};
    for (int i = 0; i < n; i++) {
        all[i] = (told){1 + session_below(n_lines), i,
                        (rn_level)(RN_N_LEVELS - 1 - session_below(n_levels))};
        rn_find(&findings, all[i].level, all[i].line, "number %d", i);
    }
}

static int by_weight(const void *left, const void *right) {
    const told *a = left, *b = right;
    if (a->level != b->level) return (int)a->level - (int)b->level;
    if (a->line != b->line) return a->line - b->line;
    return a->number - b->number;
}

static int count(int n, rn_level level) {
    int of = 0;
    for (int i = 0; i < n; i++) of += all[i].level == level;
    return of;
}

static bool is_kept(const told *one) {
    char text[40];
    snprintf(text, sizeof text, "number %d", one->number);
    for (int i = 0; i < findings.n_kept; i++) {
        const rn_finding *found = &findings.list[i];
        if (strcmp(found->said.text, text) == 0)
            return found->line == one->line && found->level == one->level;
    }
    return false;
}

Test(findings, keep_errors_before_warnings_before_notes) {
    session_begin(3);
    for (int k = 0; k < 2000; k++) {
        const int n = session_below(MOST), n_levels = 1 + session_below(RN_N_LEVELS);
        draw(n, 1 + session_below(60), n_levels);
        for (int level = 0; level < RN_N_LEVELS; level++)
            cr_assert_eq(findings.n[level], count(n, (rn_level)level));
        const int most = RN_MOST_FINDINGS;
        cr_assert_eq(findings.n_kept, n < most ? n : most);
        for (int i = 1; i < findings.n_kept; i++) {
            const rn_finding *a = &findings.list[i - 1], *b = &findings.list[i];
            cr_assert(a->level < b->level || (a->level == b->level && a->line <= b->line));
        }
        qsort(all, (size_t)n, sizeof *all, by_weight);
        for (int i = 0; i < n; i++) cr_assert_eq(is_kept(&all[i]), i < most, "%d of %d", i, n);
    }
}

Test(findings, that_are_no_errors_are_shown_and_the_rest_counted) {
    static const char *const levels[] = {"error", "warning", "note"};
    static char out[1 << 14], want[1 << 14];
    session_begin(4);
    cr_redirect_stderr();
    size_t used = 0;
    for (int n = 36; n <= 46; n += 2) {
        draw(n, 50, 2);
        if (n % 4 == 0) rn_find(&findings, RN_ERROR, 7, "an error");
        int n_shown = 0;
        for (int i = 0; i < findings.n_kept; i++) {
            const rn_finding *found = &findings.list[i];
            if (found->level == RN_ERROR) continue;
            used +=
                (size_t)snprintf(want + used, sizeof want - used, "ringsim: box.xml:%d: %s: %s\n",
                                 (int)found->line, levels[found->level], found->said.text);
            n_shown++;
        }
        if (n_shown < n)
            used += (size_t)snprintf(want + used, sizeof want - used,
                                     "ringsim: and %d more such lines\n", n - n_shown);
        rc_print_findings(&findings, "box.xml");
    }
    fflush(stderr);
    out[fread(out, 1, sizeof out - 1, cr_get_redirected_stderr())] = '\0';
    cr_expect_str_eq(out, want);
}

Test(findings, the_first_error_is_told_with_how_many_there_are) {
    rs_error error = {.text = ""};
    for (int k = 0; k < 8; k++) {
        const int n = k / 2;
        findings = (rn_findings){.n_kept = 0};
        error.text[0] = '\0';
        if (k % 2 == 0) rn_find(&findings, RN_WARNING, 1, "a warning");
        for (int i = n; i > 0; i--) rn_find(&findings, RN_ERROR, 10 * i, "error %d", i);
        const rs_status status = rn_first_error(&findings, "box.xml", &error);
        cr_expect_eq(status, n > 0 ? RS_BAD_INPUT : RS_OK);
        char want[100] = "";
        if (n == 1) strcpy(want, "box.xml:10: error 1");
        if (n > 1)
            snprintf(want, sizeof want, "box.xml:10: error 1 (errors besides this one: %d)", n - 1);
        cr_expect_str_eq(error.text, want);
    }
}
