/* launch_bootstrap.c: how the processes of a job find each other, moment by moment, and where a mistake shows.
 *
 *     env, tcp    STARTED  REFUSED(1)  LISTENS(0)  HELLO(1) HELLO(2) ...  WELCOMED   EXCHANGED x 4  READY
 *     file        STARTED  FIRST_SLOT(1)  SLOT(0)  SLOT(2) ...            ALL_SLOTS  EXCHANGED x 4  READY
 *
 *   - Rank 0 alone judges who comes (gpu/bootstrap/tcp_accept.c) and refuses a wrong one; then a
 *     rank is missing, and in the end all give up.
 *   - A process that nobody answers is no fault of the bootstrap: it waits until its deadline.
 *   - In a file the first process to come, whichever it is, writes the head; rank 0 has no special
 *     part.
 */
#include "ringsim_launch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef struct moment_writer {
    rs_bootstrap *to;
    uint8_t now[RS_MAX_PROCESSES]; /* each process's state */
    int32_t file_percent;
} moment_writer;

static void set_all(moment_writer *t, rs_process_state state) {
    memset(t->now, (int)state, (size_t)t->to->of.n_processes);
}

/* Notes the moment, and every process's state after it. */
static void note(moment_writer *t, rs_moment_kind kind, int32_t process, int32_t number,
                 int32_t messages) {
    rs_bootstrap *r = t->to;
    const int32_t n = r->of.n_processes;
    memcpy(r->state + (size_t)r->n_moments * (size_t)n, t->now, (size_t)n);
    r->moments[r->n_moments++] = (rs_moment){kind, process, number, messages, t->file_percent};
}

/* ------------------------------------------------------------------ rank 0 judges a hello */

/* Tells whether a process may join; else writes the sentence of gpu/bootstrap/bootstrap.c on
   its wrong number. */
static bool may_join(const rs_bootstrap *r, int32_t index, rs_error *why) {
    *why = (rs_error){.text = ""};
    char where[RS_VARIABLE_TEXT];
    const rs_process p = rs_launch_process(&r->of, index);
    const int n = r->of.n_processes;
    rs_launch_where(&r->of, where);
    if (p.world_size != n) {
        rs_fail(
            why, RS_OK,
            "rank %lld was started as one of %lld ranks, those at %s as one of %lld; give all the same world size",
            (long long)p.rank, (long long)p.world_size, where, (long long)n);
    } else if (p.rank != index) {
        rs_fail(why, RS_OK,
                "rank %lld of %lld has come to %s twice; give each process a rank of its own",
                (long long)p.rank, (long long)n, where);
    }
    return why->text[0] == '\0';
}

/* Ends the bootstrap: a process came that may not join, or a mistake shows; all processes fail. */
static void fail(moment_writer *t, int32_t index, int32_t told) {
    set_all(t, RS_PROCESS_FAILED);
    note(t, RS_BOOTSTRAP_FAULT, index, 0, told);
    t->to->completes = false;
}

/* ------------------------------------------------------------------ two ways to join */

/* Returns whether all have joined. */
static bool join_at_rank0(moment_writer *t) {
    rs_bootstrap *r = t->to;
    const int32_t n = r->of.n_processes;
    if (n > 1) {
        t->now[1] = RS_PROCESS_TRYING;
        note(t, RS_REFUSED, 1, 0, 0);
    }
    t->now[0] = RS_PROCESS_WAITING;
    note(t, RS_LISTENS, 0, 0, 0);
    for (int32_t i = 1; i < n; i++) {
        const bool joins = may_join(r, i, &r->why);
        t->now[i] = RS_PROCESS_WAITING;
        note(t, RS_HELLO, i, 0, 1);
        if (joins) continue;
        fail(t, i, i);
        return false;
    }
    set_all(t, RS_PROCESS_JOINED);
    note(t, RS_WELCOMED, 0, 0, n - 1);
    return true;
}

/* Returns the i-th process to come: rank 1 comes before rank 0, unless its number is the wrong
   one. */
static int32_t joiner(const rs_bootstrap *r, int32_t i) {
    rs_error unused;
    const bool first = r->of.n_processes > 1 && may_join(r, 1, &unused);
    return first && i < 2 ? 1 - i : i;
}

static bool join_by_file(moment_writer *t) {
    rs_bootstrap *r = t->to;
    const int32_t n = r->of.n_processes;
    if (r->of.of.mistake == RS_STALE_FILE) {
        rs_fail(&r->why, RS_OK,
                "%s is stale: left by a run of %lld ranks%s, none of which lives; remove it",
                "file:///shared/meeting", (long long)n, "");
        fail(t, joiner(r, 0), 0);
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t who = joiner(r, i);
        if (!may_join(r, who, &r->why)) {
            fail(t, who, 1);
            return false;
        }
        t->now[who] = RS_PROCESS_WAITING;
        note(t, i == 0 ? RS_FIRST_SLOT : RS_SLOT, who, i, 1);
    }
    set_all(t, RS_PROCESS_JOINED);
    note(t, RS_ALL_SLOTS, -1, 0, 0);
    return true;
}

/* Does the exchanges, of everybody's bytes to everybody: to rank 0 and back, or through the
   file. */
static void exchange(moment_writer *t) {
    const bool file = t->to->of.of.init == RS_INIT_FILE;
    const int32_t n = t->to->of.n_processes;
    for (int32_t e = 1; e <= RS_N_EXCHANGES; e++) {
        note(t, RS_EXCHANGED, -1, e, file ? n : 2 * (n - 1));
    }
}

/* ------------------------------------------------------------------ what goes wrong later */

/* Simulates rank 0's all-reduce, which the others never join. */
static rs_status rank0_calls_alone(moment_writer *t, rs_arena *arena, rs_error *error) {
    rs_bootstrap *r = t->to;
    const int32_t n = r->of.n_processes;
    rs_schedule ring;
    rs_report report;
    rs_fault *faults = rs_alloc(arena, (size_t)n, sizeof *faults);
    if (faults == NULL) return rs_no_memory(error);
    for (int32_t i = 1; i < n; i++) faults[i - 1] = (rs_fault){.kind = RS_KILL, .rank = i};
    rs_status status = rs_schedule_make(rs_algorithms[0], RS_ORDER_SEED, n, n, error, &ring);
    const rs_request request = {.job = {.schedule = &ring,
                                        .count = n,
                                        .elem_bytes = 4,
                                        .net = {.link = {.alpha_ps = 1, .bandwidth_Bps = 1}},
                                        .faults = faults,
                                        .n_faults = n - 1},
                                .dtype = RS_F32,
                                .values = RS_VALUES_NONE,
                                .check = RS_NEVER};
    if (status == RS_OK) status = rs_run(&request, arena, error, &report);
    if (status != RS_OK) return status;
    const rs_outcome *outcome = &report.outcome;
    assert(outcome->n_stalled == 1 && outcome->stalled[0].n_waits_for > 0);
    const int32_t awaited = outcome->stalled[0].waits_for[0];
    t->now[0] = RS_PROCESS_HANGING;
    note(t, RS_ALONE, 0, 0, 0);
    note(t, RS_STALLED, 0, awaited, 0);
    snprintf(r->why.text, sizeof r->why.text,
             "rank 0 waits in step %d for rank %d, which never joined; no message says so",
             (int)outcome->stalled[0].step, (int)awaited);
    r->completes = false;
    return RS_OK;
}

/* Rank 0 has saved and reads the file back; meanwhile process 1 opens the same file, which empties
   it. */
static void save_all(moment_writer *t) {
    rs_bootstrap *r = t->to;
    const int32_t n = r->of.n_processes;
    t->file_percent = 100;
    note(t, RS_SAVED, 0, 0, 0);
    t->file_percent = 0;
    note(t, RS_TRUNCATED, 1, 0, 0);
    t->file_percent = 50;
    note(t, RS_HALF_SAVED, 1, 0, 0);
    t->now[0] = RS_PROCESS_FAILED;
    note(t, RS_READ_SHORT, 0, 50, 0);
    t->file_percent = 100;
    note(t, RS_ALL_SAVED, -1, n, 0);
    snprintf(r->why.text, sizeof r->why.text,
             "rank 0 reads back half of the checkpoint it has just saved whole: rank 1 is writing "
             "the same file again; %d processes write it %d times",
             (int)n, (int)n);
    r->completes = false;
}

/* NCCL refuses two ranks of one communicator on one GPU. */
static void share_a_gpu(moment_writer *t) {
    rs_bootstrap *r = t->to;
    snprintf(
        r->why.text, sizeof r->why.text,
        "NCCL refuses two ranks on one GPU (Duplicate GPU detected): ranks 0 and 1 are both on "
        "GPU 0 of node 0; call set_device(local_rank)");
    fail(t, 1, 0);
}

static rs_status make_mistake(moment_writer *t, rs_arena *arena, rs_error *error) {
    switch (t->to->of.of.mistake) {
    case RS_RANK0_COLLECTIVE: return rank0_calls_alone(t, arena, error);
    case RS_EVERYBODY_SAVES: save_all(t); return RS_OK;
    default: return RS_OK;
    }
}

/* ------------------------------------------------------------------ the whole */

rs_status rs_bootstrap_simulate(const rs_launched *launched, rs_arena *arena, rs_error *error,
                                rs_bootstrap *bootstrap) {
    enum { MOST_OTHERS = 16 };
    const size_t n = (size_t)launched->n_processes, most = n + MOST_OTHERS;
    rs_bootstrap made = {.of = *launched, .completes = true};
    moment_writer *t = rs_alloc(arena, 1, sizeof *t);
    made.moments = rs_alloc(arena, most, sizeof *made.moments);
    made.state = rs_alloc(arena, most * n, 1);
    if (arena->lacked) return rs_no_memory(error);
    *t = (moment_writer){.to = &made, .file_percent = -1};
    note(t, RS_STARTED, -1, 0, 0);
    const bool met = launched->of.init == RS_INIT_FILE ? join_by_file(t) : join_at_rank0(t);
    rs_status status = RS_OK;
    if (met) exchange(t);
    if (met && launched->of.mistake == RS_NO_SET_DEVICE) {
        share_a_gpu(t);
    } else if (met) {
        set_all(t, RS_PROCESS_WORKING);
        note(t, RS_READY, -1, 0, 0);
        status = make_mistake(t, arena, error);
    }
    assert((size_t)made.n_moments <= most);
    if (status == RS_OK) *bootstrap = made;
    return status;
}

rs_process_state rs_process_state_at(const rs_bootstrap *r, int32_t moment, int32_t process) {
    assert(moment >= 0 && moment < r->n_moments && process >= 0 && process < r->of.n_processes);
    return (rs_process_state)r->state[(size_t)moment * (size_t)r->of.n_processes + (size_t)process];
}
