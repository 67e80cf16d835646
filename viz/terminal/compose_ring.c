/* compose_ring.c: see compose_ring.h. The ranks around a loop; the panel of the figure. */
#include "terminal/compose_ring.h"
#include "stage/panel.h"

#include <string.h>

enum { MOST_STEPS = 256, MOST_PITCH = 26, LEAST_LOOP = 3, LEAST_WIRE = 5 };

/* ------------------------------------------------------------------------------- the loop */

/* Tells whether all transfers of a list go from each rank to the next: then a loop shows them. */
static bool is_loop(const rv_sent_list *list, int32_t n_ranks) {
    for (int i = 0; i < list->n; i++) {
        if (list->sent[i].dst != (list->sent[i].src + 1) % n_ranks) return false;
        if (i > 0 && list->sent[i].src == list->sent[i - 1].src) return false;
    }
    return true;
}

/* Where things lie: `top` ranks in the upper line, the others below them, from right to left. */
typedef struct loop {
    const rv_line_signs *signs;
    int top, pitch, y;
    int name; /* width of a rank's name */
    bool wide;
} loop;

static loop plan_loop(const rv_playback *playback, int width, int y) {
    const int32_t n = playback->subject.model->n_ranks;
    loop l = {.signs = rv_line_signs_of(playback), .top = (int)(n + 1) / 2, .y = y, .wide = true};
    for (int i = 0; i < 2; i++) {
        l.name = (l.wide ? 4 : 0) + (n > 10 ? 2 : 1);
        l.pitch = (width - 2 - l.name) / (l.top - 1);
        if (l.pitch - l.name - 4 >= (n > 10 ? 5 : 4)) break;
        l.wide = false;
    }
    if (l.pitch > MOST_PITCH) l.pitch = MOST_PITCH;
    return l;
}

static int column_of(const loop *l, int32_t rank, int32_t n_ranks) {
    return 1 + l->pitch * (rank < l->top ? (int)rank : (int)(n_ranks - 1 - rank) + (n_ranks % 2));
}

static const rv_sent *from(const rv_sent_list *list, int32_t rank) {
    for (int i = 0; i < list->n; i++) {
        if (list->sent[i].src == rank) return &list->sent[i];
    }
    return NULL;
}

static rv_style line_style(const rv_sent *sent) {
    return sent == NULL ? RV_DIM : sent->style == RV_WARNING ? RV_WARNING : RV_PLAIN;
}

/* Draws a wire across, from column x on, n columns long, with its head at the end that it leads to. */
static void draw_across(const rv_composition *page, const loop *l, const rv_sent *sent, int x,
                        int y, int n, bool right) {
    const rv_style style = line_style(sent);
    for (int i = 0; i < n; i++) rv_put(page->screen, x + i, y, 1, style, l->signs->across);
    rv_put(page->screen, right ? x + n - 1 : x, y, 1, style,
           right ? l->signs->to_right : l->signs->to_left);
    if (sent == NULL) return;
    const rv_moment moment = page->playback->subject.model->moment;
    const rv_moment seen = right || moment == RV_DONE ? moment
                           : moment == RV_SEND        ? RV_ARRIVE
                                                      : RV_SEND; /* it leaves at the right end */
    rv_put_sent(page->screen, right ? x + 1 : x + 2, y, n - 3, sent, seen);
}

static void draw_down(const rv_composition *page, const loop *l, const rv_sent *sent, int x,
                      bool down) {
    const rv_style style = line_style(sent);
    const int y = l->y;
    rv_put(page->screen, x, y + 1, 1, style, down ? l->signs->down : l->signs->to_top);
    rv_put(page->screen, x, y + 2, 1, style, l->signs->down);
    rv_put(page->screen, x, y + 3, 1, style, down ? l->signs->to_bottom : l->signs->down);
    if (sent == NULL) return;
    const int length = (int)strlen(sent->text), half = length / 2;
    const int left = x - half < 1                      ? 1
                     : x - half + length > page->width ? page->width - length
                                                       : x - half;
    rv_put(page->screen, left, y + 2, length, sent->style, sent->text);
}

/* Draws the wire out of a rank; it is in the upper line, in the lower one, or between the two. */
static void draw_wire(const rv_composition *page, const loop *l, const rv_sent *sent,
                      int32_t rank) {
    const int32_t n = page->playback->subject.model->n_ranks;
    const int x = column_of(l, rank, n), to = column_of(l, (rank + 1) % n, n), low = l->y + 4;
    const int end = l->name / 2;
    if (rank + 1 < l->top) {
        draw_across(page, l, sent, x + l->name + 1, l->y, to - x - l->name - 2, true);
    } else if (rank + 1 == l->top) {
        draw_down(page, l, sent, x + end, true);
    } else if (rank + 1 < n) {
        draw_across(page, l, sent, to + l->name + 1, low, x - to - l->name - 2, false);
    } else {
        draw_down(page, l, sent, 1 + end, false);
        if (n % 2 == 0) return;
        const rv_style style = line_style(sent);
        rv_put(page->screen, 1 + end, low, 1, style, l->signs->corner);
        for (int i = 2 + end; i < x - 1; i++) {
            rv_put(page->screen, i, low, 1, style, l->signs->across);
        }
    }
}

/* Where one wire has no room for its value, none shows it. */
static void make_alike(rv_sent_list *list, int room) {
    bool fit = true;
    for (int i = 0; i < list->n; i++) fit = fit && (int)strlen(list->sent[i].text) <= room;
    for (int i = 0; i < list->n && !fit; i++) {
        memcpy(list->sent[i].text, list->sent[i].short_text, sizeof list->sent[i].text);
    }
}

static void compose_loop(const rv_composition *page, rv_sent_list *list, bool bare, int y) {
    const int32_t n = page->playback->subject.model->n_ranks;
    const loop l = plan_loop(page->playback, page->width, y);
    make_alike(list, l.pitch - l.name - 5);
    for (int32_t rank = 0; rank < n; rank++) {
        draw_wire(page, &l, bare ? NULL : from(list, rank), rank);
    }
    for (int32_t rank = 0; rank < n; rank++) {
        rv_put_rank(page->playback, page->screen, column_of(&l, rank, n), rank < l.top ? y : y + 4,
                    rank, l.wide);
    }
}

static bool loop_fits(const rv_playback *playback, int width) {
    const int32_t n = playback->subject.model->n_ranks;
    if (n < LEAST_LOOP) return false;
    const loop l = plan_loop(playback, width, 0);
    return l.pitch - l.name - 2 >= LEAST_WIRE;
}

/* ------------------------------------------------------------------------------- the panel */

/* Returns the step whose wires are drawn: at the start the first, at the end the last. */
static int32_t step_of(const rv_model *model) {
    return model->step < 0 ? 0 : model->step >= model->n_steps ? model->n_steps - 1 : model->step;
}

/* Tells whether a loop shows every step of the run. */
static bool always_loop(const rv_playback *playback) {
    const rv_model *model = playback->subject.model;
    rv_sent_list list;
    for (int32_t step = 0; step < model->n_steps; step++) {
        if (!rv_list_sent(playback, step, &list) || !is_loop(&list, model->n_ranks)) return false;
    }
    return true;
}

int rv_ring_lines(rv_composition *page, int most) {
    const rv_model *model = page->playback->subject.model;
    const bool text = page->height == 0; /* the whole story: the table says what is sent */
    if (text || most < 2 || model->n_steps < 1 || model->n_steps > MOST_STEPS) return 0;
    if (model->n_ranks > RV_MOST_SENT) return 0;
    if (loop_fits(page->playback, page->width) && always_loop(page->playback)) {
        return RV_LOOP_LINES <= most ? RV_LOOP_LINES : 0;
    }
    return rv_arcs_lines(page->playback, page->width, most);
}

void rv_compose_ring(const rv_composition *page, int y, int n_lines) {
    const rv_model *model = page->playback->subject.model;
    rv_sent_list list;
    if (n_lines < 2 || !rv_list_sent(page->playback, step_of(model), &list)) return;
    const bool rests = model->step < 0 || model->step >= model->n_steps;
    const bool bare = rests || rv_is_hidden(page->playback);
    if (loop_fits(page->playback, page->width) && always_loop(page->playback)) {
        compose_loop(page, &list, bare, y);
    } else {
        rv_compose_arcs(page, &list, bare, y, n_lines);
    }
}
