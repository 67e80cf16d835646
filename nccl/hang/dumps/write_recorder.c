/* write_recorder.c: a rank's calls as torch's flight recorder dumps them (version 2.4).
 *
 *   - An entry has the fields of torch's FlightRecorder, in its order; rn_read_recorder reads the same calls again.
 *   - collective_seq_id of a message is that of the group's last collective before it, p2p_seq_id of a collective that of
 *     the last message: the recorder counts both.
 */
#include "data_tree.h"
#include "ringsim_hang.h"
#include "ringsim_print.h"

#include <stdarg.h>
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

static void put_text(pickle_writer *w, const char *text, size_t n) {
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
        put(w, (char)value, (uint64_t)value >> 8, 7);
    }
}

/* Writes data by a form: {key value ...} and [value ...] as they look, value value & for a pair; of the values that follow # is an
   int64_t, $ a text, ? a bool; - is nothing. */
static void write_form(pickle_writer *w, const char *form, ...) {
    static const char signs[] = "{}[]&-", codes[] = "}u]e\x86N";
    va_list values;
    va_start(values, form);
    while (*form != '\0') {
        size_t n = 0;
        while (form[n] == '_' || rs_is_digit(form[n]) || (form[n] >= 'a' && form[n] <= 'z')) n++;
        if (n > 0) {
            put_text(w, form, n);
        } else if (*form == '#') {
            put_integer(w, va_arg(values, int64_t));
        } else if (*form == '$') {
            const char *text = va_arg(values, const char *);
            put_text(w, text, strlen(text));
        } else if (*form == '?') {
            put(w, va_arg(values, int) != 0 ? (char)0x88 : (char)0x89, 0, 0);
        } else if (*form != ' ') {
            put(w, codes[strchr(signs, *form) - signs], 0, 0);
            if (*form == '{' || *form == '[') put(w, '(', 0, 0);
        }
        form += n > 0 ? n : 1;
    }
    va_end(values);
}

/* ------------------------------------------------------------------ a rank's calls */

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
static void write_frame(pickle_writer *w, const char *where) {
    char file[NAME], key[NAME];
    const char *colon = strrchr(where, ':');
    int64_t place;
    if (colon == NULL) return;
    const int n = snprintf(key, sizeof key, "\n%.*s", NAME - 2, where); /* no text has it */
    if (recall(w, key, (size_t)n, &place)) return;
    snprintf(file, sizeof file, "%.*s", (int)(colon - where), where);
    write_form(w, "{name main filename $ line #}", file, (int64_t)strtol(colon + 1, NULL, 10));
    remember(w, place);
}

static void write_entry(pickle_writer *w, const rn_dump *d, int64_t i, int64_t first,
                        group_count *count) {
    static const char *const states[] = {[RN_CALL_SCHEDULED] = "scheduled",
                                         [RN_CALL_STARTED] = "started",
                                         [RN_CALL_COMPLETED] = "completed"};
    const rn_call *c = &d->calls[i];
    const rn_call_group *g = &d->groups[c->group];
    const bool over = c->state == RN_CALL_COMPLETED, message = c->peer >= 0;
    const char *dtype = d->words[c->dtype];
    char name[NAME];
    name_call(d, c, name);
    *(message ? &count->message : &count->collective) = c->seq;
    write_form(w,
               "{record_id # pg_id # process_group $ $ & collective_seq_id # p2p_seq_id # op_id #",
               first + i, (int64_t)c->group, d->words[g->name], d->words[g->desc],
               count->collective, count->message, first + i + 1);
    write_form(w,
               "profiling_name $ time_created_ns # input_sizes [[#]] input_dtypes [$]"
               "output_sizes [[#]] output_dtypes [$] state $",
               name, c->created_ns, c->n_in, dtype, c->n_out, dtype, states[c->state]);
    write_form(w, "time_discovered_started_ns - time_discovered_completed_ns");
    write_form(w, over ? "#" : "-", c->completed_ns);
    write_form(w, "retired ? timeout_ms # is_p2p ? frames [", over, (int64_t)TIMEOUT_MS, message);
    write_frame(w, d->words[c->where]);
    write_form(w, "]}");
}

static bool write_config(pickle_writer *w, const rn_dump *d, rs_heap *pieces) {
    write_form(w, "pg_config {");
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
        write_form(w, "$ {name $ desc $ ranks $}", d->words[g->name], d->words[g->name],
                   d->words[g->desc], ranks);
    }
    write_form(w, "}");
    return true;
}

static void write_status(pickle_writer *w, const rn_dump *d, group_count counts[]) {
    for (int64_t i = 0; i < d->n_calls; i++) {
        const rn_call *c = &d->calls[i];
        if (c->peer >= 0) continue;
        counts[c->group].collective = c->seq;
        if (c->state == RN_CALL_COMPLETED) counts[c->group].completed = c->seq;
    }
    write_form(w, "pg_status {");
    for (int32_t k = 0; k < d->n_groups; k++) {
        char id[16];
        snprintf(id, sizeof id, "%d", (int)k);
        write_form(w,
                   "$ {last_enqueued_collective # last_started_collective # "
                   "last_completed_collective #}",
                   id, counts[k].collective, (int64_t)-1, counts[k].completed);
        counts[k] = (group_count){0};
    }
    write_form(w, "}");
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
    write_form(w, "{version $", "2.4");
    const bool good = write_config(w, dump, &pieces);
    write_status(w, dump, counts);
    write_form(w, "entries [");
    for (int64_t i = 0; i < dump->n_calls; i++)
        write_entry(w, dump, i, n_lost, &counts[dump->calls[i].group]);
    write_form(w, "]}");
    put(w, '.', 0, 0);
    rs_printer_flush(&w->out);
    return w->failed || !good ? rs_no_memory(error) : RS_OK;
}
