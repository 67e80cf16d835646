/* driver.h: what a question needs: the numbers it is made of, and a place for the answer. */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdio.h>

/* Each asks one question: reads its numbers, calls the learner's function, prints the answer. What an
   exercise does not need is not compiled with it. */
void ringsim_ask_schedule(void);
int ringsim_ask_value(const char *function); /* 0: there is no such function */

extern FILE *ringsim_answers;
int ringsim_next_int(void); /* the question's next number; ends the program if there is none */
double ringsim_next_double(void);

#endif
