/* ras_text_dumps.c: of what NCCL's RAS prints, dumps of one communicator's ranks.
 *
 *   - Ranks are those of the communicator; the text does not say which ranks of two communicators are the same. So it
 *     is one communicator that counts: that of all ranks, or the only one that differs.
 *   - What all have launched alike is not told. A call 0 stands for it where ranks are missing.
 */
#include "ras_text.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 96 };

/* ------------------------------------------------------------------ what counts */

static int64_t size_of(const rn_ras_comm *comm) {
    int64_t size = comm->size;
    for (int32_t k = 0; k < comm->n_kinds && comm->size == 0; k++) {
        const int64_t n = comm->kinds[k].n_said + comm->n_missing_said;
        if (n > size) size = n;
    }
    return size;
}

/* Is it known of each rank how far it came? */
static bool is_whole(const rn_ras_comm *comm, const rn_ras_kind *kind, int64_t size) {
    if (kind->broken || kind->n_unlisted > 1 || kind->n_said + comm->n_missing != size)
        return false;
    for (int64_t i = size; i < comm->room; i++) {
        if (kind->count[i] >= 0) return false;
    }
    for (int64_t i = 0; i < size; i++) {
        if (comm->missing[i] ? kind->count[i] >= 0 : kind->count[i] < 0 && kind->n_unlisted == 0)
            return false;
    }
    return true;
}

/* Is it said which ranks differ, or are missing? Kinds of which it is not said go. */
static bool is_told(rn_ras_comm *comm) {
    const int64_t size = size_of(comm);
    if (comm->broken || size < 1 || size > RN_RAS_RANKS || comm->n_missing != comm->n_missing_said)
        return false;
    int32_t n = 0;
    for (int32_t k = 0; k < comm->n_kinds; k++) {
        if (is_whole(comm, &comm->kinds[k], size)) comm->kinds[n++] = comm->kinds[k];
    }
    comm->n_kinds = n;
    comm->size = (int32_t)size;
    for (int64_t i = size; i < comm->room; i++) {
        if (comm->missing[i]) return false;
    }
    return n > 0 || comm->n_missing > 0;
}

static bool is_of_all(const rn_ras_report *r, const rn_ras_comm *comm) {
    return comm->group == 0 && comm->number == 0 && (r->n_rows == 0 || r->rows[0].n_comms == 1);
}

/* Does one rank, or who is missing, explain why other communicators differ, too? */
static bool is_enough(const rn_ras_comm *comm) {
    int32_t odd = -1;
    for (int32_t k = 0; k < comm->n_kinds && comm->n_missing == 0; k++) {
        for (int32_t i = 0; i < comm->size; i++) {
            if (comm->kinds[k].count[i] < 0) continue;
            if (odd >= 0 && odd != i) return false;
            odd = i;
        }
    }
    return true;
}

/* Returns how many communicators differ, those that a file which ends too early lacks, too. */
static int64_t n_different(const rn_ras_report *r) {
    int64_t n = 0;
    for (int32_t i = 0; i < r->n_rows; i++) {
        if (r->rows[i].errors)
            n += r->rows[i].n_comms < RN_RAS_RANKS ? r->rows[i].n_comms : RN_RAS_RANKS;
    }
    return n > r->n_comms ? n : r->n_comms;
}

/* Returns the communicator that counts; NULL: none does. */
static rn_ras_comm *chosen(const rn_ras_report *r) {
    const int64_t n = n_different(r);
    for (int32_t i = 0; i < r->n_comms; i++) {
        rn_ras_comm *comm = &r->comms[i];
        if (n > 1 && !is_of_all(r, comm)) continue;
        if (is_told(comm) && (n == 1 || is_enough(comm))) return comm;
    }
    return NULL;
}

/* ------------------------------------------------------------------ dumps of it */

typedef struct dump_maker {
    rs_heap *keep;
    rs_texts words;
    rn_dump *dumps;
    int32_t *members, n;
    int32_t room; /* groups of a rank */
    uint32_t desc;
} dump_maker;

static bool begin_dumps(dump_maker *m, int32_t n_ranks, int32_t n_groups) {
    const size_t n = (size_t)n_ranks;
    m->n = n_ranks;
    m->room = n_groups;
    m->dumps = rs_heap_take(m->keep, n * sizeof *m->dumps);
    m->members = rs_heap_take(m->keep, n * sizeof *m->members);
    if (m->dumps == NULL || m->members == NULL || !rs_texts_begin(&m->words, m->keep, NULL, 0)) {
        return false;
    }
    for (int32_t i = 0; i < n_ranks; i++) {
        m->members[i] = i;
        m->dumps[i] = (rn_dump){.rank = i, .whole = true, .launched = true};
    }
    return true;
}

/* Adds a group of all ranks. count[i]: how many calls of it rank i launched; -1: `rest`. */
static bool add_group(dump_maker *m, const char *hash, const char *kind, const rn_ras_comm *comm,
                      const int64_t count[], int64_t rest) {
    char name[NAME];
    const int n = snprintf(name, sizeof name, "0x%s%s%s", hash, *kind != '\0' ? " " : "", kind);
    const int64_t group = rs_text_kept(&m->words, name, (size_t)n);
    const char *call = *kind != '\0' ? kind : "operation";
    const int64_t word = rs_text_kept(&m->words, call, strlen(call));
    if (group == RS_NO_TEXT || word == RS_NO_TEXT) return false;
    for (int32_t i = 0; i < m->n; i++) {
        rn_dump *d = &m->dumps[i];
        if (comm != NULL && comm->missing[i]) continue;
        if (d->groups == NULL) {
            d->groups = rs_heap_take(m->keep, (size_t)m->room * sizeof *d->groups);
            d->calls = rs_heap_take(m->keep, (size_t)m->room * sizeof *d->calls);
            if (d->groups == NULL || d->calls == NULL) return false;
        }
        const int64_t seq = count != NULL && count[i] >= 0 ? count[i] : rest;
        if (seq > 0 || count == NULL) {
            d->calls[d->n_calls++] = (rn_call){.seq = seq,
                                               .name = (uint32_t)word,
                                               .group = d->n_groups,
                                               .peer = -1,
                                               .root = -1,
                                               .op = -1};
        }
        d->groups[d->n_groups++] = (rn_call_group){.name = (uint32_t)group,
                                                   .desc = m->desc,
                                                   .n_ranks = m->n,
                                                   .ranks = m->members,
                                                   .last_seq = seq};
    }
    return true;
}

static bool make_dumps(dump_maker *m, const rn_ras_comm *comm, bool of_all, rn_dump **dumps,
                       int32_t *n_dumps) {
    bool made = begin_dumps(m, comm->size, comm->n_kinds + 1);
    if (made && !of_all) {
        char own[NAME]; /* as RAS names it: its ranks are not those of the job */
        const int n = snprintf(own, sizeof own, "#%d-%d", (int)comm->group, (int)comm->number);
        const int64_t desc = rs_text_kept(&m->words, own, (size_t)n);
        made = desc != RS_NO_TEXT;
        m->desc = made ? (uint32_t)desc : 0;
    }
    for (int32_t k = 0; k < comm->n_kinds && made; k++) {
        const rn_ras_kind *kind = &comm->kinds[k];
        made = add_group(m, comm->hash, kind->name, comm, kind->count, kind->rest);
    }
    if (made && comm->n_kinds == 0) made = add_group(m, comm->hash, "", comm, NULL, 0);
    const char **words = made ? rs_heap_take(m->keep, m->words.n * sizeof *words) : NULL;
    if (words == NULL) return false;
    for (uint32_t i = 0; i < m->words.n; i++) words[i] = m->words.list[i].text;
    *dumps = m->dumps;
    *n_dumps = 0;
    for (int32_t i = 0; i < m->n; i++) {
        if (m->dumps[i].n_groups == 0) continue;
        m->dumps[*n_dumps] = m->dumps[i];
        m->dumps[*n_dumps].words = words;
        m->dumps[(*n_dumps)++].n_words = m->words.n;
    }
    return true;
}

/* Says why no communicator counts. */
static const char *why_not(const rn_ras_report *r) {
    const int64_t n = n_different(r);
    if (n == 0) return RS_MESSAGE("it names no rank's calls");
    if (r->cut || n > r->n_comms)
        return RS_MESSAGE("it ends before it has said which ranks are behind");
    if (n == 1)
        return RS_MESSAGE(
            "it does not list which ranks are behind: ask ncclras with -v, or for JSON");
    return RS_MESSAGE(
        "several communicators differ, and it does not say which of their ranks are the same: "
        "ask ncclras for JSON");
}

rs_status rn_read_ras_text(const char *text, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                           rs_error *error, rn_dump **dumps, int32_t *n_dumps) {
    rs_heap heap = {.arena = scratch}, kept = {.arena = keep};
    dump_maker m = {.keep = &kept};
    rn_ras_report report;
    const rs_status status = rn_parse_ras_text(text, n_bytes, &heap, error, &report);
    if (status != RS_OK) return status;
    const rn_ras_comm *comm = chosen(&report);
    rn_ras_comm alike = {.hash = "0"};
    if (comm == NULL && n_different(&report) == 0 && report.n_rows > 0) {
        const size_t n = (size_t)report.rows[0].size;
        alike.size = (int32_t)n;
        alike.missing = rs_heap_take(&heap, n * sizeof *alike.missing);
        if (alike.missing == NULL) return rs_no_memory(error);
        comm = &alike;
    }
    if (comm == NULL) return rs_fail(error, RS_BAD_INPUT, "%s", why_not(&report));
    if (!make_dumps(&m, comm, comm == &alike || is_of_all(&report, comm), dumps, n_dumps)) {
        return rs_no_memory(error);
    }
    if (*n_dumps == 0) return rs_fail(error, RS_BAD_INPUT, "it names no rank's calls");
    return RS_OK;
}
