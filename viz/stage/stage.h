/* stage.h: the whole window as a state, and what keys, pointer and time do to it. Pure: no clock, no
 * SDL, no cairo. What it shows is drawn into a scene (rv_stage_draw); the drivers only paint that.
 *
 *     stage.c          birth, keys                  stage_pointer.c   clicks, drags, hovering
 *     stage_lesson.c   the reader of a lesson       stage_break.c     faults, knobs
 *     stage_runs.c     which runs are shown         stage_views.c     which views are open, zoom
 *     stage_time.c     what moves, step by step     stage_race.c      two runs at one time
 *     layout.c         which part lies where        panel.c           the picture, panel by panel
 *     stage_title.c    all of it in one line
 *
 * Whatever stands higher in that list calls what stands lower, never the other way round.
 *
 *   - The playback (playback.h) is the same as the terminal's: position, prediction, speed, messages. The stage
 *     adds what only a picture has: progress inside a step, open views, what is pointed at.
 *   - One key, one visible change. Motion lasts at most RV_MOTION_MS, then all is still until the next
 *     key (or, playing, until the step's time is over); with reduced_motion
 *     there is none, but a step is seen twice: as it arrives, and done.
 */
#pragma once

#include "stage/knob.h"
#include "scene/look.h"
#include "model/tempo.h"
#include "stage/what_if.h"
#include "model/playback.h"

/* rv_stage_tick counts a longer time as RV_LONGEST_LEAP_MS: after a pause the motion goes on where
   it was. */
enum { RV_MOTION_MS = 600, RV_LONGEST_LEAP_MS = 250, RV_MOST_PANELS = 32 };
/* Type grows with --scale only as long as so many units fit across and down. */
enum { RV_LEAST_COLUMNS = 30, RV_LEAST_ROWS = 21 };
enum { RV_NO_LANDING = INT32_MIN };

/* Where everything lies. A box without width is not shown. */
typedef struct rv_layout {
    rv_box lesson, title, caption, controls;
    rv_box views[RV_MOST_VIEWS]; /* the ring, and what is open with it (panel.h) */
    rv_box second;               /* the other ring, where there are two */
    rv_box story;                /* of a story, in place of ring and views */
    unsigned shown;              /* the open views that fit, a bit each */
    bool own;                    /* of a run of a learner's own functions */
    bool low;                    /* a view of a few lines may lie below the ring */
} rv_layout;

struct rv_say;
struct rv_stage;
/* What a second run is to the first (stage_runs.c): a row a kind. */
typedef struct rv_pairing {
    /* it takes the reader's changes, too, and is told of until both are over; else it stays as it
       is */
    bool races;
    /* Names it in the window's title. NULL: there is none. */
    void (*say)(const struct rv_stage *stage, struct rv_say *say);
    /* Returns what stands above one of the two. */
    const char *(*name)(const struct rv_stage *stage, const rv_model *model);
} rv_pairing;
extern const rv_pairing rv_alone, rv_forked, rv_raced, rv_beside;

/* One run as the parts of the picture look at it. */
typedef struct rv_shown_run {
    const rv_what_if *what_if;
    const rv_model *model;
    double progress;   /* inside the model's step */
    int64_t now_ps;    /* the play head; -1: the run has no trace */
    bool hidden;       /* a question is open: the picture must not show what moves in this step */
    const char *title; /* above it, where there are two; NULL */
    bool second;       /* it is the other of two */
} rv_shown_run;

/* Which halves of a lesson are shown; where both do not fit, the text is. */
typedef enum rv_half { RV_BOTH_HALVES, RV_STAGE_ALONE, RV_TEXT_ALONE } rv_half;

/* Which part of a diagram's time, or of the matrix's columns and rows, is shown, as shares of the whole; span 0: all. */
typedef struct rv_zoom {
    double from, from_y, span;
    int64_t head_ps; /* where the play head was when the diagram was drawn last */
} rv_zoom;

/* What the reader asks of the driver. */
typedef enum rv_wish {
    RV_NO_WISH,
    RV_WISH_PNG,
    RV_WISH_SVG,
    RV_WISH_LANGUAGE,
    RV_WISH_COPY, /* rv_flow_code's text */
    RV_WISH_LAB
} rv_wish;

/* Where a stage is shown. */
typedef enum rv_output {
    RV_TO_WINDOW,
    RV_TO_PAGE,     /* in a browser, whose own Tab leads out of the picture */
    RV_TO_TERMINAL, /* no pixels, no motion */
    RV_TO_FILE,     /* a picture or film: --scale leaves what is pressed as it is */
    RV_TO_FIGURE    /* the ring alone, for a sheet: no title, no words, nothing to press */
} rv_output;

typedef struct rv_stage {
    rv_playback playback;
    rv_what_if *what_if; /* of the run that is walked; of a story an empty one */
    rv_what_if *other;   /* the second run; NULL */
    const rv_pairing *pairing;
    int64_t now_ps;   /* with a second run: the time both are shown at */
    int64_t goal_ps;  /* the time to which now_ps moves ... */
    double race_pace; /* ... by so many ps in a millisecond */
    double other_progress;
    rv_look look;
    rv_layout layout;
    double width, height, scale;
    double density; /* of the screen, at least 1; 0: 1 */
    bool dark, reduced_motion, full_screen;
    bool desktop_theme; /* nobody has chosen: dark is as the desktop is */
    rv_output output;
    bool by_finger;   /* no keys to speak of: words say what a finger does */
    bool bare;        /* nothing to press, no timeline, no hints */
    unsigned views;   /* open, a bit each */
    unsigned unasked; /* of these, opened for who walks by hand: they give way to a second run */
    double progress;  /* in the step shown */
    double goal;      /* the progress to which it moves ... */
    double pace;      /* ... by so much in a millisecond */
    double rest_ms;   /* playing: time left before the next step */
    double hold_ms;   /* with reduced motion: time left for a step's first still */
    /* the chunks fly back: when progress is 0, the model goes to this step; RV_NO_LANDING: they do not */
    int32_t landing;
    /* when each view was opened: the latest have priority */
    uint32_t opened[RV_MOST_VIEWS], n_opened;
    int32_t n_keys;  /* pressed so far: newcomers get a hint */
    rv_target hover; /* what the pointer is on */
    rv_target held;  /* what the pressed button drags: a slider, the timeline */
    double pointer_x, pointer_y;
    double pressed_x;  /* where the button went down */
    bool dragged;      /* the pointer has moved away from there since */
    double wheel;      /* what the wheel has turned since its last notch */
    rv_target chosen;  /* the cell that was clicked last: its chunk's path is shown */
    rv_target menu;    /* the GPU, or the machine's wire, whose menu is open; RV_NOTHING: none is */
    rv_zoom zoom;      /* of the diagram of space and time */
    rv_zoom map;       /* of the matrix */
    rv_curve curve;    /* time against the number of `knob`, when the sliders are shown */
    rv_knob knob;      /* the slider that keys move */
    int32_t first_row; /* scrolling in views that need it */
    rv_wish wish;      /* the driver does it, then clears it */
    struct rv_course *course; /* a lesson beside the run; NULL */
    rv_subject born_of;       /* as the caller or a lesson's page gave it */
    rv_half half;
    int screen, n_screens; /* of the lesson's stop: the one that is shown, of how many */
    bool plain;            /* the stop has no run of its own: its text stands alone */
    char playing[256];     /* the command whose run is shown */
    bool says_wait;        /* the reader tried to go on without a prediction: ask for it */
    const rv_ruler *ruler; /* measures text; NULL: widths are estimated */
    const rv_options *options;
    const rs_host *host;
    rv_scene scene;             /* as drawn last: the pointer hits its items */
    void *kept[RV_MOST_PANELS]; /* each panel's memory from frame to frame (panel.h); NULL: none */
    int drawn;                  /* index in the table of the panel that is being drawn */
} rv_stage;

/* The options, and what the subject points to, must outlive the stage. */
rs_status rv_stage_new(const rv_subject *subject, const rv_options *options, const rs_host *host,
                       rs_error *error, rv_stage **stage);
void rv_stage_free(rv_stage *stage); /* NULL is fine */
void rv_stage_resize(rv_stage *stage, double width, double height);
/* Takes the theme of the desktop, unless somebody has chosen one. */
void rv_stage_take_theme(rv_stage *stage, bool dark);
/* Lets --scale enlarge the figure, and leave alone what is pressed. */
void rv_stage_enlarge_figure(rv_stage *stage);

/* Each returns an error only where memory or the like is missing; where it cannot do what the
   reader asks, playback.message says so. */
rs_status rv_stage_key(rv_stage *stage, int32_t key, rs_error *error);
rs_status rv_stage_act(rv_stage *stage, rv_action action, rs_error *error);
typedef enum rv_pointer {
    RV_POINT_MOVE,
    RV_POINT_PRESS,
    RV_POINT_RELEASE,
    RV_POINT_LEAVE
} rv_pointer;
rs_status rv_stage_pointer(rv_stage *stage, rv_pointer what, double x, double y, rs_error *error);
/* Returns how far from a thing it is still hit, in pixels; a finger hits less well. */
double rv_slack(const rv_stage *stage);
rs_status rv_stage_wheel(rv_stage *stage, double by, rs_error *error);
/* Zooms the diagram or the matrix in (by > 0) or out about the pointer; by 0: shows all of both.
   Returns false, and does nothing, if the pointer is on neither. */
bool rv_stage_zoom(rv_stage *stage, double by);
/* Lets time pass. */
rs_status rv_stage_tick(rv_stage *stage, double ms, rs_error *error);
/* Returns how long nothing will move, in ms; 0: it moves now; -1: for ever. */
int rv_stage_still_ms(const rv_stage *stage);
/* Takes the lesson's text in the language that has just been chosen. */
void rv_lesson_translate(rv_stage *stage);
/* Goes on in the other language, English or Chinese: what wants_language asks of the driver. */
void rv_stage_swap_language(rv_stage *stage);
/* Draws the stage into stage->scene. */
void rv_stage_draw(rv_stage *stage);
/* Says the whole state in one line, for the window's title and for tests:
   "ring, 5 GPUs - step 3 of 0..7, arrive, GPU 2 - asking, 2 of 3 right". Returns the bytes written. */
size_t rv_stage_title(const rv_stage *stage, char *out, size_t n_out);

/* ---------------------------------------------------------------------- what the stage's files share */

/* Writes the message to the reader (rv_gettext it first). */
void rv_stage_tell(rv_stage *stage, const char *format, ...) RS_PRINTF(2, 3);
/* Returns the look of what is pressed: tabs, timeline, buttons. */
rv_look rv_bar_look(const rv_stage *stage);
/* Returns the height of a button or slider: never less than 24 pixels. */
double rv_button_size(const rv_stage *stage);
rv_shown_run rv_main_run(const rv_stage *stage);
rv_shown_run rv_other_run(const rv_stage *stage); /* only where there is a second run */
/* Writes the runs of all runs that are shown; returns how many there are, 1 or 2. */
int rv_list_runs(const rv_stage *stage, rv_shown_run out[2]);
/* stage_views.c: opens and closes views; false: the action is none of those. */
bool rv_stage_switch(rv_stage *stage, rv_action action);
/* Return the box of panel `index` of the table; of a view, given by its bit. */
rv_box rv_panel_box(const rv_stage *stage, int index);
rv_box rv_view_box(const rv_stage *stage, unsigned view);
/* rv_stage_show shows a step and a progress at once, without motion. rv_stage_look_at also pauses,
   and closes an open question, help or message. */
rs_status rv_stage_show(rv_stage *stage, int32_t step, double progress, rs_error *error);
rs_status rv_stage_look_at(rv_stage *stage, int32_t step, double progress, rs_error *error);
/* Shows the place at a share, 0..1, of the timeline, paused; whole: no place inside a step. */
rs_status rv_stage_scrub(rv_stage *stage, double share, bool whole, rs_error *error);
/* Returns the step at a share of the timeline, 0..1; -1: the start. */
int32_t rv_step_at(const rv_stage *stage, double share);
/* rv_stage_settle ends a motion at its goal; rv_stage_freeze stops it where it is, unless chunks
   fly back: then it ends that motion, too. */
rs_status rv_stage_settle(rv_stage *stage, rs_error *error);
rs_status rv_stage_freeze(rv_stage *stage, rs_error *error);
/* Tells whether chunks travel before the reader's eyes when a key is pressed. */
bool rv_stage_flies(const rv_stage *stage);
/* Lets the chunks travel from a step and a progress to where the playback has just gone. */
rs_status rv_stage_go(rv_stage *stage, int32_t from_step, double from, rs_error *error);
/* Returns the step under x on the timeline as drawn last; -1: the start. */
int32_t rv_timeline_step(const rv_stage *stage, double x);
/* Does what a click on a GPU or cell means: follows that GPU; while a question is open, answers
   it. */
rs_status rv_stage_click(rv_stage *stage, rv_target target, rs_error *error);
/* Runs with other settings and stays, as far as it can, where the reader was. */
rs_status rv_stage_change(rv_stage *stage, const rv_setup *setup, rs_error *error);
/* stage_lesson.c: rv_lesson_enter shows the stop where the reader is. The others do what a key, an
   action, a click or the wheel means to a lesson; false: nothing, or there is no lesson. */
rs_status rv_lesson_enter(rv_stage *stage, rs_error *error);
bool rv_lesson_key(rv_stage *stage, int32_t key, rs_error *error, rs_status *status);
bool rv_lesson_act(rv_stage *stage, rv_action action, rs_error *error, rs_status *status);
bool rv_lesson_press(rv_stage *stage, rv_target at, rs_error *error, rs_status *status);
bool rv_lesson_wheel(rv_stage *stage, bool down);
/* stage_runs.c: puts a subject in the place of the one that is shown, at the step that the options
   name. */
rs_status rv_stage_take(rv_stage *stage, const rv_subject *subject, const rv_options *start,
                        rs_error *error);
/* Tells whether the lesson still hides the animation, which would give the answer to its prediction
   away. */
bool rv_lesson_veils(const rv_stage *stage);
/* Returns the key's action in the table of keys, which differs beside a lesson. */
rv_action rv_stage_action_of(const rv_stage *stage, int32_t key);
/* stage_break.c: breaks, mends or sets what the action says; false: it is another action. */
bool rv_stage_break(rv_stage *stage, rv_action action, rs_error *error, rs_status *status);
/* stage_break.c: does what a click on a link, a GPU or its menu means; false: it means nothing
   here. */
bool rv_break_press(rv_stage *stage, rv_target at, rs_error *error, rs_status *status);
/* stage_race.c: these need a second run. Shows both runs at a time, at once; at most at the
   end of the longer one. */
rs_status rv_race_show(rv_stage *stage, int64_t now_ps, rs_error *error);
/* With a second run keys and time move the time that both have in common, not the steps of one. rv_race_act does an action;
   false: it is for the playback. The others are what rv_stage_scrub, rv_stage_tick and rv_stage_still_ms are for one run. */
bool rv_race_act(rv_stage *stage, rv_action action, rs_error *error, rs_status *status);
rs_status rv_race_scrub(rv_stage *stage, double share, rs_error *error);
rs_status rv_race_tick(rv_stage *stage, double ms, rs_error *error);
int rv_race_still_ms(const rv_stage *stage);
/* Brings the other run to the time of the first, which has just been put to a step. */
rs_status rv_race_follow(rv_stage *stage, rs_error *error);
/* Shows both when a step of the other run is done. */
rs_status rv_race_show_other(rv_stage *stage, int32_t step, rs_error *error);
/* Returns the time as a share of the longer run, 0..1. */
double rv_race_place(const rv_stage *stage);
/* stage_runs.c: shows beside the first run the second of a pair, or else one of the algorithm
   `rival` (NULL: none). RS_TOO_LARGE: a run of the pair has no times step by step. */
rs_status rv_race_begin(rv_stage *stage, const rv_subject *subject, const char *rival,
                        rs_error *error);
/* Ends showing a second run, if there is one; the first stays where it is. */
void rv_race_end(rv_stage *stage);
/* Tells whether there is a second run that the reader can have again: not the other of two recordings. */
bool rv_may_end_race(const rv_stage *stage);
/* stage_break.c: moves a slider to a place, 0..1, on its axis. */
rs_status rv_stage_turn(rv_stage *stage, rv_knob knob, double place, rs_error *error);

rs_status rv_race_fork(rv_stage *stage, rs_error *error); /* forks the run; or ends a fork */
/* races the next algorithm; after the last, none */
rs_status rv_race_next(rv_stage *stage, rs_error *error);
/* The faults that a reader may give a GPU: the lines of its menu. */
typedef enum rv_gpu_fault {
    RV_FAULT_LINK,
    RV_FAULT_LATE,
    RV_FAULT_SLOW,
    RV_FAULT_DEAD,
    RV_FAULT_NONE,
    RV_N_FAULTS
} rv_gpu_fault;
/* What a reader may do to the links between two devices of a machine: the lines of a wire's menu. */
typedef enum rv_wire_fault {
    RV_WIRE_SLOW,
    RV_WIRE_CUT,
    RV_WIRE_WELL,
    RV_N_WIRE_FAULTS
} rv_wire_fault;
/* Returns what the reader, or the command line, has done of that to a wire's links; NULL: nothing. RV_WIRE_WELL: what
   there is to mend. */
const rv_link_fault *rv_fault_of_wire(const rv_stage *stage, rv_wire_fault fault, int32_t wire);
enum { RV_TIMES_SLOWER = 10 }; /* a slow link is so many times slower */
/* Returns the fault of that kind that `rank` has (true in *has), or would get. */
rs_fault rv_fault_of(const rv_stage *stage, rv_gpu_fault fault, int32_t rank, bool *has);

/* stage_break.c: the reader has let a slider go: computes what a drag leaves out (what_if.h,
   quick). */
rs_status rv_stage_let_go(rv_stage *stage, rs_error *error);
