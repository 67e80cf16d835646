/* view.c: how a run is shown: the view, where it starts, how fast, in colour or not. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Decides how the run is shown: --json and --view first, then what standard output is. */
rc_exit rc_choose_view(const rc_options *options, rs_error *error, rc_view *chosen) {
    static const char *const names[] = {"auto", "window", "terminal", "text", "none", NULL};
    const char *asked = options->value[RC_VIEW];
    const bool json = options->value[RC_JSON] != NULL;
    int at = RC_VIEW_AUTO;
    rc_exit status = RC_GOOD;
    if (asked != NULL) status = rc_parse_choice("--view", asked, names, error, &at);
    if (status != RC_GOOD) return status;
    *chosen = (rc_view)at;
    if (json && at != RC_VIEW_AUTO && at != RC_VIEW_NONE) {
        return rc_fail(error, RC_USAGE, _("--json and --view %s: choose one"), asked);
    }
    if (json && rc_json_ready(error) != RC_GOOD) return RC_LACKS;
    if (options->value[RC_TRANSFERS] != NULL && !json) {
        return rc_fail(error, RC_USAGE, _("--transfers is a part of the JSON; add --json"));
    }
    if (at == RC_VIEW_WINDOW) {
        return rc_fail(error, RC_LACKS,
                       _("--view window: this build has no window; use --view terminal or text"));
    }
    const bool terminal = isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1;
    if (at == RC_VIEW_TERMINAL && !terminal) {
        return rc_fail(error, RC_LACKS, _("--view terminal: this is no terminal; use --view text"));
    }
    if (json) {
        *chosen = RC_VIEW_JSON;
    } else if (at == RC_VIEW_AUTO) {
        *chosen = rc_outputs_take_stdout(options) ? RC_VIEW_NONE
                  : terminal                      ? RC_VIEW_TERMINAL
                                                  : RC_VIEW_TEXT;
    } else if (at == RC_VIEW_TEXT && rc_outputs_take_stdout(options)) {
        return rc_fail(error, RC_USAGE, _("only one output can go to standard output"));
    }
    return RC_GOOD;
}

/* Reads --at and --speed, and refuses what the run does not have. */
rc_exit rc_check_view_options(const rc_options *options, const rs_schedule *schedule,
                              rs_error *error) {
    rs_error reason;
    int64_t step;
    uint64_t num, den;
    const char *at = options->value[RC_AT], *speed = options->value[RC_SPEED];
    if (at != NULL && rc_parse_integer(at, 0, schedule->n_steps, &reason, &step) != RC_GOOD) {
        return rc_fail(error, RC_USAGE, _("--at %.60s: the steps are 0..%d, and %d is the end"), at,
                       (int)schedule->n_steps - (schedule->n_steps > 0), (int)schedule->n_steps);
    }
    if (speed != NULL && rc_parse_factor(speed, &reason, &num, &den) != RC_GOOD) {
        return rc_fail(error, RC_USAGE, "--speed: %.300s", reason.text);
    }
    return RC_GOOD;
}

rv_options rc_view_options(rc_session *session, const rs_report *report) {
    const rc_options *options = &session->options;
    rv_options view = {.at = -1, .colour = true};
    rs_error ignored;
    int64_t step = -1;
    uint64_t num = 1, den = 1;
    if (options->value[RC_AT] != NULL) {
        rc_parse_integer(options->value[RC_AT], 0, report->request.job.schedule->n_steps, &ignored,
                         &step);
    }
    if (options->value[RC_SPEED] != NULL) {
        rc_parse_factor(options->value[RC_SPEED], &ignored, &num, &den);
    }
    view.at = (int32_t)step;
    view.speed = (double)num / (double)den;
    view.play = options->value[RC_STEP] == NULL && options->value[RC_PREDICT] == NULL &&
                options->value[RC_AT] == NULL;
    view.predict = options->value[RC_PREDICT] != NULL;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no_color != NULL && no_color[0] != '\0') view.colour = false;
    if (term != NULL && strcmp(term, "dumb") == 0) view.colour = false;
    return view;
}
