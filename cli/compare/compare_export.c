/* compare_export.c: a comparison as curves, to walk through or as a picture, or as CSV in a file.
 *
 *     open (before anything is measured) --> rows --> story_compare --> its whole picture, or a step a point
 */
#include "base/text.h"
#include "compare/compare.h"
#include "story/story_compare.h"

static bool is_csv(const rc_options *options) {
    return options->value[RC_EXPORT].number == RV_N_PICTURES;
}

rc_exit rc_as_curves(const rc_typed *typed, rc_value *value) {
    if (!rc_ends_with(typed->text, ".csv")) return rc_as_picture(typed, value);
    value->number = RV_N_PICTURES;
    return RC_GOOD;
}

/* Whoever wants to see or walk the curves says so; else the table is what compare is for. */
static bool is_walked(const rc_options *options) {
    return rc_given(options, RC_VIEW) || rc_given(options, RC_STEP) || rc_given(options, RC_AT);
}

bool rc_curves_wanted(const rc_options *options) {
    return is_walked(options) || (rc_given(options, RC_EXPORT) && !is_csv(options));
}

static bool rises(const int64_t numbers[], int64_t n) {
    bool up = n > 1 && numbers[0] > 0;
    for (int64_t i = 1; i < n; i++) up = up && numbers[i] > numbers[i - 1];
    return up;
}

rc_exit rc_curves_check(const int64_t counts[], int64_t n_counts, const int64_t worlds[],
                        int64_t n_worlds, rs_error *error) {
    if (n_worlds == 1 ? rises(counts, n_counts) : n_counts == 1 && rises(worlds, n_worlds)) {
        return RC_GOOD;
    }
    return rc_fail(
        error, RC_USAGE,
        _("--export and --step draw curves: over several sizes that rise, --gpus N --bytes "
          "1KiB..1GiB, or over several world sizes, --gpus 2..16 --bytes SIZE"));
}

rc_exit rc_curves_open(rc_session *session, const int64_t counts[], int64_t n_counts,
                       const int64_t worlds[], int64_t n_worlds, rc_curves *curves) {
    const rc_options *options = &session->options;
    rc_showing *showing = &curves->showing;
    *curves = (rc_curves){.walked = is_walked(options)};
    const bool csv = rc_given(options, RC_EXPORT) && is_csv(options);
    if (csv && curves->walked) {
        return rc_fail(
            session->error, RC_USAGE,
            _("--export FILE.csv writes the rows; --view, --step and --at are for curves"));
    }
    if (csv) {
        return rc_file_open("export", options->value[RC_EXPORT].text, session->error, &curves->csv);
    }
    if (!rc_curves_wanted(options)) return RC_GOOD;
    rc_exit status = rc_curves_check(counts, n_counts, worlds, n_worlds, session->error);
    if (status == RC_GOOD && curves->walked) return rc_story_open(session, showing);
    if (status == RC_GOOD) status = rc_read_look(options, "", session->error, &showing->look);
    if (status == RC_GOOD) status = rc_outputs_open(session, NULL, &showing->outputs);
    if (status == RC_GOOD) rc_warn_of_fonts(session, RC_VIEW_NONE, &showing->outputs.picture);
    showing->view = RC_VIEW_NONE;
    showing->look.at = -1;
    showing->look.bare = true; /* one picture of all curves: nothing to walk through */
    showing->look.sheet = false;
    return status;
}

rc_exit rc_curves_story(rc_session *session, const rc_table *table, rv_story *story) {
    const int64_t width = table->n_algorithms, n = table->n_rows / width;
    const rc_row *rows = table->rows;
    rs_arena *arena = session->arena;
    rv_compared *of = rs_alloc(arena, 1, sizeof *of);
    const rs_algorithm **algorithms = rs_alloc(arena, (size_t)width, sizeof(void *));
    int64_t *at = rs_alloc(arena, (size_t)n, sizeof *at);
    int64_t *bound_ps = rs_alloc(arena, (size_t)n, sizeof *bound_ps);
    int64_t *time_ps = rs_alloc(arena, (size_t)(n * width), sizeof *time_ps);
    if (!of || !algorithms || !at || !bound_ps || !time_ps) return rc_no_memory(session->error);
    const bool worlds = table->n_sizes == 1;
    for (int64_t i = 0; i < n * width; i++) {
        algorithms[i % width] = rows[i].algorithm;
        at[i / width] = worlds ? rows[i].n_ranks : rows[i].n_bytes;
        bound_ps[i / width] = rows[i].bound_ps;
        time_ps[i] = rows[i].time_ps;
    }
    *of = (rv_compared){
        .of = rows[0].algorithm->collective,
        .machine = table->net.machine != NULL ? table->net.machine->name : NULL,
        .worlds = worlds,
        .n_gpus = rows[0].n_ranks,
        .n_bytes = rows[0].n_bytes,
        .n_points = (int32_t)n,
        .n_algorithms = (int32_t)width,
        .algorithms = algorithms,
        .at = at,
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
    if (!curves->walked && !curves->showing.outputs.picture.wanted) return RC_GOOD;
    const rc_exit status = rc_curves_story(session, table, &story);
    return rc_show_story(session, &curves->showing, status, &story);
}

void rc_curves_discard(rc_curves *curves) {
    rc_file_discard(&curves->csv);
    rc_outputs_discard(&curves->showing.outputs);
}
