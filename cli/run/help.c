/* help.c: what --help shows, and what programs read of it, from the rows of the commands, the table of
 * options and the table of keys.
 */
#include "run/command.h"

#include <string.h>

enum { LEFT_COLUMNS = 30 };

/* The views: those that "all" opens, then the others. */
static const char *say_views(char *out, size_t n_out) {
    char lists[2][128] = {"", ""};
    for (int i = 0; i < RV_MOST_VIEWS && rv_view_word(i) != NULL; i++) {
        char *list = lists[(rv_all_views() & 1u << i) == 0];
        const size_t used = strlen(list);
        snprintf(list + used, sizeof lists[0] - used, "%s%s", used > 0 ? "," : "", rv_view_word(i));
    }
    snprintf(out, n_out, _("views open at the start: %s or all; %s"), lists[0], lists[1]);
    return out;
}

static const char *help_of(const rc_option *option) {
    static char views[320];
    return option->id == RC_SHOW ? say_views(views, sizeof views) : _(option->help);
}

/* A row of two columns; a left one that is too long has a line of its own. */
static void print_row(const char *left, const char *right) {
    const bool fits = strlen(left) < LEFT_COLUMNS;
    if (!fits) printf("  %s\n", left);
    printf("  %-*s %s\n", LEFT_COLUMNS, fits ? left : "", right);
}

static void print_option(const rc_command *command, int id) {
    const rc_option option = rc_option_of(command, id);
    char left[80], letter[] = {'-', option.letter, ',', ' ', '\0'};
    snprintf(left, sizeof left, "%s--%s%s%s", option.letter != 0 ? letter : "", option.name,
             option.argument != NULL ? " " : "", option.argument != NULL ? option.argument : "");
    print_row(left, help_of(&option));
}

static void print_options(const rc_command *command, bool all) {
    if (all || command->often == NULL) {
        for (int i = 0; i < command->n_takes; i++) print_option(command, command->takes[i]);
        return;
    }
    for (int i = 0; i < command->n_often; i++) print_option(command, command->often[i]);
    print_option(command, RC_HELP);
}

static void print_commands(void) {
    for (const rc_group *group = rc_groups; group->title != NULL; group++) {
        printf("\n%s\n", _(group->title));
        for (int i = 0; group->commands[i] != NULL; i++) {
            const rc_command *command = group->commands[i];
            char left[80];
            snprintf(left, sizeof left, "%s %s", command->name, command->operands);
            print_row(left, _(command->summary));
        }
    }
}

static void print_units(void) {
    puts(_("\nSIZE: K M G and KiB MiB GiB are powers of 1024, kB MB GB powers of 1000.\n"
           "RATE: GB/s bytes, Gb/s bits, powers of 1000.  TIME: ns us ms s."));
}

void rc_print_help(const rc_command *command, bool all) {
    if (command == NULL) {
        puts(_("usage: ringsim [COMMAND] [options]\n"
               "Plans, times, checks and walks through collectives, first of all the ring\n"
               "all-reduce. To begin with: ringsim --gpus 5 --step; a course: ringsim lesson"));
        print_commands();
        if (!all) {
            puts(_(
                "\nringsim help COMMAND: what people use of it; --help all behind it: every option."));
            return;
        }
        puts(_("\noptions of run, the default command:"));
        print_options(rc_commands[0], true);
        print_units();
        return;
    }
    printf(_("usage: ringsim %s %s\n"), command->name,
           command->operands[0] == '\0' ? _("[options]") : command->operands);
    puts(_(command->summary));
    puts(_("\noptions:"));
    print_options(command, all);
    if (rc_takes(command, RC_BYTES)) print_units();
}

static void print_option_line(const char *command, const rc_option *option) {
    const char letter[] = {'-', option->letter, '\0'};
    printf("option\t%s\t%s\t--%s\t%s\t%s\n", command, option->letter != 0 ? letter : "",
           option->name, option->argument != NULL ? option->argument : "", help_of(option));
}

void rc_print_help_table(void) {
    for (int i = 0; rc_commands[i] != NULL; i++) {
        const rc_command *command = rc_commands[i];
        printf("command\t%s\t%s\t%s\n", command->name, command->operands, _(command->summary));
        for (int k = 0; k < command->n_takes; k++) {
            const rc_option option = rc_option_of(command, command->takes[k]);
            print_option_line(command->name, &option);
        }
    }
    rv_key_row row;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        printf("key\t%s\t%s\t%s\n", _(row.names), _(row.help),
               row.lesson_only || row.not_here != NULL ? "window" : "");
    }
}
