/* sums.h: finds the equations in a text and works them out.
 *
 *     "... 2 x 9 x 1.2 = 21.6 s ..."                      an equation, as it stands
 *     "... sends 1.6<!-- = 2*(5-1)/5 --> arrays ..."      a number with its formula in a comment
 *
 *   - A sum is numbers, + - x * / and parentheses; 2(5-1) multiplies; log2() and ceil() are known in
 *     comments. A number may have a unit (ms, MB, GB/s, ...).
 *   - Sides are equal when they are so to the digits that the right one shows, either with the units
 *     or, where one side has none, without.
 *   - What has letters in it is no sum, and is left alone.
 */
#pragma once

#include <stdbool.h>

typedef struct found_sum {
    char left[160], right[64]; /* as they stand */
    bool comment;
    bool holds;
} found_sum;

/* Works out all of `text`; false if it is none. Without units where `bare`. */
bool work_out(const char *text, bool bare, double *value);
/* Lists the equations of a text, outside its ``` blocks; returns how many, at most `most`. */
int find_sums(const char *text, found_sum found[], int most);
