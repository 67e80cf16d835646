/* fixed_questions.c: makes the questions to a function: the random ones, and behind them those that are asked in every run. */
#include "grade/question.h"

#include <stdlib.h>
#include <string.h>

int rc_count_questions(const rc_value_check *check) {
    int n = check->n_random;
    for (const char *at = check->fixed; *at != '\0'; at++) n += *at == ';';
    return n;
}

static void put_numbers(const char *at, rc_question *q) {
    while (*at != ';') {
        char *end;
        const double number = strtod(at, &end);
        const long times = *end == '*' ? strtol(end + 1, &end, 10) : 1;
        for (long k = 0; k < times; k++) rc_question_put(q, number);
        at = end + strspn(end, " ");
    }
}

void rc_make_question(const rc_value_check *check, rc_random *random, int i, rc_question *q) {
    const char *at = check->fixed;
    assert(i >= 0 && i < rc_count_questions(check));
    q->n = 0;
    if (i < check->n_random) {
        check->make(random, i, q);
        return;
    }
    for (int k = check->n_random; k < i; k++) at = strchr(at, ';') + 1;
    put_numbers(at, q);
}
