/* page_link.c: what the stage shows now, as options of the command line: a link to exactly this moment.
 *
 *   - What was typed stays, but for what these options say anew; page.js puts the two together.
 *   - The chunk that was clicked, and what the diagram is zoomed to, have no option.
 */
#include "lesson/course.h"
#include "model/tempo.h"
#include "stage/panel.h"
#include "text/say.h"
#include "web/page.h"

/* In the largest unit that needs no point. */
static void say_time(rv_say *say, const char *option, int64_t time_ps) {
    static const char *const units[] = {"ps", "ns", "us", "ms", "s"};
    int i = 0;
    for (; i < 4 && time_ps % 1000 == 0; i++) time_ps /= 1000;
    rv_say_more(say, "%s%lld%s", option, (long long)time_ps, units[i]);
}

static void say_fault(rv_say *say, const rs_fault *fault) {
    static const char *const names[] = {"slow-link", "late",        "straggler", "kill",
                                        "flip",      "slow-reduce", "down"};
    const double factor =
        fault->factor_den > 0 ? (double)fault->factor_num / (double)fault->factor_den : 1;
    rv_say_more(say, " --%s %d", names[fault->kind], (int)fault->rank);
    switch (fault->kind) {
    case RS_SLOW_LINK:
    case RS_SLOW_REDUCE: rv_say_more(say, ":%.9g", factor); break;
    case RS_LATE:
    case RS_STRAGGLER: say_time(say, ":", fault->time_ps); break;
    case RS_KILL:
    case RS_FLIP: rv_say_more(say, "@%d", (int)fault->step); break;
    case RS_DOWN:
        rv_say_more(say, "@%d", (int)fault->step);
        say_time(say, ":", fault->time_ps);
        break;
    }
}

static void say_link_fault(rv_say *say, const rv_setup *setup, const rv_link_fault *fault) {
    const char *a = setup->machine->names[fault->a], *b = setup->machine->names[fault->b];
    if (fault->cut) {
        rv_say_more(say, " --cut %s:%s", a, b);
    } else {
        rv_say_more(say, " --slow-link %s:%s:%.9g", a, b, (double)fault->num / (double)fault->den);
    }
}

/* Says which numbers are others than in `begun`, and all that has gone wrong. */
static void say_setup(rv_say *say, const rv_setup *begun, const rv_setup *setup) {
    if (setup->n_ranks != begun->n_ranks) rv_say_more(say, " --gpus %d", (int)setup->n_ranks);
    if (setup->count != begun->count) {
        rv_say_more(say, " --count %lld", (long long)setup->count);
    }
    if (setup->link.alpha_ps != begun->link.alpha_ps) {
        say_time(say, " --alpha ", setup->link.alpha_ps);
    }
    if (setup->link.bandwidth_Bps != begun->link.bandwidth_Bps) {
        rv_say_more(say, " --bandwidth %lld", (long long)setup->link.bandwidth_Bps);
    }
    for (int32_t i = 0; i < setup->n_faults; i++) say_fault(say, &setup->faults[i]);
    for (int32_t i = 0; i < setup->n_link_faults; i++)
        say_link_fault(say, setup, &setup->link_faults[i]);
}

/* Names the views beside the ring, or all of them. */
static void say_views(rv_say *say, const rv_stage *stage) {
    bool first = true;
    if (stage->views == RV_THE_RING && stage->other == NULL &&
        rv_position_of(&stage->playback).step < 0) {
        rv_say_more(say, " --show %s", rv_view_word(0)); /* else the path would open */
    }
    for (int i = 0; rv_view_word(i) != NULL; i++) {
        if (i == 0 || (stage->views & 1u << i) == 0) continue; /* the ring is always open */
        rv_say_more(say, "%s%s", first ? " --show " : ",", rv_view_word(i));
        first = false;
    }
}

/* Names where the motion leads, if there is one. */
static void say_place(rv_say *say, const rv_stage *stage) {
    const rv_subject *subject = &stage->playback.subject;
    const bool lands = stage->landing != RV_NO_LANDING;
    const int32_t step = lands ? stage->landing : rv_position_of(&stage->playback).step;
    const double goal = lands ? 1 : stage->goal;
    if (step < 0) {
        rv_say_more(say, " --step");
        return;
    }
    rv_say_more(say, " --at %d", (int)step);
    if (!rv_has_model(subject) || step >= subject->n_steps || goal >= 1) return;
    rv_say_more(say, " --moment %s",
                goal <= RV_LIFT     ? "send"
                : goal < RV_ARRIVAL ? "underway"
                                    : "arrive");
}

size_t rv_page_link(const rv_stage *stage, const rv_setup *begun, bool *runs_anew, char *out,
                    size_t n_out) {
    rv_say say = rv_say_to(out, n_out);
    const bool is_run = stage->course == NULL && rv_has_model(&stage->playback.subject);
    out[0] = '\0';
    *runs_anew = is_run && stage->what_if->version > 0;
    if (*runs_anew) say_setup(&say, begun, &stage->what_if->setup);
    if (stage->course != NULL) {
        const rv_reading *reading = &stage->course->reading;
        const bool waits = reading->aim > 0 && rv_is_open(reading, reading->at);
        rv_say_more(&say, " lesson %d --at %d", reading->lesson->number,
                    waits ? reading->aim : reading->at);
    } else {
        say_place(&say, stage);
    }
    if (is_run) say_views(&say, stage);
    if (stage->course == NULL && stage->playback.rank > 0) {
        rv_say_more(&say, " --follow %d", (int)stage->playback.rank);
    }
    if (stage->course == NULL && stage->playback.speed != 1) {
        rv_say_more(&say, " --speed %.9g", stage->playback.speed);
    }
    if (is_run && stage->pairing == &rv_forked) {
        rv_say_more(&say, " --before \"");
        say_setup(&say, &stage->what_if->setup, &stage->other->setup);
        rv_say_more(&say, "\"");
    }
    if (is_run && stage->pairing == &rv_raced && stage->other->setup.algorithm != NULL) {
        rv_say_more(&say, " --compare %s", stage->other->setup.algorithm->name);
    }
    if (is_run && stage->playback.predict) rv_say_more(&say, " --predict");
    if (!stage->desktop_theme) rv_say_more(&say, " --theme %s", stage->dark ? "dark" : "light");
    rv_say_more(&say, " --lang %s", rv_language());
    return say.used;
}
