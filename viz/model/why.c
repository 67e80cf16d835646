/* why.c: why a run goes wrong, in words: a schedule's verdict, the faults that strike, and who waits
 * for whom.
 *
 *     GPU 0 waits in step 3 for GPU 4; GPU 4 waits in step 2 for GPU 3, which died before step 2
 *     \___________ a link ___________/ \__________________ the last one, the cause _____________/
 *
 * A rank waits for a peer that is dead, or that itself is stuck in an earlier step: so every chain
 * leads down to a death. Long chains keep their first link and their last.
 */
#include "model/model.h"
#include "text/say.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINKS_TOLD = 3, /* of a longer chain only the first link and the last are said */
    TROUBLE_BYTES = 400
};

bool rv_is_placed(const rv_model *model) {
    return model->report->request.job.net.machine != NULL;
}

void rv_rank_name(const rv_model *model, int32_t rank, char out[RV_RANK_NAME]) {
    snprintf(out, RV_RANK_NAME, rv_is_placed(model) ? _("rank %d") : "GPU %d", (int)rank);
}

void rv_name_ranks(const rv_model *model, char *text, size_t n_text) {
    char name[RV_RANK_NAME], rest[1024];
    if (model == NULL || !rv_is_placed(model)) return;
    for (char *at = text; (at = strstr(at, "GPU ")) != NULL; at++) {
        char *end;
        const long rank = strtol(at + 4, &end, 10);
        if (end == at + 4) continue;
        rv_rank_name(model, (int32_t)rank, name);
        const bool cjk = at > text + 1 && at[-1] == ' ' && (name[0] & at[-2] & 0x80) != 0;
        if (cjk) at--; /* a space stood between Chinese and Latin only */
        snprintf(rest, sizeof rest, "%s", end);
        rv_say_text(at, n_text - (size_t)(at - text), "%s%s", name, rest);
    }
}

/* ---------------------------------------------------------------------------------------- verdicts */

/* Says what a transfer did wrong, without the step. */
static void say_mistake(rv_say *say, const rs_verdict *v) {
    const int rank = (int)v->rank, chunk = (int)v->chunk, who = (int)v->who;
    switch (v->fault) {
    case RS_COUNTED_TWICE:
        rv_say_more(say, _("GPU %d adds GPU %d's contribution to chunk %d a second time"), rank,
                    who, chunk);
        break;
    case RS_OVERWRITTEN_TOO_EARLY:
        rv_say_more(say,
                    _("GPU %d's chunk %d is overwritten too early; GPU %d's contribution is lost"),
                    rank, chunk, who);
        break;
    case RS_WRONG:
    case RS_ADDED_TO_NOTHING:
        rv_say_more(
            say,
            v->fault == RS_WRONG
                ? _("GPU %d's chunk %d gets a copy and another message at once")
                : _("GPU %d adds to chunk %d where there is nothing to add: it only travels"),
            rank, chunk);
        break;
    case RS_SOUND:
    case RS_UNFINISHED: break;
    }
}

static void say_unfinished(rv_say *say, const rs_verdict *v) {
    assert(v->who >= 0); /* an unfinished cell lacks somebody's contribution */
    rv_say_more(say, _("Unfinished: at the end GPU %d's chunk %d lacks GPU %d's contribution"),
                (int)v->rank, (int)v->chunk, (int)v->who);
    if (v->step >= 0) rv_say_more(say, _(" (last touched in step %d)"), (int)v->step);
}

static const char *const sound[RS_N_COLLECTIVES] = {
    N_("sound: at the end every GPU holds every contribution exactly once"),
    N_("sound: at the end every GPU's shard holds every contribution exactly once"),
    N_("sound: at the end every GPU holds every GPU's shard"),
    N_("sound: at the end every GPU holds the root's data"),
    N_("sound: at the end the root holds every contribution exactly once"),
    N_("sound: at the end every GPU holds what each GPU had for it"),
};

size_t rv_verdict_text(const rs_verdict *v, char *out, size_t n_out) {
    rv_say say = rv_say_to(out, n_out);
    if (v->fault == RS_SOUND) {
        rv_say_more(&say, "%s", _(sound[v->collective]));
    } else if (v->fault == RS_UNFINISHED) {
        say_unfinished(&say, v);
    } else {
        rv_say_more(&say, _("Step %d: "), (int)v->step);
        say_mistake(&say, v);
    }
    return say.used;
}

bool rv_result_is_wrong(const rs_report *report) {
    const int32_t n = report->request.job.schedule->n_ranks;
    for (int32_t r = 0; report->computed && r < n; r++) {
        if (report->wrong[r]) return true;
    }
    return false;
}

const char *rv_judgement(const rs_report *report, int *mark) {
    const rs_job *job = &report->request.job;
    bool unsure = false; /* a flipped bit is not followed */
    for (int32_t i = 0; i < job->n_faults && !report->computed; i++) {
        unsure = unsure || job->faults[i].kind == RS_FLIP;
    }
    *mark = -1;
    if (!report->outcome.completed) return _("stalls");
    if (report->judged && !report->verdict.sound) return _("plan wrong");
    if (rv_result_is_wrong(report))
        return report->judged ? _("plan right, result wrong") : _("result wrong");
    *mark = report->judged && !unsure;
    return !report->judged ? "" : unsure ? _("plan right, result not known") : _("checked");
}

/* ------------------------------------------------------------------------------- trouble in a step */

bool rv_troubled(const rv_model *model) {
    const rs_report *report = model->report;
    return report->request.job.n_faults > 0 || (report->judged && !report->verdict.sound);
}

/* Begins another part of an enumeration. */
static void say_next(rv_say *say) {
    if (say->used > 0) rv_say_more(say, "%s", _("; "));
}

void rv_say_fault(rv_say *say, const rs_fault *fault) {
    const int rank = (int)fault->rank, step = (int)fault->step;
    char time[32], factor[32];
    rv_format_time(fault->time_ps, time, sizeof time);
    rv_format_ratio((int64_t)fault->factor_num, (int64_t)fault->factor_den, factor, sizeof factor);
    switch (fault->kind) {
    case RS_SLOW_LINK:
        rv_say_more(say, _("GPU %d's links are %s times slower"), rank, factor);
        break;
    case RS_LATE: rv_say_more(say, _("GPU %d starts %s late"), rank, time); break;
    case RS_STRAGGLER:
        rv_say_more(say, _("GPU %d needs %s more before each step"), rank, time);
        break;
    case RS_KILL: rv_say_more(say, _("GPU %d dies before step %d"), rank, step); break;
    case RS_FLIP:
        rv_say_more(say, _("a bit flips in what GPU %d sends in step %d"), rank, step);
        break;
    case RS_SLOW_REDUCE: rv_say_more(say, _("GPU %d adds %s times slower"), rank, factor); break;
    case RS_DOWN:
        rv_say_more(say, _("GPU %d's link is down for %s before step %d"), rank, time, step);
        break;
    }
}

/* Says the fault if it strikes in the model's step. */
static void say_striking(rv_say *say, const rv_model *model, const rs_fault *fault) {
    const int rank = (int)fault->rank;
    const bool strikes = fault->kind == RS_KILL || fault->kind == RS_FLIP || fault->kind == RS_DOWN;
    char time[32];
    if (fault->step != model->step || !strikes) return;
    say_next(say);
    if (fault->kind == RS_DOWN) {
        rv_format_time(fault->time_ps, time, sizeof time);
        rv_say_more(say, _("GPU %d's link has been down for %s"), rank, time);
    } else {
        rv_say_more(say,
                    fault->kind == RS_KILL ? _("GPU %d has died")
                                           : _("a bit flips on its way from GPU %d"),
                    rank);
    }
}

size_t rv_trouble_text(const rv_model *model, char *out, size_t n_out) {
    const rs_report *report = model->report;
    const rs_job *job = &report->request.job;
    char trouble[TROUBLE_BYTES];
    rv_say say = rv_say_to(trouble, sizeof trouble);
    out[0] = '\0';
    if (model->step >= model->n_steps) return 0;
    for (int32_t i = 0; i < job->n_faults; i++) {
        if (model->step >= 0) {
            say_striking(&say, model, &job->faults[i]);
        } else {
            say_next(&say);
            rv_say_fault(&say, &job->faults[i]);
        }
    }
    const rs_verdict *v = &report->verdict;
    const rs_source *source = model->schedule->source;
    if (source != NULL && source->why != NULL) {
        if (model->step == source->wrong_step) {
            say_next(&say);
            rv_say_more(&say, "%s", source->why);
        }
    } else if (report->judged && model->step >= 0 && v->step == model->step && !v->sound &&
               v->fault != RS_UNFINISHED) {
        say_next(&say);
        say_mistake(&say, v);
    }
    if (say.used > 0) {
        rv_say_text(out, n_out,
                    model->step < 0 ? _("With faults: %s") : _("Here it goes wrong: %s"), trouble);
    }
    rv_name_ranks(model, out, n_out);
    return strlen(out);
}

/* ------------------------------------------------------------------------------------------ stalls */

/* Finds the wait of a rank; NULL: it does not wait. stalled[] is sorted by rank. */
static const rs_wait *wait_of(const rs_outcome *outcome, int32_t rank) {
    int32_t low = 0, high = outcome->n_stalled;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (outcome->stalled[middle].rank == rank) return &outcome->stalled[middle];
        if (outcome->stalled[middle].rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

int32_t rv_stalled_step(const rs_outcome *outcome, int32_t rank) {
    const rs_wait *wait = wait_of(outcome, rank);
    return wait != NULL ? wait->step : -1;
}

/* Tells whether a rank is dead: it neither finished nor waits. */
static bool is_dead(const rs_outcome *outcome, int32_t rank) {
    return outcome->finish_ps[rank] < 0 && wait_of(outcome, rank) == NULL;
}

/* Returns the peer that leads to the cause: a dead one, else the one stuck in the earliest step. */
static int32_t cause_of(const rs_outcome *outcome, const rs_wait *wait) {
    int32_t best = wait->waits_for[0];
    for (int32_t i = 0; i < wait->n_waits_for; i++) {
        const int32_t peer = wait->waits_for[i];
        if (is_dead(outcome, peer)) return peer;
        const int32_t step = rv_stalled_step(outcome, peer);
        if (step >= 0 && step < rv_stalled_step(outcome, best)) best = peer;
    }
    return best;
}

/* Returns the next link of the chain; NULL: this was the last. Each link's step is lower than the
   one before, so the chain ends. */
static const rs_wait *next_link(const rs_outcome *outcome, const rs_wait *wait) {
    const rs_wait *next = wait_of(outcome, cause_of(outcome, wait));
    return next != NULL && next->step < wait->step ? next : NULL;
}

static void say_link(rv_say *say, const rs_outcome *outcome, const rs_wait *wait) {
    const int rank = (int)wait->rank, step = (int)wait->step;
    const int32_t peer = cause_of(outcome, wait);
    if (!is_dead(outcome, peer)) {
        rv_say_more(say, _("GPU %d waits in step %d for GPU %d"), rank, step, (int)peer);
    } else if (outcome->entered[peer] == 0) {
        rv_say_more(say, _("GPU %d waits in step %d for GPU %d, which never joined"), rank, step,
                    (int)peer);
    } else {
        rv_say_more(say, _("GPU %d waits in step %d for GPU %d, which died before step %d"), rank,
                    step, (int)peer, (int)outcome->entered[peer]);
    }
}

static void say_chain(rv_say *say, const rs_outcome *outcome, const rs_wait *first) {
    int n_links = 1, at = 0;
    for (const rs_wait *w = next_link(outcome, first); w != NULL; w = next_link(outcome, w)) {
        n_links++;
    }
    for (const rs_wait *w = first; w != NULL; w = next_link(outcome, w), at++) {
        const bool all = n_links <= LINKS_TOLD;
        if (!all && at == 1) {
            rv_say_more(say, "%s", _("; "));
            rv_say_more(say, _("so it goes on through %d more"), n_links - 2);
        }
        if (!all && at > 0 && at < n_links - 1) continue;
        if (at > 0) rv_say_more(say, "%s", _("; "));
        say_link(say, outcome, w);
    }
}

size_t rv_stall_text(const rs_outcome *outcome, int32_t rank, char *out, size_t n_out) {
    rv_say say = rv_say_to(out, n_out);
    if (outcome->completed) return 0;
    const rs_wait *wait = wait_of(outcome, rank);
    if (wait != NULL) {
        say_chain(&say, outcome, wait);
    } else if (outcome->finish_ps[rank] >= 0) {
        rv_say_more(&say, _("GPU %d has finished, others have not"), (int)rank);
    } else if (outcome->entered[rank] == 0) {
        rv_say_more(&say, _("GPU %d never joined"), (int)rank);
    } else {
        rv_say_more(&say, _("GPU %d died before step %d"), (int)rank, (int)outcome->entered[rank]);
    }
    return say.used;
}

size_t rv_stalled_text(const rv_model *model, char *out, size_t n_out) {
    const rs_outcome *outcome = &model->report->outcome;
    char time[32];
    out[0] = '\0';
    if (outcome->completed || model->step < rv_still_from(model)) return 0;
    if (outcome->makespan_ps == 0)
        return rv_say_text(out, n_out, "%s", _("Stalled from the start"));
    rv_format_time(outcome->makespan_ps, time, sizeof time);
    return rv_say_text(out, n_out, _("Stalled after %s"), time);
}

bool rv_is_dead(const rv_model *model, int32_t rank) {
    const rs_job *job = &model->report->request.job;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind != RS_KILL || fault->rank != rank) continue;
        if (model->step >= fault->step) return true;
    }
    return false;
}
