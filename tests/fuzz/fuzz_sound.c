/* fuzz_sound.c: what the checker calls sound, the engines finish and the arithmetic gets right.
 *
 * The bytes are a .sched file, or else a recipe: an algorithm, a world size, and edits of its
 * transfers, so that schedules which are nearly right, or right in an odd way, turn up often.
 *
 *   - Any schedule, sound or not, must run to its end under both protocols: no fault, no stall. Both
 *     engines say the same, to the picosecond, where both apply.
 *   - Sound: what the collective defines is right, sums of u64 or copies; those cells' contents are complete.
 *   - Unsound without a clash: neither. Cells that hold nothing at first hold noise here, so to add one is wrong.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim.h"

enum { MAX_N = 24, MAX_C = 32, MAX_TRANSFERS = 2400, MAX_STEPS = 600 };

typedef struct bytes {
    const uint8_t *at, *end;
} bytes;

static int32_t take(bytes *from, int32_t n) { /* 0 .. n - 1 */
    return from->at == from->end ? 0 : *from->at++ % n;
}

/* One edit of the list; steps are given a transfer each, and the list is sorted by them afterwards. */
static int64_t edit(bytes *from, const rs_schedule *s, rs_transfer list[], int32_t step[],
                    int64_t n) {
    const int kind = take(from, 7);
    const int64_t at = (take(from, 256) * 256 + take(from, 256)) % n;
    rs_transfer *t = &list[at];
    switch (kind) {
    case 0: t->dst = (t->src + 1 + take(from, s->n_ranks - 1)) % s->n_ranks; break;
    case 1: t->src = (t->dst + 1 + take(from, s->n_ranks - 1)) % s->n_ranks; break;
    case 2: t->effect = !t->effect; break;
    case 3: t->chunk = take(from, s->n_chunks - t->n_chunks + 1); break;
    case 4: step[at] = take(from, s->n_steps + 1); break;
    case 5: /* twice, perhaps in another step */
        if (n == MAX_TRANSFERS) break;
        list[n] = *t;
        step[n] = take(from, s->n_steps + 1);
        return n + 1;
    default: /* dropped */
        list[at] = list[n - 1];
        step[at] = step[n - 1];
        return n - 1;
    }
    return n;
}

static rs_status cook(bytes from, rs_arena *arena, rs_error *error, rs_schedule *schedule) {
    static rs_transfer list[MAX_TRANSFERS], sorted[MAX_TRANSFERS];
    static int32_t step_of[MAX_TRANSFERS];
    static int64_t first[MAX_STEPS + 2];
    const rs_collective of = (rs_collective)take(&from, RS_N_COLLECTIVES);
    const rs_algorithm *const *all = rs_algorithms_of(of);
    int32_t n_all = 0;
    while (all[n_all] != NULL) n_all++;
    const rs_algorithm *algorithm = all[take(&from, n_all)];
    const rs_order order = take(&from, 2) ? RS_ORDER_NCCL : RS_ORDER_SEED;
    const int32_t most = of == RS_COLL_ALL_TO_ALL ? 5 : MAX_N - 2;
    rs_spec spec = {.order = order, .n_pieces = algorithm->pipelined ? 4 : 0};
    spec.n_ranks = 2 + take(&from, most - 1);
    if (rs_collective_rooted(of)) spec.root = take(&from, spec.n_ranks);
    rs_schedule s;
    if (rs_schedule_from_spec(algorithm, &spec, 1000, error, &s) != RS_OK) abort();
    int64_t n = 0;
    for (int32_t step = 0; step < s.n_steps; step++) {
        for (rs_cursor c = {0}; rs_next_transfer(&s, step, &c, &list[n]); n++) step_of[n] = step;
    }
    while (from.at < from.end && n > 0) n = edit(&from, &s, list, step_of, n);
    int64_t placed = 0;
    for (int32_t step = 0; step <= s.n_steps; step++) {
        first[step] = placed;
        for (int64_t i = 0; i < n; i++) {
            if (step_of[i] == step) sorted[placed++] = list[i];
        }
    }
    first[s.n_steps + 1] = placed;
    const rs_status status = rs_schedule_from_list(s.n_ranks, s.n_chunks, s.n_steps + 1, first,
                                                   sorted, arena, error, schedule);
    return status == RS_OK ? rs_schedule_as(schedule, of, s.root, error) : status;
}

static void runs_to_its_end(const rs_schedule *schedule, rs_protocol protocol, rs_arena *arena) {
    static const rs_link_override slower[] = {{0, 1, {7000000, 3000000000}}};
    const rs_job job = {
        .schedule = schedule,
        .count = 1000,
        .elem_bytes = 8,
        .net = {.link = {5000000, 20000000000},
                .overrides = slower,
                .n_overrides = schedule->n_ranks > 1,
                .reduce_Bps = 50000000000,
                .protocol = protocol},
    };
    rs_error error = {.text = ""};
    rs_outcome events, wavefront;
    rs_status status = rs_simulate(&job, RS_ENGINE_EVENTS, NULL, arena, &error, &events);
    assert(status == RS_OK && events.completed && events.n_stalled == 0);
    assert(events.n_transfers == schedule->n_transfers);
    if (!rs_wavefront_applies(&job)) return;
    status = rs_simulate(&job, RS_ENGINE_WAVEFRONT, NULL, arena, &error, &wavefront);
    assert(status == RS_OK && wavefront.completed);
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        assert(events.finish_ps[r] == wavefront.finish_ps[r]);
        assert(events.bytes_sent[r] == wavefront.bytes_sent[r]);
    }
}

/* Is this cell defined at the end? */
static bool is_defined(rs_ends ends, int32_t rank) {
    return ends.to == RS_EVERY_RANK || ends.to == rank;
}

static bool values_are_right(const rs_schedule *schedule) {
    static uint64_t data[MAX_N][2 * MAX_C], wanted[2 * MAX_C];
    void *ranks[MAX_N];
    const int64_t count = 2 * schedule->n_chunks - 1; /* chunks of two and one elements */
    memset(wanted, 0, sizeof wanted);
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        rs_fill(RS_DATA_RANDOM, RS_U64, r, schedule->n_chunks, count, count, 1, NULL, data[r]);
        for (int64_t i = 0; i < count; i++) {
            const int32_t from = rs_ends_of(schedule, rs_chunk_of(schedule, count, i)).from;
            if (from == RS_EVERY_RANK || from == r) wanted[i] += data[r][i];
        }
        ranks[r] = data[r];
    }
    rs_error error;
    const rs_apply_options options = {.until_step = schedule->n_steps};
    const rs_status status =
        rs_apply(schedule, RS_U64, RS_SUM, count, ranks, &options, NULL, &error);
    assert(status == RS_OK);
    bool right = true;
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        for (int64_t i = 0; i < count; i++) {
            if (!is_defined(rs_ends_of(schedule, rs_chunk_of(schedule, count, i)), r)) continue;
            right = right && data[r][i] == wanted[i];
        }
    }
    return right;
}

static bool contents_are_complete(const rs_schedule *schedule, rs_arena *arena) {
    rs_contents *contents;
    rs_error error;
    if (rs_contents_new(schedule, arena, &error, &contents) != RS_OK) abort();
    if (rs_contents_seek(contents, schedule->n_steps, NULL, &error) != RS_OK) abort();
    bool complete = true;
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        for (int32_t c = 0; c < schedule->n_chunks; c++) {
            if (!is_defined(rs_ends_of(schedule, c), r)) continue;
            complete = complete && rs_contents_complete(contents, r, c);
        }
    }
    return complete;
}

static bool any_clash(const rs_schedule *s) {
    static uint8_t got[MAX_N][MAX_C];
    bool clash = false;
    for (int32_t step = 0; step < s->n_steps; step++) {
        memset(got, 0, sizeof got);
        rs_transfer t;
        for (rs_cursor cursor = {0}; rs_next_transfer(s, step, &cursor, &t);) {
            for (int32_t c = t.chunk; c < t.chunk + t.n_chunks; c++) {
                uint8_t *cell = &got[t.dst][c];
                clash = clash || (*cell != 0 && (t.effect == RS_COPY || (*cell & 2) != 0));
                *cell |= t.effect == RS_COPY ? 2 : 1;
            }
        }
    }
    return clash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error;
    rs_schedule s;
    rs_status status = rs_parse_schedule((const char *)data, size, &arena, &error, &s);
    if (status != RS_OK) status = cook((bytes){data, data + size}, &arena, &error, &s);
    assert(status == RS_OK);
    if (s.n_ranks < MAX_N && s.n_chunks <= MAX_C && s.n_transfers <= MAX_TRANSFERS &&
        s.n_steps <= MAX_STEPS) {
        rs_verdict verdict = {0};
        status = rs_check(&s, NULL, &error, &verdict);
        assert(status == RS_OK && verdict.text[0] != '\0');
        runs_to_its_end(&s, RS_RENDEZVOUS, &arena);
        runs_to_its_end(&s, RS_EAGER, &arena);
        const bool right = values_are_right(&s), complete = contents_are_complete(&s, &arena);
        assert(!verdict.sound || (right && complete));
        const bool added = verdict.fault == RS_ADDED_TO_NOTHING; /* contents do not know of noise */
        assert(verdict.sound || any_clash(&s) || (!right && (!complete || added)));
    }
    rs_arena_free(&arena);
    return 0;
}
