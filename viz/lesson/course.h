/* course.h: a lesson in the window: the reader's way through it, and what only the program's front
 * door can do for it: run a page's command, keep the place, read the text in another language.
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
    void *context; /* handed back to each function below; NULL for a function: it is not done */
    /* Runs a command of the lesson. What the subject is made of lives as long as the course, and is the
       same for the same command; *look says where it is looked at. RS_UNSUPPORTED: there is nothing to
       show. */
    rs_status (*scene)(void *context, const char *words, rv_subject *subject, rv_options *look,
                       rs_error *error);
    /* Tells whether a command is of the kind that `scene` shows: it can be clicked. NULL: none is. */
    bool (*plays)(void *context, const char *words);
    /* The reading has moved, or an answer was given: keeps it. */
    void (*kept)(void *context);
    /* After the last stop: opens the lesson that follows, where its reader was; false: none does. */
    bool (*follow)(void *context);
    bool last; /* no lesson follows */
    /* Returns the lesson in the language in use; NULL: it is not to be had. */
    const rv_lesson *(*translated)(void *context);
} rv_course;

#endif
