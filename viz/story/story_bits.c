/* story_bits.c: how one element is added up: a sum goes from rank to rank, and each addition is rounded.
 *
 *     Ring  ((1+2)+3)+0                          1e8 + 1, in binary    x 2^26
 *             comes    has     sum   off by      exactly  100000001    1.011111...000|001
 *     GPU 2     0.1   0.25    0.35     0.4       kept     1e+08        1.011111...000
 *     GPU 3    0.35 > ...
 *
 *   - Orders that are compared stand beside the first, addition by addition; the end has their results in a table.
 */
#include "story/story_bits.h"
#include "text/words.h"

#include <math.h>
#include <string.h>

enum { NUMBER = 48, MOST_ROWS = 16 };

static const rv_bits_story *facts(const rv_story *story) {
    return story->context;
}

static const char *number(rv_frame *frame, rs_dtype dtype, double value) {
    char bits[8], text[NUMBER];
    rs_write_float(dtype, bits, 0, value);
    rs_print_value(dtype, bits, 0, text, sizeof text);
    return rv_frame_text(frame, "%s", text);
}

static bool is_rounded(const rs_addition *add) {
    return add->sum != add->exact || add->rest != 0;
}

/* A sum before it is rounded: so many digits that what is rounded away is seen. */
static const char *exact_number(rv_frame *frame, rs_dtype dtype, const rs_addition *add) {
    if (!is_rounded(add)) return number(frame, dtype, add->sum);
    if (add->rest != 0) return rv_frame_text(frame, "%.17g %+.2g", add->exact, add->rest);
    const int digits = (int)((ilogb(add->exact) - add->last + 12) * 0.302);
    return rv_frame_text(frame, "%.*g", digits > 17 ? 17 : digits, add->exact);
}

/* Units in the last place: "0.25", "8.39e+06". */
static const char *off_by(rv_frame *frame, double off) {
    return rv_frame_text(frame, off == 0 ? "0" : off < 1000 ? "%.2f" : "%.3g", off);
}

/* ------------------------------------------------------------------ tables */

/* Of a long walk the additions about the step are shown: from which on. */
static int32_t first_shown(const rs_walk *walk, int32_t step) {
    const int32_t last = walk->n - MOST_ROWS, from = step - MOST_ROWS / 2;
    return last <= 0 || from < 0 ? 0 : from < last ? from : last;
}

static void fill_way(const rv_bits_story *of, const rv_way *way, int32_t step, rv_frame *frame) {
    static const char *const heads[] = {N_("comes"), N_("has"), N_("sum"), N_("off by")};
    enum { COMES, HAS, SUM, OFF, N_COLUMNS };
    const rs_walk *walk = &way->walk;
    const int32_t n = walk->n_ranks, from = first_shown(walk, step);
    const int32_t n_rows = walk->n < MOST_ROWS ? walk->n : MOST_ROWS;
    const char *title = rv_frame_text(frame, "%s  %s", way->name, way->order);
    if (n_rows < walk->n)
        title = rv_frame_text(frame, _("%s: additions %d to %d of %d"), title, (int)from + 1,
                              (int)(from + n_rows), (int)walk->n);
    rv_grid *grid = rv_frame_grid(frame, title, n_rows, N_COLUMNS);
    if (grid == NULL) return;
    grid->tiles = true;
    rv_grid_columns(grid, heads, N_COLUMNS);
    for (int32_t i = from, row = 0; row < n_rows; i++, row++) {
        const rs_addition *add = &walk->additions[i];
        const bool now = i == step, last = i == walk->n - 1;
        if (add->at == RS_SWITCH) {
            rv_grid_head(grid, row, -1, "%s", _("switch"));
        } else {
            rv_grid_head(grid, row, -1, "GPU %d", (int)add->at);
        }
        if (add->here >= 0 && (add->here < n || i <= step)) {
            rv_grid_write(grid, row, HAS, RV_TONE_PLAIN, rs_maker_of(walk, add->here), "%s",
                          number(frame, of->dtype, rs_value_at(walk, add->here)));
        }
        if (i > step) continue;
        if (add->comes >= 0) {
            rv_grid_write(grid, row, COMES, now ? RV_TONE_NEW : RV_TONE_PLAIN,
                          rs_maker_of(walk, add->comes), "%s",
                          number(frame, of->dtype, rs_value_at(walk, add->comes)));
        }
        rv_grid_write(grid, row, SUM,
                      now    ? RV_TONE_ADDED
                      : last ? RV_TONE_GOOD
                             : RV_TONE_PLAIN,
                      add->at, "%s", number(frame, of->dtype, add->sum));
        rv_grid_plain(grid, row, OFF, "%s", off_by(frame, add->off));
        if (!now || add->comes < n) continue;
        rv_grid_way(grid, row, COMES, 1, NULL); /* from where it was made */
        const int32_t made = add->comes - n - from;
        if (made < 0) continue;
        grid->entries[made * N_COLUMNS + SUM].tone = RV_TONE_LEAVES;
        rv_grid_way(grid, made, SUM, 1, NULL);
    }
}

/* What happens to the digits; a bar is where the type ends. */
static void fill_binary(const rv_bits_story *of, const rs_addition *add, rv_frame *frame) {
    enum { MOST = 4, DIGITS = 64 };
    static const char gone[] = "\u2007"; /* as wide as a digit */
    const rs_walk *walk = &of->ways[0].walk;
    const int first = add->at == RS_SWITCH ? 2 : 0; /* of all at once two rows say enough */
    const double values[MOST] = {first > 0 ? 0 : rs_value_at(walk, add->comes),
                                 first > 0 ? 0 : rs_value_at(walk, add->here), add->exact,
                                 add->sum};
    const char *const names[MOST] = {_("comes"), _("has"), _("exactly"), _("kept")};
    char digits[MOST][DIGITS * sizeof gone];
    size_t longest = 0;
    rv_grid *grid = rv_frame_grid(frame, _("This addition in binary"), MOST - first, 2);
    if (grid == NULL) return;
    rv_grid_head(grid, -1, 1, "x 2^%d", (int)add->first);
    for (int i = first; i < MOST; i++) {
        rs_binary_text(values[i], i == 2 ? add->rest : 0, add->first, add->last, digits[i]);
        if (strlen(digits[i]) > longest) longest = strlen(digits[i]);
    }
    for (int i = first; i < MOST; i++) {
        for (size_t n = strlen(digits[i]); n < longest; n++) {
            const bool bar = strchr(digits[i], '|') == NULL;
            strcat(digits[i], bar ? "|" : i == MOST - 1 ? gone : "0");
        }
        rv_grid_head(grid, i - first, -1, "%s", names[i]);
        rv_grid_write(grid, i - first, 0, i == MOST - 1 ? RV_TONE_ADDED : RV_TONE_PLAIN, -1, "%s",
                      i == 2 ? exact_number(frame, of->dtype, add)
                             : number(frame, of->dtype, values[i]));
        rv_grid_plain(grid, i - first, 1, "%s", digits[i]);
    }
}

static const rs_addition *last_of(const rv_way *way) {
    return &way->walk.additions[way->walk.n - 1];
}

/* The first order that comes to other bits; NULL: all come to the same. */
static const rv_way *other_than_first(const rv_bits_story *of) {
    for (int w = 1; w < of->n_ways; w++) {
        if (last_of(&of->ways[w])->sum != last_of(&of->ways[0])->sum) return &of->ways[w];
    }
    return NULL;
}

/* The results, with the bits as they lie in memory. */
static void fill_results(const rv_bits_story *of, rv_frame *frame) {
    static const char *const heads[] = {N_("result"), N_("bits"), N_("off by")};
    rv_grid *grid = rv_frame_grid(frame, _("What comes out"), of->n_ways, 3);
    rv_grid_columns(grid, heads, 3);
    for (int w = 0; w < of->n_ways; w++) {
        const rs_addition *add = last_of(&of->ways[w]);
        uint64_t bits = 0;
        rs_write_float(of->dtype, &bits, 0, add->sum);
        rv_grid_head(grid, w, -1, "%s", of->ways[w].name);
        rv_grid_write(grid, w, 0, RV_TONE_GOOD, -1, "%s", number(frame, of->dtype, add->sum));
        rv_grid_plain(grid, w, 1, "0x%0*llx", 2 * (int)rs_dtype_bytes(of->dtype),
                      (unsigned long long)bits);
        rv_grid_plain(grid, w, 2, "%s", off_by(frame, add->off));
    }
}

/* ------------------------------------------------------------------ the sentences */

static void say_start(const rv_bits_story *of, rv_frame *frame) {
    rv_frame_say(frame, _("Element %lld of %d GPUs' arrays, %s: who adds what to what? %s"),
                 (long long)of->element, (int)of->ways[0].walk.n_ranks, rs_dtype_name(of->dtype),
                 of->known != NULL ? _(of->known) : "");
}

static void say_addition(const rv_bits_story *of, const rs_addition *add, rv_frame *frame) {
    const rs_walk *walk = &of->ways[0].walk;
    const char *kept = number(frame, of->dtype, add->sum),
               *exact = exact_number(frame, of->dtype, add);
    if (add->at == RS_SWITCH) {
        rv_frame_say(frame, _("The switch adds all %d exactly, %s, and rounds once: %s"),
                     (int)walk->n_ranks, exact, kept);
        return;
    }
    const bool own = add->here == add->at;
    const char *comes = number(frame, of->dtype, rs_value_at(walk, add->comes)),
               *here = number(frame, of->dtype, rs_value_at(walk, add->here));
    if (add->comes == add->at && is_rounded(add)) { /* where lower ranks' are added up first */
        rv_frame_say(
            frame,
            _("GPU %d adds its own %s to %s: exactly %s, but %s has no such number; %s is kept"),
            (int)add->at, comes, here, exact, rs_dtype_name(of->dtype), kept);
        return;
    }
    if (add->comes == add->at) {
        rv_frame_say(frame, _("GPU %d adds its own %s to %s: %s, and nothing is rounded"),
                     (int)add->at, comes, here, kept);
        return;
    }
    if (is_rounded(add)) {
        rv_frame_say(frame,
                     own ? _("GPU %d's %s comes to GPU %d, which adds its own %s: exactly %s, but "
                             "%s has no such number; %s is kept")
                         : _("GPU %d's %s comes to GPU %d, which adds it to its sum %s: exactly "
                             "%s, but %s has no such number; %s is kept"),
                     (int)rs_maker_of(walk, add->comes), comes, (int)add->at, here, exact,
                     rs_dtype_name(of->dtype), kept);
    } else {
        rv_frame_say(frame,
                     own ? _("GPU %d's %s comes to GPU %d, which adds its own %s: %s, and nothing "
                             "is rounded")
                         : _("GPU %d's %s comes to GPU %d, which adds it to its sum %s: %s, and "
                             "nothing is rounded"),
                     (int)rs_maker_of(walk, add->comes), comes, (int)add->at, here, kept);
    }
}

static void say_end(const rv_bits_story *of, rv_frame *frame) {
    const rs_addition *add = last_of(&of->ways[0]);
    const rv_way *other = other_than_first(of);
    const long long element = of->element;
    const char *sum = number(frame, of->dtype, add->sum);
    if (other != NULL) {
        rv_frame_say(frame,
                     _("Other orders, other bits: %s; but %s by %s. None of them is wrong, and "
                       "which is nearer to the exact sum depends on the numbers"),
                     sum, number(frame, of->dtype, last_of(other)->sum), other->name);
    } else if (of->n_ways > 1) {
        rv_frame_say(frame, _("Element %lld is %s in all these orders, with these numbers"),
                     element, sum);
    } else {
        rv_frame_say(frame,
                     _("Element %lld is %s, off the exact sum by %s units in the last place"),
                     element, sum, off_by(frame, add->off));
    }
    frame->good = other == NULL;
}

/* ------------------------------------------------------------------ the whole */

static const char *title_of(const rv_story *story) {
    return facts(story)->title;
}

static void fill_frame(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    const rv_bits_story *of = facts(story);
    const rs_walk *first = &of->ways[0].walk;
    const bool underway = step >= 0 && step < story->n_steps;
    (void)rank;
    if (step < 0) {
        say_start(of, frame);
    } else if (step < first->n) {
        say_addition(of, &first->additions[step], frame);
    } else {
        say_end(of, frame);
    }
    for (int w = 0; w < of->n_ways; w++) fill_way(of, &of->ways[w], step, frame);
    if (underway && step < first->n) fill_binary(of, &first->additions[step], frame);
    if (step >= story->n_steps) fill_results(of, frame);
}

void rv_story_bits(const rv_bits_story *of, rv_story *story) {
    *story = (rv_story){.name = N_("How an element is added up"),
                        .title = title_of,
                        .n_steps = 1,
                        .n_ranks = of->ways[0].walk.n_ranks,
                        .frame = fill_frame,
                        .context = of,
                        .lists_moments = true,
                        .words = {[RV_TONE_LEAVES] = N_("goes on"),
                                  [RV_TONE_NEW] = N_("comes"),
                                  [RV_TONE_ADDED] = N_("added, rounded"),
                                  [RV_TONE_GOOD] = N_("the result")}};
    for (int w = 0; w < of->n_ways; w++) {
        if (of->ways[w].walk.n > story->n_steps) story->n_steps = of->ways[w].walk.n;
    }
}
