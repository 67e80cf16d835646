/* command.h: a command, and what it works with. Each file cmd_NAME.c ends with its row; commands.c lists
 * them; help.c prints them.
 */
#pragma once

#include "base/host.h"
#include "run/options.h"
#include "sandbox/learner.h"

/* One run of the program: what the command was given, and what it may use. */
typedef struct rc_session {
    const char *program; /* argv[0] */
    char **arguments;    /* argv; ends with NULL */
    rc_options options;
    rc_host *host;
    rs_arena *arena;
    rs_error *error;
    const rv_gui *gui; /* NULL: not loaded */
    /* what holds the learner's program that was asked; "": none was */
    char sandbox[RC_SANDBOX_TEXT];
} rc_session;

/* A command: its file ends with this row, and commands.c names it. */
typedef struct rc_command {
    const char *name, *operands;
    const char *summary; /* marked for translation */
    const int *takes;    /* the ids of its n_takes options, in the order of the help */
    int n_takes;
    const rc_option *own; /* [n_own] no other command's; of shared ones what is different */
    int n_own;
    const int *often; /* those of them that its short help shows; NULL: all */
    int n_often;
    rc_exit (*run)(rc_session *session);
    /* Computes what the command shows, a run or a story, without showing it. What it is made of belongs to
       the session's arena; rv_subject_free ends it. NULL: it shows nothing that can be stepped. */
    rc_exit (*subject)(rc_session *session, rv_subject *subject);
    bool own_page; /* `run` makes --export's page itself, of files that the command reads */
} rc_command;
/* A list of ids, and how many. */
#define RC_IDS(...)                                                                                \
    (const int[]) {                                                                                \
        __VA_ARGS__                                                                                \
    }
#define RC_N_IDS(...) ((int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)))
/* Fill in takes, to which every command adds two; own; often. */
#define RC_TAKES(...)                                                                              \
    .takes = RC_IDS(__VA_ARGS__, RC_HELP, RC_VERSION),                                             \
    .n_takes = RC_N_IDS(__VA_ARGS__, RC_HELP, RC_VERSION)
#define RC_OWN_OPTIONS(list) .own = (list), .n_own = (int)(sizeof(list) / sizeof *(list))
#define RC_OFTEN(...) .often = RC_IDS(__VA_ARGS__), .n_often = RC_N_IDS(__VA_ARGS__)
/* What those take that can be walked through, and those that show a story. */
#define RC_TAKE_WALK                                                                               \
    RC_STEP, RC_AT, RC_SPEED, RC_VIEW, RC_THEME, RC_SCALE, RC_SIZE, RC_REDUCED_MOTION
#define RC_TAKE_STORY RC_LANG, RC_JSON, RC_EXPORT, RC_MOMENT, RC_FOLLOW, RC_SLIDES, RC_BARE

/* Returns the program's name as whoever reads it must type it: "./ringsim" if it was called so, else "ringsim". */
const char *rc_typed_name(const rc_session *session);

/* All commands: the default first; ends with NULL. */
extern const rc_command *const rc_commands[];
/* The commands that one looks for together, each list ending with NULL; ends with a title of NULL. */
typedef struct rc_group {
    const char *title; /* marked for translation */
    const rc_command *const *commands;
} rc_group;
extern const rc_group rc_groups[];
/* Returns the command of that name; NULL: there is none. */
const rc_command *rc_find_command(const char *name);
/* What these two show is a run: a lesson shows it beside its text. */
extern const rc_command rc_command_run, rc_command_view;

/* help.c: prints what `--help` shows, or with `all` what `--help all` shows; command NULL: of the whole
   program. */
void rc_print_help(const rc_command *command, bool all);
/* Prints every command, option and key for completions, the manual page and tests: a line each, with tabs. */
void rc_print_help_table(void);
