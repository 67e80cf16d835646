/* options.c: the command line: what was given, read by the options' types.
 *
 *   - The rows of all commands and the table of shared options serve the parser, the help, the suggestions.
 *   - The last of several equal options counts, and it alone is read; faults repeat and keep their order.
 *   - An option that was not given has the value of its type's `otherwise`.
 */
#include "base/units.h"
#include "run/command.h"

#include <assert.h>
#include <getopt.h>
#include <string.h>

rc_option rc_option_of(const rc_command *command, int id) {
    assert(id >= 0 && id < RC_N_VALUES);
    rc_option option = {.id = id};
    if (id < RC_N_OPTIONS) option = rc_option_table[id];
    for (int i = 0; i < command->n_takes; i++) {
        const rc_option *taken = &command->takes[i];
        if (taken->id != id) continue;
        if (taken->name != NULL) return *taken;
        if (taken->argument != NULL) option.argument = taken->argument;
        if (taken->help != NULL) option.help = taken->help;
        if (taken->type != NULL) option.type = taken->type;
    }
    return option;
}

const char *rc_typed_name(const rc_session *session) {
    static const char here[] = "./ringsim";
    return strcmp(session->program, here) == 0 ? here : here + 2;
}

bool rc_takes(const rc_command *command, int id) {
    for (int i = 0; i < command->n_takes; i++) {
        if (command->takes[i].id == id) return true;
    }
    return false;
}

static bool repeats(const rc_option *option) {
    return option->type != NULL &&
           (option->type->read == rc_as_fault || option->type->read == rc_as_cut);
}

/* ------------------------------------------------------------------ all that could be typed */

enum { MOST_LISTED = RC_N_OPTIONS + 128 };
enum { ID_BASE = 1000 }; /* getopt's values of long options: beyond any letter */

/* What may be typed: for a command, its own options first, then those of other names. */
typedef struct listing {
    const rc_option *options[MOST_LISTED];
    int n, n_own; /* the first n_own are the command's */
} listing;

static void add_option(listing *list, const rc_option *option, bool once) {
    for (int i = 0; once && i < list->n; i++) {
        if (strcmp(list->options[i]->name, option->name) == 0) return;
    }
    assert(list->n < MOST_LISTED);
    list->options[list->n++] = option;
}

static void add_taken(listing *list, const rc_command *command, bool shared, bool once) {
    for (int i = 0; i < command->n_takes; i++) {
        const rc_option *taken = &command->takes[i];
        const bool own = taken->name != NULL;
        if (own || shared) add_option(list, own ? taken : &rc_option_table[taken->id], once);
    }
}

/* Lists all options; two commands may each have one of the same name: for a command, only its own counts. */
static void list_options(const rc_command *command, listing *list) {
    list->n = 0;
    if (command != NULL) add_taken(list, command, true, true);
    list->n_own = list->n;
    for (int i = 0; i < RC_N_OPTIONS; i++) {
        add_option(list, &rc_option_table[i], command != NULL);
    }
    for (int i = 0; rc_commands[i] != NULL; i++) {
        add_taken(list, rc_commands[i], false, command != NULL);
    }
}

static void fill_getopt(const listing *list, struct option longs[MOST_LISTED + 1],
                        char shorts[MOST_LISTED * 2 + 2]) {
    char *at = shorts;
    *at++ = ':'; /* a missing argument is told apart from an unknown option */
    for (int i = 0; i < list->n; i++) {
        const rc_option *option = list->options[i];
        longs[i] = (struct option){
            .name = option->name, .has_arg = option->argument != NULL, .val = ID_BASE + i};
        if (option->letter == 0) continue;
        *at++ = option->letter;
        if (option->argument != NULL) *at++ = ':';
    }
    *at = '\0';
    longs[list->n] = (struct option){0};
}

/* Returns where the option stands in the list that getopt has found. */
static int place_of(const listing *list, int found) {
    if (found >= ID_BASE) return found - ID_BASE;
    int i = 0;
    while (list->options[i]->letter != found) i++;
    assert(i < list->n);
    return i;
}

/* Explains an option that getopt does not know, or that is the beginning of several. */
static rc_exit unknown(const char *typed, const listing *list, rs_error *error) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    const char *names[MOST_LISTED + 1] = {NULL};
    for (int i = 0; i < list->n_own; i++) names[i] = list->options[i]->name;
    const char *bare = name + strspn(name, "-");
    const char *near = rc_nearest(bare, names);
    if (near != NULL) {
        return rc_fail(error, RC_USAGE, _("there is no option %s; did you mean --%s?"), name, near);
    }
    return rc_fail(error, RC_USAGE, _("there is no option %s; see ringsim --help"), name);
}

static rc_exit refuse(int found, const char *typed, const listing *list, rs_error *error) {
    if (found == ':') {
        return rc_fail(error, RC_USAGE, _("%.60s needs an argument: %s"), typed,
                       optopt != 0 ? list->options[place_of(list, optopt)]->argument : "");
    }
    if (optopt >= ID_BASE) {
        return rc_fail(error, RC_USAGE, _("%.60s takes no argument"), typed);
    }
    if (optopt != 0) {
        const char letter[] = {'-', (char)optopt, '\0'};
        return unknown(letter, list, error);
    }
    return unknown(typed, list, error);
}

/* Whether an option, as it was typed, takes the word behind it: 1, 0; -1: that cannot be told. */
static int takes_a_word(const listing *list, const char *typed) {
    const bool is_long = typed[1] == '-';
    const char *name = typed + 2;
    const size_t n = strcspn(name, "=");
    int takes = -1;
    bool whole = false; /* a whole name was found: the beginnings of longer ones no longer count */
    for (int i = 0; i < list->n; i++) {
        const rc_option *option = list->options[i];
        const bool here = is_long ? n > 0 && strncmp(option->name, name, n) == 0
                                  : option->letter != 0 && option->letter == typed[1];
        const bool is_whole = is_long && here && option->name[n] == '\0';
        if (!here || (whole && !is_whole)) continue;
        const int this = option->argument != NULL && name[is_long ? n : 0] == '\0';
        if (!is_long && option->argument == NULL && *name != '\0') return -1; /* several letters */
        if (takes >= 0 && takes != this && whole == is_whole) return -1;
        takes = this;
        whole = is_whole;
    }
    return takes;
}

int rc_find_word(int argc, char *const argv[]) {
    listing all;
    list_options(NULL, &all);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0') return i;
        const int takes = takes_a_word(&all, argv[i]);
        if (takes < 0) return 0;
        i += takes;
    }
    return 0;
}

/* ------------------------------------------------------------------ values */

static rc_exit read_value(const rc_option *option, const char *text, rs_arena *arena,
                          rs_error *error, rc_value *value) {
    const rc_type *type = option->type;
    if (type == NULL) return RC_GOOD;
    if (type->word != NULL && strcmp(text, type->word) == 0) {
        value->number = type->word_is;
        return RC_GOOD;
    }
    return type->read(&(rc_typed){option, text, arena, error}, value);
}

rc_exit rc_options_default(const rc_command *command, rs_arena *arena, rs_error *error,
                           rc_options *options) {
    *options = (rc_options){.command = command};
    rc_exit status = RC_GOOD;
    for (int i = 0; i < RC_N_VALUES && status == RC_GOOD; i++) {
        const rc_option option = rc_option_of(command, i);
        if (option.type == NULL || option.type->otherwise == NULL) continue;
        status = read_value(&option, option.type->otherwise, arena, error, &options->value[i]);
        assert(status == RC_GOOD || status == RC_LACKS);
    }
    return status;
}

/* Reads what getopt has found, in the order of the help, then what repeats, in the order typed. */
static rc_exit read_values(rc_options *options, rs_arena *arena, rs_error *error) {
    const rc_command *command = options->command;
    rc_exit status = RC_GOOD;
    for (int i = 0; i < command->n_takes && status == RC_GOOD; i++) {
        const rc_option option = rc_option_of(command, command->takes[i].id);
        rc_value *value = &options->value[option.id];
        if (value->text == NULL || repeats(&option)) continue;
        *value = (rc_value){.text = value->text};
        status = read_value(&option, value->text, arena, error, value);
    }
    for (int i = 0; i < options->n_repeated && status == RC_GOOD; i++) {
        const rc_option option = rc_option_of(command, options->repeated[i].id);
        rc_value *value = &options->repeated[i].value;
        status = read_value(&option, value->text, arena, error, value);
    }
    return status;
}

/* Sorts the words of argv into options and operands. */
static rc_exit sort_words(int argc, char **argv, rs_error *error, rc_options *options) {
    const rc_command *command = options->command;
    struct option longs[MOST_LISTED + 1];
    char shorts[MOST_LISTED * 2 + 2];
    listing list;
    list_options(command, &list);
    fill_getopt(&list, longs, shorts);
#ifdef __GLIBC__
    optind = 0; /* starts afresh, whatever was parsed before */
#else
    optind = 1;
#endif
    opterr = 0;
    for (;;) {
        const int found = getopt_long(argc, argv, shorts, longs, NULL);
        if (found == -1) break;
        if (found == '?' || found == ':') {
            /* argv was reordered: what getopt looked at lies just before optind */
            return refuse(found, argv[optind - 1], &list, error);
        }
        const int place = place_of(&list, found);
        assert(place < list.n);
        const rc_option *option = list.options[place];
        if (place >= list.n_own) {
            return rc_fail(error, RC_USAGE, _("--%s is no option of %s; see ringsim %s --help"),
                           option->name, command->name, command->name);
        }
        rc_value *value = &options->value[option->id];
        value->text = option->argument != NULL ? optarg : "";
        if (!repeats(option)) continue;
        options->repeated[options->n_repeated++] = (rc_repeated){option->id, {.text = optarg}};
    }
    options->operands = argv + optind;
    options->n_operands = argc - optind;
    return RC_GOOD;
}

const rc_command *rc_find_command(const char *name) {
    for (int i = 0; rc_commands[i] != NULL; i++) {
        if (strcmp(rc_commands[i]->name, name) == 0) return rc_commands[i];
    }
    return NULL;
}

static rc_exit check_operands(const rc_options *options, rs_error *error) {
    const rc_command *command = options->command;
    if (options->n_operands == 0 || command->operands[0] != '\0') return RC_GOOD;
    const bool late = rc_find_command(options->operands[0]) != NULL;
    return rc_fail(error, RC_USAGE,
                   late ? _("'%.60s': the command comes first, before the options")
                        : _("'%.60s': %s takes options only; see ringsim --help"),
                   options->operands[0], command->name);
}

rc_exit rc_options_parse(int argc, char **argv, const rc_command *command, rs_arena *arena,
                         rs_error *error, rc_options *options) {
    rc_options read;
    rc_exit status = rc_options_default(command, arena, error, &read);
    if (status != RC_GOOD) return status;
    read.repeated = rs_alloc(arena, (size_t)argc + 1, sizeof *read.repeated);
    if (read.repeated == NULL) return rc_fail(error, RC_LACKS, _("no memory for the options"));
    status = sort_words(argc, argv, error, &read);
    const bool helped = rc_given(&read, RC_HELP) || rc_given(&read, RC_VERSION);
    if (status == RC_GOOD && !helped) status = check_operands(&read, error);
    if (status == RC_GOOD && !helped) status = read_values(&read, arena, error);
    if (status == RC_GOOD) *options = read;
    return status;
}
