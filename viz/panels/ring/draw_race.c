/* draw_race.c: what stands above each of two rings: its name, a stopwatch, a bar of its time, and
 * at the end how much faster the winner was.
 *
 *     ring                       8.04 ms
 *     =================================|
 *     done in 8.04 ms             [4.98x]
 */
#include "text/say.h"
#include "panels/draw.h"

#include <math.h>
#include <stdio.h>

/* Writes a time in the unit that fits `longest_ps`, always with two decimals: a running stopwatch
   should not change its unit or its width. */
static void write_watch(int64_t time_ps, int64_t longest_ps, char *out, size_t n_out) {
    static const struct {
        int64_t size;
        const char *name;
    } units[] = {{1000000000000, "s"}, {1000000000, "ms"}, {1000000, "us"}, {1000, "ns"}};
    int i = 0;
    while (i < 3 && longest_ps < units[i].size) i++;
    const int64_t hundredth = units[i].size / 100;
    const int64_t hundredths = (time_ps + hundredth / 2) / hundredth;
    snprintf(out, n_out, "%lld.%02lld %s", (long long)(hundredths / 100),
             (long long)(hundredths % 100), units[i].name);
}

static int64_t length_of(const rv_shown_run *run) {
    return run->model->report->outcome.makespan_ps;
}

/* Tells whether it ends, and nothing wrong is known of it. */
static bool succeeds(const rv_shown_run *run) {
    int mark;
    rv_judgement(run->model->report, &mark);
    return mark >= 0;
}

static bool completes(const rv_shown_run *run) {
    return run->model->report->outcome.completed;
}

static void draw_lane(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene, rv_box lane,
                      double share) {
    const rv_look *look = &stage->look;
    const bool over = run->now_ps >= length_of(run);
    const rv_colour colour = !over ? look->accent : succeeds(run) ? look->good : look->bad;
    rv_scene_rect(scene, lane, lane.h / 2, look->raised);
    rv_scene_rect(scene, (rv_box){lane.x, lane.y, fmax(lane.h, lane.w * share), lane.h}, lane.h / 2,
                  colour);
}

/* Writes, for the line below the bar, how far the run is, or that it is done. */
static void say_state(const rv_shown_run *run, char *out, size_t n_out) {
    const rv_model *model = run->model;
    rv_say say = rv_say_to(out, n_out);
    char time[32];
    int mark;
    if (run->now_ps < length_of(run)) {
        rv_say_more(&say, _("%d of %d steps"), (int)rv_steps_executed(model), (int)model->n_steps);
        return;
    }
    rv_format_time(length_of(run), time, sizeof time);
    if (completes(run)) {
        const char *judgement = rv_judgement(model->report, &mark);
        rv_say_more(&say, _("done in %s"), time);
        if (mark < 0) rv_say_more(&say, "%s%s", _(": "), judgement);
    } else {
        rv_say_more(&say, _("the %s never ends: it stalls after %s"),
                    rv_collective_word(model->schedule->collective), time);
    }
}

/* Writes how much faster the run was than the other, when both are over; "": it was not. */
static void say_prize(const rv_shown_run *own, const rv_shown_run *other, char *out, size_t n_out) {
    const int64_t own_ps = length_of(own), other_ps = length_of(other);
    rv_say say = rv_say_to(out, n_out);
    char ratio[32];
    if (!succeeds(own) || own->now_ps < own_ps || own->now_ps < other_ps) return;
    if (!succeeds(other) && completes(other)) {
        rv_say_more(&say, "%s", _("only this one is right"));
    } else if (!completes(other)) {
        rv_say_more(&say, "%s", _("only this one ends"));
    } else if (own_ps > 0 && own_ps < other_ps) {
        rv_format_ratio(other_ps, own_ps, ratio, sizeof ratio);
        rv_say_more(&say, _("%s × as fast"), ratio);
    }
}

static void draw_prize(const rv_stage *stage, rv_scene *scene, rv_box *line, const char *prize) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    if (prize[0] == '\0') return;
    const double w = fmin(line->w, rv_label_width(prize, 1.1 * u) + 1.4 * u);
    const rv_box chip = rv_cut_right(line, w);
    rv_scene_rect(scene, chip, chip.h / 2, look->good);
    rv_scene_label(scene, rv_inset(chip, 0.2 * u), RV_MIDDLE, 1.1 * u,
                   look->dark ? 0x10221AFF : 0xFFFFFFFF, prize)
        ->bold = true;
}

void rv_draw_race(const rv_stage *stage, const rv_shown_run runs[2], int which, rv_scene *scene,
                  rv_box *ring) {
    const rv_look *look = &stage->look;
    const rv_shown_run *own = &runs[which], *other = &runs[1 - which];
    const double u = look->unit;
    const int64_t own_ps = length_of(own);
    const int64_t longest_ps = own_ps > length_of(other) ? own_ps : length_of(other);
    const int64_t watch_ps = own->now_ps < own_ps ? own->now_ps : own_ps;
    char watch[32], state[96], prize[64];
    rv_box box = rv_cut_top(ring, 5.2 * u);
    rv_cut_left(&box, 0.6 * u);
    rv_cut_right(&box, 0.6 * u);
    const rv_layer layer = scene->layer;
    scene->layer = RV_MOVING;
    rv_box head = rv_cut_top(&box, 2.4 * u);
    write_watch(watch_ps, longest_ps, watch, sizeof watch);
    const rv_box clock = rv_cut_right(&head, 0.55 * head.w);
    rv_scene_label(scene, head, RV_LEFT, 1.4 * u, look->ink, own->title)->bold = true;
    rv_scene_label(scene, clock, RV_RIGHT, 1.8 * u, look->ink, watch)->bold = true;
    rv_cut_top(&box, 0.2 * u);
    const double share = own_ps > 0 ? (double)watch_ps / (double)own_ps : 1;
    draw_lane(stage, own, scene, rv_cut_apart(&box, rv_cut_top, 0.5 * u, 0.3 * u), share);
    rv_box line = rv_cut_top(&box, 1.6 * u);
    say_prize(own, other, prize, sizeof prize);
    draw_prize(stage, scene, &line, prize);
    say_state(own, state, sizeof state);
    rv_scene_label(scene, line, RV_LEFT, u,
                   own->now_ps >= own_ps && !succeeds(own) ? look->bad : look->quiet, state);
    scene->layer = layer;
}

/* Returns the room for a name: at most a third, so that two and the axis find room. */
static double name_width(const rv_stage *stage, const rv_shown_run *run, rv_box names) {
    const double u = stage->look.unit;
    return fmin(0.32 * names.w, rv_label_width(run->title, 0.85 * u) * 1.04 + 0.2 * u);
}

/* Draws a mark where a run ends, with its name beside it: left of the earlier end where it fits, else right of it,
   so that two names never meet and each stays at its mark. */
static void draw_end(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene, rv_box axis,
                     rv_box names, double share, bool left) {
    const rv_look *look = &stage->look;
    const double u = look->unit, x = axis.x + axis.w * share, w = name_width(stage, run, names);
    rv_scene_rect(scene, (rv_box){x - 0.1 * u, axis.y - 0.25 * u, 0.2 * u, axis.h + 0.5 * u},
                  0.1 * u, succeeds(run) ? look->good : look->bad);
    if (names.h <= 0) return;
    left = left && x - w >= names.x;
    const rv_box name = {left ? x - w : x, names.y, w, names.h};
    rv_scene_label(scene, name, left ? RV_RIGHT : RV_LEFT, 0.85 * u, look->quiet, run->title);
}

void rv_draw_race_line(const rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    const rv_shown_run runs[2] = {rv_main_run(stage), rv_other_run(stage)};
    const int first = length_of(&runs[0]) <= length_of(&runs[1]) ? 0 : 1;
    const double longest_ps = (double)length_of(&runs[1 - first]);
    rv_box names = {0};
    if (box.h > 2.4 * u) names = rv_cut_top(&box, 1.2 * u);
    rv_cut_left(&box, 1.2 * u);
    rv_cut_right(&box, 1.2 * u);
    rv_box axis = {box.x, box.y + box.h / 2 - 0.3 * u, box.w, 0.6 * u};
    names.x = box.x;
    names.w = box.w;
    axis.w -= name_width(stage, &runs[1 - first], names);
    rv_scene_rect(scene, axis, 0.3 * u, look->raised);
    for (int i = 0; i < 2; i++) {
        const double share = longest_ps > 0 ? (double)length_of(&runs[i]) / longest_ps : 0;
        draw_end(stage, &runs[i], scene, axis, names, share, i == first);
    }
    scene->layer = RV_MOVING;
    const double at = axis.w * rv_race_place(stage);
    rv_scene_rect(scene, (rv_box){axis.x, axis.y, at, axis.h}, 0.3 * u, rv_fade(look->accent, 0.6));
    rv_outline(
        rv_scene_disc(scene, (rv_point){axis.x + at, axis.y + axis.h / 2}, 0.75 * u, look->accent),
        look->panel, 2 * look->hair);
    rv_scene_rect(scene, (rv_box){axis.x, box.y, axis.w, box.h}, 0, 0)->target =
        rv_target_of(RV_TIMELINE, 0, 0);
    scene->layer = RV_STILL;
}
