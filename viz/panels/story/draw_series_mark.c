/* draw_series_mark.c: the mark and the colour of each curve of a plot: discs, squares and triangles, then rings, diamonds
 * and triangles on their heads. */
#include "panels/draw.h"
#include "panels/story/story_parts.h"

void rv_draw_series_mark(rv_scene *scene, rv_point at, double r, int32_t series, rv_colour ink) {
    const int32_t shape = series < 6 ? series % 3 : 3 + series % 3;
    if (shape == 0) {
        rv_scene_disc(scene, at, r, ink);
    } else if (shape == 3) { /* rings, diamonds, triangles on their heads */
        rv_outline(rv_scene_disc(scene, at, 0.85 * r, 0), ink, 0.5 * r);
    } else if (shape >= 4) {
        const double low = shape == 4 ? 1.25 * r : 1.2 * r, side = shape == 4 ? 0 : -0.8 * r;
        const rv_point corners[4] = {{at.x, at.y + low},
                                     {at.x + 1.15 * r, at.y + side},
                                     {at.x, at.y - (shape == 4 ? 1.25 * r : 0.8 * r)},
                                     {at.x - 1.15 * r, at.y + side}};
        rv_scene_polygon(scene, corners, 4, ink);
    } else if (shape == 1) {
        rv_scene_rect(scene, (rv_box){at.x - 0.9 * r, at.y - 0.9 * r, 1.8 * r, 1.8 * r}, 0, ink);
    } else {
        const rv_point corners[3] = {{at.x, at.y - 1.2 * r},
                                     {at.x + 1.1 * r, at.y + 0.8 * r},
                                     {at.x - 1.1 * r, at.y + 0.8 * r}};
        rv_scene_polygon(scene, corners, 3, ink);
    }
}

rv_colour rv_series_colour(const rv_stage *stage, const rv_plot *plot, int32_t series) {
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
