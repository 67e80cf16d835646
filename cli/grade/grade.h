/* grade.h: what the files of the grader share.
 *
 *     lab (data) + submission --> sandbox --> answers --> judges --> RESULT --> text, Gradescope, Autolab,
 *                                                                            JUnit, CSV
 *
 *   - A result is plain numbers and texts, no pointers: a worker of a batch sends it through a pipe.
 *   - Right answers are computed here, after the submission has ended; they never enter the sandbox.
 *   - Points are given for what was judged right, never for an exit status.
 */
#ifndef RC_GRADE_H
#define RC_GRADE_H

#include "sandbox/answers.h"
#include "sandbox/build.h"

/* ------------------------------------------------------------------ lab.c: a lab is data */

enum { RC_MOST_PARTS = 12, RC_TITLE = 96 };

typedef enum rc_check {
    RC_PART_WARNINGS, /* compiles without warnings */
    RC_PART_SOUND,    /* sound schedules for N = low..high */
    RC_PART_BYTES,    /* full at `full` times the least bytes, none at `none` times */
    RC_PART_STEPS,    /* as bytes, of steps */
    RC_PART_VALUES    /* a function's answers to random questions */
} rc_check;

typedef struct rc_lab_part {
    rc_check check;
    int points;
    int low, high;     /* sound: N */
    double full, none; /* bytes, steps */
    char function[32]; /* values */
} rc_lab_part;

typedef struct rc_lab {
    char id[8];            /* "05" */
    char folder[PATH_MAX]; /* .../lessons/05-scatter-reduce */
    char title[RC_TITLE];  /* in the reader's language */
    unsigned asks;         /* RC_ASK_*, of functions in C; 0: a .sched is handed in */
    bool first_phase_only; /* scatter-reduce only */
    int ranks;             /* of a .sched that is handed in; 0: any */
    int n_parts;
    rc_lab_part parts[RC_MOST_PARTS];
} rc_lab;

/* Finds and reads lessons/NN-name/lab; `name` is NN, N, or NN-name. */
rc_exit rc_read_lab(const char *lessons, const char *name, rs_arena *arena, rs_error *error,
                    rc_lab *lab);

/* Reads all labs there are, by number. */
rc_exit rc_read_labs(const char *lessons, rs_arena *arena, rs_error *error, rc_lab **labs,
                     int *n_labs);

/* ------------------------------------------------------------------ parsons.c: lines to put in order */

bool rc_is_parsons(const char *path); /* its name ends in .parsons */
/* Puts the lab's lines together in the order that the letters in `letters` name. *trouble: what is wrong
   with them, "" if nothing. */
rc_exit rc_assemble(const rc_lab *lab, const char *letters, rs_arena *arena, rs_error *error,
                    char **text, char trouble[240]);

/* ------------------------------------------------------------------ seeds.c: whose numbers are these? */

typedef struct rc_random {
    uint64_t state;
} rc_random;
void rc_sha256(const void *data, size_t n_bytes, uint8_t digest[32]);
/* The numbers of one student in one lab: of SHA-256(secret | student | lab), or of a plain seed. */
rc_random rc_random_of(const char *secret, size_t n_secret, const char *student, const char *lab);
uint64_t rc_random_next(rc_random *random);
int rc_random_in(rc_random *random, int low, int high); /* both included */
double rc_random_real(rc_random *random, double low, double high);

/* ------------------------------------------------------------------ the result */

enum { RC_WHY = 480, RC_MESSAGES = 4096 };

typedef struct rc_part {
    char title[RC_TITLE];
    int points, most;
    double seconds;   /* < 0: has no time of its own */
    bool follows;     /* its points are missing only because others are */
    char why[RC_WHY]; /* "": all is well */
} rc_part;

typedef struct rc_grade {
    char lab[8], title[RC_TITLE], student[64], file[256];
    char trouble
        [RC_WHY]; /* what kept it from being graded in full: "", or the compiler's error, ... */
    char messages[RC_MESSAGES]; /* what the compiler and the program said */
    char sandbox[160];
    char seed[24]; /* of its numbers, for whoever wants to see them again */
    int n_parts, points, most;
    rc_part parts[RC_MOST_PARTS];
    double seconds;
    int wrong_step; /* of the first wrong schedule; -1: none, or it has no step */
} rc_grade;

/* What is judged, and by which numbers. */
typedef struct rc_submission {
    const char *path;
    const char *student;
    rc_random random;
} rc_submission;

/* Grades one submission. What is wrong with it stands in the grade; RC_LACKS and RC_USAGE are ours.
   *replay: the first wrong schedule, where there is one (n_ranks > 0); lives in the arena. */
rc_exit rc_grade_one(const rc_site *site, const rc_lab *lab, const rc_submission *submission,
                     rs_arena *arena, rs_error *error, rc_grade *grade, rs_schedule *replay);

/* ------------------------------------------------------------------ plans.c: schedules judged */

typedef struct rc_plan_case {
    int n_ranks;
    int count; /* elements a rank, no multiple of n_ranks */
    bool sound;
    double bytes, steps; /* times the least */
    char why[RC_WHY];
} rc_plan_case;
/* Judges one schedule. *schedule is replaced by the whole all-reduce where only a first phase was
   asked for; *step: the first wrong one. */
rc_exit rc_judge_plan(bool first_phase_only, rs_arena *arena, rs_error *error,
                      rs_schedule *schedule, rc_plan_case *one, int *step);

/* ------------------------------------------------------------------ run_values.c: answers judged */

enum { RC_MOST_NUMBERS = 320 };
typedef struct rc_question {
    int n;
    double in[RC_MOST_NUMBERS];
} rc_question;
typedef struct rc_value_check {
    const char *function; /* the name by which ask_values.c knows it, too */
    int n_questions;
    void (*make)(rc_random *random, int i, rc_question *question);
    /* Judges out[0..n_out-1]; *why names what would have been right. */
    bool (*judge)(const rc_question *question, const double out[], int n_out, char why[RC_WHY]);
} rc_value_check;
/* values_buckets.c */
void rc_make_buckets(rc_random *random, int i, rc_question *q);
bool rc_judge_buckets(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
void rc_make_exchange(rc_random *random, int i, rc_question *q);
bool rc_judge_exchange(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
extern const rc_value_check rc_value_checks[]; /* ends with a NULL function */
/* values_words.c: some of them. */
void rc_make_reducer(rc_random *random, int i, rc_question *question);
bool rc_judge_reducer(const rc_question *question, const double out[], int n_out, char why[RC_WHY]);
void rc_make_word_values(rc_random *random, int i, rc_question *question);
bool rc_judge_word_values(const rc_question *question, const double out[], int n_out,
                          char why[RC_WHY]);
/* The number of a function in that table; -1: there is none. */
int rc_find_value_check(const char *function);

/* ------------------------------------------------------------------ report*.c: the result, printed */

extern const char
    *const rc_report_formats[]; /* text gradescope autolab junit csv; ends with NULL */
void rc_report(int format, const rc_grade grades[], int n_grades, FILE *out);

#endif
