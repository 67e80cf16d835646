/* story_sampler.c: how a sampler deals a dataset out: a step is a round, in which every GPU gets
 * one sample.
 *
 *     the dataset 0 1 2 3 ...  (shuffled: lines to its places in the order)
 *     the order   0 1 2 3 | 4 5 6 7 | 8 9 0*1*        GPU 0   0  4  8
 *                 round 1   round 2   round 3         GPU 3   3  7  1*
 *
 *   - With many rounds only the first and the last ones are steps; the caption says which round it
 *     is.
 *   - With very many GPUs the story shows the first 1024.
 *   - A sample that is dealt a second time has the tone of what is wrong, and a *.
 *   - Figures, for a page of text: a line for each GPU, "GPU 2  2 6 0*"; long lists keep their beginning
 *     and their end, where the padding is.
 */
#include "story/story_sampler.h"
#include "base/containers.h"
#include "text/words.h"

#include <assert.h>
#include <stdio.h>

enum { MOST_ROUNDS = 24, LAST_ROUNDS = 4, MOST_ORDER = 64, ORDER_WIDTH = 16, MOST_GPUS = 1024 };

static const rv_sampler_story *facts(const rv_story *story) {
    return story->context;
}

static int32_t shown_gpus(const rs_shards *s) {
    return s->of.n_ranks < MOST_GPUS ? s->of.n_ranks : MOST_GPUS;
}

/* Returns how many rounds of an epoch are steps. */
static int32_t shown_rounds(const rs_shards *s) {
    return s->per_rank < MOST_ROUNDS ? (int32_t)s->per_rank : MOST_ROUNDS;
}

/* Returns which round the i-th of those is. */
static int64_t round_at(const rs_shards *s, int32_t i) {
    const int32_t n = shown_rounds(s);
    return i < n - LAST_ROUNDS ? i : s->per_rank - n + i;
}

/* Tells whether the sample at this position was dealt before. */
static bool again(const rs_shards *s, int64_t position) {
    return position >= s->of.n_samples;
}

/* ------------------------------------------------------------------ the two tables */

/* Shows what each GPU gets, a column for each round; `done`: how many rounds have been dealt. */
static void fill_gpus(const rs_shards *s, int32_t done, bool underway, rv_frame *frame) {
    const int32_t gpus = s->of.n_ranks, shown = shown_gpus(s), rounds = shown_rounds(s);
    rv_grid *grid = rv_frame_grid(frame, _("Who sees what"), shown, rounds);
    if (grid == NULL) return;
    grid->tiles = true;
    rv_grid_ranks(grid);
    for (int32_t c = 0; c < rounds; c++) {
        rv_grid_head(grid, -1, c, "%lld", (long long)round_at(s, c) + 1);
    }
    for (int32_t r = 0; r < shown; r++) {
        for (int32_t c = 0; c < done; c++) {
            const int64_t round = round_at(s, c);
            const bool padding = again(s, round * gpus + r);
            const rv_tone tone = padding                     ? RV_TONE_BAD
                                 : underway && c == done - 1 ? RV_TONE_NEW
                                                             : RV_TONE_PLAIN;
            rv_grid_write(grid, r, c, tone, r, "%lld%s", (long long)rs_shard_sample(s, r, round),
                          padding ? "*" : "");
            if (underway && c == done - 1) rv_grid_way(grid, r, c, r + 1, NULL);
        }
    }
}

/* Shows the order with its padding, each place in the colour of the GPU that gets it. */
static void fill_order(const rs_shards *s, int64_t from, int64_t to, rv_frame *frame) {
    const int64_t n = s->total > s->of.n_samples ? s->total : s->of.n_samples;
    if (n > MOST_ORDER || n == 0) return;
    const int32_t wide = n < ORDER_WIDTH ? (int32_t)n : ORDER_WIDTH;
    rv_grid *grid = rv_frame_grid(frame, _("The order"), (int32_t)((n + wide - 1) / wide), wide);
    if (grid == NULL) return;
    grid->tiles = true;
    for (int64_t p = 0; p < n; p++) {
        const bool padding = again(s, p), dropped = p >= s->total;
        const rv_tone tone = p >= from && p < to ? RV_TONE_LEAVES
                             : dropped           ? RV_TONE_BAD
                             : p < from          ? RV_TONE_QUIET
                                                 : RV_TONE_PLAIN;
        const int64_t sample =
            dropped ? (s->order != NULL ? s->order[p] : p) : rs_shard_position(s, p);
        rv_grid_write(grid, (int32_t)(p / wide), (int32_t)(p % wide), tone,
                      dropped ? -1 : (int32_t)(p % s->of.n_ranks), "%lld%s", (long long)sample,
                      padding ? "*" : "");
        if (tone != RV_TONE_LEAVES) continue;
        rv_grid_way(grid, (int32_t)(p / wide), (int32_t)(p % wide), (int32_t)(p - from) + 1, NULL);
    }
}

/* Shows the dataset as it is, each sample joined to its place in the shuffled order below. */
static void fill_shuffle(const rs_shards *s, rv_frame *frame) {
    enum { DATASET, BETWEEN, ORDER, N_ROWS };
    const int32_t n = (int32_t)s->of.n_samples;
    rv_grid *grid = rv_frame_grid(frame, _("The dataset, shuffled"), N_ROWS, n);
    if (grid == NULL) return;
    grid->tiles = true;
    rv_grid_head(grid, DATASET, -1, "%s", _("dataset"));
    rv_grid_head(grid, ORDER, -1, "%s", _("order"));
    for (int32_t p = 0; p < n; p++) {
        const int32_t sample = (int32_t)(s->order != NULL ? s->order[p] : p);
        const rv_tone tone = p < s->total ? RV_TONE_PLAIN : RV_TONE_BAD; /* nobody gets it */
        const int32_t rank = p < s->total ? p % s->of.n_ranks : -1;
        rv_grid_write(grid, DATASET, sample, tone, rank, "%d", (int)sample);
        rv_grid_write(grid, ORDER, p, tone, rank, "%d", (int)sample);
        rv_grid_way(grid, DATASET, sample, sample + 1, NULL);
        rv_grid_way(grid, ORDER, p, sample + 1, NULL);
    }
}

/* Plots how often each sample has been dealt after the first `dealt` places of the order. */
static void fill_counts(const rs_shards *s, int64_t dealt, rv_frame *frame) {
    const int64_t n = s->of.n_samples;
    if (n > MOST_ORDER || n == 0) return;
    double *x = rs_alloc(frame->arena, (size_t)n, sizeof *x);
    double *y = rs_alloc(frame->arena, (size_t)n, sizeof *y);
    if (x == NULL || y == NULL) return;
    for (int64_t i = 0; i < n; i++) x[i] = (double)i;
    for (int64_t p = 0; p < dealt; p++) y[rs_shard_position(s, p)]++;
    rv_plot *plot = rv_frame_plot(frame, _("Dealt out so far"), _("sample"), _("times"));
    rv_plot_series(plot, _("times"), (int32_t)n, x, y, RV_TONE_PLAIN);
    if (plot == NULL) return;
    plot->bars = true;
    plot->most = (double)((s->total + s->of.n_samples - 1) / s->of.n_samples);
}

/* ------------------------------------------------------------------ the sentences */

static void say_start(const rs_shards *s, rv_frame *frame) {
    rv_frame_say(
        frame,
        s->of.drop_last
            ? _("%lld samples for %d GPUs: %lld each, so that all have equally many; the last "
                "%lld of the order are dropped")
            : _("%lld samples for %d GPUs: %lld each, so that all have equally many; %lld are "
                "dealt out once more"),
        (long long)s->of.n_samples, (int)s->of.n_ranks, (long long)s->per_rank,
        (long long)(s->of.drop_last ? s->n_dropped : s->n_padded));
}

static void say_round(const rs_shards *s, int64_t round, int32_t rank, rv_frame *frame) {
    const long long sample = rs_shard_sample(s, rank, round), number = round + 1, n = s->per_rank;
    const int64_t position = round * s->of.n_ranks + rank;
    if (again(s, position)) {
        rv_frame_say(
            frame,
            _("Round %lld of %lld: the order has come to its end and begins again; GPU %d gets "
              "sample %lld, which GPU %d has, too"),
            number, n, (int)rank, sample, (int)(position % s->of.n_samples % s->of.n_ranks));
    } else {
        rv_frame_say(frame,
                     _("Round %lld of %lld: the next %d of the order; GPU %d gets sample %lld"),
                     number, n, (int)s->of.n_ranks, (int)rank, sample);
    }
}

static void say_end(const rv_sampler_story *of, rv_frame *frame) {
    const rs_shards *s = &of->epochs[0];
    const bool forgotten = of->forgotten && of->n_epochs > 1;
    const long long each = s->per_rank;
    frame->bad = s->n_padded > 0 || s->n_dropped > 0 || forgotten;
    frame->good = !frame->bad;
    if (s->of.n_samples == 0) {
        rv_frame_say(frame, _("There are no samples: nobody gets any"));
    } else if (forgotten) {
        rv_frame_say(
            frame,
            _("Nobody called set_epoch: %d epochs, and every GPU has seen the same %lld samples "
              "in each"),
            (int)of->n_epochs, each);
    } else if (frame->bad) {
        rv_frame_say(frame,
                     s->n_padded > 0
                         ? _("All have %lld samples; %lld times a sample was dealt out once more")
                         : _("All have %lld samples; nobody sees the last %lld of the order"),
                     each, (long long)(s->n_padded > 0 ? s->n_padded : s->n_dropped));
    } else {
        rv_frame_say(frame, _("All have %lld samples, and each sample is seen by exactly one GPU"),
                     each);
    }
}

/* ------------------------------------------------------------------ figures: who has seen what in all epochs */

enum { WIDTH = 80, HEAD = 8, MOST_SHOWN = 24, HEAD_SHOWN = 6, TAIL = 3, MOST_NAMED = 6 };
enum { HEAD_ROWS = 12, TAIL_ROWS = 4, CELL = 120 };

/* How many samples of a GPU have room: several epochs share the line. */
static int64_t room_of(const rv_sampler_story *of) {
    const int digits = rs_digits_of(of->epochs[0].of.n_samples);
    const int64_t room = (WIDTH - HEAD) / of->n_epochs / (digits + 1) - 1;
    return room < HEAD_SHOWN + TAIL ? (room < 3 ? 3 : room) : room > MOST_SHOWN ? MOST_SHOWN : room;
}

/* Writes a GPU's samples, with a * behind those that are padding; a gap where there is no room. */
static void list_samples(const rs_shards *s, int32_t rank, int64_t room, char out[CELL]) {
    const int64_t n = s->per_rank, tail = room / 3;
    const int digits = rs_digits_of(s->of.n_samples > 0 ? s->of.n_samples - 1 : 0);
    size_t used = 0;
    assert(room >= 3);
    out[0] = '\0';
    for (int64_t i = 0; i < n && used + 24 < CELL; i++) {
        if (n > room && i == room - tail) {
            i = n - tail;
            used += (size_t)snprintf(out + used, CELL - used, "... ");
        }
        const bool padding = i * s->of.n_ranks + rank >= s->of.n_samples;
        used += (size_t)snprintf(out + used, CELL - used, "%*lld%c", digits,
                                 (long long)rs_shard_sample(s, rank, i), padding ? '*' : ' ');
    }
}

/* Of many GPUs the first and the last, with a gap between: there may be a hundred thousand. */
static void fill_lists(const rv_sampler_story *of, rv_frame *frame) {
    const int32_t gpus = of->epochs[0].of.n_ranks;
    const bool many = gpus > HEAD_ROWS + TAIL_ROWS;
    const int32_t n_rows = many ? HEAD_ROWS + 1 + TAIL_ROWS : gpus;
    const int64_t room = room_of(of);
    rv_grid *grid = rv_frame_grid(frame, _("Who sees what"), n_rows, of->n_epochs);
    if (grid != NULL) grid->whole = true;
    for (int32_t e = 0; of->n_epochs > 1 && e < of->n_epochs; e++) {
        rv_grid_head(grid, -1, e, _("epoch %llu"),
                     (unsigned long long)of->first_epoch + (unsigned)e);
    }
    for (int32_t row = 0; row < n_rows; row++) {
        const int32_t r = row < HEAD_ROWS ? row : gpus - n_rows + row;
        if (many && row == HEAD_ROWS) {
            rv_grid_head(grid, row, -1, "...");
            continue;
        }
        rv_grid_head(grid, row, -1, "GPU %d", (int)r);
        for (int32_t e = 0; e < of->n_epochs; e++) {
            char list[CELL];
            list_samples(&of->epochs[e], r, room, list);
            rv_grid_write(grid, row, e, RV_TONE_PLAIN, r, "%s", list);
        }
    }
}

/* ------------------------------------------------------------------ what it comes to */

static void note_rule(const rs_shards *s, rv_frame *frame) {
    const long long n = s->of.n_samples, each = s->per_rank, total = s->total;
    const int gpus = s->of.n_ranks;
    rv_frame_note(
        frame,
        s->of.drop_last
            ? _("%lld samples, %d GPUs, the rest dropped: %lld / %d rounded down = %lld each, %lld "
                "in all")
        : gpus == 1 ? _("%lld samples, %d GPU: %lld / %d rounded up = %lld each, %lld in all")
                    : _("%lld samples, %d GPUs: %lld / %d rounded up = %lld each, %lld in all"),
        n, gpus, n, gpus, each, total);
}

/* Names the samples that padding repeats, and who sees them. */
static void note_repeated(const rs_shards *s, rv_frame *frame) {
    const int64_t n = s->of.n_samples;
    const int64_t n_repeated = s->n_padded < n ? s->n_padded : n;
    for (int64_t place = 0; place < n_repeated && place < MOST_NAMED; place++) {
        char list[CELL] = "";
        size_t used = 0;
        int64_t p = place;
        for (int i = 0; p < s->total && i < MOST_NAMED; p += n, i++) {
            used += (size_t)snprintf(list + used, CELL - used, "%s%d", i > 0 ? _(", ") : "",
                                     (int)(p % s->of.n_ranks));
        }
        if (p < s->total) snprintf(list + used, CELL - used, "%s...", _(", "));
        rv_frame_note(frame, _("  sample %lld: GPU %s"), (long long)rs_shard_position(s, place),
                      list);
    }
    if (n_repeated > MOST_NAMED) rv_frame_note(frame, "  ...");
}

/* The order's end, which nobody gets; of several epochs only how many. */
static void note_dropped(const rs_shards *s, bool named, rv_frame *frame) {
    char list[CELL] = "";
    size_t used = 0;
    if (!named) {
        rv_frame_note(frame, _("dropped, seen by nobody: %lld samples, the end of each order"),
                      (long long)s->n_dropped);
        return;
    }
    for (int64_t p = s->total; p < s->of.n_samples && p < s->total + MOST_NAMED; p++) {
        const int64_t sample = s->order != NULL ? s->order[p] : p;
        used += (size_t)snprintf(list + used, CELL - used, "%s%lld", used > 0 ? _(", ") : "",
                                 (long long)sample);
    }
    if (s->n_dropped > MOST_NAMED) snprintf(list + used, CELL - used, "%s...", _(", "));
    rv_frame_note(frame, _("dropped, seen by nobody: %lld samples, the end of the order: %s"),
                  (long long)s->n_dropped, list);
}

static void note_order(const rv_sampler_story *of, rv_frame *frame) {
    rv_frame_note(
        frame, "%s",
        !of->epochs[0].of.shuffle
            ? _("order: 0, 1, 2, ...; --shuffle deals another one, from seed + epoch")
        : of->forgotten
            ? _("order: shuffled; nobody called set_epoch, so every epoch has the order of "
                "epoch 0. The GPUs still share nothing but the padding.")
            : _("order: shuffled by seed + epoch, the same on every GPU, as torch.randperm does it"));
    if (of->n_epochs > 1) {
        rv_frame_note(frame, _("GPU 0 meets %lld of %lld samples in %d epochs."),
                      (long long)of->met, (long long)of->epochs[0].of.n_samples, (int)of->n_epochs);
    }
}

static void fill_figures(const rv_sampler_story *of, rv_frame *frame) {
    const rs_shards *s = &of->epochs[0];
    const rs_batches *b = &of->batches;
    fill_lists(of, frame);
    note_rule(s, frame);
    if (s->n_padded > 0) {
        rv_frame_note(frame,
                      _("* padding: the order begins again at its head, %lld times a sample is "
                        "dealt out once more."),
                      (long long)s->n_padded);
        if (of->n_epochs == 1) note_repeated(s, frame);
    }
    if (s->n_dropped > 0) note_dropped(s, of->n_epochs == 1, frame);
    note_order(of, frame);
    if (b->per_rank == 0) return;
    rv_frame_note(frame,
                  _("batch: %lld a GPU x %d = %lld a step; %lld steps an epoch, the last with %lld "
                    "a GPU"),
                  (long long)b->per_rank, (int)s->of.n_ranks, (long long)b->per_step,
                  (long long)b->n_steps, (long long)b->last);
}

/* ------------------------------------------------------------------ the whole */

static void fill_frame(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    const rv_sampler_story *of = facts(story);
    const int32_t rounds = shown_rounds(&of->epochs[0]);
    const bool underway = step >= 0 && step < story->n_steps && rounds > 0;
    const int32_t last = of->n_epochs - 1;
    const int32_t epoch = underway ? step / rounds : step < 0 ? 0 : last;
    const rs_shards *s = &of->epochs[epoch];
    const int32_t done = underway ? step % rounds + 1 : step < 0 ? 0 : rounds;
    int64_t from = step < 0 ? 0 : s->total, to = from;
    if (underway) {
        const int64_t round = round_at(s, done - 1);
        from = round * s->of.n_ranks;
        to = from + s->of.n_ranks;
        say_round(s, round, rank, frame);
    } else if (step < 0 && s->of.n_samples > 0) {
        say_start(s, frame);
    } else {
        say_end(of, frame);
    }
    if (of->n_epochs > 1) {
        frame->phase = rv_frame_text(frame, _("epoch %llu"),
                                     (unsigned long long)of->first_epoch + (unsigned)epoch);
    }
    if (frame->figures) {
        fill_figures(of, frame);
        fill_counts(s, to, frame);
        return;
    }
    const bool few = s->of.n_samples > 0 && s->of.n_samples <= ORDER_WIDTH;
    if (step < 0 && s->of.shuffle && few) fill_shuffle(s, frame);
    fill_order(s, from, to, frame);
    if (rounds > 0) fill_gpus(s, done, underway, frame);
    fill_counts(s, to, frame);
}

void rv_story_sampler(const rv_sampler_story *of, rv_story *story) {
    const int32_t rounds = shown_rounds(&of->epochs[0]);
    *story = (rv_story){.name = of->epochs[0].of.shuffle ? N_("Who sees which sample, shuffled")
                                                         : N_("Who sees which sample"),
                        .n_steps = rounds > 0 ? rounds * of->n_epochs : 1,
                        .n_ranks = shown_gpus(&of->epochs[0]),
                        .frame = fill_frame,
                        .context = of,
                        .words = {[RV_TONE_LEAVES] = N_("is dealt out"),
                                  [RV_TONE_QUIET] = N_("dealt out"),
                                  [RV_TONE_BAD] = N_("once more, or dropped")}};
}
