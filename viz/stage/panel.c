/* panel.c: what follows from the table of panels: see panel.h; and what the stage tells in its message. */
#include "stage/panel.h"
#include "stage/stage.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

rv_box rv_panel_box(const rv_stage *stage, int index) {
    const rv_layout *layout = &stage->layout;
    switch (rv_panels[index]->place) {
    case RV_PLACE_STORY: return layout->story;
    case RV_PLACE_LESSON: return layout->lesson;
    case RV_PLACE_TITLE: return layout->title;
    case RV_PLACE_CAPTION: return layout->caption;
    case RV_PLACE_CONTROLS: return layout->controls;
    case RV_PLACE_OVER: return (rv_box){0, 0, stage->width, stage->height};
    case RV_PLACE_MIDDLE:
    case RV_PLACE_BESIDE:
    case RV_PLACE_BELOW:
    case RV_N_PLACES: break;
    }
    return layout->views[index];
}

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
        if (rv_panels[i]->sign != NULL && !rv_panels[i]->apart) all |= 1u << i;
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

void rv_stage_tell(rv_stage *stage, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(stage->playback.message, sizeof stage->playback.message, format, arguments);
    va_end(arguments);
}
