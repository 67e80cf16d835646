/* compose_arcs.c: the ranks in a line, and below them what goes from one to another; see compose_ring.h.
 *
 *   - Two ranks that exchange the same chunks share an arc with two heads.
 *   - Arcs that do not touch share a line; the shortest come first.
 */
#include "terminal/compose_ring.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PITCH = 18, LEAST_PITCH = 6 };

typedef struct arcs {
    int pitch, name; /* columns from rank to rank; of a name */
    bool wide;
} arcs;

static arcs plan_arcs(int32_t n, int width) {
    arcs a = {.wide = true};
    for (int i = 0; i < 2; i++) {
        a.name = (a.wide ? 4 : 0) + (n > 10 ? 2 : 1);
        a.pitch = n > 1 ? (width - 3 - a.name) / (int)(n - 1) : MOST_PITCH;
        if (a.pitch >= a.name + 2) break;
        a.wide = false;
    }
    if (a.pitch > MOST_PITCH) a.pitch = MOST_PITCH;
    return a;
}

/* Makes one arc of two that go both ways with the same chunks. */
static void join_pairs(rv_sent_list *list) {
    int kept = 0;
    for (int i = 0; i < list->n; i++) {
        bool joined = false;
        for (int k = 0; k < kept && !joined; k++) {
            rv_sent *other = &list->sent[k];
            joined = !other->both && other->src == list->sent[i].dst &&
                     other->dst == list->sent[i].src &&
                     strcmp(other->short_text, list->sent[i].short_text) == 0;
            if (!joined) continue;
            other->both = true;
            if (list->sent[i].style == RV_CHOSEN) other->style = RV_CHOSEN;
            memcpy(other->text, other->short_text, sizeof other->text);
        }
        if (!joined) list->sent[kept++] = list->sent[i];
    }
    list->n = kept;
}

static int span(const rv_sent *sent) {
    return sent->src < sent->dst ? sent->dst - sent->src : sent->src - sent->dst;
}

/* Gives each arc a line; returns how many lines there are. */
static int place(rv_sent_list *list, int32_t n_ranks, int line[RV_MOST_SENT]) {
    bool taken[RV_MOST_SENT][RV_MOST_SENT] = {{false}};
    int n_lines = 0;
    join_pairs(list);
    for (int length = 1; length < n_ranks; length++) {
        for (int i = 0; i < list->n; i++) {
            const rv_sent *sent = &list->sent[i];
            if (span(sent) != length) continue;
            const int first = sent->src < sent->dst ? sent->src : sent->dst;
            int at = 0;
            for (bool free = false; !free; at += !free) {
                free = true;
                for (int c = first; c <= first + length; c++) free = free && !taken[at][c];
            }
            for (int c = first; c <= first + length; c++) taken[at][c] = true;
            line[i] = at;
            if (at >= n_lines) n_lines = at + 1;
        }
    }
    return n_lines;
}

int rv_arcs_lines(const rv_playback *playback, int width, int most) {
    const rv_model *model = playback->subject.model;
    int line[RV_MOST_SENT], wanted = 0;
    rv_sent_list list;
    if (plan_arcs(model->n_ranks, width).pitch < LEAST_PITCH || model->n_ranks < 2) return 0;
    for (int32_t step = 0; step < model->n_steps; step++) {
        if (!rv_list_sent(playback, step, &list)) return 0;
        const int n = place(&list, model->n_ranks, line);
        if (n > wanted) wanted = n;
    }
    return wanted > 0 && wanted + 1 <= most ? wanted + 1 : 0;
}

static void draw_arc(const rv_composition *page, const arcs *a, const rv_sent *sent, bool bare,
                     int y) {
    const rv_line_signs *signs = rv_line_signs_of(page->playback);
    const bool right = sent->dst > sent->src;
    const int middle = 1 + a->name / 2, first = right ? sent->src : sent->dst;
    const int x = middle + a->pitch * first, n = a->pitch * span(sent) + 1;
    const rv_style style = bare ? RV_DIM : sent->style == RV_WARNING ? RV_WARNING : RV_PLAIN;
    for (int i = 0; i < n; i++) rv_put(page->screen, x + i, y, 1, style, signs->across);
    const char *from = sent->both ? (right ? signs->to_left : signs->to_right) : signs->from;
    rv_put(page->screen, right ? x : x + n - 1, y, 1, style, from);
    rv_put(page->screen, right ? x + n - 1 : x, y, 1, style,
           right ? signs->to_right : signs->to_left);
    const rv_moment moment = page->playback->subject.model->moment;
    const rv_moment turned = moment == RV_SEND ? RV_ARRIVE : moment == RV_ARRIVE ? RV_SEND : moment;
    if (bare) return;
    rv_put_sent(page->screen, x + 2, y, n - 4, sent,
                sent->both ? RV_DONE
                : right    ? moment
                           : turned);
}

void rv_compose_arcs(const rv_composition *page, const rv_sent_list *list, bool bare, int y,
                     int n_lines) {
    const int32_t n = page->playback->subject.model->n_ranks;
    const arcs a = plan_arcs(n, page->width);
    rv_sent_list arcs_of = *list;
    int line[RV_MOST_SENT];
    for (int32_t rank = 0; rank < n; rank++) {
        rv_put_rank(page->playback, page->screen, 1 + a.pitch * (int)rank, y, rank, a.wide);
    }
    place(&arcs_of, n, line);
    for (int i = 0; i < arcs_of.n; i++) {
        if (line[i] + 1 < n_lines) draw_arc(page, &a, &arcs_of.sent[i], bare, y + 1 + line[i]);
    }
}
