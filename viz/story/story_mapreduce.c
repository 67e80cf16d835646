/* story_mapreduce.c: map, shuffle, reduce as a story: which moments there are, their sentences, and the
 * lanes of the timeline.
 *
 *     step   -1     0      1          2 .. N        N + 1    N + 2    N + 3      the end
 *          text   map   partition   N - 1 of the   reduce   arrays   the ring    results
 *                                   shuffle                 (only if a ring has folded it, too)
 *
 *     GPU 0      [ map ][ -> 1 ][ -> 2 ]
 *     GPU 0 in   .......[ <- 2 ][ <- 1 ]
 */
#include "story/mapreduce_moments.h"
#include "text/words.h"

enum { MOST_RANKS_TOLD = 16, MOST_LANES = 32 };
enum { MAP, SEND, RECEIVE, REDUCE };

static const rv_mapreduce_story *facts(const rv_story *story) {
    return story->context;
}

/* ------------------------------------------------------------------ moments */

/* Tells whether a page has room for every moment pair by pair. */
static bool is_told(const rs_mr_report *report) {
    return rv_mapreduce_short(report) && !report->request.combine &&
           report->request.n_ranks <= MOST_RANKS_TOLD;
}

static int32_t first_after_shuffle(const rs_mr_report *report) {
    return 2 + report->request.n_ranks - 1;
}

static bool has_ring(const rs_mr_report *report) {
    return report->ring.folded && is_told(report);
}

static int32_t count_steps(const rs_mr_report *report) {
    return first_after_shuffle(report) + (has_ring(report) ? 3 : 1);
}

/* Returns the moment of a step; in the shuffle *shuffle_step is the step of the shuffle. */
static rv_mapreduce_moment moment_at(const rs_mr_report *report, int32_t step,
                                     int32_t *shuffle_step) {
    const int32_t after = first_after_shuffle(report);
    *shuffle_step = step < 2 ? -1 : step < after ? step - 2 : after - 2;
    if (step < 0) return RV_MR_START;
    if (step >= count_steps(report)) return RV_MR_END;
    if (step < 2) return step == 0 ? RV_MR_MAP : RV_MR_PARTITION;
    if (step < after) return RV_MR_SHUFFLE;
    return step == after ? RV_MR_REDUCE : step == after + 1 ? RV_MR_ARRAYS : RV_MR_RING;
}

/* ------------------------------------------------------------------ sentences */

static const char *result_of(rs_mr_op op) {
    static const char *const results[RS_MR_N_OPS] = {
        N_("the ones are added"), N_("the places are counted"), N_("the last place stays"),
        N_("the first place stays"), N_("the places make a list")};
    return _(results[op]);
}

static void say_map(const rs_mr_report *report, rv_frame *frame) {
    if (report->request.op == RS_MR_SUM) {
        rv_frame_say(frame,
                     _("Map: every GPU writes a pair (word, 1) for each of its words, without "
                       "asking anybody"));
    } else {
        rv_frame_say(frame,
                     _("Map: every GPU writes a pair (word, place) for each of its words; a place "
                       "is a byte's number in the text"));
    }
}

static void say_shuffle(const rs_mr_report *report, int32_t step, rv_frame *frame) {
    const int32_t n = report->request.n_ranks;
    int64_t n_messages = 0, n_bytes = 0;
    for (int32_t r = 0; r < n; r++) {
        const rs_mr_message *m = &report->messages[(int64_t)r * n + (r + step + 1) % n];
        n_messages += m->start_ps >= 0;
        n_bytes += m->start_ps >= 0 ? m->n_bytes : 0;
        if (m->done_ps > frame->now_ps) frame->now_ps = m->done_ps;
    }
    rv_frame_say(
        frame,
        _("Shuffle, step %d of %d: GPU n sends GPU n + %d the pairs of which that one is the "
          "reducer: messages %lld, bytes %lld"),
        (int)step + 1, (int)n - 1, (int)step + 1, (long long)n_messages, (long long)n_bytes);
}

static void say_ring(const rs_mr_report *report, bool done, rv_frame *frame) {
    const rs_mr_ring *ring = &report->ring;
    if (!done) {
        rv_frame_say(frame,
                     _("The same as arrays: every GPU holds a number for every word, what its own "
                       "mapper found; chunk r holds the words of reducer r"));
        return;
    }
    frame->good = ring->equal;
    frame->bad = !ring->equal;
    rv_frame_say(
        frame,
        _("The ring's scatter-reduce, %d steps: it shuffles and reduces in one. GPU %d owns the "
          "words of reducer 0: every GPU was a reducer"),
        (int)report->request.n_ranks - 1, (int)ring->owner[0]);
}

static void say(const rs_mr_report *report, rv_mapreduce_moment moment, int32_t shuffle_step,
                rv_frame *frame) {
    const int n = report->request.n_ranks;
    switch (moment) {
    case RV_MR_START:
        rv_frame_say(
            frame,
            _("A text of %lld bytes is cut into %d parts; a word belongs to the part in which "
              "it begins"),
            (long long)report->request.n_bytes, n);
        break;
    case RV_MR_MAP: say_map(report, frame); break;
    case RV_MR_PARTITION:
        rv_frame_say(
            frame,
            _("Partition: crc32(word) mod %d says whose a pair is. Equal words go to the same "
              "GPU, and everybody knows where without asking"),
            n);
        break;
    case RV_MR_SHUFFLE: say_shuffle(report, shuffle_step, frame); break;
    case RV_MR_REDUCE:
        rv_frame_say(frame, _("Reduce: equal words are together now, and for each %s"),
                     result_of(report->request.op));
        break;
    case RV_MR_ARRAYS:
    case RV_MR_RING: say_ring(report, moment == RV_MR_RING, frame); break;
    case RV_MR_END:
        frame->good = true;
        rv_frame_say(
            frame,
            _("Done: words %lld, different %lld, and every GPU holds the results of its own"),
            (long long)report->n_words, (long long)report->n_distinct);
        break;
    }
}

static const char *phase_of(rv_mapreduce_moment moment) {
    static const char *const phases[RV_MR_END + 1] = {
        [RV_MR_MAP] = N_("map"),         [RV_MR_PARTITION] = N_("partition"),
        [RV_MR_SHUFFLE] = N_("shuffle"), [RV_MR_REDUCE] = N_("reduce"),
        [RV_MR_ARRAYS] = N_("the ring"), [RV_MR_RING] = N_("the ring")};
    return phases[moment] != NULL ? _(phases[moment]) : NULL;
}

static void fill_frame(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    const rv_mapreduce_story *of = facts(story);
    const rs_mr_report *report = of->report;
    int32_t shuffle_step;
    (void)rank;
    const rv_mapreduce_moment moment = moment_at(report, step, &shuffle_step);
    frame->phase = phase_of(moment);
    frame->now_ps = 0;
    for (int32_t r = 0; moment != RV_MR_START && r < report->request.n_ranks; r++) {
        if (report->map_ps[r] > frame->now_ps) frame->now_ps = report->map_ps[r];
    }
    say(report, moment, shuffle_step, frame);
    if (moment >= RV_MR_REDUCE) frame->now_ps = report->makespan_ps;
    if (frame->figures) {
        rv_mapreduce_figures(of, frame);
    } else if (is_told(report)) {
        rv_mapreduce_pairs(report, moment, shuffle_step, frame);
    } else {
        rv_mapreduce_sums(of, moment, shuffle_step, frame);
    }
}

/* ------------------------------------------------------------------ lanes */

#define ARROW_RIGHT "\xE2\x86\x92" /* labels have no language */
#define ARROW_LEFT "\xE2\x86\x90"

/* Adds a message twice: to the sender's lane and to the receiver's. */
static void add_message(const rs_mr_report *report, int32_t src, int32_t dst, rs_arena *arena,
                        rv_work_span *spans, int64_t *n_spans) {
    const int32_t n = report->request.n_ranks;
    const rs_mr_message *m = &report->messages[(int64_t)src * n + dst];
    const int32_t step = 2 + rv_mapreduce_step_of(n, src, dst);
    if (m->start_ps < 0) return;
    spans[(*n_spans)++] =
        (rv_work_span){2 * src, m->start_ps, m->end_ps,
                       SEND,    step,        rv_span_label(arena, ARROW_RIGHT " GPU %d", (int)dst)};
    spans[(*n_spans)++] = (rv_work_span){
        2 * dst + 1, m->start_ps, m->end_ps,
        RECEIVE,     step,        rv_span_label(arena, ARROW_LEFT " GPU %d", (int)src)};
    if (m->done_ps > m->end_ps) {
        spans[(*n_spans)++] =
            (rv_work_span){2 * dst + 1, m->end_ps, m->done_ps, REDUCE, step, NULL};
    }
}

static rs_status add_lanes(const rs_mr_report *report, rs_arena *arena, rs_error *error,
                           rv_story *story) {
    const int32_t n = report->request.n_ranks;
    const size_t most = (size_t)n + 3 * (size_t)report->n_messages;
    if (n > MOST_LANES) return RS_OK;
    rv_work_span *spans = rs_alloc(arena, most, sizeof *spans);
    rv_lane_name *names = rs_alloc(arena, 2 * (size_t)n, sizeof *names);
    if (spans == NULL || names == NULL) return rs_no_memory(error);
    int64_t n_spans = 0;
    for (int32_t r = 0; r < n; r++) {
        names[2 * r] = (rv_lane_name){N_("GPU %d"), r};
        names[2 * r + 1] = (rv_lane_name){N_("GPU %d in"), r};
        if (report->map_ps[r] > 0) {
            spans[n_spans++] = (rv_work_span){2 * r, 0, report->map_ps[r], MAP, 0, NULL};
        }
    }
    for (int32_t i = 0; i < n * n; i++) add_message(report, i / n, i % n, arena, spans, &n_spans);
    rv_sort_spans(spans, n_spans);
    story->n_lanes = n_spans > 0 ? 2 * n : 0;
    story->lane_names = names;
    story->spans = spans;
    story->n_spans = n_spans;
    story->end_ps = report->makespan_ps;
    return RS_OK;
}

rs_status rv_story_mapreduce(const rv_mapreduce_story *of, rs_arena *arena, rs_error *error,
                             rv_story *story) {
    *story = (rv_story){
        .name = N_("MapReduce: who is the reducer?"),
        .n_steps = count_steps(of->report),
        .n_ranks = of->report->request.n_ranks,
        .frame = fill_frame,
        .context = of,
        .words = {[RV_TONE_QUIET] = N_("has gone"),
                  [RV_TONE_LEAVES] = N_("goes to its reducer"),
                  [RV_TONE_ADDED] = N_("is reduced"),
                  [RV_TONE_GOOD] = N_("the result")},
        .kinds = {[MAP] = {N_("map"), RV_TONE_PLAIN, false},
                  [SEND] = {N_("send"), RV_TONE_LEAVES, false},
                  [RECEIVE] = {N_("receive"), RV_TONE_NEW, false},
                  [REDUCE] = {N_("reduce"), RV_TONE_ADDED, false}},
    };
    return add_lanes(of->report, arena, error, story);
}
