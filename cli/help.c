/* help.c: what --help shows, from the tables of commands and options. */
#include "cli.h"

#include <string.h>

enum { LEFT_COLUMNS = 30 };

static void print_option(const rc_option *option) {
    char left[80];
    int n = 0;
    if (option->letter != 0) n = snprintf(left, sizeof left, "-%c, ", option->letter);
    snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", option->name,
             option->argument == NULL ? "" : " ", option->argument == NULL ? "" : option->argument);
    const bool fits = strlen(left) < LEFT_COLUMNS;
    if (!fits) printf("  %s\n", left);
    printf("  %-*s %s\n", LEFT_COLUMNS, fits ? left : "", _(option->help));
}

static void print_options(unsigned command) {
    for (int i = 0; i < RC_N_OPTIONS; i++) {
        if (rc_option_table[i].commands & command) print_option(&rc_option_table[i]);
    }
}

static void print_commands(void) {
    for (const rc_command *command = rc_commands; command->name != NULL; command++) {
        if (command->bit == 0) continue;
        char left[40];
        snprintf(left, sizeof left, "%s %s", command->name, command->operands);
        printf("  %-*s %s\n", LEFT_COLUMNS, left, _(command->summary));
    }
    printf("%s", _("not in this build yet:"));
    for (const rc_command *command = rc_commands; command->name != NULL; command++) {
        if (command->bit == 0) printf(" %s", command->name);
    }
    puts("");
}

static void print_units(void) {
    puts(_("SIZE: K M G and KiB MiB GiB are powers of 1024, kB MB GB powers of 1000.\n"
           "RATE: GB/s bytes, Gb/s bits, powers of 1000.  TIME: ns us ms s."));
}

void rc_print_help(const rc_command *command) {
    if (command == NULL) {
        puts(_("usage: ringsim [COMMAND] [options]\n"
               "Plans, times, checks and walks through collectives, first of all the ring\n"
               "all-reduce. To begin with: ringsim --gpus 5 --step"));
        puts(_("\ncommands:"));
        print_commands();
        puts(_("\noptions of run, the default command:"));
        print_options(RC_RUN);
        puts("");
        print_units();
        return;
    }
    printf(_("usage: ringsim %s %s\n"), command->name,
           command->bit == 0              ? ""
           : command->operands[0] == '\0' ? _("[options]")
                                          : command->operands);
    puts(_(command->summary));
    if (command->bit == 0) {
        puts(_("This build does not have that command yet."));
        return;
    }
    puts(_("\noptions:"));
    print_options(command->bit);
    if (command->bit & (RC_RUN | RC_COMPARE | RC_VERIFY)) {
        puts("");
        print_units();
    }
}
