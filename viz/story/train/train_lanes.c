/* train_lanes.c: a training step's timeline: what the first 16 GPUs compute and exchange, or one for all where they
 * do the same at the same time; under dp also each thread and the lock that the threads share. */
#include "story/train/train_facts.h"
#include "text/words.h"

enum { MOST_LANE_RANKS = 16 };

/* ------------------------------------------------------------------ words */

static const rv_kind ddp_kinds[] = {
    {N_("forward"), RV_TONE_PLAIN, false},
    {N_("backward"), RV_TONE_NEW, false},
    {N_("all-reduce"), RV_TONE_ADDED, false},
    {N_("update"), RV_TONE_GOOD, false},
    {N_("waits for others"), RV_TONE_QUIET, true},
    {N_("small exchanges"), RV_TONE_LEAVES, false}}; /* ddp's cases */
static const rv_kind shard_kinds[] = {
    {N_("forward"), RV_TONE_PLAIN, false},         {N_("backward"), RV_TONE_NEW, false},
    {N_("reduce-scatter"), RV_TONE_ADDED, false},  {N_("update"), RV_TONE_GOOD, false},
    {N_("waits for others"), RV_TONE_QUIET, true}, {N_("all-gather"), RV_TONE_LEAVES, false},
    {N_("all-reduce"), RV_TONE_BAD, false}}; /* the last: hsdp */
static const rv_kind dp_kinds[] = {{N_("forward"), RV_TONE_PLAIN, false},
                                   {N_("backward"), RV_TONE_NEW, false},
                                   {N_("gradients"), RV_TONE_ADDED, false},
                                   {N_("update"), RV_TONE_GOOD, false},
                                   {N_("waits for the lock"), RV_TONE_QUIET, true},
                                   {N_("Python, with the lock"), RV_TONE_BAD, false},
                                   {N_("samples, outputs"), RV_TONE_LEAVES, false},
                                   {N_("model"), RV_TONE_LEAVES, false}};

/* Returns the place of a kind of work in its list above. */
static int32_t kind_of(const rv_train_facts *f, rs_work work) {
    static const int8_t kinds[RS_N_WORKS] = {
        [RS_WORK_FORWARD] = 0,   [RS_WORK_BACKWARD] = 1,       [RS_WORK_ALL_REDUCE] = 2,
        [RS_WORK_REDUCE] = 2,    [RS_WORK_REDUCE_SCATTER] = 2, [RS_WORK_LOSS] = 3,
        [RS_WORK_UPDATE] = 3,    [RS_WORK_WAIT] = 4,           [RS_WORK_GIL_WAIT] = 4,
        [RS_WORK_EXTRA] = 5,     [RS_WORK_ALL_GATHER] = 5,     [RS_WORK_PYTHON] = 5,
        [RS_WORK_SCATTER] = 6,   [RS_WORK_GATHER] = 6,         [RS_WORK_SCATTER_LOSS] = 6,
        [RS_WORK_COPY_MODEL] = 7};
    return work == RS_WORK_ALL_REDUCE && rv_shows_shards(f) ? 6 : kinds[work];
}

/* ------------------------------------------------------------------ lanes */

static bool has_thread_lanes(const rv_train_facts *f) {
    return f->of.plan->mode == RS_DP && f->of.plan->n_ranks > 1 && f->of.time->gil_ps > 0;
}

/* A difference that no picture shows: a chunk that is an element longer, a wait of nanoseconds. */
static bool is_near(int64_t a_ps, int64_t b_ps, int64_t whole_ps) {
    const int64_t apart_ps = a_ps > b_ps ? a_ps - b_ps : b_ps - a_ps;
    return apart_ps <= whole_ps / 4000;
}

static bool same_work(const rs_train_span *a, const rs_train_span *b, int64_t whole_ps) {
    return a->lane == b->lane && a->work == b->work && a->index == b->index &&
           is_near(a->start_ps, b->start_ps, whole_ps) && is_near(a->end_ps, b->end_ps, whole_ps);
}

/* Returns how many GPUs have lanes: one, where each does the same at the same time. */
static int32_t lane_ranks(const rv_train_facts *f, rs_arena *arena) {
    const int32_t n = f->of.plan->n_ranks, most = n < MOST_LANE_RANKS ? n : MOST_LANE_RANKS;
    const rs_step_time *time = f->of.time;
    const rs_train_span **first = rs_alloc(arena, (size_t)time->n_pieces + 1, sizeof(void *));
    int64_t *done = rs_alloc(arena, (size_t)n, sizeof *done), n_first = 0, whole_ps = 0;
    if (first == NULL || done == NULL || has_thread_lanes(f)) return most;
    for (int64_t i = 0; i < time->n_pieces; i++) {
        if (time->pieces[i].end_ps > whole_ps) whole_ps = time->pieces[i].end_ps;
    }
    for (int64_t i = 0; i < time->n_pieces; i++) {
        const rs_train_span *piece = &time->pieces[i];
        const bool seen = !is_near(piece->start_ps, piece->end_ps, whole_ps);
        if (piece->rank == 0 && seen) first[n_first++] = piece;
    }
    for (int64_t i = 0; i < time->n_pieces; i++) {
        const rs_train_span *piece = &time->pieces[i];
        int64_t *at = &done[piece->rank];
        if (is_near(piece->start_ps, piece->end_ps, whole_ps)) continue;
        if (*at >= n_first || !same_work(first[*at], piece, whole_ps)) return most;
        ++*at;
    }
    for (int32_t r = 0; r < n; r++) {
        if (done[r] != n_first) return most;
    }
    return 1;
}

/* Returns the lane of a span: GIL | thread 0 .. | GPU 0 | GPU 0 net | GPU 1 ...; -1: it is not
   shown. */
static int32_t lane_of(const rv_train_facts *f, int32_t n, const rs_train_span *piece) {
    const int32_t threads = has_thread_lanes(f) ? n + 1 : 0;
    const int32_t each = f->of.plan->mode == RS_NONE || f->of.plan->n_ranks == 1 ? 1 : 2;
    if (piece->lane == RS_LANE_GIL) return threads > 0 ? 0 : -1;
    if (piece->rank >= n) return -1;
    if (piece->lane == RS_LANE_THREAD) return threads > 0 ? 1 + piece->rank : -1;
    return threads + each * piece->rank + (piece->lane == RS_LANE_NETWORK);
}

static bool name_lanes(const rv_train_facts *f, int32_t n, rs_arena *arena, rv_story *story) {
    const int32_t n_ranks = f->of.plan->n_ranks;
    const bool threads = has_thread_lanes(f);
    const bool network = f->of.plan->mode != RS_NONE && f->of.plan->n_ranks > 1;
    rv_lane_name *names = rs_alloc(arena, (size_t)n * 3 + 1, sizeof *names);
    const bool one = n == 1 && n_ranks > 1; /* lane for all of them */
    if (names == NULL) return false;
    int32_t at = 0;
    if (threads) names[at++] = (rv_lane_name){N_("GIL"), 0};
    for (int32_t r = 0; r < n && threads; r++) names[at++] = (rv_lane_name){N_("thread %d"), r};
    for (int32_t r = 0; r < n; r++) {
        const int32_t number = one ? n_ranks - 1 : r;
        names[at++] = (rv_lane_name){one ? N_("GPU 0..%d") : N_("GPU %d"), number};
        if (network)
            names[at++] = (rv_lane_name){one ? N_("GPU 0..%d net") : N_("GPU %d net"), number};
    }
    story->lane_names = names;
    story->n_lanes = at;
    return true;
}

/* Tells whether a span of zero3 or hsdp belongs to a moment's pass. Spans of earlier batches count as the
   forward pass's. */
static bool is_in_pass(const rv_train_facts *f, const rs_train_span *piece, bool forward) {
    const rs_bucket_time *gathers = f->of.time->gathers[0];
    switch (piece->work) {
    case RS_WORK_FORWARD: return forward;
    case RS_WORK_BACKWARD:
    case RS_WORK_REDUCE_SCATTER:
    case RS_WORK_ALL_REDUCE: return !forward;
    case RS_WORK_WAIT:
    case RS_WORK_ALL_GATHER:
        return (gathers != NULL && piece->end_ps <= gathers[piece->index].end_ps) == forward;
    default: return false;
    }
}

/* Returns the moment to which a span belongs; -1: none. */
static int32_t moment_of(const rv_train_facts *f, const rs_train_span *piece) {
    for (int32_t m = 0; m < f->n_moments; m++) {
        const rv_train_moment *moment = &f->moments[m];
        const bool bucket = piece->work == RS_WORK_ALL_REDUCE || piece->work == RS_WORK_WAIT ||
                            piece->work == RS_WORK_BACKWARD ||
                            piece->work == RS_WORK_REDUCE_SCATTER;
        const bool inside = piece->index >= moment->first && piece->index <= moment->last;
        switch (moment->kind) {
        case RV_TRAIN_FORWARD:
            if (piece->work == RS_WORK_FORWARD || piece->index < 0) return m;
            break;
        case RV_TRAIN_BACKWARD:
            if (piece->work == RS_WORK_BACKWARD) return m;
            break;
        case RV_TRAIN_STUCK:
        case RV_TRAIN_BUCKETS:
            if (bucket && inside) return m;
            break;
        case RV_TRAIN_UNITS:
            if (inside && is_in_pass(f, piece, moment->work == RS_WORK_FORWARD)) return m;
            break;
        case RV_TRAIN_GATHER:
            if (piece->work == RS_WORK_ALL_GATHER) return m;
            break;
        case RV_TRAIN_UPDATE:
            if (piece->work == RS_WORK_UPDATE) return m;
            break;
        case RV_TRAIN_DP_WORK:
            if (piece->work == moment->work) return m;
            break;
        case RV_TRAIN_STEP: break;
        }
    }
    return -1;
}

static const char *label_of(rs_arena *arena, const rs_train_span *piece) {
    const bool bucket = piece->work == RS_WORK_ALL_REDUCE ||
                        piece->work == RS_WORK_REDUCE_SCATTER || piece->work == RS_WORK_ALL_GATHER;
    return bucket ? rv_span_label(arena, "%d", (int)piece->index + 1) : NULL;
}

static bool add_works(const rv_train_facts *f, int32_t n, rs_arena *arena, rv_story *story) {
    const rs_step_time *time = f->of.time;
    rv_work_span *spans = rs_alloc(arena, (size_t)time->n_pieces + 1, sizeof *spans);
    if (spans == NULL) return false;
    for (int64_t i = 0; i < time->n_pieces; i++) {
        const rs_train_span *piece = &time->pieces[i];
        const int32_t lane = lane_of(f, n, piece);
        if (lane < 0) continue;
        spans[story->n_spans++] = (rv_work_span){.lane = lane,
                                                 .start_ps = piece->start_ps,
                                                 .end_ps = piece->end_ps,
                                                 .kind = kind_of(f, piece->work),
                                                 .step = moment_of(f, piece),
                                                 .label = label_of(arena, piece)};
    }
    story->spans = spans;
    return true;
}

/* Fills in what the colours mean. */
static void name_kinds(const rv_train_facts *f, rv_story *story) {
    const rs_step_plan *plan = f->of.plan;
    const bool dp = plan->mode == RS_DP && plan->n_ranks > 1, shards = rv_shows_shards(f);
    const rv_kind *kinds = dp ? dp_kinds : shards ? shard_kinds : ddp_kinds;
    size_t n = (dp       ? sizeof dp_kinds
                : shards ? sizeof shard_kinds
                         : sizeof ddp_kinds) /
               sizeof *kinds;
    if (shards ? plan->mode != RS_HSDP : !dp && f->of.time->n_extra == 0) n--;
    story->words[RV_TONE_GOOD] = shards ? N_("sharded") : N_("done");
    story->words[RV_TONE_LEAVES] = N_("this one");
    for (size_t i = 0; i < n; i++) story->kinds[i] = kinds[i];
}

bool rv_add_train_lanes(const rv_train_facts *f, rs_arena *arena, rv_story *story) {
    name_kinds(f, story);
    const int32_t n = lane_ranks(f, arena);
    return name_lanes(f, n, arena, story) && add_works(f, n, arena, story);
}
