/* What a starter of ranks has written on standard error, and what of it is quoted. The words are those of
   Open MPI 4.1.4 and 5.0.7. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/pipe.h"

#define RULE "--------------------------------------------------------------------------\n"
#define REMARK "failed to find sysfs cpu topology directory, aborting linux discovery.\n"
static const char *const remarks[] = {"hwloc/linux: " REMARK, "[hwloc/linux] " REMARK};
#define RETURNED                                                                                   \
    RULE "Primary job  terminated normally, but 1 process returned\n"                              \
         "a non-zero exit code. Per user-direction, the job has been aborted.\n" RULE
#define GUESSES                                                                                    \
    RULE "ORTE was unable to reliably start one or more daemons.\nThis usually is caused by:\n\n"  \
         "* not finding the required libraries and/or binaries on\n  one or more nodes.\n" RULE

static const struct {
    const char *errors, *quoted;
} sayings[] = {
    {"", ""},
    {RULE RULE "\n \n", ""},
    {"one reason", "one reason"},
    {RETURNED RULE "mpirun noticed that process rank 0 with PID 0 on node vm exited on signal 9 "
                   "(Killed).\n" RULE,
     "mpirun noticed that process rank 0 with PID 0 on node vm exited on signal 9 (Killed)."},
    {RULE "prterun noticed that process rank 0 with PID 32 on node vm exited on\nsignal 9 (Killed)."
          "\n" RULE,
     "prterun noticed that process rank 0 with PID 32 on node vm exited on signal 9 (Killed)."},
    {"ssh: Could not resolve hostname nowhere: Name or service not known\n" GUESSES,
     "ssh: Could not resolve hostname nowhere: Name or service not known"},
    {GUESSES, "ORTE was unable to reliably start one or more daemons. This usually is caused by: * "
              "not finding the required libraries and/or binaries on one or more nodes."},
    {RULE "There are not enough slots available in the system to satisfy the 200\nslots that were "
          "requested by the application:\n\n  true\n\nEither request fewer procs.\n" RULE,
     "There are not enough slots available in the system to satisfy the 200 slots that were "
     "requested by the application: true"},
    {RULE "prterun was unable to launch the specified application as it lacked\npermissions to "
          "execute an executable:\n\n   Executable: /x\n   Node: vm\n\nwhile attempting to start "
          "process rank 0.\n" RULE,
     "prterun was unable to launch the specified application as it lacked permissions to execute "
     "an executable: Executable: /x Node: vm"},
    {"ringsim: rank 1 is lost\nringsim: no memory for a group\n" RETURNED,
     "ringsim: no memory for a group"},
};
enum { N_SAYINGS = sizeof sayings / sizeof *sayings };

static void expect_quoted(const char *errors, const char *quoted, const char *what) {
    char out[256];
    memset(out, 'x', sizeof out);
    rg_last_words(errors, out, sizeof out);
    cr_expect_str_eq(out, quoted, "%s: '%s' rather than '%s'", what, out, quoted);
}

Test(last_words, quote_the_whole_reason_on_one_line) {
    for (int i = 0; i < N_SAYINGS; i++) {
        expect_quoted(sayings[i].errors, sayings[i].quoted, "as it is");
    }
}

/* A library's remark, wherever it stands between two lines, is no reason and hides none. */
Test(last_words, pass_over_a_library_s_remark_on_any_line) {
    for (int i = 0; i < N_SAYINGS; i++) {
        const char *errors = sayings[i].errors;
        for (size_t at = 0; at <= strlen(errors); at++) {
            if (at > 0 && errors[at - 1] != '\n') continue;
            char text[4096];
            snprintf(text, sizeof text, "%.*s%s%s", (int)at, errors, remarks[i % 2], errors + at);
            expect_quoted(text, sayings[i].quoted, "with a remark");
        }
    }
}

/* Whatever was written and however little room there is: what is quoted fits, and is one line. */
Test(last_words, fit_on_one_line_whatever_was_written) {
    static const char alphabet[] = "a:- \n\n-=*\nhwloc/x\nringsim: e\n";
    srand(3);
    for (int i = 0; i < 20000; i++) {
        char text[RG_ERROR_BYTES + 1], *out = malloc(1 + (size_t)i % 40);
        const size_t n_out = 1 + (size_t)i % 40, n = (size_t)rand() % (i % 50 == 0 ? 4096 : 60);
        for (size_t k = 0; k < n; k++) text[k] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
        if (i % 3 == 0) memset(text, '-', n / 2);
        text[n] = '\0';
        rg_last_words(text, out, n_out);
        cr_assert_lt(strlen(out), n_out);
        cr_assert_null(strchr(out, '\n'), "'%s'", out);
        free(out);
    }
}
