/* mapreduce_count.c: cuts a text at its blanks and counts the words, for each mapper and each message.
 *
 *     |<- mapper 0 ->|<- mapper 1 ->|     a word belongs to the mapper in whose part it begins
 *
 *   - The table of words is a hash table in open addressing, at most half full; its slots hold the
 *     words' numbers, from 1 on.
 *   - A second walk writes what needs to know how many words there are: lists of places, pairs.
 */
#include "systems/mapreduce/mapreduce_steps.h"

#include <stdlib.h>
#include <string.h>

enum { PAIR_LENGTH = 2, PAIR_VALUE = 8 };                /* bytes beside the word */
enum { LEAST_SLOTS = 4096, REPORTED = 4 * 1024 * 1024 }; /* bytes of text between two reports */

/* A word of the table. */
typedef struct entry {
    rs_mr_word word;
    int64_t *next; /* lists: where its next place is written */
    uint32_t hash;
    int32_t last_mapper; /* that had the word */
} entry;

typedef struct counting {
    rs_arena *arena;
    rs_error *error;
    rs_mr_report *report;
    entry *entries;  /* [n_slots / 2] */
    uint32_t *slots; /* [n_slots] a power of two; 0: free */
    size_t n_slots, n_used;
    /* the word that the walk has come to */
    int64_t at, end;
    uint32_t hash;
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

static bool is_blank(char byte) {
    const unsigned char c = (unsigned char)byte;
    return c == ' ' || (unsigned char)(c - 9) < 5;
}

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
    uint32_t hash = 2166136261; /* FNV-1a (Fowler, Noll, Vo) */
    while (at < n && is_blank(text[at])) at++;
    c->at = at;
    for (; at < n && !is_blank(text[at]); at++) hash = (hash ^ (unsigned char)text[at]) * 16777619;
    c->end = at;
    c->hash = hash;
    if (c->at == n) return false;
    while (c->at >= c->report->first[c->mapper + 1]) c->mapper++;
    return true;
}

/* ------------------------------------------------------------------ the table */

/* Returns the slot of the word, or the free one where it belongs. */
static uint32_t *find_slot(const counting *c) {
    const char *text = c->report->request.text + c->at;
    const int64_t n_bytes = c->end - c->at;
    for (size_t i = c->hash & (c->n_slots - 1);; i = (i + 1) & (c->n_slots - 1)) {
        if (c->slots[i] == 0) return &c->slots[i];
        const entry *e = &c->entries[c->slots[i] - 1];
        if (e->hash == c->hash && e->word.n_bytes == n_bytes &&
            memcmp(e->word.text, text, (size_t)n_bytes) == 0) {
            return &c->slots[i];
        }
    }
}

static rs_status grow(counting *c) {
    const size_t n = c->n_slots == 0 ? LEAST_SLOTS : 2 * c->n_slots;
    entry *entries = rs_alloc(c->arena, n / 2, sizeof *entries);
    uint32_t *slots = rs_alloc(c->arena, n, sizeof *slots);
    if (entries == NULL || slots == NULL) {
        return rs_fail(c->error, RS_NO_MEMORY,
                       "no memory for the words: the text has too many different ones for this "
                       "machine");
    }
    if (c->n_used > 0) memcpy(entries, c->entries, c->n_used * sizeof *entries);
    for (size_t e = 0; e < c->n_used; e++) {
        size_t i = entries[e].hash & (n - 1);
        while (slots[i] != 0) i = (i + 1) & (n - 1);
        slots[i] = (uint32_t)e + 1;
    }
    c->entries = entries;
    c->slots = slots;
    c->n_slots = n;
    return RS_OK;
}

static entry *add_word(counting *c, uint32_t *slot) {
    const char *text = c->report->request.text + c->at;
    const int64_t n_bytes = c->end - c->at;
    entry *e = &c->entries[c->n_used++];
    *slot = (uint32_t)c->n_used;
    *e = (entry){.word = {.text = text,
                          .n_bytes = (int32_t)n_bytes,
                          .reducer = rs_mr_reducer(text, n_bytes, c->report->request.n_ranks)},
                 .hash = c->hash,
                 .last_mapper = -1};
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
    uint32_t *slot = find_slot(c);
    const bool is_new = *slot == 0;
    entry *e = is_new ? add_word(c, slot) : &c->entries[*slot - 1];
    count_word(c, e);
    return is_new && 2 * c->n_used >= c->n_slots ? grow(c) : RS_OK;
}

static rs_status count_words(counting *c) {
    const int64_t n = c->report->request.n_bytes;
    rs_status status = grow(c);
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
    for (size_t i = 0; i < c->n_used; i++) {
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
        entry *e = &c->entries[*find_slot(c) - 1];
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
    report->words = rs_alloc(c->arena, c->n_used + 1, sizeof *report->words);
    if (report->words == NULL) {
        return rs_no_memory(c->error);
    }
    for (size_t i = 0; i < c->n_used; i++) {
        report->words[i] = c->entries[i].word;
        report->reduced[report->words[i].reducer]++;
    }
    report->n_distinct = (int64_t)c->n_used;
    qsort(report->words, c->n_used, sizeof *report->words, rs_mr_by_bytes);
    return RS_OK;
}

rs_status rs_mr_count(rs_arena *arena, rs_error *error, rs_mr_report *report) {
    counting c = {.arena = arena, .error = error, .report = report};
    rs_status status = count_words(&c);
    if (status == RS_OK) status = begin_lists(&c);
    if (status == RS_OK && (report->pairs != NULL || report->request.op == RS_MR_LIST)) {
        list_words(&c);
    }
    return status == RS_OK ? sort_words(&c) : status;
}
