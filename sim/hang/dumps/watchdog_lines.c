/* watchdog_lines.c: torch's watchdog: the call that took too long, and how far a rank has come in a group.
 *
 *     [rank5]:... [Rank 1] Watchdog caught ... WorkNCCL(SeqNum=120049, OpType=ALLREDUCE, NumelIn=4, ...) ran for ...
 *     [rank5]:... [PG ID 2 PG GUID 4(tp) Rank 1]  failure detected by watchdog at work sequence id: 120049 PG status: last
 *                 enqueued work: 120051, last completed work: 120048
 *
 *   - It names one call and two numbers: such dumps say who waits, but are not aligned.
 *   - "[rank5]" is the rank in the job, "[Rank 1]" that in the group.
 */
#include "hang_log.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 64 };

/* "_ALLGATHER_BASE" as the flight recorder calls it. */
static uint32_t watchdog_name(rs_log_reader *r, const char *at) {
    static const char *const names[][2] = {
        {"ALLREDUCE", "all_reduce"},          {"_ALLGATHER_BASE", "_all_gather_base"},
        {"ALLGATHER", "all_gather"},          {"_REDUCE_SCATTER_BASE", "_reduce_scatter_base"},
        {"REDUCE_SCATTER", "reduce_scatter"}, {"ALLTOALL", "all_to_all"},
        {"ALLTOALL_BASE", "all_to_all"}};
    char text[NAME];
    size_t n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (n >= sizeof text) n = sizeof text - 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i][0]) == n && memcmp(names[i][0], at, n) == 0) {
            return rs_log_word(r, names[i][1], strlen(names[i][1]));
        }
    }
    for (size_t i = 0; i < n; i++)
        text[i] = (char)(at[i] >= 'A' && at[i] <= 'Z' ? at[i] + 32 : at[i]);
    return rs_log_word(r, text, n);
}

/* "PG GUID 0(default_pg)": as the flight recorder names it; 0: the line names none. *desc: what stands in brackets. */
static uint32_t watchdog_group(rs_log_reader *r, const char *line, uint32_t *desc) {
    const char *guid = rs_log_behind(line, "PG GUID ");
    if (guid == NULL) return 0;
    const size_t n = strcspn(guid, " (]"); /* a bracket further on belongs to something else */
    const char *open = guid[n] == '(' ? guid + n : NULL;
    const char *close = open != NULL ? strchr(open, ')') : NULL;
    if (close != NULL && close - open >= 2)
        *desc = rs_log_word(r, open + 1, (size_t)(close - open - 1));
    return rs_log_word(r, guid, n);
}

/* The line that tells of a timeout names no group; that of the failure behind it has the same number, and does. */
static void name_group(rs_log_reader *r, int32_t rank, uint32_t group, uint32_t desc, int64_t seq) {
    rs_rank_log *named = rs_log_of(r, rank, group);
    if (named == NULL) return;
    if (desc != 0) named->desc = desc;
    for (int32_t i = r->n - 1; i >= 0 && i > r->n - RS_LOG_NEAR; i--) {
        rs_rank_log *l = &r->list[i];
        if (l->rank != rank || l->group != 0 || l->n == 0 || l->calls[0].seq != seq) continue;
        if (named->n > 0 || l->enqueued >= 0) return;
        named->calls = l->calls;
        named->n = l->n;
        named->room = l->room;
        l->n = l->room = 0;
        l->calls = NULL;
    }
}

void rs_take_watchdog(rs_log_reader *r, const char *line) {
    int64_t rank = rs_log_number(line, "[rank", -1);
    if (rank < 0) rank = rs_log_number(line, "[Rank ", -1);
    if (rank < 0) rank = rs_log_number(line, " Rank ", -1);
    if (rank < 0 || rank >= RS_LOG_RANKS) return;
    const int64_t seq = rs_log_number(line, "WorkNCCL(SeqNum=", -1);
    int64_t enqueued = rs_log_number(line, "last enqueued work:", -1);
    int64_t completed = rs_log_number(line, "last completed work:", -1);
    if (enqueued < 0) enqueued = rs_log_number(line, "Last enqueued NCCL work:", -1);
    if (completed < 0) completed = rs_log_number(line, "last completed NCCL work:", -1);
    if (seq < 0 && enqueued < 0) return;
    uint32_t desc = 0;
    const uint32_t group = watchdog_group(r, line, &desc);
    if (group != 0) {
        const int64_t failed = rs_log_number(line, "at work sequence id:", -1);
        name_group(r, (int32_t)rank, group, desc, failed);
    }
    rs_rank_log *l = rs_log_of(r, (int32_t)rank, group);
    if (l == NULL) return;
    if (enqueued >= 0) l->enqueued = enqueued;
    if (completed >= 0) l->completed = completed;
    if (seq < 0 || l->n > 0) return;
    rs_call *call = rs_log_call(r, l);
    const char *type = rs_log_behind(line, "OpType=");
    if (call == NULL) return;
    call->seq = seq;
    call->name = type != NULL ? watchdog_name(r, type) : rs_log_word(r, "work", 4);
    call->n_in = rs_log_number(line, "NumelIn=", 0);
    call->n_out = rs_log_number(line, "NumelOut=", 0);
}

/* Messages count, too, in what was enqueued: where one is open, that is not the number of a collective. */
static void forget_numbers(rs_log_reader *r) {
    for (int32_t i = 0; i < r->n; i++) {
        rs_rank_log *l = &r->list[i];
        const char *name = l->n > 0 ? r->words.list[l->calls[0].name].text : "";
        const bool message = strcmp(name, "send") == 0 || strcmp(name, "recv") == 0;
        if (message || strcmp(name, "coalesced") == 0) l->enqueued = -1;
    }
}

/* What names no group is of the whole job's, unless more is known of that. */
void rs_name_rest(rs_log_reader *r) {
    const uint32_t all = rs_log_word(r, "0", 1), desc = rs_log_word(r, "default_pg", 10);
    const int32_t n = r->n;
    for (int32_t i = 0; i < n && !r->failed; i++) {
        if (r->list[i].group != 0 || (r->list[i].n == 0 && r->list[i].enqueued < 0)) continue;
        rs_rank_log *whole = rs_log_of(r, r->list[i].rank, all), *l = &r->list[i];
        if (whole == NULL) return;
        if (whole->n == 0) {
            whole->calls = l->calls;
            whole->n = l->n;
            whole->room = l->room;
        }
        if (whole->enqueued < 0) whole->enqueued = l->enqueued;
        if (whole->completed < 0) whole->completed = l->completed;
        whole->desc = desc;
    }
    int32_t n_kept = 0;
    for (int32_t i = 0; i < r->n; i++) {
        if (r->list[i].group != 0) r->list[n_kept++] = r->list[i];
    }
    r->n = n_kept;
}

void rs_complete_watchdog(rs_log_reader *r) {
    for (int32_t i = 0; i < r->n; i++) {
        rs_rank_log *l = &r->list[i];
        if (l->n > 0 || l->enqueued < 0) continue;
        rs_call *call = rs_log_call(r, l);
        if (call == NULL) return;
        const bool over = l->completed >= l->enqueued;
        call->name = rs_log_word(r, "work", 4);
        call->seq = over || l->completed < 0 ? l->enqueued : l->completed + 1;
        call->state = over ? RS_CALL_COMPLETED : RS_CALL_SCHEDULED;
    }
    forget_numbers(r);
}
