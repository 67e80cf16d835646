/* compose_sent.c: what is sent in a step, as wires show it, and the signs of the figure; see compose_ring.h. */
#include "terminal/compose_ring.h"

#include <stdio.h>
#include <string.h>

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
                     rv_sent *out) {
    const rv_model *model = playback->subject.model;
    const bool real = rv_happened(model, step, t), adds = t->effect == RS_REDUCE;
    const char *sign = !real ? "x" : adds ? "+" : "=";
    char chunks[24], value[96] = "";
    snprintf(chunks, sizeof chunks, "c%d", (int)t->chunk);
    if (t->n_chunks > 1) {
        snprintf(chunks, sizeof chunks, "c%d..%d", (int)t->chunk,
                 (int)(t->chunk + t->n_chunks - 1));
    }
    *out = (rv_sent){.src = t->src, .dst = t->dst, .chunk = t->chunk};
    out->style = !real                      ? RV_WARNING
                 : t->src == playback->rank ? RV_CHOSEN
                 : adds                     ? RV_ADDING
                                            : RV_COPYING;
    if (step == model->step && is_as_sent(model, t)) {
        rv_value_at(model, t->src, t->chunk, value, sizeof value);
    }
    snprintf(out->short_text, sizeof out->short_text, "%s%s", chunks, sign);
    snprintf(out->text, sizeof out->text, "%s %.*s%s%s", chunks, RV_SENT_BYTES / 2, value,
             value[0] != '\0' ? " " : "", sign);
}

bool rv_list_sent(const rv_playback *playback, int32_t step, rv_sent_list *list) {
    const rs_schedule *s = playback->subject.model->schedule;
    rs_transfer sent[RV_MOST_SENT];
    list->n = 0;
    if (s->max_sends > RV_MOST_SENT) return false;
    for (int32_t rank = 0; rank < s->n_ranks; rank++) {
        const int n = s->sends(s, step, rank, sent);
        if (list->n + n > RV_MOST_SENT) return false;
        for (int i = 0; i < n; i++) describe(playback, step, &sent[i], &list->sent[list->n++]);
    }
    return true;
}

/* ------------------------------------------------------------------------------- its pieces */

int rv_put_rank(const rv_playback *playback, rv_screen *screen, int x, int y, int32_t rank,
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
    return (int)strlen(name);
}

void rv_put_sent(rv_screen *screen, int x, int y, int n, const rv_sent *sent, rv_moment moment) {
    const char *text = (int)strlen(sent->text) <= n ? sent->text : sent->short_text;
    const int free = n - (int)strlen(text);
    if (free < 0) return;
    const int at = moment == RV_SEND ? 0 : moment == RV_ARRIVE ? free : free / 2;
    rv_put(screen, x + at, y, n, sent->style, text);
}
