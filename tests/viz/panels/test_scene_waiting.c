/* test_scene_waiting.c: the diagram of space and time hatches a GPU's time without work: all of it that is as wide as
 * two and a half pixels, where it lies, and nothing else.
 */
#include "panels/draw.h"
#include "support/stage_fixture.h"

#include <criterion/criterion.h>
#include <math.h>

enum { N_RANKS = 4, MOST_GAPS = 500 };

typedef struct gap {
    int32_t rank;
    double x0, x1;
    bool seen;
} gap;

static stage_fixture s;

/* The box of a transfer's bar; w 0: it is not there. */
static rv_box bar_of(const rs_timed *t) {
    const rv_scene *scene = &s.stage->scene;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        const rv_target at = item->target;
        if (item->shape == RV_POLYGON && at.thing == RV_TRANSFER && at.a == t->step &&
            at.b == t->transfer.src && at.c == t->transfer.chunk) {
            return item->box;
        }
    }
    return (rv_box){0};
}

/* The pixels of a time, by the first and the last bar: x = *left + *scale * time. */
static void find_scale(double *left, double *scale) {
    const rs_trace *trace = s.stage->what_if->report->trace;
    const rs_timed *a = &trace->items[0], *b = &trace->items[trace->n_items - 1];
    /* it leaves below and comes in above, in two pieces */
    while (a->transfer.src == N_RANKS - 1) a++;
    while (b->transfer.src == N_RANKS - 1) b--;
    const rv_box p = bar_of(a), q = bar_of(b);
    cr_assert(p.w > 0 && q.w > 0);
    *scale = (q.x + q.w - p.x) / (double)(b->end_ps - a->start_ps);
    *left = p.x - *scale * (double)a->start_ps;
}

static int list_gaps(double left, double scale, int64_t late_ps, gap out[]) {
    const rs_trace *trace = s.stage->what_if->report->trace;
    int64_t busy_ps[N_RANKS] = {0};
    int n = 0;
    if (late_ps > 0) out[n++] = (gap){1, left, left + scale * (double)late_ps, false};
    busy_ps[1] = late_ps;
    for (int64_t i = 0; i < trace->n_items; i++) {
        const rs_timed *t = &trace->items[i];
        for (int e = 0; e < 2; e++) {
            const int32_t rank = e == 0 ? t->transfer.src : t->transfer.dst;
            const int64_t until_ps = e == 0 ? t->end_ps : t->done_ps;
            if (t->start_ps > busy_ps[rank]) {
                cr_assert_lt(n, MOST_GAPS);
                out[n++] = (gap){rank, left + scale * (double)busy_ps[rank],
                                 left + scale * (double)t->start_ps, false};
            }
            if (until_ps > busy_ps[rank]) busy_ps[rank] = until_ps;
        }
    }
    return n;
}

/* From the first lane to the last: what lies outside explains the signs. */
static rv_box lanes(void) {
    const rv_scene *scene = &s.stage->scene;
    double top = 1e9, bottom = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->shape != RV_POLYGON || item->target.thing != RV_TRANSFER) continue;
        top = fmin(top, item->box.y);
        bottom = fmax(bottom, item->box.y + item->box.h);
    }
    const rv_box view = rv_view_box(s.stage, VIEW_DIAGRAM);
    return (rv_box){view.x, top, view.w, bottom - top};
}

static bool is_hatched(const rv_item *item, rv_box view) {
    const rv_point c = rv_centre(item->box);
    return item->shape == RV_RECT && item->pattern == RV_FALLING &&
           item->target.thing == RV_NOTHING && rv_inside(view, c.x, c.y);
}

/* Returns how many are narrower than three and a half pixels. */
static int expect_gaps(int64_t late_ps) {
    static gap gaps[MOST_GAPS];
    double left, scale, lane_y[N_RANKS];
    int n_narrow = 0;
    find_scale(&left, &scale);
    const int n = list_gaps(left, scale, late_ps, gaps);
    const rv_box view = lanes();
    for (int r = 0; r < N_RANKS; r++) lane_y[r] = -1;
    for (const rv_item *item = NULL; (item = view_fixture_next(&s.stage->scene, item)) != NULL;) {
        if (!is_hatched(item, view)) continue;
        bool known = false;
        for (int g = 0; g < n; g++) {
            if (gaps[g].seen || fabs(gaps[g].x0 + 0.75 - item->box.x) > 0.3 ||
                fabs(gaps[g].x1 - gaps[g].x0 - 1.5 - item->box.w) > 0.3)
                continue;
            const double y = rv_centre(item->box).y;
            if (lane_y[gaps[g].rank] < 0) lane_y[gaps[g].rank] = y;
            if (fabs(lane_y[gaps[g].rank] - y) > 0.5) continue;
            gaps[g].seen = known = true;
            break;
        }
        cr_expect(known, "late %lld ps: %.1f pixels are hatched, where nobody waits",
                  (long long)late_ps, item->box.w);
    }
    for (int g = 0; g < n; g++) {
        const double w = gaps[g].x1 - gaps[g].x0;
        if (fabs(w - 2.5) < 0.05) continue;
        cr_expect_eq(gaps[g].seen, w > 2.5, "late %lld ps: GPU %d waits for %.2f pixels",
                     (long long)late_ps, (int)gaps[g].rank, w);
        n_narrow += w > 2.5 && w < 3.5;
    }
    return n_narrow;
}

Test(scene_waiting, is_hatched_from_two_and_a_half_pixels_on) {
    static const int widths[] = {800, 1280, 1900};
    int n_narrow = 0;
    for (int i = 0; i < 3; i++) {
        for (int late = 0; late < 30; late++) {
            const rs_fault fault = {.kind = RS_LATE, .rank = 1, .time_ps = late * 10000000LL};
            view_fixture_prepare(&s.run, "ring", N_RANKS);
            view_fixture_faults(&s.run, &fault, late > 0);
            s.run.request.job.net.reduce_Bps = late % 2 ? 90000000000 : 0;
            s.options = (rv_options){.at = 2,
                                     .views = VIEW_RING | VIEW_DIAGRAM,
                                     .pixel_width = widths[i],
                                     .pixel_height = 900};
            stage_fixture_open(&s);
            n_narrow += expect_gaps(fault.time_ps);
            stage_fixture_end(&s);
        }
    }
    cr_expect_gt(n_narrow, 5, "%d just wide enough", n_narrow);
}
