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
static rc_exit choose_language(int argc, char **argv, rs_error *error) {
    static const char *const names[] = {"en", "zh_CN", NULL};
    const char *wanted = NULL;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--lan", 5) != 0) continue; /* shorter, it may also mean --late */
        const char *rest = argv[i] + 5 + (argv[i][5] == 'g');
        if (*rest == '=') wanted = rest + 1;
        if (*rest == '\0' && i + 1 < argc) wanted = argv[i + 1];
    }
    int index = 0;
    rc_exit status = RC_GOOD;
    if (wanted != NULL) status = rc_parse_choice("--lang", wanted, names, error, &index);
    if (status != RC_GOOD) return status;
    return rc_choose_language(argv[0], wanted) ? RC_GOOD
                                               : rc_fail(error, RC_LACKS,
                                                         _("--lang %s: this build has no such "
                                                           "catalogue; install gettext and make "
                                                           "again"),
                                                         wanted);
}

static rc_exit run_command(const rc_command *command, int argc, char **argv, rc_session *session) {
    const bool whole = argv[0] == session->program; /* no command was typed */
    rc_exit status =
        rc_options_parse(argc, argv, command, session->arena, session->error, &session->options);
    if (status != RC_GOOD) return status;
    const rc_options *options = &session->options;
    if (rc_given(options, RC_HELP)) {
        rc_print_help(whole ? NULL : command);
        return RC_GOOD;
    }
    if (rc_given(options, RC_VERSION)) {
        puts("ringsim " RINGSIM_VERSION);
        return RC_GOOD;
    }
    session->host = rc_host_new();
    if (session->host == NULL) {
        return rc_fail(session->error, RC_LACKS, _("no memory to start with"));
    }
    const int64_t memory = rc_memory_bytes();
    session->arena->host = rc_host_face(session->host);
    if (memory != INT64_MAX) session->arena->limit_bytes = (size_t)memory;
    if (command->subject != NULL && rc_wants_page(options)) {
        return rc_export_subject(session, command);
    }
    return command->run(session);
}

/* Moves a command that stands behind options to the front. */
static void put_command_first(int argc, char **argv) {
    const int at = rc_find_word(argc, argv);
    if (at < 2 || rc_find_command(argv[at]) == NULL) return;
    char *command = argv[at];
    memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
    argv[1] = command;
}

static rc_exit dispatch(int argc, char **argv, rc_session *session) {
    rc_exit status = choose_language(argc, argv, session->error);
    if (status != RC_GOOD) return status;
    put_command_first(argc, argv);
    const bool named = argc > 1 && argv[1][0] != '-';
    if (!named) return run_command(rc_commands[0], argc, argv, session);
    const rc_command *command = rc_find_command(argv[1]);
    if (command == NULL && strcmp(argv[1], "help") == 0) {
        command = argc > 2 ? rc_find_command(argv[2]) : NULL;
        if (argc > 2 && command == NULL) return unknown_command(argv[2], session->error);
        rc_print_help(command);
        return RC_GOOD;
    }
    if (command == NULL) return unknown_command(argv[1], session->error);
    return run_command(command, argc - 1, argv + 1, session);
}

/* What could not be printed must not pass for a good run; a reader who has left is no error. */
static rc_exit close_output(rc_exit status, rs_error *error) {
    errno = 0;
    const bool failed = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !failed) return status;
    if (errno == EPIPE) return status;
    const rc_exit now = rc_fail(error, RC_USAGE, _("cannot write to standard output: %s"),
                                errno != 0 ? strerror(errno) : _("it is closed or full"));
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
