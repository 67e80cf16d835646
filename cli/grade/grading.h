/* grading.h: one submission under way: what grade.c shares with its two judges. */
#pragma once

#include "grade/judge_plan.h"
#include "grade/result.h"
#include "grade/seeds.h"
#include "sandbox/build.h"

enum { RC_MOST_CASES = 64 };

typedef struct rc_grading {
    const rc_site *site;
    const rc_lab *lab;
    const char *path; /* of the submission */
    const char *text; /* what was built; NULL: nothing was */
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

/* grade_plans.c: asks for the schedules of all `sound` parts in one run, and judges them and their cost. */
rc_exit rc_grade_plans(rc_grading *g);
rc_exit rc_grade_file(rc_grading *g); /* judges a schedule that is handed in as a file */
/* rung.c: finds the rung of what was handed in, and lets it count. */
rc_rung rc_rung_of(const rc_grading *g);
void rc_count_rung(const rc_grading *g);
/* grade_time.c: times a sound schedule on the lab's machine. */
rc_exit rc_time_plan(rc_grading *g, const rs_schedule *schedule, rc_plan_case *one);
/* Gives all points at `full` times the least, none at `none` times, and on a straight line between. */
void rc_give_share(const rc_lab_part *part, double times, rc_part *out);
/* Gives the points of a part for time; out->why tells the times, however many points there are. */
rc_exit rc_give_for_time(rc_grading *g, const rc_lab_part *part, rc_part *out);
/* grade_values.c: asks and judges one function. */
rc_exit rc_grade_values(rc_grading *g, const rc_lab_part *part, rc_part *out);
