/* nccl_lines.c: NCCL's own lines, of INIT and COLL: communicators, their ranks, and calls that were launched.
 *
 *     host:17:23 [0] NCCL INFO ncclCommInitRank comm 0x5f rank 2 nranks 8 cudaDev 2 ... commId 0x9 - Init COMPLETE
 *     host:17:23 [0] NCCL INFO AllReduce: opCount f7 ... count 512 datatype 7 op 0 root 0 comm 0x5f [nranks=8] stream 0x1
 *
 *   - Nothing says which calls are over.
 *   - Ranks are numbered in each communicator anew. A rank is a process and its GPU, and has the number that it has in the
 *     largest of its communicators; of the others only those are known that name them, too.
 *   - root of a Send or a Recv is the other side.
 */
#include "hang_log.h"
#include "nccl_line.h"

#include <stdio.h>
#include <string.h>

enum { MOST_COMMS = 1 << 20 };

/* "host:17 0x5f": a communicator of a process; "host:17 3": its GPU. what NULL: it is not said. */
static int64_t number_of(rs_texts *texts, const char *line, const char *info, const char *what) {
    char text[300];
    const rn_nccl_head head = rn_nccl_head_of(line, info - strlen("NCCL INFO "));
    const size_t n = what != NULL ? strspn(what, "0123456789abcdefx") : 0;
    const int used =
        snprintf(text, sizeof text, "%.*s %.*s", (int)(head.n_process < 200 ? head.n_process : 200),
                 head.host, (int)(n < 40 ? n : 40), n > 0 ? what : "");
    return rs_text_kept(texts, text, used > 0 ? (size_t)used : 0);
}

/* By its commId; a split of old versions has none, but which one of its parent's splits it is, and its color. */
static uint32_t group_of(rn_log_reader *r, const char *info, const char *id) {
    const int64_t color = rn_number_behind(info, " color ", -1);
    if (id != NULL) return rn_keep_text(&r->words, id - 2, 2 + strspn(id, "0123456789abcdef"));
    if (color < 0) return rn_keep_text(&r->words, "comm", 4);
    return rn_keep_printed(&r->words, "split %lld color %lld",
                           (long long)rn_number_behind(info, " splitCount ", 0), (long long)color);
}

void rn_take_init(rn_log_reader *r, const char *line, const char *info) {
    const char *comm = rn_behind(info, "comm 0x"), *id = rn_behind(info, "commId 0x");
    const int64_t rank = rn_number_behind(info, " rank ", -1),
                  n = rn_number_behind(info, " nranks ", 0);
    if (comm == NULL || rank < 0 || rank >= RN_LOG_RANKS || n < 1 || n > RN_LOG_RANKS) return;
    const int64_t number = number_of(&r->comms, line, info, comm - 2),
                  process = number_of(&r->processes, line, info, rn_behind(info, " cudaDev "));
    const uint32_t group = group_of(r, info, id);
    if (rn_log_lacks(r) || number >= MOST_COMMS ||
        !rs_heap_reserve(r->heap, &r->comm_log, number + 1, &r->comm_room))
        return;
    const int32_t known = r->comm_log[number] - 1;
    if (known >= 0 && r->list[known].of.name == group && r->list[known].rank == rank) return;
    rn_rank_log *l = rn_log_new(r, (int32_t)rank, group);
    if (l == NULL) return;
    l->of.n_ranks = (int32_t)n;
    l->process = (int32_t)process;
    r->comm_log[number] = (int32_t)(l - r->list) + 1;
}

void rn_take_launch(rn_log_reader *r, const char *line, const char *info) {
    static const char *const types[] = {"Char",   "Byte",     "Int",           "UInt",
                                        "Long",   "ULong",    "Half",          "Float",
                                        "Double", "BFloat16", "Float8_e4m3fn", "Float8_e5m2"};
    rn_nccl_launch said;
    if (!rn_nccl_read_launch(info, &said) || said.comm == NULL) return;
    const int64_t number = number_of(&r->comms, line, info, said.comm);
    if (number == RS_NO_TEXT || number >= r->comm_room || r->comm_log[number] == 0) return;
    rn_rank_log *l = &r->list[r->comm_log[number] - 1];
    rn_call *call = rn_log_call(r, l);
    if (call == NULL) return;
    r->launched = true;
    const bool sends = strncmp(info, "Send:", 5) == 0,
               message = sends || strncmp(info, "Recv:", 5) == 0;
    call->seq = message ? ++l->n_messages : ++l->n_collectives;
    call->name = rn_keep_text(&r->words, info, said.n_name);
    call->n_in = call->n_out = said.count > 0 ? said.count : 0;
    if (said.datatype >= 0 && said.datatype < 12)
        call->dtype = rn_keep_text(&r->words, types[said.datatype], strlen(types[said.datatype]));
    call->op = (int32_t)(said.op & 0xffff);
    call->root = (int32_t)(said.root & 0xffffff);
    if (!message) return;
    call->peer = call->root;
    call->sends = sends;
    call->root = -1;
}

/* ------------------------------------------------------------------ who is who */

/* Whose messages are: the other one of two, if their numbers in the whole job are not known; of more they are dropped. */
static void name_peers(rn_rank_log *l, bool whole) {
    int64_t n = 0;
    for (int64_t i = 0; i < l->n; i++) {
        rn_call call = l->calls[i];
        if (call.peer >= 0 && call.peer >= l->of.n_ranks) continue;
        if (call.peer >= 0 && !whole && l->of.n_ranks != 2) continue;
        if (call.peer >= 0 && !whole) call.peer = RN_OTHER_PEER;
        l->calls[n++] = call;
    }
    l->n = n;
}

/* Do two processes have the same number in largest communicators that are not the same? */
static bool do_collide(rn_log_reader *r, const rn_rank_log *const largest[]) {
    const rn_rank_log **of_rank = rs_heap_take(r->heap, RN_LOG_RANKS * sizeof *of_rank);
    for (uint32_t p = 1; p < r->processes.n && of_rank != NULL; p++) {
        const rn_rank_log *best = largest[p];
        if (best == NULL) continue;
        const rn_rank_log *other = of_rank[best->rank];
        if (other != NULL && other->of.name != best->of.name) return true;
        of_rank[best->rank] = best;
    }
    return false;
}

void rn_name_ranks(rn_log_reader *r) {
    const rn_rank_log **largest = rs_heap_take(r->heap, r->processes.n * sizeof *largest);
    if (largest == NULL) return;
    for (int32_t i = 0; i < r->n; i++) {
        const rn_rank_log *l = &r->list[i], *best = largest[l->process];
        if (l->process > 0 && (best == NULL || l->of.n_ranks > best->of.n_ranks))
            largest[l->process] = l;
    }
    /* There is no communicator of all: nothing tells the ranks' numbers but those that they have in each. */
    const bool apart = r->processes.n > 2 && do_collide(r, largest);
    for (int32_t i = 0; i < r->n; i++) {
        rn_rank_log *l = &r->list[i];
        const rn_rank_log *best = largest[l->process];
        if (best != NULL) name_peers(l, apart || l->of.n_ranks == best->of.n_ranks);
        if (best == NULL || apart) continue;
        l->rank = best->rank;
        if (l->of.n_ranks < best->of.n_ranks) l->of.n_ranks = 0;
    }
}
