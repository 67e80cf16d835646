/* draw_menu.c: the menu of a GPU, beside its card, or of a machine's wire: the faults that a reader may give it. */
#include "text/say.h"
#include "panels/draw.h"

#include <math.h>

/* Returns the box of the card whose menu it is, as drawn before in this scene. */
static rv_box card_of(const rv_stage *stage, const rv_scene *scene) {
    const rv_target card = stage->menu;
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (rv_same_target(scene->items[i].target, card)) return scene->items[i].box;
    }
    return (rv_box){stage->pointer_x, stage->pointer_y, 0, 0};
}

/* Returns the menu's box: right of the card, or left of it if there is no room; always inside the
   picture. */
static rv_box place_menu(const rv_stage *stage, rv_box whole, rv_box card, double w, double h) {
    const double gap = 0.5 * stage->look.unit;
    double x = card.x + card.w + gap, y = card.y;
    if (x + w > whole.w - gap) x = card.x - gap - w;
    x = fmax(gap, fmin(x, whole.w - gap - w));
    y = fmax(gap, fmin(y, whole.h - gap - h));
    return (rv_box){x, y, fmin(w, whole.w - 2 * gap), fmin(h, whole.h - 2 * gap)};
}

static void say_line(const rs_fault *fault, rv_gpu_fault kind, rv_say *say) {
    char text[32];
    switch (kind) {
    case RV_FAULT_LINK:
        rv_format_ratio((int64_t)fault->factor_num, (int64_t)fault->factor_den, text, sizeof text);
        rv_say_more(say, _("Links %s times slower"), text);
        break;
    case RV_FAULT_LATE:
        rv_format_time(fault->time_ps, text, sizeof text);
        rv_say_more(say, _("Starts %s late"), text);
        break;
    case RV_FAULT_SLOW:
        rv_format_time(fault->time_ps, text, sizeof text);
        rv_say_more(say, _("%s more for each step"), text);
        break;
    case RV_FAULT_DEAD: rv_say_more(say, _("Dies before step %d"), (int)fault->step); break;
    case RV_FAULT_NONE:
    case RV_N_FAULTS: rv_say_more(say, "%s", _("Well again")); break;
    }
}

/* Draws a line: ticked if that is so, lit under the pointer; `mends`: it takes away what the others give, and is idle
   where there is nothing to mend. key: does the same; "": none does. */
static void draw_line(const rv_stage *stage, rv_scene *scene, rv_box line, rv_target target,
                      bool has, bool mends, const char *text, const char *key) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    const bool idle = mends && !has, hot = rv_same_target(stage->hover, target) && !idle;
    rv_scene_rect(scene, line, 0.35 * u, hot ? rv_mix(look->raised, look->accent, 0.22) : 0)
        ->target = target;
    rv_box inside = rv_inset(line, 0.35 * u);
    const rv_box tick = rv_cut_left(&inside, 1.5 * u);
    const rv_box end = rv_cut_right(&inside, key[0] != '\0' ? 1.2 * u : 0);
    const rv_point at = {tick.x + 0.6 * u, tick.y + tick.h / 2};
    if (!mends) {
        rv_outline(rv_scene_disc(scene, at, 0.38 * u, has ? look->bad : 0),
                   has ? look->bad : look->quiet, 0.1 * u);
    }
    rv_scene_label(scene, inside, RV_LEFT, u, idle ? look->quiet : look->ink, text)->bold = has;
    if (key[0] != '\0') rv_scene_label(scene, end, RV_RIGHT, 0.85 * u, look->quiet, key);
}

/* Draws a line of a GPU's menu, with the key that does the same. */
static void draw_fault(const rv_stage *stage, rv_scene *scene, rv_box line, rv_gpu_fault kind) {
    static const rv_action actions[RV_N_FAULTS] = {RV_SLOW_THE_LINK, RV_DELAY_GPU, RV_BURDEN_GPU,
                                                   RV_KILL_GPU, RV_HEAL_GPU};
    char text[96];
    rv_say say = rv_say_to(text, sizeof text);
    bool has;
    const rs_fault fault = rv_fault_of(stage, kind, stage->menu.a, &has);
    say_line(&fault, kind, &say);
    draw_line(stage, scene, line, rv_target_of(RV_FAULT, (int32_t)kind, stage->menu.a), has,
              kind == RV_FAULT_NONE, text, _(rv_key_row_of(actions[kind]).names));
}

/* Draws the ground of a menu of so many lines, and its head; returns the box of the lines. */
static rv_box draw_ground(const rv_stage *stage, rv_scene *scene, rv_box box, const char *head) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    rv_scene_rect(scene, (rv_box){box.x + 0.15 * u, box.y + 0.25 * u, box.w, box.h}, 0.6 * u,
                  look->dark ? 0x00000090 : 0x00000030);
    rv_outline(rv_scene_rect(scene, box, 0.6 * u, look->panel), look->edge, 1)->target =
        rv_target_of(RV_AREA, 1, 0);
    rv_box inside = rv_inset(box, 0.5 * u);
    rv_box line = rv_cut_top(&inside, 1.8 * u);
    rv_cut_left(&line, 0.35 * u);
    rv_scene_label(scene, line, RV_LEFT, 1.1 * u, look->ink, head)->bold = true;
    return inside;
}

/* ----------------------------------------------------------------------------------------- wires */

/* Says how much slower, or faster, a link is than it was. */
static void say_factor(rv_say *say, uint64_t num, uint64_t den) {
    const bool slower = num >= den;
    char text[32];
    rv_format_ratio((int64_t)(slower ? num : den), (int64_t)(slower ? den : num), text,
                    sizeof text);
    rv_say_more(say, slower ? _("%s times slower, both ways") : _("%s times faster, both ways"),
                text);
}

static void draw_wire_fault(const rv_stage *stage, rv_scene *scene, rv_box line,
                            rv_wire_fault kind) {
    const rv_link_fault *given = rv_fault_of_wire(stage, kind, stage->menu.a);
    char text[96];
    rv_say say = rv_say_to(text, sizeof text);
    if (kind == RV_WIRE_SLOW) {
        say_factor(&say, given != NULL ? given->num : RV_TIMES_SLOWER,
                   given != NULL ? given->den : 1);
    } else {
        rv_say_more(&say, "%s", kind == RV_WIRE_CUT ? _("Cut: routes change") : _("Well again"));
    }
    draw_line(stage, scene, line, rv_target_of(RV_WIRE_FAULT, (int32_t)kind, stage->menu.a),
              given != NULL, kind == RV_WIRE_WELL, text, "");
}

static void draw_wire_menu(const rv_stage *stage, rv_scene *scene, rv_box whole) {
    const double u = stage->look.unit, row = fmax(24, 2.1 * u);
    const rs_machine *machine = stage->what_if->report->request.job.net.machine;
    const rs_machine_link *link = &machine->links[stage->menu.a / 2];
    rv_box lane = {stage->pressed_x, stage->pointer_y, 0, 0};
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (item->target.thing != RV_WIRE || item->target.a != stage->menu.a) continue;
        lane =
            (rv_box){item->box.x + fmax(0, item->box.w), item->box.y + fmin(0, item->box.h), 0, 0};
        break;
    }
    char head[160];
    rv_say say = rv_say_to(head, sizeof head);
    rv_say_more(&say, "%s – %s", machine->names[link->a], machine->names[link->b]);
    if (stage->menu.b > 1) rv_say_more(&say, _(" and %d beside it"), (int)stage->menu.b - 1);
    const double w = fmax(17 * u, rv_label_width(head, 1.2 * u) + 2.4 * u);
    rv_box inside = draw_ground(
        stage, scene, place_menu(stage, whole, lane, w, RV_N_WIRE_FAULTS * row + 2.8 * u), head);
    for (int kind = 0; kind < RV_N_WIRE_FAULTS; kind++) {
        draw_wire_fault(stage, scene, rv_cut_top(&inside, row), (rv_wire_fault)kind);
    }
}

/* ----------------------------------------------------------------------------------------- a GPU's */

static void draw(rv_stage *stage, rv_scene *scene, rv_box whole) {
    const rv_look *look = &stage->look;
    const double u = look->unit, row = fmax(24, 2.1 * u);
    if (stage->menu.thing == RV_WIRE && stage->what_if->report->request.job.net.machine != NULL) {
        draw_wire_menu(stage, scene, whole);
    }
    if (stage->menu.thing != RV_GPU) return;
    char name[RV_RANK_NAME];
    rv_rank_name(stage->what_if->model, stage->menu.a, name);
    rv_box inside = draw_ground(
        stage, scene,
        place_menu(stage, whole, card_of(stage, scene), 17 * u, RV_N_FAULTS * row + 3.1 * u), name);
    for (int kind = 0; kind < RV_N_FAULTS; kind++) {
        if (kind == RV_FAULT_NONE) {
            const rv_box rule = rv_cut_top(&inside, 0.3 * u);
            rv_scene_rect(scene, (rv_box){rule.x, rule.y + rule.h / 2, rule.w, 1}, 0, look->edge);
        }
        draw_fault(stage, scene, rv_cut_top(&inside, row), (rv_gpu_fault)kind);
    }
}

const rv_panel rv_panel_menu = {.place = RV_PLACE_OVER, .draw = draw};
