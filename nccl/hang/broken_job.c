/* broken_job.c: small jobs made from a number: one rank does something else, and all stand still. Lab 11 hands them out.
 *
 *     seed --rn_broken_jobs--> kind, rank, place --rn_break_job--> what each rank calls --> how far all come --> dumps
 *
 *   - All ranks run the same training loop on the group of all and on pairs; one rank does something else once.
 *   - NCCL pairs the calls of a group by their order: the i-th of all members are one, and over when all have made it with
 *     equal arguments. A rank has so many calls open at the most.
 */
#include "hang/dumps/data_tree.h"
#include "ringsim_hang.h"

#include <string.h>

enum { BROADCAST, GATHER, REDUCE, SCATTER, BARRIER };
enum { MOST_RANKS = 8, LOOPS = 4, MOST_CALLS = 128, AHEAD = 3, ALL = 0, PAIR = 1, N_GROUPS = 2 };
enum { OWN_LINE = 33 /* behind the first call: a line from which only a broken rank calls */ };

typedef struct job_call {
    uint8_t name, group;
    bool over;
    int32_t line;
    int64_t n;
} job_call;

typedef struct job_rank {
    job_call calls[MOST_CALLS];
    int n, n_made, n_open;
} job_rank;

typedef struct broken_job {
    const rn_broken_job *job;
    job_rank ranks[MOST_RANKS];
} broken_job;

/* ------------------------------------------------------------------ what is drawn */

static uint32_t draw(uint64_t *state, uint32_t below) {
    return (uint32_t)(rs_random(state) % below);
}

void rn_broken_jobs(uint64_t seed, rn_broken_job jobs[RN_BROKEN_JOBS]) {
    rn_hang_verdict kinds[RN_BROKEN_JOBS] = {RN_HANG_MISSING_CALL, RN_HANG_EXTRA_CALL,
                                             RN_HANG_SWAPPED, RN_HANG_MISMATCH,
                                             RN_HANG_SILENT_RANK};
    for (int i = RN_BROKEN_JOBS - 1; i > 0; i--) {
        const int other = (int)draw(&seed, (uint32_t)i + 1);
        const rn_hang_verdict kept = kinds[i];
        kinds[i] = kinds[other];
        kinds[other] = kept;
    }
    const int first = (int)draw(&seed, RN_BROKEN_JOBS); /* there it is rank 0 */
    for (int i = 0; i < RN_BROKEN_JOBS; i++) {
        const int32_t n = 4 + 2 * (int32_t)draw(&seed, 3);
        const int32_t rank = (int32_t)draw(&seed, (uint32_t)n);
        jobs[i] = (rn_broken_job){.kind = kinds[i],
                                  .n_ranks = n,
                                  .rank = i == first ? 0 : rank,
                                  .seed = draw(&seed, UINT32_MAX)};
    }
}

rn_broken_job rn_broken_example(void) {
    return (rn_broken_job){.kind = RN_HANG_UNDECIDED, .n_ranks = 2};
}

/* ------------------------------------------------------------------ programs */

static void call(job_rank *r, int name, int group, int64_t n, int32_t line) {
    r->calls[r->n++] =
        (job_call){.name = (uint8_t)name, .group = (uint8_t)group, .n = n, .line = line};
}

static void write_program(job_rank *r, uint64_t seed) {
    const int layers = 2 + (int)draw(&seed, 3);
    const bool sharded = draw(&seed, 2) == 0;
    const int32_t line = 20 + (int32_t)draw(&seed, 30);
    call(r, BROADCAST, ALL, 100000, line);
    for (int loop = 0; loop < LOOPS; loop++) {
        for (int l = 0; l < layers; l++) {
            if (sharded) call(r, GATHER, ALL, 4096 * (l + 1), line + 10);
            call(r, REDUCE, PAIR, 2048, line + 14 + l);
        }
        for (int l = layers - 1; l >= 0; l--) {
            call(r, sharded ? SCATTER : REDUCE, ALL, 4096 * (l + 1), line + 25 + l);
        }
        call(r, REDUCE, ALL, 1, line + 31);
        if (loop % 2 == 1) call(r, BARRIER, ALL, 1, line + 34);
    }
}

/* Two ranks, three calls; behind them stands `if rank == 0: all_reduce(loss)`. Returns its line. */
static int32_t write_example(broken_job *b) {
    for (int32_t r = 0; r < b->job->n_ranks; r++) {
        job_rank *rank = &b->ranks[r];
        for (int32_t i = 0; i < 3; i++) call(rank, REDUCE, ALL, 12, 10 + i);
        if (r == b->job->rank) call(rank, REDUCE, ALL, 1, 14);
    }
    return 14;
}

/* Draws a place behind the first loop and before the last, a call of all; sized: one whose size may differ. */
static int draw_place(const job_rank *r, bool sized, uint64_t *seed) {
    int at;
    do {
        at = r->n / 4 + (int)draw(seed, (uint32_t)r->n / 2);
    } while (r->calls[at].group != ALL || (sized && r->calls[at].name == BARRIER));
    return at;
}

static void break_rank(job_rank *r, rn_hang_verdict kind, uint64_t seed, int32_t lines[2]) {
    const int at = draw_place(r, kind == RN_HANG_MISMATCH, &seed);
    const size_t size = sizeof *r->calls;
    lines[0] = r->calls[at].line;
    lines[1] = -1;
    if (kind == RN_HANG_MISSING_CALL) {
        memmove(r->calls + at, r->calls + at + 1, (size_t)(r->n - at - 1) * size);
        r->n--;
    } else if (kind == RN_HANG_EXTRA_CALL) {
        memmove(r->calls + at + 1, r->calls + at, (size_t)(r->n - at) * size);
        r->n++;
        lines[0] = r->calls[0].line + OWN_LINE;
        r->calls[at] = (job_call){.name = REDUCE, .group = ALL, .n = 1, .line = lines[0]};
    } else if (kind == RN_HANG_MISMATCH) {
        r->calls[at].n += 1 + (int64_t)draw(&seed, 7);
    } else if (kind == RN_HANG_SILENT_RANK) {
        r->n = at;
    } else { /* it and the next call of all: no two such calls of a program are alike */
        int next = at + 1;
        while (r->calls[next].group != ALL) next++;
        const job_call kept = r->calls[at];
        r->calls[at] = r->calls[next];
        r->calls[next] = kept;
        lines[0] = r->calls[at].line;
        lines[1] = kept.line;
    }
}

/* ------------------------------------------------------------------ how far all come */

/* Returns the first call of the group that is made and not over; NULL: none is. */
static job_call *open_call(job_rank *r, int group) {
    for (int i = 0; i < r->n_made; i++) {
        if (r->calls[i].group == group && !r->calls[i].over) return &r->calls[i];
    }
    return NULL;
}

/* Ends the next call of a group of ranks, if all have made the same. */
static bool end_call(broken_job *b, int group, int first, int n) {
    job_call *calls[MOST_RANKS];
    for (int i = 0; i < n; i++) {
        calls[i] = open_call(&b->ranks[first + i], group);
        if (calls[i] == NULL || calls[i]->name != calls[0]->name || calls[i]->n != calls[0]->n)
            return false;
    }
    for (int i = 0; i < n; i++) {
        calls[i]->over = true;
        b->ranks[first + i].n_open--;
    }
    return true;
}

static void run(broken_job *b) {
    const int n = (int)b->job->n_ranks;
    for (bool moved = true; moved;) {
        moved = end_call(b, ALL, 0, n);
        for (int first = 0; first < n; first += 2) moved = end_call(b, PAIR, first, 2) || moved;
        for (int i = 0; i < n; i++) {
            job_rank *r = &b->ranks[i];
            if (r->n_made >= r->n || r->n_open >= AHEAD) continue;
            r->n_made++;
            r->n_open++;
            moved = true;
        }
    }
}

/* ------------------------------------------------------------------ dumps */

static rs_status dump_rank(const broken_job *b, int32_t rank, rs_arena *arena, rs_error *error,
                           rn_dump *d) {
    static const char *const names[] = {"broadcast", "_all_gather_base", "all_reduce",
                                        "_reduce_scatter_base", "barrier"};
    const job_rank *r = &b->ranks[rank];
    const int32_t n = b->job->n_ranks;
    rs_heap heap = {.arena = arena};
    rs_texts words;
    if (!rs_texts_begin(&words, &heap, NULL, 0)) return rs_no_memory(error);
    *d = (rn_dump){.rank = rank, .whole = true, .n_groups = N_GROUPS};
    d->calls = rs_heap_take(&heap, (size_t)r->n_made * sizeof *d->calls);
    d->groups = rs_heap_take(&heap, N_GROUPS * sizeof *d->groups);
    if (arena->lacked) return rs_no_memory(error);
    d->groups[ALL] = (rn_call_group){.name = rn_keep_printed(&words, "0"),
                                     .desc = rn_keep_printed(&words, "default_pg"),
                                     .n_ranks = n,
                                     .last_seq = -1,
                                     .ranks = rn_keep_ranks(&heap, 0, n)};
    d->groups[PAIR] = (rn_call_group){.name = rn_keep_printed(&words, "%d", 1 + (int)rank / 2),
                                      .desc = rn_keep_printed(&words, "tp"),
                                      .n_ranks = 2,
                                      .last_seq = -1,
                                      .ranks = rn_keep_ranks(&heap, rank / 2 * 2, 2)};
    int64_t seq[N_GROUPS] = {0, 0};
    for (; d->n_calls < r->n_made; d->n_calls++) {
        const job_call *c = &r->calls[d->n_calls];
        const int64_t members = d->groups[c->group].n_ranks, now_ns = (d->n_calls + 1) * 1000000;
        d->calls[d->n_calls] =
            (rn_call){.created_ns = now_ns + rank * 1000,
                      .completed_ns = c->over ? now_ns + 500000 : 0,
                      .n_in = c->name == SCATTER ? c->n * members : c->n,
                      .n_out = c->name == GATHER ? c->n * members : c->n,
                      .seq = ++seq[c->group],
                      .name = rn_keep_printed(&words, "%s", names[c->name]),
                      .dtype = rn_keep_printed(&words, "Float"),
                      .where = rn_keep_printed(&words, "train.py:%d", (int)c->line),
                      .group = c->group,
                      .peer = -1,
                      .root = -1,
                      .op = -1,
                      .state = c->over ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED};
    }
    d->words = rn_list_words(&heap, &words);
    d->n_words = words.n;
    return arena->lacked ? rs_no_memory(error) : RS_OK;
}

rs_status rn_break_job(const rn_broken_job *job, rs_arena *arena, rs_error *error, rn_dump dumps[],
                       int32_t *n_dumps, int32_t lines[2]) {
    broken_job *b = rs_alloc(arena, 1, sizeof *b);
    if (b == NULL) return rs_no_memory(error);
    memset(b, 0, sizeof *b);
    b->job = job;
    if (job->kind == RN_HANG_UNDECIDED) {
        lines[0] = write_example(b);
        lines[1] = -1;
    } else {
        for (int32_t r = 0; r < job->n_ranks; r++) write_program(&b->ranks[r], job->seed);
        break_rank(&b->ranks[job->rank], job->kind, job->seed + 1, lines);
    }
    run(b);
    rs_status status = RS_OK;
    int32_t n = 0;
    for (int32_t r = 0; r < job->n_ranks && status == RS_OK; r++) {
        if (job->kind == RN_HANG_SILENT_RANK && r == job->rank) continue;
        status = dump_rank(b, r, arena, error, &dumps[n++]);
    }
    if (status == RS_OK) *n_dumps = n;
    return status;
}
