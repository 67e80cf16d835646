/* lesson.h: a lesson, as its text in one language says it. See lessons/README.md for the grammar.
 *
 *     title, the one question
 *     Goal  Minutes  Before       what it is about
 *     Prediction                  committed before anything is told        \  both are QUIZZES: a text,
 *     Story                       PAGES; each may have a scene             |  choices, the right one, and
 *     Questions                   for the class, or for oneself            /  what is behind the wrong ones
 *     Exercise  Next
 *
 *   - The headings are the same in all lessons of a language, in this order: whatever differs is an
 *     error that names the line's text.
 *   - A page's scene is its first command, "$ ringsim ...": what the reader should have before him. What
 *     stands behind ```console belongs to it, but is not typed: "--at 2", where he looks at it.
 *   - Everything lives in the arena.
 */
#ifndef RV_LESSON_H
#define RV_LESSON_H

#include "lesson/document.h"

enum { RV_MOST_OPTIONS = 5, RV_MOST_QUIZZES = 12, RV_MOST_PAGES = 24 };

/* Blocks first .. end - 1 of the document. */
typedef struct rv_part {
    int first, end;
} rv_part;

typedef struct rv_quiz {
    rv_part text;
    int n_options;                    /* 2..RV_MOST_OPTIONS */
    rv_part options[RV_MOST_OPTIONS]; /* begins with "a) ", "b) " ... */
    int answer;                       /* which is right */
    rv_part because;                  /* why it is */
    rv_part
        reasons[RV_MOST_OPTIONS]; /* what misleads to each wrong one; begins with its letter too */
} rv_quiz;

typedef struct rv_page {
    const char *title;
    rv_part text;      /* without its heading */
    const char *scene; /* the words after "$ ringsim" of its first command; NULL: it has none */
} rv_page;

typedef enum rv_section {
    RV_GOAL,
    RV_MINUTES,
    RV_BEFORE,
    RV_PREDICTION,
    RV_STORY,
    RV_QUESTIONS,
    RV_EXERCISE,
    RV_AFTER,
    RV_N_SECTIONS
} rv_section;

typedef struct rv_lesson {
    rv_document document;
    int number; /* of its title: "5. Scatter-reduce" */
    const char *title;
    rv_part question; /* the one of the whole lesson */
    int minutes;
    const char *headings[RV_N_SECTIONS]; /* as they stand in the text */
    rv_part sections[RV_N_SECTIONS];     /* without their headings */
    rv_quiz prediction;
    rv_page pages[RV_MOST_PAGES];
    int n_pages;
    rv_quiz questions[RV_MOST_QUIZZES];
    int n_questions;
} rv_lesson;

/* Reads a lesson's text. RS_BAD_INPUT: it breaks the grammar; the error says where and how. */
rs_status rv_read_lesson(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                         rv_lesson *lesson);

/* ------------------------------------------------------------------ as lines: typeset.c */

/* How a part is written: for a terminal, or a pipe. */
typedef struct rv_type {
    int width;       /* columns; only lines of code may be longer */
    bool attributes; /* strong, emphasised and `code` words by the terminal's own means */
} rv_type;
/* Writes a part of the lesson as lines, an empty one between blocks, none at either end. HTML stays
   out, and so does what a terminal would obey. false: no memory. */
bool rv_write_part(const rv_lesson *lesson, rv_part part, const rv_type *type, rs_write write,
                   void *context);

#endif
