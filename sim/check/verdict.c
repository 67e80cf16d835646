/* verdict.c: the checker's findings in words, see verdict.h: one English sentence each. */
#include "check/verdict.h"

#include <stdio.h>
#include <string.h>

static bool has(const uint64_t set[], int32_t rank) {
    return (set[rank / 64] >> (rank % 64) & 1) != 0;
}

static int32_t next(const uint64_t set[], int32_t n_ranks, int32_t rank) {
    while (rank < n_ranks && !has(set, rank)) rank++;
    return rank;
}

static bool alone(const uint64_t set[], int32_t n_ranks) {
    return next(set, n_ranks, next(set, n_ranks, 0) + 1) >= n_ranks;
}

/* Appends one piece and keeps room for the ellipsis; false: it did not fit, and the ellipsis ends
   the list. */
static bool append(const char *piece, bool last, char *out, size_t n_out) {
    static const char ellipsis[] = " \xe2\x80\xa6";
    const size_t used = strlen(out), more = strlen(piece);
    const bool fits = used + more + (last ? 0 : sizeof ellipsis - 1) < n_out;
    snprintf(out + used, n_out - used, "%s", fits ? piece : ellipsis);
    return fits;
}

void rs_list_ranks(const uint64_t set[], int32_t n_ranks, char *out, size_t n_out) {
    int32_t rank = next(set, n_ranks, 0);
    if (rank == n_ranks) {
        snprintf(out, n_out, "nothing");
        return;
    }
    snprintf(out, n_out, alone(set, n_ranks) ? "rank" : "ranks");
    for (bool fits = true; fits && rank < n_ranks;) {
        int32_t end =
            rank + 1; /* the run is rank .. end - 1; a run of two is written as two ranks */
        while (end < n_ranks && has(set, end)) end++;
        if (end - rank < 3) end = rank + 1;
        char piece[32];
        snprintf(piece, sizeof piece, end - rank > 1 ? " %d..%d" : " %d", (int)rank,
                 (int)(end - 1));
        rank = next(set, n_ranks, end);
        fits = append(piece, rank == n_ranks, out, n_out);
    }
}

/* Writes "rank 3's contribution", "the contributions of ranks 0..2". */
static void contributions(const uint64_t set[], int32_t n_ranks, char *out, size_t n_out) {
    char list[96];
    rs_list_ranks(set, n_ranks, list, sizeof list);
    snprintf(out, n_out, alone(set, n_ranks) ? "%s's contribution" : "the contributions of %s",
             list);
}

static void counted_twice(const rs_finding *f, uint64_t both[], rs_verdict *v) {
    char list[80], whose[128];
    for (int32_t k = 0; k < (f->n_ranks + 63) / 64; k++) both[k] = f->in[k] & f->own[k];
    rs_list_ranks(both, f->n_ranks, list, sizeof list);
    contributions(both, f->n_ranks, whose, sizeof whose);
    v->who = next(both, f->n_ranks, 0);
    snprintf(v->had, sizeof v->had, "%s twice", list);
    snprintf(v->expected, sizeof v->expected, "%s once", list);
    snprintf(v->text, sizeof v->text, "step %d: rank %d adds %s to chunk %d a second time",
             (int)f->step, (int)f->rank, whose, (int)f->chunk);
}

static void overwritten(const rs_finding *f, uint64_t set[], rs_verdict *v) {
    char list[96], whose[128];
    const int32_t n_words = (f->n_ranks + 63) / 64;
    rs_list_ranks(f->in, f->n_ranks, list, sizeof list);
    snprintf(v->had, sizeof v->had, "%s", list);
    for (int32_t k = 0; k < n_words; k++) set[k] = f->in[k] | f->own[k];
    rs_list_ranks(set, f->n_ranks, v->expected, sizeof v->expected);
    for (int32_t k = 0; k < n_words; k++) set[k] = f->own[k] & ~f->in[k] & f->need[k];
    contributions(set, f->n_ranks, whose, sizeof whose);
    v->who = next(set, f->n_ranks, 0);
    snprintf(v->text, sizeof v->text,
             "step %d: rank %d's chunk %d is overwritten with %s; %s %s lost", (int)f->step,
             (int)f->rank, (int)f->chunk, list, whose, alone(set, f->n_ranks) ? "is" : "are");
}

static void clashed(const rs_finding *f, rs_verdict *v) {
    char list[56];
    rs_list_ranks(f->in, f->n_ranks, list, sizeof list);
    snprintf(v->had, sizeof v->had, "a copy and another message, from %s", list);
    snprintf(v->expected, sizeof v->expected, "one copy alone, or additions only");
    snprintf(v->text, sizeof v->text,
             "step %d: rank %d's chunk %d is overwritten and gets another message in the same step "
             "(from %s); what it then holds is not defined",
             (int)f->step, (int)f->rank, (int)f->chunk, list);
}

static void added_to_nothing(const rs_finding *f, rs_verdict *v) {
    char list[96];
    rs_list_ranks(f->own, f->n_ranks, v->had, sizeof v->had);
    snprintf(v->expected, sizeof v->expected, "rank %d's data, by a copy", (int)f->ends.from);
    rs_list_ranks(f->in, f->n_ranks, list, sizeof list);
    v->who = f->ends.from;
    snprintf(
        v->text, sizeof v->text,
        "step %d: rank %d adds what rank %d sends to chunk %d; %s holds nothing of it yet, and %s %s "
        "only copies",
        (int)f->step, (int)f->rank, (int)f->src, (int)f->chunk,
        strcmp(list, "nothing") == 0 ? "the sender" : "it",
        f->collective == RS_COLL_ALL_GATHER || f->collective == RS_COLL_ALL_TO_ALL ? "an" : "a",
        rs_collective_name(f->collective));
}

/* Puts in whose data a cell must hold at the end. */
static void must_hold(const rs_finding *f, uint64_t set[]) {
    for (int32_t k = 0; k < (f->n_ranks + 63) / 64; k++) {
        const int32_t left = f->n_ranks - 64 * k;
        set[k] = left >= 64 ? UINT64_MAX : (1ULL << left) - 1;
        if (f->ends.from != RS_EVERY_RANK) set[k] = 0;
    }
    if (f->ends.from != RS_EVERY_RANK) set[f->ends.from / 64] |= 1ULL << (f->ends.from % 64);
}

static void unfinished(const rs_finding *f, uint64_t missing[], rs_verdict *v) {
    char list[96], touched[48];
    const int32_t n_words = (f->n_ranks + 63) / 64;
    rs_list_ranks(f->own, f->n_ranks, v->had, sizeof v->had);
    must_hold(f, missing);
    rs_list_ranks(missing, f->n_ranks, v->expected, sizeof v->expected);
    for (int32_t k = 0; k < n_words; k++) missing[k] &= ~f->own[k];
    rs_list_ranks(missing, f->n_ranks, list, sizeof list);
    v->who = next(missing, f->n_ranks, 0);
    snprintf(touched, sizeof touched, f->step < 0 ? "never touched" : "last touched in step %d",
             (int)f->step);
    snprintf(
        v->text, sizeof v->text,
        f->ends.from == RS_EVERY_RANK
            ? "unfinished: after the last step rank %d's chunk %d lacks the contribution%s of %s (%s)"
            : "unfinished: after the last step rank %d's chunk %d lacks the data%s of %s (%s)",
        (int)f->rank, (int)f->chunk,
        f->ends.from != RS_EVERY_RANK || alone(missing, f->n_ranks) ? "" : "s", list, touched);
}

static const char *const sound[RS_N_COLLECTIVES] = {
    "every rank holds every contribution exactly once",
    "every rank's shard holds every contribution exactly once",
    "every rank holds every rank's shard",
    "every rank holds the root's data",
    "the root holds every contribution exactly once",
    "every rank holds what each rank had for it",
};

void rs_verdict_of(const rs_finding *f, uint64_t scratch[], rs_verdict *verdict) {
    rs_verdict v = {
        .sound = f->fault == RS_SOUND,
        .fault = f->fault,
        .collective = f->collective,
        .step = f->step,
        .rank = f->rank,
        .chunk = f->chunk,
        .src = f->src,
        .who = -1,
    };
    switch (f->fault) {
    case RS_SOUND:
        snprintf(v.text, sizeof v.text, "sound: at the end %s", sound[f->collective]);
        break;
    case RS_UNFINISHED: unfinished(f, scratch, &v); break;
    case RS_WRONG: clashed(f, &v); break;
    case RS_COUNTED_TWICE: counted_twice(f, scratch, &v); break;
    case RS_OVERWRITTEN_TOO_EARLY: overwritten(f, scratch, &v); break;
    case RS_ADDED_TO_NOTHING: added_to_nothing(f, &v); break;
    }
    *verdict = v;
}

const char *rs_fault_name(rs_verdict_fault fault) {
    static const char *const names[] = {
        NULL, "unfinished", "wrong", "counted-twice", "overwritten-too-early", "added-to-nothing"};
    return names[fault];
}
