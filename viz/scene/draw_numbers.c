/* draw_numbers.c: the sliders, and the curve of time against the one that was moved last. */
#include "say.h"
#include "stage.h"

#include <math.h>

static void draw_slider(const rv_stage *stage, rv_scene *scene, rv_box row, rv_knob knob) {
    const rv_look *look = &stage->look;
    const rv_setup *setup = &stage->trial->setup;
    const double u = look->unit;
    const rv_target target = rv_target_of(RV_SLIDER, (int32_t)knob, 0);
    const bool turns = rv_knob_turns(setup, knob), chosen = stage->knob == knob;
    const bool hot = rv_same_target(stage->hover, target) || rv_same_target(stage->held, target);
    const rv_colour ink = turns ? look->ink : look->quiet;
    char text[32];
    rv_knob_text(setup, knob, text, sizeof text);
    const rv_box name = rv_cut_left(&row, fmin(0.26 * row.w, 5.5 * u));
    const rv_box value = rv_cut_right(&row, fmin(0.26 * row.w, 5.5 * u));
    rv_scene_label(scene, name, RV_LEFT, 0.95 * u, chosen ? look->ink : look->quiet,
                   rv_knob_name(knob))
        ->bold = chosen;
    rv_scene_label(scene, value, RV_RIGHT, 0.95 * u, ink, text)->bold = chosen;
    const double knob_r = (hot || chosen ? 0.5 : 0.42) * u;
    const rv_box axis = {row.x + 0.8 * u, row.y, row.w - 1.6 * u, row.h};
    const rv_box line = {axis.x, axis.y + axis.h / 2 - 0.12 * u, axis.w, 0.24 * u};
    const double at = rv_knob_place(setup, knob) * axis.w;
    const rv_colour colour = !turns ? look->faint : chosen ? look->accent : look->quiet;
    rv_scene_rect(scene, line, 0.12 * u, look->raised);
    rv_scene_rect(scene, (rv_box){line.x, line.y, fmax(at, 0.1), line.h}, 0.12 * u, colour);
    rv_item *handle = rv_scene_disc(scene, (rv_point){axis.x + at, axis.y + axis.h / 2}, knob_r,
                                    turns ? colour : look->panel);
    handle->stroke = hot && turns ? look->ink : colour;
    handle->line = 0.1 * u;
    rv_scene_rect(scene, axis, 0, 0)->target = target;
}

void rv_draw_numbers(const rv_stage *stage, rv_scene *scene, rv_box box) {
    const double u = stage->look.unit;
    rv_box inside;
    rv_draw_panel(stage, scene, box, _("Numbers"), &inside);
    const double row = fmin(2.1 * u, inside.h / RV_N_KNOBS);
    for (int knob = 0; knob < RV_N_KNOBS; knob++) {
        draw_slider(stage, scene, rv_cut_top(&inside, row), (rv_knob)knob);
    }
}
