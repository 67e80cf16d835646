/* test_hang_waits.c: who waits for whom in made jobs, worked out from what each rank has made: a rank in the k-th call of
 * a group waits for the members that have made fewer, a send for a recv that is not there.
 */
#include "hangs/hang_maker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job_read {
    rs_arena keep;
    rn_dump *dumps;
    int32_t n;
    rn_hang hang;
} job_read;

/* Reads and judges the job; its dumps in an order that shows nothing. 3: the last dump does not say who is in a group;
   2: every other; 1: none does; 0: all do. */
static job_read judge(const made_job *j, int32_t without) {
    job_read read = {.dumps = calloc((size_t)j->n_ranks, sizeof *read.dumps)};
    rs_error error;
    cr_assert_not_null(read.dumps);
    rs_arena_init(&read.keep, NULL);
    for (int32_t i = j->n_ranks - 1; i >= 0; i--) {
        const int32_t r = i % 2 == 0 ? i : j->n_ranks - 1 - (j->n_ranks % 2) - i + 1;
        rs_arena scratch;
        size_t n = 0;
        char *bytes = r >= 0 && r < j->n_ranks ? dump_rank(j, r, &n) : NULL;
        if (bytes == NULL) continue;
        if (without == 3 ? r == j->n_ranks - 1 : without > 0 && r % without == without - 1) {
            char *config = memmem(bytes, n, "pg_config", 9);
            cr_assert_not_null(config);
            config[8] = 'x';
        }
        rs_arena_init(&scratch, NULL);
        cr_assert_eq(rn_read_recorder(bytes, n, &scratch, &read.keep, &error, &read.dumps[read.n]),
                     RS_OK, "%s", error.text);
        read.dumps[read.n++].rank = r;
        rs_arena_free(&scratch);
        free(bytes);
    }
    cr_assert_eq(rn_judge_hang(read.dumps, read.n, NULL, &read.keep, &error, &read.hang), RS_OK);
    return read;
}
static void drop(job_read *read) {
    rs_arena_free(&read->keep);
    free(read->dumps);
}

static bool is_message(const made_call *c) {
    return c->op == MADE_SEND || c->op == MADE_RECV;
}

/* Is the call the first of its kind that its rank has open? */
static bool is_first_open(const made_rank *r, int32_t at) {
    const made_call *c = &r->calls[at];
    if (c->done) return false;
    for (int32_t i = 0; i < at; i++) {
        const made_call *b = &r->calls[i];
        if (b->done || b->group != c->group || is_message(b) != is_message(c)) continue;
        if (!is_message(c) || (b->op == c->op && b->peer == c->peer)) return false;
    }
    return true;
}

/* Fills in for whom the call waits, in the order of the group's ranks; returns how many. */
static int32_t awaited(const made_job *j, int32_t rank, const made_call *c, int32_t ranks[]) {
    const made_group *g = &j->groups[c->group];
    int32_t n = 0;
    if (is_message(c)) {
        ranks[0] = g->ranks[c->peer];
        return 1;
    }
    cr_assert_eq(c->seq, g->n_done + 1, "of rank %d", (int)rank);
    for (int32_t m = 0; m < g->n_ranks; m++) {
        const made_rank *other = &j->ranks[g->ranks[m]];
        if (other->no_dump || g->n_made[m] <= g->n_done) ranks[n++] = g->ranks[m];
    }
    return n;
}

static void same_place(const made_job *j, const rn_hang_place *p, int32_t rank,
                       const made_call *c) {
    const made_group *g = &j->groups[c->group];
    cr_assert_eq(p->rank, rank);
    cr_assert_str_eq(p->group, g->name);
    if (p->desc != NULL) cr_assert_str_eq(p->desc, g->desc);
    cr_assert_eq(p->seq, is_message(c) ? c->p2p_seq : c->seq);
    cr_assert_eq(p->where != NULL, j->frames);
    if (j->frames) cr_assert_eq(atoi(p->where + strlen("train.py:")), c->line);
    cr_assert_str_eq(p->dtype, c->dtype == 0 ? "Float" : "BFloat16");
    cr_assert_eq(p->n_out, c->op == MADE_ALL_GATHER ? c->n * g->n_ranks : c->n);
    cr_assert_eq(p->n_in, c->op == MADE_REDUCE_SCATTER ? c->n * g->n_ranks : c->n);
    cr_assert(p->root == -1 && p->op == -1);
}

static int64_t same_waits(const made_job *j, const rn_hang *h) {
    int64_t n = 0;
    int32_t ranks[64];
    for (int32_t rank = 0; rank < j->n_ranks; rank++) {
        const made_rank *r = &j->ranks[rank];
        for (int32_t i = 0; i < r->n_made && !r->no_dump; i++) {
            if (!is_first_open(r, i)) continue;
            const int32_t n_for = awaited(j, rank, &r->calls[i], ranks);
            cr_assert_lt(n, h->n_waits, "rank %d waits, too", (int)rank);
            const rn_hang_wait *w = &h->waits[n++];
            same_place(j, &w->at, rank, &r->calls[i]);
            cr_assert_eq(w->n_ranks, n_for, "rank %d: %d", (int)rank, (int)w->n_ranks);
            if (n_for > 0) cr_assert_arr_eq(w->ranks, ranks, (size_t)n_for * sizeof *ranks);
        }
    }
    cr_assert_eq(n, h->n_waits);
    return n;
}

/* What the verdict says of others holds in the job, too. */
static void same_others(const made_job *j, const rn_hang *h) {
    for (int32_t i = 0; i < h->n_culprits; i++) {
        for (int32_t k = 0; k < i; k++) cr_assert_neq(h->culprits[i].rank, h->culprits[k].rank);
        cr_assert(h->culprits[i].rank >= 0 && h->culprits[i].rank < j->n_ranks);
    }
    if (h->has_others && h->verdict != RN_HANG_UNDECIDED) {
        cr_assert(h->n_agree >= 1 && h->n_agree <= j->n_ranks && h->n_of <= j->n_ranks);
    }
    const bool edit =
        !h->later && (h->verdict == RN_HANG_MISSING_CALL || h->verdict == RN_HANG_EXTRA_CALL ||
                      h->verdict == RN_HANG_SWAPPED || h->verdict == RN_HANG_MISMATCH);
    if (edit && h->has_others) {
        cr_assert(h->n_agree > 1 && h->n_agree < h->n_of, "%d of %d", (int)h->n_agree,
                  (int)h->n_of);
    }
}

Test(hang_waits, are_those_of_the_job) {
    enum { JOBS = 400 };
    int n_jobs = 0, n_messages = 0;
    int64_t n_waits = 0;
    for (uint64_t seed = 1; seed <= JOBS; seed++) {
        const made_wish wish = {.seed = seed, .n_ranks = 24, .fault = MADE_N_FAULTS};
        made_job *j = make_hang(&wish);
        bool lost = j->blind >= 0 ||
                    j->fault == MADE_CROSSED; /* who waits inside of calls: test_hang_order.c */
        for (int32_t r = 0; r < j->n_ranks; r++) {
            lost = lost || 2 * j->ranks[r].n_made > j->buffer;
        }
        if (!lost) {
            job_read read = judge(j, 0);
            int32_t n_dumped = 0;
            for (int32_t r = 0; r < j->n_ranks; r++) n_dumped += !j->ranks[r].no_dump;
            cr_assert(read.hang.n_ranks == j->n_ranks && read.hang.n_files == n_dumped &&
                      read.hang.n_cut == 0);
            const int64_t n = same_waits(j, &read.hang);
            for (int64_t i = 0; i < n; i++) cr_assert_not_null(read.hang.waits[i].at.desc);
            n_waits += n;
            same_others(j, &read.hang);
            for (int64_t i = 0; i < n; i++) {
                n_messages += strcmp(read.hang.waits[i].at.call, "send") == 0 ||
                              strcmp(read.hang.waits[i].at.call, "recv") == 0;
            }
            const bool none =
                read.hang.verdict == RN_HANG_NONE || read.hang.verdict == RN_HANG_SLOW;
            cr_assert_eq(none, !j->hangs || n == 0, "seed %d", (int)seed);
            drop(&read);
            n_jobs++;
        }
        free_hang(j);
    }
    cr_assert(n_jobs > JOBS / 2 && n_messages > 50 && n_waits > 5 * n_jobs, "%d %d %lld", n_jobs,
              n_messages, (long long)n_waits);
}

/* Groups whose ranks only some dumps tell, or none where each group has a name of its own: the same waits. */
Test(hang_waits, are_the_same_where_groups_are_only_named) {
    int n_jobs[4] = {0};
    for (uint64_t seed = 1; seed <= 500; seed++) {
        const made_wish wish = {.seed = seed, .n_ranks = 24, .fault = MADE_N_FAULTS};
        made_job *j = make_hang(&wish);
        bool lost = j->blind >= 0 || j->pp > 1 ||
                    j->fault == MADE_CROSSED; /* a peer's number is that in the group */
        for (int32_t r = 0; r < j->n_ranks; r++) {
            lost = lost || 2 * j->ranks[r].n_made > j->buffer || j->ranks[r].no_dump;
        }
        for (int32_t without = 1; without <= 3 && !lost; without++) {
            bool told = true; /* somebody says who is in it, or all do by a name of its own */
            for (int32_t k = 0; k < j->n_groups; k++) {
                const made_group *g = &j->groups[k];
                bool some = false, all = !j->one_name;
                for (int32_t m = 0; m < g->n_ranks; m++) {
                    some = some || (without == 2 && g->ranks[m] % 2 == 0) || without == 3;
                    all = all && (g->n_made[m] > 0 || g->n_ranks == 1);
                }
                told = told && (some || all);
            }
            if (!told) continue;
            job_read read = judge(j, without);
            same_waits(j, &read.hang);
            cr_assert_eq(read.hang.n_ranks, j->n_ranks);
            n_jobs[without]++;
            drop(&read);
        }
        free_hang(j);
    }
    cr_assert(n_jobs[1] > 30 && n_jobs[2] > 40 && n_jobs[3] > 100, "%d %d %d", n_jobs[1], n_jobs[2],
              n_jobs[3]);
}

/* A send and a recv of other sizes, or types, both there: the verdict says so of both. */
Test(hang_waits, messages_that_do_not_fit_are_undecided_by_size) {
    static const char dump[] =
        "{\"pg_config\":{\"0\":{\"desc\":\"pp\",\"ranks\":[0,1]}},\"entries\":[{\"pg_id\":0,"
        "\"profiling_name\":\"nccl:%s\",\"p2p_seq_id\":3,\"collective_seq_id\":0,\"is_p2p\":true,"
        "\"input_sizes\":[[%d]],\"output_sizes\":[[%d]],\"input_dtypes\":[\"%s\"],"
        "\"state\":\"scheduled\"}]}";
    static const struct {
        int n;
        const char *dtype;
        rn_hang_verdict verdict;
    } cases[] = {{8, "Float", RN_HANG_STUCK_INSIDE},
                 {9, "Float", RN_HANG_UNDECIDED},
                 {8, "Half", RN_HANG_UNDECIDED}};
    for (int i = 0; i < 3; i++) {
        rs_arena arena, scratch;
        rn_dump dumps[2];
        rs_error error;
        rn_hang hang;
        char text[600];
        rs_arena_init(&arena, NULL);
        rs_arena_init(&scratch, NULL);
        for (int r = 0; r < 2; r++) {
            const int n = snprintf(text, sizeof text, dump, r == 0 ? "send 0->1" : "recv 1<-0",
                                   r == 0 ? 8 : 0, r == 0 ? 0 : cases[i].n,
                                   r == 0 ? "Float" : cases[i].dtype);
            cr_assert_eq(rn_read_recorder(text, (size_t)n, &scratch, &arena, &error, &dumps[r]),
                         RS_OK, "%s", error.text);
            dumps[r].rank = r;
        }
        cr_assert_eq(rn_judge_hang(dumps, 2, NULL, &arena, &error, &hang), RS_OK);
        cr_assert_eq(hang.verdict, cases[i].verdict, "%d: %s", i, rn_hang_name(hang.verdict));
        cr_assert_eq(hang.difference,
                     cases[i].verdict == RN_HANG_UNDECIDED ? RN_DIFFERS_SIZE : RN_DIFFERS_NOT);
        cr_assert_eq(hang.n_culprits, 2);
        cr_assert(hang.n_waits == 2 && hang.waits[0].n_ranks == 0 && hang.waits[1].n_ranks == 0);
        cr_assert(hang.n_agree == 2 && hang.n_of == 2 && hang.culprits[0].seq == 3);
        rs_arena_free(&arena);
        rs_arena_free(&scratch);
    }
}

/* Groups whose ranks no dump tells, in any order: members are those whose dumps name it, and nobody waits for another. */
Test(hang_waits, who_does_not_name_a_group_is_no_member) {
    static const char *const words[] = {"", "a", "b", "c", "all_reduce"};
    enum { RANKS = 4 };
    for (int drawn = 0; drawn < 8 * 8 * 8 * 8; drawn++) { /* three bits a rank: its groups */
        rn_dump dumps[RANKS];
        rn_call_group groups[RANKS][3];
        rn_call calls[RANKS][3];
        int n_named[3] = {0, 0, 0};
        rs_arena arena;
        rs_error error;
        rn_hang hang;
        for (int r = 0; r < RANKS; r++) {
            dumps[r] = (rn_dump){.rank = r,
                                 .whole = true,
                                 .calls = calls[r],
                                 .groups = groups[r],
                                 .words = (const char **)(uintptr_t)words,
                                 .n_words = 5};
            for (int g = 0; g < 3; g++) {
                if ((drawn >> (3 * r + g) & 1) == 0) continue;
                calls[r][dumps[r].n_calls++] = (rn_call){.seq = 1,
                                                         .n_in = 8,
                                                         .n_out = 8,
                                                         .name = 4,
                                                         .group = dumps[r].n_groups,
                                                         .peer = -1,
                                                         .root = -1,
                                                         .op = -1};
                groups[r][dumps[r].n_groups++] =
                    (rn_call_group){.name = (uint32_t)g + 1, .last_seq = -1};
                n_named[g]++;
            }
        }
        rs_arena_init(&arena, NULL);
        cr_assert_eq(rn_judge_hang(dumps, RANKS, NULL, &arena, &error, &hang), RS_OK);
        for (int64_t i = 0; i < hang.n_waits; i++) {
            cr_assert_eq(hang.waits[i].n_ranks, 0, "%o: rank %d waits for %d", (unsigned)drawn,
                         (int)hang.waits[i].at.rank, (int)hang.waits[i].n_ranks);
        }
        cr_assert_eq(hang.n_waits, n_named[0] + n_named[1] + n_named[2]);
        rs_arena_free(&arena);
    }
}

/* Of the open messages of a pair the first send and the first recv are one; the first without a partner waits. */
Test(hang_waits, messages_find_their_partners_in_order) {
    for (int n_sends = 0; n_sends <= 3; n_sends++) {
        for (int n_recvs = 0; n_recvs <= 3; n_recvs++) {
            const int n_of[2] = {n_sends, n_recvs}, both = n_sends < n_recvs ? n_sends : n_recvs;
            rs_arena arena, scratch;
            rn_dump dumps[2];
            rs_error error;
            rn_hang hang;
            rs_arena_init(&arena, NULL);
            rs_arena_init(&scratch, NULL);
            for (int r = 0; r < 2; r++) {
                char text[2000];
                int n = snprintf(text, sizeof text,
                                 "{\"pg_config\":{\"0\":{\"ranks\":[0,1]}},\"entries\":[");
                for (int i = 0; i < n_of[r]; i++) {
                    n += snprintf(text + n, sizeof text - (size_t)n,
                                  "%s{\"pg_id\":0,\"profiling_name\":\"nccl:%s\",\"p2p_seq_id\":%d,"
                                  "\"is_p2p\":true,\"collective_seq_id\":0}",
                                  i > 0 ? "," : "", r == 0 ? "send 0->1" : "recv 1<-0", 10 + i);
                }
                n += snprintf(text + n, sizeof text - (size_t)n, "]}");
                cr_assert_eq(rn_read_recorder(text, (size_t)n, &scratch, &arena, &error, &dumps[r]),
                             RS_OK, "%s", error.text);
                dumps[r].rank = r;
            }
            cr_assert_eq(rn_judge_hang(dumps, 2, NULL, &arena, &error, &hang), RS_OK);
            int64_t k = 0;
            for (int r = 0; r < 2; r++) { /* the first of all has its partner */
                if (both > 0) {
                    cr_assert(k < hang.n_waits && hang.waits[k].at.rank == r);
                    cr_assert(hang.waits[k].at.seq == 10 && hang.waits[k].n_ranks == 0);
                    k++;
                }
                if (n_of[r] <= both) continue;
                cr_assert(k < hang.n_waits && hang.waits[k].at.rank == r);
                cr_assert(hang.waits[k].at.seq == 10 + both && hang.waits[k].n_ranks == 1 &&
                          hang.waits[k].ranks[0] == 1 - r);
                k++;
            }
            cr_assert_eq(k, hang.n_waits, "%d sends, %d recvs: %d", n_sends, n_recvs,
                         (int)hang.n_waits);
            rs_arena_free(&arena);
            rs_arena_free(&scratch);
        }
    }
}

/* ------------------------------------------------------------------ one side of a message is over before the other */

enum { ON_TIME = 3 };
static const char *batch_words[] = {"", "send", "recv", "Float", "0"};

static rn_call message(bool sends, int32_t peer, rn_call_state state) {
    return (rn_call){.name = sends ? 1 : 2,
                     .dtype = 3,
                     .n_in = 10,
                     .n_out = 10,
                     .peer = peer,
                     .root = -1,
                     .op = -1,
                     .sends = sends,
                     .state = (uint8_t)state};
}

/* Rank 0 is in a batch: a send to rank 1, that has it, and a recv from rank 2, that never sends. */
static rn_hang judge_batch(bool whole, rs_arena *keep, rn_dump dumps[ON_TIME]) {
    static rn_call of_0[2], of_1[1], of_2[1];
    static int32_t ranks[ON_TIME] = {0, 1, 2};
    static rn_call_group groups[ON_TIME];
    rn_call *calls[ON_TIME] = {of_0, of_1, of_2};
    const int64_t n_calls[ON_TIME] = {2, 1, 1};
    of_0[0] = message(true, 1, RN_CALL_STARTED);
    of_0[1] = message(false, 2, RN_CALL_STARTED);
    of_1[0] = message(false, 0, RN_CALL_COMPLETED);
    of_2[0] = message(true, 1, RN_CALL_COMPLETED);
    for (int32_t r = 0; r < ON_TIME; r++) {
        groups[r] = (rn_call_group){.name = 4, .n_ranks = ON_TIME, .ranks = ranks, .last_seq = -1};
        dumps[r] = (rn_dump){.rank = r,
                             .whole = whole,
                             .calls = calls[r],
                             .n_calls = n_calls[r],
                             .groups = &groups[r],
                             .n_groups = 1,
                             .words = batch_words,
                             .n_words = 5};
    }
    rn_hang hang;
    rs_error error;
    cr_assert_eq(rn_judge_hang(dumps, ON_TIME, NULL, keep, &error, &hang), RS_OK);
    return hang;
}

Test(hang_waits, a_send_whose_recv_is_over_waits_for_nobody) {
    rs_arena keep;
    rn_dump dumps[ON_TIME];
    rs_arena_init(&keep, NULL);
    const rn_hang known = judge_batch(true, &keep, dumps);
    cr_assert_eq(known.n_waits, 2);
    for (int64_t i = 0; i < 2; i++) {
        const rn_hang_wait *w = &known.waits[i];
        cr_assert_eq(w->at.rank, 0);
        if (strcmp(w->at.call, "send") == 0) {
            cr_assert_eq(w->n_ranks, 0);
        } else {
            cr_assert(w->n_ranks == 1 && w->ranks[0] == 2);
        }
    }
    const rn_hang lost =
        judge_batch(false, &keep, dumps); /* it may have been an earlier one's recv */
    cr_assert_eq(lost.n_waits, 2);
    cr_assert(lost.waits[0].n_ranks == 1 && lost.waits[1].n_ranks == 1);
    rs_arena_free(&keep);
}
