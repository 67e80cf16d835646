/* cmd_hang.c: `ringsim hang FILE...|FOLDER`: a job stands still: which rank, at which call, and who waits for whom?
 *
 * Exit status 0: nothing hangs, or it is only slow; 1: a hang, decided or not; 2: nothing that can be read. What
 * cannot be read beside the rest is named on stderr.
 */
#include "hang/hang.h"

static rc_exit cmd_hang(rc_session *session) {
    rc_dumps dumps = {0};
    rs_hang hang;
    if (session->options.n_operands == 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("hang reads the ranks' dumps: ringsim hang FOLDER"));
    }
    rc_exit status =
        rc_read_dumps(session, &dumps); /* a signal ends this at once: nothing is written */
    rc_host_watch(session->host, true);
    if (status == RC_GOOD) {
        status = rc_exit_of(rs_judge_hang(dumps.list, dumps.n, session->arena->host, session->arena,
                                          session->error, &hang));
    }
    status = rc_host_end(session->host, status, session->error);
    if (status == RC_GOOD && rc_given(&session->options, RC_JSON)) rc_json_hang(&hang, stdout);
    if (status == RC_GOOD && !rc_given(&session->options, RC_JSON)) rc_print_hang(&hang);
    rc_free_dumps(&dumps);
    if (status != RC_GOOD) return status;
    return hang.verdict == RS_HANG_NONE || hang.verdict == RS_HANG_SLOW ? RC_GOOD : RC_NO;
}

/* ------------------------------------------------------------------ its row */

static const rc_option takes[] = {
    {.id = RC_LANG},
    {.id = RC_JSON},
    RC_TAKE_HELP,
};

const rc_command rc_command_hang = {
    .name = "hang",
    .operands = "FILE...|FOLDER",
    .summary = N_("which rank hangs, at which call, and who waits for whom"),
    RC_TAKES(takes),
    .run = cmd_hang};
