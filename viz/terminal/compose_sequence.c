/* compose_sequence.c: who tells whom, in characters: a column for each lifeline, a line for each message.
 *
 *          -------- node 0 --------  -------- node 1 --------
 *           process 0    process 1    process 2    process 3
 *      1        |  x- connect: refused                 |          an x: it does not arrive
 *      2     listens         |            |            |
 *      3        |<-- hello --|            |            |
 *
 * The moment's lines stand out. Where not all have room, the last ones that are told are shown.
 */
#include "terminal/compose_frame.h"

#include <stdio.h>
#include <string.h>

enum { HEADS = 2, GUTTER = 4, TEXT = 160 };

typedef struct columns {
    const rv_sequence *s;
    const rv_line_signs *signs;
    rv_screen *screen;
    int pitch, width;
} columns;

int rv_sequence_lines(const rv_sequence *s) {
    return s->title != NULL ? HEADS + (int)s->n_messages : 0;
}

static int middle_of(const columns *c, int32_t line) {
    return GUTTER + (int)line * c->pitch + c->pitch / 2;
}

static void put_centred(const columns *c, int middle, int y, int most, rv_style style,
                        const char *text) {
    const int wide = rv_text_width(text), shown = wide < most ? wide : most;
    int x = middle - shown / 2;
    if (x + shown > c->screen->width - 1) x = c->screen->width - 1 - shown;
    if (x < GUTTER) x = GUTTER;
    rv_put_words(c->screen, x, y, shown, style, text);
}

static void put_heads(const columns *c, int32_t rank, int y) {
    const rv_sequence *s = c->s;
    for (int32_t from = 0, to; from < s->n_lines; from = to) {
        const char *group = s->lines[from].group;
        for (to = from + 1; to < s->n_lines && group != NULL; to++) {
            if (s->lines[to].group == NULL || strcmp(s->lines[to].group, group) != 0) break;
        }
        if (group == NULL) continue;
        const int x = GUTTER + (int)from * c->pitch + 1, wide = (int)(to - from) * c->pitch - 2;
        for (int i = 0; i < wide; i++) rv_put(c->screen, x + i, y, 1, RV_DIM, c->signs->across);
        char text[TEXT];
        snprintf(text, sizeof text, " %s ", group);
        put_centred(c, x + wide / 2, y, wide, RV_DIM, text);
    }
    for (int32_t i = 0; i < s->n_lines; i++) {
        const rv_lifeline *line = &s->lines[i];
        char number[16];
        snprintf(number, sizeof number, "%d", (int)line->rank);
        const bool fits = line->rank < 0 || rv_text_width(line->name) < c->pitch;
        put_centred(c, middle_of(c, i), y + 1, c->pitch - 1,
                    line->rank >= 0 && line->rank == rank ? RV_CHOSEN : RV_DIM,
                    fits ? line->name : number);
    }
}

/* Draws the lifelines of a line, in the style of how each stands. */
static void put_lifelines(const columns *c, int32_t message, int y) {
    for (int32_t i = 0; i < c->s->n_lines; i++) {
        const rv_tone tone = c->s->stands[message * c->s->n_lines + i];
        const rv_style style = tone == RV_TONE_PLAIN ? RV_DIM : rv_tone_style(tone);
        rv_put(c->screen, middle_of(c, i), y, 1, style, c->signs->down);
    }
}

/* Writes what is said between two lifelines, or beside them where it does not fit. */
static void put_words(const columns *c, const rv_message *m, int low, int high, int y,
                      rv_style style) {
    char text[TEXT];
    snprintf(text, sizeof text, " %s ", m->text);
    const int wide = rv_text_width(text);
    if (wide <= high - low - 4) {
        put_centred(c, (low + high + 1) / 2, y, wide, style, text);
    } else if (high + 2 + wide <= c->screen->width) {
        rv_put_words(c->screen, high + 1, y, wide, style, text);
    } else {
        const int x = low - wide < GUTTER ? GUTTER : low - wide;
        rv_put_words(c->screen, x, y, low - x, style, text);
    }
}

static void put_shaft(const columns *c, const rv_message *m, int x0, int x1, int y,
                      rv_style style) {
    const int way = x0 < x1 ? 1 : -1;
    for (int x = x0 + way; x != x1; x += way) {
        if (m->lost && (x - x0) % 2 == 0) continue;
        rv_put(c->screen, x, y, 1, style, c->signs->across);
    }
}

static void put_ends(const columns *c, const rv_message *m, int x0, int x1, int y, rv_style style) {
    const char *head = m->lost ? "x" : x0 < x1 ? c->signs->to_right : c->signs->to_left;
    rv_put(c->screen, x0 < x1 ? x1 - 1 : x1 + 1, y, 1, style, head);
    rv_put(c->screen, x0, y, 1, style, c->signs->from);
}

static void put_alone(const columns *c, const rv_message *m, int y, rv_style style) {
    const int32_t from = m->from >= 0 ? m->from : 0;
    const int32_t to = m->from >= 0 ? m->from + 1 : c->s->n_lines;
    const bool fits = rv_text_width(m->text) < c->pitch;
    for (int32_t i = from; i < to; i++) {
        if (m->from < 0 && c->s->lines[i].apart) continue;
        if (fits) {
            put_centred(c, middle_of(c, i), y, c->pitch - 1, style, m->text);
        } else {
            rv_put(c->screen, middle_of(c, i), y, 1, style, c->signs->from);
        }
    }
    if (!fits) put_words(c, m, middle_of(c, from), middle_of(c, to - 1), y, style);
}

static void put_message(const columns *c, const rv_message *m, bool now, int y) {
    const rv_style style = m->tone == RV_TONE_BAD ? RV_WARNING : now ? RV_BOLD : RV_PLAIN;
    const bool many = m->from < 0 || m->to < 0;
    const int32_t n = many ? c->s->n_lines : 1;
    int low = c->screen->width, high = 0;
    if (m->text == NULL) return;
    if (m->from == m->to) {
        put_alone(c, m, y, style);
        return;
    }
    for (int32_t k = 0; k < 2 * n;
         k++) { /* the arrows, then once more their ends, which others cover */
        const int32_t i = k % n;
        const int32_t from = m->from >= 0 ? m->from : i, to = m->to >= 0 ? m->to : i;
        if (from == to || (many && c->s->lines[i].apart)) continue;
        const int a = middle_of(c, from), b = middle_of(c, to);
        if (k < n) put_shaft(c, m, a, b, y, style);
        put_ends(c, m, a, b, y, style);
        if ((a < b ? a : b) < low) low = a < b ? a : b;
        if ((a > b ? a : b) > high) high = a > b ? a : b;
    }
    /* between the first two, if that is enough room */
    if (many && rv_text_width(m->text) + 6 <= c->pitch) high = low + c->pitch;
    put_words(c, m, low, high, y, style);
}

void rv_compose_sequence(const rv_playback *playback, const rv_sequence *s, rv_screen *screen,
                         int y, int n_lines) {
    const int room = screen->width - GUTTER - 1;
    const columns c = {s, rv_line_signs_of(playback), screen, room / (int)s->n_lines, room};
    const int rows = n_lines - HEADS;
    const int32_t step = rv_position_of(playback).step;
    if (c.pitch < 3 || rows < 1) return;
    put_heads(&c, playback->rank, y);
    y += HEADS;
    int32_t first = s->n_told - rows, last = -1;
    if (first < 0) first = 0;
    for (int32_t m = first; m < s->n_told; m++, y++) {
        const bool now = s->messages[m].step == step;
        char number[16];
        snprintf(number, sizeof number, "%3d", (int)s->messages[m].step);
        if (s->messages[m].step != last) {
            rv_put(screen, 0, y, 3, now ? RV_BOLD : RV_DIM, number);
        }
        last = s->messages[m].step;
        put_lifelines(&c, m, y);
        put_message(&c, &s->messages[m], now, y);
    }
}
