/* grading.h: one submission under way, between the files that grade it. */
#ifndef RC_GRADING_H
#define RC_GRADING_H

#include "grade/judge_plan.h"
#include "grade/result.h"
#include "grade/seeds.h"
#include "sandbox/build.h"

enum { RC_MOST_CASES = 64 };

typedef struct rc_grading {
    const rc_site *site;
    const rc_lab *lab;
    const char *path; /* of the submission */
    rs_arena *arena;
    rs_error *error;
    rc_grade *grade;
    rs_schedule *replay;
    rc_random random;
    rc_build build;
    rc_plan_case cases[RC_MOST_CASES];
    int part_of[RC_MOST_CASES];
    int n_cases;
} rc_grading;

/* grade_plans.c: the schedules of all `sound` parts, asked for in one run, and what they cost. */
rc_exit rc_grade_plans(rc_grading *g);
rc_exit rc_grade_file(rc_grading *g); /* a schedule that is handed in as a file */
/* grade_values.c: one function. */
rc_exit rc_grade_values(rc_grading *g, const rc_lab_part *part, rc_part *out);

#endif
