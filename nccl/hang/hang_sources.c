/* hang_sources.c: a job of which both torch and NCCL tell, by dumps of the one and logs or reports of the other.
 *
 *   - Nothing joins their numbers: torch counts a group's calls by its own, NCCL a communicator's. Each source is judged by
 *     itself, as if nothing were known of ranks of which only the other tells.
 *   - What recorders kept counts first; NCCL's calls of a rank are more than that it has no dump, and than torch's lines.
 *   - A rank of which neither shows a call is one of both.
 */
#include "hang_judge.h"

#include <stdlib.h>

RS_ORDER(by_rank, rn_dump, rank);

static bool has_rank(const rn_dump dumps[], int32_t n, const rn_dump *like) {
    return n > 0 && bsearch(like, dumps, (size_t)n, sizeof *dumps, by_rank) != NULL;
}

/* Copies the dumps of one source, by rank, and those of ranks of which it has none and the other shows no call; returns how many.
   both: the other's groups say nothing here. */
static int32_t take_source(const rn_dump dumps[], int32_t n_dumps, bool launched, bool both,
                           rn_dump out[]) {
    int32_t n = 0;
    for (int32_t d = 0; d < n_dumps; d++) {
        if (dumps[d].launched == launched) out[n++] = dumps[d];
    }
    if (n > 1) qsort(out, (size_t)n, sizeof *out, by_rank);
    const int32_t n_own = n;
    for (int32_t d = 0; d < n_dumps; d++) {
        const rn_dump *other = &dumps[d];
        if (other->launched == launched || other->n_calls > 0 || has_rank(out, n_own, other))
            continue;
        out[n] = *other;
        if (both) out[n].n_groups = 0;
        n++;
    }
    return n;
}

/* So many it speaks of: it has culprits, or who only waits. */
static int32_t n_named(const rn_hang *h) {
    return h->n_culprits + h->n_waiters;
}

/* Does torch's source tell more? dumps: its own, by rank. */
static bool counts_first(const rn_dump dumps[], int32_t n_dumps, const rn_hang *said) {
    bool recorded = n_named(said) > 0;
    for (int32_t d = 0; d < n_dumps && !recorded; d++)
        recorded = !dumps[d].rough && dumps[d].n_calls > 0;
    for (int32_t i = 0; i < n_named(said) && recorded; i++) {
        const rn_dump key = {.rank = said->culprits[i].rank},
                      *own = bsearch(&key, dumps, (size_t)n_dumps, sizeof key, by_rank);
        recorded = own != NULL && !own->rough && own->n_calls > 0;
    }
    return recorded;
}

/* sure: torch's calls of the culprits are a recorder's. */
static void choose(const rn_hang *torch, const rn_hang *nccl, bool sure, rn_hang *hang) {
    const bool told = torch->verdict != RN_HANG_UNDECIDED;
    *hang = *torch;
    if (told && sure) return;
    if (torch->verdict != RN_HANG_SILENT_RANK || nccl->verdict != RN_HANG_SILENT_RANK) {
        const bool more = !told && !sure && n_named(nccl) >= n_named(torch);
        if (rn_is_decided(nccl) || more) *hang = *nccl;
    } else if (torch->n_culprits != nccl->n_culprits ||
               torch->culprits[0].rank != nccl->culprits[0].rank) {
        /* Each tells of calls of whom the other does not. */
        hang->verdict = RN_HANG_UNDECIDED;
        hang->doubt = RN_DOUBT_SOURCES;
        hang->n_culprits = hang->n_waiters = 0;
    }
}

rs_status rn_judge_with(rs_heap *pieces, rn_dump dumps[], int32_t n_dumps, const rs_host *host,
                        rs_arena *arena, rs_error *error, rn_hang *hang) {
    bool torch = false, nccl = false, sure = false;
    rn_hang said[2] = {{.n_ranks = 0}, {.n_ranks = 0}};
    for (int32_t d = 0; d < n_dumps; d++) {
        torch = torch || (!dumps[d].launched && dumps[d].n_calls > 0);
        nccl = nccl || (dumps[d].launched && dumps[d].n_calls > 0);
    }
    for (int i = torch || !nccl ? 0 : 1; i <= nccl; i++) {
        rn_dump *own = rs_heap_take(pieces, (size_t)n_dumps * sizeof *own);
        if (own == NULL) return rs_no_memory(error);
        const int32_t n = take_source(dumps, n_dumps, i == 1, torch && nccl, own);
        const rs_status status = rn_judge_one(pieces, own, n, host, arena, error, &said[i]);
        if (status != RS_OK) return status;
        if (i == 0) sure = counts_first(own, n, &said[0]);
    }
    *hang = said[nccl];
    if (torch && nccl) choose(&said[0], &said[1], sure, hang);
    return RS_OK;
}

rs_status rn_judge_hang(rn_dump dumps[], int32_t n_dumps, const rs_host *host, rs_arena *arena,
                        rs_error *error, rn_hang *hang) {
    rs_heap pieces = {.arena = arena};
    return rn_judge_with(&pieces, dumps, n_dumps, host, arena, error, hang);
}
