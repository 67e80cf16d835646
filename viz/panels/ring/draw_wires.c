/* draw_wires.c: wires between cards: those that the step uses with an arrow, all others thin; the
 * frames of nodes.
 */
#include "panels/ring/ring.h"
#include "text/words.h"

#include <math.h>

static void draw_head(rv_scene *scene, rv_point at, double angle, double size, rv_colour colour) {
    const rv_point points[3] = {at,
                                {at.x - size * cos(angle - 0.5), at.y - size * sin(angle - 0.5)},
                                {at.x - size * cos(angle + 0.5), at.y - size * sin(angle + 0.5)}};
    rv_scene_polygon(scene, points, 3, colour);
}

void rv_draw_wire(rv_scene *scene, const rv_wire *wire, const rv_wire_look *as, rv_target target) {
    for (int i = 1; i < RV_WIRE_POINTS; i++) {
        const rv_colour colour = as->dashed && i % 2 == 0 ? 0 : as->colour;
        rv_scene_segment(scene, wire->points[i - 1], wire->points[i], as->line, colour)->target =
            target;
    }
    double angle;
    const double size = 4 + 2.6 * as->line;
    const rv_point end = rv_on_wire(wire, 1, &angle);
    draw_head(scene, end, angle, size, as->colour);
}

static void draw_link(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                      const rv_ring *ring, int32_t src, int32_t dst) {
    const rv_look *look = &stage->look;
    const rv_gpu_faults faults = rv_gpu_faults_of(run, src);
    const rv_target target = rv_link_target(stage, run, src, dst);
    const rv_wire wire = rv_wire_between(ring, src, dst);
    rv_wire_look as = {look->link, fmax(1.5, 0.14 * ring->unit), false};
    if (faults.dead || rv_gpu_faults_of(run, dst).dead) {
        as.colour = look->faint;
        as.dashed = true;
    }
    if (faults.slow_link != NULL || faults.down != NULL) {
        as = (rv_wire_look){look->warn, fmax(3, 0.3 * ring->unit), true};
    }
    rv_draw_wire(scene, &wire, &as, target);
    char text[48] = "";
    if (faults.down != NULL) rv_format_time(faults.down->time_ps, text, sizeof text);
    if (faults.slow_link != NULL) rv_factor_text(faults.slow_link, text, sizeof text);
    if (text[0] == '\0') return;
    rv_draw_pill(stage, scene, ring->box, rv_on_wire(&wire, 0.5, NULL), 0.85 * ring->unit,
                 look->panel, look->warn, text);
}

/* Draws the wires that some step uses, at rest: thin, and without a direction. In a mesh, where they
   are many, they are hairlines. */
static void draw_resting(const rv_stage *stage, const rv_form *form, rv_scene *scene,
                         const rv_ring *ring) {
    const rv_look *look = &stage->look;
    const bool many = form->n_wires > 3 * ring->n_ranks;
    const double line = many ? 1 : fmax(1, 0.08 * ring->unit);
    const bool tracks = form->kind == RV_FORM_RING && form->two_way;
    if (many && form->kind != RV_FORM_MESH) return; /* a tangle shows nothing */
    for (int32_t a = 0; a < ring->n_ranks; a++) {
        for (int32_t b = 0; b < ring->n_ranks; b++) {
            if (!(form->wires[a] & 1U << b) || (b < a && !tracks)) continue;
            const rv_wire wire = rv_resting_wire(ring, a, b);
            for (int i = 1; i < RV_WIRE_POINTS; i++) {
                rv_scene_segment(scene, wire.points[i - 1], wire.points[i], line,
                                 many ? rv_fade(look->faint, 0.6) : look->faint);
            }
        }
    }
}

/* Frames each node's cards, and names it. */
static void draw_nodes(const rv_stage *stage, rv_scene *scene, const rv_ring *ring) {
    const rv_look *look = &stage->look;
    for (int32_t node = 0; ring->per_node > 0 && node < ring->n_ranks / ring->per_node; node++) {
        rv_box name;
        const rv_box box = rv_ring_node(ring, node, &name);
        rv_outline(rv_scene_rect(scene, box, 0.6 * ring->unit, look->raised), look->faint,
                   look->hair);
        if (!ring->upright) rv_cut_left(&name, 0.5 * ring->unit);
        rv_scene_labelf(scene, name, ring->upright ? RV_MIDDLE : RV_LEFT,
                        fmin(0.85 * ring->unit, 0.6 * name.h), look->quiet, _("node %d"),
                        (int)node);
    }
}

void rv_draw_links(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                   const rv_ring *ring, bool is_ring) {
    const rv_model *model = run->model;
    const rv_form form = rv_form_of(model->schedule);
    if (is_ring) {
        for (int32_t i = 0; i < ring->n_ranks; i++) {
            const int32_t next = (i + 1) % ring->n_ranks;
            if (form.sends[i] & 1U << next) draw_link(stage, run, scene, ring, i, next);
        }
        return;
    }
    if (ring->spread) draw_nodes(stage, scene, ring);
    draw_resting(stage, &form, scene, ring);
    rs_cursor cursor = {0};
    rs_transfer t;
    if (run->hidden || model->step < 0 || model->step >= model->n_steps) return;
    while (rs_next_transfer(model->schedule, model->step, &cursor, &t)) {
        draw_link(stage, run, scene, ring, t.src, t.dst);
    }
}
