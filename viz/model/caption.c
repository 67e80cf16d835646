/* caption.c: the moment in one plain sentence, for one GPU, in the reader's language.
 *
 *     "Scatter-reduce, iteration 2 of 4: GPU 3 sends chunk 2 to GPU 4, which adds it"
 *
 * Everything said is read from the schedule and the outcome. Sentences are whole, so that other
 * languages may turn them round.
 */
#include "model/model.h"
#include "model/subject.h"
#include "text/say.h"

#include <stdio.h>
#include <string.h>

enum { WHAT_BYTES = 96, WHY_BYTES = 512, WHO_BYTES = 128 };

/* Names what a transfer carries: "chunk 2", "the block of chunks 0..3", "the whole array". */
static void say_what(const rv_model *model, const rs_transfer *t, char out[WHAT_BYTES]) {
    if (t->n_chunks == model->n_chunks) {
        snprintf(out, WHAT_BYTES, "%s", _("the whole array"));
    } else if (t->n_chunks > 1) {
        snprintf(out, WHAT_BYTES, _("the block of chunks %d..%d"), (int)t->chunk,
                 (int)(t->chunk + t->n_chunks - 1));
    } else {
        snprintf(out, WHAT_BYTES, _("chunk %d"), (int)t->chunk);
    }
}

/* What a receiver does with the data: a reduction by its operation, or a copy. */
typedef enum deed { ADDS, MULTIPLIES, KEEPS_SMALLER, KEEPS_LARGER, OVERWRITES, STORES } deed;

static deed deed_of(const rv_model *model, const rs_transfer *t) {
    const bool copies = !rs_collective_reduces(model->schedule->collective);
    if (t->effect == RS_COPY) return copies ? STORES : OVERWRITES;
    switch (model->report->request.op) {
    case RS_PROD: return MULTIPLIES;
    case RS_MIN: return KEEPS_SMALLER;
    case RS_MAX: return KEEPS_LARGER;
    default: return ADDS;
    }
}

static void say_done(rv_say *say, deed how, int src, const char *what, int dst) {
    rv_say_more(say,
                how == ADDS            ? _("GPU %d sends %s to GPU %d, which adds it")
                : how == MULTIPLIES    ? _("GPU %d sends %s to GPU %d, which multiplies it in")
                : how == KEEPS_SMALLER ? _("GPU %d sends %s to GPU %d, which keeps the smaller")
                : how == KEEPS_LARGER  ? _("GPU %d sends %s to GPU %d, which keeps the larger")
                : how == OVERWRITES ? _("GPU %d sends %s to GPU %d, which replaces its own with it")
                                    : _("GPU %d sends %s to GPU %d, which stores it"),
                src, what, dst);
}

static void say_send(rv_say *say, const rv_model *model, const rs_transfer *t) {
    const int src = (int)t->src, dst = (int)t->dst;
    char what[WHAT_BYTES];
    say_what(model, t, what);
    if (model->moment == RV_SEND) {
        rv_say_more(say, _("GPU %d sends %s to GPU %d"), src, what, dst);
    } else if (model->moment == RV_DONE) {
        say_done(say, deed_of(model, t), src, what, dst);
    } else {
        rv_say_more(say,
                    t->effect == RS_REDUCE
                        ? _("GPU %d has sent %s to GPU %d, which adds it next")
                        : _("GPU %d has sent %s to GPU %d, which stores it next"),
                    src, what, dst);
    }
}

/* Says the same of a transfer for a GPU that only receives. */
static void say_receive(rv_say *say, const rv_model *model, const rs_transfer *t) {
    const deed how = deed_of(model, t);
    char what[WHAT_BYTES];
    if (model->moment == RV_ARRIVE) {
        say_send(say, model, t);
        return;
    }
    say_what(model, t, what);
    rv_say_more(say,
                model->moment == RV_SEND ? _("GPU %d receives %s from GPU %d")
                : how == ADDS            ? _("GPU %d receives %s from GPU %d and adds it")
                : how == MULTIPLIES      ? _("GPU %d receives %s from GPU %d and multiplies it in")
                : how == KEEPS_SMALLER   ? _("GPU %d receives %s from GPU %d and keeps the smaller")
                : how == KEEPS_LARGER    ? _("GPU %d receives %s from GPU %d and keeps the larger")
                : how == OVERWRITES
                    ? _("GPU %d receives %s from GPU %d and replaces its own with it")
                    : _("GPU %d receives %s from GPU %d and stores it"),
                (int)t->dst, what, (int)t->src);
}

/* Says where in the run a step lies: "Scatter-reduce, iteration 2 of 4"; or that it is never reached. */
static void say_place(rv_say *say, const rv_model *model) {
    int32_t iteration, of;
    char stalled[WHAT_BYTES];
    const rs_phase phase = rs_phase_at(model->schedule, model->step, &iteration, &of);
    if (rv_stalled_text(model, stalled, sizeof stalled) > 0) {
        rv_say_more(say, "%s", stalled);
    } else if (phase == RS_PHASE_NONE) {
        rv_say_more(say, _("Step %d of 0..%d"), (int)model->step, (int)model->n_steps - 1);
    } else if (of == 1) {
        rv_say_more(say, "%s", rv_phase_title(phase));
    } else {
        rv_say_more(say, _("%s, iteration %d of %d"), rv_phase_title(phase), (int)iteration + 1,
                    (int)of);
    }
    rv_say_more(say, "%s", _(": "));
}

static bool stalls_here(const rv_model *model, int32_t rank) {
    return rv_stalled_step(&model->report->outcome, rank) == model->step;
}

/* Returns the first of n transfers of the model's step that really happened; NULL: none did. */
static const rs_transfer *first_real(const rv_model *model, const rs_transfer list[], int n) {
    for (int i = 0; i < n; i++) {
        if (rv_happened(model, model->step, &list[i])) return &list[i];
    }
    return NULL;
}

enum { FEW = 64 }; /* if a rank may send more in a step, the sentence names no transfer */

static void say_step(rv_say *say, const rv_model *model, int32_t rank) {
    const rs_schedule *schedule = model->schedule;
    rs_transfer sent[FEW], received[FEW];
    const bool small = schedule->max_sends <= FEW;
    const int n_sent = small ? schedule->sends(schedule, model->step, rank, sent) : 0;
    const int n_received = small ? schedule->recvs(schedule, model->step, rank, received) : 0;
    const rs_transfer *out = first_real(model, sent, n_sent);
    const rs_transfer *in = first_real(model, received, n_received);
    char why[WHY_BYTES];
    rv_stall_text(&model->report->outcome, rank, why, sizeof why);
    if (out != NULL) {
        say_send(say, model, out);
        if (n_sent > 1) rv_say_more(say, _(" (and %d more)"), n_sent - 1);
        if (stalls_here(model, rank)) rv_say_more(say, "%s%s", _("; "), why);
        rv_say_wait(say, model, rank);
    } else if (in != NULL) {
        say_receive(say, model, in);
        if (n_received > 1) rv_say_more(say, _(" (and %d more)"), n_received - 1);
        rv_say_wait(say, model, rank);
    } else if (!small) {
        rv_say_more(say, _("GPU %d has more messages than fit here"), (int)rank);
    } else if (n_sent + n_received > 0 || stalls_here(model, rank)) {
        rv_say_more(say, "%s", why[0] != '\0' ? why : _("this does not happen any more"));
    } else if (schedule->source != NULL && schedule->source->why != NULL &&
               schedule->source->wrong_step == model->step) {
        rv_say_more(say, _("GPU %d: here the answers end"), (int)rank);
    } else {
        rv_say_more(say, _("GPU %d has nothing to send or to receive"), (int)rank);
    }
}

/* What is said first and last, where it is no all-reduce. */
static const char *const starts[RS_N_COLLECTIVES] = {
    [RS_COLL_REDUCE_SCATTER] =
        N_("Start: every GPU holds an array of its own; shard r of the sum is to be GPU r's"),
    [RS_COLL_ALL_GATHER] = N_("Start: GPU r holds shard r; all are to hold all of them"),
    [RS_COLL_BROADCAST] = N_("Start: only the root holds the array; all are to hold it"),
    [RS_COLL_REDUCE] =
        N_("Start: every GPU holds an array of its own; the root is to hold their sum"),
    [RS_COLL_ALL_TO_ALL] =
        N_("Start: every GPU holds a piece for each GPU; chunk s x N + d goes from GPU s to GPU d"),
};
static const char *const ends[RS_N_COLLECTIVES] = {
    [RS_COLL_REDUCE_SCATTER] = N_("Done: every GPU holds its shard of the result"),
    [RS_COLL_ALL_GATHER] = N_("Done: every GPU holds every GPU's shard"),
    [RS_COLL_BROADCAST] = N_("Done: every GPU holds the root's data"),
    [RS_COLL_REDUCE] = N_("Done: the root holds the result"),
    [RS_COLL_ALL_TO_ALL] = N_("Done: every GPU holds what each GPU had for it"),
};

static void say_start(rv_say *say, const rv_model *model) {
    const rs_request *request = &model->report->request;
    if (model->n_steps == 0) {
        rv_say_more(say, "%s", _("Nothing to do: the result is there from the start"));
        return;
    }
    if (model->schedule->collective != RS_COLL_ALL_REDUCE) {
        rv_say_more(say, "%s", _(starts[model->schedule->collective]));
    } else {
        rv_say_goal(say, model);
    }
    if (!model->values) return;
    if (request->input != NULL) {
        rv_say_more(say, "%s", _(". The data come from a file"));
    } else if (request->data == RS_DATA_INDEX) {
        rv_say_more(say, "%s", _(". The elements are numbered through, GPU after GPU"));
    }
    if (model->wraps) {
        rv_say_more(say, _("; results too large for %s wrap round"), rs_dtype_name(request->dtype));
    }
}

/* Lists the ranks that end with a wrong result: " 3", " 0 2..4"; a long list ends with "...". */
static void list_wrong(const rs_report *report, char out[WHO_BYTES]) {
    const int32_t n = report->request.job.schedule->n_ranks;
    rv_say say = rv_say_to(out, WHO_BYTES);
    for (int32_t r = 0; r < n; r++) {
        if (!report->wrong[r]) continue;
        int32_t last = r;
        while (last + 1 < n && report->wrong[last + 1]) last++;
        if (say.used > WHO_BYTES - 32) {
            rv_say_more(&say, " ...");
            return;
        }
        if (last - r < 2) last = r;
        rv_say_more(&say, last > r ? " %d..%d" : " %d", (int)r, (int)last);
        r = last;
    }
}

/* Says why this GPU did not finish. If it waits for nobody (it has finished, or died), says also
   why the first GPU that waits does not go on. */
static void say_stalled(rv_say *say, const rv_model *model, int32_t rank) {
    const rs_outcome *outcome = &model->report->outcome;
    char text[WHY_BYTES];
    rv_stall_text(outcome, rank, text, sizeof text);
    rv_say_more(say, _("The run does not complete: %s"), text);
    if (rv_stalled_step(outcome, rank) >= 0 || outcome->n_stalled == 0) return;
    rv_stall_text(outcome, outcome->stalled[0].rank, text, sizeof text);
    rv_say_more(say, "%s%s", _("; "), text);
}

static void say_wrong(rv_say *say, const rv_model *model) {
    const rs_report *report = model->report;
    char text[WHY_BYTES];
    const bool unsound = report->judged && !report->verdict.sound;
    if (unsound) {
        const rs_source *source = model->schedule->source;
        if (source != NULL && source->why != NULL)
            snprintf(text, sizeof text, "%.*s", (int)sizeof text - 1, source->why);
        else
            rv_verdict_text(&report->verdict, text, sizeof text);
        if (model->schedule->collective == RS_COLL_ALL_REDUCE)
            rv_say_more(say, _("Not an all-reduce. %s"), text);
        else
            rv_say_more(say, _("This is no %s. %s"),
                        rv_collective_word(model->schedule->collective), text);
    }
    if (!rv_result_is_wrong(report)) return;
    char who[WHO_BYTES];
    list_wrong(report, who);
    rv_say_more(say,
                unsound ? _(". Wrong at the end: GPU%s") : _("Done, but wrong at the end: GPU%s"),
                who);
}

/* Says that all went well, as far as the run was checked. */
static void say_done_well(rv_say *say, const rv_model *model) {
    const rs_report *report = model->report;
    if (!report->judged && !report->computed) {
        rv_say_more(say, "%s",
                    _("Done; neither values nor schedule were checked (--check always)"));
    } else if (!report->computed && model->first_flip < INT32_MAX) {
        rv_say_more(say, "%s", _("Done; what the flipped bit spoils was not followed (--values)"));
    } else if (model->schedule->collective != RS_COLL_ALL_REDUCE) {
        rv_say_more(say, "%s", _(ends[model->schedule->collective]));
        return;
    } else if (!report->judged) {
        rv_say_more(say, "%s", _("Done: every GPU holds the right result"));
    } else if (report->computed && report->request.op == RS_AVG) {
        rv_say_more(say, _("Done: each GPU has divided by %d, and all hold the same average"),
                    (int)model->n_ranks);
    } else {
        rv_say_more(
            say, "%s",
            _("Done: every GPU holds the same result, each contribution inside exactly once"));
    }
    if (!rv_is_wasteful(model, model->own.most_bytes)) return;
    char ratio[32];
    rv_format_ratio(model->own.most_bytes, model->bound_bytes, ratio, sizeof ratio);
    rv_say_more(say, _("; but GPU %d has sent %s times the bytes that it takes"),
                (int)model->own.busiest, ratio);
}

/* Says whose a step is that a learner's functions were not asked about; at the end, whose some were. */
static void say_owner(rv_say *say, const rv_model *model) {
    const rs_source *source = model->schedule->source;
    if (source == NULL || source->text[0] == '\0' || model->step < source->n_steps ||
        source->n_steps >= model->n_steps)
        return;
    rv_say_more(say, "%s",
                model->step == source->n_steps
                    ? _("Here your part ends; this all-gather is ringsim's own. ")
                : model->step < model->n_steps
                    ? _("ringsim's own. ")
                    : _("Your part is the scatter-reduce; the all-gather is ringsim's own. "));
}

static void say_end(rv_say *say, const rv_model *model, int32_t rank) {
    const rs_report *report = model->report;
    if (!report->outcome.completed) {
        say_stalled(say, model, rank);
    } else if ((report->judged && !report->verdict.sound) || rv_result_is_wrong(report)) {
        say_wrong(say, model);
    } else {
        say_owner(say, model);
        say_done_well(say, model);
    }
}

size_t rv_caption(const rv_model *model, int32_t rank, char *out, size_t n_out) {
    rv_say say = rv_say_to(out, n_out);
    if (model->step < 0) {
        say_start(&say, model);
    } else if (model->step >= model->n_steps) {
        say_end(&say, model, rank);
    } else if (model->moment == RV_BETWEEN) {
        return rv_pause_text(model, out, n_out);
    } else {
        say_owner(&say, model);
        say_place(&say, model);
        say_step(&say, model, rank);
    }
    rv_name_ranks(model, out, n_out);
    return strlen(out);
}
