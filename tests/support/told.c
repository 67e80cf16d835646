/* told.c: see told.h. */
#include "support/told.h"
#include "run/command.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 16 };

rv_subject told_subject(const char *line, rs_arena *arena) {
    static char text[256], program[] = "ringsim";
    static rs_error error;
    char *words[MOST_WORDS] = {program};
    int n = 1;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word != NULL && n < MOST_WORDS - 1;
         word = strtok(NULL, " ")) {
        words[n++] = word;
    }
    const rc_command *command = rc_find_command(words[1]);
    cr_assert(command != NULL && command->subject != NULL, "%s shows nothing", line);
    rc_session session = {.program = "ringsim",
                          .arguments = words,
                          .host = rc_host_new(),
                          .arena = arena,
                          .error = &error};
    cr_assert_not_null(session.host);
    rc_host_hush(session.host);
    cr_assert_eq(rc_options_parse(n - 1, words + 1, command, arena, &error, &session.options),
                 RC_GOOD, "%s: %s", line, error.text);
    rv_subject subject;
    cr_assert_eq(command->subject(&session, &subject), RC_GOOD, "%s: %s", line, error.text);
    rc_host_free(session.host);
    return subject;
}
