/* options.c: the command line: what was given, read by the options' types.
 *
 *   - The rows of all commands and the table of shared options serve the parser, the help, the suggestions.
 *   - The last of several equal options counts, and it alone is read; faults repeat and keep their order.
 *   - An option that was not given has the value of its type's `otherwise`.
 */
#include "base/units.h"
#include "run/command.h"

#include <assert.h>
#include <string.h>

rc_option rc_option_of(const rc_command *command, int id) {
    assert(id >= 0 && id < RC_N_VALUES);
    rc_option option = {.id = id};
    if (id < RC_N_OPTIONS) option = rc_option_table[id];
    for (int i = 0; i < command->n_own; i++) {
        const rc_option *own = &command->own[i];
        if (own->id != id) continue;
        if (own->name != NULL) return *own;
        if (own->argument != NULL) option.argument = own->argument;
        if (own->help != NULL) option.help = own->help;
        if (own->type != NULL) option.type = own->type;
    }
    return option;
}

const char *rc_typed_name(const rc_session *session) {
    static const char here[] = "./ringsim";
    return strcmp(session->program, here) == 0 ? here : here + 2;
}

bool rc_takes(const rc_command *command, int id) {
    for (int i = 0; i < command->n_takes; i++) {
        if (command->takes[i] == id) return true;
    }
    return false;
}

static bool repeats(const rc_option *option) {
    return option->type != NULL && (option->type->read == rc_as_fault ||
                                    option->type->read == rc_as_cut || option->type->repeats);
}

/* ------------------------------------------------------------------ words */

enum { MOST_LISTED = 640 };
enum { NO_OPTION = -1, AN_OPERAND = -2 };

/* The words of a command line on their way: which options they may be, and how far they are read. */
typedef struct words {
    rc_option options[MOST_LISTED]; /* the first n_own are the command's, then everybody's */
    int n, n_own;
    int argc, at; /* at: the word read last */
    char *const *argv;
    const char *letters; /* what is left of -abc */
    bool ended;          /* behind --: operands only */
} words;

/* A word read: an option and its argument, or an operand. */
typedef struct word {
    int place; /* in options, or one of the two above */
    const char *typed;
    const char *text; /* the argument; NULL: none */
} word;

static void add_taken(words *all, const rc_command *command) {
    for (int i = 0; i < command->n_takes; i++) {
        assert(all->n < MOST_LISTED);
        all->options[all->n++] = rc_option_of(command, command->takes[i]);
    }
}

/* Begins a line for the command; NULL: whichever it will be, the default's meaning comes first. */
static void begin(words *all, const rc_command *command, int argc, char *const argv[]) {
    *all = (words){.argc = argc, .argv = argv, .letters = ""};
    if (command != NULL) add_taken(all, command);
    all->n_own = all->n;
    for (int i = 0; rc_commands[i] != NULL; i++) add_taken(all, rc_commands[i]);
}

/* Finds the option of that name, or the only one that begins so. */
static int find_name(const words *all, const char *name, size_t n) {
    int found = NO_OPTION;
    bool several = false;
    for (int i = 0; i < all->n && n > 0; i++) {
        const char *whole = all->options[i].name;
        if (strncmp(whole, name, n) != 0) continue;
        if (whole[n] == '\0') return i;
        several = several || (found >= 0 && strcmp(whole, all->options[found].name) != 0);
        if (found < 0) found = i;
    }
    return several ? NO_OPTION : found;
}

static int find_letter(const words *all, char letter) {
    for (int i = 0; i < all->n; i++) {
        if (all->options[i].letter == letter) return i;
    }
    return NO_OPTION;
}

/* Tells whether a word is an option by its whole name: where a value is missing, it is not taken for it. */
static bool is_option(const words *all, const char *typed) {
    const size_t n = strcspn(typed, "=");
    const int found = n > 2 && strncmp(typed, "--", 2) == 0 ? find_name(all, typed + 2, n - 2) : -1;
    return found >= 0 && all->options[found].name[n - 2] == '\0';
}

/* Gives an option that takes an argument, and has none behind its '=' or letter, the next word. */
static void take_argument(words *all, word *next) {
    const bool takes = next->place >= 0 && all->options[next->place].argument != NULL;
    if (!takes || next->text != NULL || all->at + 1 >= all->argc) return;
    if (!is_option(all, all->argv[all->at + 1])) next->text = all->argv[++all->at];
}

static void read_letter(words *all, word *next) {
    *next = (word){.place = find_letter(all, *all->letters), .typed = all->letters++};
    if (next->place < 0 || all->options[next->place].argument == NULL) return;
    if (*all->letters != '\0') next->text = all->letters;
    all->letters = "";
    take_argument(all, next);
}

static void read_name(words *all, word *next) {
    const char *name = next->typed + 2;
    const size_t n = strcspn(name, "=");
    next->place = find_name(all, name, n);
    if (name[n] == '=') next->text = name + n + 1;
    take_argument(all, next);
}

/* Reads the next word; false: there is none. */
static bool next_word(words *all, word *next) {
    if (*all->letters == '\0') {
        if (++all->at >= all->argc) return false;
        *next = (word){.place = AN_OPERAND, .typed = all->argv[all->at]};
        if (all->ended || next->typed[0] != '-' || next->typed[1] == '\0') return true;
        all->ended = strcmp(next->typed, "--") == 0;
        if (all->ended) return next_word(all, next);
        if (next->typed[1] == '-') {
            read_name(all, next);
            return true;
        }
        all->letters = next->typed + 1;
    }
    read_letter(all, next);
    return true;
}

int rc_look_ahead(int argc, char *const argv[], const char **language) {
    words all;
    word next;
    int first = 0;
    begin(&all, NULL, argc, argv);
    while (next_word(&all, &next)) {
        if (next.place == AN_OPERAND && first == 0 && !all.ended) first = all.at;
        if (next.place >= 0 && all.options[next.place].id == RC_LANG) *language = next.text;
    }
    return first;
}

/* Explains a word that is no option, or the beginning of several. */
static rc_exit unknown(const words *all, const word *next, rs_error *error) {
    const char *names[MOST_LISTED + 1] = {NULL};
    for (int i = 0; i < all->n_own; i++) names[i] = all->options[i].name;
    const bool is_long = next->typed[0] == '-';
    char name[64];
    snprintf(name, sizeof name, "%s%.*s", is_long ? "" : "-",
             is_long ? (int)strcspn(next->typed, "=") : 1, next->typed);
    const char *near = rc_nearest(name + strspn(name, "-"), names);
    if (near != NULL) {
        return rc_fail(error, RC_USAGE, _("there is no option %s; did you mean --%s?"), name, near);
    }
    return rc_fail(error, RC_USAGE, _("there is no option %s; see ringsim --help"), name);
}

/* Judges an option before it is kept. */
static rc_exit judge(const words *all, const word *next, const rc_command *command,
                     rs_error *error) {
    if (next->place < 0) return unknown(all, next, error);
    const rc_option *option = &all->options[next->place];
    if (option->argument != NULL && next->text == NULL) {
        return rc_fail(error, RC_USAGE, _("%.60s needs an argument: %s"), all->argv[all->at],
                       option->argument);
    }
    if (option->argument == NULL && next->text != NULL) {
        return rc_fail(error, RC_USAGE, _("%.60s takes no argument"), next->typed);
    }
    if (next->place < all->n_own) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("--%s is no option of %s; see ringsim %s --help"),
                   option->name, command->name, command->name);
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

/* Reads what was typed, in the order of the help, then what repeats, in the order typed. */
static rc_exit read_values(rc_options *options, rs_arena *arena, rs_error *error) {
    const rc_command *command = options->command;
    rc_exit status = RC_GOOD;
    for (int i = 0; i < command->n_takes && status == RC_GOOD; i++) {
        const rc_option option = rc_option_of(command, command->takes[i]);
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
static rc_exit sort_words(int argc, char *const argv[], rs_error *error, rc_options *options) {
    words all;
    word next;
    begin(&all, options->command, argc, argv);
    while (next_word(&all, &next)) {
        if (next.place == AN_OPERAND) {
            options->operands[options->n_operands++] = all.argv[all.at];
            continue;
        }
        const rc_exit status = judge(&all, &next, options->command, error);
        if (status != RC_GOOD) return status;
        const rc_option *option = &all.options[next.place];
        const char *text = next.text != NULL ? next.text : "";
        options->value[option->id].text = text;
        if (!repeats(option)) continue;
        options->repeated[options->n_repeated++] = (rc_repeated){option->id, {.text = text}};
    }
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

rc_exit rc_options_parse(int argc, char *const argv[], const rc_command *command, rs_arena *arena,
                         rs_error *error, rc_options *options) {
    rc_options read;
    rc_exit status = rc_options_default(command, arena, error, &read);
    if (status != RC_GOOD) return status;
    read.repeated = rs_alloc(arena, (size_t)argc + 1, sizeof *read.repeated);
    read.operands = rs_alloc(arena, (size_t)argc + 1, sizeof *read.operands);
    if (read.repeated == NULL || read.operands == NULL) return rc_no_memory(error);
    status = sort_words(argc, argv, error, &read);
    const bool helped = rc_given(&read, RC_HELP) || rc_given(&read, RC_VERSION);
    if (status == RC_GOOD && !helped) status = check_operands(&read, error);
    if (status == RC_GOOD && !helped) status = read_values(&read, arena, error);
    if (status == RC_GOOD) *options = read;
    return status;
}
