/* batch.h: a class's submissions, several at a time. */
#pragma once

#include "grade/grade.h"

/* Why nothing of an entry is graded. */
typedef enum rc_refusal {
    RC_TAKEN,      /* it is graded */
    RC_EMPTY,      /* a folder, or a zip, without a submission */
    RC_KIND,       /* a file of another kind */
    RC_LINK,       /* no file, and no folder */
    RC_SPOILT,     /* a zip that is damaged, too large, or locked */
    RC_NOT_OPENED, /* a zip that this build cannot open */
    RC_ABSENT      /* on the roster, and nothing handed in */
} rc_refusal;

/* A name in the class, and what is graded of it. A file in a zip has the zip's path, a slash, and its own name. */
typedef struct rc_entry {
    char path[PATH_MAX];
    char student[RC_STUDENT_TEXT];
    rc_refusal refused;
    bool stranger;    /* not on the roster */
    size_t n_root;    /* of the path: the class's folder, as the teacher named it; 0: all of it */
    size_t n_student; /* of the path: up to the end of the student's name */
} rc_entry;

/* What lies beside a student's file, and nobody grades: a second one, one of another kind. Whoever hands in so should
   hear of it. */
typedef struct rc_left_out {
    int n, capacity;
    char **names;
} rc_left_out;

/* collect.c: lists what is handed in: files as they are; of a folder each name, and the first submission of each folder
   in it, one a student, by name; of a zip likewise; beside it one .ranks, where the lab has broken jobs. *entries lives
   in the arena. */
rc_exit rc_collect(const rc_lab *lab, char *const paths[], int n_paths, rs_arena *arena,
                   rs_error *error, rc_entry **entries, int *n_entries, bool *is_class,
                   rc_left_out *left_out);
/* Reads a roster, a name a line: who is on it and not among the entries is added, and a student has the roster's name. */
rc_exit rc_call_roll(const char *file, rs_arena *arena, rs_error *error, rc_entry **entries,
                     int *n_entries);
/* Why it is refused, to the student. */
const char *rc_refusal_text(rc_refusal refused);

/* What all of them share. */
typedef struct rc_course {
    rc_site site;
    const rc_lab *lab;
    const char *secret; /* n_secret bytes */
    size_t n_secret;
    const rc_random *random; /* for all the same; NULL: each their own */
} rc_course;
/* Compiles the driver once, then grades all, n_jobs at a time, each in a process of its own: whatever
   happens to one, the others are graded. grades[i] belongs to entries[i]. Returns RC_LACKS if this
   machine cannot grade. */
rc_exit rc_grade_class(rc_course *course, const rc_entry entries[], int n_entries, int n_jobs,
                       const rs_host *host, rs_arena *arena, rs_error *error, rc_grade grades[]);
/* Grades entry `entry` here. */
rc_exit rc_grade_entry(const rc_course *course, const rc_entry *entry, rs_arena *arena,
                       rs_error *error, rc_grade *grade, rs_schedule *replay);
