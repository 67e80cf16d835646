/* cmd_run.c: `ringsim run`: one collective, simulated, judged, executed, shown.
 *
 *     options --> request --> rs_run --> files --> JSON | terminal | text | nothing --> 0 or 1
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum how_seen {
    VIEW_AUTO,
    VIEW_WINDOW,
    VIEW_TERMINAL,
    VIEW_TEXT,
    VIEW_NONE,
    VIEW_JSON
} how_seen;
enum { VIEW_TRACE_LIMIT = 1 << 20 }; /* a view shows times step by step up to so many transfers */

/* Decides how the run is shown: --json and --view first, then what standard output is. */
static rc_exit choose_view(const rc_options *options, rs_error *error, how_seen *chosen) {
    static const char *const names[] = {"auto", "window", "terminal", "text", "none", NULL};
    const char *asked = options->value[RC_VIEW];
    const bool json = options->value[RC_JSON] != NULL;
    int at = VIEW_AUTO;
    rc_exit status = RC_GOOD;
    if (asked != NULL) status = rc_parse_choice("--view", asked, names, error, &at);
    if (status != RC_GOOD) return status;
    *chosen = (how_seen)at;
    if (json && at != VIEW_AUTO && at != VIEW_NONE) {
        return rc_fail(error, RC_USAGE, _("--json and --view %s: choose one"), asked);
    }
    if (json && rc_json_ready(error) != RC_GOOD) return RC_LACKS;
    if (options->value[RC_TRANSFERS] != NULL && !json) {
        return rc_fail(error, RC_USAGE, _("--transfers is a part of the JSON; add --json"));
    }
    if (at == VIEW_WINDOW) {
        return rc_fail(error, RC_LACKS,
                       _("--view window: this build has no window; use --view terminal or text"));
    }
    const bool terminal = isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1;
    if (at == VIEW_TERMINAL && !terminal) {
        return rc_fail(error, RC_LACKS, _("--view terminal: this is no terminal; use --view text"));
    }
    if (json) {
        *chosen = VIEW_JSON;
    } else if (at == VIEW_AUTO) {
        *chosen = rc_outputs_take_stdout(options) ? VIEW_NONE
                  : terminal                      ? VIEW_TERMINAL
                                                  : VIEW_TEXT;
    } else if (at == VIEW_TEXT && rc_outputs_take_stdout(options)) {
        return rc_fail(error, RC_USAGE, _("only one output can go to standard output"));
    }
    return RC_GOOD;
}

/* Reads --at and --speed, and refuses what the run does not have. */
static rc_exit check_view_options(const rc_options *options, const rs_schedule *schedule,
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

static void write_text(void *context, const char *text, size_t n_bytes) {
    fwrite(text, 1, n_bytes, context);
}

/* Shows the run to people. */
static rc_exit show(rc_session *session, const rs_report *report, how_seen view) {
    rv_model *model;
    const rv_options options = rc_view_options(session, report);
    rs_status status = rv_model_new(report, session->arena, session->error, &model);
    if (status != RS_OK) return rc_exit_of(status);
    if (view == VIEW_TERMINAL) {
        status = rv_terminal_run(model, &options, session->error);
        const bool by_name = session->options.value[RC_VIEW] != NULL;
        if (status != RS_UNSUPPORTED || by_name) {
            return status == RS_UNSUPPORTED ? RC_LACKS : rc_exit_of(status);
        }
        session->error->text[0] = '\0'; /* nobody asked for it by name: the story will do */
    }
    status = rv_write_story(model, &options, write_text, stdout, session->error);
    return rc_exit_of(status);
}

static bool answer_is_no(const rs_report *report) {
    return (report->judged && !report->verdict.sound) || !report->outcome.completed ||
           (report->computed && !report->correct);
}

static rc_exit deliver(rc_session *session, const rs_report *report, how_seen view,
                       rc_outputs *outputs) {
    rc_exit status = rc_outputs_write(session, report, outputs);
    if (status != RC_GOOD) return status;
    if (view == VIEW_JSON) {
        const bool transfers = session->options.value[RC_TRANSFERS] != NULL;
        status = rc_json_run(report, transfers, stdout, session->error);
    } else if (view != VIEW_NONE) {
        status = show(session, report, view);
    }
    return status == RC_GOOD && answer_is_no(report) ? RC_NO : status;
}

rc_exit rc_cmd_run(rc_session *session) {
    how_seen view;
    rc_asked asked;
    rc_outputs outputs;
    rs_report report;
    rc_exit status = choose_view(&session->options, session->error, &view);
    if (status == RC_GOOD) status = rc_make_request(session, &asked);
    if (status != RC_GOOD) return status;
    status = check_view_options(&session->options, &asked.schedule, session->error);
    if (status != RC_GOOD) return status;
    const bool looked_at =
        view == VIEW_TERMINAL || view == VIEW_TEXT || session->options.value[RC_EXPORT] != NULL;
    if (looked_at && asked.request.trace_limit == 0) asked.request.trace_limit = VIEW_TRACE_LIMIT;
    status = rc_outputs_open(&session->options, &asked.schedule, session->error, &outputs);
    if (status != RC_GOOD) return status;
    rc_host_watch(session->host, true);
    status = rc_exit_of(rs_run(&asked.request, session->arena, session->error, &report));
    rc_host_watch(session->host, false);
    rc_host_quiet(session->host);
    status = rc_host_heed(status, session->error);
    if (status == RC_GOOD) return deliver(session, &report, view, &outputs);
    rc_outputs_discard(&outputs);
    return status;
}
