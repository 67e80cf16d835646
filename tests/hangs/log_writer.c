/* log_writer.c: what torch's watchdogs write of a made job that stands: of each rank and group the first call that is open, and how
 * far both have come. Groups number their members.
 */
#include "hangs/made_parts.h"
#include "support/printed.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const types[] = {
    "ALLREDUCE", "_ALLGATHER_BASE", "_REDUCE_SCATTER_BASE", "BROADCAST", "BARRIER", "SEND", "RECV"};

/* Returns the group's first call of the rank that is open; NULL: none. *n_made: calls of it that were made. */
static const made_call *first_open(const made_rank *r, int32_t group, int32_t *n_made) {
    const made_call *open = NULL;
    *n_made = 0;
    for (int32_t i = 0; i < r->n_made; i++) {
        if (r->calls[i].group != group) continue;
        ++*n_made;
        if (!r->calls[i].done && open == NULL) open = &r->calls[i];
    }
    return open;
}

static void say_call(FILE *out, const made_job *j, int32_t rank, const made_call *c,
                     int32_t n_made) {
    const made_group *g = &j->groups[c->group];
    const int32_t within = made_place_in(g, rank), seq = c->seq;
    const long long all = (long long)c->n * g->n_ranks;
    fprintf(out,
            "[rank%d]:[E626 06:24:44.159 ProcessGroupNCCL.cpp:616] [Rank %d] Watchdog caught "
            "collective operation timeout: WorkNCCL(SeqNum=%d, OpType=%s, NumelIn=%lld, "
            "NumelOut=%lld, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.\n"
            "[rank%d]:[E626 06:24:44.160 ProcessGroupNCCL.cpp:1785] [PG ID %d PG GUID %d(%s) Rank "
            "%d] Exception (either an error or timeout) detected by watchdog at work: %d, last "
            "enqueued NCCL work: %d, last completed NCCL work: %d.\n",
            rank, within, seq, types[c->op], c->op == MADE_REDUCE_SCATTER ? all : (long long)c->n,
            c->op == MADE_ALL_GATHER ? all : (long long)c->n, rank, c->group, c->group, g->desc,
            within, seq, n_made, seq - 1);
}

char *log_of_job(const made_job *j, size_t *n_bytes) {
    char *text = NULL;
    FILE *out = open_memstream(&text, n_bytes);
    if (out == NULL) abort();
    if (j->wish.form == MADE_RESTARTED) { /* of the attempt before, which stood elsewhere */
        for (int32_t r = 0; r + 1 < j->n_ranks; r++)
            say_call(out, j, r, &(made_call){.op = MADE_ALL_REDUCE, .n = 5, .seq = 3}, 3);
        fputs("[default] Worker group FAILED. 2/3 attempts left; will restart worker group\n", out);
    }
    for (int32_t r = 0; r < j->n_ranks; r++) {
        const made_rank *rank = &j->ranks[r];
        for (int32_t k = 0; k < rank->n_groups && !rank->no_dump && r != j->blind; k++) {
            int32_t n_made;
            const made_call *open = first_open(rank, rank->groups[k], &n_made);
            if (open != NULL) say_call(out, j, r, open, n_made);
        }
    }
    fclose(out);
    return text;
}
