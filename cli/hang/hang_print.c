/* hang_print.c: a hang for people: the verdict's sentence, then who waits for whom, a line for all ranks that do alike;
 * and as one JSON object, schema ringsim.hang/1.
 */
#include "hang/hang.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 100,
    MOST_ROWS = 24,
    CELL = RV_WAIT_TEXT,
    N_COLUMNS = 5,
    MOST_WIDE = 56,
    MOST_PLACE = 40
};

static int order_and_rank(const void *left, const void *right) {
    const rn_hang_wait *a = *(const rn_hang_wait *const *)left;
    const rn_hang_wait *b = *(const rn_hang_wait *const *)right;
    const int o = rv_order_waits(a, b);
    return o != 0 ? o : (a->at.rank > b->at.rank) - (a->at.rank < b->at.rank);
}

static void fill(const rn_hang_wait *const rows[], int64_t n, bool differs,
                 char cells[N_COLUMNS][CELL]) {
    const rn_hang_wait *w = rows[0];
    int32_t ranks[256];
    const int32_t n_ranks = n < 256 ? (int32_t)n : 256;
    for (int32_t i = 0; i < n_ranks; i++) ranks[i] = rows[i]->at.rank;
    rv_rank_list(ranks, n_ranks, cells[0], MOST_WIDE - 1);
    rc_group_text(&w->at, cells[1], CELL);
    rv_wait_call(w, differs, cells[2]);
    snprintf(cells[3], CELL, "%s",
             w->at.where != NULL ? rv_short_place(w->at.where, MOST_PLACE) : "-");
    rv_wait_for(w, differs, cells[4]);
}

/* Do calls of that number differ? Those of one number stand together. */
static bool differs_near(const rn_hang_wait *const sorted[], int64_t n, int64_t at) {
    for (int64_t i = at + 1; i < n && sorted[i]->at.seq == sorted[at]->at.seq; i++)
        if (rv_waits_differ(sorted[at], sorted[i])) return true;
    for (int64_t i = at - 1; i >= 0 && sorted[i]->at.seq == sorted[at]->at.seq; i--)
        if (rv_waits_differ(sorted[at], sorted[i])) return true;
    return false;
}

static void print_waits(const rn_hang *h) {
    static const char *const heads[N_COLUMNS] = {N_("rank"), N_("group"), N_("is in call"),
                                                 N_("at"), N_("waits for")};
    const rn_hang_wait **sorted = malloc(((size_t)h->n_waits + 1) * sizeof *sorted);
    if (sorted == NULL) return;
    for (int64_t i = 0; i < h->n_waits; i++) sorted[i] = &h->waits[i];
    qsort(sorted, (size_t)h->n_waits, sizeof *sorted, order_and_rank);
    static char cells[MOST_ROWS][N_COLUMNS][CELL];
    int n_rows = 0;
    int64_t n_more = 0;
    for (int64_t i = 0, end; i < h->n_waits; i = end) {
        for (end = i + 1; end < h->n_waits && rv_order_waits(sorted[i], sorted[end]) == 0;) end++;
        if (n_rows == MOST_ROWS) {
            n_more += end - i;
        } else {
            fill(sorted + i, end - i, differs_near(sorted, h->n_waits, i), cells[n_rows++]);
        }
    }
    free(sorted);
    rc_print_columns(heads, N_COLUMNS, cells[0][0], CELL, n_rows);
    if (n_more > 0) printf(_("and %lld more waits\n"), (long long)n_more);
}

/* What the answer could not see. */
static void print_lost(const rn_hang *h) {
    const bool cut = h->n_cut > 0 && !h->rough; /* logs end where they end */
    if (h->n_ranks > h->n_files || cut) puts("");
    if (h->n_ranks > h->n_files) {
        printf(h->rough ? _("something is here of %d of at least %d ranks\n") /* lines, reports */
                        : _("%d of %d ranks have a dump\n"),
               (int)h->n_files, (int)h->n_ranks);
    }
    if (cut) {
        printf(ngettext("%d dump ends too early\n", "%d dumps end too early\n", h->n_cut),
               (int)h->n_cut);
    }
}

/* NULL: it names no rank, or one that only waited. */
static const char *proof_text(rn_proof proof) {
    static const char *const texts[RN_N_PROOFS] = {[RN_PROOF_LINK] = N_("a connection broke"),
                                                   [RN_PROOF_NEAR] = N_("calls differ nearby"),
                                                   [RN_PROOF_STUCK] = N_("the process stands"),
                                                   [RN_PROOF_UNSTARTED] = N_("start not ended"),
                                                   [RN_PROOF_STACK] =
                                                       N_("elsewhere in the program"),
                                                   [RN_PROOF_NO_GRAD] = N_("no gradient"),
                                                   [RN_PROOF_BEHIND] = N_("still in the call"),
                                                   [RN_PROOF_DIFFERS] = N_("calls differ"),
                                                   [RN_PROOF_ABSENT] = N_("did not come"),
                                                   [RN_PROOF_DIED] = N_("failed by itself")};
    return texts[proof];
}

/* What a line says of none; NULL: nothing, or the sentence says so. */
static const char *alone_text(const rn_evidence *e) {
    if (e->proof == RN_PROOF_HIDDEN)
        return N_("Ray left out such lines of other ranks: RAY_DEDUP_LOGS=0 prints them all");
    return e->proof == RN_PROOF_RESTART && !e->ended
               ? N_("the job was started anew; what came before is not judged")
               : NULL;
}

/* What lines of logs say of ranks. */
static void print_evidence(const rn_hang *h) {
    enum { MOST = 8 };
    int n = 0;
    for (int32_t i = 0; i < h->n_evidence && n < MOST; i++) {
        const rn_evidence *e = &h->evidence[i];
        char ranks[CELL], line[CELL];
        const char *alone = alone_text(e), *what = proof_text(e->proof);
        if ((alone == NULL && (e->n_ranks == 0 || what == NULL)) || e == h->witness) continue;
        if (n++ == 0) puts("");
        rv_rank_list(e->ranks, e->n_ranks, ranks, MOST_WIDE);
        snprintf(line, sizeof line, "%.200s:%lld", e->file != NULL ? e->file : "",
                 (long long)e->line);
        if (alone != NULL) {
            printf("%s: %s\n", line, _(alone));
            continue;
        }
        printf(e->n_ranks == 1 ? _("%s: rank %s: %s\n") : _("%s: ranks %s: %s\n"), line, ranks,
               _(what));
    }
}

void rc_print_hang(const rn_hang *h) {
    char text[RV_HANG_TEXT];
    rc_print_wrapped(rc_hang_sentence(h, text), WIDTH);
    print_evidence(h);
    if (h->n_waits == 0) return;
    puts("");
    print_waits(h);
    print_lost(h);
}

/* ------------------------------------------------------------------ JSON */

static void put_place(rs_json *json, const rn_hang_place *p) {
    rs_json_integer(json, "rank", p->rank);
    rs_json_text(json, "group", p->group[0] != '\0' ? p->group : NULL);
    rs_json_known(json, "seq", p->seq);
    rs_json_text(json, "call", p->call);
}

void rc_put_hang(const rn_hang *h, rs_json *json) {
    char text[RV_HANG_TEXT];
    rs_json_integers(json, {"ranks", h->n_ranks}, {"files", h->n_files});
    rs_json_text(json, "verdict", rn_hang_name(h->verdict));
    rs_json_array(json, "culprits");
    for (int32_t i = 0; i < h->n_culprits; i++) {
        rs_json_object(json, NULL);
        put_place(json, &h->culprits[i]);
        rs_json_text(json, "where", h->culprits[i].where);
        rs_json_close(json);
    }
    rs_json_close(json);
    rs_json_lines(json, "waits");
    for (int64_t i = 0; i < h->n_waits; i++) {
        rs_json_object(json, NULL);
        put_place(json, &h->waits[i].at);
        rs_json_i32s(json, "for", h->waits[i].ranks, h->waits[i].n_ranks);
        rs_json_close(json);
    }
    rs_json_close(json);
    int64_t attempts = 1;
    for (int32_t i = 0; i < h->n_evidence; i++) {
        const rn_evidence *e = &h->evidence[i];
        if (e->proof == RN_PROOF_RESTART && e->seq > attempts) attempts = e->seq;
    }
    rs_json_integer(json, "attempts", attempts);
    if (h->n_files < h->n_ranks) {
        rs_json_object(json, "partial");
        rs_json_integers(json, {"have", h->n_files}, {"of", h->n_ranks});
        rs_json_close(json);
    }
    rs_json_lines(json, "evidence");
    for (int32_t i = 0; i < h->n_evidence; i++) {
        const rn_evidence *e = &h->evidence[i];
        for (int32_t k = 0; k < e->n_ranks || k == 0; k++) {
            rs_json_object(json, NULL);
            rs_json_known(json, "rank", e->n_ranks > 0 ? e->ranks[k] : -1);
            rs_json_text(json, "what", rn_proof_name(e->proof));
            rs_json_text(json, "file", e->file);
            rs_json_integer(json, "line", e->line);
            rs_json_close(json);
        }
    }
    rs_json_close(json);
    rs_json_text(json, "why", rc_hang_sentence(h, text));
}

void rc_json_hang(const rn_hang *h, FILE *out) {
    rs_json json;
    rc_json_begin(&json, "ringsim.hang/1", out);
    rc_put_hang(h, &json);
    rc_json_end(&json);
}
