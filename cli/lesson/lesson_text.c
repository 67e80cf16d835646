/* lesson_text.c: a lesson as text: a stop of it, or the whole with its answers folded to the end. */
#include "base/json_file.h"
#include "lesson/shelf.h"

#include <string.h>

static bool write_part(const rv_lesson *lesson, rv_part part, const rv_type *type, FILE *out) {
    return rv_write_part(lesson, part, type, rc_write_to_file, out);
}

static void write_title(const char *title, const rv_type *type, FILE *out) {
    fprintf(out, type->attributes ? "\033[1m%s\033[0m\n\n" : "%s\n\n", title);
}

static bool write_section(const rv_lesson *lesson, rv_section section, const rv_type *type,
                          FILE *out) {
    write_title(lesson->headings[section], type, out);
    return write_part(lesson, lesson->sections[section], type, out);
}

static bool write_start(const rv_lesson *lesson, const rv_type *type, FILE *out) {
    char title[300];
    snprintf(title, sizeof title, "%d. %.280s", lesson->number, lesson->title);
    write_title(title, type, out);
    bool good = write_part(lesson, lesson->question, type, out);
    fputs("\n", out);
    good = good && write_section(lesson, RV_GOAL, type, out);
    fprintf(out, _("\n%d minutes.\n\n"), lesson->minutes);
    return good && write_section(lesson, RV_BEFORE, type, out);
}

static bool write_quiz(const rv_lesson *lesson, const rv_quiz *quiz, const rv_type *type,
                       FILE *out) {
    bool good = write_part(lesson, quiz->text, type, out);
    fputs("\n", out);
    for (int i = 0; i < quiz->n_options; i++) {
        good = good && write_part(lesson, quiz->options[i], type, out);
    }
    return good;
}

bool rc_write_stop(const rv_lesson *lesson, int stop, const rv_type *type, FILE *out) {
    const int page = rv_stop_page(lesson, stop), question = rv_stop_question(lesson, stop);
    if (stop == RV_STOP_START) return write_start(lesson, type, out);
    if (stop == RV_STOP_PREDICTION) {
        write_title(lesson->headings[RV_PREDICTION], type, out);
        return write_quiz(lesson, &lesson->prediction, type, out);
    }
    if (page >= 0) {
        write_title(lesson->pages[page].title, type, out);
        return write_part(lesson, lesson->pages[page].text, type, out);
    }
    if (question >= 0) {
        const rv_quiz *quiz = &lesson->questions[question];
        if (quiz->title != NULL) write_title(quiz->title, type, out);
        return write_quiz(lesson, quiz, type, out);
    }
    if (stop == RV_STOP_ANSWER) return true; /* it depends on the choice */
    bool good = write_section(lesson, RV_EXERCISE, type, out);
    fputs("\n", out);
    return good && write_section(lesson, RV_AFTER, type, out);
}

bool rc_write_answer(const rv_lesson *lesson, const rv_quiz *quiz, int choice, const rv_type *type,
                     FILE *out) {
    bool good = true;
    if (choice == quiz->answer) {
        fprintf(out, "%s\n\n", _("Right."));
    } else if (choice >= 0) {
        fprintf(out, _("Not %c:"), 'a' + choice);
        fputs("\n\n", out);
        good = write_part(lesson, quiz->reasons[choice], type, out);
        fputs("\n", out);
    }
    return good && write_part(lesson, quiz->because, type, out);
}

/* ------------------------------------------------------------------ the whole */

static bool write_key(const rv_lesson *lesson, const rv_quiz *quiz, const rv_type *type,
                      FILE *out) {
    bool good = rc_write_answer(lesson, quiz, -1, type, out);
    fputs("\n", out);
    for (int i = 0; i < quiz->n_options; i++) {
        if (i != quiz->answer) good = good && write_part(lesson, quiz->reasons[i], type, out);
    }
    return good;
}

rc_exit rc_print_lesson(const rv_lesson *lesson, const rv_type *type, FILE *out, rs_error *error) {
    bool good = true;
    const int n = rv_stop_count(lesson);
    for (int stop = 0; stop < n; stop++) {
        if (stop == RV_STOP_ANSWER) continue;
        if (stop > 0) fputs("\n", out);
        if (rv_stop_question(lesson, stop) == lesson->n_story_questions) {
            write_title(lesson->headings[RV_QUESTIONS], type, out);
        }
        good = good && rc_write_stop(lesson, stop, type, out);
    }
    fputs("\n\n", out);
    write_title(_("Answers"), type, out);
    fprintf(out, "%s\n\n", lesson->headings[RV_PREDICTION]);
    good = good && write_key(lesson, &lesson->prediction, type, out);
    for (int i = 0; i < lesson->n_questions; i++) {
        const rv_quiz *quiz = &lesson->questions[i];
        if (quiz->title != NULL) {
            fprintf(out, "\n%s\n\n", quiz->title);
        } else {
            fprintf(out, "\n%s %d\n\n", lesson->headings[RV_QUESTIONS],
                    i + 1 - lesson->n_story_questions);
        }
        good = good && write_key(lesson, quiz, type, out);
    }
    return good ? RC_GOOD : rc_no_memory(error);
}
