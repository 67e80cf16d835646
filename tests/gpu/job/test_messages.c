/* test_messages.c: a rank's walk through a schedule, against a look at the list of transfers. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "ranks/messages.h"
#include "support/naive_apply.h"

/* All transfers of a step. */
typedef struct step_list {
    rs_transfer items[4096];
    int n;
} step_list;

static void list_step(const rs_schedule *s, int32_t step, step_list *list) {
    list->n = 0;
    for (rs_cursor c = {0}; rs_next_transfer(s, step, &c, &list->items[list->n]); list->n++) {
        cr_assert_lt(list->n, 4000);
    }
}

/* How many transfers of the step read or write the chunk at the rank. */
static int touching(const step_list *list, int32_t rank, int32_t chunk) {
    int n = 0;
    for (int i = 0; i < list->n; i++) {
        const rs_transfer *t = &list->items[i];
        const bool has = chunk >= t->chunk && chunk < t->chunk + t->n_chunks;
        n += has * ((t->src == rank) + (t->dst == rank));
    }
    return n;
}

/* A receive may arrive in its place if it is a copy and alone there. */
static bool may_land(const step_list *list, int32_t rank, const rs_transfer *t) {
    bool alone = t->effect == RS_COPY;
    for (int32_t c = t->chunk; c < t->chunk + t->n_chunks; c++) {
        alone = alone && touching(list, rank, c) == 1;
    }
    return alone;
}

static int64_t bytes_before(const rg_job *job, int32_t chunk) {
    return rs_chunk_offset(job->count, job->schedule->n_chunks, chunk) * rs_dtype_bytes(job->dtype);
}

static void expect_message(const rg_job *job, const rg_message *m) {
    const rs_transfer *t = &m->transfer;
    cr_expect_eq(m->place, bytes_before(job, t->chunk));
    cr_expect_eq(m->n_bytes, bytes_before(job, t->chunk + t->n_chunks) - m->place);
}

/* Those in the room lie one behind the other and within it. */
static void expect_room(const rg_messages *m) {
    int64_t end = 0;
    for (int side = 0; side < 2; side++) {
        const rg_message *list = side == 0 ? m->recvs : m->sends;
        for (int i = 0; i < (side == 0 ? m->n_recvs : m->n_sends); i++) {
            if (list[i].beside < 0) continue;
            cr_expect_eq(list[i].beside % RG_ROOM_UNIT, 0);
            cr_expect(list[i].beside >= end && list[i].beside < end + RG_ROOM_UNIT);
            end = list[i].beside + list[i].n_bytes;
        }
    }
    cr_expect_leq(end, m->room_bytes);
}

static void walk(const rg_job *job, int32_t rank) {
    static step_list list;
    rs_arena arena;
    rg_messages m;
    int64_t n_sends = 0, n_recvs = 0;
    rs_arena_init(&arena, NULL);
    cr_assert_eq(rg_messages_new(job, rank, &arena, NULL, &m), RS_OK);
    int32_t before = -1;
    for (rg_messages_first(&m); m.step < job->schedule->n_steps; rg_messages_next(&m)) {
        int at[2] = {0, 0};
        list_step(job->schedule, m.step, &list);
        const bool flips = job->flip_rank == rank && job->flip_step == m.step && job->flip_run == 0;
        for (int i = 0; i < list.n; i++) {
            const rs_transfer *t = &list.items[i];
            if (t->src == rank) {
                const rg_message *sent = &m.sends[at[0]++];
                cr_assert(at[0] <= m.n_sends && sent->transfer.dst == t->dst);
                expect_message(job, sent);
                cr_expect_eq(sent->beside >= 0, flips);
            }
            if (t->dst == rank) {
                const rg_message *came = &m.recvs[at[1]++];
                cr_assert(at[1] <= m.n_recvs && came->transfer.src == t->src);
                expect_message(job, came);
                cr_expect_eq(came->beside < 0, may_land(&list, rank, t), "%s N=%d step %d rank %d",
                             job->schedule->name, (int)job->schedule->n_ranks, (int)m.step,
                             (int)rank);
            }
        }
        cr_assert(at[0] == m.n_sends && at[1] == m.n_recvs);
        expect_room(&m);
        for (before++; before < m.step; before++) { /* it sits out no step in which it is named */
            list_step(job->schedule, before, &list);
            for (int i = 0; i < list.n; i++) {
                cr_expect(list.items[i].src != rank && list.items[i].dst != rank);
            }
        }
        n_sends += m.n_sends;
        n_recvs += m.n_recvs;
    }
    cr_expect(n_sends == m.total_sends && n_recvs == m.total_recvs);
    rs_arena_free(&arena);
}

static void walk_all(const rs_schedule *s, int64_t count, int turn) {
    rg_job job = {.schedule = s, .dtype = RS_F32, .count = count, .times = 1, .flip_rank = -1};
    if (turn % 3 == 0) job.flip_rank = turn % s->n_ranks;
    if (s->n_steps > 0) job.flip_step = turn / 3 % s->n_steps;
    for (int32_t rank = 0; rank < s->n_ranks; rank++) walk(&job, rank);
}

Test(messages, of_every_algorithm_are_those_of_its_list) {
    int turn = 0;
    for (const rs_algorithm *const *made = rs_algorithms; *made != NULL; made++) {
        for (int32_t n = 1; n <= 9; n++) {
            const int64_t counts[] = {0, n - 1, 10 * n + 3, 1000};
            for (int c = 0; c < 4; c++) {
                rs_schedule s;
                if (rs_schedule_make(*made, RS_ORDER_SEED, n, counts[c], NULL, &s) != RS_OK)
                    continue;
                walk_all(&s, counts[c], turn++);
            }
        }
    }
    cr_assert_gt(turn, 100);
}

Test(messages, of_any_list_are_its_own) {
    uint64_t state = 5;
    for (int turn = 0; turn < 300; turn++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rs_schedule s = random_schedule(&state, &arena);
        s.by_rank = false; /* its messages overlap in part */
        walk_all(&s, random_below(&state, 100), turn);
        rs_arena_free(&arena);
    }
}

/* A host whose n-th block of memory is not to be had. */
static int n_until_refused;
static void *allocate(void *context, size_t n_bytes) {
    (void)context;
    return n_until_refused-- == 0 ? NULL : malloc(n_bytes);
}
static void release(void *context, void *memory, size_t n_bytes) {
    (void)context, (void)n_bytes;
    free(memory);
}

/* Whichever one of a rank's lists there is no memory for, that is said, and nothing is given. */
Test(messages, say_that_there_is_no_memory_for_any_of_their_lists) {
    enum {
        N = 1024,
        LISTS = 3
    }; /* ranks that make each list so long that it is a block of its own */
    const rs_host host = {.allocate = allocate, .release = release};
    rs_schedule s;
    cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_TO_ALL, "direct"), RS_ORDER_SEED, N,
                                  N, NULL, &s),
                 RS_OK);
    const rg_job job = {.schedule = &s, .dtype = RS_F32, .count = N, .times = 1, .flip_rank = -1};
    for (int n = 0; n <= LISTS; n++) {
        rs_arena arena;
        rs_error error = {.text = ""};
        rg_messages m = {.rank = -1};
        rs_arena_init(&arena, &host);
        n_until_refused = n;
        const rs_status status = rg_messages_new(&job, 7, &arena, &error, &m);
        cr_expect_eq(status, n < LISTS ? RS_NO_MEMORY : RS_OK, "list %d", n);
        cr_expect_eq(m.rank, n < LISTS ? -1 : 7);
        cr_expect_eq(strstr(error.text, "no memory for the messages of rank 7") != NULL, n < LISTS);
        rs_arena_free(&arena);
    }
}
