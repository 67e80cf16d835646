/* batch.h: a class's submissions, several at a time. */
#pragma once

#include "grade/grade.h"

/* One thing to grade. */
typedef struct rc_entry {
    char path[PATH_MAX];
    char student[RC_STUDENT_TEXT];
    bool is_empty; /* a folder without a submission */
    size_t n_root; /* of the path: the class's folder, as the teacher named it; 0: all of it */
} rc_entry;

/* What a class's folder also holds, and nobody grades: links, files of another kind, a student's second
   file. Whoever hands in so should hear of it. */
typedef struct rc_left_out {
    int n;
    char first[PATH_MAX];
} rc_left_out;

/* Lists what is handed in: files as they are; of a folder its .c and .sched files, and the first one of
   each folder in it, one a student, by name; beside it one .ranks, where the lab has broken jobs. *entries lives in the
   arena. */
rc_exit rc_collect(const rc_lab *lab, char *const paths[], int n_paths, rs_arena *arena,
                   rs_error *error, rc_entry **entries, int *n_entries, bool *is_class,
                   rc_left_out *left_out);

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
