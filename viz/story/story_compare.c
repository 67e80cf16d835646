/* story_compare.c: which algorithm is the fastest at which size, or with how many GPUs, and how near the bound it comes.
 *
 *     time |  \  o ring      x doubling          over sizes both axes are logarithmic: a flat line is latency
 *          | x x x:x  x                          alone, one that rises by a size for a size bandwidth alone;
 *          | o o o:o--o  bound                   over world sizes neither is: one that rises straight pays for
 *          +------------- size                   each GPU. : from here on another algorithm is the fastest
 */
#include "story/story_compare.h"

#include "text/say.h"
#include "text/words.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { TEXT = 40, NAMES = 160, CAPTION_SHOWN = 6 };

static const rv_compared *facts(const rv_story *story) {
    return story->context;
}

static void say_size(int64_t n_bytes, char out[TEXT]) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (unit < 4 && n_bytes % 1024 == 0) n_bytes /= 1024, unit++;
    if (unit == 0 && (n_bytes >= 10000 || n_bytes % 1000 == 0)) {
        rv_format_bytes(n_bytes, out, TEXT);
    } else {
        snprintf(out, TEXT, "%lld %s", (long long)n_bytes, units[unit]);
    }
}

static void say_point(const rv_compared *of, int32_t i, char out[TEXT]) {
    if (of->worlds) {
        snprintf(out, TEXT, of->at[i] == 1 ? _("%d GPU") : _("%d GPUs"), (int)of->at[i]);
    } else {
        say_size(of->at[i], out);
    }
}

static int64_t time_of(const rv_compared *of, int32_t i, int32_t algorithm) {
    return of->time_ps[i * of->n_algorithms + algorithm];
}

/* Tells whether another algorithm becomes the fastest at a point. */
static bool changes_at(const rv_compared *of, int32_t i) {
    return i == 0 || of->fastest[i] != of->fastest[i - 1];
}

/* Writes who is the fastest at all points from first to before end: "ring = rings"; returns how many that are. */
static int say_fastest(const rv_compared *of, int32_t first, int32_t end, char out[NAMES]) {
    rv_say say = rv_say_to(out, NAMES);
    int n = 0;
    for (int32_t a = 0; a < of->n_algorithms; a++) {
        bool ties = true;
        for (int32_t i = first; i < end; i++) {
            ties = ties && time_of(of, i, a) == time_of(of, i, of->fastest[i]);
        }
        if (ties) rv_say_more(&say, "%s%s", n++ > 0 ? " = " : "", of->algorithms[a]->name);
    }
    return n;
}

/* Returns the point where the next one becomes the fastest. */
static int32_t reign_end(const rv_compared *of, int32_t i) {
    do i++;
    while (i < of->n_points && !changes_at(of, i));
    return i;
}

static const char *title(const rv_story *story) {
    return facts(story)->title;
}

/* ------------------------------------------------------------------ a moment */

/* Where the curves of the old and of the new fastest cross, between two points. */
static void add_mark(const rv_compared *of, int32_t i, rv_frame *frame, rv_plot *plot) {
    const int32_t n = of->n_points, before = of->fastest[i - 1], after = of->fastest[i];
    const double *old = &of->y[before * n + i - 1], *new = &of->y[after * n + i - 1];
    const double gap = new[0] - old[0], beyond = old[1] - new[1];
    const double share = gap + beyond > 0 ? gap / (gap + beyond) : 1;
    const double x = of->x[i - 1] + share * (of->x[i] - of->x[i - 1]);
    char from[TEXT], names[NAMES];
    say_point(of, i, from);
    say_fastest(of, i, reign_end(of, i), names);
    rv_plot_mark(frame, plot, x, old[0] + share * (old[1] - old[0]), _("%s from %s"), names, from);
}

/* Over world sizes the fastest may change at each power of two: so many marks would say nothing. */
static bool has_marks(const rv_compared *of) {
    int32_t n = 0;
    for (int32_t i = 1; i < of->n_points; i++) n += changes_at(of, i);
    return n <= RV_MOST_PLOT_MARKS / 2 || !of->worlds;
}

static void plot_times(const rv_compared *of, int32_t step, rv_frame *frame) {
    rv_plot *plot =
        of->worlds ? rv_frame_plot(frame, _("Time against world size"), _("GPUs"), "")
                   : rv_frame_plot(frame, _("Time against size, both logarithmic"), _("bytes"), "");
    const int32_t n = of->n_points;
    if (plot == NULL) return;
    plot->x_axis = of->worlds ? RV_AXIS_GPUS : RV_AXIS_BYTES;
    plot->y_axis = of->worlds ? RV_AXIS_PS : RV_AXIS_TIME;
    plot->by_step = true;
    if (step >= 0 && step < n) plot->at = of->x[step];
    for (int32_t a = 0; a < of->n_algorithms; a++) {
        rv_plot_series(plot, of->algorithms[a]->name, n, of->x, &of->y[a * n], RV_TONE_PLAIN);
    }
    if (of->bound_ps[n - 1] > 0) {
        rv_plot_series(plot, _("lower bound"), n, of->x, &of->y[of->n_algorithms * n],
                       RV_TONE_QUIET);
    }
    for (int32_t i = 1; i < n && has_marks(of); i++) {
        if (changes_at(of, i)) add_mark(of, i, frame, plot);
    }
}

/* The algorithms at one point, in numbers. */
static void list_times(const rv_compared *of, int32_t i, rv_frame *frame) {
    static const char *const heads[] = {N_("time"), N_("of the bound"), N_("x fastest")};
    rv_grid *grid = rv_frame_grid(frame, "", of->n_algorithms, 3);
    const int64_t least_ps = time_of(of, i, of->fastest[i]), bound_ps = of->bound_ps[i];
    rv_grid_columns(grid, heads, 3);
    for (int32_t a = 0; a < of->n_algorithms; a++) {
        const int64_t time_ps = time_of(of, i, a);
        const rv_tone tone = time_ps == least_ps ? RV_TONE_GOOD : RV_TONE_PLAIN;
        rv_grid_head(grid, a, -1, "%s", of->algorithms[a]->name);
        rv_grid_write(grid, a, 0, tone, -1, "%s", rv_frame_time(frame, time_ps));
        if (bound_ps > 0 && time_ps > 0) {
            rv_grid_write(grid, a, 1, tone, -1, "%s", rv_frame_percent(frame, bound_ps, time_ps));
        }
        if (least_ps <= 0) continue;
        rv_grid_write(grid, a, 2, tone, -1, "%.2f", (double)time_ps / (double)least_ps);
    }
}

/* One algorithm alone wins nothing: where it begins, and where it ends. */
static void say_one(const rv_compared *of, rv_frame *frame) {
    char first[TEXT], last[TEXT];
    say_point(of, 0, first);
    say_point(of, of->n_points - 1, last);
    rv_frame_say(frame,
                 of->worlds ? _("%s: %s with %s, %s with %s") : _("%s: %s for %s, %s for %s"),
                 of->algorithms[0]->name, rv_frame_time(frame, time_of(of, 0, 0)), first,
                 rv_frame_time(frame, time_of(of, of->n_points - 1, 0)), last);
}

static void say_all(const rv_compared *of, rv_frame *frame) {
    char list[CAPTION_SHOWN * (NAMES + TEXT)], point[TEXT], names[NAMES];
    rv_say say = rv_say_to(list, sizeof list);
    int n = 0;
    for (int32_t i = 0; i < of->n_points; i++) {
        if (!changes_at(of, i) || n++ >= CAPTION_SHOWN) continue;
        say_point(of, i, point);
        say_fastest(of, i, reign_end(of, i), names);
        rv_say_more(&say, "%s", n > 1 ? _(", ") : "");
        rv_say_more(&say, _("%s from %s"), names, point);
    }
    const char *more = n > CAPTION_SHOWN ? _(" and so on") : "";
    const int32_t last = of->n_points - 1;
    const int64_t time_ps = time_of(of, last, of->fastest[last]), bound_ps = of->bound_ps[last];
    if (bound_ps <= 0 || time_ps <= 0) {
        rv_frame_say(frame, _("Fastest: %s%s"), list, more);
        return;
    }
    say_point(of, last, point);
    rv_frame_say(frame,
                 of->worlds ? _("Fastest: %s%s. With %s it reaches %s of the bound")
                            : _("Fastest: %s%s. At %s it reaches %s of the bound"),
                 list, more, point, rv_frame_percent(frame, bound_ps, time_ps));
}

static void say_point_at(const rv_compared *of, int32_t step, rv_frame *frame) {
    char point[TEXT], names[NAMES];
    const int64_t time_ps = time_of(of, step, of->fastest[step]);
    const char *time = rv_frame_time(frame, time_ps);
    const bool tie = say_fastest(of, step, step + 1, names) > 1;
    say_point(of, step, point);
    if (of->n_algorithms == 1) {
        rv_frame_say(frame, "%s%s%s %s", point, _(": "), names, time);
    } else if (of->bound_ps[step] > 0) {
        rv_frame_say(frame,
                     tie ? _("%s: %s, a tie for the fastest, %s, %s of the bound")
                         : _("%s: %s is the fastest, %s, %s of the bound"),
                     point, names, time, rv_frame_percent(frame, of->bound_ps[step], time_ps));
    } else {
        rv_frame_say(frame,
                     tie ? _("%s: %s, a tie for the fastest, %s") : _("%s: %s is the fastest, %s"),
                     point, names, time);
    }
}

static void fill_frame(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    const rv_compared *of = facts(story);
    (void)rank;
    plot_times(of, step, frame);
    if (step >= 0 && step < of->n_points) {
        char point[TEXT];
        say_point(of, step, point);
        frame->phase = rv_frame_text(frame, "%s", point);
        say_point_at(of, step, frame);
        if (of->n_algorithms > 1) list_times(of, step, frame);
    } else if (of->n_algorithms == 1) {
        say_one(of, frame);
    } else {
        say_all(of, frame);
    }
}

/* ------------------------------------------------------------------ the story */

static double height(const rv_compared *of, int64_t time_ps) {
    return of->worlds ? (double)time_ps : log10((double)time_ps);
}

/* Who was the fastest stays it in a tie. What lies far below all times would press logarithmic curves together. */
static void fill_curves(rv_compared *of) {
    const int32_t n = of->n_points;
    int64_t least_ps = INT64_MAX;
    for (int32_t i = 0; i < n; i++) {
        of->x[i] = of->worlds ? (double)of->at[i] : log2((double)of->at[i]);
        of->fastest[i] = i > 0 ? of->fastest[i - 1] : 0;
        for (int32_t a = 0; a < of->n_algorithms; a++) {
            const int64_t time_ps = time_of(of, i, a);
            of->y[a * n + i] = time_ps > 0 ? height(of, time_ps) : NAN;
            if (time_ps < time_of(of, i, of->fastest[i])) of->fastest[i] = a;
            if (time_ps > 0 && time_ps < least_ps) least_ps = time_ps;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        const int64_t bound_ps = of->bound_ps[i];
        const bool near = bound_ps > 0 && (of->worlds || bound_ps > least_ps / 2);
        of->y[of->n_algorithms * n + i] = near ? height(of, bound_ps) : NAN;
    }
}

static void say_title(rv_compared *of) {
    char each[TEXT];
    const char *what = rv_collective_word(of->of);
    if (of->worlds) {
        say_size(of->n_bytes, each);
    } else {
        snprintf(each, sizeof each, of->n_gpus == 1 ? _("%d GPU") : _("%d GPUs"), (int)of->n_gpus);
    }
    if (of->machine != NULL) {
        snprintf(of->title, sizeof of->title, _("Compared: %s on %.80s, %s"), what, of->machine,
                 each);
    } else {
        snprintf(of->title, sizeof of->title, _("Compared: %s on private wires, %s"), what, each);
    }
}

rs_status rv_story_compare(rv_compared *of, rs_arena *arena, rs_error *error, rv_story *story) {
    const size_t n = (size_t)of->n_points;
    assert(of->n_points >= 1 && of->n_algorithms >= 1 && of->at[0] >= 1);
    of->x = rs_alloc(arena, n, sizeof *of->x);
    of->y = rs_alloc(arena, n * ((size_t)of->n_algorithms + 1), sizeof *of->y);
    of->fastest = rs_alloc(arena, n, sizeof *of->fastest);
    if (of->x == NULL || of->y == NULL || of->fastest == NULL) return rs_no_memory(error);
    fill_curves(of);
    say_title(of);
    *story = (rv_story){.title = title,
                        .n_steps = of->n_points,
                        .n_ranks = 1,
                        .frame = fill_frame,
                        .context = of,
                        .words = {[RV_TONE_GOOD] = N_("the fastest")}};
    return RS_OK;
}
