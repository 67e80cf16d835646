/* tracebacks.c: exceptions of Python that end a process: whose, which, and the innermost line that is no library's.
 *
 *     [rank3]:   File "/app/train.py", line 41, in step
 *     [rank3]: KeyError: 'labels'
 *
 *   - The first exception of a process counts: what follows comes of cleaning up behind it.
 *   - One that tells of others, of a timeout or of a connection is a consequence. So is one that a collective raised.
 *   - A process that goes on after that has caught it.
 */
#include "evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rn_trace {
    int64_t rank; /* -1: no line says whose */
    int32_t said; /* its evidence, of the list, + 1; 0: none */
    bool open;    /* its exception has not come yet */
    bool over;    /* it has, and counted or not */
    bool within;  /* a collective's lines are in it */
    char place[80];
} rn_trace;

static rn_trace *trace_of(rn_evidence_reader *r, int64_t rank, bool begins) {
    enum { MOST = 1 << 14 };
    for (int32_t i = 0; i < r->n_traces; i++) {
        if (r->traces[i].rank == rank) return &r->traces[i];
    }
    if (!begins || r->n_traces == MOST) return NULL;
    if (!rs_heap_reserve(r->heap, &r->traces, r->n_traces + 1, &r->traces_room)) return NULL;
    r->traces[r->n_traces] = (rn_trace){.rank = rank};
    return &r->traces[r->n_traces++];
}

/* '  File "/app/train.py", line 41, in step' */
static void take_frame(rn_trace *t, const char *frame) {
    const char *path = frame + strlen("File \""), *end = strchr(path, '"');
    if (end == NULL) return;
    const bool library = rn_log_has_any(path, "-packages/\0/torch/\0lib/python\0<frozen\0");
    t->within = t->within || strstr(path, "distributed_c10d.py") != NULL;
    if (library && t->place[0] != '\0') return;
    const char *name = end;
    while (name > path && name[-1] != '/') name--;
    snprintf(t->place, sizeof t->place, "%.*s:%lld", (int)(end - name < 60 ? end - name : 60), name,
             (long long)rn_number_behind(end, "line ", 0));
}

/* "torch.OutOfMemoryError: ...": a name of classes, of which the last tells that it is an exception. */
static bool is_exception(const char *line) {
    static const char *const ends[] = {"Error",     "Exception", "Interrupt", "Exit",
                                       "Iteration", "Timeout",   "Expired"};
    const size_t n = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789_.");
    if (line[n] != '\0' && line[n] != '\r' && strncmp(line + n, ": ", 2) != 0) return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t k = strlen(ends[i]);
        if (n >= k && strncmp(line + n - k, ends[i], k) == 0) return true;
    }
    return false;
}

static void take_exception(rn_evidence_reader *r, rn_trace *t, const char *line) {
    static const char of_others[] =
        "NCCL\0nccl\0Dist\0distributed\0elastic\0imed out\0imeout\0onnection\0ocket\0Store\0"
        "store->\0gloo\0Gloo\0 peer\0abort\0Abort\0KeyboardInterrupt\0SystemExit\0Signal\0SIGTERM\0"
        "Broken pipe\0EOFError\0ProcessRaised\0ProcessExited\0CalledProcess\0collective\0Barrier\0"
        "another rank\0other rank\0across all ranks\0remote\0emote \0Hccl\0hccl\0HCCL\0RCCL\0"
        "ACL stream\0root cause\0(above)\0trace above\0EngineDead\0ActorDied\0died\0ancelled\0not responding\0";
    const rn_evidence *last = r->n > 0 ? &r->list[r->n - 1] : NULL;
    char words[RN_EVIDENCE_WORDS + sizeof t->place + 4];
    const bool counts = !t->over && !t->within && !rn_log_has_any(line, of_others);
    t->open = false;
    t->over = true;
    if (!counts || (last != NULL && last->line == r->line)) return; /* a form has told of it */
    rn_evidence *e = rn_add_evidence(r, t->rank >= 0 ? RN_PROOF_DIED : RN_PROOF_LEFT);
    if (e == &r->spare) return;
    const size_t n = strcspn(line, "\r\n");
    snprintf(words, sizeof words, "%.*s%s%s", (int)(n < RN_EVIDENCE_WORDS ? n : RN_EVIDENCE_WORDS),
             line, t->place[0] != '\0' ? ", " : "", t->place);
    rn_add_rank(r, e, t->rank);
    e->said = rn_keep_words(r, words, sizeof words);
    e->caught = true;
    t->said = (int32_t)(e - r->list) + 1;
}

void rn_take_trace(rn_evidence_reader *r, const char *line) {
    int64_t rank = -1;
    const char *own = rn_log_prefix(line, &rank), *begin = strstr(line, "Traceback (most recent");
    const bool begins = begin != NULL && !rn_is_quoted(line, begin);
    line = own != NULL ? strchr(own, ':') + 1 : line;
    line += own != NULL && *line == ' ';
    const bool alone = own != NULL && is_exception(line); /* its lines before are not there */
    rn_trace *t = trace_of(r, rank, begins || alone);
    if (t == NULL) return;
    t->open = t->open || alone;
    if (begins) {
        t->open = true;
        t->within = false;
        t->place[0] = '\0';
    } else if (t->open && *line == ' ') {
        line += strspn(line, " ");
        if (strncmp(line, "File \"", 6) == 0) take_frame(t, line);
    } else if (t->open && is_exception(line)) {
        take_exception(r, t, line);
    } else if (t->said > 0 && rn_log_has_any(line, "step \0Step \0iter\0Iter\0epoch\0Epoch\0")) {
        r->list[t->said - 1].proof = RN_PROOF_TROUBLE;
        r->list[t->said - 1].n_ranks = 0;
        t->said = 0;
    }
}
