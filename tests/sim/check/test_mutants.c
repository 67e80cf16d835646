/* Thousands of spoilt schedules: checker, contents, arithmetic and a tiny interpreter must agree.
 *
 * The interpreter below shares nothing with the library but rs_next_transfer's list: it counts how often
 * each rank's contribution is in each cell. The schedule is right when every count is 1 at the end.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "base/containers.h"
#include "ringsim.h"

enum { MAX_N = 9, MAX_C = 2 * MAX_N, MOST = 1024, MAX_STEPS = 64, ROUNDS = 12 };

typedef struct plan {
    int32_t n, c, n_steps;
    int n_transfers;
    rs_transfer list[MOST];
    int32_t step[MOST];
} plan;

/* ------------------------------------------------------------------ the interpreter */

typedef struct cell {
    int32_t count[MAX_N];
    bool undefined; /* a copy met another message on the way here */
} cell;
typedef cell board[MAX_N][MAX_C];

static void start_board(const plan *p, board b) {
    memset(b, 0, sizeof(board));
    for (int32_t r = 0; r < p->n; r++) {
        for (int32_t c = 0; c < p->c; c++) b[r][c].count[r] = 1;
    }
}

static bool carries(const rs_transfer *t, int32_t dst, int32_t chunk) {
    return t->dst == dst && t->chunk <= chunk && chunk < t->chunk + t->n_chunks;
}

static bool clashes(const plan *p, int32_t step, int32_t dst, int32_t chunk) {
    int n = 0, copies = 0;
    for (int i = 0; i < p->n_transfers; i++) {
        if (p->step[i] != step || !carries(&p->list[i], dst, chunk)) continue;
        n++;
        copies += p->list[i].effect == RS_COPY;
    }
    return n > 1 && copies > 0;
}

static void play_step(const plan *p, int32_t step, board b) {
    static board before;
    memcpy(before, b, sizeof before);
    for (int i = 0; i < p->n_transfers; i++) {
        const rs_transfer *t = &p->list[i];
        for (int32_t c = t->chunk; p->step[i] == step && c < t->chunk + t->n_chunks; c++) {
            const cell *in = &before[t->src][c];
            cell *own = &b[t->dst][c];
            if (t->effect == RS_COPY) {
                *own = *in;
            } else {
                for (int32_t r = 0; r < p->n; r++) own->count[r] += in->count[r];
                own->undefined = own->undefined || in->undefined;
            }
        }
    }
    for (int32_t r = 0; r < p->n; r++) {
        for (int32_t c = 0; c < p->c; c++) {
            if (clashes(p, step, r, c)) b[r][c].undefined = true;
        }
    }
}

static bool right_everywhere(const plan *p, board b) {
    bool right = true;
    for (int32_t r = 0; r < p->n; r++) {
        for (int32_t c = 0; c < p->c; c++) {
            right = right && !b[r][c].undefined;
            for (int32_t k = 0; k < p->n; k++) right = right && b[r][c].count[k] == 1;
        }
    }
    return right;
}

/* ------------------------------------------------------------------ plans and their mutants */

static uint64_t state;
static int32_t below(int32_t n) {
    return (int32_t)(rs_random(&state) % (uint64_t)n);
}

static plan plan_of(const rs_algorithm *algorithm, rs_order order, int32_t n) {
    rs_schedule s;
    rs_error error;
    const rs_spec spec = {.n_ranks = n, .order = order, .n_pieces = algorithm->pipelined ? 4 : 0};
    rs_schedule_from_spec(algorithm, &spec, 1000, &error, &s);
    plan p = {.n = n, .c = s.n_chunks, .n_steps = s.n_steps};
    for (int32_t step = 0; step < s.n_steps; step++) {
        rs_cursor cursor = {0};
        while (rs_next_transfer(&s, step, &cursor, &p.list[p.n_transfers])) {
            p.step[p.n_transfers++] = step;
        }
    }
    return p;
}

static void remove_at(plan *p, int at) {
    p->n_transfers--;
    for (int i = at; i < p->n_transfers; i++) {
        p->list[i] = p->list[i + 1];
        p->step[i] = p->step[i + 1];
    }
}

/* Moves one transfer to another step, behind all that is there. */
static void move_to(plan *p, int at, int32_t step) {
    const rs_transfer moved = p->list[at];
    remove_at(p, at);
    int place = 0;
    while (place < p->n_transfers && p->step[place] <= step) place++;
    for (int i = p->n_transfers++; i > place; i--) {
        p->list[i] = p->list[i - 1];
        p->step[i] = p->step[i - 1];
    }
    p->list[place] = moved;
    p->step[place] = step;
    if (step >= p->n_steps) p->n_steps = step + 1;
}

static void duplicate(plan *p, int at, int32_t step) {
    p->list[p->n_transfers] = p->list[at];
    p->step[p->n_transfers] = p->n_steps; /* for now */
    move_to(p, p->n_transfers++, step);
}

enum {
    SWAP,
    SWAP_PLACES,
    DROP,
    DUPLICATE,
    REDIRECT,
    REPLACE_SOURCE,
    SHIFT,
    FLIP,
    OTHER_CHUNK,
    KINDS
};

static void mutate(plan *p, int kind) {
    if (p->n_transfers == 0) return;
    const int at = below(p->n_transfers), other = below(p->n_transfers);
    rs_transfer *t = &p->list[at];
    const int32_t old_step = p->step[at];
    switch (kind) {
    case SWAP: {
        const rs_transfer kept = *t;
        *t = p->list[other];
        p->list[other] = kept;
        break;
    }
    case SWAP_PLACES: move_to(p, at, old_step); break;
    case DROP: remove_at(p, at); break;
    case DUPLICATE: duplicate(p, at, below(p->n_steps)); break;
    case REDIRECT: t->dst = (t->src + 1 + below(p->n - 1)) % p->n; break;
    case REPLACE_SOURCE: t->src = (t->dst + 1 + below(p->n - 1)) % p->n; break;
    case SHIFT:
        if (old_step == 0 || below(2) == 0) {
            move_to(p, at, old_step + 1);
        } else {
            move_to(p, at, old_step - 1);
        }
        break;
    case FLIP: t->effect = t->effect == RS_COPY ? RS_REDUCE : RS_COPY; break;
    case OTHER_CHUNK: t->chunk = below(p->c - t->n_chunks + 1); break;
    }
}

/* ------------------------------------------------------------------ the judges */

static rs_arena arena;
static rs_error error;

static rs_schedule compile(const plan *p) {
    int64_t first[MAX_STEPS];
    cr_assert(p->n_steps < MAX_STEPS && p->n_transfers < MOST);
    for (int32_t step = 0, at = 0; step <= p->n_steps; step++) {
        while (at < p->n_transfers && p->step[at] < step) at++;
        first[step] = at;
    }
    rs_schedule s;
    cr_assert_eq(rs_schedule_from_list(p->n, p->c, p->n_steps, first, p->list, &arena, &error, &s),
                 RS_OK, "%s", error.text);
    return s;
}

/* Holds the verdict's own words against the interpreter. */
static void verdict_is_true(const plan *p, const rs_verdict *v, board end) {
    static board b;
    if (v->fault == RS_UNFINISHED) {
        cr_assert_eq(end[v->rank][v->chunk].count[v->who], 0, "%s", v->text);
        return;
    }
    start_board(p, b);
    for (int32_t step = 0; step < v->step; step++) play_step(p, step, b);
    const cell *own = &b[v->rank][v->chunk], *in = &b[v->src][v->chunk];
    if (v->fault == RS_WRONG) {
        cr_assert(clashes(p, v->step, v->rank, v->chunk), "%s", v->text);
    } else if (v->fault == RS_OVERWRITTEN_TOO_EARLY) {
        /* Where a copy has met another message, all that came may have been inside. */
        cr_assert((own->undefined || own->count[v->who] > 0) && in->count[v->who] == 0, "%s",
                  v->text);
    } else {
        const bool sent = in->count[v->who] > 0; /* the sender's cell may be written in this step */
        play_step(p, v->step, b);
        cr_assert(sent && own->count[v->who] > 1, "%s", v->text);
    }
}

static void contents_agree(const plan *p, const rs_schedule *s, board end) {
    rs_contents *contents;
    cr_assert_eq(rs_contents_new(s, &arena, &error, &contents), RS_OK);
    cr_assert_eq(rs_contents_seek(contents, s->n_steps, NULL, &error), RS_OK);
    for (int32_t r = 0; r < p->n; r++) {
        for (int32_t c = 0; c < p->c; c++) {
            int32_t out[1024], count[MAX_N] = {0};
            const int64_t n = rs_contents_list(contents, r, c, out, 1024);
            for (int64_t i = 0; i < n && i < 1024; i++) count[out[i]]++;
            cr_assert(n > 1024 || memcmp(count, end[r][c].count, sizeof count) == 0);
        }
    }
}

/* rs_apply on data that tell any two small multisets apart (with 64 random bits a rank). */
static bool arithmetic_is_right(const plan *p, const rs_schedule *s) {
    uint64_t data[MAX_N][MAX_C], sum[MAX_C] = {0};
    void *ranks[MAX_N];
    for (int32_t r = 0; r < p->n; r++) {
        for (int32_t c = 0; c < p->c; c++) {
            data[r][c] = (uint64_t)below(INT32_MAX) << 33 ^ (uint64_t)below(INT32_MAX);
            sum[c] += data[r][c];
        }
        ranks[r] = data[r];
    }
    const rs_apply_options options = {.until_step = s->n_steps};
    cr_assert_eq(rs_apply(s, RS_U64, RS_SUM, p->c, ranks, &options, NULL, &error), RS_OK);
    bool right = true;
    for (int32_t r = 0; r < p->n; r++) {
        right = right && memcmp(data[r], sum, (size_t)p->c * sizeof *sum) == 0;
    }
    return right;
}

typedef struct tally {
    int n, sound, by_fault[5];
} tally;

static void judge(const plan *p, tally *sum) {
    static board end;
    rs_arena_init(&arena, NULL);
    const rs_schedule s = compile(p);
    start_board(p, end);
    for (int32_t step = 0; step < p->n_steps; step++) play_step(p, step, end);
    const bool right = right_everywhere(p, end);
    rs_verdict verdict;
    cr_assert_eq(rs_check(&s, NULL, &error, &verdict), RS_OK);
    cr_assert_eq(verdict.sound, right, "mutant %d: %s", sum->n, verdict.text);
    if (!right) verdict_is_true(p, &verdict, end);
    contents_agree(p, &s, end);
    const bool computed = arithmetic_is_right(p, &s);
    if (right) cr_assert(computed, "mutant %d is sound, its sums are wrong", sum->n);
    bool undefined = false;
    for (int32_t r = 0; r < p->n; r++) {
        for (int32_t c = 0; c < p->c; c++) undefined = undefined || end[r][c].undefined;
    }
    /* Where a copy met another message the sums may be right by chance. */
    if (!right && !undefined)
        cr_assert_not(computed, "mutant %d is unsound, its sums are right", sum->n);
    sum->n++;
    sum->sound += right;
    sum->by_fault[verdict.fault]++;
    rs_arena_free(&arena);
}

static tally judge_mutants(int n_mutations, int rounds) {
    tally all = {0};
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= MAX_N; n++) {
            for (int kind = 0; kind < KINDS * rounds; kind++) {
                plan p = plan_of(rs_algorithms[i], kind % 2 ? RS_ORDER_SEED : RS_ORDER_NCCL, n);
                mutate(&p, kind % KINDS);
                for (int more = 1; more < n_mutations; more++) mutate(&p, below(KINDS));
                judge(&p, &all);
            }
        }
    }
    printf("%d mutants: %d sound, %d unfinished, %d wrong, %d counted twice, %d overwritten\n",
           all.n, all.sound, all.by_fault[RS_UNFINISHED], all.by_fault[RS_WRONG],
           all.by_fault[RS_COUNTED_TWICE], all.by_fault[RS_OVERWRITTEN_TOO_EARLY]);
    return all;
}

Test(mutants, checker_and_arithmetic_agree_on_each_of_thousands) {
    state = 1;
    const tally all = judge_mutants(1, ROUNDS);
    cr_expect_geq(all.n, 2000);
    cr_expect_gt(all.sound, 100, "some mutants are harmless");
    for (int fault = RS_UNFINISHED; fault <= RS_OVERWRITTEN_TOO_EARLY; fault++) {
        cr_expect_gt(all.by_fault[fault], 50, "every fault occurs");
    }
}

Test(mutants, agree_when_several_things_are_spoilt) {
    state = 2;
    cr_expect_geq(judge_mutants(2, 3).n, 1000);
    cr_expect_geq(judge_mutants(5, 3).n, 1000);
}

Test(mutants, the_interpreter_itself_accepts_the_good_schedules) {
    static board b;
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= MAX_N; n++) {
            const plan p = plan_of(rs_algorithms[i], RS_ORDER_SEED, n);
            start_board(&p, b);
            for (int32_t step = 0; step < p.n_steps; step++) {
                cr_assert_not(right_everywhere(&p, b));
                play_step(&p, step, b);
            }
            cr_assert(right_everywhere(&p, b));
        }
    }
}
