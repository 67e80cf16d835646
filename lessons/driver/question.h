/* question.h: what a question needs: the numbers it is made of, and the rows of its answer. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

/* An answer is rows of six ints: a message, or what the first one says. sim/interpret/ringsim_interpret.h says the same. */
enum {
    ANSWER_END = -1,
    ANSWER_SIZES = -2,
    ANSWER_COUNT = -3,
    ANSWER_MISSING = -4,
    ANSWER_NUMBER = -5
};
static inline void ringsim_put_row(FILE *answers, const int row[6]) {
    fwrite(row, sizeof row[0], 6, answers);
}

/* Each asks one question: reads its numbers, calls the learner's function, writes the answer. What an
   exercise does not need is not compiled with it. */
void ringsim_ask_schedule(FILE *answers);
int ringsim_ask_value(const char *function, FILE *answers); /* 0: there is no such function */

static inline void ringsim_no_number(void) {
    fputs("ringsim: this is no question\n", stderr);
    exit(1);
}

/* The question's next number; the program ends if there is none. */
static inline int ringsim_next_int(void) {
    int number;
    if (scanf("%d", &number) != 1) ringsim_no_number();
    return number;
}
