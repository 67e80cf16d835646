/* question.h: a question to a single function, which is a list of numbers, and what makes and judges it. */
#pragma once

#include "grade/result.h"
#include "grade/seeds.h"

#include <assert.h>
#include <limits.h>

enum { RC_MOST_NUMBERS = 2048 };
typedef struct rc_question {
    int n;
    double in[RC_MOST_NUMBERS];
} rc_question;
typedef struct rc_value_check {
    const char *function; /* its name, by which ask_values.c knows it, too */
    int n_random;         /* questions that `make` makes */
    void (*make)(rc_random *random, int i, rc_question *question);
    /* Judges out[0..n_out-1]; where it is wrong, `why` says what would have been right. */
    bool (*judge)(const rc_question *question, const double out[], int n_out, char why[RC_WHY]);
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

/* bucket_questions.c: makes layers to be cut into buckets, and judges the cut. */
void rc_make_buckets(rc_random *random, int i, rc_question *q);
bool rc_judge_buckets(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
/* Makes buckets with the times when they are ready; judges when their exchange is over. */
void rc_make_exchange(rc_random *random, int i, rc_question *q);
bool rc_judge_exchange(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
/* word_questions.c: makes words, each twice, and judges which reducer gets them. */
void rc_make_reducer(rc_random *random, int i, rc_question *question);
bool rc_judge_reducer(const rc_question *question, const double out[], int n_out, char why[RC_WHY]);
/* Makes the values of a word; judges what they reduce to. */
void rc_make_word_values(rc_random *random, int i, rc_question *question);
bool rc_judge_word_values(const rc_question *question, const double out[], int n_out,
                          char why[RC_WHY]);

/* value_questions.c: judges a single number. */
bool rc_judge_number(const rc_question *q, const double out[], int n_out, double right,
                     char why[RC_WHY]);
/* machine_questions.c: makes bytes and seconds, and a number of GPUs before them; judges the bandwidths of nccl-tests. */
void rc_make_algbw(rc_random *random, int i, rc_question *q);
bool rc_judge_algbw(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
void rc_make_busbw(rc_random *random, int i, rc_question *q);
bool rc_judge_busbw(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
/* Makes flows that begin together on one wire, and judges when each ends. */
void rc_make_flows(rc_random *random, int i, rc_question *q);
bool rc_judge_flows(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
/* Makes a ZeRO stage, a number of GPUs and a size; judges what a GPU keeps, and what it sends. */
void rc_make_shards(rc_random *random, int i, rc_question *q);
bool rc_judge_kept(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
bool rc_judge_sent(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
/* Makes a row of NCCL's tuning table and a size, judges which way is the fastest; a collective and a number of GPUs, busbw / algbw. */
void rc_make_ways(rc_random *random, int i, rc_question *q);
bool rc_judge_way(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
void rc_make_factor(rc_random *random, int i, rc_question *q);
bool rc_judge_factor(const rc_question *q, const double out[], int n_out, char why[RC_WHY]);
