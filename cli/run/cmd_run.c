/* cmd_run.c: `ringsim run`: one collective, simulated, judged, executed, shown.
 *
 *     options --> request --> rs_run --> files --> JSON | window | terminal | text | nothing --> 0 or 1
 */
#include "run/request.h"
#include "run/run_json.h"
#include "run/show.h"

#include <string.h>

enum { VIEW_TRACE_LIMIT = 1 << 22 }; /* a view shows times step by step up to so many transfers */

static rs_status show_terminal(rc_session *session, const rv_subject *subject,
                               const rv_options *options) {
    rv_options here = *options;
    rc_folders catalogues;
    rc_find_folders(session->program, RC_CATALOGUES, &catalogues);
    here.locale_dirs = catalogues.list; /* `l` switches between languages */
    rc_host_hush(session->host);
    return rv_terminal_run(subject, &here, rc_host_face(session->host), session->error);
}

rc_exit rc_show_subject(rc_session *session, const rv_subject *subject, rc_view view,
                        const rv_options *options) {
    rv_subject walked = *subject;
    if (view == RC_VIEW_WINDOW) {
        const rc_exit shown = rc_show_window(session, subject, options);
        if (shown != RC_LACKS || rc_given(&session->options, RC_VIEW)) return shown;
        rc_complain(session->error); /* the display has gone since we looked */
        session->error->text[0] = '\0';
        view = rc_view_without_window();
    }
    if (view == RC_VIEW_TERMINAL) {
        const rs_status status = show_terminal(session, subject, options);
        const bool by_name = rc_given(&session->options, RC_VIEW);
        if (status != RS_UNSUPPORTED || by_name) {
            return status == RS_UNSUPPORTED ? RC_LACKS : rc_exit_of(status);
        }
        session->error->text[0] = '\0'; /* nobody asked for it by name: the story will do */
    }
    rs_status status = rv_subject_walk(&walked, session->arena, session->error);
    if (status != RS_OK) return rc_exit_of(status);
    status = rv_write_text(&walked, options, rc_write_to_file, stdout, session->error);
    if (status == RS_OK) rc_print_sandbox(session, "");
    return rc_exit_of(status);
}

bool rc_answer_is_no(const rs_report *report) {
    return (report->judged && !report->verdict.sound) || !report->outcome.completed ||
           (report->computed && !report->correct);
}

static rc_exit deliver(rc_session *session, const rv_subject *subject, rc_view view,
                       const rv_options *options, rc_outputs *outputs) {
    const rs_report *report = subject->report;
    const char *dump = session->options.value[RC_DUMP].text;
    rc_exit status = rc_outputs_write(session, subject, options, outputs);
    if (status == RC_GOOD && dump != NULL) status = rc_dump_run(session, dump, report);
    if (status != RC_GOOD) return status;
    if (view == RC_VIEW_JSON) {
        const bool transfers = rc_given(&session->options, RC_TRANSFERS);
        status = rc_json_run(report, transfers, session->sandbox, stdout, session->error);
    } else if (view != RC_VIEW_NONE) {
        status = rc_show_subject(session, subject, view, options);
        if (status == RC_GOOD && dump != NULL && view == RC_VIEW_TEXT) rc_dump_say(dump, "");
    }
    return status == RC_GOOD && rc_answer_is_no(report) ? RC_NO : status;
}

void rc_warn_of_fonts(rc_session *session, rc_view view, const rc_picture *picture) {
    rs_error reason;
    const bool drawn = view == RC_VIEW_WINDOW || (picture->wanted && !picture->in_characters);
    if (drawn && !session->gui->has_fonts(&reason)) rc_complain(&reason);
}

void rc_print_sandbox(const rc_session *session, const char *before) {
    if (session->sandbox[0] == '\0') return;
    fputs(before, stdout);
    printf(_("sandbox: %s\n"), session->sandbox);
}

/* Is the run shown to people, step by step? */
static bool is_shown(rc_view view) {
    return view == RC_VIEW_WINDOW || view == RC_VIEW_TERMINAL || view == RC_VIEW_TEXT;
}

static rc_exit run(rc_session *session, const rs_request *request, rs_report *report) {
    rc_host_watch(session->host, true);
    const rc_exit status = rc_exit_of(rs_run(request, session->arena, session->error, report));
    return rc_host_end(session->host, status, session->error);
}

/* --before: runs the same once more, with the options that it names in the place of those that were typed. */
static rc_exit lay_before(rc_session *session, const rs_schedule *known, rv_subject *subject) {
    const rc_value *typed = &session->options.value[RC_BEFORE];
    if (typed->text == NULL) return RC_GOOD;
    const size_t n_text = strlen(typed->text) + 1;
    rc_session *before = rs_alloc(session->arena, 1, sizeof *before);
    char *text = rs_alloc(session->arena, n_text, 1);
    char **words = rs_alloc(session->arena, n_text + 1, sizeof *words);
    rc_options *own = rs_alloc(session->arena, 1, sizeof *own);
    rv_subject same = {0};
    if (before == NULL || text == NULL || words == NULL || own == NULL) {
        return rc_no_memory(session->error);
    }
    memcpy(text, typed->text, n_text);
    int n = 0;
    words[n++] = text;
    for (char *at = strtok(text, " "); at != NULL; at = strtok(NULL, " ")) words[n++] = at;
    words[n] = NULL;
    *before = *session;
    rc_options *all = &before->options;
    rc_exit status =
        rc_options_parse(n, words, &rc_command_run, session->arena, session->error, own);
    for (int i = 0; i < all->n_repeated; i++) all->value[all->repeated[i].id].text = NULL;
    all->repeated = own->repeated;
    all->n_repeated = own->n_repeated;
    all->value[RC_BEFORE].text = NULL;
    if (rc_given(own, RC_COUNT)) all->value[RC_BYTES].text = NULL;
    for (int i = 0; i < RC_N_OPTIONS; i++) {
        if (rc_given(own, i)) all->value[i] = own->value[i];
    }
    if (status == RC_GOOD) status = rc_run_subject_of(before, known, &same);
    subject->beside = same.report;
    subject->forked = true;
    return rc_prefix(session->error, status, "--before");
}

rc_exit rc_run_shown(rc_session *session, const rs_schedule *known) {
    rc_view view;
    rc_asked asked;
    rc_outputs outputs;
    rs_report report;
    rs_error note;
    rv_options options;
    rc_exit status = rc_choose_view(session, &note, &view);
    if (status == RC_GOOD) {
        status = known != NULL ? rc_request_of(session, known, &asked)
                               : rc_make_request(session, &asked);
    }
    if (status != RC_GOOD) return status;
    status = rc_read_view(&session->options, asked.schedule.n_steps, asked.schedule.n_ranks,
                          asked.schedule.name, session->error, &options);
    if (status != RC_GOOD) return status;
    const bool looked_at = is_shown(view) || rc_given(&session->options, RC_EXPORT);
    if (looked_at && asked.request.trace_limit == 0) asked.request.trace_limit = VIEW_TRACE_LIMIT;
    if (rc_given(&session->options, RC_DUMP)) {
        status = rc_dump_open(session->options.value[RC_DUMP].text, session->error);
    }
    if (status == RC_GOOD) status = rc_outputs_open(session, &asked.schedule, &outputs);
    if (status != RC_GOOD) return status;
    if (note.text[0] != '\0') rc_complain(&note);
    rc_warn_of_fonts(session, view, &outputs.picture);
    status = run(session, &asked.request, &report);
    rv_subject subject;
    if (status == RC_GOOD) {
        subject = rv_run_subject(&report);
        status = lay_before(session, known, &subject);
    }
    if (status == RC_GOOD) return deliver(session, &subject, view, &options, &outputs);
    rc_outputs_discard(&outputs);
    return status;
}

static rc_exit cmd_run(rc_session *session) {
    return rc_run_shown(session, NULL);
}

rc_exit rc_run_subject_of(rc_session *session, const rs_schedule *known, rv_subject *subject) {
    rc_asked *asked = rs_alloc(session->arena, 1, sizeof *asked); /* the report points into it */
    rs_report *report = rs_alloc(session->arena, 1, sizeof *report);
    if (asked == NULL || report == NULL) return rc_no_memory(session->error);
    rc_exit status =
        known != NULL ? rc_request_of(session, known, asked) : rc_make_request(session, asked);
    if (status != RC_GOOD) return status;
    if (asked->request.trace_limit == 0) asked->request.trace_limit = VIEW_TRACE_LIMIT;
    status = rc_exit_of(rs_run(&asked->request, session->arena, session->error, report));
    if (status != RC_GOOD) return status;
    *subject = rv_run_subject(report);
    return lay_before(session, known, subject);
}

static rc_exit run_subject(rc_session *session, rv_subject *subject) {
    return rc_run_subject_of(session, NULL, subject);
}

rc_exit rc_show_schedule(rc_session *session, const rs_schedule *schedule, int32_t step) {
    rc_view view;
    rc_asked asked;
    rs_report report;
    rs_error note;
    rc_exit status = rc_choose_view(session, &note, &view);
    if (status == RC_GOOD) status = rc_request_of(session, schedule, &asked);
    if (status != RC_GOOD) return status;
    if (is_shown(view)) asked.request.trace_limit = VIEW_TRACE_LIMIT;
    if (note.text[0] != '\0') rc_complain(&note);
    rc_warn_of_fonts(session, view, &(rc_picture){.wanted = false});
    status = run(session, &asked.request, &report);
    if (status != RC_GOOD || !is_shown(view)) return status;
    rv_options options;
    const rv_subject subject = rv_run_subject(&report);
    status = rc_read_view(&session->options, subject.n_steps, subject.n_ranks, subject.algorithm,
                          session->error, &options);
    if (status != RC_GOOD) return status;
    options.at = step;
    options.play = false;
    return rc_show_subject(session, &subject, view, &options);
}

/* ------------------------------------------------------------------ its row */

const rc_command rc_command_run = {
    .name = "run",
    .operands = "",
    .summary = N_("one collective: simulate, judge, show (the default command)"),
    RC_TAKES(RC_GPUS, RC_COLLECTIVE, RC_ROOT, RC_ALGO, RC_PIECES, RC_CHANNELS, RC_ORDER, RC_COUNT,
             RC_BYTES, RC_VALUES, RC_DTYPE, RC_OP, RC_DATA, RC_SEED, RC_INPUT, RC_OUTPUT, RC_ALPHA,
             RC_BANDWIDTH, RC_REDUCE_RATE, RC_PROTOCOL, RC_LINKS, RC_MACHINE, RC_PLACE, RC_PER_NODE,
             RC_SLOW_LINK, RC_LATE, RC_STRAGGLER, RC_KILL, RC_FLIP, RC_SLOW_REDUCE, RC_DOWN, RC_CUT,
             RC_CHECK, RC_ENGINE, RC_STEP, RC_AT, RC_MOMENT, RC_FOLLOW, RC_SPEED, RC_PREDICT,
             RC_VIEW, RC_THEME, RC_SCALE, RC_SIZE, RC_SHOW, RC_REDUCED_MOTION, RC_AGAINST,
             RC_BEFORE, RC_SANDBOX, RC_INTERPRET, RC_LANG, RC_JSON, RC_TRANSFERS, RC_TRACE, RC_DUMP,
             RC_SAVE, RC_EXPORT, RC_SHEET, RC_SLIDES, RC_BARE),
    RC_OFTEN(RC_GPUS, RC_COLLECTIVE, RC_ALGO, RC_COUNT, RC_BYTES, RC_ALPHA, RC_BANDWIDTH,
             RC_MACHINE, RC_SLOW_LINK, RC_KILL, RC_STEP, RC_PREDICT, RC_VIEW, RC_SHOW, RC_AGAINST,
             RC_LANG, RC_JSON, RC_EXPORT),
    .run = cmd_run,
    .subject = run_subject};
