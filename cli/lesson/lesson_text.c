/* lesson_text.c: a lesson as text: a stop of it, or the whole with its answers folded to the end. */
#include "base/json_file.h"
#include "lesson/shelf.h"

static void write_part(rc_printer *to, rv_part part) {
    to->lacks |= !rv_write_part(to->lesson, part, &to->type, rc_write_to_file, to->out);
}

static void write_title(const rc_printer *to, const char *title) {
    fprintf(to->out, to->type.attributes ? "\033[1m%s\033[0m\n\n" : "%s\n\n", title);
}

static void write_section(rc_printer *to, rv_section section) {
    write_title(to, to->lesson->headings[section]);
    write_part(to, to->lesson->sections[section]);
}

static void write_start(rc_printer *to) {
    char title[300];
    snprintf(title, sizeof title, "%d. %.280s", to->lesson->number, to->lesson->title);
    write_title(to, title);
    write_part(to, to->lesson->question);
    fputs("\n", to->out);
    write_section(to, RV_GOAL);
    fprintf(to->out, _("\n%d minutes.\n\n"), to->lesson->minutes);
    write_section(to, RV_BEFORE);
}

static void write_quiz(rc_printer *to, const rv_quiz *quiz) {
    write_part(to, quiz->text);
    fputs("\n", to->out);
    for (int i = 0; i < quiz->n_options; i++) write_part(to, quiz->options[i]);
}

void rc_write_stop(rc_printer *to, int stop) {
    const rv_lesson *lesson = to->lesson;
    const int page = rv_stop_page(lesson, stop), question = rv_stop_question(lesson, stop);
    if (stop == RV_STOP_START) {
        write_start(to);
    } else if (stop == RV_STOP_PREDICTION) {
        write_title(to, lesson->headings[RV_PREDICTION]);
        write_quiz(to, &lesson->prediction);
    } else if (page >= 0) {
        write_title(to, lesson->pages[page].title);
        write_part(to, lesson->pages[page].text);
    } else if (question >= 0) {
        const char *title = lesson->questions[question].title;
        if (title != NULL) write_title(to, title);
        write_quiz(to, &lesson->questions[question]);
    } else if (stop != RV_STOP_ANSWER) { /* that depends on the choice */
        write_section(to, RV_EXERCISE);
        fputs("\n", to->out);
        write_section(to, RV_AFTER);
    }
}

void rc_write_answer(rc_printer *to, const rv_quiz *quiz, int choice) {
    if (choice == quiz->answer) {
        fprintf(to->out, "%s\n\n", _("Right."));
    } else if (choice >= 0) {
        fprintf(to->out, _("Not %c:"), 'a' + choice);
        fputs("\n\n", to->out);
        write_part(to, quiz->reasons[choice]);
        fputs("\n", to->out);
    }
    write_part(to, quiz->because);
}

/* ------------------------------------------------------------------ the whole */

static void write_key(rc_printer *to, const rv_quiz *quiz) {
    rc_write_answer(to, quiz, -1);
    fputs("\n", to->out);
    for (int i = 0; i < quiz->n_options; i++) {
        if (i != quiz->answer) write_part(to, quiz->reasons[i]);
    }
}

void rc_print_lesson(rc_printer *to) {
    const rv_lesson *lesson = to->lesson;
    const int n = rv_stop_count(lesson);
    for (int stop = 0; stop < n; stop++) {
        if (stop == RV_STOP_ANSWER) continue;
        if (stop > 0) fputs("\n", to->out);
        if (rv_stop_question(lesson, stop) == lesson->n_story_questions) {
            write_title(to, lesson->headings[RV_QUESTIONS]);
        }
        rc_write_stop(to, stop);
    }
    fputs("\n\n", to->out);
    write_title(to, _("Answers"));
    fprintf(to->out, "%s\n\n", lesson->headings[RV_PREDICTION]);
    write_key(to, &lesson->prediction);
    for (int i = 0; i < lesson->n_questions; i++) {
        const rv_quiz *quiz = &lesson->questions[i];
        if (quiz->title != NULL) {
            fprintf(to->out, "\n%s\n\n", quiz->title);
        } else {
            fprintf(to->out, "\n%s %d\n\n", lesson->headings[RV_QUESTIONS],
                    i + 1 - lesson->n_story_questions);
        }
        write_key(to, quiz);
    }
}
