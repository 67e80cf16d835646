/* reading.c: see reading.h. */
#include "lesson/reading.h"
#include "text/words.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ stops */

int rv_stop_count(const rv_lesson *lesson) {
    assert(lesson->n_pages <= RV_MOST_PAGES && lesson->n_questions <= RV_MOST_QUIZZES);
    return RV_STOP_STORY + lesson->n_pages + lesson->n_questions + 1;
}

/* Returns the stop that asks a question. */
static int question_stop(const rv_lesson *lesson, int question) {
    const int page = lesson->questions[question].page;
    return RV_STOP_STORY + question + (page > 0 ? page - 1 : lesson->n_pages);
}

int rv_stop_question(const rv_lesson *lesson, int stop) {
    for (int q = 0; q < lesson->n_questions; q++) {
        if (question_stop(lesson, q) == stop) return q;
    }
    return -1;
}

int rv_stop_page(const rv_lesson *lesson, int stop) {
    int page = stop - RV_STOP_STORY;
    if (rv_stop_question(lesson, stop) >= 0) return -1;
    for (int q = 0; q < lesson->n_story_questions; q++) {
        page -= question_stop(lesson, q) < stop;
    }
    return page >= 0 && page < lesson->n_pages ? page : -1;
}

const rv_quiz *rv_stop_quiz(const rv_lesson *lesson, int stop) {
    const int question = rv_stop_question(lesson, stop);
    if (question >= 0) return &lesson->questions[question];
    const bool prediction = stop == RV_STOP_PREDICTION || stop == RV_STOP_ANSWER;
    return prediction ? &lesson->prediction : NULL;
}

void rv_name_stop(const rv_lesson *lesson, int stop, char *out, size_t n_out) {
    const int page = rv_stop_page(lesson, stop), question = rv_stop_question(lesson, stop);
    if (page >= 0) {
        snprintf(out, n_out, _("page %d of %d"), page + 1, lesson->n_pages);
    } else if (question >= 0 && question < lesson->n_story_questions) {
        snprintf(out, n_out, _("before page %d of %d"), lesson->questions[question].page,
                 lesson->n_pages);
    } else if (question >= 0) {
        snprintf(out, n_out, _("question %d of %d"), question + 1 - lesson->n_story_questions,
                 lesson->n_questions - lesson->n_story_questions);
    } else {
        snprintf(out, n_out, "%s",
                 stop == RV_STOP_START        ? _("start")
                 : stop == RV_STOP_PREDICTION ? _("prediction")
                 : stop == RV_STOP_ANSWER     ? _("the prediction's answer")
                                              : _("exercise"));
    }
}

/* ------------------------------------------------------------------ choices */

int rv_choice_of(const rv_reading *reading, int stop) {
    const int question = rv_stop_question(reading->lesson, stop);
    const rv_quiz *quiz = rv_stop_quiz(reading->lesson, stop);
    if (quiz == NULL) return -1;
    const int choice = question >= 0 ? reading->answers[question] : reading->prediction;
    return choice >= 0 && choice < quiz->n_options ? choice : -1;
}

bool rv_is_open(const rv_reading *reading, int stop) {
    return rv_stop_quiz(reading->lesson, stop) != NULL && stop != RV_STOP_ANSWER &&
           rv_choice_of(reading, stop) < 0;
}

/* Returns the only number of a text; -1: it has none, or several. */
static int only_number(const rv_block *block) {
    int number = -1, n_numbers = 0;
    for (int i = 0; i < block->n_spans; i++) {
        for (const char *c = block->spans[i].text; *c != '\0'; c++) {
            if (*c < '0' || *c > '9') continue;
            number = (int)strtol(c, NULL, 10);
            n_numbers++;
            c += strspn(c, "0123456789") - 1;
        }
    }
    return n_numbers == 1 ? number : -1;
}

int rv_choice_with(const rv_reading *reading, int32_t digit) {
    const rv_quiz *quiz = rv_stop_quiz(reading->lesson, reading->at);
    int found = -1;
    for (int i = 0; quiz != NULL && i < quiz->n_options; i++) {
        if (only_number(&reading->lesson->document.blocks[quiz->options[i].first]) != digit)
            continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

bool rv_choose(rv_reading *reading, int choice) {
    const int stop = reading->at;
    assert(stop >= 0 && stop < rv_stop_count(reading->lesson));
    if (!rv_is_open(reading, stop)) return false;
    if (choice < 0 || choice >= rv_stop_quiz(reading->lesson, stop)->n_options) return false;
    reading->chosen = choice;
    return true;
}

/* ------------------------------------------------------------------ the way */

static rv_moved go(rv_reading *reading, int stop) {
    assert(stop >= 0 && stop < rv_stop_count(reading->lesson));
    reading->at = stop;
    reading->chosen = -1;
    if (stop > reading->most) reading->most = stop;
    return RV_MOVED;
}

rv_reading rv_open_reading(const rv_lesson *lesson) {
    rv_reading reading = {.lesson = lesson, .chosen = -1, .prediction = -1};
    for (int i = 0; i < RV_MOST_QUIZZES; i++) reading.answers[i] = -1;
    return reading;
}

void rv_mend_reading(rv_reading *reading) {
    const int last = rv_stop_count(reading->lesson) - 1;
    if (reading->at < 0) reading->at = 0;
    if (reading->at > last) reading->at = last;
    if (reading->most > last) reading->most = last;
    if (reading->most < reading->at) reading->most = reading->at;
    assert(reading->at >= 0 && reading->most <= last);
    if (rv_choice_of(reading, RV_STOP_PREDICTION) >= 0) return;
    reading->prediction = -1;
    if (reading->at > RV_STOP_PREDICTION) {
        reading->aim = reading->at;
        reading->at = RV_STOP_PREDICTION;
    }
    if (reading->most > RV_STOP_PREDICTION) reading->most = RV_STOP_PREDICTION;
}

rv_moved rv_read_on(rv_reading *reading) {
    const int stop = reading->at, question = rv_stop_question(reading->lesson, stop);
    if (rv_is_open(reading, stop)) {
        if (reading->chosen < 0 && question < reading->lesson->n_story_questions) return RV_GATED;
        if (question < 0) reading->prediction = reading->chosen;
        if (question >= 0 && reading->chosen >= 0) {
            reading->answers[question] = reading->chosen;
            return RV_ANSWERED;
        }
    }
    assert(stop >= 0 && reading->at <= reading->most);
    if (stop >= rv_stop_count(reading->lesson) - 1) return RV_READ_WHOLE;
    const int aim = stop == RV_STOP_ANSWER && reading->aim > stop ? reading->aim : stop + 1;
    if (stop >= RV_STOP_ANSWER) reading->aim = 0;
    return go(reading, aim);
}

rv_moved rv_read_back(rv_reading *reading) {
    return reading->at > 0 ? go(reading, reading->at - 1) : RV_STAYED;
}

rv_moved rv_read_at(rv_reading *reading, int stop) {
    if (stop < 0 || stop == reading->at || stop >= rv_stop_count(reading->lesson)) return RV_STAYED;
    if (stop > RV_STOP_PREDICTION && rv_choice_of(reading, RV_STOP_PREDICTION) < 0) return RV_GATED;
    return stop <= reading->most ? go(reading, stop) : RV_STAYED;
}
