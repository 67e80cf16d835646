/* compose_ring.c: the panel of ranks, wires and what travels on them, above the table.
 *
 *     > GPU 0 --c0 1 +--> GPU 1 --c1 20 +-> GPU 2       a loop, where all send to their neighbours
 *         ^                                   |
 *     c4 50005 +                           c2 300 +
 *         |                                   v
 *         +-------------- GPU 4 <-c3 4000 +-GPU 3
 *
 *       GPU 0      GPU 1      GPU 2      GPU 3          arcs, for all others
 *         <---c0 10 +--o        <---c0 1000 +-o
 *
 *   - It is as high at every step of a run, so that nothing below it moves.
 *   - Arcs: two ranks that exchange the same chunks share one with two heads; those that do not touch share
 *     a line; the shortest come first.
 */
#include "stage/panel.h"
#include "terminal/compose.h"

#include <stdio.h>
#include <string.h>

enum { MOST_STEPS = 256, LEAST_LOOP = 3, LEAST_WIRE = 5 };
enum { LOOP_PITCH = 26, ARC_PITCH = 18, LEAST_ARC_PITCH = 6 }; /* columns from rank to rank */
enum { MOST_SENT = 32, SENT_BYTES = 64, LOOP_LINES = 5 };

/* What one rank sends to another in a step, as a wire shows it. */
typedef struct sent_item {
    int32_t src, dst, chunk;
    bool both;                   /* the same goes the other way */
    char text[SENT_BYTES];       /* "c0 50005 +" */
    char short_text[SENT_BYTES]; /* "c0+" */
    rv_style style;
} sent_item;

typedef struct sent_list {
    sent_item sent[MOST_SENT];
    int n;
} sent_list;

static const rv_line_signs utf8 = {"─", "│", "▶", "◀", "▲", "▼", "└", "●"};
static const rv_line_signs ascii = {"-", "|", ">", "<", "^", "v", "+", "o"};

const rv_line_signs *rv_line_signs_of(const rv_playback *playback) {
    return playback->ascii ? &ascii : &utf8;
}

/* ----------------------------------------------------------------------------- what is sent */

/* Tells whether the cell at the sender still holds what it has sent. */
static bool is_as_sent(const rv_model *model, const rs_transfer *t) {
    if (!model->values || !model->cells || t->n_chunks != 1) return false;
    const rv_mark mark = rv_mark_at(model, t->src, t->chunk);
    return mark == RV_SAME || mark == RV_LEAVES;
}

static void describe(const rv_playback *playback, int32_t step, const rs_transfer *t,
                     sent_item *out) {
    const rv_model *model = playback->subject.model;
    const bool real = rv_happened(model, step, t), adds = t->effect == RS_REDUCE;
    const char *sign = !real ? "x" : adds ? "+" : "=";
    char chunks[24], value[96] = "";
    snprintf(chunks, sizeof chunks, "c%d", (int)t->chunk);
    if (t->n_chunks > 1) {
        snprintf(chunks, sizeof chunks, "c%d..%d", (int)t->chunk,
                 (int)(t->chunk + t->n_chunks - 1));
    }
    *out = (sent_item){.src = t->src, .dst = t->dst, .chunk = t->chunk};
    out->style = !real                      ? RV_WARNING
                 : t->src == playback->rank ? RV_CHOSEN
                 : adds                     ? RV_ADDING
                                            : RV_COPYING;
    if (step == model->step && is_as_sent(model, t)) {
        rv_value_at(model, t->src, t->chunk, value, sizeof value);
    }
    snprintf(out->short_text, sizeof out->short_text, "%s%s", chunks, sign);
    snprintf(out->text, sizeof out->text, "%s %.*s%s%s", chunks, SENT_BYTES / 2, value,
             value[0] != '\0' ? " " : "", sign);
}

/* Lists what is sent in a step; false: it is more than a figure can show. */
static bool list_sent(const rv_playback *playback, int32_t step, sent_list *list) {
    const rs_schedule *s = playback->subject.model->schedule;
    rs_transfer sent[MOST_SENT];
    list->n = 0;
    if (s->max_sends > MOST_SENT) return false;
    for (int32_t rank = 0; rank < s->n_ranks; rank++) {
        const int n = s->sends(s, step, rank, sent);
        if (list->n + n > MOST_SENT) return false;
        for (int i = 0; i < n; i++) describe(playback, step, &sent[i], &list->sent[list->n++]);
    }
    return true;
}

/* ------------------------------------------------------------------------------- its pieces */

/* Writes a rank's name, as the table does; `wide`: "GPU 3", else "3". */
static void put_rank(const rv_playback *playback, rv_screen *screen, int x, int y, int32_t rank,
                     bool wide) {
    const rv_model *model = playback->subject.model;
    const bool dead = rv_is_dead(model, rank);
    char own[RV_RANK_NAME], name[RV_RANK_NAME + 1];
    rv_rank_name(model, rank, own);
    if (!wide || strlen(own) > 6) snprintf(own, sizeof own, "%d", (int)rank);
    snprintf(name, sizeof name, "%s%s", own, dead ? "x" : "");
    rv_put(screen, x, y, screen->width - x,
           dead                     ? RV_WARNING
           : rank == playback->rank ? RV_CHOSEN
                                    : RV_BOLD,
           name);
}

/* Writes in the middle of n columns what fits: the text, the short one, or nothing. */
static void put_sent(rv_screen *screen, int x, int y, int n, const sent_item *sent,
                     rv_moment moment) {
    const char *text = (int)strlen(sent->text) <= n ? sent->text : sent->short_text;
    const int free = n - (int)strlen(text);
    if (free < 0) return;
    const int at = moment == RV_SEND ? 0 : moment == RV_ARRIVE ? free : free / 2;
    rv_put(screen, x + at, y, n, sent->style, text);
}

static rv_style line_style(const sent_item *sent) {
    return sent == NULL ? RV_DIM : sent->style == RV_WARNING ? RV_WARNING : RV_PLAIN;
}

/* Draws a wire across, from column x on, n columns long, with its head at the end that it leads to, and
   what travels on it (NULL: nothing); `tail`: the sign at the other end, NULL: none. */
static void draw_across(const rv_composition *page, const sent_item *sent, int x, int y, int n,
                        bool right, const char *tail) {
    const rv_line_signs *signs = rv_line_signs_of(page->playback);
    const rv_style style = line_style(sent);
    for (int i = 0; i < n; i++) rv_put(page->screen, x + i, y, 1, style, signs->across);
    if (tail != NULL) rv_put(page->screen, right ? x : x + n - 1, y, 1, style, tail);
    rv_put(page->screen, right ? x + n - 1 : x, y, 1, style,
           right ? signs->to_right : signs->to_left);
    if (sent == NULL) return;
    const rv_moment moment = page->playback->subject.model->moment;
    const rv_moment seen = sent->both                   ? RV_DONE
                           : right || moment == RV_DONE ? moment
                           : moment == RV_SEND          ? RV_ARRIVE
                                                        : RV_SEND; /* it leaves at the right end */
    put_sent(page->screen, tail != NULL || !right ? x + 2 : x + 1, y, tail != NULL ? n - 4 : n - 3,
             sent, seen);
}

/* ------------------------------------------------------------------------------- the loop */

/* Tells whether all transfers of a list go from each rank to the next: then a loop shows them. */
static bool is_loop(const sent_list *list, int32_t n_ranks) {
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
    if (l.pitch > LOOP_PITCH) l.pitch = LOOP_PITCH;
    return l;
}

static int column_of(const loop *l, int32_t rank, int32_t n_ranks) {
    return 1 + l->pitch * (rank < l->top ? (int)rank : (int)(n_ranks - 1 - rank) + (n_ranks % 2));
}

static const sent_item *from(const sent_list *list, int32_t rank) {
    for (int i = 0; i < list->n; i++) {
        if (list->sent[i].src == rank) return &list->sent[i];
    }
    return NULL;
}

static void draw_down(const rv_composition *page, const loop *l, const sent_item *sent, int x,
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
static void draw_wire(const rv_composition *page, const loop *l, const sent_item *sent,
                      int32_t rank) {
    const int32_t n = page->playback->subject.model->n_ranks;
    const int x = column_of(l, rank, n), to = column_of(l, (rank + 1) % n, n), low = l->y + 4;
    const int end = l->name / 2;
    if (rank + 1 < l->top) {
        draw_across(page, sent, x + l->name + 1, l->y, to - x - l->name - 2, true, NULL);
    } else if (rank + 1 == l->top) {
        draw_down(page, l, sent, x + end, true);
    } else if (rank + 1 < n) {
        draw_across(page, sent, to + l->name + 1, low, x - to - l->name - 2, false, NULL);
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
static void make_alike(sent_list *list, int room) {
    bool fit = true;
    for (int i = 0; i < list->n; i++) fit = fit && (int)strlen(list->sent[i].text) <= room;
    for (int i = 0; i < list->n && !fit; i++) {
        memcpy(list->sent[i].text, list->sent[i].short_text, sizeof list->sent[i].text);
    }
}

static void compose_loop(const rv_composition *page, sent_list *list, bool bare, int y) {
    const int32_t n = page->playback->subject.model->n_ranks;
    const loop l = plan_loop(page->playback, page->width, y);
    make_alike(list, l.pitch - l.name - 5);
    for (int32_t rank = 0; rank < n; rank++) {
        draw_wire(page, &l, bare ? NULL : from(list, rank), rank);
    }
    for (int32_t rank = 0; rank < n; rank++) {
        put_rank(page->playback, page->screen, column_of(&l, rank, n), rank < l.top ? y : y + 4,
                 rank, l.wide);
    }
}

static bool loop_fits(const rv_playback *playback, int width) {
    const int32_t n = playback->subject.model->n_ranks;
    if (n < LEAST_LOOP) return false;
    const loop l = plan_loop(playback, width, 0);
    return l.pitch - l.name - 2 >= LEAST_WIRE;
}

/* ------------------------------------------------------------------------------- the arcs */

typedef struct arcs {
    int pitch, name; /* columns from rank to rank; of a name */
    bool wide;
} arcs;

static arcs plan_arcs(int32_t n, int width) {
    arcs a = {.wide = true};
    for (int i = 0; i < 2; i++) {
        a.name = (a.wide ? 4 : 0) + (n > 10 ? 2 : 1);
        a.pitch = n > 1 ? (width - 3 - a.name) / (int)(n - 1) : ARC_PITCH;
        if (a.pitch >= a.name + 2) break;
        a.wide = false;
    }
    if (a.pitch > ARC_PITCH) a.pitch = ARC_PITCH;
    return a;
}

/* Makes one arc of two that go both ways with the same chunks. */
static void join_pairs(sent_list *list) {
    int kept = 0;
    for (int i = 0; i < list->n; i++) {
        bool joined = false;
        for (int k = 0; k < kept && !joined; k++) {
            sent_item *other = &list->sent[k];
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

static int span(const sent_item *sent) {
    return sent->src < sent->dst ? sent->dst - sent->src : sent->src - sent->dst;
}

/* Gives each arc a line; returns how many lines there are. */
static int place(sent_list *list, int32_t n_ranks, int line[MOST_SENT]) {
    bool taken[MOST_SENT][MOST_SENT] = {{false}};
    int n_lines = 0;
    join_pairs(list);
    for (int length = 1; length < n_ranks; length++) {
        for (int i = 0; i < list->n; i++) {
            const sent_item *sent = &list->sent[i];
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

/* Returns how many lines the arcs of all steps need at most, with the names above them; 0: they do not fit. */
static int arcs_lines(const rv_playback *playback, int width, int most) {
    const rv_model *model = playback->subject.model;
    int line[MOST_SENT], wanted = 0;
    sent_list list;
    if (plan_arcs(model->n_ranks, width).pitch < LEAST_ARC_PITCH || model->n_ranks < 2) return 0;
    for (int32_t step = 0; step < model->n_steps; step++) {
        if (!list_sent(playback, step, &list)) return 0;
        const int n = place(&list, model->n_ranks, line);
        if (n > wanted) wanted = n;
    }
    return wanted > 0 && wanted + 1 <= most ? wanted + 1 : 0;
}

static void draw_arc(const rv_composition *page, const arcs *a, const sent_item *sent, bool bare,
                     int y) {
    const rv_line_signs *signs = rv_line_signs_of(page->playback);
    const bool right = sent->dst > sent->src;
    const int x = 1 + a->name / 2 + a->pitch * (right ? sent->src : sent->dst);
    const char *tail = !sent->both ? signs->from : right ? signs->to_left : signs->to_right;
    draw_across(page, bare ? NULL : sent, x, y, a->pitch * span(sent) + 1, right, tail);
}

/* Draws the arcs of what is sent in a step; `bare`: without a word of it. */
static void compose_arcs(const rv_composition *page, const sent_list *list, bool bare, int y,
                         int n_lines) {
    const int32_t n = page->playback->subject.model->n_ranks;
    const arcs a = plan_arcs(n, page->width);
    sent_list arcs_of = *list;
    int line[MOST_SENT];
    for (int32_t rank = 0; rank < n; rank++) {
        put_rank(page->playback, page->screen, 1 + a.pitch * (int)rank, y, rank, a.wide);
    }
    place(&arcs_of, n, line);
    for (int i = 0; i < arcs_of.n; i++) {
        if (line[i] + 1 < n_lines) draw_arc(page, &a, &arcs_of.sent[i], bare, y + 1 + line[i]);
    }
}

/* ------------------------------------------------------------------------------- the panel */

/* Returns the step whose wires are drawn: at the start the first, at the end the last. */
static int32_t step_of(const rv_model *model) {
    return model->step < 0 ? 0 : model->step >= model->n_steps ? model->n_steps - 1 : model->step;
}

/* Tells whether a loop shows every step of the run. */
static bool always_loop(const rv_playback *playback) {
    const rv_model *model = playback->subject.model;
    sent_list list;
    for (int32_t step = 0; step < model->n_steps; step++) {
        if (!list_sent(playback, step, &list) || !is_loop(&list, model->n_ranks)) return false;
    }
    return true;
}

int rv_ring_lines(rv_composition *page, int most) {
    const rv_model *model = page->playback->subject.model;
    const bool text = page->height == 0; /* the whole story: the table says what is sent */
    if (text || most < 2 || model->n_steps < 1 || model->n_steps > MOST_STEPS) return 0;
    if (model->n_ranks > MOST_SENT) return 0;
    if (loop_fits(page->playback, page->width) && always_loop(page->playback)) {
        return LOOP_LINES <= most ? LOOP_LINES : 0;
    }
    return arcs_lines(page->playback, page->width, most);
}

void rv_compose_ring(const rv_composition *page, int y, int n_lines) {
    const rv_model *model = page->playback->subject.model;
    sent_list list;
    if (n_lines < 2 || !list_sent(page->playback, step_of(model), &list)) return;
    const bool rests =
        model->step < 0 || model->step >= model->n_steps || model->moment == RV_BETWEEN;
    const bool bare = rests || rv_is_hidden(page->playback);
    if (loop_fits(page->playback, page->width) && always_loop(page->playback)) {
        compose_loop(page, &list, bare, y);
    } else {
        compose_arcs(page, &list, bare, y, n_lines);
    }
}
