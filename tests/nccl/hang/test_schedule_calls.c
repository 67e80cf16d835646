/* test_schedule_calls.c: what a rank's recorder would hold of runs of a schedule that stand anywhere, against a plain
 * list of all that it calls from the first run on, of which the last ones are kept. Written, messages have the places
 * of both ranks in their group, for every group of a few ranks in every order.
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
static rn_standing at;
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

static void same_call(const rn_dump *d, const rn_call *c, const plain_call *p) {
    char where[96] = "";
    if (p->step >= 0) snprintf(where, sizeof where, "%s:%d", at.schedule->name, (int)p->step);
    cr_assert_str_eq(d->words[c->where], where);
    cr_assert_str_eq(d->words[c->name], p->step < 0 ? "barrier" : p->sends ? "send" : "recv");
    cr_assert_str_eq(d->words[c->dtype], at.dtype);
    cr_assert(c->seq == p->seq && c->peer == p->peer && c->sends == p->sends);
    cr_assert(c->n_in == p->n && c->n_out == p->n, "%d, not %d", (int)c->n_in, (int)p->n);
    cr_assert(c->created_ns == p->created_ns && c->completed_ns == p->completed_ns);
    cr_assert_eq(c->state, p->over ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED);
    cr_assert(c->group == 0 && c->root == -1 && c->op == -1 && c->stack == 0);
}

static bool same_rank(int32_t rank) {
    rn_dump d;
    int64_t n_lost = -1;
    list_all(rank);
    cr_assert_eq(rn_schedule_calls(&at, rank, &arena, &error, &d, &n_lost), RS_OK);
    const int64_t lost = n_plain > RN_RECORDER_ENTRIES ? n_plain - RN_RECORDER_ENTRIES : 0;
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
            at = (rn_standing){.schedule = &s,
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

/* ------------------------------------------------------------------ names of messages */

enum { MOST = 4, TEXT = 1 << 16 };
static const char *const words[] = {"", "send", "g", "Float", "a.py:7"};
static char text[TEXT];
static size_t n_text;

static void keep(void *context, const char *bytes, size_t n) {
    (void)context;
    cr_assert_lt(n_text + n, TEXT);
    memcpy(text + n_text, bytes, n);
    n_text += n;
}

/* One message of the rank at a place of the group, to or from the one at the other. */
static void try_message(int32_t ranks[], int32_t n, int32_t own, int32_t other, bool sends) {
    rn_call call = {.seq = 1,
                    .name = 1,
                    .dtype = 3,
                    .where = 4,
                    .peer = ranks[other],
                    .sends = sends,
                    .n_in = 8,
                    .n_out = 8,
                    .state = RN_CALL_SCHEDULED};
    rn_call_group group = {.name = 2, .n_ranks = n, .ranks = ranks, .last_seq = -1};
    const rn_dump dump = {.rank = ranks[own],
                          .calls = &call,
                          .n_calls = 1,
                          .groups = &group,
                          .n_groups = 1,
                          .words = (const char **)(uintptr_t)words,
                          .n_words = 5};
    rn_dump read;
    char name[64];
    stop();
    start();
    n_text = 0;
    cr_assert_eq(rn_write_recorder(&dump, 0, &arena, &error, keep, NULL), RS_OK);
    const int length = snprintf(name, sizeof name, "nccl:%s %d%s%d", sends ? "send" : "recv",
                                (int)own, sends ? "->" : "<-", (int)other);
    cr_expect(memmem(text, n_text, name, (size_t)length) != NULL, "%s is missing, %d of %d", name,
              (int)ranks[own], (int)ranks[other]);
    cr_assert_eq(rn_read_recorder(text, n_text, &arena, &arena, &error, &read), RS_OK, "%s",
                 error.text);
    cr_assert_eq(read.n_calls, 1);
    cr_expect_eq(read.calls[0].peer, ranks[other], "%s: rank %d, not %d", name,
                 (int)read.calls[0].peer, (int)ranks[other]);
    cr_expect_eq(read.calls[0].sends, sends);
}

/* All ways to choose n of six ranks, in every order. */
Test(schedule_calls, a_message_is_named_by_places_in_its_group) {
    static const int32_t job[] = {0, 1, 2, 3, 6, 1000};
    enum { JOB = 6 };
    for (int32_t n = 2; n <= MOST; n++) {
        for (int drawn = 0; drawn < 1296; drawn++) {
            int32_t ranks[MOST];
            bool twice = false;
            for (int32_t m = 0, rest = drawn; m < MOST; m++, rest /= JOB)
                ranks[m] = job[rest % JOB];
            for (int32_t a = 0; a < n; a++)
                for (int32_t b = 0; b < a; b++) twice = twice || ranks[a] == ranks[b];
            if (twice || (n < MOST && ranks[MOST - 1] != 0)) continue;
            const int32_t own = drawn % n, other = (own + 1 + drawn / n % (n - 1)) % n;
            try_message(ranks, n, own, other, drawn % 2);
            try_message(ranks, n, other, own, drawn % 3 != 0);
        }
    }
}
