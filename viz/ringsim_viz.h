/* ringsim_viz.h: the face of all that is seen, in the order in which data flows.
 *
 *     report --> MODEL --+--> caption, question ---+
 *    (rs_run)            +--> SUBJECT -------------+
 *     story -------------+    WALK (keys, pure) ---+--> SCREEN --> terminal | SVG | text
 *
 *   - Pure but for three doors: rv_set_language reads a catalogue, rv_terminal_run talks to the
 *     terminal and saves pictures there on request, rv_write_* go where the caller says.
 *   - Texts are UTF-8. What people read goes through rv_gettext.
 *   - Steps: -1 is the state before the first step, n_steps the state after the last.
 */
#pragma once

#include "ringsim.h"

RS_BEGIN_DECLS

#if defined(__GNUC__)
#define RV_FORMAT_ARG(n) __attribute__((format_arg(n)))
#else
#define RV_FORMAT_ARG(n)
#endif

/* ------------------------------------------------------------------ 1. Language */

/* Returns the language to use, "en" or "zh_CN", from values of the environment, in this order; each
   may be NULL or empty. Pass LC_ALL, LC_MESSAGES, LANG. */
const char *rv_pick_language(const char *lc_all, const char *lc_messages, const char *lang);
/* Makes rv_gettext answer in `language`, "en" or "zh_CN", from the first of the directories (ends
   with NULL) that holds language/LC_MESSAGES/ringsim.mo. Returns false where there is none: English
   then. No locale needs to be installed and none is changed. */
bool rv_set_language(const char *language, const char *const locale_dirs[]);
const char *rv_language(void);
/* Returns the translation of an English text, or the text itself. */
const char *rv_gettext(const char *text) RV_FORMAT_ARG(1);
/* The same of a text about n things; without a translation `one` or `many`. A catalogue has one form for
   all numbers, as Chinese does. */
const char *rv_ngettext(const char *one, const char *many, int64_t n) RV_FORMAT_ARG(1)
    RV_FORMAT_ARG(2);
/* Returns the n-th text of the catalogue, from 0, "" for one that is not translated, and its original; NULL: no more.
   Not in a page. */
const char *rv_nth_translation(uint32_t n, const char **original);

/* ------------------------------------------------------------------ 2. Numbers for people */

/* Write "8.04 ms", "160 MB" (powers of 1000); return snprintf's count. The point is always a point. */
int rv_format_time(int64_t time_ps, char *out, size_t n_out);
int rv_format_bytes(int64_t n_bytes, char *out, size_t n_out);
/* Writes part / whole to hundredths: "1.25", "4", "0.50". */
int rv_format_ratio(int64_t part, int64_t whole, char *out, size_t n_out);
/* Returns part / whole in tenths of a percent, 0 where there is no whole; writes it: "99.5 %", "80 %". */
int64_t rv_permille(int64_t part, int64_t whole);
int rv_format_percent(int64_t part, int64_t whole, char *out, size_t n_out);

/* ------------------------------------------------------------------ 3. The model */

/* Micro-steps of a step. RV_BETWEEN: it is done, and what its phase has reached is looked at (rv_between_phases). */
typedef enum rv_moment { RV_SEND, RV_ARRIVE, RV_DONE, RV_BETWEEN } rv_moment;

/* One run at a moment. Lives in the arena; borrows the report. */
typedef struct rv_model rv_model;
/* Prepares a run to be looked at; simulates a rival algorithm on the same network for comparison.
   Wants report->trace for times step by step (trace_limit about 1 << 22). */
rs_status rv_model_new(const rs_report *report, rs_arena *arena, rs_error *error, rv_model **model);
/* Moves to a step, -1..n_steps (clamped), and a moment in it. */
rs_status rv_model_seek(rv_model *model, int32_t step, rv_moment moment, rs_error *error);

/* Whatever can be stepped: a run, a story (story/telling.h). A value that borrows what it is made of. */
typedef struct rv_subject_kind rv_subject_kind; /* what it can do (model/subject.h) */
typedef struct rv_subject {
    const rv_subject_kind *kind;
    int32_t n_steps, n_ranks;   /* n_ranks: those that can be followed */
    const char *algorithm;      /* a run's; "": it is none */
    const rs_report *report;    /* a run's */
    const rs_report *beside;    /* of two recorded runs the second, on the same time axis; NULL */
    bool forked;                /* `beside` is the run as it was before it was changed */
    rv_model *model;            /* a run's, where it is walked; the window makes one of its own */
    struct rv_telling *telling; /* a story's */
    const rs_machine *machine;  /* a machine alone, of which there is only a picture */
} rv_subject;
rv_subject rv_run_subject(const rs_report *report);
rv_subject rv_machine_subject(const rs_machine *machine);
rv_subject rv_model_subject(rv_model *model);
/* Two recorded runs, of which the terminal shows the first. */
rv_subject rv_pair_subject(const rs_report *report, const rs_report *beside);
/* Makes the model of a run that has none, in the arena: what the functions below want that walk. */
rs_status rv_subject_walk(rv_subject *subject, rs_arena *arena, rs_error *error);
/* Frees what it has kept while it was walked; not what it borrows. */
void rv_subject_free(rv_subject *subject);

/* ------------------------------------------------------------------ 4. Words */

/* Writes one plain sentence: what `rank` does at the model's moment, or how things stand before and
   after. Returns the bytes written, always terminated. */
size_t rv_caption(const rv_model *model, int32_t rank, char *out, size_t n_out);
/* Says what goes wrong in the model's step: a fault strikes, the schedule breaks, a GPU is missed from
   here on. "": nothing does. */
size_t rv_trouble_text(const rv_model *model, char *out, size_t n_out);
/* Says a verdict in the reader's language. */
size_t rv_verdict_text(const rs_verdict *verdict, char *out, size_t n_out);
/* Says why `rank` did not finish: the chain of who waits for whom, down to the GPU that died. "": the
   run completed. */
size_t rv_stall_text(const rs_outcome *outcome, int32_t rank, char *out, size_t n_out);
/* Returns a phase's name for people, translated, with a capital; "" for RS_PHASE_NONE. */
const char *rv_phase_title(rs_phase phase);

/* ------------------------------------------------------------------ 5. Predict, then reveal */

typedef enum rv_ask { RV_ASK_NOTHING, RV_ASK_CHUNK, RV_ASK_PEER } rv_ask;
typedef enum rv_myth { /* why a wrong choice looks right */
                       RV_MYTH_NONE,
                       RV_MYTH_OWN,      /* its own number */
                       RV_MYTH_RECEIVER, /* the receiver's number */
                       RV_MYTH_AGAIN,    /* what it sent a step ago, or to whom */
                       RV_MYTH_OLD,      /* what it received two steps ago */
                       RV_MYTH_OTHER_ORDER, /* right in the ring's other order, or that of the reduce-scatter */
                       RV_MYTH_HEAD,     /* what the first of a chain sends in this step */
                       RV_MYTH_SENDER,   /* from whom it receives in this step */
                       RV_MYTH_ROOT,     /* to whom all goes at last */
                       RV_MYTH_NEXT,     /* the next rank, as in a ring */
                       RV_MYTH_NEIGHBOUR /* one beside the right one */
} rv_myth;
enum { RV_MAX_CHOICES = 10, RV_MAX_TOLD = 2 };
typedef struct rv_question {
    rv_ask ask;
    rs_collective of;
    int32_t step, rank;
    int32_t n_possible; /* the answer is one of 0..n_possible - 1 */
    int32_t n_choices;  /* all of up to 10, else 4; in ascending order, no two the same */
    int32_t choices[RV_MAX_CHOICES]; /* chunks, or GPUs */
    rv_myth myths[RV_MAX_CHOICES];
    int32_t answer; /* index of the right one */
    bool passes_on; /* it sends what it received a step ago */
    /* In the first step, where nothing has come from which one could tell: what others begin with. */
    int32_t n_told, told[RV_MAX_TOLD], begins[RV_MAX_TOLD];
} rv_question;
/* Asks about `step` and, if it sends then, `rank` (else the next rank that does); from the schedule
   alone, the same for the same arguments. ask == RV_ASK_NOTHING: there is nothing to ask. */
void rv_ask_question(const rs_schedule *schedule, int32_t step, int32_t rank,
                     rv_question *question);
size_t rv_question_text(const rv_question *question, char *out, size_t n_out);
/* Names an answer: "chunk 3". */
size_t rv_say_choice(const rv_question *question, int32_t what, char *out, size_t n_out);
/* Says whether `choice` was right, and why. */
size_t rv_answer_text(const rv_question *question, int32_t choice, char *out, size_t n_out);

/* ------------------------------------------------------------------ 6. Keys */

typedef enum rv_action {
    RV_NO_ACTION,
    RV_PLAY,
    RV_NEXT,
    RV_BACK,
    RV_MICRO_NEXT,
    RV_MICRO_BACK,
    RV_PHASE_NEXT,
    RV_PHASE_BACK,
    RV_HOME,
    RV_END,
    RV_GO_TO,
    RV_ROW_DOWN,
    RV_ROW_UP,
    RV_FASTER,
    RV_SLOWER,
    RV_PREDICT,
    RV_HELP,
    RV_FULL_SCREEN,
    RV_PICTURE,
    RV_CLOSE,
    RV_QUIT,
    /* only in the window */
    RV_PICTURE_SVG,
    RV_ZOOM_OFF,
    RV_SHOW_VIEW, /* the first view (7.); the others follow */
    RV_SHOW_LAST_VIEW = RV_SHOW_VIEW + 15,
    RV_SHOW_ALL,
    RV_THEME,
    RV_LANGUAGE,
    RV_SLOW_THE_LINK,
    RV_DELAY_GPU,
    RV_BURDEN_GPU,
    RV_KILL_GPU,
    RV_HEAL_GPU,
    RV_BREAK_MENU,
    RV_MEND,
    RV_FORK,
    RV_RACE,
    RV_KNOB_NEXT,
    RV_KNOB_LESS,
    RV_KNOB_MORE,
    /* only in a lesson */
    RV_LESSON_NEXT,
    RV_LESSON_BACK,
    RV_LESSON_SWAP,
    RV_LESSON_COPY,
    RV_LESSON_OTHER, /* after a lesson: the next one that Enter does not open */
    RV_LESSON_LAB,   /* in a page */
    /* only in the terminal */
    RV_SCROLL_DOWN,
    RV_SCROLL_UP
} rv_action;
/* A key is a character, or one of these. */
typedef enum rv_key {
    RV_KEY_NONE = 0,
    RV_KEY_RIGHT = 0x110000,
    RV_KEY_LEFT,
    RV_KEY_UP,
    RV_KEY_DOWN,
    RV_KEY_SHIFT_RIGHT,
    RV_KEY_SHIFT_LEFT,
    RV_KEY_PAGE_DOWN,
    RV_KEY_PAGE_UP,
    RV_KEY_HOME,
    RV_KEY_END,
    RV_KEY_ENTER,
    RV_KEY_BACKSPACE,
    RV_KEY_TAB,
    RV_KEY_SHIFT_TAB,
    RV_KEY_ESCAPE,
    RV_KEY_SHIFT_DOWN,
    RV_KEY_SHIFT_UP
} rv_key;
enum { RV_MAX_KEYS = 4 };
typedef struct rv_key_row {
    rv_action action;
    int32_t keys[RV_MAX_KEYS]; /* ends with 0 */
    const char *names;         /* as shown; marked for translation */
    const char *help;          /* marked for translation */
    const char *group;         /* what it is for, as people think: walk, ask, break; marked, too */
    const char *hint;          /* one word for the bottom line; NULL: not there */
    const char *not_here;  /* why the terminal cannot do it, marked for translation; NULL: it can */
    const char *not_there; /* why the window need not do it */
    bool lesson_only;      /* only where a lesson is read, in the window; it goes first there */
    const char *lesson_names; /* the keys that are left to the row in a lesson; NULL: all */
    const char *page_names;   /* those that are left in a browser; NULL: all */
} rv_key_row;
rv_key_row rv_key_row_at(int index);        /* after the last row one of RV_NO_ACTION */
rv_action rv_action_of(int32_t key);        /* outside of lessons */
rv_action rv_lesson_action_of(int32_t key); /* in a lesson */
rv_key_row rv_key_row_of(rv_action action); /* RV_NO_ACTION: it has none */

/* ------------------------------------------------------------------ 7. Views */

/* What can be open in the window and its pictures is the table of panels' matter (stage/panel.h): view i
   is the bit 1 << i in a set of views. */
enum {
    RV_VIEW_ALL = 1 << 30, /* of options: all that have a button */
    RV_MOST_VIEWS = RV_SHOW_LAST_VIEW - RV_SHOW_VIEW + 1
};
/* Returns the word for view `index` on the command line; NULL: there are no more. */
const char *rv_view_word(int index);
/* Returns the collective's name, translated: "all-reduce". */
const char *rv_collective_word(rs_collective of);
/* The views that RV_VIEW_ALL opens: all that have a button, and the ring. */
unsigned rv_all_views(void);

typedef struct rv_options {
    int32_t at;                 /* start at this step; -1: before the first */
    bool play;                  /* start playing */
    double speed;               /* steps a second when playing; 0: 1 */
    bool by_hand;               /* the reader walks step by step: what explains most opens, too */
    bool predict;               /* ask before each step */
    int32_t rank;               /* the GPU to follow; the terminal's keys change it */
    bool colour;                /* false: NO_COLOR, or a terminal without */
    bool ascii;                 /* no signs beyond ASCII but the language's own */
    int width, height;          /* of pictures and text, in characters; 0: 80 x 24 */
    bool figures;               /* of a story as text: its end alone, in figures */
    const char *picture_prefix; /* `s` writes PREFIX-step-3.svg; NULL: "ringsim" */
    /* Only of the window and its pictures: */
    bool dark;                     /* the dark theme */
    bool desktop_theme;            /* a window takes the desktop's, dark or not */
    double scale;                  /* of all type; 0: 1 */
    bool reduced_motion;           /* nothing moves: a step is two stills, arriving and done */
    int pixel_width, pixel_height; /* 0: 1280 x 720 */
    unsigned views;                /* open at the start, a bit each; 0: the ring alone */
    double progress;               /* of the step `at`, 0..1: chunks on their way; 0: it is done */
    const char *compare;           /* an algorithm to race against; NULL */
    bool sheet;                    /* a picture of all steps, not of one */
    bool slides;                   /* a document with a page for each step */
    bool in_characters;            /* a stage that the terminal shows */
    bool bare;                     /* no buttons, timeline or hints: for papers and slides */
    struct rv_course *course;      /* a lesson whose text stands beside the run (course.h); NULL */
    const char *const
        *locale_dirs; /* where catalogues lie, ends with NULL: for switching languages */
} rv_options;

/* Walks through the subject on the terminal (stdin, stdout) until the reader quits. RS_UNSUPPORTED, with
   nothing changed: no terminal that can do it, or built without ncurses. Leaves the terminal as it
   was on every way out; a signal that ended it is raised again afterwards. */
rs_status rv_terminal_run(const rv_subject *subject, const rv_options *options, const rs_host *host,
                          rs_error *error);
/* Writes the whole story as plain text, all steps. */
rs_status rv_write_text(const rv_subject *subject, const rv_options *options, rs_write write,
                        void *context, rs_error *error);
/* Writes the screen at options->at as an SVG picture. */
rs_status rv_write_svg(const rv_subject *subject, const rv_options *options, rs_write write,
                       void *context, rs_error *error);

/* ------------------------------------------------------------------ 8. The window and its pictures */

/* SDL2, cairo and pango live in a module that is loaded when it is needed: linking them would cost
   every start 11 ms. */
typedef enum rv_medium { RV_ONE_PAGE, RV_PAGES, RV_FILM } rv_medium;
/* All kinds of pictures: name, ending, medium. To add one: a row here, and one in canvas/formats.c. */
#define RV_PICTURES(first, row)                                                                    \
    first(PNG, png, RV_ONE_PAGE) row(SVG, svg, RV_ONE_PAGE) row(PDF, pdf, RV_PAGES)                \
        row(MP4, mp4, RV_FILM) row(GIF, gif, RV_FILM)
#define RV_PICTURE_NAME(name, ending, medium) RV_##name,
typedef enum rv_picture { RV_PICTURES(RV_PICTURE_NAME, RV_PICTURE_NAME) RV_N_PICTURES } rv_picture;
typedef struct rv_picture_row {
    const char *ending; /* of its files, without the dot */
    rv_medium medium;
} rv_picture_row;
extern const rv_picture_row rv_pictures[RV_N_PICTURES];

enum { RV_GUI_ABI = 5 };
typedef struct rv_gui {
    int abi;             /* RV_GUI_ABI */
    const char *version; /* of ringsim: program and module must be of one build */
    /* Tells whether a window can be opened; the reason why not in *error. SDL's silent `offscreen`
       and `dummy` drivers are no display (unless SDL_VIDEODRIVER asks for them by name). */
    bool (*has_display)(rs_error *error);
    /* Tells whether the machine's fonts can write the language in use. If not, boxes are drawn instead,
       and *error holds one line for the reader: what to install. */
    bool (*has_fonts)(rs_error *error);
    /* Opens the window and returns when the reader has left it. */
    rs_status (*run)(const rv_subject *subject, const rv_options *options, const rs_host *host,
                     rs_error *error);
    /* Draws options->at (or, with options->sheet, all steps; films: from the start to the end) and
       hands the file's bytes to `write`. Films are made by ffmpeg: RS_UNSUPPORTED without it. Long
       work tells the host's progress. The same arguments give the same bytes. NULL: in a page. */
    rs_status (*picture)(const rv_subject *subject, const rv_options *options, rv_picture kind,
                         rs_write write, void *context, const rs_host *host, rs_error *error);
} rv_gui;
#define RV_GUI_SYMBOL "rv_gui_table" /* the module's one name: a const rv_gui */
#define RV_GUI_FILE "ringsim-window.so"

/* Loads the module from the first of the directories (ends with NULL) that holds it. RS_UNSUPPORTED:
   it is nowhere, cannot be loaded or is of another build. It stays loaded. */
rs_status rv_gui_load(const char *const dirs[], rs_error *error, const rv_gui **gui);

RS_END_DECLS
