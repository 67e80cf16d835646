/* reading.h: a reader's way through a lesson: the stop, the answers so far, and where to go next.
 * Pure.
 *
 *     start -> prediction =gate=> answer -> page -> (question =gate=> page) ... -> question -> ... -> exercise
 *
 *   - Terminal and window go by these rules, and save the same: the stop, the furthest stop, the
 *     answers.
 *   - The reader must commit a prediction to go on behind it, and cannot change it afterwards; so
 *     with a question that stands before a page.
 */
#pragma once

#include "lesson/lesson.h"

/* The reader goes through a lesson from STOP to STOP. */
enum { RV_STOP_START, RV_STOP_PREDICTION, RV_STOP_ANSWER, RV_STOP_STORY };
int rv_stop_count(const rv_lesson *lesson);
/* Return the page that a stop shows; the question; -1: the stop is none. */
int rv_stop_page(const rv_lesson *lesson, int stop);
int rv_stop_question(const rv_lesson *lesson, int stop);
/* Returns the quiz that a stop asks, or whose answer it shows; NULL: none. */
const rv_quiz *rv_stop_quiz(const rv_lesson *lesson, int stop);
/* Writes a name for the reader: "page 3 of 8". */
void rv_name_stop(const rv_lesson *lesson, int stop, char *out, size_t n_out);

typedef struct rv_reading {
    const rv_lesson *lesson;
    int at, most;   /* the stop where the reader is; the furthest one */
    int aim;        /* the stop that was asked for, behind a prediction that is lacking; 0: none */
    int chosen;     /* at this stop, not committed yet; -1: none */
    int prediction; /* committed; -1: not yet */
    int answers[RV_MOST_QUIZZES]; /* to the questions; -1: none */
} rv_reading;

/* Opens a lesson at its start, nothing answered. */
rv_reading rv_open_reading(const rv_lesson *lesson);
/* Corrects a reading that does not fit the lesson: saved from another version of the text, or
   behind a prediction that was never committed: it leads there, and after its answer to the stop. */
void rv_mend_reading(rv_reading *reading);

typedef enum rv_moved {
    RV_MOVED,
    RV_ANSWERED,  /* a question: the stop shows why */
    RV_STAYED,    /* there is nothing that way */
    RV_GATED,     /* the reader must choose first */
    RV_READ_WHOLE /* it was the last stop */
} rv_moved;
/* Commits what is chosen; else, and from the prediction, goes to the next stop. */
rv_moved rv_read_on(rv_reading *reading);
rv_moved rv_read_back(rv_reading *reading);
/* Goes to a stop where the reader has been. */
rv_moved rv_read_at(rv_reading *reading, int stop);

/* Returns the choice that counts at a stop: committed, or given as an answer; -1: none. */
int rv_choice_of(const rv_reading *reading, int stop);
/* Tells whether the stop waits for a choice. */
bool rv_is_open(const rv_reading *reading, int stop);
/* Returns the choice whose only number is that digit; -1: none is, or several are. */
int rv_choice_with(const rv_reading *reading, int32_t digit);
/* Chooses at a stop that waits for it, which can still change. false: there is nothing to choose. */
bool rv_choose(rv_reading *reading, int choice);
