/* batch.c: grades a whole class: has workers grade side by side what was handed in.
 *
 *     entries --> n_jobs workers --> pipes --> grades, in order
 *
 *   - A worker is a process for one submission: it sends its grade, plain bytes, and ends. If we lose a
 *     worker, only its own submission goes without a grade, and the report says so.
 *   - Grades come out in the order of the names, whoever was done first.
 */
#include "base/text.h"
#include "base/containers.h"
#include "grade/batch.h"
#include "grade/jobs/blame.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_JOBS = 64 };

/* ------------------------------------------------------------------ one of them */

rc_exit rc_grade_entry(const rc_course *course, const rc_entry *entry, rs_arena *arena,
                       rs_error *error, rc_grade *grade, rs_schedule *replay) {
    rc_submission submission = {.path = entry->path, .student = entry->student};
    char *work = NULL;
    size_t n_work = 0;
    rs_error ignored;
    rc_site site = course->site;
    site.n_root = entry->n_root;
    /* broken jobs were handed out before there was any work */
    if (course->n_secret > 0 && !rc_is_ranks(entry->path) &&
        rc_read_submission(entry->path, entry->n_root, RC_TEXT_LIMIT, arena, &ignored, &work,
                           &n_work) != RC_GOOD) {
        n_work = 0; /* whoever grades it says why */
    }
    submission.random = course->random != NULL
                            ? *course->random
                            : rc_random_of(course->secret, course->n_secret, entry->student,
                                           course->lab->id, work, n_work);
    return rc_grade_one(&site, course->lab, &submission, arena, error, grade, replay);
}

/* Makes the grade of what could not be graded. */
static void refuse(const rc_course *course, const rc_entry *entry, const char *why,
                   rc_grade *grade) {
    *grade = (rc_grade){.wrong_step = -1, .rung = RC_RUNG_WHOLE};
    grade->unread = entry->refused != RC_TAKEN;
    grade->not_judged = entry->refused == RC_NOT_OPENED; /* ours to mend, not the student's */
    snprintf(grade->lab, sizeof grade->lab, "%s", course->lab->id);
    snprintf(grade->title, sizeof grade->title, "%s", course->lab->title);
    snprintf(grade->student, sizeof grade->student, "%s", entry->student);
    if (entry->refused != RC_ABSENT) rc_plain(entry->path, true, grade->file, sizeof grade->file);
    snprintf(grade->trouble, sizeof grade->trouble, "%.400s", why);
    const rc_lab lab = rc_lab_for(course->lab, grade->unread ? "" : entry->path);
    rc_name_parts(&lab, grade);
    for (int i = 0; i < lab.n_parts; i++) grade->most += lab.parts[i].points;
}

/* ------------------------------------------------------------------ workers */

typedef struct worker {
    pid_t child;
    int pipe; /* -1: idle */
    int entry;
    size_t n_got;
} worker;

/* A worker sends its grade, and its own exit status. */
typedef struct message {
    rc_exit status;
    rc_grade grade;
} message;

/* Bounds what judging one submission may take of this machine. */
static void limit_worker(void) {
    const rlim_t seconds = 60;
#ifndef SANITIZED /* a sanitizer reserves terabytes of addresses */
    const rlim_t memory = (rlim_t)2 << 30;
    setrlimit(RLIMIT_AS, &(struct rlimit){memory, memory});
#endif
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
}

static _Noreturn void work(const rc_course *course, const rc_entry *entry, int pipe) {
    static message sent;
    rs_arena arena;
    rs_error error = {.text = ""};
    rs_schedule replay;
    rs_arena_init(&arena, NULL);
    limit_worker();
    sent.status = rc_grade_entry(course, entry, &arena, &error, &sent.grade, &replay);
    if (sent.status != RC_GOOD && !sent.grade.not_judged) {
        char why[RS_ERROR_TEXT];
        refuse(course, entry, rs_error_said(&error, rv_gettext, why, sizeof why), &sent.grade);
    }
    const char *at = (const char *)&sent;
    size_t left = sizeof sent;
    while (left > 0) {
        const ssize_t n = write(pipe, at, left);
        if (n <= 0) _exit(1);
        at += n;
        left -= (size_t)n;
    }
    _exit(0);
}

static bool start(const rc_course *course, const rc_entry *entry, int index, worker *w) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        work(course, entry, ends[1]);
    }
    close(ends[1]);
    if (child < 0) close(ends[0]);
    if (child < 0) return false;
    *w = (worker){.child = child, .pipe = ends[0], .entry = index};
    return true;
}

typedef struct class {
    const rc_course *course;
    const rc_entry *entries;
    rc_grade *grades;
    message *inbox; /* one a worker */
    worker workers[MOST_JOBS];
    int n_jobs, n_entries, n_started, n_done;
    bool lacks;
    rs_error *error;
} class;

/* Tells whether this machine can grade at all: then what was lacking is that submission's own doing. */
static bool machine_can(const rc_site *site, rs_error *error) {
    rc_sandbox sandbox;
    if (site->asks == 0 || site->sandbox == RC_INTERPRETED) return true;
    if (rc_sandbox_open(site->sandbox, error, &sandbox) != RC_GOOD) return false;
    rc_sandbox_close(&sandbox);
    return true;
}

static void finish(class *c, int i) {
    worker *w = &c->workers[i];
    assert(w->pipe >= 0 && w->entry < c->n_started);
    const message *m = &c->inbox[i];
    rc_grade *grade = &c->grades[w->entry];
    close(w->pipe);
    w->pipe = -1;
    waitpid(w->child, NULL, 0);
    c->n_done++;
    if (w->n_got != sizeof *m) {
        refuse(c->course, &c->entries[w->entry], _("not graded: the grader was lost on it"), grade);
        return;
    }
    *grade = m->grade;
    if (m->status != RC_LACKS || machine_can(&c->course->site, c->error)) return;
    c->lacks = true; /* nobody can be graded */
}

static void listen_to(class *c, int i) {
    worker *w = &c->workers[i];
    assert(w->n_got < sizeof c->inbox[i]);
    char *place = (char *)&c->inbox[i] + w->n_got;
    const ssize_t n = read(w->pipe, place, sizeof c->inbox[i] - w->n_got);
    if (n < 0 && errno == EINTR) return;
    if (n > 0) w->n_got += (size_t)n;
    if (n <= 0 || w->n_got == sizeof c->inbox[i]) finish(c, i);
}

static void fill_up(class *c) {
    for (int i = 0; i < c->n_jobs && c->n_started < c->n_entries && !c->lacks; i++) {
        if (c->workers[i].pipe >= 0) continue;
        const int next = c->n_started++;
        const rc_entry *entry = &c->entries[next];
        if (entry->refused != RC_TAKEN) {
            refuse(c->course, entry, rc_refusal_text(entry->refused), &c->grades[next]);
            c->n_done++;
            i--; /* the worker is still idle */
            continue;
        }
        if (start(c->course, entry, next, &c->workers[i])) continue;
        refuse(c->course, entry, _("not graded: no process for it"), &c->grades[next]);
        c->n_done++;
    }
}

static void await(class *c) {
    struct pollfd fds[MOST_JOBS];
    for (int i = 0; i < c->n_jobs; i++) {
        fds[i] = (struct pollfd){.fd = c->workers[i].pipe, .events = POLLIN};
    }
    if (poll(fds, (nfds_t)c->n_jobs, 500) <= 0) return;
    for (int i = 0; i < c->n_jobs; i++) {
        if (fds[i].fd >= 0 && fds[i].revents != 0) listen_to(c, i);
    }
}

rc_exit rc_grade_class(rc_course *course, const rc_entry entries[], int n_entries, int n_jobs,
                       const rs_host *host, rs_arena *arena, rs_error *error, rc_grade grades[]) {
    rc_driver driver;
    assert(n_entries >= 0 && n_jobs >= 1);
    if (course->site.asks != 0 && course->site.sandbox != RC_INTERPRETED) {
        const rc_exit status = rc_driver_make(&course->site, arena, error, &driver);
        if (status != RC_GOOD) return status;
        course->site.driver = &driver;
    }
    class c = {.course = course,
               .entries = entries,
               .grades = grades,
               .n_entries = n_entries,
               .n_jobs = n_jobs < MOST_JOBS ? n_jobs : MOST_JOBS,
               .error = error};
    bool cancelled = false;
    c.inbox = calloc((size_t)c.n_jobs, sizeof *c.inbox);
    if (c.inbox == NULL) return rc_no_memory(error);
    for (int i = 0; i < c.n_jobs; i++) c.workers[i].pipe = -1;
    fill_up(&c);
    while (c.n_done < c.n_started && !cancelled) {
        assert(c.n_started <= n_entries);
        await(&c);
        fill_up(&c);
        cancelled = !host->progress(host->context, _("graded"), c.n_done, n_entries);
    }
    for (int i = 0; i < c.n_jobs; i++) {
        if (c.workers[i].pipe < 0) continue;
        kill(c.workers[i].child, SIGTERM);
        close(c.workers[i].pipe);
        waitpid(c.workers[i].child, NULL, 0);
    }
    free(c.inbox);
    if (cancelled) return rc_fail(error, RC_CANCELLED, _("cancelled; nothing was written"));
    return c.lacks ? RC_LACKS : RC_GOOD;
}
