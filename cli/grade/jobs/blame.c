/* blame.c: judges who broke a lab's jobs: in each one rank did something else, and a line of train.py called it.
 *
 *     seed --rn_broken_jobs, rn_break_job--> dumps, and the right rank and lines
 *     my.ranks:    1  3  train.py:45         job, rank, line; the line may be left out, `#` begins a comment
 *
 *   - Half of a job's points are for the rank; the others, for the line, are given only with the right rank.
 *   - A wrong answer is told what it overlooked, never what is right: the dumps stay the same.
 */
#define _GNU_SOURCE 1 /* strsep: BSD */
#include "base/text.h"
#include "grade/jobs/blame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 0 /* the group of all ranks */, NO_LINE = -1 };

typedef struct broken_dumps {
    const rn_broken_job *job;
    rn_dump dumps[RN_BROKEN_RANKS];
    int32_t n_dumps, lines[2];
} broken_dumps;

bool rc_is_ranks(const char *path) {
    return rc_ends_with(path, ".ranks");
}

/* ------------------------------------------------------------------ what is handed in */

/* Reads "1 3 train.py:45" or "1 3 45" or "1 3"; false: it is none. */
static bool read_line(const char *text, int *job, rc_blame_line *out) {
    char where[64] = "";
    int n = 0;
    const int got = sscanf(text, "%9d %9d%n %63s%n", job, &out->rank, &n, where, &n);
    if (got < 2 || text[n + (int)strspn(text + n, " \t")] != '\0') return false;
    out->line = NO_LINE;
    out->given = true;
    if (got == 2) return true;
    const char *number = strncmp(where, "train.py:", 9) == 0 ? where + 9 : where;
    if (number[0] == '\0' || strlen(number) > 6 || number[strspn(number, "0123456789")] != '\0') {
        return false;
    }
    out->line = atoi(number);
    return true;
}

void rc_read_blame(char *text, size_t n_bytes, rc_blame_line said[RN_BROKEN_JOBS],
                   char trouble[RC_BLAME_TEXT]) {
    int n = 0, n_given = 0;
    trouble[0] = '\0';
    for (int i = 0; i < RN_BROKEN_JOBS; i++) said[i] = (rc_blame_line){.given = false};
    if (strlen(text) != n_bytes) {
        snprintf(trouble, RC_BLAME_TEXT, _("byte %d is 0: this is no text"), (int)strlen(text) + 1);
        return;
    }
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* some editors begin a file so */
    while (text != NULL && *text != '\0') {
        char *line = strsep(&text, "\n");
        rc_blame_line one;
        int job;
        n++;
        line[strcspn(line, "#\r")] = '\0';
        if (line[strspn(line, " \t")] == '\0') continue;
        if (!read_line(line, &job, &one)) {
            snprintf(trouble, RC_BLAME_TEXT,
                     _("line %d: a line is written: JOB RANK LINE, such as 1 3 train.py:45"), n);
        } else if (job < 1 || job > RN_BROKEN_JOBS) {
            snprintf(trouble, RC_BLAME_TEXT, _("line %d: there are jobs 1..%d"), n, RN_BROKEN_JOBS);
        } else if (said[job - 1].given) {
            snprintf(trouble, RC_BLAME_TEXT, _("line %d: job %d has a line above already"), n, job);
        }
        if (trouble[0] != '\0') return;
        said[job - 1] = one;
        n_given++;
    }
    if (n_given == 0) snprintf(trouble, RC_BLAME_TEXT, "%s", _("no line names a job and a rank"));
}

/* ------------------------------------------------------------------ what wrong answers overlook */

static int line_of(const rn_dump *d, const rn_call *c) {
    const char *colon = strchr(d->words[c->where], ':');
    return colon != NULL ? atoi(colon + 1) : NO_LINE;
}

/* Returns the k-th call of all; NULL: the rank has made none. */
static const rn_call *call_of_all(const rn_dump *d, int64_t k) {
    for (int64_t i = 0; i < d->n_calls; i++) {
        if (d->calls[i].group == ALL && k-- == 0) return &d->calls[i];
    }
    return NULL;
}

/* Pairs calls by their numbers, and takes the first rank for the truth: names the first rank that differs, and the line
   of its call, NO_LINE: it has none. -1: nobody differs. */
static int differs_by_number(const broken_dumps *m, int *line) {
    const rn_call *truth;
    for (int64_t k = 0; (truth = call_of_all(&m->dumps[0], k)) != NULL; k++) {
        for (int32_t i = 1; i < m->n_dumps; i++) {
            const rn_dump *d = &m->dumps[i];
            const rn_call *c = call_of_all(d, k);
            const bool same = c != NULL && c->n_in == truth->n_in && c->n_out == truth->n_out &&
                              strcmp(d->words[c->name], m->dumps[0].words[truth->name]) == 0;
            if (same) continue;
            *line = c != NULL ? line_of(d, c) : NO_LINE;
            return (int)d->rank;
        }
    }
    return -1;
}

/* The dump of a rank; NULL: it has none. */
static const rn_dump *dump_of(const broken_dumps *m, int rank) {
    for (int32_t i = 0; i < m->n_dumps; i++) {
        if (m->dumps[i].rank == rank) return &m->dumps[i];
    }
    return NULL;
}

/* Does the rank wait in a call of that line? NO_LINE: in any. */
static bool waits_at(const broken_dumps *m, int rank, int line) {
    const rn_dump *d = dump_of(m, rank);
    for (int64_t i = 0; d != NULL && i < d->n_calls; i++) {
        if (d->calls[i].state == RN_CALL_COMPLETED) continue;
        if (line == NO_LINE || line_of(d, &d->calls[i]) == line) return true;
    }
    return false;
}

static void explain_rank(const broken_dumps *m, int rank, char why[RC_BLAME_TEXT]) {
    int ignored, first = 0;
    while (first == m->job->rank || !waits_at(m, first, NO_LINE)) first++; /* all others wait */
    if (rank < 0 || rank >= m->job->n_ranks) {
        snprintf(why, RC_BLAME_TEXT, _("there is no rank %d: its ranks are 0..%d"), rank,
                 (int)m->job->n_ranks - 1);
    } else if (m->job->kind == RN_HANG_SILENT_RANK) {
        snprintf(why, RC_BLAME_TEXT,
                 _("rank %d waits, like every rank that has a dump: for whom do they all wait?"),
                 rank);
    } else if (rank == differs_by_number(m, &ignored)) {
        snprintf(why, RC_BLAME_TEXT,
                 _("rank %d differs from rank 0, but most ranks do as rank %d does: the first rank "
                   "is not the truth"),
                 rank, rank);
    } else if (m->job->kind == RN_HANG_EXTRA_CALL) {
        snprintf(why, RC_BLAME_TEXT,
                 _("rank %d lacks a call that one rank alone made: one too many there, not one too "
                   "few here"),
                 rank);
    } else if (rank == first) {
        snprintf(why, RC_BLAME_TEXT,
                 _("rank %d is the first that waits, and makes the calls that most make: who hangs "
                   "is not who has the bug"),
                 rank);
    } else {
        snprintf(why, RC_BLAME_TEXT,
                 _("rank %d makes the calls that most ranks make: who does something else?"), rank);
    }
}

static void explain_line(const broken_dumps *m, int line, char why[RC_BLAME_TEXT]) {
    int by_number = NO_LINE;
    const int rank = differs_by_number(m, &by_number);
    if (line == NO_LINE) {
        snprintf(why, RC_BLAME_TEXT, "%s",
                 _("the rank is right; which line it is counts, too: 1 3 train.py:45"));
    } else if (rank == m->job->rank && line == by_number) {
        snprintf(why, RC_BLAME_TEXT,
                 _("the rank is right; at train.py:%d calls of equal numbers differ first, but a "
                   "call too many or too few shifts the numbers of all behind it"),
                 line);
    } else if (waits_at(m, m->job->rank, line)) {
        snprintf(why, RC_BLAME_TEXT,
                 _("the rank is right; at train.py:%d it waits now, but what it did otherwise came "
                   "before"),
                 line);
    } else {
        snprintf(why, RC_BLAME_TEXT, _("the rank is right; train.py:%d is not the line"), line);
    }
}

/* ------------------------------------------------------------------ points */

rs_status rc_judge_blame(uint64_t seed, int job, const rc_blame_line *said, int most,
                         rs_arena *arena, rs_error *error, int *points, char why[RC_BLAME_TEXT]) {
    rn_broken_job jobs[RN_BROKEN_JOBS];
    broken_dumps m = {.job = &jobs[job]};
    assert(job >= 0 && job < RN_BROKEN_JOBS);
    rn_broken_jobs(seed, jobs);
    const rs_status status = rn_break_job(m.job, arena, error, m.dumps, &m.n_dumps, m.lines);
    if (status != RS_OK) return status;
    *points = 0;
    why[0] = '\0';
    if (!said->given) {
        snprintf(why, RC_BLAME_TEXT, "%s", _("no line for this job"));
    } else if (said->rank != m.job->rank) {
        explain_rank(&m, said->rank, why);
    } else if (said->line != NO_LINE && (said->line == m.lines[0] || said->line == m.lines[1])) {
        *points = most;
    } else {
        *points = (most + 1) / 2;
        explain_line(&m, said->line, why);
    }
    return RS_OK;
}
