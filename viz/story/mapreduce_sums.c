/* mapreduce_sums.c: the tables of a text that is too long to show pair by pair, and the table of
 * messages, which long and short texts share.
 */
#include "story/mapreduce_moments.h"
#include "text/words.h"

enum { MOST_MATRIX = 16 };

/* Shows the messages, rows send and columns receive: those sent, those on their way, those to
   come. */
void rv_mapreduce_messages(const rs_mr_report *report, int32_t shuffle_step, rv_frame *frame) {
    const int32_t n = report->request.n_ranks;
    if (n < 2 || n > MOST_MATRIX) return;
    rv_grid *grid = rv_frame_grid(frame, _("Messages, in bytes: rows send, columns receive"), n, n);
    if (grid == NULL) return;
    rv_frame_ranks(frame, grid);
    for (int32_t r = 0; r < n; r++) {
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

void rv_mapreduce_sums(const rs_mr_report *report, rv_mapreduce_moment moment, rv_frame *frame) {
    enum { TEXT, WORDS, SENDS, REDUCES, MAPPED, DONE, N_COLUMNS };
    static const char *const heads[N_COLUMNS] = {
        N_("text"), N_("words"), N_("sends"), N_("reduces"), N_("mapped after"), N_("done after")};
    const int32_t n = report->request.n_ranks, n_columns = frame->figures ? N_COLUMNS : MAPPED;
    rv_grid *grid = rv_frame_grid(frame, _("What every GPU does"), n, n_columns);
    rv_frame_columns(frame, grid, heads, n_columns);
    rv_frame_ranks(frame, grid);
    for (int32_t r = 0; r < n; r++) {
        const char *const cells[N_COLUMNS] = {
            rv_frame_bytes(frame, report->first[r + 1] - report->first[r]),
            rv_frame_text(frame, "%lld", (long long)report->mapped[r]),
            rv_frame_bytes(frame, bytes_sent(report, r)),
            rv_frame_text(frame, "%lld", (long long)report->reduced[r]),
            rv_frame_time(frame, report->map_ps[r]),
            rv_frame_time(frame, report->end_ps[r])};
        const rv_tone tones[N_COLUMNS] = {
            [WORDS] = moment == RV_MR_MAP ? RV_TONE_NEW : RV_TONE_PLAIN,
            [SENDS] = moment == RV_MR_SHUFFLE ? RV_TONE_LEAVES : RV_TONE_PLAIN,
            [REDUCES] = moment == RV_MR_REDUCE ? RV_TONE_ADDED : RV_TONE_GOOD};
        const bool known[N_COLUMNS] = {
            true, moment >= RV_MR_MAP, moment >= RV_MR_SHUFFLE, moment >= RV_MR_REDUCE, true, true};
        for (int32_t c = 0; c < n_columns; c++) {
            if (known[c]) rv_frame_entry(frame, grid, r, c, tones[c], r, "%s", cells[c]);
        }
    }
}

void rv_mapreduce_top(const rv_mapreduce_story *of, rv_frame *frame) {
    const rs_mr_op op = of->report->request.op;
    const bool times = frame->figures && (op == RS_MR_MAX || op == RS_MR_MIN);
    const bool all = frame->figures && of->n_top == of->report->n_distinct;
    rv_grid *grid = rv_frame_grid(
        frame, all ? _("All words, the most frequent first") : _("The most frequent words"),
        (int32_t)of->n_top, times ? 3 : 2);
    const char *const heads[] = {rs_mr_op_name(op), N_("reducer"), N_("times")};
    rv_frame_columns(frame, grid, heads, times ? 3 : 2);
    if (grid != NULL) grid->whole = true;
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
