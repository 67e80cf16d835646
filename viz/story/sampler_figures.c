/* sampler_figures.c: who has seen what in all epochs, and what is seen twice or by nobody, for a page of text.
 *
 *     GPU 0  0 4 8
 *     GPU 1  1 5 9
 *     GPU 2  2 6 0*      * again: the order goes round
 *     GPU 3  3 7 1*
 *
 * Long lists keep their beginning and their end, where the padding is.
 */
#include "story/story_sampler.h"
#include "text/words.h"

#include <assert.h>
#include <stdio.h>

enum { WIDTH = 80, HEAD = 8, MOST_SHOWN = 24, HEAD_SHOWN = 6, TAIL = 3, MOST_NAMED = 6 };
enum { HEAD_ROWS = 12, TAIL_ROWS = 4, CELL = 120 };

/* ------------------------------------------------------------------ a GPU's samples in one line */

static int digits_of(int64_t number) {
    int n = 1;
    for (; number >= 10; number /= 10) n++;
    return n;
}

/* How many samples of a GPU have room: several epochs share the line. */
static int64_t room_of(const rv_sampler_story *of) {
    const int digits = digits_of(of->epochs[0].of.n_samples);
    const int64_t room = (WIDTH - HEAD) / of->n_epochs / (digits + 1) - 1;
    return room < HEAD_SHOWN + TAIL ? (room < 3 ? 3 : room) : room > MOST_SHOWN ? MOST_SHOWN : room;
}

/* Writes a GPU's samples, with a * behind those that are padding; a gap where there is no room. */
static void list_samples(const rs_shards *s, int32_t rank, int64_t room, char out[CELL]) {
    const int64_t n = s->per_rank, tail = room / 3;
    const int digits = digits_of(s->of.n_samples > 0 ? s->of.n_samples - 1 : 0);
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
        rv_frame_head(frame, grid, -1, e, _("epoch %llu"),
                      (unsigned long long)of->first_epoch + (unsigned)e);
    }
    for (int32_t row = 0; row < n_rows; row++) {
        const int32_t r = row < HEAD_ROWS ? row : gpus - n_rows + row;
        if (many && row == HEAD_ROWS) {
            rv_frame_head(frame, grid, row, -1, "...");
            continue;
        }
        rv_frame_head(frame, grid, row, -1, "GPU %d", (int)r);
        for (int32_t e = 0; e < of->n_epochs; e++) {
            char list[CELL];
            list_samples(&of->epochs[e], r, room, list);
            rv_frame_entry(frame, grid, row, e, RV_TONE_PLAIN, r, "%s", list);
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

void rv_sampler_figures(const rv_sampler_story *of, rv_frame *frame) {
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
