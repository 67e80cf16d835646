/* cost_words.c: see cost_words.h. */
#include "model/cost_words.h"

#include <string.h>

size_t rv_split_text(const rs_time_split *split, char *out, size_t n_out) {
    char one[32], two[32];
    rv_say say = rv_say_to(out, n_out);
    rv_format_time(split->latency_ps, one, sizeof one);
    rv_format_time(split->wire_ps, two, sizeof two);
    rv_say_more(&say, _("latency %s + transfer %s"), one, two);
    if (split->adding_ps > 0) {
        rv_format_time(split->adding_ps, one, sizeof one);
        rv_say_more(&say, _(" + adding %s"), one);
    }
    if (split->waiting_ps > 0) {
        rv_format_time(split->waiting_ps, one, sizeof one);
        rv_say_more(&say, _(" + waiting %s"), one);
    }
    return say.used;
}

bool rv_races(const rv_model *model) {
    return model->step < 0 && model->rival.known && model->own.known;
}

/* Says "one reducer takes 4.98 times as long", or "about as long" where the ratio rounds to 1. */
static void say_ratio(rv_say *say, const rv_cost *slow, const rv_cost *fast) {
    char ratio[32];
    if (rv_format_ratio(slow->time_ps, fast->time_ps, ratio, sizeof ratio) == 1 && *ratio == '1') {
        rv_say_more(say, _("%s takes about as long"), rv_algorithm_said(slow->name));
    } else {
        rv_say_more(say, _("%s takes %s times as long"), rv_algorithm_said(slow->name), ratio);
    }
}

static void say_senders(rv_say *say, const rv_cost *slow, const rv_cost *fast, bool why) {
    char many[32], few[32];
    rv_format_bytes(slow->most_bytes, many, sizeof many);
    rv_format_bytes(fast->most_bytes, few, sizeof few);
    const bool collects = strcmp(slow->name, "naive") == 0 && strcmp(fast->name, "ring") == 0;
    if (collects && why) {
        rv_say_more(say,
                    _("; GPU %d receives %s and then sends %s, with %s each %s both ways at once"),
                    (int)slow->busiest, many, many, rv_algorithm_said(fast->name), few);
    } else if (fast->all_alike) {
        rv_say_more(say, _("; GPU %d sends %s, with %s each %s"), (int)slow->busiest, many,
                    rv_algorithm_said(fast->name), few);
    } else {
        rv_say_more(say, _("; GPU %d sends %s, with %s at most %s"), (int)slow->busiest, many,
                    rv_algorithm_said(fast->name), few);
    }
}

size_t rv_race_text(const rv_model *model, const rv_cost *rival, rv_race_words words, char *out,
                    size_t n_out) {
    const bool own_wins = model->own.time_ps <= rival->time_ps;
    const rv_cost *fast = own_wins ? &model->own : rival;
    const rv_cost *slow = own_wins ? rival : &model->own;
    rv_say say = rv_say_to(out, n_out);
    if (fast->time_ps <= 0) return 0;
    say_ratio(&say, slow, fast);
    const bool all_reduces = model->schedule->collective == RS_COLL_ALL_REDUCE;
    if (words > RV_RACE_TIMES) say_senders(&say, slow, fast, words == RV_RACE_WHY && all_reduces);
    rv_name_ranks(model, out, n_out);
    return strlen(out);
}

bool rv_say_too_little(rv_say *say, const rv_model *model) {
    char bytes[32];
    if (model->own.most_bytes >= model->bound_bytes) return false;
    /* who receives may need it */
    if (model->schedule->collective != RS_COLL_ALL_REDUCE) return false;
    rv_format_bytes(model->bound_bytes, bytes, sizeof bytes);
    rv_say_more(say, _("No GPU sends the %s that an all-reduce needs"), bytes);
    return true;
}

int32_t rv_named_sender(const rv_playback *playback) {
    const rv_model *model = playback->subject.model;
    int32_t most = playback->rank;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        if (model->sent_bytes[r] > model->sent_bytes[most]) most = r;
    }
    return rv_is_wasteful(model, model->sent_bytes[most]) ? most : playback->rank;
}

size_t rv_bytes_text(const rv_playback *playback, char *out, size_t n_out) {
    const rv_model *model = playback->subject.model;
    const int32_t rank = rv_named_sender(playback);
    const int64_t n_bytes = model->sent_bytes[rank];
    char sent[32], bound[32], share[32];
    rv_say say = rv_say_to(out, n_out);
    rv_format_bytes(n_bytes, sent, sizeof sent);
    rv_format_bytes(model->bound_bytes, bound, sizeof bound);
    if (model->bound_bytes == 0) {
        rv_say_more(&say, _("%s sent by GPU %d"), sent, (int)rank);
    } else if (rv_is_wasteful(model, n_bytes)) {
        rv_format_ratio(n_bytes, model->bound_bytes, share, sizeof share);
        rv_say_more(&say, _("%s sent by GPU %d: %s times the lower bound %s, too many"), sent,
                    (int)rank, share, bound);
    } else {
        rv_format_percent(n_bytes, model->bound_bytes, share, sizeof share);
        rv_say_more(&say, _("%s sent by GPU %d: %s of the lower bound %s"), sent, (int)rank, share,
                    bound);
    }
    rv_name_ranks(model, out, n_out);
    return strlen(out);
}

/* Says how near its machine's bound a finished run came, and which wire was busiest. */
static void say_machine(rv_say *say, const rs_report *report) {
    const rs_machine *machine = report->request.job.net.machine;
    const rs_outcome *outcome = &report->outcome;
    char percent[32];
    double share;
    rv_format_percent(report->lower_bound_ps, outcome->makespan_ps, percent, sizeof percent);
    rv_say_more(say, _("busbw %.3g GB/s: %s of the bound"), report->busbw_GBps, percent);
    const int32_t wire =
        rs_busiest_wire(&report->request.job, outcome->wires, outcome->makespan_ps, &share);
    if (wire < 0) return;
    const rs_machine_link *link = &machine->links[wire / 2];
    const bool forth = wire % 2 == 0;
    rv_format_percent((int64_t)(share * 1e6), 1000000, percent, sizeof percent);
    rv_say_more(say, _("; %s full: %s to %s"), percent, machine->names[forth ? link->a : link->b],
                machine->names[forth ? link->b : link->a]);
}

size_t rv_run_text(const rv_model *model, char *out, size_t n_out) {
    const rs_report *report = model->report;
    char bytes[32], time[32], bound[32];
    rv_say say = rv_say_to(out, n_out);
    if (!model->own.known || model->own.most_bytes == 0) return 0;
    const bool wrong =
        (report->judged && !report->verdict.sound) || (report->computed && !report->correct);
    if (model->step >= model->n_steps && wrong) {
        rv_say_more(&say, "%s", _("the result is wrong: it has no bandwidth"));
        return say.used;
    }
    if (model->step >= model->n_steps && report->has_rates) {
        if (report->outcome.wires != NULL) {
            say_machine(&say, report);
            return say.used;
        }
        rv_say_more(&say, _("algbw %.3g GB/s, busbw %.3g GB/s"), report->algbw_GBps,
                    report->busbw_GBps);
        return say.used;
    }
    if (rv_say_too_little(&say, model) || wrong) return say.used;
    rv_format_percent(model->bound_bytes, model->own.most_bytes, bytes, sizeof bytes);
    if (report->recording != NULL) {
        rv_say_more(&say, _("reaches the bound to %s in bytes"), bytes);
        return say.used;
    }
    rv_format_percent(report->lower_bound_ps, model->own.time_ps, time, sizeof time);
    rv_format_time(report->lower_bound_ps, bound, sizeof bound);
    rv_say_more(&say, _("reaches the bound to %s in bytes, to %s in time (%s)"), bytes, time,
                bound);
    return say.used;
}
