/* ring_signs.c: what is wrong with a GPU or a wire: dead, late, slow, waiting. The colour always
 * comes with a word or a sign.
 */
#include "panels/ring/ring.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>

static int32_t waits_for(const rv_shown_run *run, int32_t rank) {
    const rs_outcome *outcome = &run->model->report->outcome;
    for (int32_t i = 0; i < outcome->n_stalled; i++) {
        const rs_wait *wait = &outcome->stalled[i];
        if (wait->rank != rank || wait->n_waits_for == 0) continue;
        const bool now = run->model->step > wait->step ||
                         (run->model->step == wait->step && run->progress >= RV_LIFT);
        return now ? wait->waits_for[0] : -1;
    }
    return -1;
}

rv_gpu_faults rv_gpu_faults_of(const rv_shown_run *run, int32_t rank) {
    rv_gpu_faults faults = {.waits_for = waits_for(run, rank)};
    const rs_job *job = &run->model->report->request.job;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->rank != rank) continue;
        switch (fault->kind) {
        case RS_SLOW_LINK: faults.slow_link = fault; break;
        case RS_LATE: faults.late_ps = fault->time_ps; break;
        case RS_STRAGGLER: faults.straggle_ps = fault->time_ps; break;
        case RS_KILL:
            faults.dead =
                run->model->step >= fault->step && rv_is_killed(&run->model->report->outcome, rank);
            break;
        case RS_SLOW_REDUCE: faults.slow_reduce = fault; break;
        case RS_DOWN:
            if (run->model->step == fault->step) faults.down = fault;
            break;
        case RS_FLIP: break; /* the value shows it */
        }
    }
    return faults;
}

void rv_factor_text(const rs_fault *fault, char *out, size_t n_out) {
    char ratio[32];
    rv_format_ratio((int64_t)fault->factor_num, (int64_t)fault->factor_den, ratio, sizeof ratio);
    snprintf(out, n_out, "\xC3\x97%s", ratio);
}

void rv_draw_pill(const rv_stage *stage, rv_scene *scene, rv_box within, rv_point centre,
                  double most, rv_colour fill, rv_colour ink, const char *text) {
    const double size = fmin(most, within.w / (rv_label_width(text, 1) + 0.3)); /* a narrow card */
    const double w = fmin(within.w, rv_label_width(text, size) + 1.1 * size), h = 1.55 * size;
    const double x = fmin(fmax(centre.x - w / 2, within.x), within.x + within.w - w);
    const double y = fmin(fmax(centre.y - h / 2, within.y), within.y + within.h - h);
    const rv_box box = {x, y, w, h};
    rv_outline(rv_scene_rect(scene, box, h / 2, fill), ink,
               fill == stage->look.accent || fill == stage->look.good ? 0 : 1);
    rv_scene_label(scene, rv_inset(box, 0.12 * size), RV_MIDDLE, size, ink, text)->bold = true;
}

void rv_draw_clock(const rv_stage *stage, rv_scene *scene, rv_point at, double r) {
    rv_outline(rv_scene_disc(scene, at, r, stage->look.panel), stage->look.warn,
               fmax(1.5, 0.16 * r));
    rv_scene_segment(scene, at, (rv_point){at.x, at.y - 0.6 * r}, fmax(1.2, 0.14 * r),
                     stage->look.warn);
    rv_scene_segment(scene, at, (rv_point){at.x + 0.45 * r, at.y}, fmax(1.2, 0.14 * r),
                     stage->look.warn);
}

/* Returns what is left of a card's first line between its name and its letter. */
static rv_box free_head(const rv_ring *ring, rv_box card) {
    const double size = fmin(0.95 * ring->unit, 0.62 * ring->head);
    rv_box head = {card.x, card.y, card.w, ring->head};
    rv_cut_left(&head, rv_label_width("GPU 00", size) + size);
    rv_cut_right(&head, ring->head);
    return head;
}

static bool is_late(const rv_gpu_faults *faults) {
    return faults->late_ps > 0 || faults->straggle_ps > 0 || faults->slow_reduce != NULL;
}

/* Marks a late or slow GPU: a clock beside the card's letter, and the time, if there is room. Returns what they
   leave of the card's first line; without a scene it only measures. */
static rv_box draw_late(const rv_stage *stage, rv_scene *scene, const rv_ring *ring, rv_box card,
                        const rv_gpu_faults *faults) {
    char text[48];
    const double r = fmin(0.6 * ring->unit, 0.36 * ring->head), size = 1.2 * r;
    rv_box head = free_head(ring, card);
    if (!is_late(faults)) return head;
    if (faults->late_ps > 0 || faults->straggle_ps > 0) {
        rv_format_time(faults->late_ps > 0 ? faults->late_ps : faults->straggle_ps, text,
                       sizeof text);
    } else {
        text[0] = '+';
        rv_factor_text(faults->slow_reduce, text + 1, sizeof text - 1);
    }
    const double w = rv_label_width(text, size) + 1.2 * size;
    if (head.w < 2.4 * r) {
        if (scene != NULL)
            rv_draw_clock(stage, scene, (rv_point){card.x + card.w - r, card.y + r}, r);
        return head;
    }
    const rv_box clock = rv_cut_right(&head, 2.4 * r);
    if (scene != NULL) rv_draw_clock(stage, scene, rv_centre(clock), r);
    if (head.w < w) return head;
    const rv_box time = rv_cut_right(&head, w);
    if (scene != NULL)
        rv_draw_pill(stage, scene, card, rv_centre(time), size, stage->look.panel, stage->look.warn,
                     text);
    return head;
}

static void draw_dead(const rv_stage *stage, rv_scene *scene, const rv_ring *ring, rv_box card) {
    const rv_look *look = &stage->look;
    const double inset = 0.12 * fmin(card.w, card.h), line = fmax(3, 0.3 * ring->unit);
    const rv_box x = rv_inset(card, inset);
    rv_scene_line(scene, x.x, x.y, x.x + x.w, x.y + x.h, line, rv_fade(look->bad, 0.8));
    rv_scene_line(scene, x.x + x.w, x.y, x.x, x.y + x.h, line, rv_fade(look->bad, 0.8));
    rv_draw_pill(stage, scene, card, rv_centre(card), fmin(ring->unit, 0.25 * card.h), look->panel,
                 look->bad, _("dead"));
}

/* Writes for whom a GPU waits, on what is free of the card's first line, in as many words as fit there; else upon
   the card's upper edge: nowhere it hides a value. */
static void draw_waits(const rv_stage *stage, rv_scene *scene, const rv_ring *ring, rv_box card,
                       int32_t peer, rv_box head) {
    char texts[3][64];
    const double size = fmin(0.8 * ring->unit, fmin(0.2 * card.h, 0.6 * ring->head));
    snprintf(texts[0], sizeof texts[0], _("waits for GPU %d"), (int)peer);
    rv_name_ranks(stage->what_if->model, texts[0], sizeof texts[0]);
    snprintf(texts[1], sizeof texts[1], _("waits for %d"), (int)peer);
    snprintf(texts[2], sizeof texts[2], "\xE2\x86\x90 %d", (int)peer);
    for (int i = 0; i < 3; i++) {
        const double w = rv_label_width(texts[i], size) + 1.2 * size;
        const rv_point at = {head.x + head.w - w / 2, rv_centre(head).y};
        const rv_point above = {card.x + card.w - w / 2, card.y};
        if (w > head.w && i < 2) continue;
        rv_draw_pill(stage, scene, ring->box, w <= head.w ? at : above, size, stage->look.panel,
                     stage->look.warn, texts[i]);
        return;
    }
}

void rv_draw_card_faults(const rv_stage *stage, rv_scene *scene, const rv_ring *ring, rv_box card,
                         const rv_gpu_faults *faults) {
    if (faults->dead) {
        draw_dead(stage, scene, ring, card);
        return;
    }
    const rv_box head = draw_late(stage, scene, ring, card, faults);
    if (faults->waits_for >= 0) draw_waits(stage, scene, ring, card, faults->waits_for, head);
}

static int64_t span_ps(const rv_flight *flight) {
    return flight->timed == NULL ? 0 : flight->timed->end_ps - flight->timed->start_ps;
}

/* Returns how long the quickest transfer took of those that have arrived; 0: none has. */
static int64_t quickest_ps(const rv_shown_run *run) {
    rv_flights flights = rv_flights_of(run->model, run->progress);
    rv_flight flight;
    int64_t best_ps = 0;
    while (rv_next_flight(&flights, &flight)) {
        if (!flight.happens || flight.flown < 1) continue;
        if (best_ps == 0 || span_ps(&flight) < best_ps) best_ps = span_ps(&flight);
    }
    return best_ps;
}

static void draw_wait(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                      const rv_ring *ring, int32_t rank, int32_t peer) {
    const rv_gpu_faults faults = rv_gpu_faults_of(run, rank);
    const rv_box card = rv_ring_card(ring, rank);
    draw_waits(stage, scene, ring, card, peer, draw_late(stage, NULL, ring, card, &faults));
}

/* Before a transfer starts, the end that is ready waits for the other; while it is on its way, its
   receiver waits only if it takes longer than others that have arrived. */
void rv_draw_waiting(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                     const rv_ring *ring) {
    if (run->progress <= RV_LIFT || run->progress >= RV_ARRIVAL) return;
    const int64_t best_ps = quickest_ps(run);
    rv_flights flights = rv_flights_of(run->model, run->progress);
    rv_flight flight;
    scene->layer = RV_MOVING;
    while (rv_next_flight(&flights, &flight)) {
        const int32_t src = flight.transfer.src, dst = flight.transfer.dst;
        if (!flight.happens || flight.flown >= 1) continue;
        if (flight.flown > 0) {
            const bool crawls = best_ps > 0 && span_ps(&flight) > best_ps + best_ps / 4;
            if (crawls) draw_wait(stage, run, scene, ring, dst, src);
        } else if (rv_wait_in_step(run->model, src).peer == dst) {
            draw_wait(stage, run, scene, ring, src, dst);
        } else if (rv_wait_in_step(run->model, dst).peer == src) {
            draw_wait(stage, run, scene, ring, dst, src);
        }
    }
}
