/* fixed_questions.c: the questions that decide, asked in every run behind the random ones: ends of each type, zeros, ties,
 * one rank, more ranks than work, counts at which products of int or sums of float no longer hold.
 *
 *   - A right answer needs a step an element at the most: none of the numbers is a number of turns.
 *   - What no right answer could compute in its type is not asked: sums and products of the given formulas fit.
 */
#include "grade/question.h"

#include <stdlib.h>
#include <string.h>

#define INT_LEAST "-2147483648"
#define INT_MOST "2147483647"
#define FLOATS_END "16777217" /* 2^24 + 1: no float */

/* `;` ends a question; 7*3 is 7 7 7. */
static const struct {
    const char *function, *questions;
} fixed[] = {
    {"average",
     "1 0.5 " INT_MOST ";3 1.5 -2.5 0.25 0 3 0;2 1 3 2147483600 47;4 -1*4 0 0 0 1;2 4 -4 0 40;"
     "64 0.125*63 7 1*63 2147483584;3 0*3 5*3;"},
    {"sampler_indices",
     "1 1 0;1 64 63;3 8 7;5 100 99;8 8 7;9 3 2;10 3 2;2 5 4;2000 2 1;2000 1999 1998;7 6 5;"},
    {"reduce_values", "0 1 " INT_LEAST ";0 3 " INT_MOST " " INT_LEAST " 5;0 3 " FLOATS_END
                      "*3;0 3 0*3;0 1000 -2*1000;"
                      "1 1 " INT_LEAST ";1 3 0*3;1 1000 3*1000;2 1 " INT_LEAST ";2 2 " INT_LEAST
                      " -2147483647;2 3 0*3;"
                      "2 2 " INT_MOST " " INT_LEAST ";2 3 16777216 " FLOATS_END
                      " 16777216;2 3 -5 -9 -7;2 3 -9 -7 -5;"
                      "3 1 " INT_MOST ";3 2 " INT_MOST " 2147483646;3 3 0*3;3 2 " INT_LEAST
                      " " INT_MOST ";3 3 5 7 9;3 3 9 7 5;"
                      "3 3 -16777216 -" FLOATS_END " -16777216;"},
    {"reduce",
     "1 1 " INT_MOST ";2 1 " INT_LEAST " " INT_MOST ";9 1 " FLOATS_END "*9;3 1 0*3;1 3 -1 0 1;"
     "64 30 1*960 -2*959 7;3 2 -1 5 -1 6 -1 7;"},
    {"naive_seconds",
     "1 0 0 1e9;1 1e9 1e-5 1e9;2 0 1e-5 1e9;2 1 0 1e9;1024 4e12 0 1e9;1000 1 1e-6 1e12;"},
    {"chunk_range",
     INT_MOST " 1;" INT_MOST " 2;" INT_MOST " 3;" INT_MOST " 7;" INT_MOST " 64;2147483646 5;"
              "2147483640 12;" FLOATS_END " 2;" FLOATS_END
              " 3;1073741824 5;1000000007 64;0 1;0 64;1 64;63 64;"
              "64 64;65 64;127 64;"},
    {"ring_seconds",
     "1 0 0 1e9;1 1e9 1e-5 1e9;2 0 1e-5 1e9;3 1 0 1e9;1024 4e12 0 1e9;1000 1 1e-6 1e12;"},
    {"half_latency_bytes", "2 0 1e9;1024 1e-3 1e12;3 1e-9 1;"},
    {"choose", "4 0 1e-5 1e9;64 0 1e-5 1e9;3 1e9 0 1e9;64 1e9 0 1e9;5 1e15 1e-3 1e9;"},
    {"world_size", "1 1 1;1 8 8;3 12 3;100000 8 1;7 6 6;5 9 3;2 8 4;"},
    {"node_of", "0 1 1;0 8 8;7 8 8;4 12 3;3 12 3;11 9 3;8 9 3;799999 8 1;1000000 6 2;5 6 6;"},
    {"local_rank", "0 1 1;0 8 8;7 8 8;4 12 3;3 12 3;11 9 3;8 9 3;799999 8 1;1000000 6 2;5 6 6;"},
    {"first_gpu", "0 1 1;0 8 8;7 8 8;4 12 3;3 12 3;11 9 3;8 9 3;799999 8 1;1000000 6 2;5 6 6;"},
    {"plan_calls",
     "1 0;3 0*3;2 0 7;2 7 0;4 5*4;5 1 2 3 4 100000;5 100000 4 3 2 1;3 1 9 2;64 0*63 3;"},
    {"make_buckets",
     "1 5 5 5;1 1 5 5;3 1073741823 1 1073741823 1073741824*2;4 0*4 5 5;3 5*3 5 5;4 9*4 3 5;5 1*5 1 3;"
     "3 0 7 7 7 7;4 2 3 3 2 5 5;40 1*40 1 40;"},
    {"exchange_end",
     "1 0 0;1 0 5;3 0*3 1 2 3;3 1 2 100 50 0 1;2 5 5 0 0;2 0.25 0.5 0.125 0.0625;3 1 2 3 0.5*3;4 10*4 3*4;"
     "2 1e-6 2e-6 1e-6 1e-6;"},
    /* all alike; one way round alone is fast, also in fractions and in billions */
    {"ring_order",
     "1 5;2 0 3 4 0;4 1*16;3 0 9 1 1 0 9 9 1 0;5 0 9 9 1 9 9 0 9 9 1 1 9 0 9 9 9 1 9 0 9 9 9 1 9 0;"
     "4 0 0.75 0.25 0.75 0.75 0 0.75 0.25 0.75 0.25 0 0.75 0.25 0.75*2 0;"
     "3 0 3e9 2e9 2e9 0 3e9 3e9 2e9 0;"},
    {"ring_sum", "1 0 0.5;3 0 1e8 -1e8 1;3 2 1e8 -1e8 1;2 1 1 2;64 63 0.1*64;3 1 3e38 3e38 -3e38;"},
    {"algbw", "0 1;1 1000;1e15 1e-6;3 7;"},
    {"busbw", "1 1e9 0.5;3 1 1;8 0 1;1024 1e12 1e-3;131072 1e9 2;"},
    {"flow_ends",
     "1 5 1;3 7*3 1;4 1 2 3 4 1;4 4 3 2 1 1;3 0 5 5 1;8 1*8 1e9;8 1e9 1 1e9 2 1e9 3 1e9 4 1e10;2 1e12 1 1e9;"
     "6 2 1 2 1 3 3 1;"},
    {"zero_kept",
     "0 1 1e9;1 1 1e9;2 1 1e9;3 1 1e9;0 3 1;1 3 1;2 3 1;3 3 1;0 1024 1e12;1 1024 1e12;2 1024 1e12;3 1024 1e12;"},
    {"zero_sent",
     "0 1 1e9;1 1 1e9;2 1 1e9;3 1 1e9;0 3 1;1 3 1;2 3 1;3 3 1;0 1024 1e12;1 1024 1e12;2 1024 1e12;3 1024 1e12;"},
    {"choose_way",
     "1 5 1 0;3 0 9 5 0 1 1 1000;3 5 9 0 1 1 0 0;4 0 0 0 7 0 0 0 2 1e6;2 5 5 0 2 1e18;3 1 2 3 1*3 0;"
     "2 100 1 400 1 1e12;2 0 1 0 0.1 1e18;2 0.75 0.25 1 1 0;"},
    {"bus_factor",
     "0 1;1 1;2 1;3 1;4 1;0 2;1 2;2 2;3 2;4 2;0 3;1 3;2 3;3 3;4 3;0 100000;1 100000;2 100000;3 100000;4 100000;"},
};

static const char *questions_of(const char *function) {
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (strcmp(fixed[i].function, function) == 0) return fixed[i].questions;
    }
    return "";
}

int rc_count_questions(const rc_value_check *check) {
    int n = check->n_random;
    for (const char *at = questions_of(check->function); *at != '\0'; at++) n += *at == ';';
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
    const char *at = questions_of(check->function);
    assert(i >= 0 && i < rc_count_questions(check));
    q->n = 0;
    if (i < check->n_random) {
        check->make(random, i, q);
        return;
    }
    for (int k = check->n_random; k < i; k++) at = strchr(at, ';') + 1;
    put_numbers(at, q);
}
