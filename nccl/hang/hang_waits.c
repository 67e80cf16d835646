/* hang_waits.c: who waits for whom: NCCL pairs calls by their order, so a rank in the s-th call of a group waits for
 * all members that have not made so many.
 *
 *   - Of each group the first call counts that is not completed: what was launched behind it has not begun.
 *   - Of launched messages nothing says which are over: those wait that are more than the other side has.
 *   - The i-th open send of a to b waits for the i-th open recv at b, and the other way round. One side may be over while
 *     the other is still open (the rest of its batch is); where nothing is lost of both dumps, counting tells.
 *   - A call that synchronises and is completed somewhere has been made by all: a dump without it is older, and
 *     its rank is not waited for.
 */
#include "hang_job.h"

#include <stdlib.h>
#include <string.h>

/* Without memory there is none; the arena knows. */
static void add_row(const rn_hang_job *job, rn_waits *waits, rn_wait_row row) {
    if (rs_heap_reserve(job->pieces, &waits->rows, waits->n + 1, &waits->room))
        waits->rows[waits->n++] = row;
}

/* ------------------------------------------------------------------ collectives */

bool rn_synchronises(const char *name) {
    return strstr(name, "all") != NULL || strstr(name, "barrier") != NULL ||
           strstr(name, "reduce_scatter") != NULL;
}

int64_t rn_last_completed(const rn_hang_job *job, const rn_hang_group *g) {
    int64_t last = -1;
    for (int32_t m = 0; m < g->n_members; m++) {
        const rn_hang_member *member = &g->members[m];
        for (int32_t i = member->n - 1; i >= 0; i--) {
            const rn_call *call = rn_member_call(job, member, i);
            if (job->dumps[member->dump].launched) break;
            if (call->state != RN_CALL_COMPLETED || !rn_synchronises(job->texts[call->name]))
                continue;
            if (call->seq > last) last = call->seq;
            break;
        }
    }
    return last;
}

/* Is this member missing at call number seq? */
static bool is_absent(const rn_hang_member *m, int64_t seq, int64_t completed) {
    return m->last_seq < seq && (m->dump < 0 || completed < seq);
}

static void group_rows(const rn_hang_job *job, int32_t group, rn_waits *waits) {
    const rn_hang_group *g = &job->groups[group];
    const int64_t completed = g->waits ? rn_last_completed(job, g) : -1;
    int32_t *shared = NULL; /* members in the same call wait for the same ranks */
    int32_t n_shared = 0;
    int64_t shared_seq = -1;
    for (int32_t m = 0; m < g->n_members && g->waits; m++) {
        const rn_hang_member *member = &g->members[m];
        if (member->first_open < 0) continue;
        const rn_call *call = rn_member_call(job, member, member->first_open);
        if (shared == NULL || shared_seq != call->seq) {
            shared = rs_heap_take(job->pieces, (size_t)g->n_members * sizeof *shared);
            if (shared == NULL) return;
            n_shared = 0;
            for (int32_t k = 0; k < g->n_members; k++) {
                if (is_absent(&g->members[k], call->seq, completed)) {
                    shared[n_shared++] = g->members[k].rank;
                }
            }
            shared_seq = call->seq;
        }
        add_row(job, waits,
                (rn_wait_row){.dump = member->dump,
                              .call = call,
                              .group = group,
                              .ranks = shared,
                              .n = member->unnamed ? 0 : n_shared,
                              .unnamed = member->unnamed});
    }
}

/* ------------------------------------------------------------------ from point to point */

typedef struct open_message {
    const rn_call *call;
    int32_t dump, src, dst, order;
} open_message;

/* Sends first. */
static int by_pair(const void *left, const void *right) {
    const open_message *a = left, *b = right;
    return 4 * RS_BY(call->group, src, dst) + 2 * RS_COMPARE(b->call->sends, a->call->sends) +
           RS_BY(order);
}

static bool same_pair(const open_message *a, const open_message *b) {
    return a->call->group == b->call->group && a->src == b->src && a->dst == b->dst;
}

static int64_t elements(const rn_call *call) {
    return call->n_in > call->n_out ? call->n_in : call->n_out;
}

/* other: NULL, it has none. */
static void message_row(const rn_hang_job *job, const open_message *m, const open_message *other,
                        rn_waits *waits) {
    rn_wait_row row = {.dump = m->dump, .call = m->call, .group = m->call->group};
    row.ranks = rs_heap_take(job->pieces, sizeof *row.ranks);
    if (row.ranks == NULL) return;
    row.ranks[0] = m->call->peer;
    row.n = other == NULL;
    row.unlike = other != NULL && (elements(m->call) != elements(other->call) ||
                                   m->call->dtype != other->call->dtype);
    add_row(job, waits, row);
}

/* Returns how many sends, or recvs, of a pair are over at one end; -1: its dump has not all of its calls. */
static int64_t n_over(const rn_hang_job *job, const open_message *pair, bool sends) {
    const int32_t d = rn_dump_of(job, sends ? pair->src : pair->dst);
    if (d < 0 || !job->dumps[d].whole || job->dumps[d].cut) return -1;
    const int32_t peer = sends ? pair->dst : pair->src;
    int64_t n = 0;
    for (int64_t i = 0; i < job->dumps[d].n_calls; i++) {
        const rn_call *call = &job->dumps[d].calls[i];
        n += call->peer == peer && call->sends == sends && call->group == pair->call->group &&
             call->state == RN_CALL_COMPLETED;
    }
    return n;
}

static bool is_launched(const rn_hang_job *job, int32_t rank) {
    const int32_t d = rn_dump_of(job, rank);
    return d >= 0 && job->dumps[d].launched;
}

/* The first of those that are more than the other side has, if all of both is there. */
static void more_than_other(const rn_hang_job *job, const open_message list[], int64_t n_sends,
                            int64_t n_recvs, rn_waits *waits) {
    const int64_t sent = n_over(job, list, true), received = n_over(job, list, false);
    const int64_t more = sent + n_sends - (received + n_recvs);
    if (sent < 0 || received < 0 || more == 0) return;
    const int64_t at =
        more > 0 ? n_sends - rs_smaller(more, n_sends) : n_recvs - rs_smaller(-more, n_recvs);
    message_row(job, &list[more > 0 ? at : n_sends + at], NULL, waits);
}

/* Pairs a range of one pair's open sends, then recvs. Only the first that waits of each side gets a row. */
static void pair_up(const rn_hang_job *job, const open_message list[], int64_t n, rn_waits *waits) {
    int64_t n_sends = 0;
    while (n_sends < n && list[n_sends].call->sends) n_sends++;
    const int64_t n_recvs = n - n_sends;
    if (is_launched(job, list->src) || is_launched(job, list->dst)) {
        more_than_other(job, list, n_sends, n_recvs, waits);
        return;
    }
    const int64_t sent = n_over(job, list, true), received = n_over(job, list, false);
    const int64_t taken = sent >= 0 && received > sent ? rs_smaller(received - sent, n_sends) : 0;
    const int64_t given =
        received >= 0 && sent > received ? rs_smaller(sent - received, n_recvs) : 0;
    const open_message *sends = list + taken, *recvs = list + n_sends + given;
    const int64_t both = rs_smaller(n_sends - taken, n_recvs - given);
    if (taken > 0) message_row(job, &list[0], &list[0], waits);
    if (given > 0) message_row(job, &list[n_sends], &list[n_sends], waits);
    if (both > 0) message_row(job, &sends[0], &recvs[0], waits);
    if (both > 0) message_row(job, &recvs[0], &sends[0], waits);
    if (n_sends - taken > both) message_row(job, &sends[both], NULL, waits);
    if (n_recvs - given > both) message_row(job, &recvs[both], NULL, waits);
}

static void message_rows(const rn_hang_job *job, rn_waits *waits) {
    int64_t n = 0, most = 0;
    for (int32_t d = 0; d < job->n_dumps; d++) {
        for (int64_t i = 0; i < job->dumps[d].n_calls; i++) {
            const rn_call *call = &job->dumps[d].calls[i];
            most += call->peer >= 0 && call->state != RN_CALL_COMPLETED;
        }
    }
    open_message *list = rs_heap_take(job->pieces, (size_t)most * sizeof *list);
    if (list == NULL) return;
    for (int32_t d = 0; d < job->n_dumps; d++) {
        for (int64_t i = 0; i < job->dumps[d].n_calls; i++) {
            const rn_call *call = &job->dumps[d].calls[i];
            const int32_t own = job->dumps[d].rank;
            if (call->peer < 0 || call->state == RN_CALL_COMPLETED) continue;
            list[n++] = (open_message){call, d, call->sends ? own : call->peer,
                                       call->sends ? call->peer : own, (int32_t)i};
        }
    }
    qsort(list, (size_t)n, sizeof *list, by_pair);
    for (int64_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && same_pair(&list[from], &list[to]);) to++;
        pair_up(job, list + from, to - from, waits);
    }
}

/* ------------------------------------------------------------------ the whole */

RS_ORDER(by_dump, rn_wait_row, dump, call);

void rn_find_waits(const rn_hang_job *job, rn_waits *waits) {
    *waits = (rn_waits){.open = rs_heap_take(job->pieces, (size_t)job->n_dumps)};
    for (int32_t g = 0; g < job->n_groups; g++) group_rows(job, g, waits);
    message_rows(job, waits);
    if (job->pieces->arena->lacked) return;
    if (waits->n > 1) qsort(waits->rows, (size_t)waits->n, sizeof *waits->rows, by_dump);
    for (int32_t d = 0; d < job->n_dumps; d++) waits->open[d] = job->dumps[d].torn;
    for (int64_t i = 0; i < waits->n; i++) waits->open[waits->rows[i].dump] = true;
    for (int64_t i = 0; i < waits->n; i++) {
        rn_wait_row *row = &waits->rows[i];
        for (int32_t k = 0; k < row->n; k++) {
            const int32_t d = rn_dump_of(job, row->ranks[k]);
            const bool gone = d < 0 || job->dumps[d].n_calls == 0 || job->dumps[d].cut;
            row->n_gone += gone;
            row->n_idle += !gone && !waits->open[d];
        }
    }
}
