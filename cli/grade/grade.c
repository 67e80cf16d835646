/* grade.c: takes one submission from its file to its points.
 *
 *     build --> questions of a part --> the sandbox --> answers --> judged, case by case --> points
 *
 *   - One run asks for all schedules of a lab. Each single function has a run of its own: one that never
 *     ends costs only its own points.
 *   - A part gives its points when every case is right. `bytes` and `steps` count only when all schedules are sound.
 *   - The compiler's warnings are shown, and cost nothing.
 */
#include "base/text.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "grade/jobs/blame.h"
#include "grade/parsons.h"
#include "grade/question.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ titles */

static void name_part(const rc_lab *lab, const rc_lab_part *part, rc_part *out) {
    char *t = out->title;
    char sizes[32];
    const size_t n = sizeof out->title;
    out->most = part->points;
    out->seconds = -1;
    switch (part->check) {
    case RC_PART_BYTES: snprintf(t, n, "%s", _("no more bytes than needed")); break;
    case RC_PART_TIME: snprintf(t, n, _("fast on the machine %.40s"), lab->machine); break;
    case RC_PART_STEPS: snprintf(t, n, "%s", _("no more steps than needed")); break;
    case RC_PART_VALUES:
        snprintf(t, n, _("%.32s(): %d questions"), part->function,
                 rc_count_questions(&rc_value_checks[rc_find_value_check(part->function)]));
        break;
    case RC_PART_JOB: snprintf(t, n, _("job %d: which rank, and at which line"), part->low); break;
    case RC_PART_SOUND:
        snprintf(sizes, sizeof sizes, "%d..%d", part->low, part->high);
        if (part->low == part->high) sizes[strcspn(sizes, ".")] = '\0';
        snprintf(t, n,
                 lab->first_phase_only ? _("N = %s: every sum is complete on one GPU")
                                       : _("N = %s: every GPU ends with every sum"),
                 sizes);
        break;
    }
}

void rc_name_parts(const rc_lab *lab, rc_grade *grade) {
    grade->n_parts = lab->n_parts;
    for (int i = 0; i < lab->n_parts; i++) name_part(lab, &lab->parts[i], &grade->parts[i]);
}

/* ------------------------------------------------------------------ the whole */

/* Leaves a compiler's first error: what follows often comes of it. */
static void cut_messages(char *messages) {
    char *at = strstr(messages, " error: ");
    if (at != NULL) at = strstr(at + 1, " error: ");
    while (at != NULL && at > messages && at[-1] != '\n') at--;
    if (at != NULL) *at = '\0';
}

/* Tells whether the name ends as those of another language do. */
static bool is_other_language(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    return strchr(name, '.') > name && !rc_ends_with(name, ".c") && !rc_ends_with(name, ".txt") &&
           !rc_is_parsons(name);
}

static rc_exit grade_program(rc_grading *g) {
    const rc_lab *lab = g->lab;
    rc_grade *grade = g->grade;
    const char *said = g->build.said.data;
    if (g->build.built && g->build.n_warnings > 0)
        snprintf(grade->messages, RC_MESSAGES, "%s\n",
                 _("warnings cost no points; what they warn of may:"));
    /* what the linker says beside our own sentence is noise */
    if (g->build.built || (said != NULL && strstr(said, g->build.error) != NULL))
        rc_keep_said(grade->messages, &g->build.said);
    rc_sandbox_text(&g->build.sandbox, grade->sandbox, sizeof grade->sandbox);
    if (!g->build.built) {
        cut_messages(grade->messages);
        snprintf(grade->trouble, RC_WHY, "%s", g->build.error);
        if (is_other_language(g->path)) {
            grade->messages[0] = '\0'; /* what a C compiler says of it helps nobody */
            snprintf(grade->trouble, RC_WHY,
                     _("%s is no C: lab %s asks for a file in C, like my.c"), grade->file, lab->id);
        }
        return RC_GOOD;
    }
    rc_exit status = rc_grade_plans(g);
    for (int i = 0; i < lab->n_parts && status == RC_GOOD; i++) {
        if (lab->parts[i].check == RC_PART_VALUES) {
            status = rc_grade_values(g, &lab->parts[i], &grade->parts[i]);
        }
    }
    return status;
}

static void add_up(rc_grade *grade) {
    for (int i = 0; i < grade->n_parts; i++) {
        const rc_part *part = &grade->parts[i];
        assert(part->points >= 0 && part->points <= part->most);
        grade->points += part->points;
        grade->most += part->most;
    }
}

/* Builds the submission: a C file, or the letters of lines that make one. */
static rc_exit build(rc_grading *g) {
    const char *path = g->path;
    char *text;
    size_t n_bytes;
    rc_exit status = rc_read_submission(path, g->site->n_root, RC_SOURCE_LIMIT, g->arena, g->error,
                                        &text, &n_bytes);
    if (status == RC_GOOD && rc_is_lines(path)) {
        snprintf(
            g->build.error, sizeof g->build.error,
            _("these are the lines themselves, in no order; write their letters, in order, into my.parsons, "
              "like this: a b C d; then hand that in"));
        return RC_GOOD;
    }
    if (status == RC_GOOD && rc_is_parsons(path)) {
        const char *letters = text;
        status = rc_assemble(g->lab, letters, g->arena, g->error, &text, g->build.error);
        if (status != RC_GOOD || g->build.error[0] != '\0') return status;
        n_bytes = strlen(text);
    }
    if (status != RC_GOOD) return status;
    g->text = text;
    return rc_build_text(g->site, path, text, n_bytes, g->arena, g->error, &g->build);
}

static rc_exit build_and_grade(rc_grading *g) {
    rc_exit status = build(g);
    if (status != RC_GOOD) return status;
    status = grade_program(g);
    rc_build_free(&g->build);
    return status;
}

/* Judges who broke the lab's jobs. */
static rc_exit grade_blame(rc_grading *g) {
    rc_blame_line said[RN_BROKEN_JOBS];
    char *text, why[RC_BLAME_TEXT];
    size_t n_bytes;
    rc_exit status = rc_read_submission(g->path, g->site->n_root, RC_BLAME_BYTES, g->arena,
                                        g->error, &text, &n_bytes);
    if (status != RC_GOOD) return status;
    rc_read_blame(text, n_bytes, said, why);
    snprintf(g->grade->trouble, RC_WHY, "%s", why);
    for (int i = 0; i < g->lab->n_parts && g->grade->trouble[0] == '\0' && status == RC_GOOD; i++) {
        const int job = g->lab->parts[i].low - 1;
        rc_part *part = &g->grade->parts[i];
        status = rc_exit_of(rc_judge_blame(g->random.state, job, &said[job], part->most, g->arena,
                                           g->error, &part->points, part->why));
    }
    return status;
}

rc_exit rc_grade_one(const rc_site *site, const rc_lab *whole, const rc_submission *submission,
                     rs_arena *arena, rs_error *error, rc_grade *grade, rs_schedule *replay) {
    assert(whole->n_parts >= 1 && whole->n_parts <= RC_MOST_PARTS);
    const double begin = rc_now_s();
    rc_grading *g = rs_alloc(arena, 1, sizeof *g);
    rc_lab *lab = rs_alloc(arena, 1, sizeof *lab);
    if (g == NULL || lab == NULL) return rc_no_memory(error);
    *lab = rc_lab_for(whole, submission->path);
    if (lab->n_parts == 0 || (lab->asks == 0 && rc_ends_with(submission->path, ".c"))) {
        return rc_fail(error, RC_USAGE, _("lab %s asks for no file of this kind: %.200s"), lab->id,
                       submission->path);
    }
    *grade = (rc_grade){.wrong_step = -1};
    *replay = (rs_schedule){.n_ranks = 0};
    *g = (rc_grading){.site = site,
                      .lab = lab,
                      .path = submission->path,
                      .arena = arena,
                      .error = error,
                      .grade = grade,
                      .replay = replay,
                      .random = submission->random};
    snprintf(grade->lab, sizeof grade->lab, "%s", lab->id);
    snprintf(grade->title, sizeof grade->title, "%s", lab->title);
    snprintf(grade->student, sizeof grade->student, "%.255s", submission->student);
    rc_plain(submission->path, true, grade->file, sizeof grade->file);
    snprintf(grade->seed, sizeof grade->seed, "%llu", (unsigned long long)submission->random.state);
    rc_name_parts(lab, grade);
    rc_exit status;
    if (rc_is_ranks(submission->path)) {
        status = grade_blame(g);
    } else if (lab->asks == 0) {
        status = rc_grade_file(g);
    } else {
        status = build_and_grade(g);
    }
    if (status == RC_LACKS && site->sandbox == RC_INTERPRETED && lab->asks != 0) {
        grade->not_judged = true;
        rs_error_said(error, rv_gettext, grade->trouble, 400);
        for (int i = 0; i < grade->n_parts; i++) grade->parts[i].points = 0;
    }
    if (status == RC_GOOD || grade->not_judged) rc_tidy_texts(grade);
    if (status == RC_GOOD || grade->not_judged) add_up(grade);
    grade->rung = rc_rung_of(g);
    if (status == RC_GOOD) rc_count_rung(g);
    grade->seconds = rc_now_s() - begin;
    return status;
}
