/* rung.c: on which rung of the ladder a submission stands, and what that is worth.
 *
 *     example      the worked example, handed in as it is: no points
 *     parsons      letters of lines
 *     fill         all the lines that fill.c gives are in it
 *     whole        everything else
 *
 *   - Code is compared without its comments and spaces.
 *   - Who gives the given lines other names has written them anew: that is the whole function.
 */
#define _GNU_SOURCE 1 /* strsep: BSD */
#include "base/text.h"
#include "grade/grading.h"
#include "grade/jobs/blame.h"
#include "grade/parsons.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

const char *const rc_rungs[] = {"parsons", "fill", "whole", NULL};

enum { SHORT = 8 /* a line of fewer letters may be in any program */ };

/* Writes the code of a text without comments and spaces; `#` begins a comment in a schedule. Returns out. */
static char *code_of(const char *text, bool schedule, char *out) {
    char *at = out;
    for (const char *c = text; *c != '\0'; c++) {
        if ((schedule && *c == '#') || strncmp(c, "//", 2) == 0) {
            c += strcspn(c, "\n");
            if (*c == '\0') break;
        } else if (!schedule && strncmp(c, "/*", 2) == 0) {
            const char *end = strstr(c + 2, "*/");
            if (end == NULL) break;
            c = end + 1;
        } else if (!isspace((unsigned char)*c)) {
            *at++ = *c;
        }
    }
    *at = '\0';
    return out;
}

/* Tells whether all lines that fill.c gives stand in the code; those to be filled in are between markers, or
   marked in the students' copy. */
static bool has_given_lines(const rc_grading *g, const char *code) {
    char *fill = rc_lab_text(g->lab, "fill.c", g->arena), *line = NULL;
    bool solution = false;
    int n_given = 0;
    char *own = fill == NULL ? NULL : rs_alloc(g->arena, strlen(fill) + 1, 1);
    while (own != NULL && (line = strsep(&fill, "\n")) != NULL) {
        if (strstr(line, "BEGIN SOLUTION") != NULL) solution = true;
        if (strstr(line, "END SOLUTION") != NULL) solution = false;
        const bool yours = strstr(line, "/* yours */") != NULL;
        const char *words = line + strspn(line, " ");
        const bool comment = strncmp(words, "/*", 2) == 0 || words[0] == '*' || words[0] == '#';
        if (solution || yours || comment || strlen(code_of(line, false, own)) < SHORT) continue;
        if (strstr(code, own) == NULL) return false;
        n_given++;
    }
    return n_given > 0;
}

static bool is_example(const rc_grading *g, const char *code, bool schedule) {
    char *example = rc_lab_text(g->lab, schedule ? "example.sched" : "example.c", g->arena);
    if (example == NULL) return false;
    char *own = rs_alloc(g->arena, strlen(example) + 1, 1);
    return own != NULL && strcmp(code_of(example, schedule, own), code) == 0;
}

rc_rung rc_rung_of(const rc_grading *g) {
    char *text;
    size_t n_bytes;
    rs_error ignored;
    const bool schedule = g->lab->asks == 0;
    if (rc_is_parsons(g->path)) return RC_RUNG_PARSONS;
    if (rc_is_ranks(g->path)) return RC_RUNG_WHOLE;
    if (rc_read_submission(g->path, g->site->n_root, RC_TEXT_LIMIT, g->arena, &ignored, &text,
                           &n_bytes) != RC_GOOD) {
        return RC_RUNG_WHOLE; /* whoever grades it says why */
    }
    char *code = rs_alloc(g->arena, n_bytes + 1, 1);
    if (code == NULL) return RC_RUNG_WHOLE;
    code_of(text, schedule, code);
    if (is_example(g, code, schedule)) return RC_RUNG_EXAMPLE;
    return has_given_lines(g, code) ? RC_RUNG_FILL : RC_RUNG_WHOLE;
}

void rc_count_rung(const rc_grading *g) {
    rc_grade *grade = g->grade;
    const rc_ladder *asked = &g->lab->ladder;
    const int rung = (int)grade->rung;
    assert(rung >= RC_RUNG_EXAMPLE && rung <= RC_RUNG_WHOLE);
    int percent = rung == RC_RUNG_EXAMPLE ? 0 : asked->percent[rung - 1];
    if (rung == RC_RUNG_EXAMPLE) {
        snprintf(grade->trouble, RC_WHY, "%s",
                 _("this is the worked example as it was given: no points"));
    } else if (rung < (int)asked->least) {
        percent = 0;
        snprintf(grade->trouble, RC_WHY, _("handed in: %s; asked for: %s or above: no points"),
                 rc_rungs[rung - 1], rc_rungs[asked->least - 1]);
    } else if (percent < 100 && grade->points > 0) {
        snprintf(grade->note, sizeof grade->note, _("rung %s: counts %d %% of %d points"),
                 rc_rungs[rung - 1], percent, grade->points);
    }
    for (int i = 0; percent == 0 && i < grade->n_parts; i++) grade->parts[i].points = 0;
    grade->points = grade->points * percent / 100;
}
