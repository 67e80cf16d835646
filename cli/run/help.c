/* help.c: what --help shows, from the rows of the commands and the table of options. */
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

static void print_option(const rc_option *option) {
    const char *argument = option->argument;
    char left[80], views[320];
    int n = 0;
    if (option->letter != 0) n = snprintf(left, sizeof left, "-%c, ", option->letter);
    snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", option->name,
             argument == NULL ? "" : " ", argument == NULL ? "" : argument);
    const bool fits = strlen(left) < LEFT_COLUMNS;
    if (!fits) printf("  %s\n", left);
    printf("  %-*s %s\n", LEFT_COLUMNS, fits ? left : "",
           option->id == RC_SHOW ? say_views(views, sizeof views) : _(option->help));
}

static void print_options(const rc_command *command) {
    for (int i = 0; i < command->n_takes; i++) {
        const rc_option option = rc_option_of(command, command->takes[i].id);
        print_option(&option);
    }
}

static void print_commands(void) {
    for (int i = 0; rc_commands[i] != NULL; i++) {
        char left[80];
        snprintf(left, sizeof left, "%s %s", rc_commands[i]->name, rc_commands[i]->operands);
        const bool fits = strlen(left) < LEFT_COLUMNS;
        if (!fits) printf("  %s\n", left);
        printf("  %-*s %s\n", LEFT_COLUMNS, fits ? left : "", _(rc_commands[i]->summary));
    }
}

static void print_units(void) {
    puts(_("SIZE: K M G and KiB MiB GiB are powers of 1024, kB MB GB powers of 1000.\n"
           "RATE: GB/s bytes, Gb/s bits, powers of 1000.  TIME: ns us ms s."));
}

void rc_print_help(const rc_command *command) {
    if (command == NULL) {
        puts(_("usage: ringsim [COMMAND] [options]\n"
               "Plans, times, checks and walks through collectives, first of all the ring\n"
               "all-reduce. To begin with: ringsim --gpus 5 --step; a course: ringsim lesson"));
        puts(_("\ncommands:"));
        print_commands();
        puts(_("\noptions of run, the default command:"));
        print_options(rc_commands[0]);
        puts("");
        print_units();
        return;
    }
    printf(_("usage: ringsim %s %s\n"), command->name,
           command->operands[0] == '\0' ? _("[options]") : command->operands);
    puts(_(command->summary));
    puts(_("\noptions:"));
    print_options(command);
    if (rc_takes(command, RC_BYTES)) {
        puts("");
        print_units();
    }
}
