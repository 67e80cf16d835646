/* main.c: finds the command, hands it its options, prints what went wrong.
 *
 *     ringsim [COMMAND] [options]          without a command it is `run`; options may stand before it
 */
#include "config.h"
#include "ringsim_gpu.h"
#include "base/text.h"
#include "base/units.h"
#include "run/show.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static rc_exit unknown_command(const char *name, rs_error *error) {
    enum { MOST = 32 };
    const char *names[MOST + 1] = {NULL};
    for (int i = 0; i < MOST && rc_commands[i] != NULL; i++) names[i] = rc_commands[i]->name;
    const char *near = rc_nearest(name, names);
    if (near != NULL) {
        return rc_fail(error, RC_USAGE, _("there is no command %.60s; did you mean %s?"), name,
                       near);
    }
    return rc_fail(error, RC_USAGE, _("there is no command %.60s; see ringsim --help"), name);
}

/* Chooses the language before the first text: --lang, else the environment. */
static rc_exit choose_language(const char *program, const char *wanted, rs_error *error) {
    const char *const *names = rc_option_table[RC_LANG].type->names;
    int index = 0;
    if (wanted != NULL && rc_parse_choice("--lang", wanted, names, error, &index) != RC_GOOD) {
        rc_choose_language(program, NULL); /* in which to say what is wrong with the other */
        return rc_parse_choice("--lang", wanted, names, error, &index);
    }
    if (rc_choose_language(program, wanted)) return RC_GOOD;
    return rc_fail(error, RC_LACKS,
                   _("--lang %s: this build has no such catalogue; install gettext and make "
                     "again"),
                   wanted);
}

/* Answers --help, --help all, and --help table, which programs read. */
static rc_exit print_help(const rc_command *command, const rc_options *options, rs_error *error) {
    const char *word = options->n_operands > 0 ? options->operands[options->n_operands - 1] : "";
    const bool all = strcmp(word, "all") == 0, table = strcmp(word, "table") == 0;
    if (command == NULL && *word != '\0' && !all && !table) return unknown_command(word, error);
    if (table) {
        rc_print_help_table();
    } else {
        rc_print_help(command, all);
    }
    return RC_GOOD;
}

static rc_exit run_command(const rc_command *command, int argc, char **argv, rc_session *session) {
    const bool whole = argv[0] == session->program; /* no command was typed */
    rc_exit status =
        rc_options_parse(argc, argv, command, session->arena, session->error, &session->options);
    if (status != RC_GOOD) return status;
    const rc_options *options = &session->options;
    if (rc_given(options, RC_HELP)) {
        return print_help(whole ? NULL : command, options, session->error);
    }
    if (rc_given(options, RC_VERSION)) {
        puts("ringsim " RINGSIM_VERSION);
        return RC_GOOD;
    }
    session->host = rc_host_new();
    if (session->host == NULL) return rc_no_memory(session->error);
    const int64_t memory = rc_memory_bytes();
    session->arena->host = rc_host_face(session->host);
    if (memory != INT64_MAX) session->arena->limit_bytes = (size_t)memory;
    if (command->subject != NULL && !command->own_page && rc_wants_page(options)) {
        return rc_export_subject(session, command);
    }
    return command->run(session);
}

static rc_exit dispatch(int argc, char **argv, rc_session *session) {
    const char *language = NULL;
    const int at = rc_look_ahead(argc, argv, &language);
    const rc_exit status = choose_language(argv[0], language, session->error);
    if (status != RC_GOOD) return status;
    char *const first = argv[at];
    const rc_command *command = at > 0 ? rc_find_command(first) : NULL;
    if (command == NULL && at > 0 && strcmp(first, "help") == 0) {
        static char option[] = "--help";
        argv[at] = option;
        return dispatch(argc, argv, session);
    }
    if (command == NULL && at == 1) return unknown_command(first, session->error);
    if (command == NULL) return run_command(rc_commands[0], argc, argv, session);
    memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
    argv[1] = first;
    return run_command(command, argc - 1, argv + 1, session);
}

/* What could not be printed must not pass for a good run; a reader who has left is no error. */
static rc_exit close_output(rc_exit status, rs_error *error) {
    errno = 0;
    const bool failed = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !failed) return status;
    if (errno == EPIPE) return status;
    const rc_exit now = rc_fail(error, RC_USAGE, _("cannot write to standard output: %s"),
                                errno != 0 ? _(strerror(errno)) : _("it is closed or full"));
    return status == RC_GOOD || status == RC_NO ? now : status;
}

/* A closed standard stream must not be handed out again for a file of ours. */
static void keep_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) != -1) continue;
        /* read only: whoever writes to it is told so */
        if (open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
    }
}

int main(int argc, char **argv) {
    rs_arena arena;
    rs_error error = {.text = ""};
    keep_standard_streams();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
    rs_arena_init(&arena, NULL);
    rc_session session = {.program = argv[0], .arguments = argv, .arena = &arena, .error = &error};
    rc_exit status = dispatch(argc, argv, &session);
    if (session.host != NULL) rc_host_quiet(session.host);
    status = close_output(status, &error);
    rs_arena_free(&arena);
    rc_host_free(session.host);
    if (error.text[0] != '\0') rc_complain(&error);
    const int code = status == RC_CANCELLED ? 128 + rc_host_signal() : (int)status;
    if (rg_never_ends) _exit(code);
    return code;
}
