/* test_schedule_calls.c: what a rank's recorder would hold of runs of a schedule that stand anywhere, against a plain list of all
 * that it calls from the first run on, of which the last ones are kept.
 */
#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 15, MOST_SENDS = 1 << 10 };

/* A call as it should be. step -1: a barrier. */
typedef struct plain_call {
    bool sends, over;
    int32_t step, peer;
    int64_t seq, n, created_ns, completed_ns;
} plain_call;

static rs_arena arena;
static rs_error error;
static rs_standing at;
static plain_call plain[ROOM];
static int64_t n_plain, n_messages, n_barriers;
static int64_t now_ns[RS_MAX_CHANNELS], then_ns[RS_MAX_CHANNELS];
static uint64_t state;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(schedule_calls, .init = start, .fini = stop);

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}

/* Whether a message is over is a matter of its numbers and of the seed alone. */
typedef struct made_progress {
    uint64_t seed;
    int32_t step; /* all before it are over */
} made_progress;

static bool is_over(void *context, int32_t step, const rs_transfer *t, bool sends,
                    int64_t *end_ns) {
    const made_progress *p = context;
    const uint64_t h = (p->seed ^ (uint64_t)step * 8191 ^ (uint64_t)t->src * 131 ^
                        (uint64_t)t->dst * 524287 ^ (uint64_t)t->channel * 31 ^ sends) *
                       0x9e3779b97f4a7c15;
    if (step >= p->step && h >> 62 == 0) return false;
    *end_ns = (int64_t)(h >> 40 & 0xffff) + 100000 * (step + 1);
    return true;
}

/* ------------------------------------------------------------------ the plain list */

static void list_barrier(bool over) {
    cr_assert_lt(n_plain, ROOM);
    n_barriers++;
    plain[n_plain++] =
        (plain_call){.step = -1, .peer = -1, .seq = n_barriers, .n = 1, .over = over};
}

static int64_t elements_of(const rs_transfer *t) {
    int64_t n = 0;
    for (int32_t c = t->chunk; c < t->chunk + t->n_chunks; c++)
        n +=
            rs_chunk_first(at.schedule, at.count, c + 1) - rs_chunk_first(at.schedule, at.count, c);
    return n;
}

/* One way of a step, but for channels that stand. */
static void list_way(int32_t rank, int32_t step, bool sends, bool whole, const bool stands[],
                     bool open[]) {
    static rs_transfer list[MOST_SENDS];
    const rs_schedule *s = at.schedule;
    const int n = sends ? s->sends(s, step, rank, list) : s->recvs(s, step, rank, list);
    for (int i = 0; i < n; i++) {
        const rs_transfer *t = &list[i];
        int64_t end_ns = 0;
        if (stands[t->channel]) continue;
        cr_assert_lt(n_plain, ROOM);
        const bool over = whole || is_over(at.context, step, t, sends, &end_ns);
        plain[n_plain++] = (plain_call){.step = step,
                                        .sends = sends,
                                        .over = over,
                                        .peer = sends ? t->dst : t->src,
                                        .seq = ++n_messages,
                                        .n = elements_of(t),
                                        .created_ns = now_ns[t->channel],
                                        .completed_ns = end_ns};
        open[t->channel] = open[t->channel] || !over;
        if (end_ns > then_ns[t->channel]) then_ns[t->channel] = end_ns;
    }
}

/* On a machine each channel stands for itself, else all with the first. */
static void list_run(int32_t rank, bool whole) {
    bool stands[RS_MAX_CHANNELS] = {false};
    for (int32_t step = 0; step < at.schedule->n_steps; step++) {
        bool open[RS_MAX_CHANNELS] = {false}, any = false;
        list_way(rank, step, true, whole, stands, open);
        list_way(rank, step, false, whole, stands, open);
        for (int c = 0; c < RS_MAX_CHANNELS; c++) any = any || open[c];
        for (int c = 0; c < RS_MAX_CHANNELS; c++) {
            now_ns[c] = then_ns[c];
            stands[c] = stands[c] || open[c] || (any && !at.channels_apart);
        }
    }
}

static void list_all(int32_t rank) {
    n_plain = n_messages = n_barriers = 0;
    memset(now_ns, 0, sizeof now_ns);
    memset(then_ns, 0, sizeof then_ns);
    for (int64_t i = 0; i < at.n_runs; i++) {
        list_barrier(true);
        list_run(rank, true);
    }
    if (at.n_runs >= 0) list_barrier(!at.lines_up);
    if (at.n_runs < 0 || !at.lines_up) list_run(rank, false);
}

/* ------------------------------------------------------------------ the same? */

static void same_call(const rs_dump *d, const rs_call *c, const plain_call *p) {
    char where[96] = "";
    if (p->step >= 0) snprintf(where, sizeof where, "%s:%d", at.schedule->name, (int)p->step);
    cr_assert_str_eq(d->words[c->where], where);
    cr_assert_str_eq(d->words[c->name], p->step < 0 ? "barrier" : p->sends ? "send" : "recv");
    cr_assert_str_eq(d->words[c->dtype], at.dtype);
    cr_assert(c->seq == p->seq && c->peer == p->peer && c->sends == p->sends);
    cr_assert(c->n_in == p->n && c->n_out == p->n, "%d, not %d", (int)c->n_in, (int)p->n);
    cr_assert(c->created_ns == p->created_ns && c->completed_ns == p->completed_ns);
    cr_assert_eq(c->state, p->over ? RS_CALL_COMPLETED : RS_CALL_SCHEDULED);
    cr_assert(c->group == 0 && c->root == -1 && c->op == -1 && c->stack == 0);
}

static bool same_rank(int32_t rank) {
    rs_dump d;
    int64_t n_lost = -1;
    list_all(rank);
    cr_assert_eq(rs_schedule_calls(&at, rank, &arena, &error, &d, &n_lost), RS_OK);
    const int64_t lost = n_plain > RS_RECORDER_ENTRIES ? n_plain - RS_RECORDER_ENTRIES : 0;
    cr_assert(n_lost == lost && d.n_calls == n_plain - lost && d.whole == (lost == 0),
              "%d lost, not %d", (int)n_lost, (int)lost);
    cr_assert(d.rank == rank && !d.cut && !d.rough && !d.launched && !d.unread && !d.partial);
    for (int64_t i = 0; i < d.n_calls; i++) same_call(&d, &d.calls[i], &plain[lost + i]);
    cr_assert(d.n_groups == 1 && d.groups[0].n_ranks == at.schedule->n_ranks);
    cr_assert(d.groups[0].last_seq == -1 && d.groups[0].last_completed <= 0);
    cr_assert_str_eq(d.words[d.groups[0].name], "0");
    cr_assert_str_eq(d.words[d.groups[0].desc], "default_pg");
    for (int32_t r = 0; r < at.schedule->n_ranks; r++) cr_assert_eq(d.groups[0].ranks[r], r);
    return lost > 0;
}

Test(schedule_calls, are_the_last_of_a_plain_list_of_all) {
    int n = 0, n_lost = 0, n_channels = 0;
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        for (int turn = 0; turn < 24; turn++) {
            rs_schedule s;
            state = (uint64_t)(100 * a + turn + 1) * 0x9e3779b97f4a7c15;
            const rs_spec spec = {.n_ranks = turn % 3 == 0 ? 8 : 2 + (int32_t)draw(7),
                                  .n_channels =
                                      rs_algorithms[a]->one_channel ? 0 : (int32_t)draw(4)};
            const int64_t count = 1 + draw(200);
            stop();
            start();
            if (rs_schedule_from_spec(rs_algorithms[a], &spec, count, &error, &s) != RS_OK)
                continue;
            cr_assert_lt(s.max_sends, MOST_SENDS);
            made_progress progress = {.seed = draw(1u << 30),
                                      .step = (int32_t)draw((uint32_t)s.n_steps + 1)};
            at = (rs_standing){.schedule = &s,
                               .count = count,
                               .dtype = "Half",
                               .n_runs = draw(3) ? (int64_t)draw(3) - 1 : 20 + draw(200),
                               .lines_up = draw(4) == 0,
                               .channels_apart = draw(2),
                               .over = is_over,
                               .context = &progress};
            n_lost += same_rank((int32_t)draw((uint32_t)s.n_ranks));
            n_channels += s.n_channels > 1;
            n++;
        }
    }
    cr_assert(n > 100 && n_lost > 10 && n_channels > 20, "%d, %d, %d", n, n_lost, n_channels);
}
