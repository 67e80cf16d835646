/* outputs.c: the files that a run leaves behind: --trace, --save, --export, --output.
 *
 *     open (before the run) --> run --> write --> publish        all of them, or none
 *
 * They are opened before anything is computed, so a path that cannot be written is known at once;
 * each is written beside its place and moved there when all are whole.
 */
#include "config.h"
#include "base/text.h"
#include "run/run_json.h"
#include "run/show.h"

#include <string.h>

static const rc_option_id ids[RC_N_OUTPUTS] = {RC_TRACE, RC_SAVE, RC_EXPORT, RC_OUTPUT};

/* Tells how many of the outputs go to standard output, JSON among them. */
static int on_stdout(const rc_options *options) {
    int n = rc_given(options, RC_JSON);
    for (int i = 0; i < RC_N_OUTPUTS; i++) {
        const char *path = options->value[ids[i]].text;
        n += path != NULL && strcmp(path, "-") == 0;
    }
    return n;
}

bool rc_outputs_take_stdout(const rc_options *options) {
    return on_stdout(options) > (rc_given(options, RC_JSON));
}

bool rc_is_trace(const char *path, const char *text, size_t n_bytes) {
    static const char name[] = "ringsim-trace";
    const size_t n_name = sizeof name - 1;
    if (rc_ends_with(path, ".trace")) return true;
    return text != NULL && n_bytes >= n_name && memcmp(text, name, n_name) == 0;
}

/* What is too large to be read again is not written either. */
static rc_exit check_size(const rc_options *options, const rs_schedule *schedule, rs_error *error) {
    const char *trace = options->value[RC_TRACE].text;
    const bool save = rc_given(options, RC_SAVE);
    if (!save && (trace == NULL || !rc_is_trace(trace, NULL, 0))) return RC_GOOD;
    if (schedule->n_ranks <= RS_MAX_FILE_RANKS && schedule->n_chunks <= RS_MAX_FILE_RANKS &&
        schedule->n_transfers <= RS_MAX_FILE_TRANSFERS) {
        return RC_GOOD;
    }
    return rc_fail(error, RC_USAGE,
                   save ? _("--save: a schedule file holds at most %d GPUs and %d transfers; this "
                            "one has %d and %lld")
                        : _("--trace: a .trace file holds at most %d GPUs and %d transfers; this "
                            "run has %d and %lld"),
                   RS_MAX_FILE_RANKS, RS_MAX_FILE_TRANSFERS, (int)schedule->n_ranks,
                   (long long)schedule->n_transfers);
}

/* A file's name says what is written into it. */
static rc_exit check_trace(const rc_file *file, rs_error *error) {
    const size_t n = file->path != NULL ? strlen(file->path) : 0;
    if (n == 0 || strcmp(file->path, "-") == 0 || rc_is_trace(file->path, NULL, 0)) return RC_GOOD;
    if (n > 5 && strcmp(file->path + n - 5, ".json") == 0) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("--trace %.200s: write FILE.json for Perfetto, or FILE.trace for ringsim"),
                   file->path);
}

/* Two outputs to one place, however it is spelled: the second would replace the first. */
static rc_exit check_places(const rc_file files[RC_N_OUTPUTS], rs_error *error) {
    for (int i = 0; i < RC_N_OUTPUTS; i++) {
        for (int j = 0; j < i; j++) {
            const char *a = files[i].target, *b = files[j].target;
            if (a == NULL || b == NULL || strcmp(a, b) != 0) continue;
            return rc_fail(error, RC_USAGE, _("--%s and --%s: %.200s cannot be both"),
                           files[j].option, files[i].option, files[i].path);
        }
    }
    return RC_GOOD;
}

rc_exit rc_outputs_open(rc_session *session, const rs_schedule *schedule, rc_outputs *outputs) {
    const rc_options *options = &session->options;
    rs_error *error = session->error;
    *outputs = (rc_outputs){0};
    if (on_stdout(options) > 1) {
        return rc_fail(error, RC_USAGE, _("only one output can go to standard output"));
    }
    rc_exit status = check_size(options, schedule, error);
    if (status == RC_GOOD) status = rc_choose_picture(session, &outputs->picture);
    for (int i = 0; i < RC_N_OUTPUTS && status == RC_GOOD; i++) {
        const char *path = options->value[ids[i]].text;
        if (path == NULL) continue;
        status = rc_file_open(rc_option_table[ids[i]].name, path, error, &outputs->files[i]);
    }
    if (status == RC_GOOD) status = check_places(outputs->files, error);
    if (status == RC_GOOD) status = check_trace(&outputs->files[RC_OUT_TRACE], error);
    if (status != RC_GOOD) rc_outputs_discard(outputs);
    return status;
}

/* Each rank's array; of an all-to-all only what the others had for it, N times K/N elements. */
static void write_values(const rs_report *report, FILE *out) {
    const rs_job *job = &report->request.job;
    const rs_schedule *schedule = job->schedule;
    const size_t size = (size_t)job->elem_bytes;
    for (int32_t r = 0; report->computed && r < schedule->n_ranks; r++) {
        if (schedule->collective != RS_COLL_ALL_TO_ALL) {
            fwrite(report->results[r], size, (size_t)job->count, out);
            continue;
        }
        for (int32_t c = 0; c < schedule->n_chunks; c++) {
            const int64_t first = rs_chunk_first(schedule, job->count, c);
            const int64_t n = rs_chunk_first(schedule, job->count, c + 1) - first;
            if (rs_ends_of(schedule, c).to != r) continue;
            fwrite((const char *)report->results[r] + (size_t)first * size, size, (size_t)n, out);
        }
    }
}

static rc_exit write_trace(rc_session *session, const rs_report *report, const rc_file *file) {
    rs_recording recording;
    if (!rc_is_trace(file->path, NULL, 0)) {
        rc_chrome_trace(report, file->stream);
        return RC_GOOD;
    }
    const rs_status status = rs_recording_of(report, "ringsim " RINGSIM_VERSION, session->arena,
                                             session->error, &recording);
    if (status == RS_OK) rs_print_trace(&recording, 1, rc_write_to_file, file->stream);
    return rc_exit_of(status);
}

static rc_exit write_run(rc_session *session, const rs_report *report, const rc_file files[]) {
    rc_exit status = RC_GOOD;
    if (files[RC_OUT_TRACE].stream != NULL) {
        status = write_trace(session, report, &files[RC_OUT_TRACE]);
    }
    if (files[RC_OUT_SAVE].stream != NULL) {
        rs_print_schedule(report->request.job.schedule, rc_write_to_file,
                          files[RC_OUT_SAVE].stream);
    }
    if (files[RC_OUT_VALUES].stream != NULL) write_values(report, files[RC_OUT_VALUES].stream);
    return status;
}

rc_exit rc_outputs_write(rc_session *session, const rv_subject *subject, const rv_options *view,
                         rc_outputs *outputs) {
    rc_file *files = outputs->files;
    rc_exit status = RC_GOOD; /* a story's command has written its values itself */
    if (subject->report != NULL) status = write_run(session, subject->report, files);
    if (status == RC_GOOD && files[RC_OUT_EXPORT].stream != NULL) {
        status =
            rc_draw_picture(session, subject, &outputs->picture, view, files[RC_OUT_EXPORT].stream);
    }
    for (int i = 0; i < RC_N_OUTPUTS && status == RC_GOOD; i++) {
        status = rc_file_finish(&files[i], session->error);
    }
    for (int i = 0; i < RC_N_OUTPUTS && status == RC_GOOD; i++) {
        status = rc_file_publish(&files[i], session->error);
    }
    rc_outputs_discard(outputs);
    return status;
}

void rc_outputs_discard(rc_outputs *outputs) {
    for (int i = 0; i < RC_N_OUTPUTS; i++) rc_file_discard(&outputs->files[i]);
}
