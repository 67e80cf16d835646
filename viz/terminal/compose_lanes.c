/* compose_lanes.c: a story's timeline in characters: a line for each lane, a character for each
 * stretch of time.
 *
 *     GPU 0       ####====####        ####
 *     GPU 0 comm      ++++    ++++++++
 *     0              |                3.2 ms      | the moment shown
 *     # forward  = backward  + all-reduce
 */
#include "terminal/compose_frame.h"

#include <assert.h>
#include <stdio.h>

enum { MOST_WIDE = 1000, LINE = 256 };

/* Returns the sign of a kind: hatched kinds, such as waiting, have lighter ones. */
static char sign_of(const rv_story *story, int32_t kind) {
    static const char full[] = "#=+o@%x&$w", light[] = "./:~-'`,;_";
    int32_t n = 0;
    for (int32_t i = 0; i < kind; i++) n += story->kinds[i].hatched == story->kinds[kind].hatched;
    return story->kinds[kind].hatched ? light[n] : full[n];
}

/* Returns the width of the names, without the blank before them and the one after them. */
static int heads_width(const rv_story *story, int width) {
    int heads = 0;
    for (int32_t lane = 0; lane < story->n_lanes; lane++) {
        char name[RV_LANE_NAME];
        const int wide = rv_text_width(rv_lane_text(story, lane, name, sizeof name));
        if (wide > heads) heads = wide;
    }
    return heads > width / 3 ? width / 3 : heads;
}

/* Writes the legend, or with screen NULL only counts its lines. */
static int put_kinds(const rv_story *story, rv_screen *screen, int left, int y, int width) {
    int x = left, lines = 1;
    for (int32_t k = 0; k < rv_count_kinds(story); k++) {
        char text[LINE];
        snprintf(text, sizeof text, "%c %s", sign_of(story, k), rv_kind_word(story, k));
        const int wide = rv_text_width(text);
        if (x > left && x + wide > width) x = left, lines++;
        if (screen != NULL) {
            rv_put_words(screen, x, y + lines - 1, width - x, rv_tone_style(story->kinds[k].tone),
                         text);
        }
        x += wide + 2;
    }
    return lines;
}

int rv_lanes_lines(const rv_story *story, int width) {
    if (story->n_lanes < 1) return 0;
    const int left = 2 + heads_width(story, width);
    return story->n_lanes + 1 + put_kinds(story, NULL, left, 0, width);
}

/* What each character of a lane shows: the kind whose span fills most of its time. */
typedef struct strip {
    int64_t time_ps[MOST_WIDE]; /* how much of it that span fills; 0: nothing */
    int8_t kind[MOST_WIDE];     /* -1: none */
    bool lit[MOST_WIDE];
} strip;

static void add_work(const rv_story *story, const rv_work_span *work, bool lit, int n, strip *s) {
    const int64_t end_ps = story->end_ps > 0 ? story->end_ps : 1;
    const double per = (double)end_ps / n;
    int first = (int)((double)work->start_ps / per), last = (int)((double)work->end_ps / per);
    if (first >= n) first = n - 1;
    if (last >= n) last = n - 1;
    for (int i = first < 0 ? 0 : first; i <= last; i++) {
        const int64_t from_ps = (int64_t)(i * per), to_ps = (int64_t)((i + 1) * per);
        const int64_t a = work->start_ps > from_ps ? work->start_ps : from_ps;
        const int64_t b = work->end_ps < to_ps ? work->end_ps : to_ps;
        if (b - a < s->time_ps[i] || (b <= a && s->kind[i] >= 0)) continue;
        s->time_ps[i] = b - a;
        s->kind[i] = (int8_t)work->kind;
        s->lit[i] = lit;
    }
}

static void draw_lane(const rv_story *story, int32_t lane, int32_t step, rv_screen *screen, int x,
                      int y, int n) {
    strip s = {0};
    assert(n <= MOST_WIDE && lane >= 0 && lane < story->n_lanes);
    for (int i = 0; i < n; i++) s.kind[i] = -1;
    for (int64_t i = 0; i < story->n_spans; i++) {
        const rv_work_span *work = &story->spans[i];
        if (work->lane != lane || work->kind < 0 || work->kind >= rv_count_kinds(story)) continue;
        add_work(story, work, work->step >= 0 && work->step == step, n, &s);
    }
    for (int i = 0; i < n; i++) {
        if (s.kind[i] < 0) continue;
        const char text[2] = {sign_of(story, s.kind[i]), '\0'};
        const rv_tone tone = story->kinds[s.kind[i]].tone;
        const rv_style style = rv_tone_style(tone);
        rv_put(screen, x + i, y, 1, s.lit[i] ? RV_CHOSEN : style, text);
    }
}

/* Returns the first of n lanes to show where not all fit, so that the moment's work is among
   them. */
static int32_t first_lane(const rv_story *story, int32_t step, int n) {
    int32_t wanted = 0;
    for (int64_t i = 0; i < story->n_spans; i++) {
        if (story->spans[i].step != step || step < 0) continue;
        wanted = story->spans[i].lane;
        break;
    }
    const int32_t last = story->n_lanes - n, first = wanted - n / 2;
    return first < 0 ? 0 : first > last ? last : first;
}

/* Draws "0        ^ 3 us        6 us": the moment's time stands on the side where it fits. */
static void draw_axis(const rv_story *story, int64_t now_ps, rv_screen *screen, int x, int y,
                      int n) {
    char end[32], now[32];
    rv_format_time(story->end_ps, end, sizeof end);
    rv_format_time(now_ps > 0 ? now_ps : 0, now, sizeof now);
    const int wide = rv_text_width(end), room = rv_text_width(now) + 1;
    rv_put(screen, x, y, n, RV_DIM, "0");
    int at = -1;
    if (now_ps >= 0 && story->end_ps > 0) {
        at = (int)((double)now_ps / (double)story->end_ps * n);
        if (at > n - 1) at = n - 1;
    }
    if (wide + 2 < n && at < n - wide - 1) {
        rv_put(screen, x + n - wide, y, wide, RV_DIM, end);
    }
    if (at < 0) return;
    rv_put(screen, x + at, y, 1, RV_CHOSEN, "^");
    if (now_ps == 0) return;
    if (at + 1 + room < n - wide - 1) {
        rv_put(screen, x + at + 2, y, room, RV_CHOSEN, now);
    } else if (at - room > 1) {
        rv_put(screen, x + at - room, y, room, RV_CHOSEN, now);
    }
}

void rv_compose_lanes(const rv_story *story, int32_t step, int64_t now_ps, rv_screen *screen, int y,
                      int n_lines) {
    const int heads = heads_width(story, screen->width);
    const int x = 1 + heads + 1;
    int n = screen->width - x - 1;
    if (n > MOST_WIDE) n = MOST_WIDE;
    if (n < 4 || n_lines < 2) return;
    const int wanted = put_kinds(story, NULL, x, 0, screen->width);
    /* beside the axis and some lanes */
    const int spare = n_lines - 1 - (story->n_lanes < 2 ? 1 : 2);
    const int legend = spare < 0 ? 0 : wanted < spare ? wanted : spare;
    const int room = n_lines - 1 - legend;
    const int rows = story->n_lanes < room ? story->n_lanes : room;
    const int32_t first = first_lane(story, step, rows);
    for (int32_t lane = first; lane < first + rows; lane++, y++) {
        char name[RV_LANE_NAME];
        rv_put_words(screen, 1, y, heads, RV_DIM, rv_lane_text(story, lane, name, sizeof name));
        draw_lane(story, lane, step, screen, x, y, n);
    }
    draw_axis(story, now_ps, screen, x, y++, n);
    if (legend >= wanted) put_kinds(story, screen, x, y, screen->width);
}
