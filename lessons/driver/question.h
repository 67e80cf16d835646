/* question.h: what a question needs: the numbers it is made of, and a place for the answer. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

/* Each asks one question: reads its numbers, calls the learner's function, prints the answer. What an
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

static inline double ringsim_next_double(void) {
    double number;
    if (scanf("%lf", &number) != 1) ringsim_no_number();
    return number;
}
