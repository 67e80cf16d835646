/* cmd_view.c: `ringsim view FILE.trace [FILE2.trace]`: recorded runs, in the views of a run of ours.
 *
 *     .trace --> recording --> report --> window | terminal | text | JSON | pictures
 *
 *   - Two files lie on one time axis in the window and its pictures, and side by side as text.
 *   - Of several runs in a file the largest is shown, or the one that --count names.
 *   - Costs that need a model of the network are left out: a record does not know it.
 */
#include "base/text.h"
#include "run/run_json.h"
#include "run/show.h"

typedef struct viewed {
    const char *paths[2];
    rs_recording *recordings[2];
    rs_report reports[2];
    int n;
} viewed;

/* ------------------------------------------------------------------ reading */

static int64_t bytes_of(const rs_recording *run) {
    return run->count * rs_dtype_bytes(run->dtype);
}

/* Finds the run to show; NULL: none has so many elements. */
static rs_recording *choose(rs_recording runs[], int32_t n_runs, int64_t count) {
    rs_recording *best = NULL;
    for (int32_t i = 0; i < n_runs; i++) {
        if (count >= 0 && runs[i].count != count) continue;
        if (best == NULL || bytes_of(&runs[i]) > bytes_of(best)) best = &runs[i];
    }
    return best;
}

static rc_exit read_run(rc_session *session, const char *path, int64_t count,
                        rs_recording **recording) {
    char *text;
    size_t n_bytes;
    rs_recording *runs;
    int32_t n_runs = 0;
    rc_exit status =
        rc_read_file(path, RC_TRACE_LIMIT, session->arena, session->error, &text, &n_bytes);
    if (status != RC_GOOD) return status;
    status =
        rc_exit_of(rs_parse_trace(text, n_bytes, session->arena, session->error, &runs, &n_runs));
    if (status != RC_GOOD) return rc_prefix(session->error, status, "%.200s", path);
    *recording = choose(runs, n_runs, count);
    if (*recording != NULL) return RC_GOOD;
    return rc_fail(session->error, RC_USAGE,
                   _("--count %lld: %.200s has no run of so many elements; the first has %lld"),
                   (long long)count, path, (long long)runs[0].count);
}

static rc_exit read_all(rc_session *session, viewed *all) {
    const rc_options *options = &session->options;
    if (options->n_operands < 1 || options->n_operands > 2) {
        return rc_fail(session->error, RC_USAGE,
                       _("view shows one or two recorded runs: ringsim view FILE.trace"));
    }
    const int64_t count = rc_given(options, RC_COUNT) ? options->value[RC_COUNT].number : -1;
    rc_exit status = RC_GOOD;
    for (; status == RC_GOOD && all->n < options->n_operands; all->n++) {
        all->paths[all->n] = options->operands[all->n];
        status = read_run(session, all->paths[all->n], count, &all->recordings[all->n]);
    }
    rc_host_watch(session->host, true);
    for (int i = 0; i < all->n && status == RC_GOOD; i++) {
        status = rc_exit_of(rs_recording_report(all->recordings[i], session->arena, session->error,
                                                &all->reports[i]));
    }
    return rc_host_end(session->host, status, session->error);
}

static rv_subject subject_of(const viewed *all) {
    return all->n > 1 ? rv_pair_subject(&all->reports[0], &all->reports[1])
                      : rv_run_subject(&all->reports[0]);
}

static rc_exit view_subject(rc_session *session, rv_subject *subject) {
    viewed *all = rs_alloc(session->arena, 1, sizeof *all);
    if (all == NULL) return rc_no_memory(session->error);
    *all = (viewed){.n = 0};
    const rc_exit status = read_all(session, all);
    if (status == RC_GOOD) *subject = subject_of(all);
    return status;
}

/* ------------------------------------------------------------------ showing */

static rc_exit print_json(rc_session *session, const viewed *all) {
    const bool transfers = rc_given(&session->options, RC_TRANSFERS);
    if (all->n == 1) return rc_json_run(&all->reports[0], transfers, "", stdout, session->error);
    return rc_json_runs(all->reports, all->n, transfers, stdout, session->error);
}

/* What the text is of. */
static void print_origin(const viewed *all) {
    char name[1024], by[RS_BY_TEXT];
    const rs_recording *run = all->recordings[0];
    printf("%s%s%s", rc_plain(all->paths[0], true, name, sizeof name), _(": "),
           run->measured ? _("measured") : _("simulated"));
    if (run->by[0] != '\0') printf(" (%s)", rc_plain(run->by, true, by, sizeof by));
    puts("");
}

static rc_exit show(rc_session *session, const viewed *all, const rv_subject *subject, rc_view view,
                    const rv_options *options) {
    switch (view) {
    case RC_VIEW_NONE: return RC_GOOD;
    case RC_VIEW_JSON: return print_json(session, all);
    case RC_VIEW_TEXT:
        if (all->n > 1) {
            rc_print_beside(all->paths, all->reports);
            return RC_GOOD;
        }
        print_origin(all);
        break;
    default: break;
    }
    return rc_show_subject(session, subject, view, options);
}

/* Two runs need room: the terminal has it for one. */
static rc_exit check_two(rc_session *session, const rc_picture *picture, rc_view *view) {
    const bool by_name = rc_given(&session->options, RC_VIEW);
    if (picture->wanted && picture->in_characters) {
        return rc_fail(session->error, RC_USAGE,
                       _("--export: a picture in characters shows one run; give one file"));
    }
    if (*view != RC_VIEW_TERMINAL) return RC_GOOD;
    *view = RC_VIEW_TEXT;
    return !by_name ? RC_GOOD
                    : rc_fail(session->error, RC_USAGE,
                              _("--view terminal shows one run; give one file, or use --view "
                                "window or text"));
}

static rc_exit cmd_view(rc_session *session) {
    rc_view view;
    rs_error note;
    rc_outputs outputs;
    rv_options options;
    viewed all = {.n = 0};
    rc_exit status = rc_choose_view(session, &note, &view);
    if (status == RC_GOOD) status = read_all(session, &all);
    if (status != RC_GOOD) return status;
    const rs_schedule *schedule = &all.recordings[0]->schedule;
    status = rc_read_view(&session->options, schedule->n_steps, schedule->n_ranks, schedule->name,
                          session->error, &options);
    if (status == RC_GOOD) status = rc_outputs_open(session, schedule, &outputs);
    if (status != RC_GOOD) return status;
    if (all.n > 1) status = check_two(session, &outputs.picture, &view);
    if (status != RC_GOOD) {
        rc_outputs_discard(&outputs);
        return status;
    }
    if (note.text[0] != '\0') rc_complain(&note);
    rc_warn_of_fonts(session, view, &outputs.picture);
    const rv_subject subject = subject_of(&all);
    status = rc_outputs_write(session, &subject, &options, &outputs);
    if (status == RC_GOOD) status = show(session, &all, &subject, view, &options);
    for (int i = 0; i < all.n; i++) {
        if (status == RC_GOOD && rc_answer_is_no(&all.reports[i])) status = RC_NO;
    }
    return status;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {RC_COUNT, NULL, 0, NULL,
     N_("of several runs in a file the one with so many elements; the largest"),
     RC_INTEGER(0, INT64_MAX / 16, NULL)},
};

const rc_command rc_command_view = {
    .name = "view",
    .operands = "FILE.trace [FILE2.trace]",
    .summary = N_("show a recorded run, or two on one time axis"),
    RC_TAKES(RC_COUNT, RC_STEP, RC_AT, RC_MOMENT, RC_FOLLOW, RC_SPEED, RC_PREDICT, RC_VIEW,
             RC_THEME, RC_SCALE, RC_SIZE, RC_SHOW, RC_REDUCED_MOTION, RC_LANG, RC_JSON,
             RC_TRANSFERS, RC_TRACE, RC_SAVE, RC_EXPORT, RC_SHEET, RC_SLIDES, RC_BARE),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_COUNT, RC_STEP, RC_AT, RC_PREDICT, RC_VIEW, RC_SHOW, RC_LANG, RC_JSON, RC_TRACE,
             RC_SAVE, RC_EXPORT),
    .run = cmd_view,
    .subject = view_subject};
