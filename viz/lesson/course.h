/* course.h: a lesson in the window: the reader's way through it, and what only cli/ can do for it:
 * run a page's command, save the reader's place, read the text in another language.
 *
 *     key, click --> rv_reading --moved--> scene(words) --> subject --> the animation beside the text
 *                                    +---> kept()
 */
#ifndef RV_COURSE_H
#define RV_COURSE_H

#include "lesson/reading.h"
#include "ringsim_viz.h"

typedef struct rv_course {
    rv_reading reading;
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
    /* After the last stop: opens the next lesson, where the reader has left it; false: there is
       none. */
    bool (*follow)(void *context);
    bool last; /* no lesson follows */
    /* Returns the lesson in the language in use; NULL: there is none in that language. */
    const rv_lesson *(*translated)(void *context);
} rv_course;

#endif
