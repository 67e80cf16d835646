/* lesson.h: a lesson's text in one language, read by its grammar (lessons/README.md).
 *
 *     title, the one question Goal  Minutes  Before       what it is about Prediction
 *     the reader commits it first              \  both are QUIZZES: a text, Story
 *     PAGES; each may have a scene             |  choices, the right one, and Questions
 *     for the class, or for oneself            /  why the others are wrong Exercise  Next
 *
 *   - All lessons of a language have the same headings in this order; anything else is an error,
 *     which names the line's text.
 *   - A page's scene is its first command, "$ ringsim ...", or what a comment before it names: the
 *     run that the reader should see beside it. The words after ```console, such as "--at 2", belong to the scene, but the reader
 *     does not type them: they say which step to show.
 *   - Everything lives in the arena.
 */
#pragma once

#include "lesson/document.h"

enum { RV_MOST_OPTIONS = 5, RV_MOST_QUIZZES = 12, RV_MOST_PAGES = 25 };

/* Blocks first .. end - 1 of the document. */
typedef struct rv_part {
    int first, end;
} rv_part;

typedef struct rv_quiz {
    const char *title; /* its heading, if it stands in the story; else NULL */
    int page; /* it is asked before this page, from 1, and holds it back; 0: after the story */
    rv_part text;
    int n_options;                    /* 2..RV_MOST_OPTIONS */
    rv_part options[RV_MOST_OPTIONS]; /* begins with "a) ", "b) " ... */
    int answer;                       /* which is right */
    rv_part because;                  /* why it is */
    rv_part reasons[RV_MOST_OPTIONS]; /* why each wrong one is wrong; begins with its letter, too */
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
    int n_story_questions; /* the first ones: those in the story, in its order */
} rv_lesson;

/* Reads a lesson's text. RS_BAD_INPUT: it breaks the grammar; the error says where and how. */
rs_status rv_read_lesson(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                         rv_lesson *lesson);

/* Returns the words behind "$ ringsim" or "$ ./ringsim" in the first line of code, then those that stand
   behind ```console; NULL: the line is no command, or (*lacks) there is no memory. */
const char *rv_command_of(const rv_block *code, rs_arena *arena, bool *lacks);

/* ------------------------------------------------------------------ as lines: typeset.c */

/* How to write a part: for a terminal, or for a pipe. */
typedef struct rv_type {
    int width;       /* columns; only lines of code may be longer */
    bool attributes; /* the terminal's own attributes for strong, emphasised and `code` words */
} rv_type;
/* Writes a part of the lesson as lines, with an empty one between blocks and none at either end.
   Leaves out HTML, and replaces control characters by ?. false: no memory. */
bool rv_write_part(const rv_lesson *lesson, rv_part part, const rv_type *type, rs_write write,
                   void *context);
