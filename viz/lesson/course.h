/* course.h: a lesson in the window: the reader's way through it, and what only cli/ can do for it:
 * run a page's command, save the reader's place, read the text in another language.
 *
 *     key, click --> rv_reading --moved--> scene(words) --> subject --> the animation beside the text
 *                                    +---> kept()
 */
#pragma once

#include "lesson/reading.h"
#include "ringsim_viz.h"

/* A poll: hands counted in a class for the choices of the quiz at hand, twice if people talk between. */
typedef struct rv_poll {
    bool on;                       /* the course is shown to a class: large, quizzes as votes */
    int choice;                    /* for which the digits typed next count; -1: none */
    int vote;                      /* the first, 0, or the second, 1 */
    int hands[2][RV_MOST_OPTIONS]; /* of each vote, for each choice */
    bool revealed;
    int said; /* whose reason is shown, once revealed; at first the right one's */
} rv_poll;

typedef struct rv_course {
    rv_reading reading;
    rv_poll poll;
    void *context; /* first argument of each function below; nobody calls one that is NULL */
    /* Runs a command of the lesson. What the subject points to lives as long as the course, and is
       the same for the same command; *look says which step to show. RS_UNSUPPORTED: there is
       nothing to show. */
    rs_status (*scene)(void *context, const char *words, rv_subject *subject, rv_options *look,
                       rs_error *error);
    /* Tells whether `scene` shows commands of this kind: then the reader can click on it. NULL:
       none. */
    bool (*plays)(void *context, const char *words);
    /* Saves the reader's place and answers: one of them has changed. */
    void (*kept)(void *context);
    /* After the last stop: opens lesson `next` or `other`, where the reader has left it; false: it
       cannot be read. */
    bool (*follow)(void *context, int number);
    int next; /* the number of the lesson that follows, on the short way if it is open; 0: none does */
    int other;      /* a second way: the one in order, */
    bool ungraded;  /* its exercise has not all points yet; said once before another lesson opens */
    bool hour_done; /* or after the short way training's; 0: none */
    /* Returns the lesson in the language in use; NULL: there is none in that language. */
    const rv_lesson *(*translated)(void *context);
} rv_course;

/* ------------------------------------------------------------------ poll.c */

/* Begins the poll of another quiz. */
void rv_poll_begin(rv_poll *poll);
/* Obeys a key: a letter, then digits; backspace, space, comma; v votes again, r reveals: then a letter asks for that
 * choice's reason. false: it means something else. */
bool rv_poll_key(rv_poll *poll, const rv_quiz *quiz, int32_t key);
/* Counts all hands of a vote. */
int rv_poll_sum(const rv_poll *poll, int vote);
/* Returns a choice's share of a vote's hands, and writes both: "12, 60 %"; nobody: "". */
double rv_poll_share(const rv_poll *poll, int vote, int choice, char *out, size_t n_out);
/* Returns the next stop, forwards (1) or back (-1), without the prediction's answer, which is revealed; -1: there is none. */
int rv_poll_stop(const rv_lesson *lesson, int stop, int direction);
