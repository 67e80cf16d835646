/* panel.c: what follows from the table of panels: see panel.h. */
#include "stage/panel.h"
#include "stage/stage.h"

#include <assert.h>
#include <string.h>

const rv_panel *rv_view(int index) {
    assert(index >= 0 && index < RV_MOST_VIEWS);
    return rv_panels[index]->word != NULL ? rv_panels[index] : NULL;
}

const char *rv_view_word(int index) {
    return rv_panels[index]->word;
}

unsigned rv_view_bit(const char *word) {
    int index = 0;
    while (strcmp(rv_view_word(index), word) != 0) {
        index++;
        assert(rv_view_word(index) != NULL);
    }
    return 1u << index;
}

bool rv_view_fits(int index, const rv_subject *subject) {
    return rv_panels[index]->fits == NULL || rv_panels[index]->fits(subject);
}

bool rv_is_of_others(const rv_subject *subject, rv_action action) {
    const int view = (int)action - RV_SHOW_VIEW;
    if (view < 0 || view >= RV_MOST_VIEWS || rv_has_frames(subject)) return false;
    return !rv_view_fits(view, subject);
}

rv_action rv_view_action(unsigned view) {
    int index = 0;
    while (view > 1u << index) index++;
    assert(view == 1u << index);
    return (rv_action)(RV_SHOW_VIEW + index);
}

unsigned rv_all_views(void) {
    unsigned all = RV_THE_RING;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (rv_panels[i]->sign != NULL) all |= 1u << i;
    }
    return all;
}

unsigned rv_views_in_characters(bool at_start) {
    unsigned views = 0;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (at_start ? rv_panels[i]->always : rv_panels[i]->compose != NULL) views |= 1u << i;
    }
    return views;
}

unsigned rv_views_meant(unsigned wanted) {
    const bool all = (wanted & RV_VIEW_ALL) != 0;
    return (wanted & ~(unsigned)RV_VIEW_ALL) | (all ? rv_all_views() : RV_THE_RING);
}

void *rv_kept(const rv_stage *stage) {
    return stage->kept[stage->drawn];
}

unsigned rv_views_at_start(unsigned wanted, const rv_subject *subject) {
    unsigned views = rv_views_meant(wanted);
    for (int i = 0; rv_view(i) != NULL && wanted == 0; i++) {
        const rv_panel *panel = rv_panels[i];
        if (panel->opens == NULL || !rv_view_fits(i, subject)) continue;
        if (panel->opens(subject)) views |= 1u << i;
    }
    return views;
}

/* --------------------------------------------------------------------------- the whole picture */

void rv_stage_draw(rv_stage *stage) {
    rv_scene *scene = &stage->scene;
    rv_scene_start(scene, stage->width, stage->height, stage->look.ground);
    scene->unit = stage->look.unit;
    stage->look.n_dyes = stage->playback.subject.n_ranks;
    if (stage->other != NULL && stage->other->model->n_ranks > stage->look.n_dyes) {
        stage->look.n_dyes = stage->other->model->n_ranks;
    }
    for (int place = 0; place < RV_N_PLACES; place++) {
        for (int i = 0; rv_panels[i] != NULL; i++) {
            if ((int)rv_panels[i]->place != place) continue;
            if (!rv_view_fits(i, &stage->playback.subject)) continue;
            const rv_box box = rv_panel_box(stage, i);
            const rv_look look = stage->look;
            stage->drawn = i;
            scene->layer = place == RV_PLACE_OVER ? RV_OVER : RV_STILL;
            if (place == RV_PLACE_CONTROLS) stage->look = rv_bar_look(stage);
            if (box.w > 0) rv_panels[i]->draw(stage, scene, box);
            stage->look = look;
        }
    }
}
