/* weigh_evidence.c: what logs say themselves, beside what the calls tell.
 *
 *     a rank died before others waited in vain     --> died; unless calls name another
 *     a line names who did not come                --> missing-call, silent-rank
 *     fingerprints of a strict majority agree      --> mismatch; of fewer: undecided, with both
 *     anything that says less                      --> undecided, with whom it names, where the calls tell nobody
 *
 *   - Calls that recorders kept are worth more than any line; a line is worth more than what a log leaves to be guessed.
 *   - Two that contradict each other: undecided, with all.
 */
#include "hang_judge.h"
#include "base/containers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *rn_proof_name(rn_proof proof) {
    static const char *const names[] = {
        "hidden", "restart",     "twice",    "over",   "trouble", "ended",  "timeout",
        "link",   "unnamed",     "left",     "few",    "near",    "stuck",  "unstarted",
        "stack",  "no-gradient", "launched", "behind", "differs", "absent", "died"};
    static_assert(sizeof names / sizeof *names == RN_N_PROOFS, "in the order of the proofs");
    return names[proof];
}

typedef struct weighing {
    const rn_evidence *list;
    int32_t n;
    rn_hang *hang;
    rs_heap heap;
    int32_t *ranks; /* [n_ranks] of a verdict that is made, ascending */
    int32_t n_ranks;
    int64_t room;
} weighing;

/* ------------------------------------------------------------------ ranks */

static bool is_among(const int32_t ranks[], int32_t n, int32_t rank) {
    for (int32_t i = 0; i < n; i++) {
        if (ranks[i] == rank) return true;
    }
    return false;
}

static void add_rank(weighing *w, int32_t rank) {
    if (is_among(w->ranks, w->n_ranks, rank)) return;
    if (rs_heap_reserve(&w->heap, &w->ranks, w->n_ranks + 1, &w->room))
        w->ranks[w->n_ranks++] = rank;
}

/* Adds the ranks of all such evidence; returns the first that names as many as all together, NULL: they name others. */
static const rn_evidence *add_all(weighing *w, rn_proof proof) {
    const rn_evidence *whole = NULL;
    w->n_ranks = 0;
    for (int32_t i = 0; i < w->n; i++) {
        for (int32_t k = 0; k < w->list[i].n_ranks && w->list[i].proof == proof; k++)
            add_rank(w, w->list[i].ranks[k]);
    }
    for (int32_t i = w->n - 1; i >= 0; i--) {
        if (w->list[i].proof == proof && w->list[i].n_ranks == w->n_ranks) whole = &w->list[i];
    }
    return whole;
}

static const rn_evidence *first_of(const weighing *w, rn_proof proof) {
    for (int32_t i = 0; i < w->n; i++) {
        if (w->list[i].proof == proof) return &w->list[i];
    }
    return NULL;
}

static bool is_culprit(const rn_hang *h, int32_t rank) {
    for (int32_t i = 0; i < h->n_culprits; i++) {
        if (h->culprits[i].rank == rank) return true;
    }
    return false;
}

static bool is_in_call(const rn_hang *h, int32_t rank) {
    for (int64_t i = 0; i < h->n_waits; i++) {
        if (h->waits[i].at.rank == rank) return true;
    }
    return false;
}

/* So many ranks there are, as far as anything tells. */
static int32_t count_ranks(const weighing *w) {
    int32_t n = w->hang->n_ranks;
    for (int32_t i = 0; i < w->n; i++) {
        const rn_evidence *e = &w->list[i];
        if (e->of > n) n = e->of;
        for (int32_t k = 0; k < e->n_ranks; k++) n = e->ranks[k] >= n ? e->ranks[k] + 1 : n;
    }
    return n;
}

/* ------------------------------------------------------------------ a new verdict */

/* Makes the ranks the culprits, or candidates; with `and_those` beside those that the calls name. */
static void settle(weighing *w, rn_hang_verdict verdict, const rn_evidence *e, bool and_those) {
    rn_hang *h = w->hang;
    const rn_hang before = *h;
    if (e == NULL) return;
    for (int32_t i = 0; i < h->n_culprits && and_those; i++) add_rank(w, h->culprits[i].rank);
    rn_hang_place *places = rs_heap_take(&w->heap, ((size_t)w->n_ranks + 1) * sizeof *places);
    if (places == NULL) return;
    *h = (rn_hang){.n_ranks = before.n_ranks,
                   .n_files = before.n_files,
                   .n_cut = before.n_cut,
                   .rough = before.rough,
                   .waits = before.waits,
                   .n_waits = before.n_waits,
                   .lanes = before.lanes,
                   .verdict = verdict,
                   .culprits = places,
                   .n_culprits = w->n_ranks,
                   .witness = e};
    const bool called = e->proof == RN_PROOF_ABSENT || e->proof == RN_PROOF_BEHIND;
    if (w->n_ranks > 1) qsort(w->ranks, (size_t)w->n_ranks, sizeof *w->ranks, rs_by_int32);
    for (int32_t i = 0; i < w->n_ranks; i++)
        places[i] =
            rn_place_said(w->ranks[i], called ? e->seq : -1, e->call != NULL ? e->call : "?");
}

/* Of two attempts nobody tells which line is whose: none counts. */
static bool weigh_twice(weighing *w) {
    const rn_evidence *e = first_of(w, RN_PROOF_TWICE);
    settle(w, RN_HANG_UNDECIDED, e, false);
    if (e != NULL) w->hang->n_waits = 0;
    return e != NULL;
}

/* ------------------------------------------------------------------ who died */

/* Did it happen before the other? Of one file lines tell, of several only their times. */
static bool is_before(const rn_evidence *a, const rn_evidence *b) {
    if (a->when_us >= 0 && b->when_us >= 0) return a->when_us < b->when_us;
    return a->file == b->file && a->line < b->line;
}

/* It came before any rank had waited too long: it is no consequence of that. What ends a process tells when it was seen, not when
   it began: who was still in a call then was no cause. */
static bool is_cause(const weighing *w, const rn_evidence *e) {
    const bool alive = e->n_ranks > 0 && is_in_call(w->hang, e->ranks[0]);
    if (alive && (e->ended || e->caught)) return false;
    for (int32_t i = 0; i < w->n && !e->ended; i++) {
        if (w->list[i].proof == RN_PROOF_TIMEOUT && !is_before(e, &w->list[i])) return false;
    }
    return true;
}

static bool weigh_died(weighing *w) {
    rn_hang *h = w->hang;
    const rn_evidence *first = NULL;
    bool caught = true, named = false, apart = false;
    w->n_ranks = 0;
    for (int32_t i = 0; i < w->n; i++) {
        const rn_evidence *e = &w->list[i];
        if (e->proof != RN_PROOF_DIED || e->n_ranks != 1 || !is_cause(w, e)) continue;
        if (first == NULL || is_before(e, first)) first = e;
        caught = caught && e->caught;
        named = named || is_culprit(h, e->ranks[0]);
        add_rank(w, e->ranks[0]);
    }
    if (first == NULL) return false;
    for (int32_t i = 0; i < w->n; i++) { /* a launcher saw another one end first */
        const rn_evidence *e = &w->list[i];
        if (e->proof != RN_PROOF_LEFT || e->n_ranks == 0 || !first->caught) continue;
        if (is_among(w->ranks, w->n_ranks, e->ranks[0])) continue;
        apart = true;
        add_rank(w, e->ranks[0]);
    }
    const bool silent = h->verdict == RN_HANG_SILENT_RANK || h->verdict == RN_HANG_MISSING_CALL;
    const bool other = rn_is_decided(h) && h->verdict != RN_HANG_STUCK_INSIDE && !(silent && named);
    if (other && !silent) return false; /* calls that differ may break a GPU, too */
    const bool sure =
        !other && !apart && (w->n_ranks == 1 || (caught && 2 * w->n_ranks < count_ranks(w)));
    settle(w, sure ? RN_HANG_DIED : RN_HANG_UNDECIDED, first, other);
    return true;
}

/* ------------------------------------------------------------------ who did not come */

static bool weigh_absent(weighing *w) {
    rn_hang *h = w->hang;
    const rn_evidence *whole = add_all(w, RN_PROOF_ABSENT);
    const rn_evidence *first = first_of(w, RN_PROOF_ABSENT);
    if (first == NULL || w->n_ranks == 0) return false;
    bool agree = true, in_call = false, elsewhere = false;
    for (int32_t i = 0; i < w->n_ranks; i++) {
        agree = agree && is_culprit(h, w->ranks[i]);
        in_call = in_call || is_in_call(h, w->ranks[i]);
    }
    agree = agree && h->n_culprits == w->n_ranks;
    const bool silent = h->verdict == RN_HANG_SILENT_RANK || h->verdict == RN_HANG_MISSING_CALL;
    if (silent && agree) { /* the calls say more */
        h->witness = NULL;
        return true;
    }
    elsewhere = rn_is_decided(h) && h->verdict != RN_HANG_STUCK_INSIDE;
    for (int32_t i = 0; i < w->n; i++) elsewhere = elsewhere || w->list[i].proof == RN_PROOF_BEHIND;
    const rn_evidence *e = whole != NULL ? whole : first;
    for (int32_t i = 0; i < w->n; i++)
        if (w->list[i].proof == RN_PROOF_ABSENT && w->list[i].seq != first->seq) w->n_ranks = 0;
    for (int32_t k = 0; k < e->n_ranks; k++) add_rank(w, e->ranks[k]); /* of several calls one */
    const bool barrier = e->call != NULL && strstr(e->call, "arrier") != NULL;
    const bool few = 2 * w->n_ranks < count_ranks(w) || barrier || e->call == NULL;
    const bool sure = whole != NULL && few && !in_call && !elsewhere;
    settle(w,
           !sure             ? RN_HANG_UNDECIDED
           : e->call == NULL ? RN_HANG_SILENT_RANK
                             : RN_HANG_MISSING_CALL,
           e, elsewhere && rn_is_decided(h));
    return true;
}

/* ------------------------------------------------------------------ calls that differ */

static bool same_call(const rn_hang_place *a, const rn_hang_place *b) {
    const bool typed = a->dtype != NULL && b->dtype != NULL;
    return a->seq == b->seq && strcmp(a->call, b->call) == 0 &&
           (typed ? strcmp(a->dtype, b->dtype) == 0 : a->dtype == b->dtype);
}

/* What lines tell of each rank; NULL: nothing. */
static const rn_hang_place **call_of_ranks(weighing *w, int32_t n) {
    const rn_hang_place **of = rs_heap_take(&w->heap, (size_t)n * sizeof *of);
    for (int32_t i = 0; i < w->n && of != NULL; i++) {
        const rn_evidence *e = &w->list[i];
        if (e->proof != RN_PROOF_DIFFERS || e->calls == NULL) continue;
        for (int k = 0; k < 2; k++) of[e->ranks[k]] = &e->calls[k];
    }
    return of;
}

static bool weigh_differs(weighing *w) {
    rn_hang *h = w->hang;
    const rn_evidence *first = NULL;
    const int32_t n = count_ranks(w);
    for (int32_t i = w->n - 1; i >= 0; i--) {
        if (w->list[i].proof == RN_PROOF_DIFFERS && w->list[i].calls != NULL) first = &w->list[i];
    }
    const bool told = h->verdict == RN_HANG_MISMATCH || h->verdict == RN_HANG_SWAPPED;
    if (first == NULL || told) return false;
    const rn_hang_place **of = call_of_ranks(w, n), *most = NULL;
    int32_t votes = 0, n_alike = 0;
    for (int32_t k = 0; k < n && of != NULL; k++) {
        if (of[k] == NULL) continue;
        if (votes == 0) most = of[k];
        votes += same_call(of[k], most) ? 1 : -1;
    }
    w->n_ranks = 0;
    for (int32_t k = 0; k < n && most != NULL; k++) {
        n_alike += of[k] != NULL && same_call(of[k], most);
        if (of[k] != NULL && !same_call(of[k], most)) add_rank(w, k);
    }
    const bool decided = 2 * n_alike > n && rn_is_usual(n) && w->n_ranks > 0;
    if (!decided) {
        w->n_ranks = 0;
        for (int i = 0; i < 2; i++) add_rank(w, first->ranks[i]);
    }
    settle(w, decided ? RN_HANG_MISMATCH : RN_HANG_UNDECIDED, first, false);
    for (int32_t i = 0; i < h->n_culprits; i++) {
        const int32_t rank = h->culprits[i].rank;
        h->culprits[i] = decided ? *of[rank] : first->calls[rank == first->ranks[1]];
        h->culprits[i].rank = rank;
    }
    if (!decided) return true;
    h->others = *most;
    h->has_others = true;
    h->n_agree = n_alike;
    h->n_of = n;
    return true;
}

/* All came to the end of their program, and no line tells of trouble: nothing hangs where calls differ. */
static bool weigh_over(weighing *w) {
    bool over = w->hang->verdict == RN_HANG_MISMATCH;
    for (int32_t i = 0; i < w->n; i++) over = over && w->list[i].proof == RN_PROOF_OVER;
    add_all(w, RN_PROOF_OVER);
    if (over && w->n_ranks == w->hang->n_ranks) w->hang->verdict = RN_HANG_WRONG_RESULTS;
    return w->hang->verdict == RN_HANG_WRONG_RESULTS;
}

/* ------------------------------------------------------------------ what says less */

/* Do the calls name somebody? */
static bool tells_more(const rn_hang *h) {
    return rn_is_decided(h) || h->verdict == RN_HANG_WRONG_RESULTS ||
           (h->verdict == RN_HANG_UNDECIDED && h->n_culprits > 0 && h->doubt == RN_DOUBT_NONE);
}

/* A watchdog that stands behind the first timeout: it waits while its process is being ended. */
static bool is_stuck_later(const weighing *w) {
    const rn_evidence *timeout = first_of(w, RN_PROOF_TIMEOUT);
    for (int32_t i = 0; i < w->n && timeout != NULL; i++) {
        const rn_evidence *e = &w->list[i];
        if (e->proof == RN_PROOF_STUCK && !is_before(timeout, e)) return false;
    }
    return timeout != NULL;
}

static void weigh_rest(weighing *w) {
    rn_hang *h = w->hang;
    if (tells_more(h)) return;
    /* A connection that breaks ends calls on some ranks alone: these differ in nothing. */
    if (h->doubt == RN_DOUBT_PASSED && first_of(w, RN_PROOF_LINK) != NULL) h->n_culprits = 0;
    for (int proof = RN_PROOF_DIED; proof >= RN_PROOF_TROUBLE; proof--) {
        const rn_evidence *e = first_of(w, (rn_proof)proof);
        add_all(w, (rn_proof)proof);
        const bool names =
            w->n_ranks > 0 && (proof > RN_PROOF_LINK || (e != NULL && e->call != NULL));
        if (proof == RN_PROOF_FEW && e != NULL && e->call != NULL && h->n_waits > 0) continue;
        if (e == NULL || (h->n_culprits + h->n_waiters > 0 && !names)) continue;
        if (proof == RN_PROOF_DIED && w->n_ranks == 0 && !is_cause(w, e)) continue;
        if (proof == RN_PROOF_STUCK && is_stuck_later(w)) continue;
        if (proof == RN_PROOF_LEFT && names && is_in_call(h, w->ranks[0])) continue;
        if (proof <= RN_PROOF_TIMEOUT && h->n_waits > 0) continue;
        if (!names) w->n_ranks = 0;
        const bool most = proof == RN_PROOF_LAUNCHED && 2 * e->seq > e->of &&
                          e->calls[0].call != NULL && e->calls[1].call != NULL;
        settle(w, most ? RN_HANG_MISMATCH : RN_HANG_UNDECIDED, e, false);
        if (proof <= RN_PROOF_TIMEOUT) h->doubt = RN_DOUBT_TROUBLE;
        if (proof != RN_PROOF_TIMEOUT) return;
        h->n_waiters = h->n_culprits; /* victims */
        h->n_culprits = 0;
        return;
    }
}

rs_status rn_weigh_evidence(const rn_evidence evidence[], int32_t n, rs_arena *arena,
                            rs_error *error, rn_hang *hang) {
    weighing w = {.list = evidence, .n = n, .hang = hang, .heap = {.arena = arena}};
    const bool recorded = rn_is_decided(hang) && !hang->rough;
    if (n > 0 && !recorded && !weigh_twice(&w) && !weigh_over(&w) && !weigh_died(&w) &&
        !weigh_absent(&w) && !weigh_differs(&w))
        weigh_rest(&w);
    hang->evidence = evidence;
    hang->n_evidence = n;
    return arena->lacked ? rs_no_memory(error) : RS_OK;
}
