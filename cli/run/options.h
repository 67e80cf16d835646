/* options.h: the command line (options.c): which options there are, of what type (types.c), and what was
 * given.
 *
 *     argv --rc_options_parse--> rc_options: each option's value, read once, or the first refusal
 */
#pragma once

#include "base/exit.h"

/* The options that several commands share, in the order of the help of `run`. */
typedef enum rc_option_id {
    RC_GPUS,
    RC_COLLECTIVE,
    RC_ROOT,
    RC_ALGO,
    RC_PIECES,
    RC_CHANNELS,
    RC_ORDER,
    RC_COUNT,
    RC_BYTES,
    RC_VALUES,
    RC_DTYPE,
    RC_OP,
    RC_DATA,
    RC_SEED,
    RC_ITERS,
    RC_INPUT,
    RC_OUTPUT,
    RC_ALPHA,
    RC_BANDWIDTH,
    RC_REDUCE_RATE,
    RC_PROTOCOL,
    RC_LINKS,
    RC_MACHINE,
    RC_PLACE,
    RC_PER_NODE,
    RC_SLOW_LINK,
    RC_LATE,
    RC_STRAGGLER,
    RC_KILL,
    RC_FLIP,
    RC_SLOW_REDUCE,
    RC_DOWN,
    RC_CUT,
    RC_CHECK,
    RC_ENGINE,
    RC_STEP,
    RC_AT,
    RC_MOMENT,
    RC_FOLLOW,
    RC_SPEED,
    RC_PREDICT,
    RC_VIEW,
    RC_THEME,
    RC_SCALE,
    RC_SIZE,
    RC_SHOW,
    RC_REDUCED_MOTION,
    RC_AGAINST,
    RC_BEFORE,
    RC_SANDBOX,
    RC_INTERPRET,
    RC_DATASET,
    RC_SHUFFLE,
    RC_EPOCHS,
    RC_FORGET_EPOCH,
    RC_DROP_LAST,
    RC_BATCH,
    RC_PYTHON_SHARE,
    RC_NCCL,
    RC_LAUNCH,
    RC_NCCL_ALGO,
    RC_NCCL_PROTO,
    RC_LIKE,
    RC_FABRIC,
    RC_LANG,
    RC_JSON,
    RC_TRANSFERS,
    RC_CSV,
    RC_TRACE,
    RC_DUMP,
    RC_SAVE,
    RC_EXPORT,
    RC_SHEET,
    RC_SLIDES,
    RC_BARE,
    RC_HELP,
    RC_VERSION,
    RC_N_OPTIONS,
    RC_OWN = RC_N_OPTIONS, /* a command's own count from here */
    RC_N_VALUES = RC_OWN + 19
} rc_option_id;

/* What was given for an option, or holds where nothing was. */
typedef struct rc_value {
    const char *text;    /* as typed, "" for a flag; NULL: not given */
    int64_t number;      /* bytes, ps, bytes/s, all 64 bits of a seed, the place of a word */
    uint64_t num, den;   /* of a factor, a share; both <= 10^9 */
    int64_t *list;       /* [n] numbers, places of words; the arena's */
    const double *reals; /* [n] of --data */
    int64_t n;
    rs_fault fault; /* its rank and step may be any: no schedule is known yet */
} rc_value;

/* An option's text on its way to a value. */
typedef struct rc_typed {
    const struct rc_option *option;
    const char *text;
    rs_arena *arena; /* for lists */
    rs_error *error; /* a whole line, the option's name in it */
} rc_typed;
typedef rc_exit rc_read_as(const rc_typed *typed, rc_value *value);
/* How an option's text is read: what it may be, and what holds where it was not given. */
typedef struct rc_type {
    rc_read_as *read;
    const char *otherwise;         /* as one would type it; NULL: 0 */
    int64_t least, most;           /* of a number; of an amount `least` is its rc_quantity */
    const char *const *names;      /* of a word; ends with NULL */
    const char *(*name_at)(int i); /* or the i-th of them, NULL behind the last */
    const char *word;              /* stands for the number `word_is`; NULL: none does */
    int64_t word_is;
    bool repeats; /* may be given several times */
} rc_type;
/* A type in a row: how it is read, what holds otherwise, and fields by their names. */
#define RC_TYPE(reader, default, ...)                                                              \
    (&(const rc_type){.read = (reader), .otherwise = (default), __VA_ARGS__})
#define RC_INTEGER(from, to, default) RC_TYPE(rc_as_integer, default, .least = (from), .most = (to))
#define RC_AMOUNT(quantity, default) RC_TYPE(rc_as_amount, default, .least = (quantity))
#define RC_ONE_OF(default, ...)                                                                    \
    RC_TYPE(rc_as_word, default, .names = (const char *const[]){__VA_ARGS__, NULL})
#define RC_NAMED(function, default) RC_TYPE(rc_as_word, default, .name_at = (function))

/* types.c: what texts may be. */
extern rc_read_as rc_as_integer;   /* number, least..most */
extern rc_read_as rc_as_world;     /* the same, refused in words of its own */
extern rc_read_as rc_as_step;      /* number; what is none lies behind every end */
extern rc_read_as rc_as_amount;    /* number, in the unit of its quantity */
extern rc_read_as rc_as_seed;      /* number: 64 bits */
extern rc_read_as rc_as_cut;       /* A:B */
extern rc_read_as rc_as_place;     /* list of GPUs; or number: an rs_placing */
extern rc_read_as rc_as_factor;    /* num / den > 0 */
extern rc_read_as rc_as_share;     /* num / den, 0..most: 0.1, 10% */
extern rc_read_as rc_as_word;      /* number: its place among the names */
extern rc_read_as rc_as_algorithm; /* number: the same, or RC_A_FILE */
extern rc_read_as rc_as_words;     /* list: several, a word twice counts once */
extern rc_read_as rc_as_numbers;   /* list, least..most: 2,4,8 and 2..10 */
extern rc_read_as rc_as_sizes;     /* list of bytes: 1KiB,1MiB and 1KiB..1GiB */
extern rc_read_as rc_as_counts;    /* the same of plain numbers */
enum { RC_A_FILE = -1 };
/* Returns the i-th name of rs_algorithms; NULL behind the last. */
const char *rc_algorithm_at(int i);
/* Returns the i-th name that an algorithm of any collective has, those of the all-reduce first; NULL behind the
   last. */
const char *rc_any_algorithm_at(int i);
/* Returns the i-th collective's name; NULL behind the last. */
const char *rc_collective_at(int i);
/* Finds the algorithm that --algo names, its usual one if it was not given; refuses one that the collective has
   not, and names those it has. */
rc_exit rc_algorithm_of(rs_collective of, const rc_value *algo, rs_error *error,
                        const rs_algorithm **algorithm);
/* Returns the i-th name of the types; NULL behind the last. */
const char *rc_dtype_at(int i);
/* Returns the i-th name of the operations; NULL behind the last. */
const char *rc_op_at(int i);
/* faults.c, appearance.c, export.c, run_values.c: what only shared options are. */
extern rc_read_as rc_as_fault;           /* fault; its form is the option's argument */
extern rc_read_as rc_as_scale;           /* num / den, 0.5..4 */
extern rc_read_as rc_as_pixels;          /* list: width, height */
enum { RC_AS_HTML = RV_N_PICTURES + 1 }; /* of --export: a page (export_page.c) */
extern rc_read_as rc_as_picture;         /* number: an rv_picture, or RC_AS_HTML */
extern rc_read_as rc_as_page;            /* the same, but no film */
extern rc_read_as rc_as_data;            /* number: an rs_data; reals */

/* An option; among a command's own, a shared one says only what is different there, without a name. */
typedef struct rc_option {
    int id; /* of rc_option_id, or RC_OWN and on: the command's own */
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* how the help names it; NULL: takes none */
    const char *help;     /* marked for translation */
    const rc_type *type;  /* NULL: a flag, or a text such as a file's name */
} rc_option;
/* Every shared option, by its id. */
extern const rc_option rc_option_table[RC_N_OPTIONS];

/* One of an option that may be given several times. */
typedef struct rc_repeated {
    int id;
    rc_value value;
} rc_repeated;

/* What was typed, read. */
typedef struct rc_options {
    const struct rc_command *command; /* whose options they are */
    rc_value value[RC_N_VALUES];      /* by id; of several the last one given */
    rc_repeated *repeated;            /* faults, in the order typed */
    int n_repeated;
    char **operands;
    int n_operands;
} rc_options;

/* Tells whether the option was given. */
static inline bool rc_given(const rc_options *options, int id) {
    return options->value[id].text != NULL;
}
/* Returns where in argv[1..] the first operand stands, 0: there is none before "--"; *language becomes what
   --lang says, unless it says nothing. No option is judged. */
int rc_look_ahead(int argc, char *const argv[], const char **language);
struct rc_command;
/* Reads what holds for the command where nothing is given. RC_LACKS: no memory. */
rc_exit rc_options_default(const struct rc_command *command, rs_arena *arena, rs_error *error,
                           rc_options *options);
/* Sorts out argv[1..] for the command, and reads it unless help was asked for. Refuses
   what the command does not take before what cannot be read; that in the order of the help. */
rc_exit rc_options_parse(int argc, char *const argv[], const struct rc_command *command,
                         rs_arena *arena, rs_error *error, rc_options *options);
/* Tells whether the command takes the option. */
bool rc_takes(const struct rc_command *command, int id);
/* Returns the option of that id whole, as the command takes it; of no command that takes it: the table's. */
rc_option rc_option_of(const struct rc_command *command, int id);
/* Puts the option's name before the reason, unless all is well. */
rc_exit rc_blame(const char *option, rc_exit status, rs_error *error);
