/* class_print.c: a class in words: a line a student, then what it comes to: how many have all points, the mean, what most
 * of them missed. */
#include "base/text.h"
#include "grade/jobs/blame.h"
#include "grade/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct count {
    const char *text;
    int n, first; /* how often; where it is met first */
} count;

static int by_text(const void *left, const void *right) {
    return strcmp(((const count *)left)->text, ((const count *)right)->text);
}

/* Finds the text that is there most often; of several, the one that is met first. */
static count most_often(count counts[], int n) {
    count most = {.n = 0}, run = {.text = ""};
    if (n > 1) qsort(counts, (size_t)n, sizeof *counts, by_text);
    for (int i = 0; i < n; i++) {
        if (strcmp(counts[i].text, run.text) != 0) run = counts[i];
        if (counts[i].first < run.first) run.first = counts[i].first;
        run.n++;
        if (run.n > most.n || (run.n == most.n && run.first < most.first)) most = run;
    }
    return most;
}

/* Says which part, and which reason, cost points most often, of those who handed in something. */
static void print_missed(const rc_grade grades[], int n, int n_read) {
    count *parts = malloc((size_t)n * RC_MOST_PARTS * sizeof *parts);
    count *reasons = malloc((size_t)n * sizeof *reasons);
    int n_parts = 0, n_reasons = 0;
    for (int i = 0; parts != NULL && reasons != NULL && i < n; i++) {
        const rc_grade *g = &grades[i];
        if (g->unread || g->not_judged) continue;
        for (int k = 0; k < g->n_parts; k++) {
            const rc_part *part = &g->parts[k];
            const bool missed = part->points < part->most && !part->follows;
            if (missed) parts[n_parts] = (count){.text = part->title, .first = n_parts};
            n_parts += missed;
        }
        const char *reason = rc_main_reason(g);
        if (reason[0] != '\0') reasons[n_reasons++] = (count){.text = reason, .first = i};
    }
    const count part = most_often(parts, n_parts), reason = most_often(reasons, n_reasons);
    if (part.n > 0) printf(_("missed most, by %d of %d: %s\n"), part.n, n_read, part.text);
    if (reason.n > 1)
        printf(_("said most often, to %d of %d: %s\n"), reason.n, n_read, reason.text);
    free(parts);
    free(reasons);
}

void rc_print_class(const rc_grade grades[], int n) {
    const char *sandbox = "";
    int full = 0, not_judged = 0, n_read = 0, unread = 0;
    double sum = 0, most = 0;
    for (int i = 0; i < n; i++) {
        const rc_grade *g = &grades[i];
        char name[RC_STUDENT_TEXT + 8];
        snprintf(name, sizeof name, "%s%s", g->student, rc_is_ranks(g->file) ? ".ranks" : "");
        char points[16] = "  -";
        if (!g->not_judged) snprintf(points, sizeof points, "%3d", g->points);
        rc_print_padded(name, 24);
        printf(" %s/%d  %s\n", points, g->most, rc_main_reason(g));
        if (g->sandbox[0] != '\0') sandbox = g->sandbox; /* the same for all */
        full += !g->not_judged && g->points == g->most;
        not_judged += g->not_judged;
        unread += g->unread && !g->not_judged;
        if (g->unread || g->not_judged) continue;
        n_read++;
        sum += g->points;
        most += g->most;
    }
    printf(_("%d of %d with all points\n"), full, n);
    if (not_judged > 0) printf(_("%d not judged\n"), not_judged);
    if (unread > 0) printf(_("%d with nothing to grade\n"), unread);
    if (n_read > 1) {
        printf(_("mean of %d: %.1f of %.1f\n"), n_read, sum / n_read, most / n_read);
        print_missed(grades, n, n_read);
    }
    if (sandbox[0] != '\0') printf(_("sandbox: %s\n"), sandbox);
}
