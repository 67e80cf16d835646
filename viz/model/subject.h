/* subject.h: what a kind of subject can do: all that playback, terminal and window ask of whatever is
 * stepped.
 *
 *     run (subject_run.c), story (story/telling.c) --> SUBJECT --> playback --> terminal, window
 *
 *   - A subject is a value: a table of functions, and what they read. It owns nothing.
 *   - The model of a run, or the telling of a story, keeps the position.
 *   - `rank` is the GPU (or worker) that the reader follows.
 */
#pragma once

#include "ringsim_viz.h"

typedef struct rv_position {
    int32_t step; /* -1: the start; n_steps: the end */
    rv_moment moment;
} rv_position;

typedef struct rv_phase {
    int32_t first_step;
    const char *name; /* translated */
} rv_phase;

/* The words for a moment. */
enum { RV_SENTENCE_BYTES = 600 };
typedef struct rv_sentence {
    char trouble[RV_SENTENCE_BYTES]; /* what goes wrong there; "": nothing does */
    char text[RV_SENTENCE_BYTES];
    bool good, bad; /* it tells success, or trouble */
    bool at_length; /* the text is long as a rule: views set it in smaller type */
} rv_sentence;

/* One figure of a sheet (figures.h). */
typedef struct rv_figure {
    int32_t step;
    double progress; /* in that step, as tempo.h counts it */
    bool ends;       /* it shows the end of `phase` */
    rs_phase phase;
} rv_figure;

struct rv_frame; /* story/frame.h */

/* A function may be NULL only where its comment says what that means. */
struct rv_subject_kind {
    bool undoes; /* for a step back the window shows the chunks fly back */
    /* Prepares the subject for playback, if that was not done yet. NULL: there is nothing to prepare. */
    rs_status (*walk)(rv_subject *subject, rs_arena *arena, rs_error *error);
    void (*free)(rv_subject *subject); /* NULL: it keeps nothing of its own */
    rv_position (*position)(const rv_subject *subject);
    /* Moves to a step, -1..n_steps (clamped), and a moment in it. */
    rs_status (*seek)(const rv_subject *subject, int32_t step, rv_moment moment, rs_error *error);
    /* Names it: "ring, 5 GPUs"; a sheet of all its steps. Texts return the bytes written, always
       terminated. */
    size_t (*title)(const rv_subject *subject, char *out, size_t n_out);
    size_t (*sheet_title)(const rv_subject *subject, char *out, size_t n_out);
    /* Returns where a recorded run comes from, translated: "measured"; NULL, or no function: the
       program has computed it. */
    const char *(*origin)(const rv_subject *subject);
    /* Returns phase i of all; false: there are no more. */
    bool (*phase)(const rv_subject *subject, int32_t rank, int32_t i, rv_phase *phase);
    /* Names step 0..n_steps-1: "step 3: shuffle". */
    size_t (*step_text)(const rv_subject *subject, int32_t rank, int32_t step, char *out,
                        size_t n_out);
    /* Says what happens at `at`: the subject's position, or the one to which the window's animation
       leads. */
    void (*caption)(const rv_subject *subject, rv_position at, int32_t rank, rv_sentence *out);
    /* Returns the moment at its position as grids, plots and lanes. NULL: a model shows the
       subject. */
    const struct rv_frame *(*frame)(const rv_subject *subject, int32_t rank);
    /* Lists the figures of a sheet, as rv_list_figures does; says what one shows. NULL: the sheet
       shows every moment with its caption. */
    int32_t (*list_figures)(const rv_subject *subject, rv_figure out[], int32_t n_out);
    size_t (*figure_text)(const rv_subject *subject, const rv_figure *figure, int32_t rank,
                          char *out, size_t n_out);
    /* Asks about a step; RV_ASK_NOTHING: there is no question there. NULL: nowhere. */
    void (*ask)(const rv_subject *subject, int32_t step, int32_t rank, rv_question *question);
    /* Tells whether the step at its position ends a phase at which a reader stops. NULL: none does. */
    bool (*pauses)(const rv_subject *subject);
    /* Returns what an action means here; RV_NO_ACTION: nothing. NULL: the same as in a run. */
    rv_action (*meaning)(rv_action action);
    /* Says why the action of `keys` means nothing here. NULL: every action means something. */
    size_t (*refuse)(const char *keys, char *out, size_t n_out);
    const char *(*help)(const rv_key_row *row); /* translated; NULL: the row's own */
    /* Returns the part of the moment to be shown alone after `part`; -1: all are shown. NULL: it has no
       parts. */
    int32_t (*next_part)(const rv_subject *subject, int32_t rank, int32_t part);
    /* Returns the time that the play head shows at a progress inside the step; -1: there is
       none. */
    int64_t (*now_ps)(const rv_subject *subject, int32_t rank, double progress);
    /* Says that time and the whole: "3 us of 8 us"; "": there is none. */
    size_t (*clock)(const rv_subject *subject, int32_t rank, double progress, char *out,
                    size_t n_out);
    /* Returns the step to show where a lesson's page asks for `step`. */
    int32_t (*page_step)(const rv_subject *subject, int32_t step);
};

/* Tells whether a model shows the subject's moments; whether frames do. */
bool rv_has_model(const rv_subject *subject);
/* Tells whether it is a run of a learner's own functions. */
bool rv_is_own(const rv_subject *subject);
bool rv_has_frames(const rv_subject *subject);
/* Tells whether it is a machine alone; a run on a machine. */
bool rv_is_machine(const rv_subject *subject);
bool rv_has_machine(const rv_subject *subject);
/* Return what an action means here; a key's help, translated. */
rv_action rv_meaning_of(const rv_subject *subject, rv_action action);
const char *rv_help_of(const rv_subject *subject, const rv_key_row *row);
/* Tells whether an action means the same here as in a run. */
bool rv_takes(const rv_subject *subject, rv_action action);
/* Returns the first step of the next phase (direction 1), or of this one and then the one before (-1);
   the end or the start where there is none. */
int32_t rv_phase_step(const rv_subject *subject, int32_t rank, int direction);
/* Writes "3 us of 8 us". */
size_t rv_clock_text(int64_t now_ps, int64_t end_ps, char *out, size_t n_out);
/* Returns the name of what is run, for people: of a learner's file, or of the algorithm. */
const char *rv_schedule_word(const rs_schedule *schedule);
/* Returns an algorithm's name for people, translated; an unknown name unchanged. */
const char *rv_algorithm_word(const char *name);
/* The same in a sentence or a row: in English as one types it, elsewhere translated. */
const char *rv_algorithm_said(const char *name);
