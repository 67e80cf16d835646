/* write_recorder.c: a rank's calls as torch's flight recorder dumps them (version 2.4).
 *
 *   - An entry has the fields of torch's FlightRecorder, in its order; rn_read_recorder reads the same calls again.
 *   - collective_seq_id of a message is that of the group's last collective before it, p2p_seq_id of a collective that of
 *     the last message: the recorder counts both.
 */
#include "dump_values.h"
#include "ringsim_hang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256, TIMEOUT_MS = 600000 };

/* How far a group's calls have come. */
typedef struct group_count {
    int64_t collective, message; /* the last one's number */
    int64_t completed;           /* collectives; -1: none */
} group_count;

static void write_field(rn_dump_writer *w, const char *key, int64_t value) {
    rn_dump_text(w, key);
    rn_dump_integer(w, value);
}

static void write_time(rn_dump_writer *w, const char *key, int64_t ns, bool known) {
    rn_dump_text(w, key);
    if (known) {
        rn_dump_integer(w, ns);
    } else {
        rn_dump_none(w);
    }
}

/* One tensor of one dimension. */
static void write_sizes(rn_dump_writer *w, const char *key, int64_t n) {
    rn_dump_text(w, key);
    rn_dump_begin(w, false, 1);
    rn_dump_begin(w, false, 1);
    rn_dump_integer(w, n);
    rn_dump_end(w);
    rn_dump_end(w);
}

static void write_dtypes(rn_dump_writer *w, const char *key, const char *dtype) {
    rn_dump_text(w, key);
    rn_dump_begin(w, false, 1);
    rn_dump_text(w, dtype);
    rn_dump_end(w);
}

/* Returns the place of a rank in the group. */
static int32_t place_in(const rn_call_group *g, int32_t rank) {
    int32_t at = rank >= 0 && rank < g->n_ranks && g->ranks[rank] == rank ? rank : 0;
    while (at < g->n_ranks && g->ranks[at] != rank) at++;
    return at;
}

/* "nccl:all_reduce", "nccl:send 0->1": places in the group. */
static void name_call(const rn_dump *d, const rn_call *c, char out[NAME]) {
    const rn_call_group *g = &d->groups[c->group];
    const char *name = d->words[c->name];
    if (c->peer < 0) {
        snprintf(out, NAME, "nccl:%.200s", name);
        return;
    }
    snprintf(out, NAME, "nccl:%s %d%s%d", c->sends ? "send" : "recv", (int)place_in(g, d->rank),
             c->sends ? "->" : "<-", (int)place_in(g, c->peer));
}

/* "train.py:42" as one frame; nothing is known: none. */
static void write_frames(rn_dump_writer *w, const char *where) {
    char file[NAME];
    const char *colon = strrchr(where, ':');
    rn_dump_text(w, "frames");
    rn_dump_begin(w, false, colon != NULL);
    if (colon != NULL) {
        snprintf(file, sizeof file, "%.*s", (int)(colon - where), where);
        rn_dump_code_line(w, "main", file, (int32_t)strtol(colon + 1, NULL, 10));
    }
    rn_dump_end(w);
}

static void write_entry(rn_dump_writer *w, const rn_dump *d, int64_t i, int64_t first,
                        group_count *count) {
    static const char *const states[] = {[RN_CALL_SCHEDULED] = "scheduled",
                                         [RN_CALL_STARTED] = "started",
                                         [RN_CALL_COMPLETED] = "completed"};
    const rn_call *c = &d->calls[i];
    const rn_call_group *g = &d->groups[c->group];
    const bool over = c->state == RN_CALL_COMPLETED, message = c->peer >= 0;
    char name[NAME];
    name_call(d, c, name);
    if (message) {
        count->message = c->seq;
    } else {
        count->collective = c->seq;
    }
    rn_dump_begin(w, true, 19);
    write_field(w, "record_id", first + i);
    write_field(w, "pg_id", c->group);
    rn_dump_text(w, "process_group");
    rn_dump_pair(w, d->words[g->name], d->words[g->desc]);
    write_field(w, "collective_seq_id", count->collective);
    write_field(w, "p2p_seq_id", count->message);
    write_field(w, "op_id", first + i + 1);
    rn_dump_text(w, "profiling_name");
    rn_dump_text(w, name);
    write_field(w, "time_created_ns", c->created_ns);
    write_sizes(w, "input_sizes", c->n_in);
    write_dtypes(w, "input_dtypes", d->words[c->dtype]);
    write_sizes(w, "output_sizes", c->n_out);
    write_dtypes(w, "output_dtypes", d->words[c->dtype]);
    rn_dump_text(w, "state");
    rn_dump_text(w, states[c->state]);
    write_time(w, "time_discovered_started_ns", 0, false);
    write_time(w, "time_discovered_completed_ns", c->completed_ns, over);
    rn_dump_text(w, "retired");
    rn_dump_bool(w, over);
    write_field(w, "timeout_ms", TIMEOUT_MS);
    rn_dump_text(w, "is_p2p");
    rn_dump_bool(w, message);
    write_frames(w, d->words[c->where]);
    rn_dump_end(w);
}

/* {name: {name, desc, ranks "[0, 1]"}} */
static bool write_config(rn_dump_writer *w, const rn_dump *d, rs_heap *pieces) {
    rn_dump_text(w, "pg_config");
    rn_dump_begin(w, true, d->n_groups);
    for (int32_t k = 0; k < d->n_groups; k++) {
        const rn_call_group *g = &d->groups[k];
        const size_t room = (size_t)g->n_ranks * 13 + 3;
        char *ranks = rs_heap_take(pieces, room);
        if (ranks == NULL) return false;
        size_t n = (size_t)snprintf(ranks, room, "[");
        for (int32_t m = 0; m < g->n_ranks; m++) {
            n += (size_t)snprintf(ranks + n, room - n, "%s%d", m > 0 ? ", " : "", (int)g->ranks[m]);
        }
        snprintf(ranks + n, room - n, "]");
        rn_dump_text(w, d->words[g->name]);
        rn_dump_begin(w, true, 3);
        rn_dump_text(w, "name");
        rn_dump_text(w, d->words[g->name]);
        rn_dump_text(w, "desc");
        rn_dump_text(w, d->words[g->desc]);
        rn_dump_text(w, "ranks");
        rn_dump_text(w, ranks);
        rn_dump_end(w);
    }
    rn_dump_end(w);
    return true;
}

/* {id: {last_enqueued_collective, last_started_collective, last_completed_collective}} */
static void write_status(rn_dump_writer *w, const rn_dump *d, group_count counts[]) {
    for (int64_t i = 0; i < d->n_calls; i++) {
        const rn_call *c = &d->calls[i];
        if (c->peer >= 0) continue;
        counts[c->group].collective = c->seq;
        if (c->state == RN_CALL_COMPLETED) counts[c->group].completed = c->seq;
    }
    rn_dump_text(w, "pg_status");
    rn_dump_begin(w, true, d->n_groups);
    for (int32_t k = 0; k < d->n_groups; k++) {
        char id[16];
        snprintf(id, sizeof id, "%d", (int)k);
        rn_dump_text(w, id);
        rn_dump_begin(w, true, 3);
        write_field(w, "last_enqueued_collective", counts[k].collective);
        write_field(w, "last_started_collective", -1);
        write_field(w, "last_completed_collective", counts[k].completed);
        rn_dump_end(w);
        counts[k] = (group_count){0};
    }
    rn_dump_end(w);
}

rs_status rn_write_recorder(const rn_dump *dump, int64_t n_lost, rs_arena *scratch, rs_error *error,
                            rs_write write, void *context) {
    rs_heap pieces = {.arena = scratch};
    rn_dump_writer *w = rs_alloc(scratch, 1, sizeof *w);
    group_count *counts = rs_alloc(scratch, (size_t)dump->n_groups, sizeof *counts);
    if (w == NULL || counts == NULL) return rs_no_memory(error);
    for (int32_t k = 0; k < dump->n_groups; k++) counts[k].completed = -1;
    rn_dump_open(w, RN_DUMP_TORCH, &pieces, write, context);
    rn_dump_begin(w, true, 4);
    rn_dump_text(w, "version");
    rn_dump_text(w, "2.4");
    const bool good = write_config(w, dump, &pieces);
    write_status(w, dump, counts);
    rn_dump_text(w, "entries");
    rn_dump_begin(w, false, dump->n_calls);
    for (int64_t i = 0; i < dump->n_calls; i++) {
        write_entry(w, dump, i, n_lost, &counts[dump->calls[i].group]);
    }
    rn_dump_end(w);
    rn_dump_end(w);
    if (!rn_dump_close(w) || !good) return rs_no_memory(error);
    return RS_OK;
}
