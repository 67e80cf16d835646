/* machine_list.c: below a machine: how thick which capacity is, and the busiest wires at this moment.
 *
 *     [==] NVLink 370.8 GB/s  [=] PCIe 50 GB/s  [//] colour: sender
 *     Bottleneck: gpu7 → node0.nic7, 97.9 % full over the whole run
 *     gpu7 → node0.nic7  [=======]  100 %  of 50 GB/s  rank 7 to 8
 */
#include "panels/machine/machine_view.h"
#include "text/say.h"

#include <math.h>
#include <stdio.h>

enum { TEXT = 256, MOST_LISTED = 5 };

/* Returns the width of a kind's widest capacity in the legend; 0: there is no such link. */
static uint64_t widest_of(const rs_machine *machine, rs_link_kind kind) {
    uint64_t most = 0;
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        if (link->kind == kind && link->bandwidth_Bps > most) most = link->bandwidth_Bps;
    }
    return most;
}

/* Draws a lane's sample with a text behind it; returns false where there is no room for it. */
static bool draw_sample(const rv_machine_view *view, rv_box *line, double thick, double filled,
                        const char *text) {
    const rv_look *look = view->draft.look;
    const double u = look->unit, size = 0.78 * u, w = 1.6 * u;
    const double needs = w + 0.4 * u + 1.04 * rv_label_width(text, size) + 0.5 * u;
    if (needs > line->w) return false;
    const rv_box sample = rv_cut_left(line, w);
    const rv_box bar = {sample.x, sample.y + (sample.h - thick) / 2, sample.w, thick};
    rv_outline(rv_scene_rect(view->scene, bar, 0, rv_mix(look->panel, look->link, 0.22)),
               rv_mix(look->panel, look->link, 0.75), look->hair);
    if (filled > 0) {
        rv_scene_rect(view->scene, (rv_box){bar.x, bar.y, bar.w, filled * bar.h}, 0,
                      rv_dye_of(look, 1).fill);
    }
    rv_cut_left(line, 0.4 * u);
    rv_scene_label(view->scene, rv_cut_left(line, needs - w - 0.4 * u), RV_LEFT, size, look->quiet,
                   text);
    return true;
}

void rv_draw_capacities(const rv_machine_view *view, rv_box line) {
    const double u = view->draft.look->unit;
    char text[TEXT], rate[32];
    for (int kind = RS_NVLINK; kind <= RS_NET; kind++) {
        const uint64_t widest = widest_of(view->machine, (rs_link_kind)kind);
        if (widest == 0) continue;
        rv_format_bytes((int64_t)widest, rate, sizeof rate);
        snprintf(text, sizeof text, "%s %s/s", rv_link_kind_word(kind), rate);
        draw_sample(view, &line, rv_lane_width(widest) * view->draft.unit * view->draft.thick, 0,
                    text);
    }
    if (view->traffic == NULL) return;
    draw_sample(view, &line, 0.55 * u, 0.6, _("colour: sender"));
}

/* Says which wire bounds the run. */
static void say_bottleneck(const rv_machine_view *view, char *out, size_t n_out) {
    int64_t share;
    char percent[32];
    rv_say say = rv_say_to(out, n_out);
    const int32_t wire = rv_traffic_bottleneck(view->traffic, &share);
    if (wire < 0) return;
    rv_format_percent(share, 1000, percent, sizeof percent);
    rv_say_more(&say, "%s", _("Bottleneck: "));
    rv_say_wire(&say, view->machine, wire);
    rv_say_more(&say, _(", %s full over the whole run"), percent);
}

/* Draws one of the busiest wires: its name, a bar, its share, who sends. */
static void draw_busy(const rv_machine_view *view, rv_box line, int32_t wire, double names) {
    const rv_look *look = view->draft.look;
    const double u = look->unit, size = 0.82 * u;
    const uint64_t capacity = rv_traffic_capacity(view->traffic, wire);
    const int64_t permille = rv_load_permille(view->traffic, view->load, wire);
    char text[TEXT], percent[32], rate[32];
    rv_scene_rect(view->scene, line, 0, 0)->target = (rv_target){RV_WIRE, wire, 1, 0};
    rv_say say = rv_say_to(text, sizeof text);
    rv_say_wire(&say, view->machine, wire);
    rv_scene_label(view->scene, rv_cut_left(&line, names), RV_LEFT, size, look->ink, text);
    rv_box bar = rv_cut_left(&line, 4 * u);
    bar = (rv_box){bar.x, bar.y + 0.3 * bar.h, bar.w, 0.4 * bar.h};
    rv_scene_rect(view->scene, bar, 0, look->raised);
    bar.w *= fmin(1, (double)permille / 1000);
    rv_scene_rect(view->scene, bar, 0, permille >= 995 ? look->bad : look->quiet);
    rv_format_percent((permille + 5) / 10, 100, percent, sizeof percent);
    rv_cut_left(&line, 0.4 * u);
    rv_scene_label(view->scene, rv_cut_left(&line, 3.1 * u), RV_LEFT, size, look->ink, percent)
        ->bold = true;
    rv_format_bytes((int64_t)capacity, rate, sizeof rate);
    snprintf(text, sizeof text, _("of %s/s"), rate);
    rv_scene_label(view->scene, rv_cut_left(&line, 5.6 * u), RV_LEFT, size, look->quiet, text);
    if (view->load->whole || line.w < 4 * u) return;
    text[0] = '\0';
    rv_say users = rv_say_to(text, sizeof text);
    rv_say_users(&users, view->load, wire, line.w > 14 * u ? 3 : 1);
    rv_scene_label(view->scene, line, RV_LEFT, size, look->quiet, text);
}

static double name_width(const rv_machine_view *view, int32_t wire) {
    char text[TEXT];
    const double u = view->draft.look->unit;
    rv_say say = rv_say_to(text, sizeof text);
    rv_say_wire(&say, view->machine, wire);
    return 1.04 * rv_label_width(text, 0.82 * u) + 0.6 * u;
}

void rv_draw_busiest(const rv_machine_view *view, rv_box box) {
    const rv_look *look = view->draft.look;
    const double u = look->unit, row = 1.3 * u;
    int32_t wires[MOST_LISTED];
    char text[TEXT] = "";
    say_bottleneck(view, text, sizeof text);
    if (box.h < row) return;
    rv_scene_label(view->scene, rv_cut_top(&box, row), RV_LEFT, 0.82 * u, look->bad, text);
    int32_t most = (int32_t)(box.h / row + 0.01);
    if (most > MOST_LISTED) most = MOST_LISTED;
    view->scene->layer = RV_MOVING;
    const int32_t n = view->load == NULL || most < 1
                          ? 0
                          : rv_busiest_wires(view->traffic, view->load, most, wires);
    double names = 0;
    for (int32_t i = 0; i < n; i++) names = fmax(names, name_width(view, wires[i]));
    for (int32_t i = 0; i < n; i++) {
        draw_busy(view, rv_cut_top(&box, row), wires[i], fmin(names, 0.45 * box.w));
    }
    view->scene->layer = RV_STILL;
}
