/* sampler_print.c: who sees what, as a table for people; what is seen twice or by nobody comes last.
 *
 *     GPU 0   0 4 8
 *     GPU 1   1 5 9
 *     GPU 2   2 6 0*      * again: the order goes round
 *     GPU 3   3 7 1*
 *
 * Long lists keep their beginning and their end, where the padding is.
 */
#include "base/text.h"
#include "systems/sampler.h"

#include <assert.h>
#include <string.h>

enum { WIDTH = 100, MOST_GPUS = 16, HEAD_GPUS = 12, MOST_SHOWN = 12, HEAD_SHOWN = 6, TAIL = 3 };
enum { HEAD_COLUMN = 12, MOST_NAMED = 6, CELL = 256 };

/* ------------------------------------------------------------------ a GPU's samples in one line */

static int digits_of(int64_t number) {
    int n = 1;
    for (; number >= 10; number /= 10) n++;
    return n;
}

/* How many samples of a GPU have room: several epochs share the line. */
static int64_t room_of(const rc_sampled *sampled) {
    const int digits = digits_of(sampled->epochs[0].of.n_samples);
    const int64_t room = (WIDTH - HEAD_COLUMN) / sampled->n_epochs / (digits + 1) - 1;
    return room < HEAD_SHOWN + TAIL ? (room < 3 ? 3 : room) : room > 24 ? 24 : room;
}

/* Writes a GPU's samples, with a * behind those that are padding; a gap where there is no room. */
static void list_samples(const rs_shards *shards, int32_t rank, int64_t room, char out[CELL]) {
    const int64_t n = shards->per_rank, tail = room / 3;
    assert(room >= 3);
    const int digits = digits_of(shards->of.n_samples > 0 ? shards->of.n_samples - 1 : 0);
    size_t used = 0;
    out[0] = '\0';
    for (int64_t i = 0; i < n && used + 32 < CELL; i++) {
        if (n > room && i == room - tail) {
            i = n - tail;
            used += (size_t)snprintf(out + used, CELL - used, "... ");
        }
        const bool padding = i * shards->of.n_ranks + rank >= shards->of.n_samples;
        used += (size_t)snprintf(out + used, CELL - used, "%*lld%c", digits,
                                 (long long)rs_shard_sample(shards, rank, i), padding ? '*' : ' ');
    }
}

/* How wide an epoch's column is: its list, or its head. */
static int column_of(const rc_sampled *sampled, int64_t room) {
    const rs_shards *first = &sampled->epochs[0];
    const int digits = digits_of(first->of.n_samples > 0 ? first->of.n_samples - 1 : 0);
    const int64_t n = first->per_rank < room ? first->per_rank : room;
    const int64_t list = n * (digits + 1) + (first->per_rank > room ? 4 : 0);
    return (int)(list > 10 ? list : 10) + 2;
}

static int shown_epochs(const rc_sampled *sampled, int column) {
    const int fit = (WIDTH - HEAD_COLUMN) / column;
    return sampled->n_epochs < fit ? sampled->n_epochs : fit > 0 ? fit : 1;
}

static void cut_space(char *text) {
    const size_t n = strlen(text);
    if (n > 0 && text[n - 1] == ' ') text[n - 1] = '\0';
}

static void print_table(const rc_sampled *sampled) {
    const int64_t room = room_of(sampled);
    const int column = column_of(sampled, room), n_epochs = shown_epochs(sampled, column);
    const int32_t gpus = sampled->epochs[0].of.n_ranks;
    char text[CELL];
    if (sampled->n_epochs > 1) {
        printf("%*s", HEAD_COLUMN, "");
        for (int e = 0; e < n_epochs; e++) {
            snprintf(text, sizeof text, _("epoch %llu"),
                     (unsigned long long)(sampled->first_epoch + (uint64_t)e));
            rc_print_padded(text, e < n_epochs - 1 ? column : 0);
        }
        puts(n_epochs < sampled->n_epochs ? "  ..." : "");
    }
    for (int32_t r = 0; r < gpus; r++) {
        if (gpus > MOST_GPUS && r == HEAD_GPUS) {
            r = gpus - (MOST_GPUS - HEAD_GPUS);
            puts("...");
        }
        snprintf(text, sizeof text, "GPU %d", (int)r);
        rc_print_padded(text, sampled->epochs[0].per_rank > 0 ? HEAD_COLUMN : 0);
        for (int e = 0; e < n_epochs; e++) {
            list_samples(&sampled->epochs[e], r, room, text);
            if (e == n_epochs - 1) cut_space(text);
            rc_print_padded(text, e < n_epochs - 1 ? column : 0);
        }
        puts("");
    }
}

/* ------------------------------------------------------------------ what it comes to */

static void print_rule(const rs_shards *s) {
    const long long n = s->of.n_samples, each = s->per_rank, total = s->total;
    const int gpus = s->of.n_ranks;
    if (s->of.drop_last) {
        printf(_("%lld samples, %d GPUs, the rest dropped: %lld / %d rounded down = %lld each, "
                 "%lld in all\n\n"),
               n, gpus, n, gpus, each, total);
    } else {
        printf(gpus == 1
                   ? _("%lld samples, %d GPU: %lld / %d rounded up = %lld each, %lld in all\n\n")
                   : _("%lld samples, %d GPUs: %lld / %d rounded up = %lld each, %lld in all\n\n"),
               n, gpus, n, gpus, each, total);
    }
}

/* Names the samples that padding repeats, and who sees them. */
static void print_repeated(const rs_shards *s) {
    const int64_t n = s->of.n_samples;
    const int64_t n_repeated = s->n_padded < n ? s->n_padded : n;
    for (int64_t place = 0; place < n_repeated && place < MOST_NAMED; place++) {
        printf(_("  sample %lld: GPU"), (long long)rs_shard_position(s, place));
        int n_named = 0;
        int64_t p = place;
        for (; p < s->total && n_named < MOST_NAMED; p += n, n_named++) {
            printf("%s%d", n_named > 0 ? _(", ") : " ", (int)(p % s->of.n_ranks));
        }
        printf("%s%s\n", p < s->total ? _(", ") : "", p < s->total ? "..." : "");
    }
    if (n_repeated > MOST_NAMED) puts("  ...");
}

/* The order's end, which nobody gets; of several epochs only how many. */
static void print_dropped(const rs_shards *s, bool named) {
    char list[MOST_NAMED * 16 + 8] = "";
    size_t used = 0;
    for (int64_t p = s->total; p < s->of.n_samples && p < s->total + MOST_NAMED; p++) {
        const int64_t sample = s->order != NULL ? s->order[p] : p;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%lld", used > 0 ? _(", ") : "",
                                 (long long)sample);
    }
    if (s->n_dropped > MOST_NAMED) snprintf(list + used, sizeof list - used, "%s...", _(", "));
    if (named) {
        printf(_("dropped, seen by nobody: %lld samples, the end of the order: %s\n"),
               (long long)s->n_dropped, list);
    } else {
        printf(_("dropped, seen by nobody: %lld samples, the end of each order\n"),
               (long long)s->n_dropped);
    }
}

static void print_ends(const rc_sampled *sampled) {
    const rs_shards *s = &sampled->epochs[0];
    if (s->n_padded > 0) {
        printf(_("* padding: the order begins again at its head, %lld times a sample is dealt out "
                 "once more.\n"),
               (long long)s->n_padded);
        if (sampled->n_epochs == 1) print_repeated(s);
    }
    if (s->n_dropped > 0) print_dropped(s, sampled->n_epochs == 1);
}

static void print_order(const rc_sampled *sampled, int64_t met) {
    const rs_sampling *of = &sampled->epochs[0].of;
    if (!of->shuffle) {
        puts(_("order: 0, 1, 2, ...; --shuffle deals another one, from seed + epoch"));
    } else if (sampled->forgotten) {
        puts(_("order: shuffled; nobody called set_epoch, so every epoch has the order of epoch 0. "
               "The GPUs still share\nnothing but the padding."));
    } else {
        puts(
            _("order: shuffled by seed + epoch, the same on every GPU, as torch.randperm does it"));
    }
    if (sampled->n_epochs > 1) {
        printf(_("GPU 0 meets %lld of %lld samples in %d epochs.\n"), (long long)met,
               (long long)of->n_samples, sampled->n_epochs);
    }
}

static void print_batches(const rs_batches *b, int gpus) {
    if (b->per_rank == 0) return;
    printf(_("batch: %lld a GPU x %d = %lld a step; %lld steps an epoch, the last with %lld a "
             "GPU\n"),
           (long long)b->per_rank, gpus, (long long)b->per_step, (long long)b->n_steps,
           (long long)b->last);
}

void rc_print_sampled(const rc_sampled *sampled, int64_t met) {
    print_rule(&sampled->epochs[0]);
    print_table(sampled);
    puts("");
    print_ends(sampled);
    print_order(sampled, met);
    print_batches(&sampled->batches, sampled->epochs[0].of.n_ranks);
}
