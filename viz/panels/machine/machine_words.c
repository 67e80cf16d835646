/* machine_words.c: a machine's wires in words: names, who shares one, how full it is. */
#include "panels/machine/machine_view.h"
#include "text/say.h"
#include "model/tempo.h"
#include "terminal/compose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { AMOUNT = 32 };

const char *rv_device_word(const rs_machine *machine, int32_t device) {
    const char *name = machine->names[device];
    const char *dot = strncmp(name, "node", 4) == 0 ? strchr(name, '.') : NULL;
    return dot != NULL && machine->node[device] >= 0 ? dot + 1 : name;
}

static void say_wire(rv_say *say, const rs_machine *machine, int32_t wire) {
    const rs_machine_link *link = &machine->links[wire / 2];
    const char *a = machine->names[link->a], *b = machine->names[link->b];
    if (link->shared) {
        rv_say_more(say, "%s ↔ %s", a, b);
    } else {
        rv_say_more(say, "%s → %s", wire % 2 == 0 ? a : b, wire % 2 == 0 ? b : a);
    }
}

static const char *rv_link_kind_word(int kind) {
    static const char *const words[] = {N_("NVLink"), N_("PCIe"), N_("CPU"), N_("network")};
    return _(words[kind]);
}

void rv_say_when(rv_say *say, const rv_load *load) {
    char time[AMOUNT];
    rv_format_time(load->time_ps, time, sizeof time);
    if (load->whole) {
        rv_say_more(say, "%s", _("use over the whole run"));
    } else {
        rv_say_more(say, _("use at %s"), time);
    }
}

static void say_rate(rv_say *say, uint64_t rate_Bps) {
    char text[AMOUNT];
    rv_format_bytes((int64_t)rate_Bps, text, sizeof text);
    rv_say_more(say, "%s/s", text);
}

/* Says who sends on a wire now: "rank 3 to 8, rank 4 to 9". */
static void rv_say_users(rv_say *say, const rv_load *load, int32_t wire, int most) {
    const int32_t end = load->first[wire + 1];
    int n = 0;
    for (int32_t i = load->first[wire], next; i < end; i = next) {
        const rv_stream *stream = &load->streams[load->users[i]];
        for (next = i; next < end; next++) { /* several channels are told once */
            const rv_stream *at = &load->streams[load->users[next]];
            if (at->src != stream->src || at->dst != stream->dst) break;
        }
        if (n++ >= most) continue;
        rv_say_more(say, n > 1 ? _(", rank %d to %d") : _("rank %d to %d"), (int)stream->src,
                    (int)stream->dst);
        if (next - i > 1) rv_say_more(say, " ×%d", (int)(next - i));
    }
    if (n > most) rv_say_more(say, _(" and %d more"), n - most);
}

/* Writes one of the busiest wires at the moment: "node0.nic3 → fabric  net 50 GB/s  100 %  rank 3 to 8". */
static void rv_say_busy(rv_say *say, const rv_model *model, const rv_load *load, int32_t wire,
                        int most) {
    const rs_machine *machine = model->report->request.job.net.machine;
    char percent[AMOUNT];
    const uint64_t capacity = rv_traffic_capacity(model->traffic, wire);
    rv_format_percent((int64_t)load->used_Bps[wire], (int64_t)capacity, percent, sizeof percent);
    say_wire(say, machine, wire);
    rv_say_more(say, "  %s  ", percent);
    rv_say_more(say, "%s ", rv_link_kind_word(machine->links[wire / 2].kind));
    say_rate(say, capacity);
    if (load->whole) return;
    rv_say_more(say, "  ");
    rv_say_users(say, load, wire, most);
}

/* Says what each of n streams on a wire gets. */
static void say_shares(rv_say *say, const rv_load *load, int32_t wire) {
    uint64_t least = UINT64_MAX, most = 0;
    for (int32_t i = load->first[wire]; i < load->first[wire + 1]; i++) {
        const uint64_t rate_Bps = load->streams[load->users[i]].rate_Bps;
        if (rate_Bps < least) least = rate_Bps;
        if (rate_Bps > most) most = rate_Bps;
    }
    rv_say_more(say, "%s", least == most ? _("; each gets ") : _("; they get "));
    say_rate(say, least);
    if (least == most) return;
    rv_say_more(say, "%s", _(" to "));
    say_rate(say, most);
}

void rv_say_hint(const rv_model *model, const rv_load *load, int32_t wire, int32_t n_wires,
                 char *out, size_t n_out) {
    const rs_machine *machine = model->report->request.job.net.machine;
    const rs_machine_link *link = &machine->links[wire / 2];
    char percent[AMOUNT];
    rv_say say = rv_say_to(out, n_out);
    say_wire(&say, machine, wire);
    if (n_wires > 1) rv_say_more(&say, _(" and %d beside it"), (int)n_wires - 1);
    rv_say_more(&say, "%s%s ", _(": "), rv_link_kind_word(link->kind));
    say_rate(&say, rv_traffic_capacity(model->traffic, wire));
    if (link->cut) {
        rv_say_more(&say, "%s", _(", cut"));
        return;
    }
    if (link->slow_num > link->slow_den) {
        rv_format_ratio((int64_t)link->slow_num, (int64_t)link->slow_den, percent, sizeof percent);
        rv_say_more(&say, _(", %s times slower than it was"), percent);
    } else if (link->slow_num < link->slow_den) {
        rv_format_ratio((int64_t)link->slow_den, (int64_t)link->slow_num, percent, sizeof percent);
        rv_say_more(&say, _(", %s times faster than it was"), percent);
    }
    rv_format_percent(rv_traffic_share(model->traffic, wire), 1000, percent, sizeof percent);
    rv_say_more(&say, _("; of the whole run %s full"), percent);
    if (load == NULL || load->whole) return;
    const int32_t n = load->first[wire + 1] - load->first[wire];
    rv_say_more(&say, "\n");
    if (n == 0) {
        rv_say_more(&say, "%s", _("now idle"));
        return;
    }
    rv_format_percent(rv_load_permille(model->traffic, load, wire), 1000, percent, sizeof percent);
    rv_say_more(&say, _("now %s full: "), percent);
    rv_say_users(&say, load, wire, 4);
    if (n > 1) say_shares(&say, load, wire);
}

/* --------------------------------------------------------------------------- below the machine */

/* Below a machine: how thick which capacity is, and the busiest wires at this moment.
 *
 *     [==] NVLink 370.8 GB/s  [=] PCIe 50 GB/s  [//] colour: sender
 *     Bottleneck: gpu7 → node0.nic7, 97.9 % full over the whole run
 *     gpu7 → node0.nic7  [=======]  100 %  of 50 GB/s  rank 7 to 8
 */

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
                        rs_link_kind kind, const char *text) {
    const rv_look *look = view->draft.look;
    const rv_kind_look wire = rv_kind_look_of(look, kind);
    const double u = look->unit, size = 0.78 * u, w = 1.6 * u;
    const double needs = w + 0.4 * u + 1.04 * rv_label_width(text, size) + 0.5 * u;
    if (needs > line->w) return false;
    const rv_box sample = rv_cut_left(line, w);
    const rv_box bar = {sample.x, sample.y + (sample.h - thick) / 2, sample.w, thick};
    rv_outline(rv_scene_rect(view->scene, bar, 0, wire.ground), wire.edge, look->hair)->dashed =
        wire.dashed;
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
        draw_sample(view, &line,
                    rv_lane_width(&view->draft, widest) * view->draft.unit * view->draft.thick, 0,
                    (rs_link_kind)kind, text);
    }
    if (view->traffic == NULL) return;
    draw_sample(view, &line, 0.55 * u, 0.6, RS_NVLINK, _("colour: sender"));
}

void rv_draw_rates(const rv_machine_view *view) {
    const rv_draft *draft = &view->draft;
    const double size = 0.7 * draft->unit, h = 1.3 * size;
    bool told[RS_NET + 1] = {false};
    for (int32_t i = 0; i < draft->n_roads; i++) {
        const rv_road *road = &draft->roads[i];
        const rv_point from = road->points[0], to = road->points[road->n_points - 1];
        const rv_lane lane = rv_lane_of(view, road, 0);
        char rate[32], text[48];
        rv_format_bytes((int64_t)lane.capacity_Bps, rate, sizeof rate);
        snprintf(text, sizeof text, "%s/s", rate);
        const double w = rv_label_width(text, size) + 0.8 * size;
        const bool upright = fabs(to.x - from.x) < 0.2 * fabs(to.y - from.y);
        const double length = upright ? fabs(to.y - from.y) : fabs(to.x - from.x);
        const bool room = upright ? length > 4 * h && w < draft->slot : length > 2 * w;
        if (told[road->kind] || road->cut || road->n_points > 2 || !room) continue;
        told[road->kind] = true;
        const rv_point at = {from.x + 0.27 * (to.x - from.x), from.y + 0.27 * (to.y - from.y)};
        const rv_box chip = {at.x - w / 2, at.y - h / 2, w, h};
        rv_scene_rect(view->scene, chip, 0.3 * size, rv_fade(draft->look->panel, 0.92));
        rv_scene_label(view->scene, chip, RV_MIDDLE, size, draft->look->ink, text);
    }
}

/* Says which wire bounds the run; how full it is, its badge and its line say. */
static void say_bottleneck(const rv_machine_view *view, char *out, size_t n_out) {
    int64_t share;
    rv_say say = rv_say_to(out, n_out);
    const int32_t wire = rv_traffic_bottleneck(view->traffic, &share);
    if (wire < 0) return;
    rv_say_more(&say, "%s", _("Bottleneck of the whole run: "));
    say_wire(&say, view->machine, wire);
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
    say_wire(&say, view->machine, wire);
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
    if (1.04 * rv_label_width(text, size) > line.w) return; /* the legend says it too */
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
    say_wire(&say, view->machine, wire);
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

/* ----------------------------------------------------------------------------- in the terminal */

/* A run's machine in the terminal and in plain text: the wires that are busiest at the moment.
 *
 *     Machine  use at 6.27 ms; bottleneck left → right, 99.8 % full
 *              left → right  100 %  network 2 GB/s  rank 3 to 4
 *
 * Of the whole run, where ranks do not live on the GPU of their number, also which they live on.
 */

enum { COLUMN = 9, MOST_WIRES = 3 };

static const rv_load *load_of(const rv_composition *page) {
    const rv_model *model = page->playback->subject.model;
    if (model->traffic == NULL || rv_is_hidden(page->playback)) return NULL;
    const int64_t now_ps = rv_time_at(model, model->step, rv_progress_of(model->moment));
    return rv_traffic_at(model->traffic, model->step, now_ps);
}

static bool tells_place(const rv_model *model, const rv_load *load) {
    return load != NULL && load->whole && model->report->request.job.net.place != NULL;
}

int rv_wire_lines(rv_composition *page, int most) {
    const rv_model *model = page->playback->subject.model;
    const rv_load *load = load_of(page);
    int32_t wires[MOST_WIRES];
    int wanted = 1;
    if (load != NULL) wanted += rv_busiest_wires(model->traffic, load, MOST_WIRES, wires);
    if (tells_place(model, load)) wanted++;
    return wanted < most ? wanted : most;
}

/* Writes signs beyond ASCII as others, where the screen has none. */
static void put_line(const rv_composition *page, int y, const char *text) {
    static const char *const signs[][2] = {{"→", "->"}, {"↔", "<->"}, {"×", "x"}, {"–", "-"}};
    char plain[2 * TEXT];
    size_t n = 0;
    for (const char *at = text; *at != '\0' && n + 4 < sizeof plain;) {
        size_t i = 0;
        while (i < 4 && strncmp(at, signs[i][0], strlen(signs[i][0])) != 0) i++;
        if (i == 4 || !page->playback->ascii) {
            plain[n++] = *at++;
            continue;
        }
        n += (size_t)snprintf(plain + n, sizeof plain - n, "%s", signs[i][1]);
        at += strlen(signs[i][0]);
    }
    plain[n] = '\0';
    rv_put_words(page->screen, COLUMN, y, page->screen->width - COLUMN - 1, RV_PLAIN, plain);
}

static void say_place(const rv_model *model, char *out) {
    const rs_job *job = &model->report->request.job;
    rv_say say = rv_say_to(out, TEXT);
    rv_say_more(&say, "%s", _("ranks 0, 1, 2, ... live on GPUs"));
    for (int32_t r = 0; r < job->schedule->n_ranks; r++) {
        rv_say_more(&say, " %d", (int)job->net.place[r]);
    }
}

/* Says when that is, and which wire bounds the run. */
static void say_head(const rv_composition *page, const rv_load *load, char *out) {
    const rv_model *model = page->playback->subject.model;
    char time[32];
    int64_t share;
    rv_say say = rv_say_to(out, TEXT);
    if (load == NULL) {
        rv_say_more(&say, "%s", model->report->request.job.net.machine->name);
        return;
    }
    rv_say_when(&say, load);
    const int32_t wire = rv_traffic_bottleneck(model->traffic, &share);
    if (wire < 0) return;
    rv_say_more(&say, "%s", _("; bottleneck "));
    say_wire(&say, model->report->request.job.net.machine, wire);
    if (!load->whole) return; /* how full it is now, its line below says */
    rv_format_percent(share, 1000, time, sizeof time);
    rv_say_more(&say, _(", %s full"), time);
}

void rv_compose_wires(const rv_composition *page, int y, int n_lines) {
    const rv_model *model = page->playback->subject.model;
    const rv_load *load = load_of(page);
    int32_t wires[MOST_WIRES];
    char text[TEXT];
    rv_put(page->screen, 1, y, COLUMN - 2, RV_BOLD, _("Machine"));
    say_head(page, load, text);
    put_line(page, y, text);
    if (load == NULL) return;
    if (tells_place(model, load) && n_lines > 1) {
        say_place(model, text);
        put_line(page, y + --n_lines, text);
    }
    const int32_t n = rv_busiest_wires(model->traffic, load, MOST_WIRES, wires);
    for (int32_t i = 0; i < n && i + 1 < n_lines; i++) {
        for (int most = MOST_WIRES, fits = 0; most > 0 && !fits; most--) { /* so many are told */
            rv_say say = rv_say_to(text, sizeof text);
            rv_say_busy(&say, model, load, wires[i], most);
            fits = COLUMN + rv_text_width(text) < page->screen->width;
        }
        put_line(page, y + 1 + i, text);
    }
}
