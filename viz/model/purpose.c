/* purpose.c: what a run is for: its goal, what its first phase has reached, what the run has gained.
 *
 *     "At the end each shall hold the sum of all 5 arrays: 11111, 22222, ..., 55555"
 *     "Every GPU owns one finished chunk; now they hand them round"
 *     "8 steps, 160 MB sent by each GPU; one reducer would send 400 MB"
 */
#include "model/cost_words.h"
#include "model/model.h"
#include "text/say.h"
#include "text/words.h"

#include <string.h>

/* Writes the values that all shall hold at the end: "11111, 22222, ..., 55555"; "": they are not known exactly. */
static void list_answer(const rv_model *model, char *out, size_t n_out) {
    const rs_dtype dtype = model->report->request.dtype;
    rv_say say = rv_say_to(out, n_out);
    if (!model->values || model->wraps || rs_dtype_is_float(dtype)) return;
    for (int32_t c = 0; c < model->n_elems; c++) {
        char value[64];
        const bool gap = model->n_elems > 4 && c == 2;
        if (gap) c = model->n_elems - 1;
        rs_print_value(dtype, model->answer, c, value, sizeof value);
        rv_say_more(&say, "%s%s%s", c > 0 ? _(", ") : "", gap ? _("..., ") : "", value);
    }
}

void rv_say_goal(rv_say *say, const rv_model *model) {
    static const char *const goals[] = {
        [RS_SUM] = N_(". At the end each shall hold the sum of all arrays"),
        [RS_PROD] = N_(". At the end each shall hold the product of all arrays"),
        [RS_MIN] = N_(". At the end each shall hold the smallest values of all arrays"),
        [RS_MAX] = N_(". At the end each shall hold the largest values of all arrays"),
        [RS_AVG] = N_(". At the end each shall hold the average of all arrays"),
    };
    const int n_ranks = (int)model->n_ranks;
    char values[160];
    if (model->n_chunks == 1) {
        rv_say_more(say,
                    _("Each of %d GPUs holds an array, in training its gradient, in one piece"),
                    n_ranks);
    } else {
        rv_say_more(
            say, _("Each of %d GPUs holds an array, in training its gradient, cut into %d chunks"),
            n_ranks, (int)model->n_chunks);
    }
    rv_say_more(say, "%s", _(goals[model->report->request.op]));
    list_answer(model, values, sizeof values);
    if (values[0] != '\0') rv_say_more(say, _(": %s"), values);
}

/* ----------------------------------------------------------------------------- between two phases */

static bool step_adds(const rv_model *model, int32_t step) {
    rs_cursor cursor = {0};
    rs_transfer t;
    while (rs_next_transfer(model->schedule, step, &cursor, &t)) {
        if (t.effect != RS_COPY) return true;
    }
    return false;
}

/* Tells whether anything is added in the phase of a step, up to this one. */
static bool phase_adds(const rv_model *model, int32_t step) {
    const rs_phase phase = rs_phase_at(model->schedule, step, NULL, NULL);
    for (; step >= 0 && rs_phase_at(model->schedule, step, NULL, NULL) == phase; step--) {
        if (step_adds(model, step)) return true;
    }
    return false;
}

/* Tells whether a step adds, and none after it: where a schedule names no phases. */
static bool adds_last(const rv_model *model, int32_t step) {
    if (!step_adds(model, step)) return false;
    while (++step < model->n_steps) {
        if (step_adds(model, step)) return false;
    }
    return true;
}

/* Returns how many cells of a rank are whole. */
static int32_t count_whole(const rv_model *model, int32_t rank) {
    int32_t n = 0;
    for (int32_t c = 0; c < model->n_chunks; c++) n += rv_worth_of(model, rank, c) == RV_WHOLE;
    return n;
}

/* Tells whether each chunk is whole somewhere. */
static bool all_are_somewhere(const rv_model *model) {
    for (int32_t c = 0; c < model->n_chunks; c++) {
        int32_t r = 0;
        while (r < model->n_ranks && rv_worth_of(model, r, c) != RV_WHOLE) r++;
        if (r == model->n_ranks) return false;
    }
    return true;
}

bool rv_between_phases(const rv_model *model, rv_pause *pause) {
    const int32_t step = model->step;
    int32_t owners = 0, owner = 0, whole = 0, least = model->n_chunks, n_done = 0;
    char stalled[64];
    if (!model->cells || model->schedule->collective != RS_COLL_ALL_REDUCE || step < 0 ||
        step + 1 >= model->n_steps || model->moment < RV_DONE) {
        return false;
    }
    const rs_phase phase = rs_phase_at(model->schedule, step, NULL, NULL);
    const rs_phase next = rs_phase_at(model->schedule, step + 1, NULL, NULL);
    const bool named = next != RS_PHASE_NONE;
    if (named && (phase == next || !phase_adds(model, step))) return false;
    if (named ? phase_adds(model, step + 1) : !adds_last(model, step)) return false;
    if (rv_stalled_text(model, stalled, sizeof stalled) > 0) return false;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        const int32_t n = count_whole(model, r);
        if (n > 0) owner = r;
        owners += n > 0;
        n_done += n == model->n_chunks;
        whole += n;
        if (n < least) least = n;
    }
    if (!all_are_somewhere(model)) return false;
    rv_say_text(pause->title, sizeof pause->title, named ? _("%s is done") : _("All is added%s"),
                rv_phase_title(phase));
    const bool each = whole == model->n_chunks && least * model->n_ranks == whole;
    const bool shared = n_done <= 1 && owners > 1;
    rv_say reached = rv_say_to(pause->reached, sizeof pause->reached);
    if (n_done > 1) {
        rv_say_more(&reached, _("%d of %d GPUs hold the whole result"), (int)n_done,
                    (int)model->n_ranks);
    } else if (owners == 1) {
        rv_say_more(&reached, _("GPU %d holds the whole result"), (int)owner);
    } else if (each && least > 1) {
        rv_say_more(&reached, _("Every GPU owns %d finished chunks"), (int)least);
    } else {
        rv_say_more(&reached, "%s",
                    each ? _("Every GPU owns one finished chunk")
                         : _("Every chunk is finished on some GPU"));
    }
    pause->why = shared && each ? _("each has added up one part, nobody all of them") : "";
    pause->next = shared       ? _("now they hand them round")
                  : n_done > 1 ? _("now the others get it")
                               : _("now it goes to all");
    return true;
}

size_t rv_pause_text(const rv_model *model, char *out, size_t n_out) {
    rv_pause pause;
    rv_say say = rv_say_to(out, n_out);
    if (!rv_between_phases(model, &pause)) return 0;
    rv_say_more(&say, "%s%s%s%s%s", pause.reached, pause.why[0] != '\0' ? _(": ") : "", pause.why,
                _("; "), pause.next);
    return say.used;
}

/* ----------------------------------------------------------------------------------- at the end */

bool rv_gain_of(const rv_model *model, rv_gain *gain) {
    const rs_report *report = model->report;
    const rv_cost *own = &model->own, *rival = &model->rival;
    char bytes[32];
    int mark;
    rv_judgement(report, &mark);
    if (model->step < model->n_steps || model->n_steps == 0 || mark <= 0 || !own->known)
        return false;
    gain->rival[0] = gain->then[0] = '\0';
    rv_format_bytes(own->most_bytes, bytes, sizeof bytes);
    rv_say_text(gain->own, sizeof gain->own,
                own->all_alike ? _("%d steps, %s sent by each GPU")
                               : _("%d steps, at most %s sent by a GPU"),
                (int)model->n_steps, bytes);
    const bool naive = rival->known && strcmp(rival->name, "naive") == 0;
    char time[32], own_time[32];
    rv_format_time(rival->time_ps, time, sizeof time);
    rv_format_time(own->time_ps, own_time, sizeof own_time);
    const bool slower = rival->time_ps > own->time_ps && strcmp(time, own_time) != 0;
    if (!rival->known || (naive && !slower)) return true; /* nothing is gained */
    rv_format_bytes(rival->most_bytes, bytes, sizeof bytes);
    if (naive) {
        rv_say_text(gain->rival, sizeof gain->rival, _("one reducer: GPU %d would receive %s"),
                    (int)rival->busiest, bytes);
        rv_say_text(gain->then, sizeof gain->then, _("and then send %s: %s"), bytes, time);
    } else {
        rv_say_text(gain->rival, sizeof gain->rival, _("%s would send at most %s"),
                    rv_algorithm_said(rival->name), bytes);
    }
    return true;
}

size_t rv_gain_text(const rv_model *model, char *out, size_t n_out) {
    rv_gain gain;
    rv_say say = rv_say_to(out, n_out);
    if (!rv_gain_of(model, &gain)) return 0;
    if (gain.then[0] != '\0') {
        rv_say_more(&say, _("%s; %s %s"), gain.own, gain.rival, gain.then);
    } else {
        rv_say_more(&say, "%s%s%s", gain.own, gain.rival[0] != '\0' ? _("; ") : "", gain.rival);
    }
    return say.used;
}
