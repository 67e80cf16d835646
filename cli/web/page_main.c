/* page_main.c: a page's way into the program: main.c's main has another name there. */
#include "run/command.h"

#include <string.h>

int rc_main(int argc, char **argv);
int rc_page_main(int argc, char **argv);

/* Of a command that is not here (page_commands.c: it takes anything) it leaves the options away, which the program takes: that it is not here
   is all that there is to say. */
__attribute__((export_name("page_main"))) int rc_page_main(int argc, char **argv) {
    static char option[] = "--lang";
    const char *language = NULL;
    const int at = rc_look_ahead(argc, argv, &language);
    const rc_command *command = at > 0 ? rc_find_command(argv[at]) : NULL;
    if (command == NULL || strcmp(command->operands, "[...]") != 0) return rc_main(argc, argv);
    char *kept[] = {argv[0], argv[at], language != NULL ? option : NULL, (char *)language, NULL};
    return rc_main(language != NULL ? 4 : 2, kept);
}
