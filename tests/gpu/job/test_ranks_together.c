/* test_ranks_together.c: a job on some ranks, each a thread, over a transport of this file whose runs go wrong as a plan says:
 * every rank tells the same, and what a plain account of the plan tells.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/communicator.h"
#include "support/backend_fixture.h"
#include "support/naive_apply.h"

enum { MOST = 5, COUNT = 60, MOST_TIMES = 4 };
static const int64_t hour_ps = (int64_t)3600 * 1000000000000;

typedef struct plan { /* what goes wrong, by rank */
    int n_wrong[MOST][MOST_TIMES];
    bool spoils_target[MOST], spoils_source[MOST], changes_source[MOST];
    int hours[MOST][MOST_TIMES]; /* that the run takes by the rank's clock */
    float added[MOST][COUNT];    /* to the vendor's result */
    rs_status prepares[MOST];
} plan;

static struct {
    int n;
    plan plan;
    rg_job job[MOST];
    pthread_barrier_t all_here;
    const void *own[MOST];
    void *targets[MOST];
    float ours[MOST][COUNT], theirs[MOST][COUNT]; /* results when the vendor is asked */
} world;

typedef struct member {
    rg_ranks ranks;
    int n_started, n_released, n_remarks;
    rs_status status;
    rs_error error;
    rg_result result;
    bool wrong[MOST];
    uint32_t crc32[MOST];
} member;

/* ------------------------------------------------------------------ the transport */

static bool collect(rg_ranks *ranks, const void *own, void *all, size_t n) {
    world.own[ranks->rank] = own;
    pthread_barrier_wait(&world.all_here);
    for (int r = 0; r < world.n; r++) memcpy((char *)all + (size_t)r * n, world.own[r], n);
    pthread_barrier_wait(&world.all_here);
    return true;
}

static bool line_up(rg_ranks *ranks, int64_t *start_ps) {
    member *m = (member *)ranks;
    const int run = m->n_started - world.job[ranks->rank].warmup;
    *start_ps = rg_now_ps() - (run < 0 ? 50 : world.plan.hours[ranks->rank][run]) * hour_ps;
    return true;
}

static rs_status prepare(rg_ranks *ranks, rg_rank_job *work, rs_arena *arena, rs_error *error) {
    (void)work, (void)arena;
    const rs_status status = world.plan.prepares[ranks->rank];
    if (status != RS_OK) rs_fail(error, status, "rank %d has no room", (int)ranks->rank);
    return status;
}

static void release(rg_ranks *ranks, rg_rank_job *work) {
    (void)work;
    ((member *)ranks)->n_released++;
}

static bool copy(rg_ranks *ranks, rg_rank_job *work, rg_range range) {
    (void)ranks;
    memcpy((float *)work->target.data + range.first, (float *)work->source.data + range.first,
           (size_t)range.n * sizeof(float));
    return true;
}

/* Rank 0 does all ranks' work; then each does its own damage. */
static bool run(rg_ranks *ranks, rg_rank_job *work) {
    const int rank = ranks->rank, timed = ((member *)ranks)->n_started++ - work->job->warmup;
    world.targets[rank] = work->target.data;
    pthread_barrier_wait(&world.all_here);
    if (rank == 0) {
        const rs_apply_options whole = {.until_step = work->job->schedule->n_steps};
        apply_naively(work->job->schedule, RS_F32, RS_SUM, COUNT, world.targets, &whole);
    }
    pthread_barrier_wait(&world.all_here);
    if (timed < 0) return true;
    for (int i = 0; i < world.plan.n_wrong[rank][timed]; i++) {
        ((float *)work->target.data)[(7 * i + rank) % COUNT] += 1000;
    }
    if (timed < work->job->times - 1) return true;
    if (world.plan.spoils_target[rank]) work->target.block[work->target.before - 1] ^= 1;
    if (world.plan.spoils_source[rank]) {
        work->source.block[work->source.before + work->source.n_bytes] ^= 1;
    }
    if (world.plan.changes_source[rank]) ((char *)work->source.data)[4 * COUNT - 1] ^= 1;
    return true;
}

static bool takes(const rg_job *job, char note[RG_NOTE]) {
    (void)job, (void)note;
    return true;
}

static bool ask_oracle(rg_ranks *ranks, rg_rank_job *work, int64_t times[]) {
    const int rank = ranks->rank;
    memcpy(world.ours[rank], work->target.data, sizeof world.ours[rank]);
    for (int i = 0; i < COUNT; i++) {
        world.theirs[rank][i] = world.ours[rank][i] + world.plan.added[rank][i];
    }
    memcpy(work->oracle.data, world.theirs[rank], sizeof world.theirs[rank]);
    for (int i = 0; i < work->job->times; i++) times[i] = world.plan.hours[rank][i] + 1;
    return true;
}

static void remark(rg_ranks *ranks, const rg_rank_job *work, rg_result *result) {
    (void)work, (void)result;
    ((member *)ranks)->n_remarks++;
}

static void *live(void *argument) {
    static const rg_transport transport = {collect, line_up, prepare,    release, copy, run,
                                           NULL,    takes,   ask_oracle, remark,  false};
    member *m = argument;
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    m->ranks.group = (rg_group){.n_ranks = world.n};
    m->ranks.transport = &transport;
    m->result = (rg_result){.completed = true, .wrong = m->wrong, .crc32 = m->crc32};
    m->status =
        rg_ranks_run(&m->ranks.group, &world.job[m->ranks.rank], &arena, &m->error, &m->result);
    rs_arena_free(&arena);
    return NULL;
}

static void run_all(member members[MOST]) {
    pthread_t threads[MOST];
    memset(members, 0, MOST * sizeof *members);
    pthread_barrier_init(&world.all_here, NULL, (unsigned)world.n);
    for (int r = 0; r < world.n; r++) {
        members[r].ranks.rank = r;
        cr_assert_eq(pthread_create(&threads[r], NULL, live, &members[r]), 0);
    }
    for (int r = 0; r < world.n; r++) pthread_join(threads[r], NULL);
    pthread_barrier_destroy(&world.all_here);
}

/* A job of n ranks that goes well. */
static void begin(int n, const rs_schedule *s) {
    world.n = n;
    world.plan = (plan){.prepares = {RS_OK}};
    for (int r = 0; r < n; r++) {
        world.job[r] = backend_fixture_job(s, RS_F32, RS_SUM, COUNT);
        world.job[r].timeout_ms = 60000;
    }
}

/* ------------------------------------------------------------------ the plain account */

/* The vendor's elements that differ, and those beyond (N-1) u sum|x| of the exact sum. */
static void tally(int64_t *n_differ, int64_t *n_outside) {
    static float inputs[MOST][COUNT];
    *n_differ = *n_outside = 0;
    for (int r = 0; r < world.n; r++) rg_fill(&world.job[r], r, NULL, inputs[r]);
    for (int r = 0; r < world.n; r++) {
        for (int i = 0; i < COUNT; i++) {
            const float ours = world.ours[r][i], theirs = world.theirs[r][i];
            double sum = 0, sizes = 0;
            for (int of = 0; of < world.n; of++)
                sum += inputs[of][i], sizes += fabsf(inputs[of][i]);
            *n_differ += theirs != ours;
            *n_outside += world.n == 1 ? theirs != ours
                                       : fabs(theirs - sum) > (world.n - 1) * 0x1p-24 * sizes;
        }
    }
}

static int by_size(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* Returns the middle of the slowest ranks' hours. */
static int middle_hours(int times) {
    int slowest[MOST_TIMES] = {0};
    for (int i = 0; i < times; i++) {
        for (int r = 0; r < world.n; r++) {
            if (world.plan.hours[r][i] > slowest[i]) slowest[i] = world.plan.hours[r][i];
        }
    }
    qsort(slowest, (size_t)times, sizeof *slowest, by_size);
    return slowest[times / 2];
}

static void check_tale(const member *m, const rg_job *job) {
    const rg_result *result = &m->result;
    int64_t n_wrong = 0, n_spoilt = 0;
    int n_wrong_runs = 0, first = 0;
    bool wrong[MOST] = {false};
    for (int i = job->check_every ? 0 : job->times - 1; i < job->times; i++) {
        int64_t of_run = 0;
        for (int r = 0; r < world.n; r++) {
            of_run += world.plan.n_wrong[r][i];
            wrong[r] = wrong[r] || world.plan.n_wrong[r][i] > 0;
        }
        n_wrong += of_run;
        n_wrong_runs += of_run > 0;
        if (of_run > 0 && first == 0) first = i + 1;
    }
    for (int r = 0; r < world.n; r++) {
        n_spoilt += world.plan.spoils_target[r] || world.plan.spoils_source[r] ||
                    world.plan.changes_source[r];
        cr_expect_eq(result->wrong[r], wrong[r], "rank %d", r);
    }
    cr_expect_eq(result->n_checked, job->check_every ? job->times : 1);
    cr_expect_eq(result->n_wrong, n_wrong);
    cr_expect_eq(result->n_wrong_runs, n_wrong_runs);
    cr_expect_eq(result->first_wrong_run, first);
    cr_expect_eq(result->n_spoilt, n_spoilt);
    cr_expect_eq(result->time_ps / hour_ps, middle_hours(job->times));
    cr_expect_eq(result->has_oracle, job->oracle);
    cr_expect(m->n_released == 1 && m->n_remarks == 1);
    if (job->oracle) cr_expect_eq(result->oracle_time_ps, middle_hours(job->times) + 1);
}

Test(ranks_together, what_goes_wrong_on_any_rank_every_rank_tells) {
    static member members[MOST];
    uint64_t state = 5;
    for (int trial = 0; trial < 200; trial++) {
        const int n = 1 + random_below(&state, MOST);
        const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, n, COUNT);
        begin(n, &s);
        rg_job job = world.job[0];
        job.in_place = random_below(&state, 2);
        job.check_every = random_below(&state, 2);
        job.oracle = random_below(&state, 3) > 0;
        job.warmup = random_below(&state, 3);
        job.times = 1 + random_below(&state, MOST_TIMES);
        for (int r = 0; r < n; r++) {
            plan *p = &world.plan;
            world.job[r] = job;
            p->spoils_target[r] = random_below(&state, 8) == 0;
            p->spoils_source[r] = random_below(&state, 8) == 0;
            p->changes_source[r] = random_below(&state, 8) == 0;
            for (int i = 0; i < job.times; i++) {
                p->hours[r][i] = random_below(&state, 20);
                if (random_below(&state, 4) == 0) p->n_wrong[r][i] = random_below(&state, 8);
            }
            for (int i = random_below(&state, 9); i-- > 0;) {
                p->added[r][random_below(&state, COUNT)] = ldexpf(1, -random_below(&state, 27));
            }
        }
        run_all(members);
        int64_t n_differ = 0, n_outside = 0;
        if (job.oracle) tally(&n_differ, &n_outside);
        for (int r = 0; r < n; r++) {
            cr_expect_eq(members[r].status, RS_OK, "%s", members[r].error.text);
            check_tale(&members[r], &job);
            cr_expect_eq(members[r].result.crc32[0], members[0].result.crc32[0]);
            cr_expect_eq(members[r].result.oracle_differs, n_differ);
            cr_expect_eq(members[r].result.oracle_outside, n_outside);
            cr_expect_eq(members[r].result.oracle_unjudged, 0);
        }
    }
}

/* ------------------------------------------------------------------ jobs that do not begin */

static rs_schedule other_schedule;

/* Changes one thing of a job; false: there is no such number. */
static bool change(rg_job *job, int what) {
    static rs_schedule changed;
    changed = *job->schedule;
    switch (what) {
    case 0: job->seed++; break;
    case 1: job->op = RS_MAX; break;
    case 2: job->data = RS_DATA_INDEX; break;
    case 3: job->special = RG_NAN; break;
    case 4: job->offset = 1; break;
    case 5: job->in_place = true; break;
    case 6: job->warmup++; break;
    case 7: job->times++; break;
    case 8: job->flip_rank = 0; break;
    case 9: job->flip_step = 1; break;
    case 10: job->flip_run = 1; break;
    case 11: job->check_every = true; break;
    case 12: job->trace = true; break;
    case 13: job->oracle = false; break;
    case 14: job->dtype = RS_I32; break;
    case 15: job->count--; break;
    case 16: changed.n_chunks++; break;
    case 17: changed.n_steps--; break;
    case 18: changed.n_transfers--; break;
    case 19: changed.order = (rs_order)!changed.order; break;
    case 20: changed.gpus_per_node++; break;
    case 21: changed.collective = RS_COLL_BROADCAST; break;
    case 22: changed.root++; break;
    case 23: changed.n_pieces++; break;
    case 24: changed.n_channels++; break;
    case 25: changed.name = "gnir"; break;
    default: return false;
    }
    if (what > 15) job->schedule = &changed;
    return true;
}

Test(ranks_together, one_job_unlike_the_others_begins_on_no_rank) {
    static member members[MOST];
    other_schedule = make_schedule("ring", RS_ORDER_SEED, 3, COUNT);
    for (int rank = 0; rank < 3; rank++) {
        begin(3, &other_schedule);
        for (int what = 0; change(&world.job[rank], what); what++) {
            run_all(members);
            for (int r = 0; r < 3; r++) {
                cr_expect_eq(members[r].status, RS_BAD_INPUT, "%d on rank %d", what, rank);
                cr_expect_eq(members[r].n_started, 0);
                cr_expect_str_eq(members[r].error.text, "the ranks were given different jobs; "
                                                        "start all with the same options");
            }
            begin(3, &other_schedule);
        }
    }
}

/* One rank that cannot go on tells why; the others that one cannot; all end with the same status. */
Test(ranks_together, who_cannot_prepare_says_why) {
    static const rs_status faults[] = {RS_NO_MEMORY, RS_UNSUPPORTED, RS_BAD_INPUT};
    static member members[MOST];
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 4, COUNT);
    for (int i = 0; i < 3 * 4; i++) {
        begin(4, &s);
        world.plan.prepares[i % 4] = faults[i / 4];
        run_all(members);
        for (int r = 0; r < 4; r++) {
            char own[80];
            snprintf(own, sizeof own, "rank %d has no room", r);
            cr_expect_eq(members[r].status, faults[i / 4]);
            cr_expect_str_eq(members[r].error.text,
                             r == i % 4 ? own : "another rank cannot go on; take smaller sizes");
            cr_expect(members[r].n_started == 0 && members[r].n_released == 1);
        }
    }
}
