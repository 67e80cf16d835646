/* compose_plot.c: curves and bars in characters.
 *
 *     loss                                     # GPU 0   = GPU 1
 *     2.3 |##                                  memory
 *         |  ##                                GPU 0 |################ 1.2 GB
 *     0.1 |    ####|####                       GPU 1 |######## 0.6 GB
 *         0        ^ 8       20 steps
 */
#include "terminal/compose_frame.h"
#include "text/say.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>

enum { CURVE_LINES = 8, LINE = 256, MOST_NAME = 24 };
static const char SIGNS[] = "*o+x#@%&=~$^", SEVERAL = ':';
_Static_assert(sizeof SIGNS > RV_MOST_SERIES, "a sign for each series");

static int32_t longest(const rv_plot *plot) {
    int32_t n = 0;
    for (int32_t s = 0; s < plot->n_series; s++) {
        if (plot->series[s].n > n) n = plot->series[s].n;
    }
    return n;
}

int rv_plot_lines(const rv_plot *plot) {
    if (plot->n_series < 1) return 0;
    if (!plot->bars) return CURVE_LINES;
    return 1 + longest(plot) * plot->n_series + (plot->n_series > 1 ? 1 : 0);
}

/* Writes the title and all names, in as many lines as they take; returns how many those are. */
static int draw_title(const rv_plot *plot, rv_screen *screen, int x, int y, int width) {
    char text[LINE];
    rv_say_plot(plot, text, sizeof text);
    int at = rv_put_words(screen, x, y, width, RV_BOLD, text) + 2, lines = 1;
    for (int32_t s = 0; s < plot->n_series && plot->n_series > 1; s++) {
        snprintf(text, sizeof text, "%c %s", SIGNS[s],
                 plot->series[s].name != NULL ? plot->series[s].name : "");
        if (at + rv_text_width(text) > x + width && at > x) at = x, lines++;
        at =
            rv_put(screen, at, y + lines - 1, width, rv_tone_style(plot->series[s].tone), text) + 2;
    }
    return lines;
}

/* ---------------------------------------------------------------------------------------- bars */

static void draw_bars(const rv_plot *plot, rv_screen *screen, int x, int y, int width,
                      int n_lines) {
    double most = plot->most;
    int names = 0;
    for (int32_t s = 0; s < plot->n_series; s++) {
        for (int32_t i = 0; i < plot->series[s].n; i++) {
            most = fmax(most, plot->series[s].y[i]);
            const char *name = plot->series[s].names != NULL ? plot->series[s].names[i] : "";
            const int wide = rv_text_width(name);
            if (wide > names) names = wide;
        }
    }
    if (names > MOST_NAME) names = MOST_NAME;
    if (names == 0) names = 4;
    const int room = width - names - 3 - 10;
    int used = 0;
    for (int32_t i = 0; i < longest(plot) && room > 3; i++) {
        for (int32_t s = 0; s < plot->n_series && used < n_lines; s++) {
            const rv_series *series = &plot->series[s];
            if (i >= series->n) continue;
            char text[64];
            if (series->names != NULL) {
                snprintf(text, sizeof text, "%.60s", series->names[i]);
            } else {
                rv_say_text(text, sizeof text, "%g", series->x[i]);
            }
            if (s == 0) rv_put_words(screen, x, y + used, names, RV_DIM, text);
            rv_put(screen, x + names + 1, y + used, 1, RV_DIM, "|");
            const int n = most > 0 ? (int)lround(series->y[i] / most * room) : 0;
            const char sign[2] = {plot->n_series > 1 ? SIGNS[s] : '#', '\0'};
            for (int c = 0; c < n; c++) {
                rv_put(screen, x + names + 2 + c, y + used, 1, rv_tone_style(series->tone), sign);
            }
            snprintf(text, sizeof text, "%.4g", series->y[i]);
            rv_put(screen, x + names + 3 + n, y + used, width, RV_PLAIN, text);
            used++;
        }
    }
}

/* -------------------------------------------------------------------------------------- curves */

typedef struct span {
    double x0, x1, y0, y1;
    int aside; /* columns behind the last point, for signs that find theirs taken */
} span;

static bool span_of(const rv_plot *plot, span *out) {
    *out = (span){INFINITY, -INFINITY, INFINITY, -INFINITY, 0};
    for (int32_t s = 0; s < plot->n_series; s++) {
        const rv_series *series = &plot->series[s];
        for (int32_t i = 0; i < series->n; i++) {
            if (!isfinite(series->y[i])) continue;
            const double at = series->x != NULL ? series->x[i] : i;
            out->x0 = fmin(out->x0, at), out->x1 = fmax(out->x1, at);
            out->y0 = fmin(out->y0, series->y[i]), out->y1 = fmax(out->y1, series->y[i]);
        }
    }
    if (!isfinite(out->x0)) return false;
    if (plot->y_axis == RV_AXIS_PS) out->y0 = 0;
    if (out->x1 <= out->x0) out->x1 = out->x0 + 1;
    if (out->y1 <= out->y0) out->y1 = out->y0 + (out->y0 != 0 ? fabs(out->y0) : 1);
    return true;
}

static bool is_free(const rv_screen *screen, int x, int y, char own) {
    const char sign = screen->cells[y * screen->width + x].text[0];
    return sign == ' ' || sign == own;
}

static int column_of(const span *all, double at, int width) {
    return (int)lround((at - all->x0) / (all->x1 - all->x0) * (width - 1 - all->aside));
}

/* Draws a curve's points; where another's sign is there, one column or more to the right, before the next point.
   Where there is no room: dense curves take turns, else one sign stands for several, and true is returned. */
static bool draw_curve(const rv_plot *plot, int32_t s, const span *all, rv_screen *screen, int x,
                       int y, int width, int height) {
    const rv_series *series = &plot->series[s];
    const char own[2] = {SIGNS[s], '\0'}, several[2] = {SEVERAL, '\0'};
    const int apart = series->n > 1 ? (width - 1 - all->aside) / (series->n - 1) : 1;
    bool hides = false;
    for (int32_t i = 0; i < series->n; i++) {
        const double at = series->x != NULL ? series->x[i] : i;
        if (!isfinite(series->y[i])) continue;
        int column = column_of(all, at, width), left = apart;
        const double up = (series->y[i] - all->y0) / (all->y1 - all->y0);
        const int row = height - 1 - (int)lround(up * (height - 1)), turn = column % plot->n_series;
        while (left > 1 && !is_free(screen, x + column, y + row, *own)) column++, left--;
        const bool room = is_free(screen, x + column, y + row, *own);
        if (!room && apart < 2 && turn != s) continue;
        hides = hides || (!room && apart >= 2);
        rv_put(screen, x + column, y + row, 1, rv_tone_style(series->tone),
               room || apart < 2 ? own : several);
    }
    return hides;
}

/* Writes an end of an axis. */
static void say_end(rv_axis axis, double value, char *out, size_t n_out) {
    if (axis == RV_AXIS_NUMBER) {
        snprintf(out, n_out, "%.4g", value);
    } else {
        rv_axis_text(axis, value, 0, out, n_out);
    }
}

static void draw_curves(const rv_plot *plot, rv_screen *screen, int x, int y, int width,
                        int n_lines) {
    span all;
    char low[32], high[32], text[LINE];
    if (!span_of(plot, &all) || n_lines < 3) return;
    say_end(plot->y_axis, all.y0, low, sizeof low);
    say_end(plot->y_axis, all.y1, high, sizeof high);
    const int a = rv_text_width(low), b = rv_text_width(high), heads = a > b ? a : b;
    const int left = x + heads + 2, room = width - heads - 2, height = n_lines - 1;
    if (room < 4) return;
    rv_put(screen, x + heads - b, y, b, RV_DIM, high);
    rv_put(screen, x + heads - a, y + height - 1, a, RV_DIM, low);
    for (int r = 0; r < height; r++) rv_put(screen, left - 1, y + r, 1, RV_DIM, "|");
    bool hides = false;
    if (room > 40) all.aside = plot->n_series < 5 ? plot->n_series - 1 : 4;
    for (int32_t s = 0; s < plot->n_series; s++) {
        hides |= draw_curve(plot, s, &all, screen, left, y, room, height);
    }
    say_end(plot->x_axis, all.x0, text, sizeof text);
    rv_put(screen, left, y + height, room, RV_DIM, text);
    say_end(plot->x_axis, all.x1, high, sizeof high);
    snprintf(text, sizeof text, "%s %s", high, plot->x_name != NULL ? plot->x_name : "");
    if (plot->x_axis == RV_AXIS_GPUS)
        snprintf(text, sizeof text, _("%d GPUs"), (int)(all.x1 + 0.5));
    const int wide = rv_text_width(text);
    if (hides) {
        snprintf(high, sizeof high, "%c %.20s", SEVERAL, _("several"));
        const int middle = (room - rv_text_width(high)) / 2;
        rv_put(screen, left + middle, y + height, room - middle, RV_DIM, high);
    }
    if (wide + 3 < room) rv_put(screen, left + room - wide, y + height, wide, RV_DIM, text);
    if (plot->at < all.x0 || plot->at > all.x1) return;
    const int column = column_of(&all, plot->at, room);
    rv_put(screen, left + column, y + height, 1, RV_CHOSEN, "^");
}

void rv_compose_plot(const rv_plot *plot, rv_screen *screen, int x, int y, int width, int n_lines) {
    if (n_lines < 2 || plot->n_series < 1) return;
    const int title = draw_title(plot, screen, x, y, width);
    if (plot->bars) {
        draw_bars(plot, screen, x, y + title, width, n_lines - title);
    } else {
        draw_curves(plot, screen, x, y + title, width, n_lines - title);
    }
}
