/* crowd_words.c: the words beside the ring of many GPUs. */
#include "panels/ring/crowd.h"
#include "text/words.h"

#include <math.h>

void rv_crowd_legend(const rv_crowd *c, rv_box box) {
    const rv_look *look = &c->stage->look;
    const double u = look->unit, size = 0.85 * u;
    rv_box words = rv_cut_top(&box, 2.4 * size);
    rv_item *label = rv_scene_label(c->scene, words, c->align, size, look->quiet,
                                    _("how many GPUs' data are inside"));
    label->wrap = true;
    rv_cut_top(&box, 0.4 * u);
    rv_box bar = rv_cut_top(&box, 0.8 * u);
    rv_box full = rv_cut_right(&bar, 1.6 * u);
    rv_cut_right(&bar, 0.4 * u);
    enum { STEPS = 48 };
    rv_colour *pixels;
    rv_scene_grid(c->scene, bar, STEPS, 1, &pixels);
    for (int i = 0; pixels != NULL && i < STEPS; i++) {
        pixels[i] = rv_heat_of(look, (double)i / STEPS);
    }
    rv_scene_rect(c->scene, full, 0, look->good);
    const rv_point middle = rv_centre(full);
    rv_draw_check(look, c->scene, middle, 0.35 * u);
    rv_box ends = rv_cut_top(&box, 1.2 * u);
    rv_scene_labelf(c->scene, ends, RV_LEFT, size, look->quiet, "1");
    rv_scene_labelf(c->scene, ends, RV_RIGHT, size, look->quiet, "%d", (int)c->n);
    if (rv_result_is_wrong(c->sight->model->report))
        rv_scene_labelf(c->scene, rv_cut_top(&box, 1.2 * u), c->align, size, look->bad,
                        "\xC3\x97 %s", _("wrong"));
}

void rv_crowd_phase(const rv_crowd *c, rv_box box) {
    const rv_look *look = &c->stage->look;
    const rv_model *model = c->sight->model;
    const double size = fmin(1.3 * look->unit, fmax(0.9 * look->unit, box.w / 8));
    char stalled[64];
    const bool stands = rv_stalled_text(model, stalled, sizeof stalled) > 0;
    if ((model->step < 0 || model->step >= model->n_steps) && !stands) return;
    int32_t iteration, of;
    const rs_phase phase = rs_phase_at(model->schedule, model->step, &iteration, &of);
    const char *title = stands ? stalled : rv_phase_title(phase);
    const double fits = 0.9 * box.w / rv_label_width(title, 1); /* beside a ring in a race */
    rv_scene_label(c->scene, rv_cut_top(&box, 1.4 * size), c->align, fmin(size, fits),
                   stands ? look->bad : look->ink, title)
        ->bold = true;
    if (title[0] == '\0' || stands) return;
    rv_scene_labelf(c->scene, rv_cut_top(&box, 1.1 * size), c->align, 0.8 * size, look->quiet,
                    _("iteration %d of %d"), (int)iteration + 1, (int)of);
}

void rv_crowd_axes(const rv_crowd *c) {
    const rv_look *look = &c->stage->look;
    const double size = 0.75 * look->unit;
    if (c->heat.w < 9 * look->unit || c->sight->model->n_chunks < 2) return;
    const rv_box top = {c->heat.x, c->heat.y - 1.5 * size, c->heat.w, 1.3 * size};
    rv_scene_labelf(c->scene, top, RV_LEFT, size, look->quiet, "%s 0 .. %d \xE2\x86\x92",
                    _("chunks"), (int)c->sight->model->n_chunks - 1);
    const rv_box below = {c->heat.x, c->heat.y + c->heat.h + 0.2 * size, c->heat.w, 1.3 * size};
    char first[RV_RANK_NAME];
    rv_rank_name(c->sight->model, 0, first);
    rv_scene_labelf(c->scene, below, RV_LEFT, size, look->quiet, "\xE2\x86\x91 %s .. %d", first,
                    (int)c->n - 1);
}
