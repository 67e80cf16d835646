/* sight.c: a run at its moment, as the parts of the picture look at it; two of them where there are two. */
#include "stage/stage.h"

#include <assert.h>

/* Gives both sights the common time, and each its title. */
static void pair(const rv_stage *stage, rv_sight both[2]) {
    both[0].now_ps = stage->now_ps;
    both[0].title = stage->pairing->name(stage, both[0].model);
    both[1] = (rv_sight){.what_if = stage->other,
                         .model = stage->other->model,
                         .progress = stage->other_progress,
                         .now_ps = stage->now_ps,
                         .title = stage->pairing->name(stage, stage->other->model),
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
