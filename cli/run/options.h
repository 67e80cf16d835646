/* options.h: the command line (options.c): which options there are, of what type, and what was given.
 *
 *     argv --rc_options_parse--> rc_options, texts --run/typed.h--> numbers, sizes, words of a list
 */
#ifndef RC_OPTIONS_H
#define RC_OPTIONS_H

#include "base/exit.h"

/* All options there are, in the order of the help. */
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
/* A type with its range, its names and its default. */
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
/* Every option, by its id. */
extern const rc_option rc_option_table[RC_N_OPTIONS];

/* An option in the list of a command that takes it. */
typedef struct rc_taken {
    rc_option_id id;
    const char *argument, *help; /* where this command says it in other words; NULL: the table's */
    const rc_type *type; /* where it is of another type to this command; NULL: the table's */
} rc_taken;

/* One of an option that may be given several times. */
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
struct rc_command;
/* Sorts out argv[1..] (which it reorders) for the command. */
rc_exit rc_options_parse(int argc, char **argv, const struct rc_command *command, rs_arena *arena,
                         rs_error *error, rc_options *options);
/* Tells whether the command takes the option. */
bool rc_takes(const struct rc_command *command, rc_option_id id);

#endif
