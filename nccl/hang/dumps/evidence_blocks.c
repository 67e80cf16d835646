/* evidence_blocks.c: what several lines of a log prove together: tables of launchers, reports of fr_trace and Horovod, starts of NCCL's
 * communicators, calls of processes whose start is not there, stacks of py-spy.
 */
#include "evidence.h"
#include "nccl_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROCESSES = 1 << 14, MOST_LAUNCHES = 1 << 12 };

typedef struct rn_started {
    bool began, ended;
    int64_t line;
} rn_started;

typedef struct launch {
    int64_t number; /* opCount */
    const char *call, *args;
} launch;

/* A process that launched calls in one communicator; or whose stack is there. */
typedef struct rn_process {
    const char *name; /* "node-1:45012 [2]"; of a stack "4103" */
    int64_t rank, line;
    const char *site; /* the innermost line that is not torch's own */
    int32_t n_ranks;
    launch *list;
    int32_t n;
    int64_t room;
} rn_process;

static bool begins(const char *line, const char *with) {
    return strncmp(line + strspn(line, " \t="), with, strlen(with)) == 0;
}

/* ------------------------------------------------------------------ tables, reports */

static void take_table(rn_evidence_reader *r, const char *line) {
    rn_block *b = &r->block;
    if (begins(line, "Root Cause")) {
        *b = (rn_block){.rank = -1, .seq = -1, .root = true};
    } else if (strncmp(line, "=====", 5) == 0 && !b->in_main) {
        b->rank = -1;
        b->root = false;
    } else if (b->root && begins(line, "time ") && strchr(line, ':') != NULL) {
        snprintf(b->when, sizeof b->when, "%s",
                 strchr(line, ':') + 1 + (strchr(line, ':')[1] == ' '));
    } else if (begins(line, "rank ") && strstr(line, "(local_rank:") != NULL) {
        b->rank = rn_number_behind(line, ": ", -1);
    } else if (begins(line, "RANK ") && strstr(line, " PID ") != NULL) {
        b->rank = rn_number_behind(line, "RANK ", -1);
        b->root = true;
    }
}

static void take_report(rn_evidence_reader *r, const char *line) {
    rn_block *b = &r->block;
    const char *behind = rn_behind(line, "Not all ranks joining collective");
    rn_evidence *last = r->n > 0 ? &r->list[r->n - 1] : NULL;
    if (behind != NULL) {
        b->seq = rn_number_behind(behind, "number: ", rn_number_behind(line, "collective ", -1));
        b->call = NULL;
    } else if (begins(line, "collective: ")) {
        const char *call = strchr(line, ':') + 2, *colon = strchr(call, ':');
        b->call = rn_keep_words(r, colon != NULL ? colon + 1 : call, RN_EVIDENCE_WORDS);
    } else if (last != NULL && last->proof == RN_PROOF_ABSENT && last->seq == b->seq &&
               (begins(line, "world size: ") || begins(line, "expected ranks: "))) {
        const int64_t n = rn_number_behind(strchr(line, ':'), ": ", -1);
        if (n > 0 && n <= RN_LOG_RANKS) last->of = (int32_t)n;
    }
}

/* "Missing ranks:", then "0: [tensor, tensor]" a line. */
static void take_horovod(rn_evidence_reader *r, const char *line) {
    char *end;
    const char *at =
        strrchr(line, '>') != NULL ? strrchr(line, '>') + 1 + (strrchr(line, '>')[1] == ':') : line;
    const int64_t rank = strtoll(at, &end, 10);
    const bool listed = r->block.horovod && end > at && strncmp(end, ": [", 3) == 0;
    r->block.horovod = listed || begins(at, "Missing ranks:");
    if (!listed) return;
    rn_evidence *e = rn_add_evidence(r, RN_PROOF_ABSENT);
    rn_add_rank(r, e, rank);
    e->call = rn_keep_words(r, end + 3, strcspn(end + 3, ",] "));
}

/* JAX's "Barrier timed out. Barrier_id: x. Timed out task names:", then "/job:jax_worker/replica:0/task:7" a line: who did not
   come. */
static void take_tasks(rn_evidence_reader *r, const char *line) {
    const char *out = rn_behind(line, "Barrier timed out. "),
               *id = out != NULL ? rn_behind(out, "d: ") : NULL;
    if (id != NULL) {
        char call[RN_EVIDENCE_WORDS];
        snprintf(call, sizeof call, "barrier %.*s", (int)strcspn(id, " ."), id);
        r->block.barrier = rn_keep_words(r, call, sizeof call);
    }
    if (r->block.barrier == NULL || !begins(line, "/job:")) return;
    rn_evidence *e = r->n > 0 ? &r->list[r->n - 1] : NULL;
    if (e == NULL || e->call != r->block.barrier) e = rn_add_evidence(r, RN_PROOF_ABSENT);
    e->call = r->block.barrier;
    rn_add_rank(r, e, rn_number_behind(line, "/task:", -1));
}

/* ------------------------------------------------------------------ NCCL's lines */

/* Of the largest communicator, whose ranks are the job's. */
static void take_start(rn_evidence_reader *r, const char *info) {
    const bool began = strstr(info, " - Init START") != NULL,
               ended = strstr(info, " - Init COMPLETE") != NULL;
    const int64_t rank = rn_number_behind(info, " rank ", -1),
                  n = rn_number_behind(info, " nranks ", 0);
    const char *id = rn_behind(info, "commId 0x");
    if ((!began && !ended) || rank < 0 || rank >= n || n > RN_LOG_RANKS || n < r->n_started) return;
    const uint64_t number = id != NULL ? strtoull(id, NULL, 16) : 0;
    if (!rs_heap_reserve(r->heap, &r->started, n, &r->started_room)) return;
    if (n > r->n_started) {
        memset(r->started, 0, (size_t)n * sizeof *r->started);
        r->n_started = (int32_t)n;
        r->started_id = number;
        r->several = false;
    }
    rn_started *s = &r->started[rank];
    r->several = r->several || number != r->started_id || (began && s->began);
    s->began = s->began || began;
    s->ended = s->ended || ended;
    if (began) s->line = r->line;
}

static rn_process *process_of(rn_evidence_reader *r, const void *key, size_t n) {
    const int64_t at = rs_text_kept(&r->process_keys, key, n);
    if (at >= MOST_PROCESSES) return NULL;
    if (at == RS_NO_TEXT || !rs_heap_reserve(r->heap, &r->processes, at + 1, &r->processes_room))
        return NULL;
    if (at == r->n_processes)
        r->processes[r->n_processes++] = (rn_process){.rank = -1, .line = r->line};
    return &r->processes[at];
}

/* "host:17:23 [0] NCCL INFO AllReduce: opCount f7 ... count 512 ... comm 0x5f [nranks=8] stream 0x1" */
static void take_call(rn_evidence_reader *r, const char *line, const char *info) {
    const char *name = info - strlen("NCCL INFO ");
    const rn_nccl_head head = rn_nccl_head_of(line, name);
    rn_nccl_launch said;
    if (!rn_nccl_read_launch(info, &said) || said.args == NULL || said.comm == NULL ||
        said.comm < said.args || said.n_ranks < 1 || strncmp(info, "Send:", 5) == 0 ||
        strncmp(info, "Recv:", 5) == 0 || head.device == NULL || head.n_process == head.n_thread)
        return;
    char key[300];
    const int n_device = (int)(name - head.device), n_name = (int)head.n_process + 1 + n_device,
              n = snprintf(key, sizeof key, "%.*s %.*s%.*s", (int)head.n_process, head.host,
                           n_device, head.device, (int)strspn(said.comm, "0123456789abcdefx"),
                           said.comm);
    rn_process *p = n < (int)sizeof key ? process_of(r, key, (size_t)n) : NULL;
    if (p == NULL) return;
    if (p->name == NULL) p->name = rn_keep_words(r, key, (size_t)n_name);
    p->n_ranks = said.n_ranks <= RN_LOG_RANKS ? (int32_t)said.n_ranks : 0;
    if (p->n > 0 && p->list[p->n - 1].number >= said.number) return; /* of a group the first */
    if (p->n == MOST_LAUNCHES || !rs_heap_reserve(r->heap, &p->list, p->n + 1, &p->room)) return;
    p->list[p->n++] =
        (launch){said.number, rn_keep_words(r, info, said.n_name),
                 rn_keep_words(r, said.args, (size_t)(said.comm - strlen(" comm ") - said.args))};
}

/* ------------------------------------------------------------------ stacks */

/* A process, its main thread, and the lines from the innermost one on. */
static void take_stack(rn_evidence_reader *r, const char *line) {
    rn_block *b = &r->block;
    rn_process *p = r->n_processes > 0 ? &r->processes[r->n_processes - 1] : NULL;
    const char *open = strrchr(line, '('), *rank = strstr(line, "ank");
    if (strncmp(line, "Process ", 8) == 0 && strchr(line, ':') != NULL) {
        const int64_t pid = rn_number_behind(line, "Process ", -1);
        const int64_t key = pid + (r->line << 32);
        p = pid >= 0 ? process_of(r, &key, sizeof key) : NULL;
        if (p == NULL) return;
        p->name = rn_keep_words(r, line + 8, strcspn(line + 8, ":"));
        if (b->stack_line > 0 && b->stack_line + 2 >= r->line) p->rank = b->stack_rank;
    } else if (strncmp(line, "Thread ", 7) == 0) {
        b->in_main = strstr(line, "MainThread") != NULL;
    } else if (b->in_main && line[0] == ' ' && open != NULL && p != NULL && p->n == 0) {
        line += strspn(line, " ");
        const bool torch = strstr(open, "torch/") != NULL;
        if (p->site == NULL && !torch) p->site = rn_keep_words(r, line, RN_EVIDENCE_WORDS);
    } else {
        b->in_main = false;
        if (rank == NULL) return;
        b->stack_line = r->line; /* "== pid 4103 rank 3 ==" */
        b->stack_rank = rn_number_behind(rank + strspn(rank, "ank-_:= "), "", -1);
    }
}

/* ------------------------------------------------------------------ the whole */

void rn_take_block(rn_evidence_reader *r, const char *line) {
    const char *info = rn_behind(line, "NCCL INFO ");
    if (info != NULL) {
        if (strstr(info, " nranks ") != NULL) take_start(r, info);
        if (strstr(info, ": opCount ") != NULL) take_call(r, line, info);
        return;
    }
    if (strstr(line, "[PG ID ") != NULL) {
        const bool whole = strstr(line, "(default_pg)") != NULL;
        r->whole = r->whole || whole;
        r->part = r->part || !whole;
    }
    take_table(r, line);
    take_report(r, line);
    take_horovod(r, line);
    take_tasks(r, line);
    take_stack(r, line);
}

static void end_starts(rn_evidence_reader *r) {
    int32_t n_began = 0, n_ended = 0, n_both = 0;
    int64_t first = 0;
    for (int32_t k = 0; k < r->n_started; k++) {
        const rn_started *s = &r->started[k];
        n_began += s->began;
        n_ended += s->ended;
        n_both += s->began && s->ended;
        if (s->began && !s->ended && first == 0) first = s->line;
    }
    if (n_began == 0 || n_both == n_began) return;
    const bool few = n_ended == 0 && n_began < r->n_started && 2 * n_began > r->n_started;
    r->line = first;
    rn_evidence *e = rn_add_evidence(r, r->several    ? RN_PROOF_TROUBLE
                                        : few         ? RN_PROOF_FEW
                                        : n_ended > 0 ? RN_PROOF_UNSTARTED
                                                      : RN_PROOF_TROUBLE);
    e->of = r->n_started;
    e->seq = n_began;
    for (int32_t k = 0; k < r->n_started && e->proof != RN_PROOF_TROUBLE; k++) {
        const rn_started *s = &r->started[k];
        if (few ? !s->began : s->began && !s->ended) rn_add_rank(r, e, k);
    }
}

RS_ORDER(by_number, launch, number);

static const launch *launch_of(const rn_process *p, int64_t number) {
    const launch key = {.number = number};
    return p->n > 0 ? bsearch(&key, p->list, (size_t)p->n, sizeof key, by_number) : NULL;
}

static bool same_launch(const launch *a, const launch *b) {
    if (a == NULL || b == NULL) return a == b;
    return strcmp(a->call, b->call) == 0 && strcmp(a->args, b->args) == 0;
}

/* NCCL writes its numbers in base 16: people look for them so. */
static rn_hang_place place_of_launch(rn_evidence_reader *r, const launch *l, int64_t number) {
    char text[40];
    snprintf(text, sizeof text, "opCount %llx", (long long)number);
    rn_hang_place place = rn_place_said(-1, number, l != NULL ? l->call : NULL);
    place.where = rn_keep_words(r, text, sizeof text);
    place.n_in = l != NULL ? rn_number_behind(l->args, "count ", 0) : 0;
    return place;
}

/* Who launched something else than a strict majority under that number; returns whether all launched the same. */
static bool compare_launches(rn_evidence_reader *r, int32_t n_ranks, int64_t number) {
    const launch *most = NULL;
    int32_t votes = 0, n_alike = 0;
    for (int32_t i = 0; i < r->n_processes; i++) {
        const launch *own = launch_of(&r->processes[i], number);
        if (votes == 0) most = own;
        votes += same_launch(own, most) ? 1 : -1;
    }
    for (int32_t i = 0; i < r->n_processes; i++)
        n_alike += same_launch(launch_of(&r->processes[i], number), most);
    if (n_alike == n_ranks) return true;
    for (int32_t i = 0; i < r->n_processes; i++) {
        const launch *own = launch_of(&r->processes[i], number);
        if (same_launch(own, most)) continue;
        r->line = r->processes[i].line;
        rn_evidence *e = rn_add_evidence(r, RN_PROOF_LAUNCHED);
        rn_hang_place *calls = rs_heap_take(r->keep, 2 * sizeof *calls);
        if (calls == NULL) return false;
        calls[0] = place_of_launch(r, own, number);
        calls[1] = place_of_launch(r, most, number);
        e->calls = calls;
        e->said = r->processes[i].name;
        e->seq = n_alike;
        e->of = n_ranks;
        if (2 * n_alike <= n_ranks || most == NULL)
            return false; /* nobody tells who is right: one is enough */
    }
    return false;
}

/* Calls without a communicator's start: only where all of its processes are there is it known that they are of one. */
static void end_launches(rn_evidence_reader *r) {
    const rn_process *p = r->processes;
    if (r->n_processes == 0 || p->n == 0 || r->n_started > 0) return;
    bool one = r->n_processes == p->n_ranks && p->n_ranks > 1;
    int64_t from = 0; /* logs may begin later here and there */
    for (int32_t k = 0; k < r->n_processes; k++) {
        const rn_process *other = &r->processes[k];
        one = one && other->n_ranks == r->processes->n_ranks && other->n > 0;
        if (!one) break;
        if (other->list[0].number > from) from = other->list[0].number;
        if (other->list[other->n - 1].number > p->list[p->n - 1].number) p = other;
    }
    for (int32_t i = 0; i < p->n && one; i++) {
        if (p->list[i].number >= from && !compare_launches(r, p->n_ranks, p->list[i].number))
            return;
    }
    rn_evidence *e = rn_add_evidence(r, RN_PROOF_UNNAMED);
    e->line = p->line;
    e->seq = r->n_processes;
    e->of = p->n_ranks;
}

static void end_stacks(rn_evidence_reader *r) {
    const rn_process *most = NULL;
    int32_t votes = 0, n = 0, n_alike = 0;
    for (int32_t i = 0; i < r->n_processes; i++) {
        const rn_process *p = &r->processes[i];
        if (p->site == NULL) continue;
        n++;
        if (votes == 0) most = p;
        votes += strcmp(p->site, most->site) == 0 ? 1 : -1;
    }
    for (int32_t i = 0; i < r->n_processes && most != NULL; i++)
        n_alike += r->processes[i].site != NULL && strcmp(r->processes[i].site, most->site) == 0;
    for (int32_t i = 0; i < r->n_processes && n > 2 && 2 * n_alike > n; i++) {
        const rn_process *p = &r->processes[i];
        if (p->site == NULL || strcmp(p->site, most->site) == 0) continue;
        rn_evidence *e = rn_add_evidence(r, RN_PROOF_STACK);
        rn_add_rank(r, e, p->rank);
        e->line = p->line;
        e->call = p->site;
        e->said = p->name;
        e->of = n;
    }
}

/* A desync report is of one group, and numbers its members: of another than that of all nobody knows their ranks. */
static void forget_members(rn_evidence_reader *r) {
    for (int32_t i = 0; i < r->n && r->part && !r->whole; i++) {
        rn_evidence *e = &r->list[i];
        const bool report = e->call == NULL || strcmp(e->call, "collective") == 0;
        if (e->proof != RN_PROOF_BEHIND && (e->proof != RN_PROOF_ABSENT || !report)) continue;
        e->proof = RN_PROOF_TROUBLE;
        e->n_ranks = 0;
    }
}

/* Who wrote no line did not come to the store's barrier, where all others did. */
static void end_barrier(rn_evidence_reader *r) {
    for (int32_t i = r->n - 1; i >= 0; i--) {
        rn_evidence *e = &r->list[i];
        if (e->call == NULL || strcmp(e->call, RN_STORE_BARRIER) != 0) continue;
        rn_turn_ranks(r, e, e->n_ranks == e->seq ? e->of : 0);
        if (e->seq > e->of) e->proof = RN_PROOF_TROUBLE; /* others, too */
        if (e->seq == e->of) *e = r->list[--r->n];       /* all came */
    }
}

void rn_end_blocks(rn_evidence_reader *r) {
    end_barrier(r);
    forget_members(r);
    end_starts(r);
    end_launches(r);
    end_stacks(r);
}
