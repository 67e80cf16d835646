/* cmd_grade.c: `ringsim grade LAB FILE...`: compiles, asks, judges, gives points, shows where it broke.
 *
 *     one file     its report; exit 0 with all points, 1 without; --show opens the first wrong step
 *     a class      several files, or a folder of them: a line each, --jobs at a time; --format csv
 *     --dump       grades nothing: writes the dumps of the lab's broken jobs, which are a student's own
 */
#include "base/json_file.h"
#include "base/text.h"
#include "base/units.h"
#include "grade/batch.h"
#include "grade/jobs/blame.h"
#include "grade/parsons.h"
#include "grade/report.h"
#include "lesson/shelf.h"
#include "ringsim_hang.h"
#include "base/find_machine.h"
#include "run/request.h"
#include "run/show.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Options of its own. */
enum { STUDENT = RC_OWN, SECRET_FILE, JOBS, FORMAT, REPLAY, RUNG, RUNG_POINTS, ROSTER };

enum { SECRET_LIMIT = 4096 };

typedef struct assignment {
    rc_course course;
    rc_lab lab;
    rs_machine wires; /* of the lab, where it has a machine */
    rc_random random;
    char lessons[PATH_MAX];
    rc_entry *entries;
    int n_entries, n_jobs, format;
    bool is_class;
    rc_left_out left_out;
} assignment;

/* ------------------------------------------------------------------ what was typed */

/* A secret that all can read, or guess, is none. */
static rc_exit check_secret(const char *file, const char *secret, size_t n_bytes, rs_error *error) {
    enum { LEAST = 8 };
    struct stat found;
    size_t n = 0;
    for (size_t i = 0; i < n_bytes; i++) n += !isspace((unsigned char)secret[i]);
    if (n == 0) return rc_fail(error, RC_USAGE, _("%.200s is empty: that is no secret"), file);
    if (n < LEAST) {
        return rc_fail(error, RC_USAGE,
                       _("%.200s has %d letters: a secret has %d at the least, better 32"), file,
                       (int)n, LEAST);
    }
    if (stat(file, &found) == 0 && (found.st_mode & (S_IRGRP | S_IROTH)) != 0) {
        return rc_fail(error, RC_USAGE, _("%.200s can be read by others: chmod 600 %.200s"), file,
                       file);
    }
    return RC_GOOD;
}

/* Reads --secret-file or --seed. With neither, and no --student, everybody has the same, public numbers. */
static rc_exit read_numbers(rc_session *session, assignment *a) {
    const rc_options *options = &session->options;
    const char *file = options->value[SECRET_FILE].text;
    const bool seeded = rc_given(options, RC_SEED);
    rs_error *error = session->error;
    char *secret;
    if (seeded && (file != NULL || rc_given(options, STUDENT))) {
        return rc_fail(
            session->error, RC_USAGE,
            _("--seed names the numbers themselves; leave out --student and --secret-file"));
    }
    if (seeded) {
        a->course.random = &a->random;
        a->random.state = (uint64_t)options->value[RC_SEED].number;
        return RC_GOOD;
    }
    if (file == NULL && !rc_given(options, STUDENT)) {
        a->random = rc_random_of("", 0, "", a->lab.id, "", 0);
        a->course.random = &a->random;
        return RC_GOOD;
    }
    if (file == NULL) return RC_GOOD;
    rc_exit status =
        rc_read_file(file, SECRET_LIMIT, session->arena, error, &secret, &a->course.n_secret);
    if (status == RC_GOOD) status = check_secret(file, secret, a->course.n_secret, error);
    a->course.secret = secret;
    return rc_blame("secret-file", status, error);
}

/* Broken jobs are known by their student's name: in a class it is the file's. */
static rc_exit check_jobs(const rc_options *options, bool jobs, rs_error *error) {
    if (!jobs || !rc_given(options, SECRET_FILE) || rc_given(options, STUDENT)) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("--secret-file: whose jobs are they? add --student ID"));
}

static rc_exit check_class(const rc_options *options, const assignment *a, rs_error *error) {
    if (!a->is_class) return check_jobs(options, rc_is_ranks(a->entries[0].path), error);
    const bool shown = rc_given(options, REPLAY) || rc_given(options, RC_SAVE);
    if (shown) return rc_fail(error, RC_USAGE, _("--show and --save want a single submission"));
    if (rc_given(options, STUDENT)) {
        return rc_fail(error, RC_USAGE,
                       _("--student: in a class each file's name is the student's"));
    }
    if (a->format == RC_REPORT_GRADESCOPE || a->format == RC_REPORT_AUTOLAB) {
        return rc_fail(error, RC_USAGE,
                       _("--format %s wants a single submission; csv and junit take a class"),
                       rc_report_formats[a->format]);
    }
    return RC_GOOD;
}

/* Reads --rung-points P,F,W: what each rung is worth, in per cent. */
static rc_exit read_ladder(rc_session *session, rc_ladder *ladder) {
    const rc_options *options = &session->options;
    int64_t *numbers, n;
    if (rc_given(options, RUNG)) ladder->least = (rc_rung)(options->value[RUNG].number + 1);
    if (!rc_given(options, RUNG_POINTS)) return RC_GOOD;
    const rc_exit status = rc_parse_numbers(options->value[RUNG_POINTS].text, 0, 100,
                                            session->arena, session->error, &numbers, &n);
    if (status != RC_GOOD) return rc_blame("rung-points", status, session->error);
    if (n != 3) {
        return rc_fail(
            session->error, RC_USAGE,
            _("--rung-points wants three numbers, of parsons, fill and whole: 60,80,100"));
    }
    for (int i = 0; i < 3; i++) ladder->percent[i] = (int)numbers[i];
    return RC_GOOD;
}

/* Reads the machine of a lab that has one. */
static rc_exit read_wires(rc_session *session, assignment *a) {
    if (a->lab.machine[0] == '\0') return RC_GOOD;
    const rc_exit status = rc_machine_read(session->program, a->lab.machine, session->arena,
                                           session->error, &a->wires);
    a->lab.wires = &a->wires;
    return status;
}

static rc_exit find_lab(rc_session *session, assignment *a) {
    *a = (assignment){.course = {.secret = ""}};
    rc_exit status = rc_lessons(session->program, session->error, a->lessons);
    if (status == RC_GOOD) {
        status = rc_read_lab(a->lessons, session->options.operands[0], session->arena,
                             session->error, &a->lab);
    }
    return status;
}

static rc_exit read_assignment(rc_session *session, assignment *a) {
    const rc_options *options = &session->options;
    rs_error *error = session->error;
    if (options->n_operands < 2) {
        return rc_fail(error, RC_USAGE,
                       _("say which lab, and what is handed in: ringsim grade 05 my_ring.c"));
    }
    rc_exit status = find_lab(session, a);
    if (status == RC_GOOD) status = read_wires(session, a);
    if (status == RC_GOOD) status = read_ladder(session, &a->lab.ladder);
    a->format = (int)options->value[FORMAT].number;
    if (status == RC_GOOD) {
        status = rc_collect(&a->lab, options->operands + 1, options->n_operands - 1, session->arena,
                            error, &a->entries, &a->n_entries, &a->is_class, &a->left_out);
    }
    if (status == RC_GOOD && rc_given(options, ROSTER)) {
        a->is_class = true;
        status = rc_blame("roster",
                          rc_call_roll(options->value[ROSTER].text, session->arena, error,
                                       &a->entries, &a->n_entries),
                          error);
    }
    if (status == RC_GOOD && a->n_entries == 0) {
        return rc_fail(error, RC_USAGE, _("%.200s: there is no .c, .sched or .parsons file in it"),
                       options->operands[1]);
    }
    if (status == RC_GOOD) status = read_numbers(session, a);
    a->n_jobs = rc_given(options, JOBS) ? (int)options->value[JOBS].number : rc_cores();
    const int n_cores = rc_cores();
    if (status == RC_GOOD) status = check_class(options, a, error);
    a->course.lab = &a->lab;
    a->course.site = (rc_site){.lessons = a->lessons,
                               .sandbox = rc_kind_of_sandbox(options),
                               .asks = a->lab.asks,
                               .crowd = (a->n_jobs + n_cores - 1) / n_cores};
    return status;
}

/* ------------------------------------------------------------------ the first wrong step */

static rc_exit save_replay(const char *path, const rs_schedule *replay, rs_error *error) {
    rc_file file;
    const rc_exit status = rc_file_open("save", path, error, &file);
    if (status == RC_GOOD) rs_print_schedule(replay, rc_write_to_file, file.stream);
    return rc_file_deliver(&file, status, error);
}

/* Shows the run with a run's own defaults: of our options only --view means the same there, --seed does not. */
static rc_exit show_replay(const rc_session *session, const rs_schedule *replay, int step) {
    rc_session run = *session;
    const rc_exit status =
        rc_options_default(&rc_command_run, session->arena, session->error, &run.options);
    if (status != RC_GOOD) return status;
    run.options.value[RC_VIEW] = session->options.value[RC_VIEW];
    return rc_show_schedule(&run, replay, step);
}

static rc_exit follow_up(rc_session *session, const rc_grade *grade, const rs_schedule *replay) {
    const rc_options *options = &session->options;
    rc_exit status = RC_GOOD;
    if (replay->n_ranks == 0) {
        if (rc_given(options, REPLAY)) {
            puts(grade->points == grade->most
                     ? _("nothing to show: all points, and nothing of this lab is a run")
                     : _("nothing to show: where the answer is wrong no run can be made of it"));
        }
        return status;
    }
    if (rc_given(options, RC_SAVE)) {
        status = save_replay(options->value[RC_SAVE].text, replay, session->error);
    }
    if (status == RC_GOOD && rc_given(options, REPLAY)) {
        if (grade->wrong_step < 0 && grade->points < grade->most)
            puts(_("what is shown is right: what is wrong is no step of it, see above"));
        fflush(stdout);
        status = show_replay(session, replay, grade->wrong_step);
    }
    return status;
}

/* ------------------------------------------------------------------ grading */

/* A student, with the public numbers: the list of the lessons shows the points. */
static bool is_own(const rc_options *options, const assignment *a) {
    return a->format == RC_REPORT_TEXT && !rc_given(options, STUDENT) &&
           !rc_given(options, SECRET_FILE) && !rc_given(options, RC_SEED);
}

/* Where the C of a student's own file goes wrong the interpreter names the line, in the reader's language: a compiler
   warns, or has its own words. What it cannot read stays as it was said. */
static void look_closer(rc_session *session, assignment *a, rc_grade *grade, rs_schedule *replay) {
    rc_grade closer;
    rs_schedule run;
    rs_error ignored;
    a->course.site.sandbox = RC_INTERPRETED;
    const rc_exit status =
        rc_grade_entry(&a->course, &a->entries[0], session->arena, &ignored, &closer, &run);
    if (status != RC_GOOD) return;
    if (closer.trouble[0] != '\0') strcpy(grade->trouble, closer.trouble);
    for (int i = 0; i < grade->n_parts; i++) {
        if (grade->parts[i].why[0] != '\0' && closer.parts[i].why[0] != '\0')
            strcpy(grade->parts[i].why, closer.parts[i].why);
    }
    *replay = run;
    grade->wrong_step = closer.wrong_step;
}

/* Says what there is to do with a right answer. */
static void say_next(rc_session *session, const assignment *a, const rc_grade *grade,
                     const rs_schedule *replay) {
    const char *program = rc_typed_name(session);
    const bool plays = replay->n_ranks > 0;
    static rc_shelf shelf;
    static rc_progress progress;
    char command[PATH_MAX + 128];
    rs_error ignored;
    rc_onward on = {.next = 0};
    if (grade->points < grade->most) {
        if (!grade->not_judged) /* the report's beginning may have scrolled away */
            printf(_("Score: %d/%d\n"), grade->points, grade->most);
        return;
    }
    if (rc_open_shelf(session, &shelf) == RC_GOOD) {
        rc_read_progress(&progress, &ignored);
        on = rc_find_onward(&shelf, &progress, atoi(grade->lab));
    }
    if (plays && !rc_given(&session->options, REPLAY))
        printf(_("to watch it: %s grade %s %s --show\n"), program, grade->lab, grade->file);
    if (on.hour_done) {
        puts(_("The ring in an hour: done. Each GPU sends 2(N-1)/N of the array, for any N."));
    } else if (plays && !a->lab.first_phase_only && !rc_is_parsons(a->entries[0].path)) {
        printf(_("for real: %s verify --on mpi --gpus %d --data index --algo %s\n"), program,
               (int)replay->n_ranks, grade->file);
    }
    if (on.next > 0) printf(_("next: %s\n"), rc_onward_text(session, on, command, sizeof command));
}

static rc_exit grade_one(rc_session *session, assignment *a) {
    rc_grade grade;
    rs_schedule replay;
    if (rc_given(&session->options, STUDENT)) {
        rc_plain(session->options.value[STUDENT].text, true, a->entries[0].student,
                 sizeof a->entries[0].student);
    } else {
        a->entries[0].student[0] = '\0';
    }
    rc_exit status =
        rc_grade_entry(&a->course, &a->entries[0], session->arena, session->error, &grade, &replay);
    /* In words stderr says so. */
    if (status == RC_LACKS && a->format != RC_REPORT_TEXT &&
        rc_given(&session->options, RC_INTERPRET))
        rc_report(a->format, &grade, 1, rc_typed_name(session), stdout);
    if (status != RC_GOOD) return status;
    if (is_own(&session->options, a) && !grade.not_judged && grade.points < grade.most)
        look_closer(session, a, &grade, &replay);
    const bool asked = rc_given(&session->options, RC_SANDBOX);
    if (is_own(&session->options, a) && !grade.refused && !asked) grade.sandbox[0] = '\0';
    rc_report(a->format, &grade, 1, rc_typed_name(session), stdout);
    if (a->format == RC_REPORT_TEXT) say_next(session, a, &grade, &replay);
    if (is_own(&session->options, a)) {
        rc_keep_points(atoi(a->lab.id), rc_is_ranks(a->entries[0].path), grade.points, grade.most);
    }
    status = follow_up(session, &grade, &replay);
    return status == RC_GOOD && grade.points < grade.most ? RC_NO : status;
}

/* Says on stderr, in a line, who should hear of something. */
static void say_name(const char *what, int n_said, const char *name) {
    fprintf(stderr, "%s%s", n_said == 0 ? what : ", ", name);
}

static rc_exit grade_class(rc_session *session, assignment *a) {
    rc_grade *grades = rs_alloc(session->arena, (size_t)a->n_entries, sizeof *grades);
    if (grades == NULL) return rc_no_memory(session->error);
    const rc_exit status =
        rc_grade_class(&a->course, a->entries, a->n_entries, a->n_jobs, rc_host_face(session->host),
                       session->arena, session->error, grades);
    rc_host_quiet(session->host);
    if (status != RC_GOOD) return status;
    for (int i = 0; i < a->left_out.n; i++) {
        say_name(_("ringsim: not graded, a second file or of another kind: "), i,
                 a->left_out.names[i]);
    }
    if (a->left_out.n > 0) fputc('\n', stderr);
    int strangers = 0;
    for (int i = 0; i < a->n_entries; i++) {
        if (!a->entries[i].stranger) continue;
        say_name(_("ringsim: not on the roster: "), strangers++, a->entries[i].student);
    }
    if (strangers > 0) fputc('\n', stderr);
    int full = 0, not_judged = 0;
    for (int i = 0; i < a->n_entries; i++) {
        full += !grades[i].not_judged && grades[i].points == grades[i].most;
        not_judged += grades[i].not_judged;
    }
    if (a->format == RC_REPORT_TEXT) {
        rc_print_class(grades, a->n_entries);
    } else {
        rc_report(a->format, grades, a->n_entries, rc_typed_name(session), stdout);
    }
    if (not_judged > 0) return RC_LACKS;
    return full == a->n_entries ? RC_GOOD : RC_NO;
}

/* ------------------------------------------------------------------ broken jobs */

static void say_jobs(const rc_session *session, const char *lab, bool everybodys) {
    const char *program = rc_typed_name(session);
    char folder[512];
    rc_plain(session->options.value[RC_DUMP].text, true, folder, sizeof folder);
    printf(_("dumps of %d broken jobs: %s/job1 to %s/job%d, a file a rank\n"), RN_BROKEN_JOBS,
           folder, folder, RN_BROKEN_JOBS);
    printf(_("an example of two ranks: %s hang %s/example\n"), program, folder);
    puts(_(
        "to hand in: a file my.ranks, a line a job: its number, the rank, the line of code, such as "
        "1 3 train.py:45"));
    if (everybodys) printf(_("to grade it: %s grade %s my.ranks\n"), program, lab);
}

static rc_exit hand_out(rc_session *session, assignment *a) {
    const rc_options *options = &session->options;
    char student[RC_STUDENT_TEXT] = "";
    if (options->n_operands != 1) {
        return rc_fail(session->error, RC_USAGE,
                       _("--dump hands out, and takes nothing in: ringsim grade 11 --dump FOLDER"));
    }
    rc_exit status = find_lab(session, a);
    if (status == RC_GOOD && !rc_lab_has_jobs(&a->lab)) {
        return rc_fail(session->error, RC_USAGE, _("--dump: lab %s has no broken jobs"), a->lab.id);
    }
    if (status == RC_GOOD) status = read_numbers(session, a);
    if (status == RC_GOOD) status = check_jobs(options, true, session->error);
    if (status != RC_GOOD) return status;
    if (rc_given(options, STUDENT)) {
        rc_plain(options->value[STUDENT].text, true, student, sizeof student);
    }
    const rc_course *c = &a->course;
    const rc_random random = c->random != NULL
                                 ? *c->random
                                 : rc_random_of(c->secret, c->n_secret, student, a->lab.id, "", 0);
    const bool everybodys = c->random != NULL && !rc_given(options, RC_SEED);
    status = rc_hand_out(session, random.state, options->value[RC_DUMP].text);
    if (status == RC_GOOD) say_jobs(session, a->lab.id, everybodys);
    return status;
}

static rc_exit cmd_grade(rc_session *session) {
    static assignment a;
    if (rc_given(&session->options, RC_DUMP)) return hand_out(session, &a);
    rc_exit status = read_assignment(session, &a);
    if (status != RC_GOOD) return status;
    rc_host_watch(session->host, true);
    status = a.is_class ? grade_class(session, &a) : grade_one(session, &a);
    rc_host_watch(session->host, false);
    return status;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {RC_SEED, NULL, 0, "S", N_("whose numbers: those that a report names by this seed"), NULL},
    {RC_VIEW, NULL, 0, "auto|window|terminal|text", N_("where --show opens it"), NULL},
    {STUDENT, "student", 0, "ID", N_("whose numbers: with the secret, everybody has their own"),
     NULL},
    {SECRET_FILE, "secret-file", 0, "FILE",
     N_("the course's secret, which makes the numbers hard to guess"), NULL},
    {.id = RC_DUMP, .help = N_("write the dumps of the lab's broken jobs, a student's own")},
    {JOBS, "jobs", 'j', "N", N_("how many submissions at a time, one a core"),
     RC_INTEGER(1, 64, NULL)},
    {FORMAT, "format", 0, "text|gradescope|autolab|junit|csv",
     N_("how the result is printed, text"), RC_TYPE(rc_as_word, NULL, .names = rc_report_formats)},
    {RUNG, "rung", 0, "parsons|fill|whole", N_("the lowest rung of the ladder that gets points"),
     RC_TYPE(rc_as_word, NULL, .names = rc_rungs)},
    {RUNG_POINTS, "rung-points", 0, "P,F,W",
     N_("what parsons, fill and whole are worth, in per cent; 100,100,100"), NULL},
    {ROSTER, "roster", 0, "FILE",
     N_("who is in the class, a name a line: a row for each, handed in or not"), NULL},
    {REPLAY, "show", 0, NULL,
     N_("open the first wrong schedule at its first wrong step; a right one from the start"), NULL},
    {RC_SAVE, NULL, 0, "FILE.sched", N_("write the schedule that --show would open"), NULL},
};

const rc_command rc_command_grade = {.name = "grade",
                                     .operands = "LAB FILE...|FOLDER",
                                     .summary = N_("grade exercises"),
                                     RC_TAKES(RC_SEED, RC_VIEW, RC_SANDBOX, RC_INTERPRET, STUDENT,
                                              SECRET_FILE, RC_DUMP, JOBS, FORMAT, ROSTER, RUNG,
                                              RUNG_POINTS, REPLAY, RC_LANG, RC_SAVE),
                                     RC_OWN_OPTIONS(own_options),
                                     .run = cmd_grade};
