/* reading.h: a reader's way through a lesson: where he is, what he has answered, where he may go. Pure.
 *
 *     start -> prediction =gate=> answer -> page -> ... -> question -> ... -> exercise
 *
 *   - Terminal and window walk by these rules, and keep the same: place, furthest place, answers.
 *   - Nothing behind the prediction is reached before a choice was committed; a committed one stays.
 */
#ifndef RV_READING_H
#define RV_READING_H

#include "lesson/lesson.h"

/* A lesson is walked in STOPS. */
enum { RV_STOP_START, RV_STOP_PREDICTION, RV_STOP_ANSWER, RV_STOP_STORY };
int rv_stop_count(const rv_lesson *lesson);
/* The page that a stop shows, or the question; -1: it is none. */
int rv_stop_page(const rv_lesson *lesson, int stop);
int rv_stop_question(const rv_lesson *lesson, int stop);
/* The quiz that a stop puts, or whose answer it tells; NULL: none. */
const rv_quiz *rv_stop_quiz(const rv_lesson *lesson, int stop);
/* Writes a name for the reader: "page 3 of 8". */
void rv_name_stop(const rv_lesson *lesson, int stop, char *out, size_t n_out);

typedef struct rv_reading {
    const rv_lesson *lesson;
    int at, most;                 /* the stop where the reader is; the furthest one */
    int chosen;                   /* for the prediction, not committed yet; -1 */
    int prediction;               /* committed; -1: not yet */
    int answers[RV_MOST_QUIZZES]; /* to the questions; -1: none */
} rv_reading;

/* Opens a lesson at its start, nothing answered. */
rv_reading rv_open_reading(const rv_lesson *lesson);
/* Moves a place from another version of the text, or one that no prediction leads to. */
void rv_mend_reading(rv_reading *reading);

typedef enum rv_moved {
    RV_MOVED,
    RV_STAYED,    /* there is nothing that way */
    RV_GATED,     /* a choice is wanted first */
    RV_READ_WHOLE /* it was the last stop */
} rv_moved;
/* Goes to the next stop; at the prediction the choice is committed by it. */
rv_moved rv_read_on(rv_reading *reading);
rv_moved rv_read_back(rv_reading *reading);
/* Goes to a stop where the reader has been. */
rv_moved rv_read_at(rv_reading *reading, int stop);

/* The choice that counts at a stop: committed, or given as an answer; -1: none. */
int rv_choice_of(const rv_reading *reading, int stop);
/* Tells whether the stop waits for a choice: no answer has been told. */
bool rv_is_open(const rv_reading *reading, int stop);
/* Chooses where a quiz is open: a question is answered by it, a prediction can still be changed.
   false: there is nothing to choose. */
bool rv_choose(rv_reading *reading, int choice);

#endif
