/* story_compare.c: which algorithm is the fastest at which size, and how near the bound it comes.
 *
 *     time |  \  o ring      x doubling          both axes logarithmic: a flat line is latency alone,
 *          | x x x:x  x                          one that rises by a size for a size bandwidth alone
 *          | o o o:o--o  bound                   : from here on another algorithm is the fastest
 *          +------------- size
 */
#include "story/story_compare.h"

#include "text/words.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { TEXT = 40, CAPTION_SHOWN = 6 };

static const rv_compared *facts(const rv_story *story) {
    return story->context;
}

static void say_size(int64_t n_bytes, char out[TEXT]) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (unit < 4 && n_bytes % 1024 == 0) n_bytes /= 1024, unit++;
    if (unit == 0 && n_bytes >= 10000) {
        rv_format_bytes(n_bytes, out, TEXT);
    } else {
        snprintf(out, TEXT, "%lld %s", (long long)n_bytes, units[unit]);
    }
}

static int64_t time_of(const rv_compared *of, int32_t size, int32_t algorithm) {
    return of->time_ps[size * of->n_algorithms + algorithm];
}

static const char *name_of(const rv_compared *of, int32_t size) {
    return of->algorithms[of->fastest[size]]->name;
}

/* Tells whether another algorithm becomes the fastest at a size. */
static bool changes_at(const rv_compared *of, int32_t size) {
    return size == 0 || of->fastest[size] != of->fastest[size - 1];
}

static const char *title(const rv_story *story) {
    return facts(story)->title;
}

/* ------------------------------------------------------------------ a moment */

/* Where the curves of the old and of the new fastest cross, between two sizes. */
static void add_mark(const rv_compared *of, int32_t size, rv_frame *frame, rv_plot *plot) {
    const int32_t n = of->n_sizes, before = of->fastest[size - 1], after = of->fastest[size];
    const double *old = &of->y[before * n + size - 1], *new = &of->y[after * n + size - 1];
    const double gap = new[0] - old[0], beyond = old[1] - new[1];
    const double share = gap + beyond > 0 ? gap / (gap + beyond) : 1;
    const double x = of->x[size - 1] + share * (of->x[size] - of->x[size - 1]);
    char from[TEXT];
    say_size(of->bytes[size], from);
    rv_plot_mark(frame, plot, x, old[0] + share * (old[1] - old[0]), _("%s from %s"),
                 name_of(of, size), from);
}

static void plot_times(const rv_compared *of, int32_t step, rv_frame *frame) {
    rv_plot *plot = rv_frame_plot(frame, _("Time against size, both logarithmic"), _("bytes"), "");
    const int32_t n = of->n_sizes;
    if (plot == NULL) return;
    plot->x_axis = RV_AXIS_BYTES;
    plot->y_axis = RV_AXIS_TIME;
    if (step >= 0 && step < n) plot->at = of->x[step];
    for (int32_t a = 0; a < of->n_algorithms; a++) {
        rv_plot_series(plot, of->algorithms[a]->name, n, of->x, &of->y[a * n], RV_TONE_PLAIN);
    }
    if (of->bound_ps[n - 1] > 0) {
        rv_plot_series(plot, _("no algorithm is faster"), n, of->x, &of->y[of->n_algorithms * n],
                       RV_TONE_QUIET);
    }
    for (int32_t i = 1; i < n; i++) {
        if (changes_at(of, i)) add_mark(of, i, frame, plot);
    }
}

static void say_all(const rv_compared *of, rv_frame *frame) {
    char list[CAPTION_SHOWN * 64] = "", size[TEXT], percent[TEXT];
    size_t used = 0;
    int n = 0;
    for (int32_t i = 0; i < of->n_sizes; i++) {
        if (!changes_at(of, i) || n++ >= CAPTION_SHOWN) continue;
        say_size(of->bytes[i], size);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s", n > 1 ? ", " : "");
        used += (size_t)snprintf(list + used, sizeof list - used, _("%s from %s"), name_of(of, i),
                                 size);
    }
    const char *more = n > CAPTION_SHOWN ? ", ..." : "";
    const int32_t last = of->n_sizes - 1;
    const int64_t time_ps = time_of(of, last, of->fastest[last]), bound_ps = of->bound_ps[last];
    if (bound_ps <= 0 || time_ps <= 0) {
        rv_frame_say(frame, _("Fastest: %s%s"), list, more);
        return;
    }
    say_size(of->bytes[last], size);
    rv_format_percent(bound_ps, time_ps, percent, sizeof percent);
    rv_frame_say(frame, _("Fastest: %s%s. At %s it reaches %s of the bound"), list, more, size,
                 percent);
}

static void say_size_at(const rv_compared *of, int32_t step, rv_frame *frame) {
    char size[TEXT], time[TEXT], percent[TEXT];
    const int64_t time_ps = time_of(of, step, of->fastest[step]);
    say_size(of->bytes[step], size);
    rv_format_time(time_ps, time, sizeof time);
    rv_format_percent(of->bound_ps[step], time_ps, percent, sizeof percent);
    if (of->bound_ps[step] > 0) {
        rv_frame_say(frame, _("%s: %s is the fastest, %s, %s of the bound"), size,
                     name_of(of, step), time, percent);
    } else {
        rv_frame_say(frame, _("%s: %s is the fastest, %s"), size, name_of(of, step), time);
    }
}

static rs_status fill_frame(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame,
                            rs_error *error) {
    const rv_compared *of = facts(story);
    (void)rank, (void)error;
    plot_times(of, step, frame);
    if (step >= 0 && step < of->n_sizes) {
        say_size_at(of, step, frame);
    } else {
        say_all(of, frame);
    }
    return RS_OK;
}

/* ------------------------------------------------------------------ the story */

/* What lies far below all times would press the curves together. */
static void fill_curves(rv_compared *of) {
    const int32_t n = of->n_sizes;
    int64_t least_ps = INT64_MAX;
    for (int32_t i = 0; i < n; i++) {
        of->x[i] = log2((double)of->bytes[i]);
        of->fastest[i] = 0;
        for (int32_t a = 0; a < of->n_algorithms; a++) {
            const int64_t time_ps = time_of(of, i, a);
            of->y[a * n + i] = time_ps > 0 ? log10((double)time_ps) : NAN;
            if (time_ps < time_of(of, i, of->fastest[i])) of->fastest[i] = a;
            if (time_ps > 0 && time_ps < least_ps) least_ps = time_ps;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        const int64_t bound_ps = of->bound_ps[i];
        of->y[of->n_algorithms * n + i] = bound_ps > least_ps / 2 ? log10((double)bound_ps) : NAN;
    }
}

rs_status rv_story_compare(rv_compared *of, rs_arena *arena, rs_error *error, rv_story *story) {
    const size_t n = (size_t)of->n_sizes;
    assert(of->n_sizes >= 1 && of->n_algorithms >= 1 && of->bytes[0] >= 1);
    of->x = rs_alloc(arena, n, sizeof *of->x);
    of->y = rs_alloc(arena, n * ((size_t)of->n_algorithms + 1), sizeof *of->y);
    of->fastest = rs_alloc(arena, n, sizeof *of->fastest);
    if (of->x == NULL || of->y == NULL || of->fastest == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for the curves");
    }
    fill_curves(of);
    if (of->machine != NULL) {
        snprintf(of->title, sizeof of->title, _("Compared: %s on %.80s, %d GPUs"),
                 rv_collective_word(of->of), of->machine, (int)of->n_gpus);
    } else {
        snprintf(of->title, sizeof of->title, _("Compared: %s on private wires, %d GPUs"),
                 rv_collective_word(of->of), (int)of->n_gpus);
    }
    *story = (rv_story){
        .title = title, .n_steps = of->n_sizes, .n_ranks = 1, .frame = fill_frame, .context = of};
    return RS_OK;
}
