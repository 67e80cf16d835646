/* dump_writer.c: a made rank's dump, byte for byte as torch's C++ pickler writes it, as Python's own pickler writes it
 * (protocols 2 to 5), or as JSON: dump_values.c writes the values, this what stands in an entry.
 */
#include "hangs/made_parts.h"
#include "support/printed.h"
#include "hangs/dump_values.h"

#include <stdio.h>
#include <stdlib.h>

typedef rn_dump_writer writer;

/* The bytes that came. */
static void time_or_none(writer *w, int64_t ns, bool known) {
    if (known) {
        rn_dump_integer(w, ns);
    } else {
        rn_dump_none(w);
    }
}

/* ------------------------------------------------------------------ an entry */

static void sizes(writer *w, int64_t n) {
    rn_dump_begin(w, false, 1);
    rn_dump_begin(w, false, 2);
    rn_dump_integer(w, 1);
    rn_dump_integer(w, n);
    rn_dump_end(w);
    rn_dump_end(w);
}

static void dtypes(writer *w, const made_call *c) {
    rn_dump_begin(w, false, 1);
    rn_dump_text(w, c->dtype == 0 ? "Float" : "BFloat16");
    rn_dump_end(w);
}

static const char *const op_names[] = {"all_reduce", "_all_gather_base",   "_reduce_scatter_base",
                                       "broadcast",  "all_reduce_barrier", "send",
                                       "recv"};

static void name_call(const made_job *j, int32_t rank, const made_call *c, char out[64]) {
    const made_group *g = &j->groups[c->group];
    int own = 0;
    while (g->ranks[own] != rank) own++;
    if (c->op == MADE_SEND || c->op == MADE_RECV) {
        snprintf(out, 64, "nccl:%s %d%s%d", op_names[c->op], own, c->op == MADE_SEND ? "->" : "<-",
                 c->peer);
    } else {
        snprintf(out, 64, "nccl:%s", op_names[c->op]);
    }
}

/* With timing the recorder knows what has begun: of a group its first open call; in order, of all groups. */
static const char *state_of_open(const made_job *j, int32_t rank, int32_t i) {
    const made_call *calls = j->ranks[rank].calls, *c = &calls[i];
    for (int32_t k = 0; k < i; k++) {
        const bool before = !calls[k].done && !made_is_message(&calls[k]);
        if (before && (j->in_order || calls[k].group == c->group)) return "scheduled";
    }
    return j->timed ? "started" : "scheduled";
}

/* closes: the entry behind a coalesced send or recv, which alone has its state. */
static void entry(writer *w, const made_job *j, int32_t rank, int32_t i, int32_t record,
                  bool closes) {
    const made_call *c = &j->ranks[rank].calls[i];
    const made_group *g = &j->groups[c->group];
    const bool message = c->op == MADE_SEND || c->op == MADE_RECV;
    const int64_t ahead = made_clock_ns(j, rank);
    char name[64];
    name_call(j, rank, c, name);
    const bool done = c->done && (!message || !j->coalesced || closes);
    if (closes) snprintf(name, sizeof name, "nccl:coalesced");
    const bool lasts = done && j->timed;
    rn_dump_begin(w, true, lasts ? 20 : 19);
    rn_dump_text(w, "record_id"), rn_dump_integer(w, record);
    rn_dump_text(w, "pg_id"), rn_dump_integer(w, c->group);
    rn_dump_text(w, "process_group"), rn_dump_pair(w, g->name, g->desc);
    rn_dump_text(w, "collective_seq_id"), rn_dump_integer(w, c->seq);
    rn_dump_text(w, "p2p_seq_id"), rn_dump_integer(w, c->p2p_seq);
    rn_dump_text(w, "op_id"), rn_dump_integer(w, i + 1);
    rn_dump_text(w, "profiling_name"), rn_dump_text(w, name);
    rn_dump_text(w, "time_created_ns"), rn_dump_integer(w, c->created_ns + ahead);
    rn_dump_text(w, "input_sizes"),
        sizes(w, c->op == MADE_REDUCE_SCATTER ? c->n * g->n_ranks : c->n);
    rn_dump_text(w, "input_dtypes"), dtypes(w, c);
    rn_dump_text(w, "output_sizes"), sizes(w, c->op == MADE_ALL_GATHER ? c->n * g->n_ranks : c->n);
    rn_dump_text(w, "output_dtypes"), dtypes(w, c);
    rn_dump_text(w, "state"), rn_dump_text(w, done ? "completed" : state_of_open(j, rank, i));
    rn_dump_text(w, "time_discovered_started_ns"), rn_dump_none(w);
    rn_dump_text(w, "time_discovered_completed_ns"),
        time_or_none(w, made_seen_ns(j, rank, c->completed_ns + ahead), done);
    if (lasts) {
        rn_dump_text(w, "duration_ms");
        rn_dump_real(w, 1e-6 * (double)(c->completed_ns - c->started_ns));
    }
    rn_dump_text(w, "retired"), rn_dump_bool(w, done);
    rn_dump_text(w, "timeout_ms"), rn_dump_integer(w, 600000);
    rn_dump_text(w, "is_p2p"), rn_dump_bool(w, message);
    rn_dump_text(w, "frames");
    if (!j->frames) {
        rn_dump_begin(w, false, 0);
        rn_dump_end(w);
        rn_dump_end(w);
        return;
    }
    rn_dump_begin(w, false, 2);
    rn_dump_code_line(w, op_names[c->op],
                      "/usr/lib/python3/site-packages/torch/distributed/distributed_c10d.py",
                      2000 + c->op);
    rn_dump_code_line(w, "step", "train.py", c->line);
    rn_dump_end(w);
    rn_dump_end(w);
}

static void config(writer *w, const made_job *j, int32_t rank) {
    const made_rank *r = &j->ranks[rank];
    rn_dump_begin(w, true, r->n_groups);
    for (int32_t k = 0; k < r->n_groups; k++) {
        const made_group *g = &j->groups[r->groups[k]];
        char *ranks = malloc((size_t)g->n_ranks * 8 + 8);
        size_t n = 0;
        if (ranks == NULL) abort();
        for (int32_t m = 0; m < g->n_ranks; m++) {
            n += (size_t)sprintf(ranks + n, "%s%d", m > 0 ? ", " : "[", (int)g->ranks[m]);
        }
        snprintf(ranks + n, 2, "]");
        rn_dump_text(w, g->name);
        rn_dump_begin(w, true, 3);
        rn_dump_text(w, "name"), rn_dump_text(w, g->name);
        rn_dump_text(w, "desc"), rn_dump_text(w, g->desc);
        rn_dump_text(w, "ranks");
        rn_dump_text(w, ranks);
        rn_dump_end(w);
        free(ranks);
    }
    rn_dump_end(w);
}

/* How many entries the calls before `i` have: a coalesced send or recv has two. */
static int32_t entries_before(const made_job *j, int32_t rank, int32_t i) {
    int32_t n = 0;
    for (int32_t k = 0; k < i; k++) {
        const made_call *c = &j->ranks[rank].calls[k];
        n += 1 + (j->coalesced && (c->op == MADE_SEND || c->op == MADE_RECV));
    }
    return n;
}

/* Calls from point to point count on in the same numbers. */
static void status(writer *w, const made_job *j, int32_t rank) {
    const made_rank *r = &j->ranks[rank];
    rn_dump_begin(w, true, r->n_groups);
    for (int32_t k = 0; k < r->n_groups; k++) {
        char id[16];
        int32_t n_made = 0, n_done = 0;
        for (int32_t i = 0; i < r->n_made; i++) {
            if (r->calls[i].group != r->groups[k]) continue;
            n_made++;
            if (r->calls[i].done && n_done == n_made - 1) n_done++;
        }
        snprintf(id, sizeof id, "%d", (int)r->groups[k]);
        rn_dump_text(w, id);
        rn_dump_begin(w, true, 3);
        rn_dump_text(w, "last_enqueued_collective"), rn_dump_integer(w, n_made > 0 ? n_made : -1);
        rn_dump_text(w, "last_started_collective"), rn_dump_integer(w, -1);
        rn_dump_text(w, "last_completed_collective"), rn_dump_integer(w, n_done > 0 ? n_done : -1);
        rn_dump_end(w);
    }
    rn_dump_end(w);
}

static void entries(writer *w, const made_job *j, int32_t rank) {
    const made_rank *r = &j->ranks[rank];
    const int32_t all = entries_before(j, rank, r->n_made);
    const int32_t first = all > j->buffer ? all - j->buffer : 0;
    const bool active = j->wish.form == MADE_ACTIVE;
    int32_t n_over = 0;
    for (int32_t i = 0, record = 0; i < r->n_made && active; i++) {
        const int32_t n = 1 + (j->coalesced && made_is_message(&r->calls[i]));
        for (int32_t k = 0; k < n; k++) n_over += record++ >= first && r->calls[i].done;
    }
    rn_dump_begin(w, false, all - first - n_over);
    for (int32_t i = 0, record = 0; i < r->n_made; i++) {
        const made_call *c = &r->calls[i];
        const bool left_out = active && c->done;
        if (record >= first && !left_out) entry(w, j, rank, i, record, false);
        record++;
        if (!j->coalesced || (c->op != MADE_SEND && c->op != MADE_RECV)) continue;
        if (record >= first && !left_out) entry(w, j, rank, i, record, true);
        record++;
    }
    rn_dump_end(w);
}

char *dump_rank(const made_job *j, int32_t rank, size_t *n_bytes) {
    const made_rank *r = &j->ranks[rank];
    if (r->no_dump) return NULL;
    page made = {0};
    rs_arena arena;
    rs_heap pieces = {.arena = &arena};
    writer *w = calloc(1, sizeof *w);
    if (w == NULL) abort();
    rs_arena_init(&arena, NULL);
    rn_dump_open(w, j->style, &pieces, keep, &made);
    rn_dump_begin(w, true, j->status ? 4 : 3);
    rn_dump_text(w, "version"), rn_dump_text(w, "2.4");
    rn_dump_text(w, "pg_config"), config(w, j, rank);
    if (j->status) {
        rn_dump_text(w, "pg_status");
        status(w, j, rank);
    }
    rn_dump_text(w, "entries"), entries(w, j, rank);
    rn_dump_end(w);
    if (!rn_dump_close(w)) abort();
    if (w->style >= 4) { /* one frame */
        const uint64_t n = made.n - RN_DUMP_FRAME_END;
        for (int i = 0; i < 8; i++) made.text[RN_DUMP_FRAME + i] = (char)(n >> (8 * i));
    }
    *n_bytes = made.n;
    if (j->cut && rank == j->blind) *n_bytes = made.n * 3 / 4;
    rs_arena_free(&arena);
    free(w);
    return made.text;
}
