/* mapreduce.c: from a text to the report: its words, sorted, and what the other files compute from
   them. */
#include "systems/mapreduce/mapreduce_steps.h"

#include <stdlib.h>
#include <string.h>

static bool read_memory(const void *context, int64_t offset, int64_t n, char *out) {
    memcpy(out, (const char *)context + offset, (size_t)n);
    return true;
}

rs_mr_text rs_mr_text_of(const char *text, int64_t n_bytes) {
    return (rs_mr_text){.n_bytes = n_bytes, .context = text, .read = read_memory};
}

const char *rs_mr_op_name(rs_mr_op op) {
    static const char *const names[] = {"sum", "count", "max", "min", "list"};
    return names[op];
}

/* ------------------------------------------------------------------ the words */

/* Words are sorted by a number made of their first 8 bytes, and by all their bytes only if those
   are equal: that is twice as fast as to compare whole words each time. */
typedef struct sorted_word {
    uint64_t prefix; /* the first byte highest */
    const rs_word_entry *entry;
} sorted_word;

static uint64_t prefix_of(const rs_word_entry *entry) {
    uint64_t prefix = 0;
    for (int i = 0; i < 8; i++) {
        prefix = prefix << 8 | (i < entry->n_bytes ? (unsigned char)entry->text[i] : 0);
    }
    return prefix;
}

static int by_bytes(const void *left, const void *right) {
    const sorted_word *a = left, *b = right;
    if (a->prefix != b->prefix) return a->prefix < b->prefix ? -1 : 1;
    return rs_mr_compare(a->entry->text, a->entry->n_bytes, b->entry->text, b->entry->n_bytes);
}

static void copy_places(const rs_word_entry *entry, int64_t out[]) {
    const rs_word_place *place = entry->value.last->next;
    for (int64_t i = 0; i < entry->count; i++, place = place->next) out[i] = place->at;
}

static rs_mr_word word_of(const rs_word_entry *entry, rs_mr_op op) {
    const bool counts = op != RS_MR_MAX && op != RS_MR_MIN;
    return (rs_mr_word){.text = entry->text,
                        .n_bytes = entry->n_bytes,
                        .reducer = entry->reducer,
                        .count = entry->count,
                        .value = counts ? entry->count : entry->value.at};
}

/* Lists the table's words, sorted. */
static rs_status collect(const rs_words *table, rs_arena *arena, rs_error *error,
                         rs_mr_report *report) {
    const bool list = report->request.op == RS_MR_LIST;
    rs_mr_word *words = rs_alloc(arena, table->n_used + 1, sizeof *words);
    sorted_word *order = rs_alloc(arena, table->n_used + 1, sizeof *order);
    int64_t *places = rs_alloc(arena, list ? (size_t)report->n_words : 1, sizeof *places);
    if (words == NULL || order == NULL || places == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for %lld different words",
                       (long long)table->n_used);
    }
    for (size_t s = 0, n = 0; s < table->n_slots; s++) {
        const rs_word_entry *entry = table->slots[s];
        if (entry != NULL) order[n++] = (sorted_word){prefix_of(entry), entry};
    }
    qsort(order, table->n_used, sizeof *order, by_bytes);
    for (size_t i = 0; i < table->n_used; i++) {
        const rs_word_entry *entry = order[i].entry;
        words[i] = word_of(entry, report->request.op);
        report->reduced[entry->reducer]++;
        if (!list) continue;
        words[i].places = places;
        copy_places(entry, places);
        places += entry->count;
    }
    report->words = words;
    report->n_distinct = (int64_t)table->n_used;
    return RS_OK;
}

/* ------------------------------------------------------------------ the whole */

static rs_status check(const rs_mr_request *request, rs_error *error) {
    if (request->n_ranks < 1 || request->n_ranks > RS_MR_MAX_RANKS) {
        return rs_fail(error, RS_BAD_INPUT, "%d GPUs: MapReduce here has 1..%d",
                       (int)request->n_ranks, RS_MR_MAX_RANKS);
    }
    if (request->text.n_bytes < 0 || request->text.n_bytes >= (int64_t)1 << 46) {
        return rs_fail(error, RS_BAD_INPUT, "a text of %lld bytes is too long",
                       (long long)request->text.n_bytes);
    }
    return RS_OK;
}

static rs_status begin_report(const rs_mr_request *request, rs_arena *arena, rs_error *error,
                              rs_mr_report *report) {
    const size_t n = (size_t)request->n_ranks;
    *report = (rs_mr_report){.request = *request};
    report->first = rs_alloc(arena, n + 1, sizeof *report->first);
    report->mapped = rs_alloc(arena, n, sizeof *report->mapped);
    report->reduced = rs_alloc(arena, n, sizeof *report->reduced);
    report->messages = rs_alloc(arena, n * n, sizeof *report->messages);
    if (!report->first || !report->mapped || !report->reduced || !report->messages) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for %d GPUs", (int)n);
    }
    for (int32_t r = 0; r <= request->n_ranks; r++) {
        report->first[r] = rs_chunk_offset(request->text.n_bytes, request->n_ranks, r);
    }
    return RS_OK;
}

rs_status rs_mapreduce(const rs_mr_request *request, rs_arena *arena, rs_error *error,
                       rs_mr_report *report) {
    rs_mr_report made;
    rs_words words;
    rs_status status = check(request, error);
    if (status == RS_OK) status = begin_report(request, arena, error, &made);
    if (status == RS_OK) status = rs_mr_count(arena, error, &made, &words);
    if (status == RS_OK) status = collect(&words, arena, error, &made);
    if (status == RS_OK) status = rs_mr_explain(arena, error, &made);
    if (status == RS_OK) status = rs_mr_time(arena, error, &made);
    if (status == RS_OK) status = rs_mr_compare_ring(arena, error, &made);
    if (status == RS_OK) *report = made;
    return status;
}
