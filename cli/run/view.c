/* view.c: how a run is shown: the view, where it starts, how fast, in colour or not. */
#include "run/show.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool on_terminal(void) {
    return isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1;
}

rc_view rc_view_without_window(void) {
    return on_terminal() ? RC_VIEW_TERMINAL : RC_VIEW_TEXT;
}

/* Decides where nothing was asked for. A window is looked for only where a display is named; who
   reads on a terminal is told what is missing, and gets the same playback there. */
static rc_view choose_freely(rc_session *session, rs_error *note) {
    const rc_options *options = &session->options;
    /* who wants a picture has it, and no window to close */
    const bool drawn = rc_given(options, RC_EXPORT) && !rc_given(options, RC_STEP);
    if (drawn || rc_outputs_take_stdout(options)) return RC_VIEW_NONE;
    const bool read = isatty(STDOUT_FILENO) == 1;
    if (!read || !rc_gui_built()) return rc_view_without_window();
    if (!rc_display_named() && on_terminal()) {
        rc_fail(note, RC_LACKS,
                _("no display: neither DISPLAY nor WAYLAND_DISPLAY is set; going on in the "
                  "terminal"));
    }
    if (!rc_display_named()) return rc_view_without_window();
    if (rc_window_ready(session, note) != RC_GOOD) return rc_view_without_window();
    note->text[0] = '\0';
    return RC_VIEW_WINDOW;
}

/* The window was asked for by name. */
static rc_exit insist_on_window(rc_session *session) {
    return rc_prefix(session->error, rc_window_ready(session, session->error), "--view window");
}

rc_exit rc_choose_view(rc_session *session, rs_error *note, rc_view *chosen) {
    const rc_options *options = &session->options;
    rs_error *error = session->error;
    note->text[0] = '\0';
    const char *asked = options->value[RC_VIEW].text;
    const bool json = rc_given(options, RC_JSON);
    const int64_t at = options->value[RC_VIEW].number;
    *chosen = (rc_view)at;
    if (json && at != RC_VIEW_AUTO && at != RC_VIEW_NONE) {
        return rc_fail(error, RC_USAGE, _("--json and --view %s: choose one"), asked);
    }
    if (rc_given(options, RC_TRANSFERS) && !json) {
        return rc_fail(error, RC_USAGE, _("--transfers is a part of the JSON; add --json"));
    }
    if (at == RC_VIEW_WINDOW) return insist_on_window(session);
    if (at == RC_VIEW_TERMINAL && !on_terminal()) {
        return rc_fail(error, RC_LACKS, _("--view terminal: this is no terminal; use --view text"));
    }
    if (json) {
        *chosen = RC_VIEW_JSON;
    } else if (at == RC_VIEW_AUTO) {
        *chosen = choose_freely(session, note);
    } else if (at == RC_VIEW_TEXT && rc_outputs_take_stdout(options)) {
        return rc_fail(error, RC_USAGE, _("only one output can go to standard output"));
    }
    return RC_GOOD;
}

rc_exit rc_read_place(const rc_options *options, int32_t n_steps, int32_t n_ranks, rs_error *error,
                      rv_options *view) {
    const rc_value *value = &options->value[RC_AT], *follow = &options->value[RC_FOLLOW];
    assert(n_steps >= 0 && n_ranks >= 1);
    view->at = value->text == NULL ? -1 : (int32_t)value->number;
    view->rank = (int32_t)follow->number;
    if (follow->number >= n_ranks) {
        return rc_fail(error, RC_USAGE, _("--follow %.60s: the ranks are 0..%d"), follow->text,
                       (int)n_ranks - 1);
    }
    if (value->text != NULL && value->number > n_steps) {
        return rc_fail(error, RC_USAGE, _("--at %.60s: the steps are 0..%d, and %d is the end"),
                       value->text, (int)n_steps - (n_steps > 0), (int)n_steps);
    }
    return RC_GOOD;
}

static bool wants_colour(void) {
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no_color != NULL && no_color[0] != '\0') return false;
    return term == NULL || strcmp(term, "dumb") != 0;
}

rc_exit rc_read_view(const rc_options *options, int32_t n_steps, int32_t n_ranks,
                     const char *algorithm, rs_error *error, rv_options *view) {
    const rc_value *speed = &options->value[RC_SPEED];
    assert(speed->den > 0);
    *view = (rv_options){.colour = wants_colour(),
                         .speed = (double)speed->num / (double)speed->den,
                         .by_hand = rc_given(options, RC_STEP),
                         .predict = rc_given(options, RC_PREDICT)};
    view->play = !rc_given(options, RC_STEP) && !view->predict && !rc_given(options, RC_AT);
    const rc_exit status = rc_read_place(options, n_steps, n_ranks, error, view);
    return status == RC_GOOD ? rc_read_look(options, algorithm, error, view) : status;
}
