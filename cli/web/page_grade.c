/* page_grade.c: what batch.c, collect.c and report_machines.c are elsewhere: a page grades one file, by the interpreter, in
 * words, for whoever wrote it. Classes, and reports for other machines, are the program's.
 */
#include "base/json_file.h"
#include "base/text.h"
#include "grade/batch.h"
#include "grade/jobs/blame.h"
#include "grade/report.h"

static rc_exit not_in_page(rs_error *error, const char *what) {
    return rc_fail(error, RC_LACKS, _("%s: not in a page; the program on a computer does it"),
                   what);
}

rc_exit rc_collect(const rc_lab *lab, char *const paths[], int n_paths, rs_arena *arena,
                   rs_error *error, rc_entry **entries, int *n_entries, bool *is_class,
                   rc_left_out *left_out) {
    (void)lab;
    if (n_paths > 1) return not_in_page(error, "grade FILE FILE...");
    rc_entry *entry = rs_alloc(arena, 1, sizeof *entry);
    if (entry == NULL) return rc_no_memory(error);
    *entry = (rc_entry){.refused = RC_TAKEN};
    snprintf(entry->path, sizeof entry->path, "%s", paths[0]);
    *entries = entry;
    *n_entries = 1;
    *is_class = false;
    *left_out = (rc_left_out){.n = 0};
    return RC_GOOD;
}

/* page.js shows it as a list, in which a mark stands before each part. */
static void write_report(const rc_grade *grade, bool runs) {
    FILE *out = fopen("report.json", "w");
    if (out == NULL) return;
    rs_json json;
    rs_json_begin(&json, rc_write_to_file, out);
    rs_json_object(&json, NULL);
    rs_json_integers(&json, {"points", grade->points}, {"most", grade->most}, {"runs", runs});
    rs_json_integers(&json, {"judged", !grade->not_judged}, {"wrong", grade->wrong_step >= 0});
    rs_json_text(&json, "title", grade->title);
    rs_json_text(&json, "trouble", grade->trouble);
    rs_json_text(&json, "messages", grade->messages);
    rs_json_text(&json, "printed", grade->printed);
    rs_json_text(&json, "note", grade->note);
    rs_json_array(&json, "parts");
    for (int i = 0; i < grade->n_parts; i++) {
        const rc_part *part = &grade->parts[i];
        rs_json_object(&json, NULL);
        rs_json_integers(&json, {"points", part->points}, {"most", part->most},
                         {"follows", part->follows});
        rs_json_text(&json, "title", part->title);
        rs_json_text(&json, "why", part->why);
        rs_json_close(&json);
    }
    rs_json_close(&json);
    rc_json_end(&json);
    fclose(out);
}

rc_exit rc_call_roll(const char *file, rs_arena *arena, rs_error *error, rc_entry **entries,
                     int *n_entries) {
    (void)file, (void)arena, (void)entries, (void)n_entries;
    return not_in_page(error, "--roster");
}

rc_exit rc_grade_entry(const rc_course *course, const rc_entry *entry, rs_arena *arena,
                       rs_error *error, rc_grade *grade, rs_schedule *replay) {
    rc_site site = course->site;
    const rc_random random = course->random != NULL ? *course->random : (rc_random){.state = 0};
    const rc_submission submission = {.path = entry->path, .student = "", .random = random};
    site.sandbox = RC_INTERPRETED;
    const rc_exit status =
        rc_grade_one(&site, course->lab, &submission, arena, error, grade, replay);
    if (status == RC_GOOD || grade->not_judged) write_report(grade, replay->n_ranks > 0);
    return status;
}

rc_exit rc_grade_class(rc_course *course, const rc_entry entries[], int n_entries, int n_jobs,
                       const rs_host *host, rs_arena *arena, rs_error *error, rc_grade grades[]) {
    (void)course, (void)entries, (void)n_entries, (void)n_jobs, (void)host, (void)arena;
    (void)error, (void)grades;
    return RC_LACKS; /* rc_collect never says that it is a class */
}

static void not_here(FILE *out) {
    fprintf(out, _("%s: not in a page; the program on a computer does it"), "--format");
    fputc('\n', out);
}

void rc_report_gradescope(const rc_grade *grade, FILE *out) {
    (void)grade;
    not_here(out);
}

void rc_report_autolab(const rc_grade *grade, FILE *out) {
    (void)grade;
    not_here(out);
}

void rc_report_junit(const rc_grade grades[], int n_grades, FILE *out) {
    (void)grades, (void)n_grades;
    not_here(out);
}

/* ------------------------------------------------------------------ broken jobs */

bool rc_is_ranks(const char *path) {
    return rc_ends_with(path, ".ranks");
}

void rc_read_blame(char *text, size_t n_bytes, rc_blame_line said[RN_BROKEN_JOBS],
                   char trouble[RC_BLAME_TEXT]) {
    (void)text, (void)n_bytes, (void)said;
    snprintf(trouble, RC_BLAME_TEXT, _("%s: not in a page; the program on a computer does it"),
             "grade FILE.ranks");
}

rs_status rc_judge_blame(uint64_t seed, int job, const rc_blame_line *said, int most,
                         rs_arena *arena, rs_error *error, int *points, char why[RC_BLAME_TEXT]) {
    (void)seed, (void)job, (void)said, (void)most, (void)arena, (void)error, (void)points,
        (void)why;
    return RS_OK; /* rc_read_blame has said that it cannot be */
}

rc_exit rc_hand_out(rc_session *session, uint64_t seed, const char *folder) {
    (void)seed, (void)folder;
    return not_in_page(session->error, "grade --dump");
}
