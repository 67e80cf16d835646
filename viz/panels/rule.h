/* rule.h: the lines of C that decide what a GPU sends, with the numbers of this moment in them.
 * Pure.
 *
 *     name    formula                 numbers         value
 *     chunk = (rank - step) mod N  =  (3 - 1) mod 5 = 2
 *
 *   - The numbers are the formula with its names replaced, and the value is computed from that very
 *     text: text and value cannot differ. A test compares the value with the schedule's own answer
 *     for every algorithm, step and rank.
 *   - The operators are C's, with C's precedence; only `mod` is not C's %: it is never negative.
 *   - A later line may use the names of earlier ones (to, half, bit, place).
 *   - Where there is no line `adds` the receiver overwrites.
 */
#ifndef RV_RULE_H
#define RV_RULE_H

#include "ringsim.h"

enum { RV_MAX_RULE_LINES = 6, RV_RULE_NAME = 16, RV_RULE_TEXT = 128 };

typedef struct rv_rule_line {
    char name
        [RV_RULE_NAME]; /* to, chunk, chunks: the message, "to 2" the second; sends, adds: conditions; half, bit */
    char formula[RV_RULE_TEXT];
    char numbers[RV_RULE_TEXT];
    int64_t value;
} rv_rule_line;

typedef struct rv_rule {
    rv_rule_line lines[RV_MAX_RULE_LINES];
    int n_lines; /* 0: there is no rule, since the schedule comes from a file or a program */
    bool sends;  /* the GPU sends in this step; if not, the line "sends" is the last one */
} rv_rule;

/* Finds the rule for a step, 0..n_steps - 1, and a rank. */
void rv_rule_of(const rs_schedule *schedule, int32_t step, int32_t rank, rv_rule *rule);
/* Returns a line by its name; NULL: the rule has none. */
const rv_rule_line *rv_rule_line_of(const rv_rule *rule, const char *name);
/* Tells whether a line's value is true or false; writes the value as people read it. */
bool rv_is_condition(const rv_rule_line *line);
void rv_rule_value(const rv_rule_line *line, char *out, size_t n_out);
/* Evaluates an expression of numbers. */
int64_t rv_evaluate(const char *text);

#endif
