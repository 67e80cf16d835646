/* stage_title.c: the whole state in one line: the window's title, and what tests read.
 *
 *     lesson 5, page 2 of 6 - ...     only in a lesson; and then
 *     ring, 5 GPUs - step 3 of 0..7, arrive, GPU 2 - asking, 2 of 3 right, 1 fault
 *     \__ what __/   \______ where ______/  \followed \____ what else holds ____/
 */
#include "lesson/course.h"
#include "text/say.h"
#include "stage/stage.h"

#include <string.h>

static void say_where(rv_say *say, const rv_playback *playback) {
    static const char *const moments[] = {N_("send"), N_("arrive"), N_("done"),
                                          N_("between the phases")};
    const rv_position at = rv_position_of(playback);
    const int32_t n_steps = playback->subject.n_steps;
    if (at.step < 0) {
        rv_say_more(say, "%s", _("start"));
    } else if (at.step >= n_steps) {
        rv_say_more(say, "%s", _("end"));
    } else {
        rv_say_more(say, _("step %d of 0..%d, %s"), (int)at.step, (int)n_steps - 1,
                    _(moments[at.moment]));
    }
}

/* Begins another part of the list; a dash comes before the first. */
static void say_next(rv_say *say, bool *first) {
    rv_say_more(say, "%s", *first ? " - " : _(", "));
    *first = false;
}

static const char *mode_of(const rv_stage *stage) {
    switch (stage->playback.mode) {
    case RV_ASKING: return _("asking");
    case RV_TYPING: return _("typing");
    case RV_READING_HELP: return _("help");
    case RV_LOOKING: break;
    }
    return stage->playback.playing ? _("playing") : NULL;
}

static void say_rest(rv_say *say, const rv_stage *stage) {
    const rv_playback *playback = &stage->playback;
    const int n_faults = (int)stage->what_if->setup.n_faults;
    const rv_subject_kind *kind = playback->subject.kind;
    const char *origin = kind->origin != NULL ? kind->origin(&playback->subject) : NULL;
    bool first = true;
    if (mode_of(stage) != NULL) {
        say_next(say, &first);
        rv_say_more(say, "%s", mode_of(stage));
        if (playback->mode == RV_TYPING) rv_say_more(say, " %s", playback->typed);
    }
    if (playback->n_asked > 0) {
        say_next(say, &first);
        rv_say_more(say, _("%d of %d right"), (int)playback->n_right, (int)playback->n_asked);
    }
    if (origin != NULL) {
        say_next(say, &first);
        rv_say_more(say, "%s", origin);
    }
    int mark;
    const rs_report *report = playback->subject.report;
    const char *judgement = report != NULL ? rv_judgement(report, &mark) : "";
    if (judgement[0] != '\0' && mark <= 0) {
        say_next(say, &first);
        rv_say_more(say, "%s", judgement);
    }
    if (n_faults > 0) {
        say_next(say, &first);
        rv_say_more(say, n_faults == 1 ? _("%d fault") : _("%d faults"), n_faults);
    }
    if (stage->menu.thing == RV_GPU) {
        say_next(say, &first);
        rv_say_more(say, _("menu of GPU %d"), (int)stage->menu.a);
    }
    if (stage->pairing->say != NULL) {
        say_next(say, &first);
        stage->pairing->say(stage, say);
    }
}

/* Says "lesson 5, page 2 of 6" first; where the text stands alone, nothing follows. */
static void say_lesson(rv_say *say, const rv_stage *stage) {
    const rv_reading *reading = &stage->course->reading;
    char name[64];
    const bool open = rv_is_open(reading, reading->at);
    const int choice = open ? reading->chosen : rv_choice_of(reading, reading->at);
    rv_name_stop(reading->lesson, reading->at, name, sizeof name);
    rv_say_more(say, _("lesson %d, %s"), reading->lesson->number, name);
    if (stage->n_screens > 1) rv_say_more(say, " (%d/%d)", stage->screen + 1, stage->n_screens);
    if (choice >= 0) rv_say_more(say, _(", %c chosen"), 'a' + choice);
    if (rv_lesson_veils(stage) && stage->playback.mode == RV_READING_HELP)
        rv_say_more(say, "%s%s", _(", "), _("help"));
}

size_t rv_stage_title(const rv_stage *stage, char *out, size_t n_out) {
    const rv_subject *subject = &stage->playback.subject;
    char title[256];
    rv_say say = rv_say_to(out, n_out);
    if (stage->course != NULL) {
        say_lesson(&say, stage);
        if (stage->layout.title.w <= 0) return say.used;
        rv_say_more(&say, " - ");
    }
    subject->kind->title(subject, title, sizeof title);
    rv_say_more(&say, "%s - ", title);
    say_where(&say, &stage->playback);
    rv_say_more(&say, _(", GPU %d"), (int)stage->playback.rank);
    say_rest(&say, stage);
    rv_name_ranks(subject->model, out, n_out);
    return strlen(out);
}
