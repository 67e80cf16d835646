/* result.h: what grading comes to. It holds plain numbers and texts, no pointers: a worker of a batch sends it
 * through a pipe.
 */
#pragma once

#include "grade/lab.h"
#include "sandbox/sandbox.h"

enum { RC_WHY = 480, RC_MESSAGES = 4096, RC_STUDENT_TEXT = 256 };

typedef struct rc_part {
    char title[RC_TITLE];
    int points, most;
    double seconds;   /* < 0: has no time of its own */
    bool follows;     /* its points are missing only because others are */
    char why[RC_WHY]; /* "": all is well */
} rc_part;

typedef struct rc_grade {
    char lab[8], title[RC_TITLE], student[RC_STUDENT_TEXT], file[256];
    char trouble[RC_WHY];       /* what kept it from being graded in full, or "" */
    char messages[RC_MESSAGES]; /* what the compiler said */
    char printed[RC_MESSAGES];  /* what the program printed */
    char sandbox[160];
    bool refused; /* it asked the system for what the sandbox keeps from it */
    rc_rung rung;
    char note[160]; /* what the rung does to the points, or "" */
    char seed[24];  /* of its numbers, for whoever wants to see them again */
    int n_parts, points, most;
    rc_part parts[RC_MOST_PARTS];
    double seconds;
    bool not_judged; /* trouble says why; it has no points, not even 0 */
    bool unread;     /* nothing of it was read: it stands on no rung */
    int wrong_step;  /* of the first wrong schedule; -1: none, or it has no step */
} rc_grade;

/* Keeps what was said, one after the other, harmless for terminals. */
void rc_keep_said(char out[RC_MESSAGES], const rc_stream *stream);
/* Keeps what a program printed, without the interpreter's own words. */
void rc_keep_printed(rc_grade *grade, const rc_exec_result *result);
/* Makes all texts whole again: one that was cut may end inside a character. */
void rc_tidy_texts(rc_grade *grade);
/* Returns why not all points were given, "" if they were. */
const char *rc_main_reason(const rc_grade *grade);
