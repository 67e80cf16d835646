/* sight.c: a run at its moment, as the parts of the picture look at it; two of them where there are two. */
#include "stage/stage.h"
#include "text/words.h"

#include <string.h>

/* What tells one of two runs from the other. */
static const char *run_word(const rv_stage *stage, const rv_model *model) {
    const rv_model *main = stage->what_if->model, *other = stage->other->model;
    const rs_recording *a = main->report->recording, *b = other->report->recording;
    if (a != NULL && b != NULL && a->measured != b->measured) {
        return model->report->recording->measured ? _("measured") : _("simulated");
    }
    if (a != NULL && b != NULL && strcmp(main->schedule->name, other->schedule->name) == 0) {
        return model == main ? _("first") : _("second");
    }
    return rv_algorithm_word(model->schedule->name);
}

rv_sight rv_main_sight(const rv_stage *stage) {
    const rv_model *model = stage->what_if->model;
    const rv_subject *subject = &stage->playback.subject;
    return (rv_sight){
        .what_if = stage->what_if,
        .model = model,
        .progress = stage->progress,
        .now_ps = stage->other != NULL
                      ? stage->now_ps
                      : subject->kind->now_ps(subject, stage->playback.rank, stage->progress),
        .title = stage->other == NULL         ? NULL
                 : stage->second == RV_FORKED ? _("now")
                                              : run_word(stage, model),
        .hidden = stage->playback.mode == RV_ASKING};
}

rv_sight rv_other_sight(const rv_stage *stage) {
    return (rv_sight){.what_if = stage->other,
                      .model = stage->other->model,
                      .progress = stage->other_progress,
                      .now_ps = stage->now_ps,
                      .second = true,
                      .title = stage->second == RV_FORKED ? _("before")
                                                          : run_word(stage, stage->other->model)};
}

int rv_list_sights(const rv_stage *stage, rv_sight out[2]) {
    out[0] = rv_main_sight(stage);
    if (stage->other == NULL) return 1;
    out[1] = rv_other_sight(stage);
    return 2;
}
