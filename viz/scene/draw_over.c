/* draw_over.c: what lies on top: all keys, the number after `g`, and what a button is for.
 *
 *   - The keys come from the one table. Each line can be clicked, and does what its key does: so the
 *     mouse can do all that keys can.
 */
#include "stage.h"
#include "words.h"

#include <math.h>
#include <stdio.h>

static void draw_box(const rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    rv_item *ground = rv_scene_rect(scene, box, 0.5 * look->unit, look->panel);
    ground->stroke = look->edge;
    ground->line = 1.5 * look->hair;
    ground->target = rv_target_of(RV_AREA, 0, 0);
}

/* ----------------------------------------------------------------------------------------- keys */

typedef struct help {
    int n, columns, rows;
    double names, all; /* widths of a line's key and of the line, at size 1 */
    double size;
} help;

/* As many columns as give the largest type. */
static help plan_help(rv_box box, double most) {
    help h = {0};
    double helps = 0;
    for (const rv_key_row *row = rv_keys; row->action != RV_NO_ACTION; row++) {
        h.names = fmax(h.names, rv_label_width(_(row->names), 1.05));
        helps = fmax(helps, rv_label_width(_(row->help), 1.03));
        h.n++;
    }
    h.names += 1;
    h.all = h.names + helps + 1.5;
    for (int columns = 1; columns <= 3; columns++) {
        const int rows = (h.n + columns - 1) / columns;
        const double size = fmin(most, fmin(box.h / rows / 1.5, box.w / columns / h.all));
        if (size <= h.size) continue;
        h.size = size;
        h.columns = columns;
        h.rows = rows;
    }
    return h;
}

void rv_draw_help(const rv_stage *stage, rv_scene *scene) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    const rv_box whole = {0, 0, stage->width, stage->height};
    rv_scene_rect(scene, whole, 0, rv_fade(look->ground, 0.8))->target =
        rv_target_of(RV_AREA, 0, 0);
    rv_box box = rv_inset(whole, 0.8 * u);
    draw_box(stage, scene, box);
    rv_box inside = rv_inset(box, 0.8 * u);
    const rv_box head = rv_cut_top(&inside, 1.8 * u);
    rv_scene_label(scene, head, RV_LEFT, 1.2 * u, look->ink, _("Keys"))->bold = true;
    rv_scene_label(scene, head, RV_RIGHT, 0.8 * u, look->quiet,
                   _("any key closes this; a line can be clicked"));
    rv_cut_top(&inside, 0.4 * u);
    const help h = plan_help(inside, 1.1 * u);
    const double height = fmin(inside.h / h.rows, 2.1 * h.size), width = inside.w / h.columns;
    for (int i = 0; i < h.n; i++) {
        rv_box line = {inside.x + width * (i / h.rows), inside.y + height * (i % h.rows), width,
                       height};
        const rv_target target = rv_target_of(RV_BUTTON, (int32_t)rv_keys[i].action, 0);
        rv_cut_right(&line, 0.6 * h.size);
        if (rv_same_target(stage->hover, target)) {
            rv_scene_rect(scene, line, 0.3 * u, rv_mix(look->panel, look->accent, 0.2));
        }
        rv_scene_rect(scene, line, 0, 0)->target = target;
        rv_cut_left(&line, 0.3 * h.size);
        const rv_box key = rv_cut_left(&line, h.names * h.size);
        rv_scene_label(scene, key, RV_LEFT, h.size, look->ink, _(rv_keys[i].names))->bold = true;
        rv_scene_label(scene, line, RV_LEFT, h.size, look->quiet, _(rv_keys[i].help));
    }
}

/* --------------------------------------------------------------------------------------- typing */

void rv_draw_typing(const rv_stage *stage, rv_scene *scene) {
    const rv_look *look = &stage->look;
    const double u = look->unit, w = fmin(stage->width - 2 * u, 24 * u), h = 4.6 * u;
    const rv_box above = stage->layout.caption;
    draw_box(stage, scene, (rv_box){(stage->width - w) / 2, above.y - h - u, w, h});
    rv_box inside = rv_inset((rv_box){(stage->width - w) / 2, above.y - h - u, w, h}, 0.7 * u);
    rv_box line = rv_cut_top(&inside, 0.58 * inside.h);
    const rv_box field = rv_cut_right(&line, 8 * u);
    rv_scene_label(scene, line, RV_LEFT, 1.3 * u, look->ink, _("Go to step"))->bold = true;
    rv_item *ground = rv_scene_rect(scene, field, 0.3 * u, look->raised);
    ground->stroke = look->accent;
    ground->line = 1.5 * look->hair;
    rv_scene_labelf(scene, rv_inset(field, 0.2 * u), RV_MIDDLE, 1.3 * u, look->ink, "%s_",
                    stage->walk.typed);
    rv_scene_labelf(scene, inside, RV_LEFT, 0.85 * u, look->quiet,
                    _("0..%d · Enter: go there · Esc: stay"), (int)stage->walk.model->n_steps - 1);
}

/* ---------------------------------------------------------------------------------------- hints */

static bool hint_of(const rv_stage *stage, char *out, size_t n_out) {
    const rv_target t = stage->hover;
    const rv_model *model = stage->walk.model;
    int32_t iteration, of, step = t.a;
    if (t.thing == RV_BUTTON) {
        for (const rv_key_row *row = rv_keys; row->action != RV_NO_ACTION; row++) {
            if ((int32_t)row->action != t.a) continue;
            snprintf(out, n_out, "%s (%s)", _(row->help), _(row->names));
            return true;
        }
        return false;
    }
    if (t.thing == RV_TIMELINE) {
        step = rv_timeline_step(stage, stage->pointer_x);
    } else if (t.thing != RV_STEP_BAR) {
        return false;
    }
    if (step < 0) {
        snprintf(out, n_out, "%s", _("the start"));
    } else if (step >= model->n_steps) {
        snprintf(out, n_out, "%s", _("the end"));
    } else {
        const rs_phase phase = rs_phase_at(model->schedule, step, &iteration, &of);
        if (phase == RS_PHASE_NONE) {
            snprintf(out, n_out, _("step %d"), (int)step);
        } else {
            snprintf(out, n_out, _("step %d: %s, iteration %d of %d"), (int)step,
                     rv_phase_title(phase), (int)iteration + 1, (int)of);
        }
    }
    return true;
}

void rv_draw_hint(const rv_stage *stage, rv_scene *scene) {
    const rv_look *look = &stage->look;
    const double u = look->unit, h = 1.9 * u;
    char text[256];
    rv_box at = {0};
    if (!hint_of(stage, text, sizeof text)) return;
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (rv_same_target(scene->items[i].target, stage->hover)) at = scene->items[i].box;
    }
    const double w = fmin(stage->width - u, rv_label_width(text, 0.9 * u) * 1.05 + 1.2 * u);
    double x = stage->hover.thing == RV_TIMELINE ? stage->pointer_x : at.x + at.w / 2;
    x = fmax(0.5 * u, fmin(stage->width - 0.5 * u - w, x - w / 2));
    const bool below = at.y < stage->height / 2;
    const double y = below ? at.y + at.h + 0.4 * u : at.y - h - 0.5 * u;
    const rv_box box = {x, y, w, h};
    rv_scene_rect(scene, box, 0.3 * u, look->ink);
    rv_scene_label(scene, rv_inset(box, 0.2 * u), RV_MIDDLE, 0.9 * u, look->panel, text);
}
