/* hang_score.c: is the answer the right rank and call? And what pairing by number would have said. */
#include "hangs/hang_maker.h"

#include <stdlib.h>
#include <string.h>

static bool expects(const made_job *j, rn_hang_verdict v) {
    if (j->fault == MADE_NONE) return v == RN_HANG_NONE;
    if (j->fault == MADE_SLOW) return v == RN_HANG_NONE || v == RN_HANG_SLOW;
    return v != RN_HANG_NONE && v != RN_HANG_SLOW;
}

static bool names_rank(const made_job *j, const rn_hang *h) {
    for (int32_t i = 0; i < h->n_culprits; i++) {
        if (h->culprits[i].rank == j->culprit) return true;
    }
    return false;
}

/* Of a rank that goes no further every call is right that it has not made. */
static bool names_call(const made_job *j, const rn_hang_place *p) {
    const made_group *g = &j->groups[j->group];
    if (j->fault == MADE_SILENT) return true;
    if (j->fault == MADE_STOPPED) {
        const made_rank *r = &j->ranks[j->culprit];
        for (int32_t k = 0; k < r->n_groups; k++) {
            const made_group *own = &j->groups[r->groups[k]];
            int32_t m = 0;
            if (strcmp(own->name, p->group) != 0) continue;
            while (own->ranks[m] != j->culprit) m++;
            return p->seq > own->n_made[m] || strcmp(own->desc, "pp") == 0;
        }
        return false;
    }
    const bool lines = j->wish.form == MADE_LOG || j->wish.form == MADE_RESTARTED; /* a number */
    return (lines ? atoi(p->group) == j->group : strcmp(g->name, p->group) == 0) &&
           p->seq >= j->low && p->seq <= j->high;
}

/* Which verdicts call the fault by its name. */
static bool names_kind(const made_job *j, rn_hang_verdict v) {
    switch (j->fault) {
    case MADE_MISSING: return v == RN_HANG_MISSING_CALL;
    case MADE_EXTRA: return v == RN_HANG_EXTRA_CALL;
    case MADE_SWAPPED: return v == RN_HANG_SWAPPED;
    case MADE_SIZE:
    case MADE_TYPE:
    case MADE_OPERATION: return v == RN_HANG_MISMATCH;
    case MADE_CYCLE:
    case MADE_CROSSED: return v == RN_HANG_CYCLE;
    case MADE_SILENT: return v == RN_HANG_SILENT_RANK;
    case MADE_STOPPED: return v == RN_HANG_MISSING_CALL; /* the call that it has not come to */
    case MADE_INSIDE: return v == RN_HANG_STUCK_INSIDE;
    case MADE_NONE: return v == RN_HANG_NONE || v == RN_HANG_UNDECIDED;
    case MADE_SLOW: return v == RN_HANG_SLOW;
    case MADE_MESSAGE:
    case MADE_N_FAULTS: break;
    }
    return true;
}

static int32_t n_given(const made_job *j) {
    return j->wish.form == MADE_PART ? (j->n_ranks + 1) / 2 : j->n_ranks;
}

static made_score score_place(const made_job *j, const rn_hang *h) {
    const bool lost = j->blind >= 0 && !j->decidable; /* only that dump shows who waits */
    const bool quiet = j->fault == MADE_NONE || j->fault == MADE_SLOW;
    const bool lines = j->wish.form == MADE_LOG || j->wish.form == MADE_RESTARTED;
    const bool unseen = j->fault == MADE_TYPE || j->fault == MADE_CROSSED; /* in a log's lines */
    if (h->verdict == RN_HANG_UNDECIDED && quiet && j->wish.form != MADE_DUMPS) return SCORE_RIGHT;
    if (h->verdict == RN_HANG_STUCK_INSIDE && lines && unseen) return SCORE_RIGHT;
    if (h->verdict == RN_HANG_SILENT_RANK && j->wish.form == MADE_PART && h->n_culprits == 1 &&
        h->culprits[0].rank >= n_given(j))
        return SCORE_RIGHT; /* of two, one is here */
    if (h->verdict == RN_HANG_UNDECIDED && j->blind >= 0 && (lost || quiet)) return SCORE_RIGHT;
    if (!expects(j, h->verdict)) return SCORE_WRONG;
    if (j->fault == MADE_NONE) return SCORE_RIGHT;
    if (j->fault == MADE_SLOW && h->verdict == RN_HANG_NONE) {
        return j->decidable ? SCORE_UNDECIDED : SCORE_RIGHT;
    }
    if (j->fault == MADE_SLOW) {
        return h->n_culprits == 1 && names_rank(j, h) ? SCORE_RIGHT : SCORE_WRONG;
    }
    if (h->verdict == RN_HANG_UNDECIDED) return j->decidable ? SCORE_UNDECIDED : SCORE_RIGHT;
    for (int32_t i = 0; i < h->n_culprits && !j->decidable; i++) { /* which is true */
        if (h->verdict == RN_HANG_SILENT_RANK && h->culprits[i].rank == j->blind)
            return SCORE_RIGHT;
    }
    if (j->fault == MADE_INSIDE) {
        if (h->verdict != RN_HANG_STUCK_INSIDE) return SCORE_WRONG;
        return names_call(j, &h->culprits[0]) ? SCORE_RIGHT : SCORE_CALL;
    }
    if (h->verdict == RN_HANG_STUCK_INSIDE) return SCORE_WRONG;
    if (j->fault == MADE_SILENT) {
        if (h->verdict != RN_HANG_SILENT_RANK || h->n_culprits != 1) return SCORE_WRONG;
    }
    if (h->verdict == RN_HANG_CYCLE && j->fault == MADE_CROSSED && h->n_culprits == 2 &&
        names_rank(j, h)) {
        return SCORE_RIGHT; /* of two that differ both are named */
    }
    if (h->verdict == RN_HANG_CYCLE && names_rank(j, h) && h->n_culprits > 1) {
        return j->decidable && j->fault == MADE_CYCLE ? SCORE_UNDECIDED
                                                      : SCORE_RIGHT; /* all of the circle */
    }
    if (!names_rank(j, h) || h->n_culprits != 1) return SCORE_WRONG;
    /* left out, or made later: a rank that waits elsewhere instead cannot be asked */
    const bool either = h->verdict == RN_HANG_CYCLE && names_call(j, &h->others);
    return names_call(j, &h->culprits[0]) || either || !j->decidable ? SCORE_RIGHT : SCORE_CALL;
}

/* What one rank's calls are, one left out, one too many or another one, is told by what it and the others called after:
   three calls from the fault on. A rank that waits in another group instead cannot be asked. */
static bool tells_kind(const made_job *j, rn_hang_verdict v) {
    const made_group *g = &j->groups[j->group];
    if (j->fault < MADE_MISSING || j->fault > MADE_OPERATION) return true;
    if (v == RN_HANG_CYCLE || !j->frames) return false;
    int32_t n_far = 0;
    for (int32_t m = 0; m < g->n_ranks; m++) {
        const bool far = g->n_made[m] >= j->high + 2;
        if (g->ranks[m] == j->culprit && !far) return false;
        n_far += far;
    }
    return 2 * n_far > g->n_ranks;
}

made_score score_hang(const made_job *j, const rn_hang *h) {
    const made_score score = score_place(j, h);
    const bool other = !names_kind(j, h->verdict) && tells_kind(j, h->verdict);
    return score == SCORE_RIGHT && j->decidable && other ? SCORE_KIND : score;
}

static void judge_log(const made_job *j, rs_arena *keep, rn_hang *hang) {
    size_t n_bytes;
    char *text = log_of_job(j, &n_bytes);
    rs_arena scratch;
    rs_error error;
    rn_dump *dumps = NULL;
    rn_evidence *said;
    int32_t n = 0, n_said;
    rs_arena_init(&scratch, NULL);
    if (rn_read_hang_log(text, n_bytes, &scratch, keep, &error, &dumps, &n, &said, &n_said) ==
            RS_NO_MEMORY || /* it may have no call */
        rn_judge_hang(dumps, n, NULL, keep, &error, hang) != RS_OK ||
        rn_weigh_evidence(said, n_said, keep, &error, hang) != RS_OK)
        abort();
    rs_arena_free(&scratch);
    free(text);
}

void judge_made(const made_job *j, rs_arena *keep, rn_hang *hang) {
    rn_dump *dumps = rs_alloc(keep, (size_t)j->n_ranks, sizeof *dumps);
    rs_error error;
    int32_t n = 0;
    if (dumps == NULL) abort();
    if (j->wish.form == MADE_LOG || j->wish.form == MADE_RESTARTED) {
        judge_log(j, keep, hang);
        return;
    }
    for (int32_t r = 0; r < n_given(j); r++) {
        size_t n_bytes = 0;
        char *bytes = dump_rank(j, r, &n_bytes);
        rs_arena scratch;
        if (bytes == NULL) continue;
        rs_arena_init(&scratch, NULL);
        const rs_status status =
            rn_read_recorder(bytes, n_bytes, &scratch, keep, &error, &dumps[n]);
        if (status != RS_OK && (!j->cut || r != j->blind)) abort();
        if (status == RS_OK) dumps[n++].rank = r;
        rs_arena_free(&scratch);
        free(bytes);
    }
    if (rn_judge_hang(dumps, n, NULL, keep, &error, hang) != RS_OK) abort();
}

made_score try_hang(const made_job *j, rn_hang_verdict *verdict) {
    rs_arena keep;
    rn_hang hang;
    rs_arena_init(&keep, NULL);
    judge_made(j, &keep, &hang);
    const made_score score = score_hang(j, &hang);
    if (verdict != NULL) *verdict = hang.verdict;
    rs_arena_free(&keep);
    return score;
}

/* ------------------------------------------------------------------ the rule */

/* Returns the call of that number in the rank's buffer; NULL: none. */
static const made_call *numbered(const made_job *j, int32_t rank, int32_t group, int32_t seq) {
    const made_rank *r = &j->ranks[rank];
    if (r->no_dump) return NULL;
    const int32_t first = r->n_made > j->buffer ? r->n_made - j->buffer : 0;
    for (int32_t i = first; i < r->n_made; i++) {
        const made_call *c = &r->calls[i];
        if (c->group == group && c->seq == seq && c->op != MADE_SEND && c->op != MADE_RECV)
            return c;
    }
    return NULL;
}

/* The first group, the first number at which a rank has no such call, or another than the first rank. */
made_score score_by_number(const made_job *j) {
    for (int32_t k = 0; k < j->n_groups; k++) {
        const made_group *g = &j->groups[k];
        int32_t last = 0, from = 1;
        for (int32_t m = 0; m < g->n_ranks; m++) {
            const made_rank *r = &j->ranks[g->ranks[m]];
            if (g->n_made[m] > last) last = g->n_made[m];
            if (r->n_made <= j->buffer) continue;
            for (int32_t i = 0; i < r->n_made - j->buffer; i++) {
                const bool message = r->calls[i].op == MADE_SEND || r->calls[i].op == MADE_RECV;
                if (r->calls[i].group == k && !message && r->calls[i].seq >= from)
                    from = r->calls[i].seq + 1;
            }
        }
        for (int32_t seq = from; seq <= last && g->n_ranks > 1; seq++) {
            const made_call *truth = NULL;
            int32_t found = -1, n_odd = 0;
            bool open = false;
            for (int32_t m = 0; m < g->n_ranks; m++) {
                const made_call *c = numbered(j, g->ranks[m], k, seq);
                if (c != NULL && truth == NULL) truth = c;
                open = open || (c != NULL && !c->done);
                const bool odd =
                    c == NULL || c->op != truth->op || c->n != truth->n || c->dtype != truth->dtype;
                if (odd && n_odd++ == 0) found = g->ranks[m];
            }
            if (n_odd == 0 && !open) continue;
            if (j->fault == MADE_NONE || j->fault == MADE_SLOW) return SCORE_WRONG;
            if (n_odd == 0) { /* the same call, and it is not over */
                if (j->fault != MADE_INSIDE) return SCORE_WRONG;
                return k == j->group && seq == j->low ? SCORE_RIGHT : SCORE_CALL;
            }
            if (found != j->culprit || n_odd > 1) return SCORE_WRONG;
            if (j->fault == MADE_STOPPED || j->fault == MADE_SILENT) return SCORE_RIGHT;
            return k == j->group && seq >= j->low && seq <= j->high ? SCORE_RIGHT : SCORE_CALL;
        }
    }
    if (j->fault == MADE_SLOW) return j->decidable ? SCORE_UNDECIDED : SCORE_RIGHT;
    return j->fault == MADE_NONE || !j->decidable ? SCORE_RIGHT : SCORE_WRONG;
}
