/* compare_export.c: --export: a comparison as a picture of its curves, or as CSV in a file.
 *
 *     open (before anything is measured) --> rows --> story_compare --> the picture of its last moment
 */
#include "base/text.h"
#include "compare/compare.h"
#include "story/story_compare.h"
#include "story/telling.h"

#include <string.h>

static bool is_csv(const rc_options *options) {
    return options->value[RC_EXPORT].number == RV_N_PICTURES;
}

rc_exit rc_as_curves(const rc_typed *typed, rc_value *value) {
    if (!rc_ends_with(typed->text, ".csv")) return rc_as_picture(typed, value);
    value->number = RV_N_PICTURES;
    return RC_GOOD;
}

/* Curves want sizes that rise, of one world. */
static rc_exit check_sizes(const int64_t counts[], int64_t n_counts, int64_t n_worlds,
                           rs_error *error) {
    if (n_worlds > 1) {
        return rc_fail(error, RC_USAGE, _("--export draws one world size; give --gpus N"));
    }
    bool rises = n_counts > 1 && counts[0] > 0;
    for (int64_t i = 1; i < n_counts; i++) rises = rises && counts[i] > counts[i - 1];
    if (rises) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("--export draws several sizes that rise, such as --bytes 1KiB..1GiB"));
}

rc_exit rc_curves_open(rc_session *session, const int64_t counts[], int64_t n_counts,
                       int64_t n_worlds, rc_curves *curves) {
    const rc_options *options = &session->options;
    *curves = (rc_curves){0};
    if (!rc_given(options, RC_EXPORT)) return RC_GOOD;
    if (is_csv(options)) {
        return rc_file_open("export", options->value[RC_EXPORT].text, session->error, &curves->csv);
    }
    rc_exit status = check_sizes(counts, n_counts, n_worlds, session->error);
    if (status == RC_GOOD) status = rc_read_look(options, "", session->error, &curves->look);
    if (status == RC_GOOD) status = rc_outputs_open(session, NULL, &curves->outputs);
    if (status == RC_GOOD) rc_warn_of_fonts(session, RC_VIEW_NONE, &curves->outputs.picture);
    curves->look.at = -1;
    return status;
}

/* Turns the rows of one world around: what each algorithm takes at each size. */
static rc_exit make_story(rc_session *session, const rc_table *table, rv_story *story) {
    const int64_t n = table->n_sizes, width = table->n_algorithms;
    const rc_row *rows = table->rows;
    rs_arena *arena = session->arena;
    rv_compared *of = rs_alloc(arena, 1, sizeof *of);
    const rs_algorithm **algorithms = rs_alloc(arena, (size_t)width, sizeof(void *));
    int64_t *bytes = rs_alloc(arena, (size_t)n, sizeof *bytes);
    int64_t *bound_ps = rs_alloc(arena, (size_t)n, sizeof *bound_ps);
    int64_t *time_ps = rs_alloc(arena, (size_t)(n * width), sizeof *time_ps);
    if (!of || !algorithms || !bytes || !bound_ps || !time_ps) {
        return rc_fail(session->error, RC_LACKS, _("no memory for the table"));
    }
    for (int64_t i = 0; i < n * width; i++) {
        algorithms[i % width] = rows[i].algorithm;
        bytes[i / width] = rows[i].n_bytes;
        bound_ps[i / width] = rows[i].bound_ps;
        time_ps[i] = rows[i].time_ps;
    }
    *of = (rv_compared){
        .of = rows[0].algorithm->collective,
        .machine = table->net.machine != NULL ? table->net.machine->name : NULL,
        .n_gpus = rows[0].n_ranks,
        .n_sizes = (int32_t)n,
        .n_algorithms = (int32_t)width,
        .algorithms = algorithms,
        .bytes = bytes,
        .time_ps = time_ps,
        .bound_ps = bound_ps,
    };
    return rc_exit_of(rv_story_compare(of, arena, session->error, story));
}

rc_exit rc_curves_write(rc_session *session, const rc_table *table, rc_curves *curves) {
    rv_story story;
    if (curves->csv.stream != NULL) {
        rc_print_csv(table, curves->csv.stream);
        return rc_file_deliver(&curves->csv, RC_GOOD, session->error);
    }
    if (!curves->outputs.picture.wanted) return RC_GOOD;
    rc_exit status = make_story(session, table, &story);
    if (status != RC_GOOD) return status;
    rv_telling telling;
    rv_telling_start(&telling, &story);
    rv_subject subject = rv_story_subject(&telling);
    status = rc_outputs_write(session, &subject, &curves->look, &curves->outputs);
    rv_subject_free(&subject);
    return status;
}

void rc_curves_discard(rc_curves *curves) {
    rc_file_discard(&curves->csv);
    rc_outputs_discard(&curves->outputs);
}
