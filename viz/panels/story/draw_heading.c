/* draw_heading.c: the picture's head for a story: its title, and the phase of its moment. */
#include "panels/draw.h"
#include "stage/stage_frame.h"
#include "text/words.h"

#include <math.h>

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const rv_frame *frame = rv_stage_frame(stage);
    const double u = look->unit;
    const char *text = rv_story_title(rv_stage_story(stage));
    rv_draw_tabs(stage, scene, &box);
    const double wanted = rv_label_width(text, 1.25 * u) + 0.8 * u;
    rv_box name = rv_cut_left(&box, fmin(box.w, wanted));
    rv_scene_label(scene, name, RV_LEFT, 1.15 * u, look->ink, text)->bold = true;
    if (frame->phase == NULL || box.w < rv_label_width(frame->phase, u) + 0.5 * u) return;
    rv_scene_label(scene, box, RV_LEFT, u, look->accent, frame->phase);
}

const rv_panel rv_panel_heading = {.fits = rv_has_frames, .place = RV_PLACE_TITLE, .draw = draw};
