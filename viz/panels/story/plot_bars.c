/* plot_bars.c: bars of a story's plot, a line for each category, as many as fit; the colours of its series.
 *
 *     GPU 0  [############]  12.4
 *     GPU 1  [####]  4.1
 */
#include "panels/draw.h"
#include "panels/story/story_parts.h"

#include <math.h>
#include <stdio.h>

rv_colour rv_series_ink(const rv_stage *stage, const rv_plot *plot, int32_t series) {
    static const rv_colour light[RV_MOST_SERIES] = {0x0072B2FF, 0xC25400FF, 0x00805EFF, 0xA8488AFF,
                                                    0x8A6500FF, 0x5B6170FF, 0x5A3FC0FF, 0xB3202AFF,
                                                    0x3E7A12FF, 0x1F7F8CFF, 0x7A4B2AFF, 0x303642FF};
    static const rv_colour dark[RV_MOST_SERIES] = {0x56B4E9FF, 0xFF9A5CFF, 0x3FC79AFF, 0xE59BC6FF,
                                                   0xF0E442FF, 0xA9B1BEFF, 0xB6A2FFFF, 0xFF8A8AFF,
                                                   0xA5DB73FF, 0x79D8E4FF, 0xDCB08CFF, 0xE8EBF0FF};
    const rv_tone tone = plot->series[series].tone;
    if (tone != RV_TONE_PLAIN && tone != RV_TONE_QUIET) return rv_tone_ink(&stage->look, tone);
    if (tone == RV_TONE_QUIET) return stage->look.quiet;
    return stage->look.dark ? dark[series] : light[series];
}

double rv_series_x(const rv_series *series, int32_t i) {
    return series->x != NULL ? series->x[i] : i;
}

enum { TEXT = 160 };

static int32_t longest(const rv_plot *plot) {
    int32_t n = 0;
    for (int32_t s = 0; s < plot->n_series; s++) {
        if (plot->series[s].n > n) n = plot->series[s].n;
    }
    return n;
}

static void say_category(const rv_plot *plot, int32_t i, char *out, size_t n_out) {
    out[0] = '\0';
    for (int32_t s = 0; s < plot->n_series; s++) {
        const rv_series *series = &plot->series[s];
        if (i >= series->n) continue;
        if (series->names != NULL) {
            snprintf(out, n_out, "%.100s", series->names[i]);
        } else {
            snprintf(out, n_out, "%.5g", rv_series_x(series, i));
        }
        return;
    }
}

static void draw_bar(const rv_stage *stage, const rv_plot *plot, int32_t s, rv_box line,
                     double share, bool now, rv_scene *scene) {
    static const rv_pattern patterns[] = {RV_SOLID, RV_RISING, RV_DOTS};
    const rv_look *look = &stage->look;
    const rv_colour ink = rv_series_ink(stage, plot, s);
    const double h = fmin(line.h, 1.8 * look->unit);
    const rv_box bar = {line.x, line.y + (line.h - h) / 2, fmax(1, line.w * share), h};
    rv_item *item = rv_hatch(rv_scene_rect(scene, bar, 0.15 * h, ink), patterns[s % 3],
                             rv_fade(look->panel, 0.5));
    rv_outline(item, now ? look->ink : 0, now ? 1.5 * look->hair : 0);
}

void rv_draw_bars(const rv_stage *stage, const rv_plot *plot, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    const int32_t n = longest(plot);
    double most = plot->most, names = 0, values = 0;
    char text[TEXT];
    for (int32_t i = 0; i < n; i++) {
        say_category(plot, i, text, sizeof text);
        names = fmax(names, rv_label_width(text, 0.8 * u) * 1.06);
        for (int32_t s = 0; s < plot->n_series; s++) {
            if (i >= plot->series[s].n || !isfinite(plot->series[s].y[i])) continue;
            most = fmax(most, plot->series[s].y[i]);
            snprintf(text, sizeof text, "%.4g", plot->series[s].y[i]);
            values = fmax(values, rv_label_width(text, 0.8 * u) * 1.06);
        }
    }
    if (n < 1) return;
    const double least = (plot->n_series * 0.8 + 0.25) * u;
    const int32_t shown = (int32_t)fmax(1, fmin(n, floor(box.h / least)));
    const double each = fmin(box.h / shown, (plot->n_series * 2.6 + 0.4) * u);
    names = fmin(names, 0.4 * box.w);
    for (int32_t i = 0; i < shown; i++) {
        rv_box group = rv_cut_top(&box, each);
        rv_box name = rv_cut_left(&group, names);
        say_category(plot, i, text, sizeof text);
        rv_scene_label(scene, name, RV_LEFT, 0.8 * u, look->quiet, text);
        rv_cut_left(&group, 0.5 * u);
        group = (rv_box){group.x, group.y + 0.1 * each, group.w - values - 0.5 * u, 0.8 * each};
        for (int32_t s = 0; s < plot->n_series && group.w > 0; s++) {
            const rv_series *series = &plot->series[s];
            const rv_box line = {group.x, group.y + s * group.h / plot->n_series, group.w,
                                 0.94 * group.h / plot->n_series};
            if (i >= series->n || !isfinite(series->y[i])) continue;
            const double share = most > 0 ? fmax(0, series->y[i] / most) : 0;
            draw_bar(stage, plot, s, line, share,
                     plot->at >= 0 && rv_series_x(series, i) == plot->at, scene);
            snprintf(text, sizeof text, "%.4g", series->y[i]);
            const rv_box value = {line.x + line.w * share + 0.4 * u, line.y, values, line.h};
            rv_scene_label(scene, value, RV_LEFT, fmin(0.8 * u, 0.9 * line.h), look->ink, text);
        }
    }
}
