/* mapreduce_figures.c: map, shuffle, reduce in figures, for a page of text: a short text pair by pair, of a long one
 * sums and the most frequent words; what was sent, and the same as a reduce-scatter.
 */
#include "story/mapreduce_moments.h"
#include "text/words.h"

#include <stdio.h>

enum { MOST_MESSAGES = 16, MOST_OWNERS = 8, LINE = 160 };

static const char *meaning_of(rs_mr_op op) {
    switch (op) {
    case RS_MR_SUM: return _("sum: a pair is (word, 1), and a reducer adds the ones");
    case RS_MR_COUNT: return _("count: a pair is (word, place), and a reducer counts the places");
    case RS_MR_MAX: return _("max: a pair is (word, place), and a reducer keeps the last place");
    case RS_MR_MIN: return _("min: a pair is (word, place), and a reducer keeps the first place");
    default: return _("list: a pair is (word, place), and a reducer lists the places");
    }
}

static void note_request(const rs_mr_report *report, rv_frame *frame) {
    const rs_mr_request *request = &report->request;
    rv_frame_note(frame,
                  _("%s of text: words %lld, different %lld; GPUs %d, each a mapper and a reducer"),
                  rv_frame_bytes(frame, request->n_bytes), (long long)report->n_words,
                  (long long)report->n_distinct, (int)request->n_ranks);
    rv_frame_note(frame, "%s", meaning_of(request->op));
    if (request->op != RS_MR_SUM) {
        rv_frame_note(frame, "%s",
                      _("A place is the number of a word's first byte in the text, from 0."));
    }
    if (request->combine) {
        rv_frame_note(frame, "%s",
                      _("Mappers fold their own pairs first: one a word leaves them."));
    }
}

/* ------------------------------------------------------------------ the messages of a short text */

static void fill_messages(const rs_mr_report *report, rv_frame *frame) {
    static const char *const heads[] = {N_("pairs"), N_("bytes"), N_("from"), N_("until")};
    const int32_t n = report->request.n_ranks;
    const bool more = report->n_messages > MOST_MESSAGES;
    const int32_t most = more ? MOST_MESSAGES : (int32_t)report->n_messages;
    rv_grid *grid = rv_frame_grid(frame, _("What is sent, and when"), most + more, 4);
    if (grid != NULL) grid->whole = true;
    if (more) rv_frame_head(frame, grid, most, -1, "...");
    rv_frame_columns(frame, grid, heads, 4);
    for (int32_t i = 0, row = 0; i < n * n && row < most; i++) {
        const rs_mr_message *message = &report->messages[i];
        if (message->start_ps < 0) continue;
        rv_frame_head(frame, grid, row, -1, "GPU %d -> GPU %d", (int)(i / n), (int)(i % n));
        rv_frame_entry(frame, grid, row, 0, RV_TONE_PLAIN, -1, "%lld", (long long)message->n_pairs);
        rv_frame_entry(frame, grid, row, 1, RV_TONE_PLAIN, -1, "%lld", (long long)message->n_bytes);
        rv_frame_entry(frame, grid, row, 2, RV_TONE_PLAIN, -1, "%s",
                       rv_frame_time(frame, message->start_ps));
        rv_frame_entry(frame, grid, row++, 3, RV_TONE_PLAIN, -1, "%s",
                       rv_frame_time(frame, message->done_ps));
    }
}

static void fill_pairs(const rs_mr_report *report, rv_frame *frame) {
    rv_mapreduce_pairs(report, false, frame);
    fill_messages(report, frame);
    rv_mapreduce_groups(report, true, frame);
    rv_frame_note(frame, _("a pair goes to GPU crc32(word) mod %d; 10 bytes and the word travel"),
                  (int)report->request.n_ranks);
}

/* ------------------------------------------------------------------ what it comes to */

static void note_owners(const rs_mr_report *report, rv_frame *frame) {
    const int32_t n = report->request.n_ranks;
    char line[LINE];
    size_t used = 0;
    if (n > MOST_OWNERS) return;
    for (int32_t c = 0; c < n; c++) {
        const int owner = (int)report->ring.owner[c];
        used += (size_t)snprintf(line + used, sizeof line - used,
                                 c == 0 ? _("  chunk %d is then on GPU %d") : _(", %d on %d"),
                                 (int)c, owner);
    }
    rv_frame_note(frame, "%s", line);
}

static void note_ring(const rs_mr_report *report, rv_frame *frame) {
    const rs_mr_ring *ring = &report->ring;
    const int n = report->request.n_ranks;
    if (!ring->fits) return;
    rv_frame_note(frame, "%s", "");
    rv_frame_note(frame, "%s",
                  _("The same as a reduce-scatter: a number for each word on every GPU, chunk r "
                    "the words of reducer r. The ring's scatter-reduce shuffles and reduces in "
                    "one:"));
    rv_frame_note(frame, _("  numbers on a GPU %lld, steps %d of %d, sent by a GPU %s, time %s"),
                  (long long)ring->count, n - 1, 2 * n - 2, rv_frame_bytes(frame, ring->n_sent),
                  rv_frame_time(frame, ring->time_ps));
    note_owners(report, frame);
    if (!ring->folded) return;
    rv_frame_note(frame, "%s",
                  ring->equal ? _("  folded on that ring, too: the same results")
                              : _("  folded on that ring, too: OTHER RESULTS; please report this"));
}

void rv_mapreduce_figures(const rv_mapreduce_story *of, rv_frame *frame) {
    const rs_mr_report *report = of->report;
    note_request(report, frame);
    if (rv_mapreduce_short(report)) {
        fill_pairs(report, frame);
    } else {
        rv_mapreduce_sums(report, RV_MR_END, frame);
        rv_mapreduce_top(of, frame);
    }
    rv_frame_note(frame, _("messages: %lld, %s; the last GPU is done after %s"),
                  (long long)report->n_messages, rv_frame_bytes(frame, report->n_bytes),
                  rv_frame_time(frame, report->makespan_ps));
    note_ring(report, frame);
}
