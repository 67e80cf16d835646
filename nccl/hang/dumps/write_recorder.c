/* write_recorder.c: a rank's calls as torch's flight recorder dumps them (version 2.4).
 *
 *   - An entry has the fields of torch's FlightRecorder, in its order; rn_read_recorder reads the same calls again.
 *   - collective_seq_id of a message is that of the group's last collective before it, p2p_seq_id of a collective that of
 *     the last message: the recorder counts both.
 */
#include "base/containers.h"
#include "ringsim_hang.h"
#include "ringsim_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256, TIMEOUT_MS = 600000 };

/* How far a group's calls have come. */
typedef struct group_count {
    int64_t collective, message; /* the last one's number */
    int64_t completed;           /* collectives; -1: none */
} group_count;

/* ------------------------------------------------------------------ a pickle, as torch's pickler.cpp writes protocol 2

 *   - Each list and dictionary is a mark, all items, one opcode. A text is written once, and then named by its number.
 */

typedef struct pickle_writer {
    rs_printer out;
    rs_texts texts;    /* and places in the code */
    uint32_t *numbers; /* [n_numbers] of each in the memo, + 1; 0: not written yet */
    uint32_t n_numbers, n_memo;
    bool failed; /* no memory: what was written is worth nothing */
} pickle_writer;

/* An opcode, and a number of so many bytes. */
static void put(pickle_writer *w, char code, uint64_t value, int n) {
    char bytes[9] = {code};
    for (int i = 0; i < n; i++) bytes[1 + i] = (char)(value >> (8 * i));
    rs_printer_put_bytes(&w->out, bytes, (size_t)n + 1);
}

/* Is it written already? Then its number is; else it is to be, and to be remembered at its place. */
static bool recall(pickle_writer *w, const char *text, size_t n, int64_t *place) {
    *place = w->failed ? RS_NO_TEXT : rs_text_kept(&w->texts, text, n);
    w->failed = *place == RS_NO_TEXT ||
                !rs_reserve(w->texts.heap->arena, &w->numbers, *place + 1, &w->n_numbers);
    if (w->failed) return true;
    const uint32_t number = w->numbers[*place];
    if (number > 0) put(w, number <= 256 ? 'h' : 'j', number - 1, number <= 256 ? 1 : 4);
    return number > 0;
}

static void remember(pickle_writer *w, int64_t place) {
    put(w, w->n_memo < 256 ? 'q' : 'r', w->n_memo, w->n_memo < 256 ? 1 : 4);
    w->numbers[place] = ++w->n_memo;
}

static void begin(pickle_writer *w, bool dict) {
    put(w, dict ? '}' : ']', 0, 0);
    put(w, '(', 0, 0);
}

static void end(pickle_writer *w, bool dict) {
    put(w, dict ? 'u' : 'e', 0, 0);
}

static void put_text(pickle_writer *w, const char *text) {
    const size_t n = strlen(text);
    int64_t place;
    if (recall(w, text, n, &place)) return;
    put(w, 'X', n, 4);
    rs_printer_put_bytes(&w->out, text, n);
    remember(w, place);
}

static void put_integer(pickle_writer *w, int64_t value) {
    if (value >= 0 && value < 65536)
        put(w, value < 256 ? 'K' : 'M', (uint64_t)value, value < 256 ? 1 : 2);
    else if (value >= INT32_MIN && value <= INT32_MAX)
        put(w, 'J', (uint64_t)value, 4);
    else {
        put(w, (char)0x8a, 8, 1);
        for (int i = 0; i < 8; i++) put(w, (char)(value >> (8 * i)), 0, 0);
    }
}

/* ------------------------------------------------------------------ a rank's calls */

static void write_text(pickle_writer *w, const char *key, const char *text) {
    put_text(w, key);
    put_text(w, text);
}

static void write_field(pickle_writer *w, const char *key, int64_t value) {
    put_text(w, key);
    put_integer(w, value);
}

static void write_time(pickle_writer *w, const char *key, int64_t ns, bool known) {
    put_text(w, key);
    if (known) {
        put_integer(w, ns);
    } else {
        put(w, 'N', 0, 0);
    }
}

/* One tensor of one dimension. */
static void write_sizes(pickle_writer *w, const char *key, int64_t n) {
    put_text(w, key);
    begin(w, false);
    begin(w, false);
    put_integer(w, n);
    end(w, false);
    end(w, false);
}

static void write_dtypes(pickle_writer *w, const char *key, const char *dtype) {
    put_text(w, key);
    begin(w, false);
    put_text(w, dtype);
    end(w, false);
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

/* "train.py:42" as one frame, which is one object however often it is called from; nothing is known: none. */
static void write_frames(pickle_writer *w, const char *where) {
    char file[NAME], key[NAME];
    const char *colon = strrchr(where, ':');
    put_text(w, "frames");
    begin(w, false);
    if (colon != NULL) {
        int64_t place;
        const int n = snprintf(key, sizeof key, "\n%.*s", NAME - 2, where); /* no text has it */
        if (!recall(w, key, (size_t)n, &place)) {
            snprintf(file, sizeof file, "%.*s", (int)(colon - where), where);
            begin(w, true);
            write_text(w, "name", "main");
            write_text(w, "filename", file);
            write_field(w, "line", strtol(colon + 1, NULL, 10));
            end(w, true);
            remember(w, place);
        }
    }
    end(w, false);
}

static void write_entry(pickle_writer *w, const rn_dump *d, int64_t i, int64_t first,
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
    begin(w, true);
    write_field(w, "record_id", first + i);
    write_field(w, "pg_id", c->group);
    put_text(w, "process_group");
    put_text(w, d->words[g->name]);
    put_text(w, d->words[g->desc]);
    put(w, (char)0x86, 0, 0);
    write_field(w, "collective_seq_id", count->collective);
    write_field(w, "p2p_seq_id", count->message);
    write_field(w, "op_id", first + i + 1);
    write_text(w, "profiling_name", name);
    write_field(w, "time_created_ns", c->created_ns);
    write_sizes(w, "input_sizes", c->n_in);
    write_dtypes(w, "input_dtypes", d->words[c->dtype]);
    write_sizes(w, "output_sizes", c->n_out);
    write_dtypes(w, "output_dtypes", d->words[c->dtype]);
    write_text(w, "state", states[c->state]);
    write_time(w, "time_discovered_started_ns", 0, false);
    write_time(w, "time_discovered_completed_ns", c->completed_ns, over);
    put_text(w, "retired");
    put(w, over ? (char)0x88 : (char)0x89, 0, 0);
    write_field(w, "timeout_ms", TIMEOUT_MS);
    put_text(w, "is_p2p");
    put(w, message ? (char)0x88 : (char)0x89, 0, 0);
    write_frames(w, d->words[c->where]);
    end(w, true);
}

/* {name: {name, desc, ranks "[0, 1]"}} */
static bool write_config(pickle_writer *w, const rn_dump *d, rs_heap *pieces) {
    put_text(w, "pg_config");
    begin(w, true);
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
        put_text(w, d->words[g->name]);
        begin(w, true);
        write_text(w, "name", d->words[g->name]);
        write_text(w, "desc", d->words[g->desc]);
        write_text(w, "ranks", ranks);
        end(w, true);
    }
    end(w, true);
    return true;
}

/* {id: {last_enqueued_collective, last_started_collective, last_completed_collective}} */
static void write_status(pickle_writer *w, const rn_dump *d, group_count counts[]) {
    for (int64_t i = 0; i < d->n_calls; i++) {
        const rn_call *c = &d->calls[i];
        if (c->peer >= 0) continue;
        counts[c->group].collective = c->seq;
        if (c->state == RN_CALL_COMPLETED) counts[c->group].completed = c->seq;
    }
    put_text(w, "pg_status");
    begin(w, true);
    for (int32_t k = 0; k < d->n_groups; k++) {
        char id[16];
        snprintf(id, sizeof id, "%d", (int)k);
        put_text(w, id);
        begin(w, true);
        write_field(w, "last_enqueued_collective", counts[k].collective);
        write_field(w, "last_started_collective", -1);
        write_field(w, "last_completed_collective", counts[k].completed);
        end(w, true);
        counts[k] = (group_count){0};
    }
    end(w, true);
}

rs_status rn_write_recorder(const rn_dump *dump, int64_t n_lost, rs_arena *scratch, rs_error *error,
                            rs_write write, void *context) {
    rs_heap pieces = {.arena = scratch};
    pickle_writer *w = rs_alloc(scratch, 1, sizeof *w);
    group_count *counts = rs_alloc(scratch, (size_t)dump->n_groups, sizeof *counts);
    if (w == NULL || counts == NULL) return rs_no_memory(error);
    for (int32_t k = 0; k < dump->n_groups; k++) counts[k].completed = -1;
    *w = (pickle_writer){.out = {.write = write, .context = context}};
    w->failed = !rs_texts_begin(&w->texts, &pieces, NULL, 0);
    put(w, (char)0x80, 2, 1);
    begin(w, true);
    write_text(w, "version", "2.4");
    const bool good = write_config(w, dump, &pieces);
    write_status(w, dump, counts);
    put_text(w, "entries");
    begin(w, false);
    for (int64_t i = 0; i < dump->n_calls; i++) {
        write_entry(w, dump, i, n_lost, &counts[dump->calls[i].group]);
    }
    end(w, false);
    end(w, true);
    put(w, '.', 0, 0);
    rs_printer_flush(&w->out);
    return w->failed || !good ? rs_no_memory(error) : RS_OK;
}
