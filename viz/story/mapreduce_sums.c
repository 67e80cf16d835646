/* mapreduce_sums.c: the tables of a text that is too long to show pair by pair, and the table of
 * messages, which long and short texts share.
 */
#include "story/mapreduce_moments.h"
#include "text/words.h"

enum { MOST_MATRIX = 16, LONGEST = 32 };

/* Shows the messages, rows send and columns receive: those sent, those on their way, those to
   come. */
void rv_mapreduce_messages(const rs_mr_report *report, int32_t shuffle_step, rv_frame *frame) {
    const int32_t n = report->request.n_ranks;
    if (n < 2 || n > MOST_MATRIX) return;
    rv_grid *grid = rv_frame_grid(frame, _("Messages, in bytes: rows send, columns receive"), n, n);
    if (grid == NULL) return;
    grid->ranks = true;
    for (int32_t r = 0; r < n; r++) {
        rv_frame_head(frame, grid, r, -1, "GPU %d", (int)r);
        rv_frame_head(frame, grid, -1, r, "GPU %d", (int)r);
        for (int32_t d = 0; d < n; d++) {
            const rs_mr_message *m = &report->messages[(int64_t)r * n + d];
            const int32_t step = rv_mapreduce_step_of(n, r, d);
            const rv_tone tone = step == shuffle_step  ? RV_TONE_LEAVES
                                 : step < shuffle_step ? RV_TONE_PLAIN
                                                       : RV_TONE_QUIET;
            if (r == d || m->start_ps < 0) {
                rv_frame_entry(frame, grid, r, d, RV_TONE_PLAIN, -1, r == d ? "" : ".");
            } else {
                rv_frame_entry(frame, grid, r, d, tone, d, "%lld", (long long)m->n_bytes);
            }
        }
    }
}

static int64_t bytes_sent(const rs_mr_report *report, int32_t rank) {
    const int32_t n = report->request.n_ranks;
    int64_t n_bytes = 0;
    for (int32_t d = 0; d < n; d++) {
        if (d != rank) n_bytes += report->messages[(int64_t)rank * n + d].n_bytes;
    }
    return n_bytes;
}

/* When each GPU has mapped, and when it is done. */
static void fill_times(const rs_mr_report *report, rv_frame *frame, rv_grid *grid) {
    rv_frame_head(frame, grid, -1, 4, "%s", _("mapped after"));
    rv_frame_head(frame, grid, -1, 5, "%s", _("done after"));
    for (int32_t r = 0; r < report->request.n_ranks; r++) {
        char map[LONGEST], end[LONGEST];
        rv_format_time(report->map_ps[r], map, sizeof map);
        rv_format_time(report->end_ps[r], end, sizeof end);
        rv_frame_entry(frame, grid, r, 4, RV_TONE_PLAIN, r, "%s", map);
        rv_frame_entry(frame, grid, r, 5, RV_TONE_PLAIN, r, "%s", end);
    }
}

void rv_mapreduce_sums(const rs_mr_report *report, rv_mapreduce_moment moment, rv_frame *frame) {
    const int32_t n = report->request.n_ranks;
    const bool mapped = moment >= RV_MR_MAP, shuffled = moment >= RV_MR_SHUFFLE;
    rv_grid *grid = rv_frame_grid(frame, _("What every GPU does"), n, frame->figures ? 6 : 4);
    if (grid == NULL) return;
    grid->ranks = true;
    rv_frame_head(frame, grid, -1, 0, "%s", _("text"));
    rv_frame_head(frame, grid, -1, 1, "%s", _("words"));
    rv_frame_head(frame, grid, -1, 2, "%s", _("sends"));
    rv_frame_head(frame, grid, -1, 3, "%s", _("reduces"));
    if (frame->figures) fill_times(report, frame, grid);
    for (int32_t r = 0; r < n; r++) {
        char text[LONGEST], sends[LONGEST];
        rv_format_bytes(report->first[r + 1] - report->first[r], text, sizeof text);
        rv_format_bytes(bytes_sent(report, r), sends, sizeof sends);
        rv_frame_head(frame, grid, r, -1, "GPU %d", (int)r);
        rv_frame_entry(frame, grid, r, 0, RV_TONE_PLAIN, r, "%s", text);
        if (mapped) {
            rv_frame_entry(frame, grid, r, 1, moment == RV_MR_MAP ? RV_TONE_NEW : RV_TONE_PLAIN, r,
                           "%lld", (long long)report->mapped[r]);
        }
        if (shuffled) {
            rv_frame_entry(frame, grid, r, 2,
                           moment == RV_MR_SHUFFLE ? RV_TONE_LEAVES : RV_TONE_PLAIN, r, "%s",
                           sends);
        }
        if (moment < RV_MR_REDUCE) continue;
        rv_frame_entry(frame, grid, r, 3, moment == RV_MR_REDUCE ? RV_TONE_ADDED : RV_TONE_GOOD, r,
                       "%lld", (long long)report->reduced[r]);
    }
}

void rv_mapreduce_top(const rv_mapreduce_story *of, rv_frame *frame) {
    const rs_mr_op op = of->report->request.op;
    const bool times = frame->figures && (op == RS_MR_MAX || op == RS_MR_MIN);
    const bool all = frame->figures && of->n_top == of->report->n_distinct;
    rv_grid *grid = rv_frame_grid(
        frame, all ? _("All words, the most frequent first") : _("The most frequent words"),
        (int32_t)of->n_top, times ? 3 : 2);
    rv_frame_head(frame, grid, -1, 0, "%s", rs_mr_op_name(op));
    rv_frame_head(frame, grid, -1, 1, "%s", _("reducer"));
    if (grid != NULL) grid->whole = true;
    if (times) rv_frame_head(frame, grid, -1, 2, "%s", _("times"));
    for (int32_t i = 0; i < of->n_top; i++) {
        const rs_mr_word *word = of->top[i];
        char name[RV_MR_WORD];
        rv_frame_head(frame, grid, i, -1, "%s", rv_mapreduce_word(word->text, word->n_bytes, name));
        rv_frame_entry(frame, grid, i, 0, RV_TONE_GOOD, word->reducer, "%lld",
                       (long long)word->value);
        rv_frame_entry(frame, grid, i, 1, RV_TONE_PLAIN, word->reducer, "GPU %d",
                       (int)word->reducer);
        if (!times) continue;
        rv_frame_entry(frame, grid, i, 2, RV_TONE_PLAIN, -1, "%lld", (long long)word->count);
    }
}
