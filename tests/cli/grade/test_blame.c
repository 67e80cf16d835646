/* Tests of a lab's broken jobs: what is handed out is decided by the judge of hangs, and what it says gets all points;
 * what others answer does not, and is told why.
 */
#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grade/grade.h"
#include "support/printed.h"
#include "ringsim_hang.h"

enum { TEXT = 400 };

static char top[] = "/tmp/ringsim-ranks-XXXXXX";
static rs_arena arena;
static rs_error error;
static rc_lab lab = {.id = "11", .ladder = {.percent = {100, 100, 100}}, .n_parts = RN_BROKEN_JOBS};

static void begin(void) {
    rs_arena_init(&arena, NULL);
    cr_assert_not_null(mkdtemp(top));
    cr_assert_eq(chdir(top), 0);
    for (int i = 0; i < RN_BROKEN_JOBS; i++) {
        lab.parts[i] = (rc_lab_part){.check = RC_PART_JOB, .points = 2, .low = i + 1};
    }
}
static void end(void) {
    rs_arena_free(&arena);
    unlink("my.ranks");
    cr_assert_eq(rmdir(top), 0);
}
TestSuite(ranks, .init = begin, .fini = end);

/* ------------------------------------------------------------------ a student's jobs, as the judge sees them */

static rn_dump written(const rn_dump *dump) {
    page out = {0};
    rn_dump read;
    cr_assert_eq(rn_write_recorder(dump, 0, &arena, &error, keep, &out), RS_OK);
    cr_assert_eq(rn_read_recorder(out.text, out.n, &arena, &arena, &error, &read), RS_OK);
    read.rank = dump->rank;
    free(out.text);
    return read;
}

static rn_hang judge(const rn_broken_job *job) {
    rn_dump dumps[RN_BROKEN_RANKS];
    int32_t n, lines[2];
    rn_hang hang;
    cr_assert_eq(rn_break_job(job, &arena, &error, dumps, &n, lines), RS_OK);
    for (int32_t i = 0; i < n; i++) dumps[i] = written(&dumps[i]);
    cr_assert_eq(rn_judge_hang(dumps, n, NULL, &arena, &error, &hang), RS_OK);
    cr_assert_eq(hang.n_culprits, 1);
    return hang;
}

static const char *where_of(const rn_hang *hang) {
    return hang->verdict == RN_HANG_SILENT_RANK ? hang->others.where : hang->culprits[0].where;
}

static rc_random random_of(const char *student) {
    return rc_random_of("a secret of the course", 22, student, "11", "", 0);
}

/* Writes down what the judge says of all five jobs. */
static void answers_of(const char *student, char out[TEXT]) {
    rn_broken_job jobs[RN_BROKEN_JOBS];
    size_t at = 0;
    rn_broken_jobs(random_of(student).state, jobs);
    for (int i = 0; i < RN_BROKEN_JOBS; i++) {
        const rn_hang hang = judge(&jobs[i]);
        at += (size_t)snprintf(out + at, TEXT - at, "%d %d %s\n", i + 1, (int)hang.culprits[0].rank,
                               where_of(&hang));
    }
}

static rc_grade grade(const char *student, const char *text, size_t n_bytes) {
    static const rc_site site = {.lessons = "."};
    const rc_submission submission = {
        .path = "my.ranks", .student = student, .random = random_of(student)};
    rc_grade out;
    rs_schedule replay;
    FILE *file = fopen("my.ranks", "w");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(text, 1, n_bytes, file), n_bytes);
    fclose(file);
    cr_assert_eq(rc_grade_one(&site, &lab, &submission, &arena, &error, &out, &replay), RC_GOOD,
                 "%s", error.text);
    cr_assert_eq(out.most, 10);
    return out;
}

/* ------------------------------------------------------------------ points */

Test(ranks, what_the_judge_says_gets_all_points_and_another_students_answer_does_not) {
    char own[TEXT], others[TEXT], student[32];
    answers_of("nobody", others);
    for (int i = 0; i < 20; i++) {
        snprintf(student, sizeof student, "student %d", i);
        answers_of(student, own);
        cr_expect_eq(grade(student, own, strlen(own)).points, 10, "%s: %s", student, own);
        cr_expect_lt(grade(student, others, strlen(others)).points, 8, "%s", student);
        rs_arena_free(&arena);
        rs_arena_init(&arena, NULL);
    }
}

Test(ranks, a_rank_without_its_line_is_half) {
    char own[TEXT], half[TEXT] = "# job, rank\n";
    answers_of("ann", own);
    for (char *line = own, *next; (next = strchr(line, '\n')) != NULL; line = next + 1) {
        char *where = strrchr(strtok(line, "\n"), ' ');
        *where = '\0';
        strcat(strcat(half, line), "   # no line\r\n");
    }
    const rc_grade g = grade("ann", half, strlen(half));
    cr_expect_eq(g.points, 5);
    cr_expect(strstr(g.parts[0].why, "which line it is counts, too") != NULL, "%s", g.parts[0].why);
}

/* ------------------------------------------------------------------ wrong answers */

/* Finds a student and a job of a kind in which the culprit is rank 0, or is not; returns the job's number. */
static int job_of(rn_hang_verdict kind, bool rank_0, char student[32], rn_broken_job *found) {
    for (int i = 0; i < 1000; i++) {
        rn_broken_job jobs[RN_BROKEN_JOBS];
        snprintf(student, 32, "student %d", i);
        rn_broken_jobs(random_of(student).state, jobs);
        for (int k = 0; k < RN_BROKEN_JOBS; k++) {
            if (jobs[k].kind != kind || (jobs[k].rank == 0) != rank_0) continue;
            *found = jobs[k];
            return k + 1;
        }
    }
    cr_assert_fail("there is none");
    return 0;
}

static void expect_reason(const char *student, int job, int points, const char *reason,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));
static void expect_reason(const char *student, int job, int points, const char *reason,
                          const char *format, ...) {
    char text[TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const rc_part part = grade(student, text, strlen(text)).parts[job - 1];
    cr_expect_eq(part.points, points, "%s: %d", text, part.points);
    cr_expect(strstr(part.why, reason) != NULL, "%s: %s", text, part.why);
}

Test(ranks, wrong_ranks_are_told_what_they_overlook) {
    char who[32];
    rn_broken_job job;
    int k = job_of(RN_HANG_MISSING_CALL, true, who, &job);
    expect_reason(who, k, 0, "the first rank is not the truth", "%d 1", k);
    expect_reason(who, k, 0, "who does something else", "%d 2", k);
    expect_reason(who, k, 0, "there is no rank", "%d %d", k, (int)job.n_ranks);
    expect_reason(who, k, 0, "there is no rank", "%d -1", k);
    k = job_of(RN_HANG_SWAPPED, false, who, &job);
    expect_reason(who, k, 0, "is the first that waits", "%d 0", k);
    k = job_of(RN_HANG_EXTRA_CALL, false, who, &job);
    expect_reason(who, k, 0, "one too many there", "%d 0", k);
    k = job_of(RN_HANG_SILENT_RANK, false, who, &job);
    expect_reason(who, k, 0, "every rank that has a dump", "%d 0", k);
}

Test(ranks, wrong_lines_are_told_what_they_overlook) {
    char who[32];
    rn_broken_job job;
    rn_dump dumps[RN_BROKEN_RANKS];
    int32_t n, lines[2];
    const int k = job_of(RN_HANG_MISSING_CALL, false, who, &job);
    cr_assert_eq(rn_break_job(&job, &arena, &error, dumps, &n, lines), RS_OK);
    const rn_dump *own = &dumps[job.rank], *first = &dumps[0];
    int64_t i = 0;
    const rn_call *a, *b;
    do { /* of the group of all */
        a = &own->calls[i], b = &first->calls[i];
        i++;
    } while (a->group != 0 || strcmp(own->words[a->where], first->words[b->where]) == 0);
    expect_reason(who, k, 1, "calls of equal numbers differ first", "%d %d %s", k, (int)job.rank,
                  own->words[a->where]);
    const rn_call *last = &own->calls[own->n_calls - 1];
    cr_assert_neq(last->state, RN_CALL_COMPLETED);
    expect_reason(who, k, 1, "it waits now", "%d %d %s", k, (int)job.rank, own->words[last->where]);
    expect_reason(who, k, 1, "train.py:9999 is not the line", "%d %d 9999", k, (int)job.rank);
}

/* ------------------------------------------------------------------ files that are none */

Test(ranks, malformed_files_get_one_line) {
    static const struct {
        const char *text, *trouble;
    } files[] = {
        {"", "no line names a job"},
        {"# 1 2\n\n  \n", "no line names a job"},
        {"one two\n", "line 1: a line is written"},
        {"1 2\n2\n", "line 2: a line is written"},
        {"1 2 train.py:4 and more\n", "line 1: a line is written"},
        {"1 2 other.py:4\n", "line 1: a line is written"},
        {"1 2 train.py:\n", "line 1: a line is written"},
        {"1 2 train.py:-4\n", "line 1: a line is written"},
        {"1 2 9999999999999999999999\n", "line 1: a line is written"},
        {"1 2.5\n", "line 1: a line is written"},
        {"99999999999999999999 2\n", "line 1"},
        {"0 2\n", "line 1: there are jobs 1..5"},
        {"6 2\n", "line 1: there are jobs 1..5"},
        {"1 2\n1 3\n", "line 2: job 1 has a line above"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const rc_grade g = grade("ann", files[i].text, strlen(files[i].text));
        cr_expect_eq(g.points, 0);
        cr_expect(strstr(g.trouble, files[i].trouble) != NULL, "%s: %s", files[i].text, g.trouble);
        cr_expect(strchr(g.trouble, '\n') == NULL);
    }
    cr_expect(strstr(grade("ann", "1 2\n\0", 5).trouble, "byte 5 is 0") != NULL);
    char own[TEXT], marked[TEXT + 4];
    answers_of("ann", own);
    snprintf(marked, sizeof marked, "\xef\xbb\xbf%s", own); /* as some editors begin a file */
    cr_expect_eq(grade("ann", marked, strlen(marked)).points, 10);
}
