/* evidence_forms.c: what one line of a log proves: a row for each form, what it proves, and how its ranks are taken.
 *
 *   - The first row that a line meets counts: those that say more come first. Lines are looked through once, for pairs of letters
 *     with which a form begins.
 *   - A line names ranks in its words, or says whose it is: "[rank5]:", "(default_pg) Rank 5]". Without a rank it proves only that
 *     something is wrong.
 *   - Who waited too long is a victim, and so is the process that its own watchdog ended: by signal 6, and the launcher's 15.
 */
#include "evidence.h"

#include <stdlib.h>
#include <string.h>

typedef struct line_form line_form;
typedef void take(rn_evidence_reader *r, const line_form *f, const char *at);
/* at: where the sign begins in the line. */
struct line_form {
    const char *sign, *also; /* also: one of these words, each ends in \0; NULL: the sign alone */
    rn_proof proof;
    take *take;
};

/* ------------------------------------------------------------------ pieces */

rn_hang_place rn_place_said(int32_t rank, int64_t seq, const char *call) {
    return (rn_hang_place){
        .rank = rank, .group = "", .seq = seq, .call = call, .root = -1, .op = -1};
}

rn_evidence *rn_add_evidence(rn_evidence_reader *r, rn_proof proof) {
    enum { MOST = 1 << 16 };
    const bool fits = r->n < MOST && rs_heap_reserve(r->keep, &r->list, r->n + 1, &r->room);
    rn_evidence *e = fits ? &r->list[r->n++] : &r->spare;
    *e = (rn_evidence){.proof = proof, .seq = -1, .line = r->line, .when_us = -1};
    return e;
}

void rn_add_rank(rn_evidence_reader *r, rn_evidence *e, int64_t rank) {
    if (rank < 0 || rank >= RN_LOG_RANKS) return;
    for (int32_t i = 0; i < e->n_ranks; i++) {
        if (e->ranks[i] == rank) return;
    }
    int32_t room = e->n_ranks; /* lists double from 4 on */
    const bool full = room == 0 || (room >= 4 && (room & (room - 1)) == 0);
    if (full && !rs_heap_reserve(r->keep, &e->ranks, room + 1, &room)) return;
    e->ranks[e->n_ranks++] = (int32_t)rank;
}

void rn_turn_ranks(rn_evidence_reader *r, rn_evidence *e, int32_t end) {
    bool *is_here = rs_heap_take(r->heap, (size_t)end + 1);
    for (int32_t k = 0; k < e->n_ranks && is_here != NULL; k++)
        if (e->ranks[k] < end) is_here[e->ranks[k]] = true;
    e->ranks = NULL;
    e->n_ranks = 0;
    for (int32_t rank = 0; rank < end && is_here != NULL; rank++)
        if (!is_here[rank]) rn_add_rank(r, e, rank);
}

/* Adds all of a list "0, 1, 2" or "{0, 1}". */
static void add_ranks(rn_evidence_reader *r, rn_evidence *e, const char *at) {
    at += strspn(at, " {[,");
    while (*at >= '0' && *at <= '9') {
        char *end;
        rn_add_rank(r, e, strtoll(at, &end, 10));
        at = end + strspn(end, ", ");
    }
}

/* Returns the rank of the whole job that a line names as its own; -1: none. */
static int64_t line_rank(const char *line) {
    int64_t rank = -1;
    const char *whole = strstr(line, "(default_pg) Rank ");
    if (whole != NULL) return rn_number_behind(whole, " Rank ", -1);
    return rn_log_prefix(line, &rank) != NULL ? rank : -1;
}

const char *rn_keep_words(rn_evidence_reader *r, const char *at, size_t n) {
    const size_t length = strcspn(at, "\t\r\n");
    if (n < length && n == RN_EVIDENCE_WORDS) /* whole words */
        while (n > RN_EVIDENCE_WORDS / 2 && at[n] != ' ') n--;
    if (n > length) n = length;
    while (n > 0 && at[n - 1] == ' ') n--;
    char *words = rs_heap_take(r->keep, n + 1);
    return words != NULL ? memcpy(words, at, n) : NULL;
}

/* ------------------------------------------------------------------ how ranks are taken */

static void take_own(rn_evidence_reader *r, const line_form *f, const char *at) {
    rn_evidence *e = rn_add_evidence(r, f->proof);
    rn_add_rank(r, e, line_rank(r->text));
    e->when_us = rn_time_of(r->text);
    while (at > r->text && (at[-1] | 32) >= 'a' && (at[-1] | 32) <= 'z') at--; /* a whole word */
    e->said = rn_keep_words(r, at, RN_EVIDENCE_WORDS);
}

/* slurm ends a step whose task failed by the same words as one that somebody cancelled, unless it says why: behind other
   trouble that is an echo. */
static void take_cancelled(rn_evidence_reader *r, const line_form *f, const char *at) {
    bool trouble = false;
    for (int32_t i = 0; i < r->n; i++) trouble = trouble || r->list[i].proof >= RN_PROOF_TROUBLE;
    if (!trouble || strstr(at, " DUE TO ") != NULL) take_own(r, f, at);
}

/* Returns the first of that proof; the spare: there is none. */
static rn_evidence *first_of(rn_evidence_reader *r, rn_proof proof) {
    int32_t i = 0;
    while (i < r->n && r->list[i].proof != proof) i++;
    return i < r->n ? &r->list[i] : &r->spare;
}

/* Of timeouts the first in time counts, and of broken connections. Versions of torch before 2.0 tell in which operation a rank
   waits, but not its number: all that wait in one do. */
static void take_first(rn_evidence_reader *r, const line_form *f, const char *at) {
    const int64_t when = rn_time_of(r->text);
    const char *type = rn_behind(r->text, "CCL(OpType=");
    char call[64];
    if (first_of(r, f->proof) == &r->spare) take_own(r, f, at);
    rn_evidence *e = first_of(r, f->proof);
    if (when >= 0 && e->when_us > when) e->when_us = when;
    if (type == NULL || type[strspn(type, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] != ',') return;
    rn_call_name(type, call, sizeof call);
    if (e->call == NULL) {
        e->call = rn_keep_words(r, call, sizeof call);
        e->line = r->line;
        e->n_ranks = 0;
    }
    if (e->call != NULL && strcmp(e->call, call) == 0) rn_add_rank(r, e, rn_watchdog_rank(r->text));
}

/* An error within torchrun's table is that of the rank whose part it is. */
static void take_error(rn_evidence_reader *r, const line_form *f, const char *at) {
    take_own(r, f, at);
    if (r->n > 0) r->list[r->n - 1].caught = strstr(f->sign, "memory") != NULL;
    if (r->n == 0 || r->list[r->n - 1].n_ranks > 0) return;
    rn_add_rank(r, &r->list[r->n - 1], r->block.rank);
    r->list[r->n - 1].ended = r->block.rank >= 0;
}

/* "Ranks 4, 5 failed to pass": the list before. */
static void take_before(rn_evidence_reader *r, const line_form *f, const char *at) {
    const char *list = NULL;
    for (const char *c = r->text; c < at; c++) {
        if (*c == '[' || strncmp(c, "Rank ", 5) == 0) list = c + (*c == '[' ? 1 : 5);
        if (strncmp(c, "Ranks ", 6) == 0) list = c + 6;
    }
    if (list == NULL) return;
    rn_evidence *e = rn_add_evidence(r, f->proof);
    add_ranks(r, e, list);
    const char *number = strstr(at, "n't join collective #");
    if (strstr(at, "monitoredBarrier") != NULL) {
        e->call = "monitoredBarrier";
    } else if (strchr(at, '#') != NULL) {
        e->call = "collective";
        e->seq = rn_number_behind(number != NULL ? number : at, "collective #", -1);
    }
}

/* A list of ranks that is cut before its first tells only that the job does not run on. */
static void doubt_empty(rn_evidence_reader *r, rn_evidence *e, const char *at) {
    if (e->n_ranks > 0) return;
    e->proof = RN_PROOF_TROUBLE;
    e->said = rn_keep_words(r, at, RN_EVIDENCE_WORDS);
}

/* Adds the list of ranks behind the sign. */
static rn_evidence *add_list(rn_evidence_reader *r, const line_form *f, const char *at) {
    rn_evidence *e = rn_add_evidence(r, f->proof);
    add_ranks(r, e, at + strlen(f->sign));
    doubt_empty(r, e, at);
    return e;
}

/* "Rank 0 timed out waiting for rank(s) 2, 3" */
static void take_behind(rn_evidence_reader *r, const line_form *f, const char *at) {
    add_list(r, f, at)->call = "monitoredBarrier";
}

/* "timeout for dispatch receive, rank 2, ..., src_rank 3"; "timed out waiting for completion flag from rank 3": of experts. */
static void take_source(rn_evidence_reader *r, const line_form *f, const char *at) {
    const bool combine = strstr(r->text, "combine") != NULL;
    rn_evidence *e = rn_add_evidence(r, f->proof);
    rn_add_rank(r, e, rn_number_behind(at, "rank ", -1));
    e->call = combine ? "combine" : "dispatch";
    doubt_empty(r, e, r->text);
}

/* "missing ranks: {3, 4}", behind a call of which earlier lines tell, or in its line. */
static void take_missing(rn_evidence_reader *r, const line_form *f, const char *at) {
    rn_evidence *e = add_list(r, f, at);
    const char *call = rn_behind(r->text, " collective ");
    const bool here = call != NULL && call < at;
    e->seq = r->block.seq;
    e->call = here ? rn_keep_words(r, call, strcspn(call, " ")) : r->block.call;
    if (e->call == NULL) e->call = "collective";
}

/* "HorovodBroadcast_x [missing ranks: 1]"; of "[ready ranks: 0, 2, 3]" the others up to the last. */
static void take_stalled(rn_evidence_reader *r, const line_form *f, const char *at) {
    rn_evidence *e = add_list(r, f, at);
    const char *end = at;
    int32_t last = -1;
    for (int32_t k = 0; k < e->n_ranks; k++) last = e->ranks[k] > last ? e->ranks[k] : last;
    if (strstr(f->sign, "ready") != NULL) rn_turn_ranks(r, e, last < 1024 ? last : 0);
    doubt_empty(r, e, at);
    while (end > r->text && end[-1] == ' ') end--;
    for (at = end; at > r->text && strchr(" :\t", at[-1]) == NULL;) at--;
    e->call = rn_keep_words(r, at, (size_t)(end - at));
}

/* "around rank 11": the first number behind the form's sign, and all others that follow it. */
static void take_named(rn_evidence_reader *r, const line_form *f, const char *at) {
    rn_evidence *e = rn_add_evidence(r, f->proof);
    for (; at != NULL; at = strstr(at + 1, f->sign)) {
        rn_add_rank(r, e, rn_number_behind(at, f->sign, -1));
    }
    if (f->proof == RN_PROOF_NO_GRAD) {
        const char *said = strstr(r->text, f->sign);
        said = said != NULL ? strchr(said, ':') : NULL;
        if (said != NULL)
            e->said = rn_keep_words(r, said + 1 + strspn(said + 1, " "), RN_EVIDENCE_WORDS);
    }
}

/* "1/3 clients joined"; "Expected 8 threads to join the rendezvous, but only 6" */
static void take_few(rn_evidence_reader *r, const line_form *f, const char *at) {
    rn_evidence *e = rn_add_evidence(r, f->proof);
    const int64_t expected = rn_number_behind(r->text, "Expected ", -1),
                  came = rn_number_behind(at, "only ", -1);
    const char *from = at;
    while (from > r->text && strchr("0123456789/", from[-1]) != NULL) from--;
    char *end;
    int64_t n = strtoll(from, &end, 10), of = *end == '/' ? strtoll(end + 1, NULL, 10) : 0;
    if (expected > 0 && came >= 0) {
        n = came;
        of = expected;
    }
    if (strstr(at, "rendezvous") != NULL) e->call = "XLA";
    if (n < 0 || of <= n || of > RN_LOG_RANKS) {
        while (at > r->text + 1 && strncmp(at - 2, ". ", 2) != 0) at--; /* the whole sentence */
        e->said = rn_keep_words(r, at, RN_EVIDENCE_WORDS);
        return;
    }
    e->of = (int32_t)of;
    e->seq = n;
}

/* "store based barrier ... on rank: 0, ... (world_size=8, worker_count=7": who came to the last that is told of. */
static void take_store(rn_evidence_reader *r, const line_form *f, const char *at) {
    enum { MOST_RANKS = 8192 };
    const int64_t of = rn_number_behind(at, "world_size=", 0),
                  key = rn_number_behind(at, "barrier_key:", 0),
                  came = rn_number_behind(at, "worker_count=", 0),
                  joined = rn_number_behind(at, "workers_joined=", came);
    rn_evidence *e = first_of(r, f->proof);
    if (of > MOST_RANKS) return;
    if (e == &r->spare) e = rn_add_evidence(r, f->proof);
    if (e->call == NULL || key != r->block.store_barrier) e->n_ranks = 0;
    r->block.store_barrier = key;
    e->call = RN_STORE_BARRIER;
    e->line = r->line;
    e->of = joined > of ? 0 : (int32_t)of; /* not of this job alone */
    e->said = rn_keep_words(r, at, RN_EVIDENCE_WORDS);
    e->seq = joined;
    rn_add_rank(r, e, rn_number_behind(at, "rank:", rn_number_behind(at, "rank ", -1)));
}

/* Does such a signal come from outside, or from a fault of its own, and not from its watchdog or its launcher? */
static bool accuses(int64_t signal) {
    return signal == 4 || signal == 7 || signal == 8 || signal == 9 || signal == 11;
}

/* "process 3 terminated with signal SIGKILL"; mpirun's "process rank 5 ... exited on signal 9" */
static void take_signal(rn_evidence_reader *r, const line_form *f, const char *at) {
    const int64_t code = rn_number_behind(at, "code -", rn_number_behind(at, "code: -", -1));
    const int64_t number = rn_number_behind(at, "signal ", code);
    const bool killed = number == 9 || strstr(at, "SIGKILL") != NULL,
               bad = killed || accuses(number) ||
                     rn_log_has_any(at, "SIGSEGV\0SIGBUS\0SIGILL\0SIGFPE\0");
    rn_evidence *e = rn_add_evidence(r, bad ? f->proof : RN_PROOF_TROUBLE);
    e->said = rn_keep_words(r, at + (*at == ' '), RN_EVIDENCE_WORDS);
    if (!bad) return;
    rn_add_rank(r, e, rn_number_behind(r->text, "ank ", rn_number_behind(r->text, "process ", -1)));
    e->ended = true;
    e->killed = killed;
}

/* Of several tables of torchrun's, of nodes or launchers, the first in time counts: is this one later? Those that are, are put back. */
static bool is_later(rn_evidence_reader *r, rn_evidence *e) {
    const bool one = r->first_left[0] == '\0';
    const int order = one || r->block.when[0] == '\0' ? 0 : strcmp(r->block.when, r->first_left);
    if (order > 0) e->proof = RN_PROOF_TROUBLE;
    for (rn_evidence *other = r->list; order < 0 && other < e; other++) {
        if (other->proof != RN_PROOF_LEFT || !other->ended) continue;
        other->proof = RN_PROOF_TROUBLE;
        other->n_ranks = 0;
    }
    if (order < 0 || one) memcpy(r->first_left, r->block.when, sizeof r->first_left);
    return order > 0;
}

/* "exitcode  : -9 (pid: 1)" in torchrun's table, "EXIT CODE: 9" in MPI's block. */
static void take_exit(rn_evidence_reader *r, const line_form *f, const char *at) {
    const char *colon = strchr(at, ':');
    const int64_t code = colon != NULL ? strtoll(colon + 1, NULL, 10) : 0;
    const bool mpi = f->sign[0] == 'E';
    const int64_t number = mpi ? code % 128 : -code;
    const bool bad = accuses(number), first = r->block.root && r->block.rank >= 0;
    rn_evidence *e = rn_add_evidence(r, bad && first                ? f->proof
                                        : first && code > 0 && !mpi ? RN_PROOF_LEFT
                                                                    : RN_PROOF_TROUBLE);
    e->said = rn_keep_words(r, at, RN_EVIDENCE_WORDS);
    if (e->proof == RN_PROOF_TROUBLE) return;
    if (e->proof == RN_PROOF_LEFT && is_later(r, e)) return;
    rn_add_rank(r, e, r->block.rank);
    e->ended = true;
    e->killed = number == 9;
    r->block.root = false; /* the others were ended by the launcher */
}

/* "CollectiveFingerPrint(SequenceNumber=0, OpType=_ALLGATHER_BASE, TensorShape=[359, 1], TensorDtypes=BFloat16, ..."; the shape
   counts, too, not only how many elements it has. */
static void read_fingerprint(rn_evidence_reader *r, const char *at, int64_t rank,
                             rn_hang_place *place) {
    const char *open = strchr(at, '('), *end = strstr(at + 1, ", but Rank "),
               *type = strstr(at, "OpType=");
    const char *shape = strstr(at, "TensorShape=["), *dtype = strstr(at, "TensorDtypes=");
    if (end == NULL) end = at + strlen(at);
    *place = rn_place_said((int32_t)rank, -1, "collective");
    if (open == NULL || open > end) return;
    place->seq = rn_number_behind(at, "SequenceNumber=", -1);
    if (type != NULL && type + strcspn(type, ",)") < end) { /* else it is cut */
        char *name = rs_heap_take(r->keep, 64);
        if (name != NULL) rn_call_name(type + 7, name, 64);
        place->call = name != NULL ? name : "";
    }
    if (shape == NULL || dtype == NULL || dtype + strcspn(dtype, ",)") >= end) return;
    place->n_in = 1;
    for (const char *c = shape + 13; *c >= '0' && *c <= '9';) {
        char *behind;
        const int64_t n = strtoll(c, &behind, 10);
        place->n_in = n > 0 && place->n_in < INT64_MAX / 2 / n ? place->n_in * n : place->n_in;
        c = behind + strspn(behind, ", ");
    }
    const size_t n_shape = strcspn(shape + 12, "]") + 1, n_type = strcspn(dtype + 13, ",) ");
    char *text = rs_heap_take(r->keep, n_shape + n_type + 2);
    if (text == NULL) return;
    memcpy(text, dtype + 13, n_type);
    text[n_type] = ' ';
    memcpy(text + n_type + 1, shape + 12, n_shape);
    place->dtype = text;
}

static void take_fingerprints(rn_evidence_reader *r, const line_form *f, const char *at) {
    const char *other = strstr(at, ", but Rank "), *own = strstr(at, ". Rank ");
    rn_evidence *e = rn_add_evidence(r, f->proof);
    rn_hang_place *calls = rs_heap_take(r->keep, 2 * sizeof *calls);
    e->said = rn_keep_words(r, at, RN_EVIDENCE_WORDS);
    if (calls == NULL || other == NULL || own == NULL) return;
    const int64_t ranks[] = {rn_number_behind(own, "Rank ", -1),
                             rn_number_behind(other, "Rank ", -1)};
    bool whole = true; /* and says of either which call it is in */
    for (int i = 0; i < 2; i++) {
        read_fingerprint(r, i == 0 ? own : other, ranks[i], &calls[i]);
        whole = whole && strcmp(calls[i].call, "collective") != 0;
    }
    for (int i = 0; i < 2 && whole; i++) rn_add_rank(r, e, ranks[i]);
    if (e->n_ranks == 2) e->calls = calls;
}

/* ------------------------------------------------------------------ the table */

/* What any program may say counts only where the line speaks of collectives, too: a web request times out as well. */
static const char of_a_job[] =
    "NCCL\0HCCL\0RCCL\0gloo\0Gloo\0c10d\0torch.distributed\0ProcessGroup\0process group\0Store\0store\0Rank "
    "\0rank \0rank: \0[rank\0ranks\0socketP\0NET/\0client socket\0 operation\0remote peer\0arrier\0Horovod\0"
    "endezvous\0Work\0";

static const line_form forms[] = {
    {" failed to pass monitoredBarrier", NULL, RN_PROOF_ABSENT, take_before},
    {"timed out waiting for rank(s) ", NULL, RN_PROOF_ABSENT, take_behind},
    {"completion flag from rank ", NULL, RN_PROOF_ABSENT, take_source},
    {"src_rank ", "dispatch receive\0combine receive\0", RN_PROOF_ABSENT, take_source},
    {"finished collective #", "n't join collective #\0", RN_PROOF_ABSENT, take_before},
    {"joined but didn't finish collective #", NULL, RN_PROOF_BEHIND, take_before},
    {"are the lagging ranks that caused", NULL, RN_PROOF_ABSENT, take_before},
    {"Detected mismatch between collectives on ranks", NULL, RN_PROOF_DIFFERS, take_fingerprints},
    {"issing ranks: {", NULL, RN_PROOF_ABSENT, take_missing},
    {"issing ranks are {", NULL, RN_PROOF_ABSENT, take_missing},
    {"[missing ranks:", NULL, RN_PROOF_ABSENT, take_stalled},
    {"[ready ranks:", NULL, RN_PROOF_ABSENT, take_stalled},
    {"Culprit rank ", NULL, RN_PROOF_NEAR, take_named},
    {"around rank ", "ollective\0", RN_PROOF_NEAR, take_named},
    {"did not receive grad for rank ", NULL, RN_PROOF_NO_GRAD, take_named},
    {" clients joined", NULL, RN_PROOF_FEW, take_few},
    {" to join the rendezvous", NULL, RN_PROOF_FEW, take_few},
    {"ompleted store-based barrier", NULL, RN_PROOF_FEW, take_store},
    {"store based barrier", "worker_count=\0workers_joined=\0", RN_PROOF_FEW, take_store},
    {"This thread has been waiting for ", NULL, RN_PROOF_TIMEOUT, take_first},
    {"not called before program exit", "destroy_process_group\0", RN_PROOF_OVER, take_own},
    {"watchdog got stuck", NULL, RN_PROOF_STUCK, take_own},
    {"Heartbeat monitor timed out", NULL, RN_PROOF_STUCK, take_own},
    {"CUDA error: ", NULL, RN_PROOF_DIED, take_error},
    {" out of memory", "Tried to allocate\0", RN_PROOF_DIED, take_error},
    {"HIP error: ", NULL, RN_PROOF_DIED, take_error},
    {" terminated with signal ", NULL, RN_PROOF_DIED, take_signal},
    {" exited on signal ", "process rank \0", RN_PROOF_DIED, take_signal},
    {" died from signal ", "rank \0", RN_PROOF_DIED, take_signal},
    {"killed by signal ", "status of rank \0", RN_PROOF_DIED, take_signal},
    {"crashed with exit code -", "ank \0", RN_PROOF_DIED, take_signal},
    {"exited with code -", "ank \0", RN_PROOF_DIED, take_signal},
    {"exitcode: -", "local_rank: \0", RN_PROOF_DIED, take_signal},
    {"EXIT CODE: ", NULL, RN_PROOF_DIED, take_exit},
    {"exitcode ", " : \0", RN_PROOF_DIED, take_exit},
    {"CANCELLED AT ", NULL, RN_PROOF_ENDED, take_cancelled},
    {"KeyboardInterrupt", NULL, RN_PROOF_ENDED, take_own},
    {"got signal: ", "SignalException\0", RN_PROOF_ENDED, take_own},
    {"collective timeout", NULL, RN_PROOF_TIMEOUT, take_first},
    {"collective operation timeout", NULL, RN_PROOF_TIMEOUT, take_first},
    {"before timing out", NULL, RN_PROOF_TIMEOUT, take_first},
    {"imed out", of_a_job, RN_PROOF_TIMEOUT, take_first},
    {"Got completion from peer", NULL, RN_PROOF_LINK, take_first},
    {"remote process exited", NULL, RN_PROOF_LINK, take_first},
    {"Connection closed", of_a_job, RN_PROOF_LINK, take_first},
    {"Connection reset", of_a_job, RN_PROOF_LINK, take_first},
    {"Connection refused", of_a_job, RN_PROOF_LINK, take_first}};
/* These prove only that the job does not run on; one behind the other, an empty one is the last. */
static const char signs[] =
    "dump signal\0entire process down\0ismatch\0NCCL WARN\0Abort COMPLETE\0caused the desync\0"
    "finished reduction\0issing ranks\0cudaError\0CUDA failure\0unhandled cuda error\0"
    "unhandled system error\0out of memory\0OutOfMemory\0unspecified launch failure\0NVRM: Xid\0"
    "SIGABRT\0SIGKILL\0SIGSEGV\0SIGTERM\0exitcode\0exited on signal\0Fatal Python error\0"
    "core dumped\0Segmentation fault\0received signal\0with exit code \0oom-kill\0ncclRemoteError\0ncclSystemError\0ncclInternalError\0"
    "MPI_Abort(\0ncclInvalidUsage\0ncclInvalidArgument\0ncclUnhandledCudaError\0DistBackendError\0"
    "DistStoreError\0DistNetworkError\0Root Cause\0BAD TERMINATION\0";
enum { N_FORMS = sizeof forms / sizeof *forms, N_LETTERS = 6 };

/* Six letters as a number; no sign has fewer. */
static uint32_t letters_of(const char *at) {
    uint32_t first;
    uint16_t rest;
    memcpy(&first, at, sizeof first);
    memcpy(&rest, at + sizeof first, sizeof rest);
    return ((first ^ rest * 40503u) * 2654435761u) >> 16;
}

static void mark_letters(rn_form_letters *letters, const char *sign) {
    letters->bits[letters_of(sign) / 8] |= (uint8_t)(1u << (letters_of(sign) % 8));
}

rn_form_letters rn_letters_of_forms(void) {
    rn_form_letters letters = {{0}};
    for (size_t i = 0; i < N_FORMS; i++) mark_letters(&letters, forms[i].sign);
    for (const char *sign = signs; *sign != '\0'; sign += strlen(sign) + 1)
        mark_letters(&letters, sign);
    return letters;
}

static bool begins_sign(const char *at) {
    const char *sign = signs;
    while (*sign != '\0' && strncmp(at, sign, strlen(sign)) != 0) sign += strlen(sign) + 1;
    return *sign != '\0';
}

/* Is it quoted, denied, one of Ray's list of what may have been, or a connection that NCCL closes at its end? */
static bool is_spoken(const char *line, const char *at) {
    static const char end[] = "Connection closed by localRank";
    const char *list = strstr(line, "otential root causes");
    if (strstr(line, "NCCL INFO ") != NULL && strncmp(at, end, sizeof end - 1) == 0) return true;
    return rn_is_quoted(line, at) || rn_is_denied(line, at) || (list != NULL && list < at);
}

/* One is enough, and none where anything else is known; but NCCL's last error says more than the exception that quotes it. */
static void take_trouble(rn_evidence_reader *r, const char *line, const char *trouble) {
    const char *last = rn_last_error_of(&r->last_error, line);
    const bool quoted = last != NULL && *last != '\0';
    rn_evidence *e = first_of(r, RN_PROOF_TROUBLE);
    if (r->n > 0 && (!quoted || e == &r->spare || e->caught)) return;
    if (!quoted && trouble == NULL) return;
    if (e == &r->spare) e = rn_add_evidence(r, RN_PROOF_TROUBLE);
    const bool near = trouble == NULL || trouble - line < RN_EVIDENCE_WORDS / 2;
    e->said = rn_keep_words(r, quoted ? last : near ? line : trouble, RN_EVIDENCE_WORDS);
    e->line = r->line;
    e->caught = quoted;
}

bool rn_take_form(const rn_form_letters *letters, rn_evidence_reader *r, const char *line) {
    const char *end = line + strlen(line);
    size_t best = N_FORMS;
    const char *best_at = NULL;
    const char *trouble = NULL;
    for (const char *at = line; end - at >= N_LETTERS; at++) {
        const uint32_t here = letters_of(at);
        if ((letters->bits[here / 8] >> (here % 8) & 1) == 0) continue;
        if (trouble == NULL && begins_sign(at) && !is_spoken(line, at)) trouble = at;
        for (size_t i = 0; i < best; i++) {
            const line_form *f = &forms[i];
            if (f->sign[0] != at[0] || strncmp(at, f->sign, strlen(f->sign)) != 0) continue;
            if (f->also != NULL && !rn_log_has_any(line, f->also)) continue;
            best = i;
            best_at = at;
        }
    }
    if (best_at != NULL && is_spoken(line, best_at)) return false;
    if (r != NULL && best < N_FORMS) forms[best].take(r, &forms[best], best_at);
    if (r != NULL) take_trouble(r, line, best == N_FORMS ? trouble : NULL);
    return best < N_FORMS || trouble != NULL;
}
