/* ras_text_dumps.c: of what NCCL's RAS prints, dumps of one communicator's ranks.
 *
 *   - Ranks are those of the communicator; the text does not say which ranks of two communicators are the same. So it
 *     is one communicator that counts: that of all ranks, or the only one that differs.
 *   - What all have launched alike is not told. A call 0 stands for it where ranks are missing.
 */
#include "ras.h"

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

/* Adds a group of all ranks of a kind; NULL: nothing is told of their calls. */
static void add_kind(rn_ras_dumps *d, const rn_ras_comm *comm, const rn_ras_kind *kind,
                     rn_call_group group) {
    const char *call = kind != NULL ? kind->name : "operation";
    const uint32_t word = rn_keep_printed(&d->words, "%s", call);
    group.name = rn_keep_printed(&d->words, "0x%s%s%s", comm->hash, kind != NULL ? " " : "",
                                 kind != NULL ? call : "");
    for (int32_t i = 0; i < d->n; i++) {
        if (comm->missing[i]) continue;
        const bool listed = kind != NULL && kind->count[i] >= 0;
        group.last_seq = listed ? kind->count[i] : kind != NULL ? kind->rest : 0;
        rn_ras_add(d, i, &group, word, kind == NULL);
    }
}

static bool make_dumps(rn_ras_dumps *d, rs_heap *heap, rs_heap *keep, const rn_ras_comm *comm,
                       bool of_all) {
    const bool made = rn_ras_begin(d, comm->size, heap, keep);
    rn_call_group group = {.n_ranks = comm->size, .ranks = rn_keep_ranks(keep, 0, comm->size)};
    if (!made || group.ranks == NULL) return false;
    if (!of_all) /* as RAS names it: its ranks are not those of the job */
        group.desc = rn_keep_printed(&d->words, "#%d-%d", (int)comm->group, (int)comm->number);
    for (int32_t k = 0; k < comm->n_kinds; k++) add_kind(d, comm, &comm->kinds[k], group);
    if (comm->n_kinds == 0) add_kind(d, comm, NULL, group);
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
    rn_ras_dumps made;
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
    const bool of_all = comm == &alike || is_of_all(&report, comm);
    if (!make_dumps(&made, &heap, &kept, comm, of_all)) return rs_no_memory(error);
    return rn_ras_end(&made, false, error, dumps, n_dumps);
}
