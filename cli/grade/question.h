/* question.h: a question to a single function, which is a list of numbers, and what makes and judges it. */
#pragma once

#include "grade/result.h"
#include "grade/seeds.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

enum { RC_MOST_NUMBERS = 2048 };
typedef struct rc_question {
    int n;
    double in[RC_MOST_NUMBERS];
} rc_question;
/* Makes question i, from 0. */
typedef void rc_make(rc_random *random, int i, rc_question *question);
/* Judges answers[0..n-1]; where it is wrong, `why` says what would have been right. */
typedef bool rc_judge(const rc_question *question, const double answers[], int n, char why[RC_WHY]);
typedef struct rc_value_check {
    const char *function; /* its name, by which ask_values.c knows it, too */
    int n_random;         /* questions that `make` makes */
    rc_make *make;
    rc_judge *judge;
    const char *fixed; /* asked behind those in every run; `;` ends a question, 7*3 is 7 7 7 */
} rc_value_check;

extern const rc_value_check rc_value_checks[]; /* ends with a NULL function */
/* The number of a function in that table; -1: there is none. */
int rc_find_value_check(const char *function);
/* fixed_questions.c: how many questions there are of a function: the random ones, and those of every run behind them. */
int rc_count_questions(const rc_value_check *check);
/* Makes question i, from 0. */
void rc_make_question(const rc_value_check *check, rc_random *random, int i, rc_question *q);

/* Adds a number to the question. */
static inline void rc_question_put(rc_question *question, double number) {
    assert(question->n < RC_MOST_NUMBERS);
    question->in[question->n++] = number;
}

/* Returns an answer that is to be an int; what is none is the smallest. */
static inline int rc_whole(double answer) {
    return answer >= INT_MIN && answer <= INT_MAX ? (int)answer : INT_MIN;
}

/* Returns the only answer; none, several and every NaN are one NaN. */
static inline double rc_single(const double answers[], int n) {
    return n == 1 && !isnan(answers[0]) ? answers[0] : (double)NAN;
}

/* bucket_questions.c: layers to be cut into buckets; when the exchange of buckets is over. */
rc_make rc_make_buckets, rc_make_exchange, rc_make_unused, rc_make_joined;
rc_judge rc_judge_unused, rc_judge_joined, rc_judge_buckets, rc_judge_exchange;
/* word_questions.c: words, each twice, and which reducer gets them; what the values of a word reduce to. */
rc_make rc_make_reducer, rc_make_word_values;
rc_judge rc_judge_reducer, rc_judge_word_values;
/* machine_questions.c: the bandwidths of nccl-tests; when each of several flows on one wire ends; what a GPU keeps and sends of a
   ZeRO stage; which row of NCCL's tuning table is the fastest, and busbw / algbw. */
rc_make rc_make_algbw, rc_make_busbw, rc_make_flows, rc_make_shards, rc_make_ways, rc_make_factor;
rc_judge rc_judge_algbw, rc_judge_busbw, rc_judge_flows, rc_judge_kept, rc_judge_sent, rc_judge_way,
    rc_judge_factor;
/* value_questions.c: says what is wrong; returns false. */
bool rc_wrong(char why[RC_WHY], const char *format, ...) RS_PRINTF(2, 3);
/* Judges a single number. */
bool rc_judge_number(const rc_question *q, const double out[], int n_out, double right,
                     char why[RC_WHY]);
