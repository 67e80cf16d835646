/* Tests of nccl/hang's writers: a dump that is written is read again as it was; what a schedule's ranks call; small broken
 * jobs.
 */
#include "support/failing_malloc.h"
#include "support/printed.h"

#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rs_arena arena;
static rs_error error;

/* Writes a dump and reads it again. */
static rn_dump again(const rn_dump *dump, int64_t n_lost) {
    page out = {0};
    rs_arena scratch;
    rn_dump read;
    rs_arena_init(&scratch, NULL);
    cr_assert_eq(rn_write_recorder(dump, n_lost, &scratch, &error, keep, &out), RS_OK);
    cr_assert_eq(rn_read_recorder(out.text, out.n, &scratch, &arena, &error, &read), RS_OK, "%s",
                 error.text);
    read.rank = dump->rank;
    rs_arena_free(&scratch);
    free(out.text);
    return read;
}

static void expect_same(const rn_dump *a, const rn_dump *b) {
    cr_assert_eq(a->n_calls, b->n_calls);
    cr_assert_eq(a->n_groups, b->n_groups);
    for (int64_t i = 0; i < a->n_calls; i++) {
        const rn_call *x = &a->calls[i], *y = &b->calls[i];
        cr_expect_eq(x->seq, y->seq, "call %d", (int)i);
        cr_expect_eq(x->n_in, y->n_in);
        cr_expect_eq(x->n_out, y->n_out);
        cr_expect_eq(x->state, y->state);
        cr_expect_eq(x->peer, y->peer);
        cr_expect_eq(x->sends, y->sends);
        cr_expect_eq(x->created_ns, y->created_ns);
        cr_expect_eq(x->completed_ns, y->completed_ns);
        cr_expect_str_eq(a->words[x->name], b->words[y->name]);
        cr_expect_str_eq(a->words[x->dtype], b->words[y->dtype]);
        cr_expect_str_eq(a->words[x->where], b->words[y->where]);
        cr_expect_str_eq(a->words[a->groups[x->group].name], b->words[b->groups[y->group].name]);
    }
    for (int32_t g = 0; g < a->n_groups; g++) {
        cr_assert_eq(a->groups[g].n_ranks, b->groups[g].n_ranks);
        cr_expect_arr_eq(a->groups[g].ranks, b->groups[g].ranks,
                         (size_t)a->groups[g].n_ranks * sizeof(int32_t));
    }
}

static void begin(void) {
    rs_arena_init(&arena, NULL);
}
static void end(void) {
    rs_arena_free(&arena);
}
TestSuite(dumps_made, .init = begin, .fini = end);

Test(dumps_made, a_broken_job_is_read_again_as_it_was_written) {
    rn_broken_job jobs[RN_BROKEN_JOBS];
    for (uint64_t seed = 0; seed < 20; seed++) {
        rn_broken_jobs(seed, jobs);
        for (int i = 0; i < RN_BROKEN_JOBS; i++) {
            rn_dump dumps[RN_BROKEN_RANKS];
            int32_t n, lines[2];
            cr_assert_eq(rn_break_job(&jobs[i], &arena, &error, dumps, &n, lines), RS_OK);
            for (int32_t d = 0; d < n; d++) {
                const rn_dump read = again(&dumps[d], 0);
                cr_expect(read.whole && !read.cut);
                expect_same(&dumps[d], &read);
            }
        }
    }
}

Test(dumps_made, of_every_broken_job_the_judge_names_rank_kind_and_line) {
    rn_broken_job jobs[RN_BROKEN_JOBS];
    int ranks[RN_BROKEN_RANKS] = {0}, kinds[RN_N_HANG_VERDICTS] = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        rn_broken_jobs(seed, jobs);
        for (int i = 0; i < RN_BROKEN_JOBS; i++) {
            rn_dump dumps[RN_BROKEN_RANKS];
            rn_hang hang;
            int32_t n, lines[2];
            cr_assert_eq(rn_break_job(&jobs[i], &arena, &error, dumps, &n, lines), RS_OK);
            for (int32_t d = 0; d < n; d++) dumps[d] = again(&dumps[d], 0);
            cr_assert_eq(rn_judge_hang(dumps, n, NULL, &arena, &error, &hang), RS_OK);
            cr_assert_eq(hang.n_culprits, 1, "seed %d, job %d: %s", (int)seed, i,
                         rn_hang_name(hang.verdict));
            cr_expect_eq(hang.culprits[0].rank, jobs[i].rank, "seed %d, job %d", (int)seed, i);
            cr_expect_eq(hang.verdict, jobs[i].kind, "seed %d, job %d: %s, not %s", (int)seed, i,
                         rn_hang_name(hang.verdict), rn_hang_name(jobs[i].kind));
            const rn_hang_place *at =
                jobs[i].kind == RN_HANG_SILENT_RANK ? &hang.others : hang.culprits;
            char where[2][32];
            for (int k = 0; k < 2; k++) snprintf(where[k], 32, "train.py:%d", (int)lines[k]);
            cr_assert_not_null(at->where);
            cr_expect(strcmp(at->where, where[0]) == 0 || strcmp(at->where, where[1]) == 0,
                      "seed %d, job %d, %s: %s, not %s or %s", (int)seed, i,
                      rn_hang_name(hang.verdict), at->where, where[0], where[1]);
            ranks[jobs[i].rank]++;
            kinds[jobs[i].kind]++;
        }
        rs_arena_free(&arena);
        rs_arena_init(&arena, NULL);
    }
    for (int r = 0; r < RN_BROKEN_RANKS; r++)
        cr_expect_gt(ranks[r], 50, "rank %d: %d", r, ranks[r]);
    cr_expect_eq(kinds[RN_HANG_SWAPPED], 400);
}

Test(dumps_made, of_the_tutorials_example_nobody_tells_who_is_right) {
    const rn_broken_job job = rn_broken_example();
    rn_dump dumps[RN_BROKEN_RANKS];
    rn_hang hang;
    int32_t n, lines[2];
    cr_assert_eq(rn_break_job(&job, &arena, &error, dumps, &n, lines), RS_OK);
    cr_assert_eq(n, 2);
    for (int32_t d = 0; d < n; d++) dumps[d] = again(&dumps[d], 0);
    cr_assert_eq(rn_judge_hang(dumps, n, NULL, &arena, &error, &hang), RS_OK);
    cr_expect_eq(hang.verdict, RN_HANG_UNDECIDED);
    cr_expect(hang.later);
    cr_assert_eq(hang.n_culprits, 2);
    cr_expect_eq(hang.culprits[0].rank, 0);
    cr_expect_eq(hang.culprits[1].rank, 1);
    cr_expect_str_eq(hang.culprits[0].where, "train.py:14");
    cr_expect_eq(lines[0], 14);
}

/* ------------------------------------------------------------------ a schedule's ranks */

/* Nothing of a step from context's on is over. */
static bool before_step(void *context, int32_t step, const rs_transfer *t, bool sends,
                        int64_t *end_ns) {
    (void)t, (void)sends;
    if (step >= *(const int32_t *)context) return false;
    *end_ns = 1000 * (step + 1);
    return true;
}

static rs_schedule ring_of(int32_t n, int64_t count) {
    rs_schedule s;
    cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, n,
                                  count, &error, &s),
                 RS_OK);
    return s;
}

Test(dumps_made, a_rank_in_step_2_has_a_send_and_a_recv_open) {
    const rs_schedule ring = ring_of(4, 8);
    int32_t step = 2;
    const rn_standing at = {.schedule = &ring,
                            .count = 8,
                            .dtype = "Int",
                            .n_runs = -1,
                            .over = before_step,
                            .context = &step};
    rn_dump dump;
    int64_t n_lost;
    cr_assert_eq(rn_schedule_calls(&at, 1, &arena, &error, &dump, &n_lost), RS_OK);
    cr_assert_eq(dump.n_calls, 6);
    cr_expect_eq(n_lost, 0);
    for (int i = 0; i < 6; i++) {
        const rn_call *c = &dump.calls[i];
        cr_expect_eq(c->sends, i % 2 == 0);
        cr_expect_eq(c->peer, i % 2 == 0 ? 2 : 0);
        cr_expect_eq(c->state, i < 4 ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED);
        cr_expect_eq(c->seq, i + 1);
        cr_expect_eq(c->n_in, 2);
        cr_expect_eq(c->created_ns, 1000 * (i / 2), "call %d: %d", i, (int)c->created_ns);
    }
    cr_expect_str_eq(dump.words[dump.calls[5].where], "ring:2");
    const rn_dump read = again(&dump, 0);
    expect_same(&dump, &read);
}

/* By what names torch calls the types of tensors: no two alike. */
Test(dumps_made, types_have_torchs_names) {
    static const char *const names[RS_N_DTYPES] = {
        [RS_I8] = "Char",   [RS_U8] = "Byte",    [RS_I32] = "Int",  [RS_U32] = "UInt32",
        [RS_I64] = "Long",  [RS_U64] = "UInt64", [RS_F16] = "Half", [RS_BF16] = "BFloat16",
        [RS_F32] = "Float", [RS_F64] = "Double"};
    for (int type = 0; type < RS_N_DTYPES; type++) {
        cr_assert_not_null(names[type]);
        cr_expect_str_eq(rn_torch_dtype((rs_dtype)type), names[type]);
    }
}

Test(dumps_made, runs_stand_behind_barriers_and_the_oldest_calls_are_lost) {
    const rs_schedule ring = ring_of(4, 8); /* 12 calls and a barrier a run */
    int32_t step = 0;
    rn_standing at = {.schedule = &ring,
                      .count = 8,
                      .dtype = "Int",
                      .n_runs = 2,
                      .lines_up = true,
                      .over = before_step,
                      .context = &step};
    rn_dump dump;
    int64_t n_lost;
    cr_assert_eq(rn_schedule_calls(&at, 0, &arena, &error, &dump, &n_lost), RS_OK);
    cr_assert_eq(dump.n_calls, 27);
    cr_expect_str_eq(dump.words[dump.calls[26].name], "barrier");
    cr_expect_eq(dump.calls[26].state, RN_CALL_SCHEDULED);
    cr_expect_eq(dump.calls[26].seq, 3);
    cr_expect_eq(dump.calls[13].state, RN_CALL_COMPLETED);
    at.n_runs = 1000;
    at.lines_up = false;
    cr_assert_eq(rn_schedule_calls(&at, 0, &arena, &error, &dump, &n_lost), RS_OK);
    cr_assert_eq(dump.n_calls, RN_RECORDER_ENTRIES);
    cr_expect_eq(n_lost + dump.n_calls, 13 * 1000 + 3);
    cr_expect(!dump.whole);
    cr_expect_eq(dump.calls[1999].seq, 12 * 1000 + 2); /* messages */
    cr_expect_eq(dump.calls[1997].seq, 1001);          /* barriers */
    cr_expect_str_eq(dump.words[dump.calls[1997].name], "barrier");
    const rn_dump read = again(&dump, n_lost);
    cr_expect(!read.whole);
    expect_same(&dump, &read);
}

static void drop(void *context, const char *text, size_t n) {
    (void)text;
    *(size_t *)context += n;
}

/* Whichever piece of memory is missing: it says so; where none is it writes all. */
Test(dumps_made, says_so_without_memory) {
    static const char *const words[] = {"", "all_reduce", "0", "Float", "train.py:7"};
    static int32_t ranks[40000]; /* too many for the room that others leave */
    rn_call calls[3];
    rn_call_group groups[2];
    size_t whole = 0;
    for (int i = 0; i < 2; i++) {
        groups[i] = (rn_call_group){.name = 2, .n_ranks = 40000, .ranks = ranks, .last_seq = -1};
    }
    for (int i = 0; i < 3; i++) {
        calls[i] = (rn_call){
            .seq = i + 1, .name = 1, .dtype = 3, .where = 4, .group = i % 2, .peer = -1, .n_in = 9};
    }
    const rn_dump dump = {.calls = calls,
                          .n_calls = 3,
                          .groups = groups,
                          .n_groups = 2,
                          .words = (const char **)(uintptr_t)words,
                          .n_words = 5};
    long k = 0;
    for (rs_status status = RS_NO_MEMORY; status != RS_OK; k++) {
        rs_arena scratch;
        rs_arena_init(&scratch, NULL);
        error.text[0] = '\0';
        whole = 0;
        n_arrays_until_failure = k;
        status = rn_write_recorder(&dump, 0, &scratch, &error, drop, &whole);
        cr_assert_eq(status == RS_OK, n_arrays_until_failure >= 0, "array %ld", k);
        n_arrays_until_failure = -1;
        rs_arena_free(&scratch);
        if (status != RS_OK) cr_assert_not_null(strstr(error.text, "no memory left"));
    }
    cr_expect_gt(k, 3);
    cr_expect_gt(whole, 100u);
}

/* Calls drawn from a seed, some over, some messages: how far each group came is written beside them, as its recorder
   would, and its ranks as a list. */
Test(dumps_made, how_far_each_group_came_is_what_its_calls_say) {
    enum { GROUPS = 3, CALLS = 12, RANKS = 4 };
    static const char *const words[] = {"", "all_reduce", "0", "1", "2", "Float", "a.py:7", "send"};
    static int32_t ranks[] = {0, 1, 2, 5};
    static const int64_t edges[] = {1,         255,
                                    256,       65535,
                                    65536,     INT32_MAX,
                                    1LL << 31, (1LL << 39) - 1,
                                    1LL << 39, (1LL << 47) + 1,
                                    1LL << 55, INT64_MAX / 4 - 1};
    enum { EDGES = sizeof edges / sizeof *edges };
    uint64_t seed = 9;
    for (int turn = 0; turn < 300; turn++) {
        rn_call calls[CALLS];
        rn_call_group groups[GROUPS];
        int64_t seq[GROUPS] = {0}, over[GROUPS] = {-1, -1, -1}, messages[GROUPS] = {0};
        for (int g = 0; g < GROUPS; g++) {
            groups[g] = (rn_call_group){
                .name = (uint32_t)(2 + g), .n_ranks = RANKS, .ranks = ranks, .last_seq = -1};
        }
        for (int i = 0; i < CALLS; i++) {
            seed = seed * 6364136223846793005 + 1442695040888963407;
            const int g = (int)(seed >> 60) % GROUPS,
                      peer = g == turn % 4 ? (int)(seed >> 50 & 7) - 4 : -1;
            const bool done = (seed >> 40 & 1) != 0;
            calls[i] = (rn_call){.seq = peer < 0 ? ++seq[g] : ++messages[g],
                                 .name = peer < 0 ? 1 : 7,
                                 .dtype = 5,
                                 .where = 6,
                                 .created_ns = edges[(turn + i) % EDGES],
                                 .completed_ns = done ? edges[(turn + 2 * i) % EDGES] : 0,
                                 .group = g,
                                 .peer = peer < 0 ? -1 : ranks[peer],
                                 .sends = peer >= 0,
                                 .n_in = 8,
                                 .n_out = 8,
                                 .state = done ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED};
            if (done && peer < 0) over[g] = seq[g];
        }
        const rn_dump dump = {.rank = 5,
                              .calls = calls,
                              .n_calls = CALLS,
                              .groups = groups,
                              .n_groups = GROUPS,
                              .words = (const char **)(uintptr_t)words,
                              .n_words = 8};
        const rn_dump read = again(&dump, 0);
        expect_same(&dump, &read);
        for (int g = 0; g < GROUPS; g++) {
            if (messages[g] > 0) over[g] = -1; /* the reader does not believe it there */
            cr_expect_eq(read.groups[g].last_completed, over[g], "turn %d, group %d: %d", turn, g,
                         (int)read.groups[g].last_completed);
        }
        page out = {0};
        rs_arena scratch;
        rs_arena_init(&scratch, NULL);
        cr_assert_eq(rn_write_recorder(&dump, 0, &scratch, &error, keep, &out), RS_OK);
        cr_expect(memmem(out.text, out.n, "[0, 1, 2, 5]", 12) != NULL);
        rs_arena_free(&scratch);
        free(out.text);
    }
}

/* ------------------------------------------------------------------ what Lab 11 hands out */

static uint64_t digest;
static void add_number(int64_t number) {
    digest = (digest ^ (uint64_t)number) * 0x100000001b3;
    digest ^= digest >> 29;
}
static void add_text(const char *text) {
    for (; *text != '\0'; text++) add_number(*text);
    add_number(-7);
}

static void add_dump(const rn_dump *d) {
    add_number(d->rank);
    for (int64_t i = 0; i < d->n_calls; i++) {
        const rn_call *c = &d->calls[i];
        const int64_t numbers[] = {c->created_ns, c->completed_ns, c->lasted_ns, c->n_in,
                                   c->n_out,      c->seq,          c->group,     c->peer,
                                   c->root,       c->op,           c->state,     c->sends};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) add_number(numbers[k]);
        add_text(d->words[c->name]);
        add_text(d->words[c->dtype]);
        add_text(d->words[c->where]);
    }
    page out = {0};
    rs_arena scratch;
    rs_arena_init(&scratch, NULL);
    cr_assert_eq(rn_write_recorder(d, 3, &scratch, &error, keep, &out), RS_OK);
    for (size_t i = 0; i < out.n; i++) add_number((unsigned char)out.text[i]);
    rs_arena_free(&scratch);
    free(out.text);
    for (int32_t g = 0; g < d->n_groups; g++) {
        add_text(d->words[d->groups[g].name]);
        add_text(d->words[d->groups[g].desc]);
        for (int32_t r = 0; r < d->groups[g].n_ranks; r++) add_number(d->groups[g].ranks[r]);
    }
}

/* Students have their seeds for a term: the same seed is the same job in the next version, too. Whoever changes the jobs on
   purpose changes this number. */
Test(dumps_made, the_same_seed_is_the_same_job_for_ever) {
    digest = 0xcbf29ce484222325;
    for (uint64_t seed = 0; seed < 60; seed++) {
        rn_broken_job jobs[RN_BROKEN_JOBS];
        rn_broken_jobs(seed, jobs);
        for (int i = 0; i < RN_BROKEN_JOBS; i++) {
            rn_dump dumps[RN_BROKEN_RANKS];
            int32_t n, lines[2];
            add_number(jobs[i].kind);
            add_number(jobs[i].n_ranks);
            add_number(jobs[i].rank);
            add_number((int64_t)jobs[i].seed);
            cr_assert_eq(rn_break_job(&jobs[i], &arena, &error, dumps, &n, lines), RS_OK);
            add_number(lines[0]);
            add_number(lines[1]);
            for (int32_t d = 0; d < n; d++) {
                cr_assert_eq(dumps[d].rank,
                             d + (jobs[i].kind == RN_HANG_SILENT_RANK && d >= jobs[i].rank));
                add_dump(&dumps[d]);
            }
        }
        rs_arena_free(&arena);
        rs_arena_init(&arena, NULL);
    }
    cr_assert_eq(digest, 0x9243d313bf0b9083, "%llx", (unsigned long long)digest);
}
