/* draw_sign.c: the signs on buttons and beside words, drawn as shapes, so that they look the same in
 * every font; and the buttons with signs.
 *
 * A sign is drawn on a square from (-1, -1) to (1, 1), which rv_pen scales into its box.
 */
#include "panels/draw.h"
#include "text/words.h"

#include <math.h>

static rv_point at(const rv_pen *p, double x, double y) {
    return (rv_point){p->centre.x + p->half * x, p->centre.y + p->half * y};
}

void rv_pen_bar(const rv_pen *p, double x, double y, double w, double h) {
    const rv_point corner = at(p, x, y);
    const rv_box box = {corner.x, corner.y, w * p->half, h * p->half};
    rv_scene_rect(p->scene, box, 0.1 * p->half, p->ink);
}

void rv_pen_line(const rv_pen *p, double x0, double y0, double x1, double y1, double line) {
    rv_scene_segment(p->scene, at(p, x0, y0), at(p, x1, y1), line * p->half, p->ink);
}

void rv_pen_disc(const rv_pen *p, double x, double y, double radius) {
    rv_scene_disc(p->scene, at(p, x, y), radius * p->half, p->ink);
}

/* Draws a triangle with its tip at x + w: it points to the right, or if w < 0 to the left. */
static void arrow(const rv_pen *p, double x, double w, double h) {
    const rv_point points[] = {at(p, x, -h), at(p, x + w, 0), at(p, x, h)};
    rv_scene_polygon(p->scene, points, 3, p->ink);
}

static void ring_sign(const rv_pen *p) { /* half light, half dark */
    rv_item *disc = rv_scene_disc(p->scene, p->centre, 0.75 * p->half, 0);
    disc->stroke = p->ink;
    disc->line = 0.2 * p->half;
    rv_point points[14];
    for (int i = 0; i < 14; i++) {
        const double angle = 1.5707963 - 3.1415927 * i / 13;
        points[i] = at(p, 0.75 * cos(angle), 0.75 * sin(angle));
    }
    rv_scene_polygon(p->scene, points, 14, p->ink);
}

static void warning(const rv_pen *p) {
    const rv_point points[] = {at(p, 0, -0.9), at(p, 0.95, 0.8), at(p, -0.95, 0.8)};
    rv_item *frame = rv_scene_polygon(p->scene, points, 3, rv_fade(p->ink, 0.15));
    frame->stroke = p->ink;
    frame->line = 0.2 * p->half;
    rv_pen_line(p, 0, -0.25, 0, 0.2, 0.22);
    rv_pen_line(p, 0, 0.5, 0, 0.52, 0.26);
}

void rv_draw_sign(rv_scene *scene, rv_box box, rv_sign sign, rv_colour ink) {
    const rv_pen p = {scene, rv_centre(box), 0.5 * fmin(box.w, box.h), ink};
    switch (sign) {
    case RV_SIGN_PLAY: arrow(&p, -0.6, 1.4, 0.85); break;
    case RV_SIGN_PAUSE:
        rv_pen_bar(&p, -0.65, -0.8, 0.45, 1.6);
        rv_pen_bar(&p, 0.2, -0.8, 0.45, 1.6);
        break;
    case RV_SIGN_NEXT:
        arrow(&p, -0.75, 1.05, 0.75);
        rv_pen_bar(&p, 0.42, -0.75, 0.28, 1.5);
        break;
    case RV_SIGN_BACK:
        arrow(&p, 0.75, -1.05, 0.75);
        rv_pen_bar(&p, -0.7, -0.75, 0.28, 1.5);
        break;
    case RV_SIGN_MICRO_NEXT: arrow(&p, -0.3, 0.75, 0.5); break;
    case RV_SIGN_MICRO_BACK: arrow(&p, 0.3, -0.75, 0.5); break;
    case RV_SIGN_HOME:
        arrow(&p, 0.05, -0.75, 0.6);
        arrow(&p, 0.8, -0.75, 0.6);
        rv_pen_bar(&p, -0.95, -0.6, 0.22, 1.2);
        break;
    case RV_SIGN_END:
        arrow(&p, -0.05, 0.75, 0.6);
        arrow(&p, -0.8, 0.75, 0.6);
        rv_pen_bar(&p, 0.73, -0.6, 0.22, 1.2);
        break;
    case RV_SIGN_PLUS:
        rv_pen_bar(&p, -0.13, -0.7, 0.26, 1.4);
        rv_pen_bar(&p, -0.7, -0.13, 1.4, 0.26);
        break;
    case RV_SIGN_MINUS: rv_pen_bar(&p, -0.7, -0.13, 1.4, 0.26); break;
    case RV_SIGN_CHECK:
        rv_pen_line(&p, -0.7, 0.05, -0.2, 0.6, 0.32);
        rv_pen_line(&p, -0.2, 0.6, 0.75, -0.6, 0.32);
        break;
    case RV_SIGN_CROSS:
        rv_pen_line(&p, -0.6, -0.6, 0.6, 0.6, 0.32);
        rv_pen_line(&p, -0.6, 0.6, 0.6, -0.6, 0.32);
        break;
    case RV_SIGN_WARNING: warning(&p); break;
    case RV_SIGN_THEME: ring_sign(&p); break;
    }
}

/* Draws a button's ground; *ink: the colour for what stands on it. */
static void draw_ground(const rv_stage *stage, rv_scene *scene, rv_box box, bool lit,
                        rv_action action, rv_colour *ink) {
    const rv_look *look = &stage->look;
    const rv_target target = rv_target_of(RV_BUTTON, (int32_t)action, 0);
    const bool hot = rv_same_target(stage->hover, target);
    rv_item *ground = rv_scene_rect(scene, box, 0.35 * look->unit,
                                    lit   ? look->accent
                                    : hot ? rv_mix(look->raised, look->accent, 0.25)
                                          : look->raised);
    ground->stroke = lit || hot ? look->accent : look->edge;
    ground->line = look->hair;
    ground->target = target;
    *ink = lit ? look->accent_ink : look->ink;
}

/* Returns the place of a sign that stands alone on a button. */
static rv_box middle_of(rv_box box) {
    const double side = fmin(0.52 * box.h, 0.7 * box.w);
    const rv_point c = rv_centre(box);
    return (rv_box){c.x - side / 2, c.y - side / 2, side, side};
}

void rv_draw_sign_button(const rv_stage *stage, rv_scene *scene, rv_box box, rv_sign sign, bool lit,
                         rv_action action) {
    rv_colour ink;
    draw_ground(stage, scene, box, lit, action, &ink);
    rv_draw_sign(scene, middle_of(box), sign, ink);
}

void rv_draw_view_button(const rv_stage *stage, rv_scene *scene, rv_box box, int view, bool named) {
    const double u = stage->look.unit;
    rv_colour ink;
    draw_ground(stage, scene, box, (stage->layout.shown & 1u << view) != 0,
                (rv_action)(RV_SHOW_VIEW + view), &ink);
    rv_box inside = box, place = middle_of(box);
    if (named) {
        rv_cut_left(&inside, 0.5 * u);
        rv_cut_right(&inside, 0.4 * u);
        place = rv_cut_left(&inside, 0.9 * u);
        rv_cut_left(&inside, 0.4 * u);
    }
    const rv_pen pen = {scene, rv_centre(place), 0.5 * fmin(place.w, place.h), ink};
    rv_panels[view]->sign(&pen);
    if (named) {
        rv_scene_label(scene, inside, RV_LEFT, 0.9 * u, ink, _(rv_panels[view]->name));
    }
}

void rv_draw_wrong(const rv_look *look, rv_scene *scene, rv_point centre, double radius) {
    const double half = 0.85 * radius;
    rv_item *disc = rv_scene_disc(scene, centre, radius, look->bad);
    disc->stroke = look->panel;
    disc->line = 0.15 * radius;
    rv_draw_sign(scene, (rv_box){centre.x - half, centre.y - half, 2 * half, 2 * half},
                 RV_SIGN_CROSS, look->panel);
}
