/* frame.h: a story: what a system does, moment after moment, in a form that every view can show:
 * training, a sampler, MapReduce, the start of a job.
 *
 *     sim result --story_NAME.c--> STORY --frame(step)--> FRAME: caption, sequence, grids, plots
 *                                    |                      |
 *                                    +-- lanes, spans ------+--> terminal, text, window, pictures
 *
 *   - The reader steps through a story as through a run, with the same keys: -1 is the start,
 *     n_steps the end.
 *   - rv_story.frame is pure: a caller may ask for any step in any order, and again in another
 *     language. It writes all words through _() into the frame's own arena, and takes every figure
 *     from the result of sim/.
 *   - Colour is never alone: every tone has a mark in the terminal and a pattern or sign in the window.
 *   - The caller's arenas own everything.
 */
#pragma once

#include "ringsim.h"
#include "text/axis.h"

/* What an entry, or a span of work, means to the reader. */
typedef enum rv_tone {
    RV_TONE_PLAIN,
    RV_TONE_QUIET,  /* not there yet, or not important now */
    RV_TONE_LEAVES, /* a GPU sends it, reads it or works on it now */
    RV_TONE_NEW,    /* has just come, or just changed */
    RV_TONE_ADDED,  /* something was just added to it */
    RV_TONE_GOOD,   /* complete, right */
    RV_TONE_BAD,    /* wrong, lost, seen twice */
    RV_N_TONES
} rv_tone;

typedef struct rv_entry {
    const char *text; /* short; NULL: empty */
    rv_tone tone;
    int32_t rank; /* whose it is: the rank's colour; -1: nobody's */
    /* From 1 on: what leaves (RV_TONE_LEAVES; without a text it was here and is gone) travels to the
       entry with the same number that does not leave; two plain ones are joined by a line. 0: by its
       words and rank. */
    int32_t way;
    const char *before; /* what stands here until it has come; NULL: nothing */
    bool lock;          /* the window draws a lock in place of the text */
} rv_entry;

/* A table of entries, row by row. Heads may be NULL. */
typedef struct rv_grid {
    rs_arena *arena; /* the frame's, for its texts */
    const char *title;
    bool tiles; /* its entries are things that move, and leave a place when they go */
    int32_t n_rows, n_columns;
    const char **row_heads;    /* [n_rows] */
    const char **column_heads; /* [n_columns] */
    rv_entry *entries;         /* [n_rows * n_columns] */
    bool ranks;                /* row r is rank r: the reader can follow it */
    bool whole;                /* a page of text has all its rows */
} rv_grid;

/* A curve; or bars, one for each category. */
typedef struct rv_series {
    const char *name;
    int32_t n;
    const double *x, *y;
    const char *const *names; /* [n] of the categories; NULL: the x values name the bars */
    rv_tone tone;
} rv_series;
enum { RV_MOST_SERIES = 12, RV_MOST_PLOT_MARKS = 8 };
/* A point that is named, and what begins there. */
typedef struct rv_plot_point {
    double x, y;
    const char *text;
} rv_plot_point;
typedef struct rv_plot {
    const char *title, *x_name, *y_name; /* with units */
    rv_series series[RV_MOST_SERIES];
    int32_t n_series;
    bool bars;
    rv_axis x_axis, y_axis; /* what the values stand for */
    rv_plot_point marks[RV_MOST_PLOT_MARKS];
    int32_t n_marks;
    double at;    /* the x of this moment; negative: none */
    double most;  /* of bars: the longest at any moment; 0: at this one */
    bool by_step; /* point i of each series is step i: a click goes there */
} rv_plot;

/* Who tells whom, in the order of time: a lifeline for each, a row for each message. */
enum { RV_ALL_OTHERS = -1, RV_MOST_LIFELINES = 17 };
typedef struct rv_message {
    int32_t step;     /* the story's; the steps never decrease */
    int32_t from, to; /* lifelines, or RV_ALL_OTHERS; equal: what it does by itself, or all do */
    const char *text; /* short */
    rv_tone tone;
    bool lost; /* it does not arrive */
} rv_message;
typedef struct rv_lifeline {
    const char *name, *note; /* the note may be NULL */
    int32_t rank;            /* whose it is: its colour; the reader can follow it; -1: nobody's */
    const char *group;       /* neighbours with the same group have a frame in common; NULL: none */
    bool apart;              /* what all do is not its doing: a file */
} rv_lifeline;
typedef struct rv_sequence {
    const char *title; /* NULL: there is no sequence */
    int32_t n_lines;
    rv_lifeline lines[RV_MOST_LIFELINES];
    int32_t n_messages, n_told; /* of all steps together; up to the moment */
    rv_message *messages;       /* [n_messages] */
    rv_tone *stands;            /* [n_messages * n_lines]: how each stands after each message */
} rv_sequence;

enum { RV_MOST_COLUMNS = 160 }; /* a view shows so many columns of a grid at most */
/* A line of a page of text. */
typedef struct rv_note {
    const char *text;
    bool typed; /* a command: it is never broken */
} rv_note;

enum { RV_MOST_GRIDS = 6, RV_MOST_PLOTS = 3, RV_MOST_NOTES = 32, RV_CAPTION_BYTES = 600 };
/* A moment. */
typedef struct rv_frame {
    rs_arena *arena;   /* for texts and grids; lives until the next frame */
    const char *phase; /* "shuffle", "backward pass"; NULL */
    char caption[RV_CAPTION_BYTES];
    bool good, bad; /* the caption tells success, or trouble */
    bool lacking;   /* there was no memory for all of it; the caption says so */
    /* Set by who asks for the end: it is for a page of text, which has room for all figures; what
       no grid has stands in notes. */
    bool figures;
    rv_note notes[RV_MOST_NOTES];
    int32_t n_notes;
    rv_sequence sequence;
    /* the most important first: a small view leaves out the last ones */
    rv_grid grids[RV_MOST_GRIDS];
    int32_t n_grids;
    rv_plot plots[RV_MOST_PLOTS];
    int32_t n_plots;
    int64_t now_ps;  /* where the play head stands on the lanes; -1: nowhere */
    int32_t n_lanes; /* of the story's first ones that the moment shows; 0: all */
} rv_frame;

/* One piece of work on a lane. */
typedef struct rv_work_span {
    int32_t lane;
    int64_t start_ps, end_ps;
    int32_t kind;      /* index into the story's kinds */
    int32_t step;      /* the story's step at which it lights up; -1: at none */
    const char *label; /* "bucket 2"; NULL */
} rv_work_span;
typedef struct rv_kind {
    const char *name; /* the legend's word, a msgid; NULL ends the list */
    rv_tone tone;
    bool hatched; /* waiting, and the like */
} rv_kind;
enum { RV_MOST_KINDS = 10 };

/* What a lane is called: a msgid with a place for a number, or none: "GPU %d in", "GIL". */
typedef struct rv_lane_name {
    const char *format;
    int32_t number;
} rv_lane_name;

typedef struct rv_story rv_story;
struct rv_story {
    const char *name;                            /* a msgid: "Threads or processes?" */
    const char *(*title)(const rv_story *story); /* in its place: "DDP, 4 GPUs, resnet50" */
    int32_t n_steps;                             /* at least 1 */
    int32_t n_ranks;                             /* at least 1: those that the reader can follow */
    /* Fills *frame for a step and the rank that is followed. The caller has set its arena, now_ps
       (to -1) and figures, the rest is zero, and looks afterwards whether the arena lacked memory. */
    void (*frame)(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame);
    const void *context; /* the producer's */
    /* Asked before a moment is shown: tells whether facts have come since, and takes them in; then all moments are told
       anew, of which there are as many as before. NULL: none will come. */
    bool (*has_news)(void *teller);
    void *teller;
    bool lists_moments; /* its figures are followed by the moments, a sentence each */
    /* What the tones mean in this story, msgids, for the legend: "seen twice". NULL: the usual
       word. */
    const char *words[RV_N_TONES];
    /* The timeline; none if n_lanes is 0. Spans in order of start. */
    int32_t n_lanes;
    const rv_lane_name *lane_names; /* [n_lanes] */
    const rv_work_span *spans;
    int64_t n_spans;
    int64_t end_ps;
    rv_kind kinds[RV_MOST_KINDS];
};

/* ------------------------------------------------------------------ for producers: frame.c */

enum { RV_LANE_NAME = 48 }; /* bytes that hold a lane's name */
/* Writes a lane's name in the language in use; returns `out`. */
const char *rv_lane_text(const rv_story *story, int32_t lane, char *out, size_t n_out);

/* Writes the caption; cuts it after a whole character if it is too long. */
void rv_frame_say(rv_frame *frame, const char *format, ...) RS_PRINTF(2, 3);
/* Adds a note; an empty one is an empty line. The latter: a command. */
void rv_frame_note(rv_frame *frame, const char *format, ...) RS_PRINTF(2, 3);
void rv_frame_command(rv_frame *frame, const char *format, ...) RS_PRINTF(2, 3);
/* Adds an empty grid; NULL: no memory, or there are RV_MOST_GRIDS. */
rv_grid *rv_frame_grid(rv_frame *frame, const char *title, int32_t n_rows, int32_t n_columns);
/* Write an entry, a plain one of nobody's, or a head (row -1: of the column; column -1: of the row). NULL grids are fine,
   here and below. */
void rv_grid_write(rv_grid *grid, int32_t row, int32_t column, rv_tone tone, int32_t rank,
                   const char *format, ...) RS_PRINTF(6, 7);
void rv_grid_plain(rv_grid *grid, int32_t row, int32_t column, const char *format, ...)
    RS_PRINTF(4, 5);
void rv_grid_head(rv_grid *grid, int32_t row, int32_t column, const char *format, ...)
    RS_PRINTF(4, 5);
/* Gives an entry a way, and what stands there before (NULL: nothing). */
void rv_grid_way(rv_grid *grid, int32_t row, int32_t column, int32_t way, const char *before);
/* Writes the heads of the first n columns, msgids (NULL: it has another); calls the rows GPU 0, GPU 1, ..., which the reader
   can follow. */
void rv_grid_columns(rv_grid *grid, const char *const heads[], int32_t n);
void rv_grid_ranks(rv_grid *grid);
/* Begins the sequence, with room for so many messages; NULL: no memory, or too many lifelines. */
rv_sequence *rv_frame_sequence(rv_frame *frame, const char *title, int32_t n_lines,
                               int32_t n_messages);
/* Returns a text that lives as long as the frame; "": no memory, which the arena remembers. */
const char *rv_frame_text(rv_frame *frame, const char *format, ...) RS_PRINTF(2, 3);
/* Return a number as such a text: "3.2 ms", "4.2 kB", "99.1 %", "2.5". */
const char *rv_frame_time(rv_frame *frame, int64_t time_ps);
const char *rv_frame_bytes(rv_frame *frame, int64_t n_bytes);
const char *rv_frame_percent(rv_frame *frame, int64_t part, int64_t whole);
const char *rv_frame_ratio(rv_frame *frame, int64_t part, int64_t whole);
const char *rv_frame_count(rv_frame *frame, int64_t n); /* "25,557,032" */
/* Adds a plot; NULL: there are RV_MOST_PLOTS. */
rv_plot *rv_frame_plot(rv_frame *frame, const char *title, const char *x_name, const char *y_name);
/* Writes a plot's title with what its curves count: "Time a call (ms)". */
void rv_say_plot(const rv_plot *plot, char *out, size_t n_out);
/* Adds a series to a plot; the arrays must outlive the frame. */
void rv_plot_series(rv_plot *plot, const char *name, int32_t n, const double x[], const double y[],
                    rv_tone tone);

/* Names a point of a plot; beyond RV_MOST_PLOT_MARKS none is. NULL plots are fine. */
void rv_plot_mark(rv_frame *frame, rv_plot *plot, double x, double y, const char *format, ...)
    RS_PRINTF(5, 6);

/* Returns a span's label, which lives in the arena; "": no memory. Puts spans in order of start. */
const char *rv_span_label(rs_arena *arena, const char *format, ...) RS_PRINTF(2, 3);
void rv_sort_spans(rv_work_span spans[], int64_t n);

/* ------------------------------------------------------------------ for drivers */

/* The most room that a grid wants at any moment, in characters and lines: if a view reserves so
   much, nothing moves from step to step. Grids with the same title and number of columns count as
   one. */
typedef struct rv_grid_room {
    char title[64];
    int32_t n_columns;
    int width, lines;
    uint8_t columns[RV_MOST_COLUMNS]; /* the widths of the first columns */
    bool words[RV_MOST_COLUMNS];      /* they are not always numbers */
} rv_grid_room;
/* What views need to know about all moments together. Of a story that is too large, only a part or
   nothing is known. */
enum { RV_MOST_PHASES = 64, RV_PHASE_BYTES = 48, RV_MOST_ROOMS = 12 };
typedef struct rv_survey {
    /* The phases, in the order of the steps. 0: none, or too many. */
    int32_t n_phases;
    int32_t first[RV_MOST_PHASES];
    char names[RV_MOST_PHASES][RV_PHASE_BYTES];
    bool tones[RV_N_TONES]; /* true: a grid has entries of that tone */
    int32_t n_rooms;
    rv_grid_room rooms[RV_MOST_ROOMS];
} rv_survey;
const rv_grid_room *rv_room_of(const rv_survey *survey, const rv_grid *grid); /* NULL: not known */
/* A moment's parts: its sequence, its grids, the lanes, its plots. */
typedef enum rv_piece_kind {
    RV_PART_SEQUENCE,
    RV_PART_GRID,
    RV_PART_LANES,
    RV_PART_PLOT
} rv_piece_kind;
/* Returns the story with the lanes of a moment alone, and their end. */
rv_story rv_lanes_now(const rv_story *story, const rv_frame *frame);
int32_t rv_count_parts(const rv_story *story, const rv_frame *frame);
rv_piece_kind rv_part_of(const rv_story *story, const rv_frame *frame, int32_t part,
                         int32_t *index);
/* Returns what the story is called, translated. */
const char *rv_story_title(const rv_story *story);
/* Sets there[tone] for each tone that a moment's grids have. */
void rv_tones_of(const rv_frame *frame, bool there[RV_N_TONES]);
/* Returns the word for a tone in a story's legend; "": it needs none. */
const char *rv_tone_word(const rv_story *story, rv_tone tone);
/* Returns the word for a kind of work; how many kinds there are. */
const char *rv_kind_word(const rv_story *story, int32_t kind);
int32_t rv_count_kinds(const rv_story *story);
