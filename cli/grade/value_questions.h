/* value_questions.h: random questions to single functions, and their judges. */
#ifndef RC_VALUE_QUESTIONS_H
#define RC_VALUE_QUESTIONS_H

#include "grade/question.h"

extern const rc_value_check rc_value_checks[]; /* ends with a NULL function */
/* The number of a function in that table; -1: there is none. */
int rc_find_value_check(const char *function);

#endif
