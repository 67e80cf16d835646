/* cli.h: what the files of the front door share.
 *
 *     argv --> options --> request --> rs_run --> report --> JSON, view, files --> exit status
 *
 *   - Nothing here prints or exits but main.c and the commands (cmd_*.c): everything else returns an
 *     rc_exit, and the reason in *error, in one line.
 *   - What a command writes to files is written whole or not at all (files.c).
 *   - rc_ names are the whole program's, everything else is static in its file.
 */
#ifndef RC_CLI_H
#define RC_CLI_H

#include "ringsim.h"
#include "ringsim_print.h"
#include "ringsim_viz.h"

#include <limits.h>
#include <stdio.h>

#define _(text) rv_gettext(text)
#define N_(text) text /* marks a text of a table for translation */

#ifndef RINGSIM_VERSION
#define RINGSIM_VERSION "0.1.0"
#endif

typedef enum rc_exit {
    RC_GOOD = 0,
    RC_NO = 1,          /* the answer is "no" */
    RC_USAGE = 2,       /* wrong usage or bad input; nothing was written */
    RC_LACKS = 3,       /* this machine or build lacks what was asked for by name */
    RC_CANCELLED = 130, /* Ctrl-C */
} rc_exit;

/* Writes the message into *error and returns `code`. */
rc_exit rc_fail(rs_error *error, rc_exit code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
rc_exit rc_exit_of(rs_status status);
/* Prints the reason on one line of stderr, whatever bytes were typed. Only for main.c and commands. */
void rc_complain(const rs_error *error);

/* ------------------------------------------------------------------ units.c: numbers with units */

/* Each reads the whole text, exactly, and refuses garbage and overflow. A bare number is bytes,
   bytes/s, seconds. Sizes must come out whole; times and rates are rounded to the nearest. */
rc_exit rc_parse_size(const char *text, rs_error *error, int64_t *n_bytes);
rc_exit rc_parse_rate(const char *text, rs_error *error, uint64_t *bytes_per_s); /* >= 1 */
rc_exit rc_parse_time(const char *text, rs_error *error, int64_t *ps);
/* Reads a positive decimal number as num / den, both at most 10^9. */
rc_exit rc_parse_factor(const char *text, rs_error *error, uint64_t *num, uint64_t *den);
rc_exit rc_parse_integer(const char *text, int64_t least, int64_t most, rs_error *error,
                         int64_t *number);
rc_exit rc_parse_seed(const char *text, rs_error *error, uint64_t *seed);
rc_exit rc_parse_flops(const char *text, rs_error *error, uint64_t *flops_per_s); /* >= 1 */

enum { RC_UNIT_TEXT = 32 };
/* Writes the size exactly, with the unit that leaves the least number: "4KiB", "4GB". Returns out. */
char *rc_exact_size(int64_t n_bytes, char out[RC_UNIT_TEXT]);

/* ------------------------------------------------------------------ suggest.c */

/* Returns the name next to `word` among those of a list that ends with NULL; NULL if none is near. */
const char *rc_nearest(const char *word, const char *const names[]);
/* Finds `word` in the list; the error names the option, the nearest name and the choices. */
rc_exit rc_parse_choice(const char *option, const char *word, const char *const names[],
                        rs_error *error, int *index);

/* ------------------------------------------------------------------ options.c: the command line */

typedef enum rc_option_id {
    RC_GPUS,
    RC_ON,
    RC_ALGO,
    RC_ORDER,
    RC_COUNT,
    RC_BYTES,
    RC_MIN_BYTES,
    RC_MAX_BYTES,
    RC_STEP_FACTOR,
    RC_VALUES,
    RC_DTYPE,
    RC_OP,
    RC_DATA,
    RC_SEED,
    RC_SPECIAL,
    RC_WARMUP,
    RC_ITERS,
    RC_TIMEOUT,
    RC_INIT,
    RC_HOSTFILE,
    RC_KERNEL,
    RC_INPUT,
    RC_OUTPUT,
    RC_ALPHA,
    RC_BANDWIDTH,
    RC_REDUCE_RATE,
    RC_PROTOCOL,
    RC_LINKS,
    RC_SLOW_LINK,
    RC_LATE,
    RC_STRAGGLER,
    RC_KILL,
    RC_FLIP,
    RC_SLOW_REDUCE,
    RC_DOWN,
    RC_CHECK,
    RC_ENGINE,
    RC_STEP,
    RC_AT,
    RC_MOMENT,
    RC_SPEED,
    RC_PREDICT,
    RC_VIEW,
    RC_THEME,
    RC_SCALE,
    RC_SIZE,
    RC_SHOW,
    RC_REDUCED_MOTION,
    RC_AGAINST,
    RC_SANDBOX,
    RC_STUDENT,
    RC_SECRET_FILE,
    RC_JOBS,
    RC_FORMAT,
    RC_REPLAY,
    RC_CLASS,
    RC_GIFT,
    RC_RESET,
    RC_KEY,
    RC_DATASET,
    RC_SHUFFLE,
    RC_EPOCH,
    RC_EPOCHS,
    RC_FORGET_EPOCH,
    RC_DROP_LAST,
    RC_BATCH,
    RC_TOTAL_BATCH,
    RC_TEXT,
    RC_COMBINE,
    RC_MAP_RATE,
    RC_TOP,
    RC_PYTHON_SHARE,
    RC_WORK,
    RC_SLICES,
    RC_CORES,
    RC_NODES,
    RC_GPUS_PER_NODE,
    RC_GPUS_PER_PROC,
    RC_WITH,
    RC_PLACE,
    RC_MISTAKE,
    RC_MODE,
    RC_MODEL,
    RC_HIDDEN,
    RC_LEARNING_RATE,
    RC_MEAN,
    RC_NO_BROADCAST,
    RC_FLOPS,
    RC_SLOW_GPU,
    RC_BUCKET_MB,
    RC_NO_OVERLAP,
    RC_ACCUMULATE,
    RC_LANG,
    RC_JSON,
    RC_TRANSFERS,
    RC_CSV,
    RC_PLOT,
    RC_TRACE,
    RC_SAVE,
    RC_EXPORT,
    RC_SHEET,
    RC_HELP,
    RC_VERSION,
    RC_N_OPTIONS
} rc_option_id;

/* How an option's text is read: what it may be, and what holds where it was not given. */
typedef enum rc_kind {
    RC_AS_INTEGER, /* least..most */
    RC_AS_SIZE,    /* bytes */
    RC_AS_TIME,    /* picoseconds */
    RC_AS_RATE,    /* bytes a second */
    RC_AS_FLOPS,
    RC_AS_WORLD,  /* an integer, refused in words of its own */
    RC_AS_CHOICE, /* one of the names */
    RC_AS_SEED,
} rc_kind;
typedef struct rc_type {
    rc_kind kind;
    int64_t least, most; /* of an integer */
    int64_t by_default;
    const char *const *names;      /* of a choice; ends with NULL */
    const char *(*name_at)(int i); /* or the i-th of them, NULL behind the last */
} rc_type;
/* A type in a row. The last argument, of RC_ONE_OF the first, is the default. */
#define RC_TYPE(...) (&(const rc_type){__VA_ARGS__})
#define RC_INTEGER(from, to, otherwise)                                                            \
    RC_TYPE(.kind = RC_AS_INTEGER, .least = (from), .most = (to), .by_default = (otherwise))
#define RC_AMOUNT(of, otherwise) RC_TYPE(.kind = (of), .by_default = (otherwise))
#define RC_ONE_OF(otherwise, ...)                                                                  \
    RC_TYPE(.kind = RC_AS_CHOICE, .by_default = (otherwise),                                       \
            .names = (const char *const[]){__VA_ARGS__, NULL})
#define RC_NAMED(function, otherwise)                                                              \
    RC_TYPE(.kind = RC_AS_CHOICE, .by_default = (otherwise), .name_at = (function))

/* What an option is to every command that takes it. */
typedef struct rc_option {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* how the help names it; NULL: takes none */
    bool repeats;
    const char *help;    /* marked for translation */
    const rc_type *type; /* NULL: a flag, or a text that its command reads */
} rc_option;
extern const rc_option rc_option_table[RC_N_OPTIONS];

/* An option in the list of a command that takes it. */
typedef struct rc_taken {
    rc_option_id id;
    const char *argument, *help; /* where this command says it in other words; NULL: the table's */
    const rc_type *type; /* where it is of another type to this command; NULL: the table's */
} rc_taken;

typedef struct rc_repeated {
    rc_option_id id;
    const char *text;
} rc_repeated;

/* What was typed, still as text. */
typedef struct rc_options {
    const struct rc_command *command; /* whose options they are */
    const char *value[RC_N_OPTIONS];  /* the last one given, "" for a flag; NULL: not given */
    rc_repeated *repeated;            /* faults, in the order typed */
    int n_repeated;
    char **operands;
    int n_operands;
} rc_options;

/* Returns where in argv[1..] the first word stands that is neither an option nor an option's argument;
   0: there is none, or only the command could tell. */
int rc_find_word(int argc, char *const argv[]);
/* Sorts out argv[1..] (which it reorders) for the command. */
struct rc_command;
rc_exit rc_options_parse(int argc, char **argv, const struct rc_command *command, rs_arena *arena,
                         rs_error *error, rc_options *options);
/* Tells whether the command takes the option. */
bool rc_takes(const struct rc_command *command, rc_option_id id);

/* ------------------------------------------------------------------ links.c, faults.c: pure text */

/* Reads lines src,dst,alpha,bandwidth; sorts them; refuses pairs twice and ranks outside 0..n-1. */
rc_exit rc_parse_links(const char *text, size_t n_bytes, int32_t n_ranks, rs_arena *arena,
                       rs_error *error, rs_link_override **overrides, int32_t *n_overrides);
/* Reads the text of a fault option; checks it against the schedule and the count. */
rc_exit rc_parse_fault(rc_option_id id, const char *text, const rs_schedule *schedule,
                       int64_t count, rs_error *error, rs_fault *fault);

/* ------------------------------------------------------------------ nccl_tests_log.c: pure text */

enum { RC_LOG_OF = 96 };
/* What nccl-tests' all_reduce_perf or our own verify printed: times of whole collectives. */
typedef struct rc_nccl_log {
    char of[RC_LOG_OF]; /* "nccl-tests", "ringsim verify, ring on mpi" */
    int32_t n_ranks;    /* 0: the log does not say */
    rs_sample *samples;
    int64_t n_samples; /* >= 1 */
} rc_nccl_log;
/* Reads its table or its JSON; a zero byte follows the text. */
rc_exit rc_parse_nccl_log(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                          rc_nccl_log *log);

/* ------------------------------------------------------------------ files.c */

enum {
    RC_TEXT_LIMIT = 16 * 1024 * 1024, /* schedules and link tables */
    RC_TRACE_LIMIT = 1024 * 1024 * 1024
};
/* Reads a whole file ("-": standard input) of at most `limit` bytes; a zero byte follows the data. */
rc_exit rc_read_file(const char *path, int64_t limit, rs_arena *arena, rs_error *error, char **data,
                     size_t *n_bytes);
/* The same of somebody else's file: a regular one, no link to another. Waits for no pipe. */
rc_exit rc_read_itself(const char *path, int64_t limit, rs_arena *arena, rs_error *error,
                       char **data, size_t *n_bytes);
/* Tells how long a regular file is; -1 if it isn't one. */
int64_t rc_file_bytes(const char *path);

/* A file on its way: written beside its place, then moved there, so nothing is ever half-written.
   "-" is standard output; what is no regular file (/dev/null, a pipe) is written directly. */
typedef struct rc_file {
    FILE *stream; /* NULL: not open */
    const char *option, *path;
    char *target, *scratch; /* NULL: written directly */
} rc_file;
rc_exit rc_file_open(const char *option, const char *path, rs_error *error, rc_file *file);
rc_exit rc_file_finish(rc_file *file, rs_error *error); /* all bytes are on their way to the disk */
rc_exit rc_file_publish(rc_file *file, rs_error *error); /* moves it to its place */
void rc_file_discard(rc_file *file);                     /* harmless after publish */

/* ------------------------------------------------------------------ place.c */

/* Returns the absolute place that the path names, all links followed; only its last part may be
   missing. NULL: errno says why. free() it. */
char *rc_place(const char *path);
/* From made to gone, a scratch file is removed if a signal ends the program. */
void rc_scratch_made(const char *path); /* the text must live until it is gone */
void rc_scratch_gone(const char *path);
void rc_end_by_signal(int number); /* a signal handler: clears away, then the signal's own end */

/* ------------------------------------------------------------------ host.c: the outside world */

typedef struct rc_host rc_host;
rc_host *rc_host_new(void); /* NULL: no memory */
void rc_host_free(rc_host *host);
const rs_host *rc_host_face(rc_host *host);
void rc_host_quiet(rc_host *host); /* clears the progress line */
void rc_host_hush(rc_host *host);  /* no progress line from now on */
/* From now on Ctrl-C cancels the run; or does again what it did before. */
void rc_host_watch(rc_host *host, bool listening);
/* Returns RC_CANCELLED for a good status if a signal came too late for the library to hear of it. */
rc_exit rc_host_heed(rc_exit status, rs_error *error);
int rc_host_signal(void); /* the signal that cancelled the run; 0: none */
int rc_cores(void);
int64_t rc_memory_bytes(void); /* what may still be taken; INT64_MAX where nobody says */

/* ------------------------------------------------------------------ path.c */

bool rc_in_path(const char *program); /* a program of that name can be started */

/* ------------------------------------------------------------------ accelerators.c */

typedef struct rc_gpus {
    bool driver;      /* the NVIDIA driver's library is here */
    bool on_the_bus;  /* an NVIDIA GPU is in the machine, as far as can be seen */
    char release[32]; /* "580.82.07"; "": not told */
    int cuda;         /* the newest CUDA that the driver can serve: 13000 is 13.0; 0: not told */
    int error;        /* CUDA's number, if the driver does not start; 0 */
    int n;
    char names[512];
} rc_gpus;
void rc_find_gpus(rc_gpus *gpus);
int rc_find_nccl(void); /* 22809: 2.28.9; 0: not here */
const char *rc_nccl_text(int version, char out[32]);

/* ------------------------------------------------------------------ printable.c */

/* Copies the text with a ? for whatever is no UTF-8 and, with controls_too, for whatever a terminal
   would obey. Cuts at n_out bytes, between characters. Returns out. */
char *rc_plain(const char *text, bool controls_too, char *out, size_t n_out);

/* ------------------------------------------------------------------ json_file.c */

/* An rs_write: the context is a FILE. */
void rc_write_to_file(void *context, const char *text, size_t n_bytes);
/* Begins the object that a command prints; ends it, with a newline. */
void rc_json_begin(rs_json *json, const char *schema, FILE *out);
void rc_json_end(rs_json *json);
/* Writes the members that every object begins with; bytes a second, 0 (no limit) as null. */
void rc_json_schema(rs_json *json, const char *schema);
void rc_json_speed(rs_json *json, const char *key, uint64_t Bps);
/* Writes "net" and leaves it open. */
void rc_json_net(rs_json *json, const rs_net *net);

/* ------------------------------------------------------------------ columns.c */

void rc_print_padded(const char *text, int width);  /* the text and spaces up to the width */
void rc_print_wrapped(const char *text, int width); /* in lines of that width at the most */
/* The same with the lines after the first moved to the right. */
void rc_print_indented(const char *text, int indent, int width);

/* ------------------------------------------------------------------ folders.c: our own files */

enum { RC_MOST_NEAR = 3 };
typedef struct rc_folders {
    const char *list[RC_MOST_NEAR + 2]; /* in the order to look in; ends with NULL */
    char text[RC_MOST_NEAR][PATH_MAX + 32];
} rc_folders;
/* Lists the folders `near` (ends with NULL) seen from the program's own, then the one that was chosen
   when it was installed; NULL: none. *found must stay where it is. */
void rc_find_folders(const char *program, const char *const near[], const char *installed,
                     rc_folders *found);

/* ------------------------------------------------------------------ language.c */

/* Sets the language that was asked for (NULL: the environment's); false: its catalogue is missing. */
bool rc_choose_language(const char *program, const char *wanted);
/* Lists the folders in which catalogues may lie. *found must stay where it is. */
void rc_find_catalogues(const char *program, rc_folders *found);

/* ------------------------------------------------------------------ The commands */

typedef struct rc_session {
    const char *program; /* argv[0] */
    char **arguments;    /* argv; ends with NULL */
    rc_options options;
    rc_host *host;
    rs_arena *arena;
    rs_error *error;
    const rv_gui *gui; /* NULL: not loaded */
} rc_session;

struct rv_story; /* viz/story/frame.h */
/* A command: its file ends with this row, and commands.c names it. */
typedef struct rc_command {
    const char *name, *operands;
    const char *summary;   /* marked for translation */
    const rc_taken *takes; /* n_takes options, in the order of the help */
    int n_takes;
    rc_exit (*run)(rc_session *session);
    /* Computes and hands out what the command would tell, without showing it; all of it belongs to the
       session's arena. NULL: it tells no story. */
    rc_exit (*frame)(rc_session *session, struct rv_story *story);
} rc_command;
#define RC_TAKES(list) .takes = (list), .n_takes = (int)(sizeof(list) / sizeof *(list))
/* What is taken by every command, and by those that can be walked through. */
#define RC_TAKE_HELP                                                                               \
    {.id = RC_HELP}, {                                                                             \
        .id = RC_VERSION                                                                           \
    }
#define RC_TAKE_WALK                                                                               \
    {.id = RC_STEP}, {.id = RC_AT}, {.id = RC_SPEED}, {.id = RC_VIEW}, {.id = RC_THEME},           \
        {.id = RC_SCALE}, {.id = RC_SIZE}, {                                                       \
        .id = RC_REDUCED_MOTION                                                                    \
    }

extern const rc_command *const rc_commands[];            /* the default first; ends with NULL */
const rc_command *rc_find_command(const char *name);     /* NULL: there is none */
extern const rc_command rc_command_run, rc_command_view; /* a lesson shows what these two show */

/* help.c: prints what `--help` shows; command NULL: of the whole program. */
void rc_print_help(const rc_command *command);

/* ------------------------------------------------------------------ typed.c: options as what they mean */

/* Reads options one after the other; the first error stays, and ends all reading. */
typedef struct rc_reader {
    const rc_options *options;
    rs_error *error;
    rc_exit status;
} rc_reader;
/* Starts to read what the session's command was given. */
rc_reader rc_reader_of(const rc_session *session);
/* Reads an integer, size, time or rate as the command's row says; its default where it was not given. */
int64_t rc_read_number(rc_reader *reader, rc_option_id id);
/* The same of a type that only the run tells. */
int64_t rc_read_number_as(rc_reader *reader, rc_option_id id, const rc_type *type);
/* Reads 64 bits; 0 where the option was not given. */
uint64_t rc_read_seed(rc_reader *reader, rc_option_id id);
/* Reads num / den; leaves both as they are where the option was not given. */
void rc_read_factor(rc_reader *reader, rc_option_id id, uint64_t *num, uint64_t *den);
/* Reads one word of the type's list and returns its place there. */
int rc_read_choice(rc_reader *reader, rc_option_id id);
/* Puts the option's name before the reason, unless all is well. */
rc_exit rc_blame(rc_option_id id, const rs_error *reason, rc_exit status, rs_error *error);

/* ------------------------------------------------------------------ request.c: options -> request */

typedef struct rc_asked {
    rs_request request;
    rs_schedule schedule; /* request.job.schedule points here */
    const char *file;     /* the schedule's file; NULL: generated */
} rc_asked;
rc_exit rc_make_request(rc_session *session, rc_asked *asked);
/* The same for a schedule that is there already, whatever --algo and --order say. */
rc_exit rc_request_of(rc_session *session, const rs_schedule *known, rc_asked *asked);
/* The parts that compare shares. */
rc_exit rc_read_net(rc_session *session, int32_t n_ranks, rs_net *net);
rc_exit rc_find_algorithm(const char *name, rs_error *error, const rs_algorithm **algorithm);
bool rc_is_file(const char *algo); /* a schedule or C file rather than a name */
/* Reads a file's schedule, or makes that of a learner's C file for as many ranks. n_ranks 0: nobody said
   how many. */
rc_exit rc_read_schedule(rc_session *session, const char *path, int32_t n_ranks,
                         rs_schedule *schedule);
/* Reads --gpus, from 1 on; 0: it was not given. */
rc_exit rc_read_world(rc_session *session, int32_t *n_ranks);

/* ------------------------------------------------------------------ run_values.c */

rc_exit rc_read_data(rc_session *session, rs_request *request);
rc_exit rc_read_how(rc_session *session, rs_request *request);
rc_exit rc_check_memory(rc_session *session, const rs_request *request);
rc_exit rc_read_input(rc_session *session, rs_request *request);

/* ------------------------------------------------------------------ gui.c: the window's module */

bool rc_gui_built(void);     /* this build has a window and its pictures */
bool rc_display_named(void); /* the environment names a display */
/* Loads the module into session->gui; RC_LACKS: it cannot be. */
rc_exit rc_gui(rc_session *session, rs_error *error);
/* Loads it and looks for a display. */
rc_exit rc_window_ready(rc_session *session, rs_error *error);
/* Shows it in the window, which is ready, until the reader leaves it. */
rc_exit rc_show_window(rc_session *session, const rv_subject *subject, const rv_options *options);
rc_exit rc_gui_exit(rs_status status); /* what is unsupported is missing here */

/* ------------------------------------------------------------------ export.c: --export */

typedef struct rc_picture {
    bool wanted;
    bool in_characters; /* the terminal's picture */
    rv_picture kind;
} rc_picture;
/* Reads --export and --sheet; loads the module if the picture needs it. */
rc_exit rc_choose_picture(rc_session *session, rc_picture *picture);
rc_exit rc_draw_picture(rc_session *session, const rv_subject *subject, const rc_picture *picture,
                        const rv_options *view, FILE *out);

/* ------------------------------------------------------------------ outputs.c: a run's files */

enum { RC_OUT_TRACE, RC_OUT_SAVE, RC_OUT_EXPORT, RC_OUT_VALUES, RC_N_OUTPUTS };
typedef struct rc_outputs {
    rc_file files[RC_N_OUTPUTS];
    rc_picture picture;
} rc_outputs;
/* Tells whether a file to write, or (text != NULL) one that was read, is a .trace. */
bool rc_is_trace(const char *path, const char *text, size_t n_bytes);
bool rc_outputs_take_stdout(const rc_options *options); /* one of the files is "-" */
rc_exit rc_outputs_open(rc_session *session, const rs_schedule *schedule, rc_outputs *outputs);
/* Writes and publishes them; view: how the picture is taken. */
rc_exit rc_outputs_write(rc_session *session, const rv_subject *subject, const rv_options *view,
                         rc_outputs *outputs);
void rc_outputs_discard(rc_outputs *outputs);

/* ------------------------------------------------------------------ view.c: how a run is shown */

typedef enum rc_view {
    RC_VIEW_AUTO,
    RC_VIEW_WINDOW,
    RC_VIEW_TERMINAL,
    RC_VIEW_TEXT,
    RC_VIEW_NONE,
    RC_VIEW_JSON
} rc_view;
/* Decides: --json and --view first, then what standard output is, then whether there is a display.
   *note: why there is no window, if there might have been one; otherwise empty. */
rc_exit rc_choose_view(rc_session *session, rs_error *note, rc_view *chosen);
/* What takes the window's place where it cannot be opened. */
rc_view rc_view_without_window(void);
/* Reads --at; -1: it was not given. The end is a step, too. */
rc_exit rc_read_at(const rc_options *options, int32_t n_steps, rs_error *error, int32_t *at);
/* Reads --at, --speed and the look, once, and refuses what is not there in so many steps of an
   algorithm. */
rc_exit rc_read_view(const rc_options *options, int32_t n_steps, const char *algorithm,
                     rs_error *error, rv_options *view);
/* cmd_run.c: shows a subject to people, not as JSON. */
rc_exit rc_show_subject(rc_session *session, const rv_subject *subject, rc_view view,
                        const rv_options *options);
bool rc_answer_is_no(const rs_report *report); /* what exit status 1 stands for */
/* cmd_run.c: runs a schedule that is there already, as the options say, and shows it paused at a step. */
rc_exit rc_show_schedule(rc_session *session, const rs_schedule *schedule, int32_t step);
/* Missing fonts are worth a line, no more: the shapes can be seen all the same. */
void rc_warn_of_fonts(rc_session *session, rc_view view, const rc_picture *picture);
/* show_story.c: shows what a command that is no collective has computed (viz/story/frame.h). */
typedef struct rc_showing {
    rc_view view; /* chosen: RC_VIEW_JSON is the command's own matter */
    rs_error note;
    rc_outputs outputs;
    rv_options
        look; /* read before anything is computed: of --at not yet whether the story is so long */
} rc_showing;
/* Chooses the view and opens --export's file: before anything is computed, so that what cannot be done
   is known at once. After RC_GOOD either of the other two must follow. */
rc_exit rc_story_open(rc_session *session, rc_showing *showing);
/* Whether a command prints its figures as text rather than the story: nobody asked for a view, a step
   or a walk, and there is neither a terminal nor a window to walk in. */
bool rc_wants_figures(const rc_session *session, const rc_showing *showing);
/* Writes the picture that was asked for; shows the story unless the view is none or JSON. Words are
   asked of it as often as the reader goes on: it must outlive the call only. */
rc_exit rc_show_story(rc_session *session, rc_showing *showing, const struct rv_story *story);
void rc_story_discard(rc_showing *showing);

/* cmd_view.c: reads the one or two recorded runs that the operands name. */
rc_exit rc_read_recorded(rc_session *session, rs_report reports[2], int *n);
/* view_print.c: two recorded runs in numbers, side by side. */
void rc_print_beside(const char *const names[2], const rs_report reports[2]);

/* ------------------------------------------------------------------ appearance.c */

/* Reads how the window and its pictures look into *view. */
rc_exit rc_read_look(const rc_options *options, const char *algorithm, rs_error *error,
                     rv_options *view);

/* ------------------------------------------------------------------ run_json.c, chrome.c */

/* Prints ringsim.run/1 and a newline. */
rc_exit rc_json_run(const rs_report *report, bool transfers, FILE *out, rs_error *error);
/* Prints ringsim.view/1: several runs. */
rc_exit rc_json_runs(const rs_report reports[], int n, bool transfers, FILE *out, rs_error *error);
/* Prints ringsim.check/1. */
void rc_json_check(const char *path, const rs_schedule *schedule, const rs_verdict *verdict,
                   FILE *out);
/* Prints the trace in Chrome's format, which Perfetto opens. */
void rc_chrome_trace(const rs_report *report, FILE *out);

#endif
