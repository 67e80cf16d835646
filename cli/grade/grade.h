/* grade.h: grades one submission.
 *
 *     lab (data) + submission --> sandbox --> answers --> judges --> RESULT --> text, Gradescope, Autolab,
 *                                                                            JUnit, CSV
 *
 *   - Right answers are computed here, after the submission has ended; they never enter the sandbox.
 *   - Points are given for what was judged right, never for an exit status.
 */
#pragma once

#include "grade/result.h"
#include "grade/seeds.h"
#include "sandbox/build.h"

/* What is judged, and by which numbers. */
typedef struct rc_submission {
    const char *path;
    const char *student;
    rc_random random;
} rc_submission;

/* Grades one submission. What is wrong with it stands in the grade; RC_LACKS and RC_USAGE are ours.
   *replay: the first wrong schedule, else the first right one, where there is one (n_ranks > 0); lives in the arena. */
rc_exit rc_grade_one(const rc_site *site, const rc_lab *lab, const rc_submission *submission,
                     rs_arena *arena, rs_error *error, rc_grade *grade, rs_schedule *replay);
/* Begins the parts of a grade: their titles, no points yet. */
void rc_name_parts(const rc_lab *lab, rc_grade *grade);
