/* dump_writer.c: a rank's dump, byte for byte as torch's C++ pickler writes it (protocol 2; texts once, shared objects once),
 * as Python's own pickler writes it (protocols 2 to 5), or as JSON.
 *
 *   - One walk over the content; three writers, which differ in how they begin and end values and in what they remember.
 *   - torch: each list and dictionary is a mark, all items, one opcode. Python: the same in batches of 1,000, a single
 *     item without a mark, and every container and text goes into the memo.
 */
#include "hangs/hang_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXTS = 4096, DEEPEST = 8, BATCH = 1000, FRAME_HEAD = 9 };

typedef struct writer {
    char *bytes;
    size_t n, room;
    int style; /* as in made_job */
    uint32_t n_memo;
    struct {
        char *text;
        uint32_t number;
    } texts[MOST_TEXTS];
    struct {
        bool dict;
        int64_t n, written; /* items that there will be, that there are */
    } open[DEEPEST];
    int depth;
    int32_t frames[512][2]; /* line, number in the memo: a line of code is one object */
    int32_t n_frames;
} writer;

static void put(writer *w, const void *bytes, size_t n) {
    if (w->n + n + 16 > w->room) {
        w->room = 2 * w->room + n + 4096;
        w->bytes = realloc(w->bytes, w->room);
        if (w->bytes == NULL) abort();
    }
    memcpy(w->bytes + w->n, bytes, n);
    w->n += n;
}

static void op(writer *w, unsigned char code) {
    put(w, &code, 1);
}

static void little(writer *w, uint64_t value, int n) {
    unsigned char bytes[8];
    for (int i = 0; i < n; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    put(w, bytes, (size_t)n);
}

static bool is_json(const writer *w) {
    return w->style == 1;
}

static bool is_python(const writer *w) {
    return w->style >= 2;
}

static uint32_t remember(writer *w) {
    if (w->style >= 4) {
        op(w, 0x94);
    } else if (w->n_memo < 256) {
        op(w, 'q');
        little(w, w->n_memo, 1);
    } else {
        op(w, 'r');
        little(w, w->n_memo, 4);
    }
    return w->n_memo++;
}

static void recall(writer *w, uint32_t number) {
    op(w, number < 256 ? 'h' : 'j');
    little(w, number, number < 256 ? 1 : 4);
}

/* ------------------------------------------------------------------ lists */

/* Before an item, or a key. */
static void item(writer *w) {
    if (w->depth == 0) return;
    const int d = w->depth - 1;
    const int64_t k = w->open[d].written++, n = w->open[d].n;
    if (is_json(w)) {
        if (k > 0) put(w, w->open[d].dict && k % 2 == 1 ? ": " : ", ", 2);
        return;
    }
    const int64_t items = w->open[d].dict ? n / 2 : n, at = w->open[d].dict ? k / 2 : k;
    if (!is_python(w) || (w->open[d].dict && k % 2 == 1) || at % BATCH != 0) return;
    if (at > 0) op(w, w->open[d].dict ? 'u' : 'e');
    if (items - at > 1) op(w, '(');
}

static void begin(writer *w, bool dict, int64_t n) {
    item(w);
    w->open[w->depth].dict = dict;
    w->open[w->depth].n = dict ? 2 * n : n;
    w->open[w->depth++].written = 0;
    if (is_json(w)) {
        put(w, dict ? "{" : "[", 1);
        return;
    }
    op(w, dict ? '}' : ']');
    if (is_python(w)) {
        remember(w);
    } else {
        op(w, '(');
    }
}

static void end(writer *w) {
    const int d = --w->depth;
    const bool dict = w->open[d].dict;
    const int64_t n = dict ? w->open[d].n / 2 : w->open[d].n;
    if (is_json(w)) {
        put(w, dict ? "}" : "]", 1);
    } else if (!is_python(w) || n % BATCH > 1 || (n > 0 && n % BATCH == 0)) {
        op(w, dict ? 'u' : 'e');
    } else if (n % BATCH == 1) {
        op(w, dict ? 's' : 'a');
    }
}

/* ------------------------------------------------------------------ values */

static void text(writer *w, const char *t) {
    const size_t n = strlen(t);
    item(w);
    if (is_json(w)) {
        put(w, "\"", 1);
        put(w, t, n);
        put(w, "\"", 1);
        return;
    }
    uint32_t slot = 5381;
    for (size_t i = 0; i < n; i++) slot = slot * 33 + (unsigned char)t[i];
    for (slot %= MOST_TEXTS; w->texts[slot].text != NULL; slot = (slot + 1) % MOST_TEXTS) {
        if (strcmp(w->texts[slot].text, t) != 0) continue;
        recall(w, w->texts[slot].number);
        return;
    }
    if (w->style >= 4) {
        op(w, 0x8c);
        little(w, n, 1);
    } else {
        op(w, 'X');
        little(w, n, 4);
    }
    put(w, t, n);
    w->texts[slot].text = strdup(t);
    w->texts[slot].number = remember(w);
}

static void integer(writer *w, int64_t value) {
    char digits[24];
    item(w);
    if (is_json(w)) {
        put(w, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)value));
    } else if (value >= 0 && value < 256) {
        op(w, 'K');
        little(w, (uint64_t)value, 1);
    } else if (value >= 0 && value < 65536) {
        op(w, 'M');
        little(w, (uint64_t)value, 2);
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
        op(w, 'J');
        little(w, (uint64_t)value, 4);
    } else {
        op(w, 0x8a); /* Python writes as few bytes as hold it, and its sign */
        int n = 8;
        while (is_python(w) && n > 1 && value >> (8 * (n - 1) - 1) == (value < 0 ? -1 : 0)) n--;
        little(w, (uint64_t)n, 1);
        little(w, (uint64_t)value, n);
    }
}

static void constant(writer *w, char which) { /* n t f */
    item(w);
    if (is_json(w)) {
        put(w, which == 'n' ? "null" : which == 't' ? "true" : "false", which == 'f' ? 5 : 4);
    } else {
        op(w, which == 'n' ? 'N' : which == 't' ? 0x88 : 0x89);
    }
}

static void time_or_none(writer *w, int64_t ns, bool known) {
    if (known) {
        integer(w, ns);
    } else {
        constant(w, 'n');
    }
}

static void pair(writer *w, const char *a, const char *b) {
    if (is_json(w)) {
        begin(w, false, 2);
        text(w, a);
        text(w, b);
        end(w);
        return;
    }
    item(w);
    const int depth = w->depth;
    w->depth = 0; /* items of a tuple come without marks */
    text(w, a);
    text(w, b);
    op(w, 0x86);
    if (is_python(w)) remember(w);
    w->depth = depth;
}

/* ------------------------------------------------------------------ an entry */

static void sizes(writer *w, int64_t n) {
    begin(w, false, 1);
    begin(w, false, 2);
    integer(w, 1);
    integer(w, n);
    end(w);
    end(w);
}

static void dtypes(writer *w, const made_call *c) {
    begin(w, false, 1);
    text(w, c->dtype == 0 ? "Float" : "BFloat16");
    end(w);
}

static void frame(writer *w, const char *name, const char *file, int32_t line) {
    for (int32_t i = 0; i < w->n_frames && !is_json(w); i++) {
        if (w->frames[i][0] != line) continue;
        item(w);
        recall(w, (uint32_t)w->frames[i][1]);
        return;
    }
    const uint32_t number = w->n_memo;
    begin(w, true, 3);
    text(w, "name");
    text(w, name);
    text(w, "filename");
    text(w, file);
    text(w, "line");
    integer(w, line);
    end(w);
    if (is_json(w) || w->n_frames == 512) return;
    w->frames[w->n_frames][0] = line;
    w->frames[w->n_frames++][1] = (int32_t)(is_python(w) ? number : remember(w));
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

/* closes: the entry behind a coalesced send or recv, which alone has its state. */
static void entry(writer *w, const made_job *j, int32_t rank, int32_t i, int32_t record,
                  bool closes) {
    const made_call *c = &j->ranks[rank].calls[i];
    const made_group *g = &j->groups[c->group];
    const bool message = c->op == MADE_SEND || c->op == MADE_RECV;
    const int64_t slow = (int64_t)rank * 7000000; /* clocks are uneven */
    char name[64];
    name_call(j, rank, c, name);
    const bool done = c->done && (!message || !j->coalesced || closes);
    if (closes) snprintf(name, sizeof name, "nccl:coalesced");
    begin(w, true, 19);
    text(w, "record_id"), integer(w, record);
    text(w, "pg_id"), integer(w, c->group);
    text(w, "process_group"), pair(w, g->name, g->desc);
    text(w, "collective_seq_id"), integer(w, c->seq);
    text(w, "p2p_seq_id"), integer(w, c->p2p_seq);
    text(w, "op_id"), integer(w, i + 1);
    text(w, "profiling_name"), text(w, name);
    text(w, "time_created_ns"), integer(w, c->created_ns + slow);
    text(w, "input_sizes"), sizes(w, c->op == MADE_REDUCE_SCATTER ? c->n * g->n_ranks : c->n);
    text(w, "input_dtypes"), dtypes(w, c);
    text(w, "output_sizes"), sizes(w, c->op == MADE_ALL_GATHER ? c->n * g->n_ranks : c->n);
    text(w, "output_dtypes"), dtypes(w, c);
    text(w, "state"), text(w, done ? "completed" : "scheduled");
    text(w, "time_discovered_started_ns"), constant(w, 'n');
    text(w, "time_discovered_completed_ns"), time_or_none(w, c->completed_ns + slow, done);
    text(w, "retired"), constant(w, done ? 't' : 'f');
    text(w, "timeout_ms"), integer(w, 600000);
    text(w, "is_p2p"), constant(w, message ? 't' : 'f');
    text(w, "frames");
    if (!j->frames) {
        begin(w, false, 0);
        end(w);
        end(w);
        return;
    }
    begin(w, false, 2);
    frame(w, op_names[c->op],
          "/usr/lib/python3/site-packages/torch/distributed/distributed_c10d.py", 2000 + c->op);
    frame(w, "step", "train.py", c->line);
    end(w);
    end(w);
}

static void config(writer *w, const made_job *j, int32_t rank) {
    const made_rank *r = &j->ranks[rank];
    begin(w, true, r->n_groups);
    for (int32_t k = 0; k < r->n_groups; k++) {
        const made_group *g = &j->groups[r->groups[k]];
        char *ranks = malloc((size_t)g->n_ranks * 8 + 8);
        size_t n = 0;
        if (ranks == NULL) abort();
        for (int32_t m = 0; m < g->n_ranks; m++) {
            n += (size_t)sprintf(ranks + n, "%s%d", m > 0 ? ", " : "[", (int)g->ranks[m]);
        }
        snprintf(ranks + n, 2, "]");
        text(w, g->name);
        begin(w, true, 3);
        text(w, "name"), text(w, g->name);
        text(w, "desc"), text(w, g->desc);
        text(w, "ranks");
        const int style = w->style;
        if (n > 250 && style >= 4) w->style = 3; /* too long for a short text */
        text(w, ranks);
        w->style = style;
        end(w);
        free(ranks);
    }
    end(w);
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

static void entries(writer *w, const made_job *j, int32_t rank) {
    const made_rank *r = &j->ranks[rank];
    const int32_t all = entries_before(j, rank, r->n_made);
    const int32_t first = all > j->buffer ? all - j->buffer : 0;
    begin(w, false, all - first);
    for (int32_t i = 0, record = 0; i < r->n_made; i++) {
        const made_call *c = &r->calls[i];
        if (record >= first) entry(w, j, rank, i, record, false);
        record++;
        if (!j->coalesced || (c->op != MADE_SEND && c->op != MADE_RECV)) continue;
        if (record >= first) entry(w, j, rank, i, record, true);
        record++;
    }
    end(w);
}

char *dump_rank(const made_job *j, int32_t rank, size_t *n_bytes) {
    const made_rank *r = &j->ranks[rank];
    if (r->no_dump) return NULL;
    writer *w = calloc(1, sizeof *w);
    if (w == NULL) abort();
    w->style = j->style;
    if (!is_json(w)) op(w, 0x80), op(w, (unsigned char)(is_python(w) ? j->style : 2));
    if (w->style >= 4) put(w, "\x95\0\0\0\0\0\0\0\0", FRAME_HEAD); /* one frame */
    begin(w, true, 3);
    text(w, "version"), text(w, "2.4");
    text(w, "pg_config"), config(w, j, rank);
    text(w, "entries"), entries(w, j, rank);
    end(w);
    if (!is_json(w)) op(w, '.');
    if (w->style >= 4) {
        const uint64_t n = w->n - 2 - FRAME_HEAD;
        for (int i = 0; i < 8; i++) w->bytes[3 + i] = (char)(n >> (8 * i));
    }
    for (int i = 0; i < MOST_TEXTS; i++) free(w->texts[i].text);
    char *bytes = w->bytes;
    *n_bytes = w->n;
    if (j->cut && rank == j->blind) *n_bytes = w->n * 3 / 4;
    free(w);
    return bytes;
}
