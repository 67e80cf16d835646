/* sight.c: a run at its moment, as the parts of the picture look at it; two of them where there are two. */
#include "stage/stage.h"
#include "text/words.h"

#include <assert.h>
#include <string.h>

/* Returns the word that tells one of two runs from the other. */
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

/* Gives both sights the common time, and each its title. */
static void pair(const rv_stage *stage, rv_sight both[2]) {
    const bool forked = stage->second == RV_FORKED;
    both[0].now_ps = stage->now_ps;
    both[0].title = forked ? _("now") : run_word(stage, both[0].model);
    both[1] = (rv_sight){.what_if = stage->other,
                         .model = stage->other->model,
                         .progress = stage->other_progress,
                         .now_ps = stage->now_ps,
                         .title = forked ? _("before") : run_word(stage, stage->other->model),
                         .second = true};
}

int rv_list_sights(const rv_stage *stage, rv_sight out[2]) {
    const rv_subject *subject = &stage->playback.subject;
    out[0] =
        (rv_sight){.what_if = stage->what_if,
                   .model = stage->what_if->model,
                   .progress = stage->progress,
                   .now_ps = subject->kind->now_ps(subject, stage->playback.rank, stage->progress),
                   .hidden = stage->playback.mode == RV_ASKING};
    if (stage->other == NULL) return 1;
    pair(stage, out);
    return 2;
}

rv_sight rv_main_sight(const rv_stage *stage) {
    rv_sight both[2];
    rv_list_sights(stage, both);
    return both[0];
}

rv_sight rv_other_sight(const rv_stage *stage) {
    rv_sight both[2];
    const int n = rv_list_sights(stage, both);
    assert(n == 2);
    return both[n - 1];
}
