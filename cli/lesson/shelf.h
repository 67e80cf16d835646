/* shelf.h: the lessons that are there, and where the learner stands in them.
 *
 *     lessons/05-scatter-reduce/{en,zh_CN}.md --> rc_shelf --> rc_read_text --> rv_lesson
 *     ~/.local/share/ringsim/progress  <-------> rc_progress
 */
#pragma once

#include "lesson/reading.h"
#include "run/command.h"

#include <limits.h>

enum { RC_MOST_LESSONS = 99, RC_NAME_BYTES = 64 };

typedef struct rc_shelf {
    char folder[PATH_MAX];
    char names[RC_MOST_LESSONS][RC_NAME_BYTES]; /* "05-scatter-reduce", ascending */
    int n;
    bool dotted; /* the reader stands in the program's folder: texts say ./ringsim */
} rc_shelf;

/* Finds the folder of the lessons and lists them by number. */
rc_exit rc_open_shelf(rc_session *session, rc_shelf *shelf);
/* Finds "5", "05", "05-scatter-reduce" or "scatter-reduce". */
rc_exit rc_find_lesson(const rc_shelf *shelf, const char *id, rs_error *error, int *index);
/* Reads a lesson's text in the language in use; *translated is false where English stands in. */
rc_exit rc_read_text(const rc_shelf *shelf, int index, rs_arena *arena, rs_error *error,
                     rv_lesson *lesson, bool *translated);
/* The number that a folder's name begins with. */
int rc_lesson_number(const rc_shelf *shelf, int index);

/* ------------------------------------------------------------------ progress.c */

typedef struct rc_place_in {
    int number;                        /* of the lesson */
    int at, most;                      /* the stop where the reader is; the furthest one */
    int n_stops;                       /* as many as there were */
    char prediction;                   /* 'a'..; '-': not committed */
    char answers[RV_MOST_QUIZZES + 1]; /* to the questions; '-': none */
    /* The best that `ringsim grade` gave, of how many (0: nothing yet), for a program, and for a my.ranks. */
    int points, n_points, ranks_points, n_ranks_points;
} rc_place_in;

typedef struct rc_progress {
    char path[PATH_MAX]; /* "": not kept */
    rc_place_in places[RC_MOST_LESSONS];
    int n;
} rc_progress;

/* Reads the file; none is no error. A file that is not ours is left alone: progress->path is empty
   then, and the note says why. */
void rc_read_progress(rc_progress *progress, rs_error *note);
/* The reader's place in a lesson, made where there is none. */
rc_place_in *rc_place_of(rc_progress *progress, int number);
/* Returns the place; NULL: the reader has not begun that lesson. */
const rc_place_in *rc_find_place(const rc_progress *progress, int number);
/* Returns the reader's way through a lesson as it was kept; mends what no longer fits. */
rv_reading rc_resume(const rc_place_in *place, const rv_lesson *lesson);
/* Goes to the stop that --at names, if it was given, also where the reader has not been yet, or (then mend it) may not be. */
rc_exit rc_go_to_stop(rc_session *session, rv_reading *reading);
/* Keeps the way in the place; rc_write_progress brings it to the disk. */
void rc_keep(rc_place_in *place, const rv_reading *reading);
/* Keeps the points of a lab, or of its my.ranks, with its lesson's place, if they are the best yet. */
void rc_keep_points(int number, bool ranks, int points, int n_points);
/* Tells whether a lesson has been read to its end, or its lab has all points. NULL: it has not. */
bool rc_is_done(const rc_place_in *place);
/* Writes the file whole, or not at all. */
rc_exit rc_write_progress(const rc_progress *progress, rs_error *error);
/* The same of who reads a lesson: points that grade has kept meanwhile stay. */
rc_exit rc_keep_progress(const rc_progress *progress, rs_error *error);

/* ------------------------------------------------------------------ onward.c */

typedef struct rc_onward {
    int next;       /* the lesson that follows; 0: none */
    int other;      /* a second way; 0: none */
    bool hour_done; /* the lessons of the hour are done, now or all along */
} rc_onward;

/* Finds what to read after the lesson `now`, as if that were done; 0: after all that is done. */
rc_onward rc_find_onward(const rc_shelf *shelf, const rc_progress *progress, int now);
/* Writes the command for it, and the other way if there are two. Returns out. */
const char *rc_onward_text(const rc_session *session, rc_onward on, char *out, size_t n_out);

/* ------------------------------------------------------------------ page_command.c: a page's command */

enum { RC_SCENE_WORDS = 32, RC_SCENE_BYTES = 1024 };
typedef struct rc_scene {
    rc_session session;        /* one of its own, with the options of the words */
    const rc_command *command; /* one that shows a subject */
    char text[RC_SCENE_BYTES];
    char *words[RC_SCENE_WORDS + 2];
} rc_scene;

/* Cuts a command into words, without what only writes files or JSON; returns how many. */
int rc_scene_words(char *text, char *words[], int most);
/* Tells whether a command is of those that show a subject: a run, a story. */
bool rc_is_scene(const char *command);
/* Reads such a command; false: it is none, or cannot be read. The scene must stay where it is. */
bool rc_read_scene(const rc_session *session, const char *command, rs_error *error,
                   rc_scene *scene);
/* Writes the words that make the run of a lesson's page what it is, without where it is looked at. */
void rc_name_run(const rc_scene *read, int lesson, char *out, size_t n_out);
/* Computes what the command shows (rv_subject_free ends it); false: it cannot be shown. The files that it
   names, recordings and tables of links, lie in the folder. */
bool rc_run_scene(rc_scene *scene, const char *folder, rv_subject *subject);

/* ------------------------------------------------------------------ text.c, lesson_export.c, class.c */

/* A lesson on its way to a file. */
typedef struct rc_printer {
    const rv_lesson *lesson;
    rv_type type;
    FILE *out;
    bool lacks; /* there was no memory for all of it */
} rc_printer;
/* Writes what a stop shows: of a quiz the text and its choices. */
void rc_write_stop(rc_printer *to, int stop);
/* Writes why the choice is right, or what misleads to it and what is right then. */
void rc_write_answer(rc_printer *to, const rv_quiz *quiz, int choice);
/* Writes the whole lesson, the answers at its end. */
void rc_print_lesson(rc_printer *to);

/* Writes the command that opens a lesson in the language that was asked for, into out: "ringsim lesson 6".
   Returns out. */
const char *rc_lesson_command(const rc_session *session, int number, char *out, size_t n_out);
/* Prints the list of the lessons, and where the learner stands in each. */
rc_exit rc_print_contents(rc_session *session, const rc_shelf *shelf);
/* Prints the list as JSON. */
rc_exit rc_json_contents(rc_session *session, const rc_shelf *shelf);
/* Writes one lesson as JSON, with its answers if `key`; false: not all of it, there is no memory. */
bool rc_json_lesson(const char *name, const rv_lesson *lesson, bool translated, bool key,
                    FILE *out);
/* Writes the quizzes of a lesson as Moodle's GIFT; false: likewise. */
bool rc_write_gift(const rv_lesson *lesson, FILE *out);

/* Walks through the lesson, whose folder holds its recordings, on the terminal. RC_LACKS: there is no terminal. */
rc_exit rc_read_lesson(rc_session *session, const rc_shelf *shelf, const rv_lesson *lesson,
                       const char *folder, rc_progress *progress);
/* lesson_window.c: the same in the window, which is ready; progress NULL: its quizzes, before a class. */
rc_exit rc_show_lesson(rc_session *session, const rc_shelf *shelf, int index,
                       rc_progress *progress);
/* Writes --export's picture of the window at the stop --at; in_class: as a class sees it. */
rc_exit rc_draw_lesson(rc_session *session, const rc_shelf *shelf, int index, bool in_class);
/* Puts the quizzes to a class: counts are typed in, a second vote may follow. */
void rc_ask_class(rc_printer *to, FILE *in);
