/* Plans: what a GPU will be told to do is what the schedule says, in every order that a plan allows, and
   no order less would do. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "support/naive_apply.h"
#include "support/plan_runner.h"

static void check_job(const rg_job *job, uint64_t *state, const char *name) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    planned p;
    planned_new(&p, job, &arena);
    planned_by_rounds(&p, state);
    cr_assert(planned_equals_reference(&p), "%s by rounds", name);
    for (int i = 0; i < 2; i++) {
        planned_refill(&p);
        cr_assert(planned_by_tasks(&p, state), "%s: the tasks wait for each other", name);
        cr_assert(planned_equals_reference(&p), "%s by tasks", name);
    }
    if (!job->in_place) {
        for (int32_t r = 0; r < p.plan->n_ranks; r++) {
            cr_assert(rs_equal(job->dtype, p.sources[r], p.inputs[r], job->count));
        }
    }
    planned_free(&p);
    rs_arena_free(&arena);
}

/* Every op, type, in and out of place, with and without a flip, in turn; together they meet each other
   often enough. */
static rg_job draw_job(const rs_schedule *s, int64_t count, int turn, uint64_t *state) {
    return (rg_job){
        .schedule = s,
        .dtype = (rs_dtype)random_below(state, RS_N_DTYPES),
        .op = (rs_op)(turn % RS_N_OPS),
        .count = count,
        .in_place = turn / RS_N_OPS % 2 == 0,
        .flip_rank = turn / (2 * RS_N_OPS) % 2 == 0 ? -1 : random_below(state, s->n_ranks),
        .flip_step = s->n_steps > 0 ? random_below(state, s->n_steps) : 0,
    };
}

static void check_algorithm(const char *algorithm, rs_order order, int32_t n, uint64_t *state) {
    const int64_t counts[] = {0, 1, n - 1, n, n + 1, 1000};
    for (int k = 0; k < 6; k++) {
        const rs_schedule s = make_schedule(algorithm, order, n, counts[k]);
        const int n_turns = k < 5 ? 4 * RS_N_OPS : 4;
        for (int turn = 0; turn < n_turns; turn++) {
            const int which = k < 5 ? turn : turn * RS_N_OPS + random_below(state, RS_N_OPS);
            const rg_job job = draw_job(&s, counts[k], which, state);
            char name[160];
            snprintf(name, sizeof name, "%s order %d N=%d K=%d %s %s%s flip %d@%d", algorithm,
                     (int)order, (int)n, (int)counts[k], rs_dtype_name(job.dtype),
                     rs_op_name(job.op), job.in_place ? " in place" : "", (int)job.flip_rank,
                     (int)job.flip_step);
            check_job(&job, state, name);
        }
    }
}

Test(plan, does_what_every_algorithm_says) {
    static const int32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 21};
    uint64_t state = 1;
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            check_algorithm(rs_algorithms[i]->name, RS_ORDER_SEED, sizes[k], &state);
            check_algorithm(rs_algorithms[i]->name, RS_ORDER_NCCL, sizes[k], &state);
        }
    }
}

/* The other collectives: parts of the array, chunks without elements between others, cells that nobody promises. */
static void check_collective(const rs_algorithm *algorithm, int32_t n, uint64_t *state) {
    const int64_t counts[] = {0, 1, n + 1, n * n, 40};
    for (int turn = 0; turn < 40; turn++) {
        const int64_t count = counts[turn % 5];
        const rs_spec spec = {
            .n_ranks = n,
            .root = rs_collective_rooted(algorithm->collective) ? random_below(state, n) : 0,
            .n_channels = algorithm->one_channel ? 0 : random_below(state, 4)};
        rs_schedule s;
        char name[160];
        cr_assert_eq(rs_schedule_from_spec(algorithm, &spec, count, NULL, &s), RS_OK);
        const rg_job job = draw_job(&s, count, random_below(state, 20), state);
        snprintf(name, sizeof name, "%s %s N=%d K=%d channels %d", rs_collective_name(s.collective),
                 s.name, (int)n, (int)count, (int)spec.n_channels);
        check_job(&job, state, name);
    }
}

Test(plan, does_what_every_collective_says) {
    uint64_t state = 6;
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        const rs_algorithm *const *algorithms = rs_algorithms_of((rs_collective)of);
        for (int i = 0; algorithms[i] != NULL; i++) {
            for (int32_t n = 1; n <= 6; n++) check_collective(algorithms[i], n, &state);
        }
    }
}

/* What nobody promises is neither copied nor divided: of a chain that adds, the root's cells alone. */
Test(plan, leaves_what_no_collective_promises) {
    enum { N = 4, COUNT = 64 };
    const rs_spec spec = {.n_ranks = N, .root = 1};
    for (int place = 0; place < 2; place++) {
        rs_arena arena;
        rs_schedule s;
        rs_arena_init(&arena, NULL);
        cr_assert_eq(
            rs_schedule_from_spec(rs_algorithms_of(RS_COLL_REDUCE)[0], &spec, COUNT, NULL, &s),
            RS_OK);
        const rg_job job = {.schedule = &s,
                            .dtype = RS_F32,
                            .op = RS_AVG,
                            .count = COUNT,
                            .in_place = place == 0,
                            .flip_rank = -1};
        rg_plan *plan;
        cr_assert_eq(rg_plan_new(&job, &arena, NULL, &plan), RS_OK);
        cr_expect_eq(plan->n_moves, s.n_transfers);
        rs_arena_free(&arena);
    }
}

/* ------------------------------------------------------------------ any schedule */

Test(plan, does_what_any_list_of_transfers_says) {
    uint64_t state = 2;
    for (int round = 0; round < 3000; round++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        const rs_schedule s = random_schedule(&state, &arena);
        const rg_job job = draw_job(&s, random_below(&state, 20), round, &state);
        char name[32];
        snprintf(name, sizeof name, "round %d", round);
        check_job(&job, &state, name);
        rs_arena_free(&arena);
    }
}

/* The bits above can be right by luck; this cannot. */
Test(plan, leaves_no_two_accesses_of_a_cell_unordered) {
    uint64_t state = 3;
    for (int round = 0; round < 1000; round++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        const rs_schedule s = random_schedule(&state, &arena);
        const rg_job job = draw_job(&s, random_below(&state, 20), round, &state);
        rg_plan *plan;
        cr_assert_eq(rg_plan_new(&job, &arena, NULL, &plan), RS_OK);
        cr_assert(!planned_rounds_clash(plan), "round %d", round);
        cr_assert(!planned_tasks_race(plan), "round %d", round);
        rs_arena_free(&arena);
    }
}

/* ------------------------------------------------------------------ the tests can fail */

static rg_plan *plan_of(const rg_job *job, rs_arena *arena) {
    rg_plan *plan = NULL;
    rs_error error = {.text = ""};
    cr_assert_eq(rg_plan_new(job, arena, &error, &plan), RS_OK, "%s", error.text);
    return plan;
}

static rg_job in_place(const rs_schedule *s, int64_t count) {
    return (rg_job){.schedule = s,
                    .dtype = RS_F32,
                    .op = RS_SUM,
                    .count = count,
                    .in_place = true,
                    .flip_rank = -1};
}

/* Every wait for what the neighbour before has written is needed: without one of them two tasks race,
   and some order gives other bits. */
Test(plan, misses_every_wait_of_a_scatter_that_is_taken_away) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 5, 50);
    const rg_job job = in_place(&s, 50);
    planned p;
    planned_new(&p, &job, &arena);
    uint64_t state = 4;
    int n_missed = 0;
    for (int32_t t = 0; t < p.plan->n_tasks; t++) {
        rg_task *task = &p.plan->tasks[t];
        if (task->n_waits != 1) continue;
        task->n_waits = 0;
        cr_expect(planned_tasks_race(p.plan), "task %d", (int)t);
        bool differs = false;
        for (int i = 0; i < 200 && !differs; i++) {
            planned_refill(&p);
            differs = !planned_by_tasks(&p, &state) || !planned_equals_reference(&p);
        }
        cr_expect(differs, "task %d", (int)t);
        task->n_waits = 1;
        n_missed++;
    }
    cr_expect_geq(n_missed, 5 * 3);
    planned_free(&p);
    rs_arena_free(&arena);
}

Test(plan, finds_moves_that_meet_in_a_round) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule s = make_schedule("doubling", RS_ORDER_SEED, 2, 8);
    const rg_job job = in_place(&s, 8);
    rg_plan *plan = plan_of(&job, &arena);
    cr_expect(!planned_rounds_clash(plan));
    for (int32_t i = 0; i < plan->n_moves; i++) plan->moves[i].left = RG_TARGET;
    cr_expect(planned_rounds_clash(plan));
    cr_expect(planned_tasks_race(plan));
    rs_arena_free(&arena);
}

/* ------------------------------------------------------------------ no more than is needed */

Test(plan, of_a_ring_has_a_round_a_step_and_puts_nothing_aside) {
    for (int32_t n = 2; n <= 33; n++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        const rs_schedule s = make_schedule("ring", (rs_order)(n % 2), n, 1000);
        const rg_job job = in_place(&s, 1000);
        const rg_plan *plan = plan_of(&job, &arena);
        cr_expect_eq(plan->n_rounds, 2 * (n - 1));
        cr_expect_eq(plan->n_moves, 2 * n * (n - 1));
        cr_expect_eq(plan->n_tasks, 2 * n * (n - 1));
        cr_expect(!plan->has_aside);
        for (int32_t i = 0; i < plan->n_tasks; i++) cr_expect_leq(plan->tasks[i].n_waits, 2);
        for (int32_t r = 0; r < n; r++) {
            cr_expect_eq(plan->tasks[plan->task_first[r]].n_waits, 0, "the first step waits");
        }
        rs_arena_free(&arena);
    }
}

Test(plan, waits_for_nothing_twice_and_never_for_itself) {
    uint64_t state = 5;
    for (int round = 0; round < 500; round++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        const rs_schedule s = random_schedule(&state, &arena);
        const rg_job job = draw_job(&s, 12, round, &state);
        const rg_plan *plan = plan_of(&job, &arena);
        for (int32_t r = 0; r < plan->n_ranks; r++) {
            int32_t known[8] = {0};
            for (int32_t t = plan->task_first[r]; t < plan->task_first[r + 1]; t++) {
                const rg_task *task = &plan->tasks[t];
                for (int32_t w = task->first_wait; w < task->first_wait + task->n_waits; w++) {
                    const rg_wait *wait = &plan->waits[w];
                    cr_assert(wait->rank != r && wait->n_tasks > known[wait->rank]);
                    cr_assert_leq(wait->n_tasks,
                                  plan->task_first[wait->rank + 1] - plan->task_first[wait->rank]);
                    known[wait->rank] = wait->n_tasks;
                }
            }
        }
        rs_arena_free(&arena);
    }
}

/* Member by member: the unused bits beside `flip` and `finish` may be anything. */
static bool same_moves(const rg_move *a, const rg_move *b, int n) {
    bool same = true;
    for (int i = 0; i < n; i++, a++, b++) {
        same = same && a->by == b->by && a->src == b->src && a->chunk == b->chunk &&
               a->transfer == b->transfer && a->op_kind == b->op_kind && a->left == b->left &&
               a->right == b->right && a->flip == b->flip && a->finish == b->finish &&
               a->round == b->round;
    }
    return same;
}

/* 1 holds c; in one step it gets two messages and is sent to two others. */
Test(plan, puts_a_cell_aside_once_and_lets_messages_follow_each_other) {
    const rs_transfer list[] = {{.src = 0, .dst = 1, .n_chunks = 1},
                                {.src = 1, .dst = 2, .n_chunks = 1},
                                {.src = 3, .dst = 1, .n_chunks = 1, .effect = RS_COPY},
                                {.src = 1, .dst = 4, .n_chunks = 1}};
    const int64_t first[] = {0, 4};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_schedule s;
    cr_assert_eq(rs_schedule_from_list(5, 1, 1, first, list, &arena, NULL, &s), RS_OK);
    const rg_job job = in_place(&s, 3);
    const rg_plan *plan = plan_of(&job, &arena);
    static const rg_move expected[] = {
        {.by = 1, .src = 1, .transfer = -1, .op_kind = RG_ASIDE, .round = 0},
        {.by = 1, .src = 0, .transfer = 0, .op_kind = RG_REDUCE, .round = 1},
        {.by = 2, .src = 1, .transfer = 1, .op_kind = RG_REDUCE, .left = RG_BESIDE, .round = 1},
        {.by = 4, .src = 1, .transfer = 3, .op_kind = RG_REDUCE, .left = RG_BESIDE, .round = 1},
        {.by = 1, .src = 3, .transfer = 2, .op_kind = RG_COPY, .round = 2}};
    cr_assert_eq(plan->n_moves, 5);
    cr_expect(same_moves(plan->moves, expected, 5));
    cr_expect_eq(plan->n_rounds, 3);
    cr_expect_eq(plan->n_tasks, 5);
    cr_expect_eq(plan->n_waits, 2,
                 "2 and 4 wait for 1; 1 waits for nobody: 0 and 3 hold their own");
    rs_arena_free(&arena);
}

Test(plan, lists_transfers_without_elements_but_moves_nothing) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 5, 2);
    rg_job job = in_place(&s, 2);
    const rg_plan *plan = plan_of(&job, &arena);
    cr_expect_eq(plan->n_transfers, s.n_transfers);
    cr_expect_eq(plan->n_moves, 2 * 8);
    for (int64_t i = 0; i < plan->n_transfers; i++) cr_expect_eq(plan->steps[i], (int32_t)(i / 5));
    job.count = 0;
    cr_expect_eq(plan_of(&job, &arena)->n_moves, 0);
    cr_expect_eq(plan_of(&job, &arena)->n_rounds, 0);
    cr_expect_eq(plan_of(&job, &arena)->n_transfers, s.n_transfers);
    rs_arena_free(&arena);
}

Test(plan, flips_the_first_chunk_of_a_message_only) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule s = make_schedule("halving", RS_ORDER_SEED, 8, 100);
    rg_job job = in_place(&s, 100);
    job.flip_rank = 3;
    job.flip_step = 0;
    const rg_plan *plan = plan_of(&job, &arena);
    int n_flips = 0;
    for (int32_t i = 0; i < plan->n_moves; i++) {
        if (!plan->moves[i].flip) continue;
        n_flips++;
        cr_expect_eq(plan->moves[i].src, 3);
        cr_expect_eq(plan->moves[i].chunk, plan->transfers[plan->moves[i].transfer].chunk);
    }
    cr_expect_eq(n_flips, 1);
    rs_arena_free(&arena);
}

/* ------------------------------------------------------------------ no pass of its own */

static int32_t count_ops(const rg_plan *plan, rg_plan_op op_kind) {
    int32_t n = 0;
    for (int32_t i = 0; i < plan->n_moves; i++) n += plan->moves[i].op_kind == op_kind;
    return n;
}

/* With every algorithm: from one array to another as in place, and avg as sum, or better: an input need not be put
   aside. */
Test(plan, neither_copies_first_nor_divides_last) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= 17; n++) {
            for (int64_t count = n - 1; count <= 5 * n; count += 2 * n + 1) {
                rs_arena arena;
                rs_arena_init(&arena, NULL);
                const rs_schedule s =
                    make_schedule(rs_algorithms[i]->name, (rs_order)(n % 2), n, count);
                rg_job job = in_place(&s, count);
                const rg_plan *plain = plan_of(&job, &arena);
                const int64_t least = rg_plan_traffic(plain, &job);
                job.op = RS_AVG;
                const rg_plan *mean = plan_of(&job, &arena);
                cr_expect_eq(count_ops(mean, RG_FINISH), 0, "%s %d", s.name, (int)n);
                cr_expect_eq(rg_plan_traffic(mean, &job), least);
                cr_expect_eq(mean->n_rounds, plain->n_rounds);
                job.in_place = false;
                const rg_plan *apart = plan_of(&job, &arena);
                cr_expect_eq(count_ops(apart, RG_FINISH), 0, "%s %d", s.name, (int)n);
                cr_expect_leq(rg_plan_traffic(apart, &job), least, "%s %d", s.name, (int)n);
                cr_expect_leq(apart->n_rounds, plain->n_rounds);
                for (int32_t k = 0; k < apart->n_moves; k++) {
                    const rg_move *m = &apart->moves[k];
                    const bool own = s.by_rank && m->op_kind == RG_REDUCE && m->src == m->by;
                    cr_assert(m->transfer >= 0 || m->op_kind == RG_ASIDE || own, "%s %d", s.name,
                              (int)n);
                }
                rs_arena_free(&arena);
            }
        }
    }
}

/* Each of N ranks adds N-1 chunks, two reads and a write, and copies N-1, a read and a write: 5 (N-1) S in all. */
Test(plan, of_a_ring_moves_so_many_bytes) {
    for (int32_t n = 2; n <= 16; n++) {
        for (int which = 0; which < 4; which++) {
            rs_arena arena;
            rs_arena_init(&arena, NULL);
            const int64_t count = 6 * n;
            const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, n, count);
            rg_job job = in_place(&s, count);
            job.in_place = which % 2 == 0;
            job.op = which / 2 == 0 ? RS_SUM : RS_AVG;
            cr_expect_eq(rg_plan_traffic(plan_of(&job, &arena), &job), 5 * (n - 1) * count * 4);
            job.flip_rank = 0; /* each rank then divides its array: a read and a write more */
            cr_expect_eq(rg_plan_traffic(plan_of(&job, &arena), &job),
                         (5 * (n - 1) + (job.op == RS_AVG ? 2 * n : 0)) * count * 4);
            rs_arena_free(&arena);
        }
    }
}

/* 1 adds 0's, 2 adds 1's, 1's last value is an operand: only 2 can divide at once. 0's is never written. */
Test(plan, divides_no_value_that_is_added_later) {
    const rs_transfer list[] = {{.src = 0, .dst = 1, .n_chunks = 1},
                                {.src = 1, .dst = 2, .n_chunks = 1},
                                {.src = 1, .dst = 3, .n_chunks = 1, .effect = RS_COPY}};
    const int64_t first[] = {0, 1, 2, 3};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_schedule s;
    cr_assert_eq(rs_schedule_from_list(4, 1, 3, first, list, &arena, NULL, &s), RS_OK);
    rg_job job = in_place(&s, 3);
    job.op = RS_AVG;
    static const rg_move last[] = {
        {.by = 0, .transfer = -1, .op_kind = RG_FINISH, .finish = true, .round = 3},
        {.by = 1, .src = 1, .transfer = -1, .op_kind = RG_FINISH, .finish = true, .round = 3}};
    const rg_plan *plan = plan_of(&job, &arena);
    cr_assert_eq(plan->n_moves, 5);
    cr_expect_not(plan->moves[0].finish);
    cr_expect(plan->moves[1].finish);
    cr_expect(plan->moves[2].finish, "3's copy of what stays undivided at 1");
    cr_expect(same_moves(&plan->moves[3], last, 2));
    job.in_place = false; /* 0's is copied, and divided on the way */
    plan = plan_of(&job, &arena);
    cr_assert_eq(plan->n_moves, 5);
    cr_expect(plan->moves[0].by == 0 && plan->moves[0].left == RG_SOURCE && plan->moves[0].finish);
    cr_expect(plan->moves[1].right == RG_SOURCE && plan->moves[2].left == RG_TARGET);
    cr_expect(same_moves(&plan->moves[4], &last[1], 1));
    rs_arena_free(&arena);
}

/* ------------------------------------------------------------------ limits */

static void expect_too_large(const char *algorithm, int32_t n, int64_t count, const char *text) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule s = make_schedule(algorithm, RS_ORDER_SEED, n, count);
    const rg_job job = in_place(&s, count);
    rs_error error = {.text = ""};
    rg_plan *plan = NULL;
    cr_expect_eq(rg_plan_new(&job, &arena, &error, &plan), RS_TOO_LARGE);
    cr_expect_null(plan);
    cr_expect_str_eq(error.text, text);
    rs_arena_free(&arena);
}

Test(plan, says_what_is_too_large) {
    expect_too_large("ring", RS_MAX_RANKS, INT64_MAX / 8,
                     "34359476224 transfers at the least: a plan holds at most 67108864; take "
                     "fewer ranks");
    expect_too_large("halving", RS_MAX_RANKS, INT64_MAX / 8,
                     "34359476224 moves at the least: a plan holds at most 67108864; take fewer "
                     "ranks");
}

Test(plan, of_very_many_ranks_takes_time_in_proportion) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_schedule s = make_schedule("naive", RS_ORDER_SEED, RS_MAX_RANKS, 1);
    const rg_job job = in_place(&s, 1);
    const rg_plan *plan = plan_of(&job, &arena);
    cr_expect_eq(plan->n_moves, 2 * (RS_MAX_RANKS - 1));
    cr_expect_eq(plan->n_rounds, 2 * (RS_MAX_RANKS - 1));
    rs_arena_free(&arena);
}

static bool stop(void *context, const char *what, int64_t done, int64_t total) {
    cr_expect_str_eq(what, "planning the run");
    cr_expect(done >= 0 && done <= total);
    ++*(int *)context;
    return false;
}

Test(plan, can_be_cancelled) {
    int n_asked = 0;
    const rs_host host = {.context = &n_asked, .progress = stop};
    rs_arena arena;
    rs_arena_init(&arena, &host);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 300, 1000);
    const rg_job job = in_place(&s, 1000);
    rs_error error;
    rg_plan *plan = NULL;
    cr_expect_eq(rg_plan_new(&job, &arena, &error, &plan), RS_CANCELLED);
    cr_expect_str_eq(error.text, "cancelled while planning the run");
    cr_expect_eq(n_asked, 1);
    rs_arena_free(&arena);
}

static void *none(void *context, size_t n_bytes) {
    (void)context, (void)n_bytes;
    return NULL;
}

Test(plan, says_when_memory_is_short) {
    const rs_host host = {.allocate = none};
    rs_arena arena;
    rs_arena_init(&arena, &host);
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 5, 5);
    const rg_job job = in_place(&s, 5);
    rs_error error;
    rg_plan *plan = NULL;
    cr_expect_eq(rg_plan_new(&job, &arena, &error, &plan), RS_NO_MEMORY);
    cr_expect_str_eq(error.text, "no memory for a plan of 40 moves; take fewer ranks");
    rs_arena_free(&arena);
}
