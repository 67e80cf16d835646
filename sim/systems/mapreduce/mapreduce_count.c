/* mapreduce_count.c: cuts a text at its blanks and counts the words, for each mapper and each message.
 *
 *     |<- mapper 0 ->|<- mapper 1 ->|     a word belongs to the mapper in whose part it begins
 *
 *   - A second walk writes what needs to know how many words there are: lists of places, pairs.
 */
#include "base/containers.h"
#include "systems/mapreduce/mapreduce_steps.h"

#include <stdlib.h>
#include <string.h>

enum { PAIR_LENGTH = 2, PAIR_VALUE = 8 }; /* bytes beside the word */
enum { REPORTED = 4 * 1024 * 1024 };      /* bytes of text between two reports */

/* A word of the table. */
typedef struct entry {
    rs_mr_word word;
    int64_t *next;       /* lists: where its next place is written */
    int32_t last_mapper; /* that had the word */
} entry;

typedef struct counting {
    rs_arena *arena;
    rs_error *error;
    rs_mr_report *report;
    rs_texts words;
    entry *entries; /* [words.n] by their numbers */
    int64_t entries_room;
    /* the word that the walk has come to */
    int64_t at, end;
    int32_t mapper;
} counting;

int32_t rs_mr_reducer(const char *word, int64_t n_bytes, int32_t n_ranks) {
    return (int32_t)(rs_crc32(0, word, (size_t)n_bytes) % (uint32_t)n_ranks);
}

int rs_mr_by_bytes(const void *left, const void *right) {
    const rs_mr_word *a = left, *b = right;
    const int order =
        memcmp(a->text, b->text, (size_t)(a->n_bytes < b->n_bytes ? a->n_bytes : b->n_bytes));
    return order != 0 ? order : (a->n_bytes > b->n_bytes) - (a->n_bytes < b->n_bytes);
}

/* ------------------------------------------------------------------ the walk */

static void begin_walk(counting *c) {
    c->end = 0;
    c->mapper = 0;
}

/* Walks to the next word; false: there is none. */
static bool next_word(counting *c) {
    const rs_mr_request *request = &c->report->request;
    const char *text = request->text;
    const int64_t n = request->n_bytes;
    int64_t at = c->end;
    while (at < n && rs_is_space(text[at])) at++;
    c->at = at;
    while (at < n && !rs_is_space(text[at])) at++;
    c->end = at;
    if (c->at == n) return false;
    while (c->at >= c->report->first[c->mapper + 1]) c->mapper++;
    return true;
}

/* ------------------------------------------------------------------ the table */

/* Returns the word that the walk has come to, as the table has it, new where it is; NULL: no memory. */
static entry *entry_of(counting *c) {
    const char *text = c->report->request.text + c->at;
    const int64_t n_bytes = c->end - c->at;
    const int64_t number = rs_text_of(&c->words, text, (size_t)n_bytes);
    if (number == RS_NO_TEXT || !rs_reserve(c->arena, &c->entries, c->words.n, &c->entries_room)) {
        return NULL;
    }
    entry *e = &c->entries[number];
    if (e->word.text == NULL) {
        *e = (entry){.word = {.text = text,
                              .n_bytes = (int32_t)n_bytes,
                              .reducer = rs_mr_reducer(text, n_bytes, c->report->request.n_ranks)},
                     .last_mapper = -1};
    }
    return e;
}

/* ------------------------------------------------------------------ counted */

/* Adds a pair to a message, or with `combine` what it adds to the word's one pair. */
static void note_pair(const rs_mr_request *request, const entry *e, bool first,
                      rs_mr_message *message) {
    if (first || !request->combine) {
        message->n_pairs++;
        message->n_bytes += PAIR_LENGTH + e->word.n_bytes + PAIR_VALUE;
    }
    if (request->combine && request->op == RS_MR_LIST) message->n_bytes += PAIR_VALUE;
}

static void count_word(const counting *c, entry *e) {
    rs_mr_report *report = c->report;
    const rs_mr_op op = report->request.op;
    rs_mr_word *word = &e->word;
    const int32_t message = c->mapper * report->request.n_ranks + word->reducer;
    note_pair(&report->request, e, e->last_mapper != c->mapper, &report->messages[message]);
    word->count++;
    if (op == RS_MR_MAX || (op == RS_MR_MIN && word->count == 1)) word->value = c->at;
    if (op != RS_MR_MAX && op != RS_MR_MIN) word->value = word->count;
    e->last_mapper = c->mapper;
    report->mapped[c->mapper]++;
    report->n_words++;
}

/* Finds the word in the table, which has room for one more, and counts it. */
static rs_status take_word(counting *c) {
    if (c->end - c->at > RS_MR_MAX_WORD) {
        return rs_fail(c->error, RS_BAD_INPUT,
                       "byte %lld: a word of more than %d bytes begins; is it a text? Words end at "
                       "blanks",
                       (long long)c->at, RS_MR_MAX_WORD);
    }
    entry *e = entry_of(c);
    if (e == NULL) {
        return rs_fail(c->error, RS_NO_MEMORY,
                       "no memory for the words: the text has too many different ones for this "
                       "machine");
    }
    count_word(c, e);
    return RS_OK;
}

static rs_status count_words(counting *c) {
    const int64_t n = c->report->request.n_bytes;
    rs_status status = RS_OK;
    int64_t reported = -REPORTED;
    begin_walk(c);
    while (status == RS_OK && next_word(c)) {
        if (c->at - reported >= REPORTED) {
            reported = c->at;
            if (!rs_go_on(c->arena->host, "reading the text", c->at, n)) {
                return rs_fail(c->error, RS_CANCELLED, "cancelled while reading the text");
            }
        }
        status = take_word(c);
    }
    return status;
}

/* ------------------------------------------------------------------ listed */

static rs_status begin_lists(const counting *c) {
    rs_mr_report *report = c->report;
    const size_t n = (size_t)report->n_words;
    if (report->request.n_bytes <= RS_MR_EXPLAINED) {
        report->pairs = rs_alloc(c->arena, n + 1, sizeof *report->pairs);
        if (report->pairs == NULL) return rs_no_memory(c->error);
    }
    if (report->request.op != RS_MR_LIST) return RS_OK;
    int64_t *places = rs_alloc(c->arena, n + 1, sizeof *places);
    if (places == NULL) return rs_no_memory(c->error);
    for (uint32_t i = 0; i < c->words.n; i++) {
        entry *e = &c->entries[i];
        e->word.places = e->next = places;
        places += e->word.count;
    }
    return RS_OK;
}

/* Writes each word's places, and the pairs of a short text as its mappers write them. */
static void list_words(counting *c) {
    const rs_mr_report *report = c->report;
    begin_walk(c);
    for (int64_t i = 0; next_word(c); i++) {
        entry *e = entry_of(c); /* which is there */
        if (e->next != NULL) *e->next++ = c->at;
        if (report->pairs == NULL) continue;
        report->pairs[i] = (rs_mr_pair){.place = c->at,
                                        .value = report->request.op == RS_MR_SUM ? 1 : c->at,
                                        .n_bytes = e->word.n_bytes,
                                        .mapper = c->mapper,
                                        .reducer = e->word.reducer};
    }
}

static rs_status sort_words(const counting *c) {
    rs_mr_report *report = c->report;
    const size_t n = c->words.n;
    report->words = rs_alloc(c->arena, n + 1, sizeof *report->words);
    if (report->words == NULL) return rs_no_memory(c->error);
    for (size_t i = 0; i < n; i++) {
        report->words[i] = c->entries[i].word;
        report->reduced[report->words[i].reducer]++;
    }
    report->n_distinct = (int64_t)n;
    qsort(report->words, n, sizeof *report->words, rs_mr_by_bytes);
    return RS_OK;
}

rs_status rs_mr_count(rs_arena *arena, rs_error *error, rs_mr_report *report) {
    rs_heap heap = {.arena = arena};
    counting c = {.arena = arena, .error = error, .report = report, .words = {.heap = &heap}};
    rs_status status = count_words(&c);
    if (status == RS_OK) status = begin_lists(&c);
    if (status == RS_OK && (report->pairs != NULL || report->request.op == RS_MR_LIST)) {
        list_words(&c);
    }
    return status == RS_OK ? sort_words(&c) : status;
}
