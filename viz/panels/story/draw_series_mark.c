/* draw_series_mark.c: the mark of each curve of a plot: discs, squares and triangles, then rings, diamonds and triangles
 * on their heads. */
#include "panels/draw.h"
#include "panels/story/story_parts.h"

void rv_draw_series_mark(rv_scene *scene, rv_point at, double r, int32_t series, rv_colour ink) {
    const int32_t shape = series < 6 ? series % 3 : 3 + series % 3;
    if (shape == 0) {
        rv_scene_disc(scene, at, r, ink);
    } else if (shape == 3) { /* rings, diamonds, triangles on their heads */
        rv_item *ring = rv_scene_disc(scene, at, 0.85 * r, 0);
        ring->stroke = ink;
        ring->line = 0.5 * r;
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
