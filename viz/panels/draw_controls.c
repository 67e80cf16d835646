/* draw_controls.c: the timeline, and below it the buttons.
 *
 *     |<< |< < > > >| >>|   - 2 steps/s +   [Predict] 2 of 3 right  [Break it]    time, or a hint       [?]
 *
 * A narrow window leaves out the least important buttons first; every button has a key, which
 * always works.
 */
#include "panels/draw.h"
#include "stage/stage_frame.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>

/* Cuts a button off the left; false: there is no room. */
static bool cut_button(rv_box *row, double width, double gap, rv_box *button) {
    if (row->w < width) return false;
    *button = rv_cut_apart(row, rv_cut_left, width, gap);
    return true;
}

static void draw_playback_buttons(const rv_stage *stage, rv_scene *scene, rv_box *row, bool micro) {
    const bool playing = stage->playback.playing;
    const struct {
        rv_sign sign;
        rv_action action;
        bool micro;
    } buttons[] = {{RV_SIGN_HOME, RV_HOME, false},
                   {RV_SIGN_BACK, RV_BACK, false},
                   {RV_SIGN_MICRO_BACK, RV_MICRO_BACK, true},
                   {playing ? RV_SIGN_PAUSE : RV_SIGN_PLAY, RV_PLAY, false},
                   {RV_SIGN_MICRO_NEXT, RV_MICRO_NEXT, true},
                   {RV_SIGN_NEXT, RV_NEXT, false},
                   {RV_SIGN_END, RV_END, false}};
    const double b = rv_button_size(stage), gap = 0.25 * stage->look.unit;
    rv_box button;
    for (size_t i = 0; i < sizeof buttons / sizeof buttons[0]; i++) {
        if (buttons[i].micro && !micro) continue;
        const double width = buttons[i].action == RV_PLAY ? 1.4 * b : b;
        if (!cut_button(row, width, gap, &button)) return;
        rv_draw_sign_button(stage, scene, button, buttons[i].sign,
                            playing && buttons[i].action == RV_PLAY, buttons[i].action);
    }
    rv_cut_left(row, 2 * gap);
}

static void draw_speed(const rv_stage *stage, rv_scene *scene, rv_box *row, bool words) {
    const double u = stage->look.unit, b = rv_button_size(stage), speed = stage->playback.speed;
    char number[16], text[64];
    snprintf(number, sizeof number, speed >= 1 ? "%d" : "1/%d",
             (int)(speed >= 1 ? speed : 1 / speed + 0.5));
    if (words) {
        snprintf(text, sizeof text, speed <= 1 ? _("%s step/s") : _("%s steps/s"), number);
    } else {
        snprintf(text, sizeof text, "%s/s", number);
    }
    const double width = words ? 5.4 * u : 2.6 * u;
    rv_box button;
    if (row->w < 2 * b + width) return;
    cut_button(row, b, 0, &button);
    rv_draw_sign_button(stage, scene, button, RV_SIGN_MINUS, false, RV_SLOWER);
    cut_button(row, width, 0, &button);
    rv_scene_label(scene, button, RV_MIDDLE, 0.9 * u, stage->look.ink, text);
    cut_button(row, b, 0.75 * u, &button);
    rv_draw_sign_button(stage, scene, button, RV_SIGN_PLUS, false, RV_FASTER);
}

static void draw_predict(const rv_stage *stage, rv_scene *scene, rv_box *row) {
    const rv_playback *playback = &stage->playback;
    const double u = stage->look.unit;
    const char *text = _("Predict");
    rv_box button;
    if (!cut_button(row, fmax(24, rv_label_width(text, 0.9 * u) + u), 0.4 * u, &button)) return;
    rv_draw_button(stage, scene, button, text, playback->predict, RV_PREDICT);
    if (playback->n_asked == 0) return;
    char tally[64];
    snprintf(tally, sizeof tally, _("%d of %d right"), (int)playback->n_right,
             (int)playback->n_asked);
    const double width = rv_label_width(tally, 0.9 * u) + 0.4 * u;
    if (!cut_button(row, width, 0.75 * u, &button)) return;
    rv_scene_label(scene, button, RV_LEFT, 0.9 * u, stage->look.ink, tally)->bold = true;
}

static void draw_break(const rv_stage *stage, rv_scene *scene, rv_box *row) {
    const double u = stage->look.unit, width = rv_label_width(_("Break it"), 0.9 * u) + u;
    rv_box button;
    if (!rv_takes(&stage->playback.subject, RV_BREAK_MENU) || stage->what_if->setup.fixed) return;
    if (!cut_button(row, fmax(24, width), 0.4 * u, &button)) return;
    rv_draw_button(stage, scene, button, _("Break it"), stage->menu.thing == RV_GPU, RV_BREAK_MENU);
}

/* Writes for newcomers which keys there are; later how far the run is. */
static void draw_rest(const rv_stage *stage, rv_scene *scene, rv_box row) {
    const rv_look *look = &stage->look;
    const rv_subject *subject = &stage->playback.subject;
    const double u = look->unit;
    const bool fresh = stage->n_keys < 3;
    char text[128];
    /* draw_over.c writes here what the button under the pointer does */
    if (rv_hints_in_row(stage)) return;
    if (fresh && stage->playback.mode == RV_LOOKING) {
        const char *hint = _("Right: next step · Space: play · ?: keys");
        if (rv_label_width(hint, 0.85 * u) > row.w) hint = _("?: keys");
        if (rv_label_width(hint, 0.85 * u) > row.w) return;
        rv_scene_label(scene, row, RV_RIGHT, 0.85 * u, look->quiet, hint);
        return;
    }
    if (stage->playback.mode == RV_ASKING || stage->other != NULL) return;
    const double progress = stage->progress;
    if (subject->kind->clock(subject, stage->playback.rank, progress, text, sizeof text) == 0)
        return;
    if (rv_label_width(text, 0.85 * u) > row.w) return;
    scene->layer = RV_MOVING;
    rv_scene_label(scene, row, RV_RIGHT, 0.85 * u, look->quiet, text);
    scene->layer = RV_STILL;
}

void rv_draw_controls(rv_stage *stage, rv_scene *scene, rv_box box) {
    const double u = stage->look.unit, b = rv_button_size(stage);
    rv_box row = rv_cut_apart(&box, rv_cut_bottom, b, 0.3 * u), button;
    rv_draw_timeline(stage, scene, box);
    button = rv_cut_right(&row, b);
    rv_draw_button(stage, scene, button, "?", stage->playback.mode == RV_READING_HELP, RV_HELP);
    rv_cut_right(&row, 0.5 * u);
    const double predict = rv_label_width(_("Predict"), 0.9 * u) + 2.2 * u;
    const double speed = 2 * b + 3.4 * u, playback = 5.4 * b + 1.75 * u;
    draw_playback_buttons(stage, scene, &row,
                          rv_takes(&stage->playback.subject, RV_MICRO_NEXT) &&
                              row.w >= playback + 2 * b + 0.5 * u + speed + predict);
    if (row.w >= speed + predict) {
        draw_speed(stage, scene, &row, row.w >= speed + 3 * u + predict + 6 * u);
    }
    if (rv_takes(&stage->playback.subject, RV_PREDICT)) draw_predict(stage, scene, &row);
    draw_break(stage, scene, &row);
    draw_rest(stage, scene, row);
}

const rv_panel rv_panel_controls = {.place = RV_PLACE_CONTROLS, .draw = rv_draw_controls};
