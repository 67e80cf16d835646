/* mapreduce_count.c: counts the words of a text of any size, on all threads in parallel.
 *
 *     |<- mapper 0 ->|<- mapper 1 ->|<- mapper 2 ->|   the text
 *     |<--- reader 0 --->|<------ reader 1 ------->|   a thread and a table each; a word belongs to
 *       at ->               at ->                      the reader in whose part it begins
 *
 *   - A round of a reader ends after a while, so that the main thread can report progress; where
 *     its mapper's part ends; and when its table is full. Between two rounds the main thread gives
 *     it memory and notes what the mapper has for each reducer. The readers' threads allocate
 *     nothing.
 *   - At the end the other readers' tables are merged into the first one's, in the order of the text.
 */
#include "systems/mapreduce/mapreduce_steps.h"

#include <string.h>

enum {
    BUFFER = 256 * 1024,
    ROUND = 4 * 1024 * 1024,  /* bytes that a reader reads in a round at most */
    LEAST_READER = 64 * 1024, /* fewer bytes are not worth a thread */
    MOST_READERS = 256,
    PLACES = 64 * 1024, /* allocated at once */
    BATCH = 64          /* a reader finds so many words before it counts the first of them */
};

typedef struct text_reader {
    _Alignas(64) const rs_mr_request *request; /* aligned: two threads share no cache line */
    rs_words words;
    rs_word_place *places; /* free ones, for lists */
    size_t n_places;
    char *buffer;
    size_t n_read;      /* bytes in the buffer */
    int64_t begin, end; /* words that begin in [begin, end) */
    int64_t at;         /* where the buffer begins in the text */
    int32_t mapper;     /* the mapper whose part it reads ... */
    int64_t until;      /* ... up to here */
    int64_t n_words;    /* of the mapper, found in this round */
    rs_mr_message *row; /* [n_ranks] the mapper's pairs for each reducer, found in this round */
    bool skips;         /* the word at the front of its part began before that part */
    bool failed;        /* the text cannot be read */
    bool too_long;      /* the word at `at` is too long */
    bool full;          /* it needs memory to go on */
} text_reader;

typedef struct found_word {
    size_t start, n_bytes;
    uint32_t hash;
} found_word;

typedef struct counting {
    rs_arena *arena;
    rs_error *error;
    rs_mr_report *report;
    text_reader *readers;
    int32_t n_readers;
} counting;

/* ------------------------------------------------------------------ a reader: on a thread */

/* Fills the buffer, as far as words that begin in the part can reach. */
static bool fill(text_reader *r) {
    const rs_mr_text *text = &r->request->text;
    const int64_t have = r->at + (int64_t)r->n_read, room = BUFFER - (int64_t)r->n_read;
    int64_t n = r->end + RS_MR_MAX_WORD + 1 - have;
    if (n > text->n_bytes - have) n = text->n_bytes - have;
    if (n > room) n = room;
    if (n <= 0) return true;
    r->n_read += (size_t)n;
    return text->read(text->context, have, n, r->buffer + r->n_read - n);
}

static void drop(text_reader *r, size_t n) {
    memmove(r->buffer, r->buffer + n, r->n_read - n);
    r->n_read -= n;
    r->at += (int64_t)n;
}

/* Finds up to BATCH words from *from on; *from: where the next one may begin. Prefetches their
   slots of the table meanwhile: to count each word at once takes twice as long. */
static int find_words(text_reader *r, size_t *from, found_word batch[BATCH]) {
    const char *text = r->buffer;
    const bool at_end = r->at + (int64_t)r->n_read == r->request->text.n_bytes;
    int n = 0;
    for (size_t i = *from; n < BATCH; *from = i) {
        while (i < r->n_read && rs_is_blank(text[i])) i++;
        *from = i;
        if (i == r->n_read || r->at + (int64_t)i >= r->until) break;
        uint32_t hash = 2166136261; /* FNV-1a (Fowler, Noll, Vo) */
        for (; i < r->n_read && !rs_is_blank(text[i]); i++) {
            hash = (hash ^ (unsigned char)text[i]) * 16777619;
        }
        r->too_long = i - *from > RS_MR_MAX_WORD;
        if (r->too_long || (i == r->n_read && !at_end)) break;
        batch[n++] = (found_word){*from, i - *from, hash};
        __builtin_prefetch(rs_words_home(&r->words, hash));
    }
    for (int k = 0; k < n; k++) __builtin_prefetch(*rs_words_home(&r->words, batch[k].hash));
    return n;
}

/* Adds a pair to a message, or with `combine` what it adds to the word's one pair. */
static void note_pair(rs_mr_message *message, const rs_mr_request *request, bool first, size_t n) {
    if (first || !request->combine) {
        message->n_pairs++;
        message->n_bytes += RS_PAIR_LENGTH + (int64_t)n + RS_PAIR_VALUE;
    }
    if (request->combine && request->op == RS_MR_LIST) message->n_bytes += RS_PAIR_VALUE;
}

static void take_place(text_reader *r, rs_word_entry *entry, int64_t at) {
    rs_word_place *place = r->places++, *last = entry->value.last;
    r->n_places--;
    *place = (rs_word_place){last != NULL ? last->next : place, at};
    if (last != NULL) last->next = place;
    entry->value.last = place;
}

/* Counts a word, unless there is no room for it. */
static void count(text_reader *r, const found_word *word) {
    const rs_mr_request *request = r->request;
    const char *text = r->buffer + word->start;
    const int64_t at = r->at + (int64_t)word->start;
    rs_word_entry **slot = rs_words_find(&r->words, text, word->n_bytes, word->hash);
    rs_word_entry *entry = *slot;
    if (entry == NULL) entry = rs_words_add(&r->words, slot, text, word->n_bytes, word->hash);
    r->full = entry == NULL || (request->op == RS_MR_LIST && r->n_places == 0);
    if (r->full) return;
    if (entry->count == 0) {
        entry->reducer = (uint16_t)rs_mr_reducer(text, entry->n_bytes, request->n_ranks);
        entry->first_mapper = (uint16_t)r->mapper;
        if (request->op == RS_MR_MIN) entry->value.at = at;
    }
    const bool first = entry->count == 0 || entry->last_mapper != r->mapper;
    note_pair(&r->row[entry->reducer], request, first, word->n_bytes);
    if (request->op == RS_MR_LIST) take_place(r, entry, at);
    if (request->op == RS_MR_MAX) entry->value.at = at;
    entry->last_mapper = (uint16_t)r->mapper;
    entry->count++;
    r->n_words++;
}

/* Counts the words that end in the buffer; returns where it stopped. */
static size_t count_buffer(text_reader *r) {
    found_word batch[BATCH];
    size_t at = 0;
    for (int n = BATCH; n == BATCH;) {
        n = find_words(r, &at, batch);
        for (int k = 0; k < n; k++) {
            count(r, &batch[k]);
            if (!r->full) continue;
            r->too_long = false; /* the next round finds the words after this one again */
            return batch[k].start;
        }
    }
    return at;
}

/* Leaves out the rest of a word that began before the part; returns where it stopped. */
static size_t skip_begun(text_reader *r) {
    size_t n = 0;
    while (n < r->n_read && !rs_is_blank(r->buffer[n])) n++;
    r->skips = n == r->n_read;
    return n;
}

static void work(void *readers, int index) {
    text_reader *r = (text_reader *)readers + index;
    const int64_t stop = r->at + ROUND < r->until ? r->at + ROUND : r->until;
    while (r->at < stop && !r->too_long && !r->full) {
        r->failed = !fill(r);
        if (r->failed) return;
        drop(r, r->skips ? skip_begun(r) : count_buffer(r));
    }
}

/* ------------------------------------------------------------------ between the rounds */

static rs_status check_memory(const counting *c, bool taken) {
    if (taken) return RS_OK;
    return rs_fail(c->error, RS_NO_MEMORY,
                   "no memory for the words: the text has too many different ones for this "
                   "machine; take a part of it");
}

static rs_status check_size(const counting *c, const rs_words *words) {
    if (words->n_used <= RS_MR_MAX_WORDS) return RS_OK;
    return rs_fail(c->error, RS_TOO_LARGE,
                   "the text has more than %d different words; take a part of it", RS_MR_MAX_WORDS);
}

static rs_status grow(const counting *c, text_reader *r) {
    r->full = false;
    if (r->request->op == RS_MR_LIST && r->n_places == 0) {
        r->places = rs_alloc(c->arena, PLACES, sizeof *r->places);
        r->n_places = PLACES;
        return check_memory(c, r->places != NULL);
    }
    const rs_status status = check_size(c, &r->words);
    return status == RS_OK ? check_memory(c, rs_words_grow(&r->words, c->arena)) : status;
}

/* Adds to the report what a reader found of its mapper's part; then moves the reader on to the
   mapper whose part it has reached. */
static void note_round(const counting *c, text_reader *r) {
    rs_mr_report *report = c->report;
    const int32_t n = report->request.n_ranks;
    rs_mr_message *messages = &report->messages[(size_t)r->mapper * (size_t)n];
    for (int32_t i = 0; i < n; i++) {
        messages[i].n_pairs += r->row[i].n_pairs;
        messages[i].n_bytes += r->row[i].n_bytes;
        r->row[i] = (rs_mr_message){0};
    }
    report->mapped[r->mapper] += r->n_words;
    report->n_words += r->n_words;
    r->n_words = 0;
    while (r->mapper + 1 < n && r->at >= report->first[r->mapper + 1]) r->mapper++;
    r->until = report->first[r->mapper + 1];
    if (r->until > r->end) r->until = r->end;
}

static rs_status report_progress(const counting *c, int64_t done) {
    const rs_host *host = c->arena->host;
    const int64_t total = c->report->request.text.n_bytes;
    if (rs_go_on(host, "reading the text", done, total)) return RS_OK;
    return rs_fail(c->error, RS_CANCELLED, "cancelled while reading the text");
}

static rs_status blame(const counting *c, const text_reader *r) {
    if (r->failed) {
        return rs_fail(c->error, RS_BAD_INPUT,
                       "the text cannot be read to its end; did it become shorter?");
    }
    return rs_fail(c->error, RS_BAD_INPUT,
                   "byte %lld: a word of more than %d bytes begins; is it a text? Words end at "
                   "blanks",
                   (long long)r->at, RS_MR_MAX_WORD);
}

static void run_readers(const counting *c) {
    rs_run_tasks(c->arena->host, c->n_readers, work, c->readers);
}

/* Runs the readers until all have finished, or until it knows the first one that cannot go on:
   which one that is does not depend on what the others did meanwhile. */
static rs_status read_text(counting *c) {
    const text_reader *bad = NULL;
    for (bool done = false; !done;) {
        int64_t n_read = 0;
        run_readers(c);
        done = true;
        for (int32_t i = 0; i < c->n_readers; i++) {
            text_reader *r = &c->readers[i];
            if (r->failed || r->too_long) {
                bad = r;
                c->n_readers = i;
                break;
            }
            note_round(c, r);
            n_read += r->at - r->begin;
            done = done && r->at >= r->end;
            const rs_status status = r->full ? grow(c, r) : RS_OK;
            if (status != RS_OK) return status;
        }
        const rs_status status = report_progress(c, n_read);
        if (status != RS_OK) return status;
    }
    return bad == NULL ? RS_OK : blame(c, bad);
}

/* ------------------------------------------------------------------ merge */

/* Folds what a later reader found into the same word of an earlier one. If both found it in the
   same mapper's part, its one pair was counted twice: takes one away. */
static void fold(const counting *c, rs_word_entry *entry, const rs_word_entry *later) {
    const rs_mr_request *request = &c->report->request;
    if (request->combine && entry->last_mapper == later->first_mapper) {
        const int32_t at = later->first_mapper * request->n_ranks + entry->reducer;
        c->report->messages[at].n_pairs--;
        c->report->messages[at].n_bytes -= RS_PAIR_LENGTH + entry->n_bytes + RS_PAIR_VALUE;
    }
    if (request->op == RS_MR_MAX) entry->value.at = later->value.at;
    if (request->op == RS_MR_LIST) { /* two rings become one */
        rs_word_place *last = later->value.last, *first = entry->value.last->next;
        entry->value.last->next = last->next;
        last->next = first;
        entry->value.last = last;
    }
    entry->count += later->count;
    entry->last_mapper = later->last_mapper;
}

static rs_status merge_word(const counting *c, rs_words *words, rs_word_entry *later) {
    for (;;) {
        rs_word_entry **slot = rs_words_find(words, later->text, later->n_bytes, later->hash);
        if (*slot != NULL) fold(c, *slot, later);
        if (*slot != NULL || rs_words_put(words, slot, later)) return RS_OK;
        if (!rs_words_grow(words, c->arena)) return check_memory(c, false);
    }
}

static rs_status merge(const counting *c) {
    rs_words *words = &c->readers[0].words;
    rs_status status = RS_OK;
    for (int32_t i = 1; i < c->n_readers; i++) {
        const rs_words *later = &c->readers[i].words;
        for (size_t s = 0; s < later->n_slots && status == RS_OK; s++) {
            if (later->slots[s] != NULL) status = merge_word(c, words, later->slots[s]);
        }
        if (status == RS_OK) status = check_size(c, words);
    }
    return status;
}

/* ------------------------------------------------------------------ the whole */

static int32_t n_readers_of(const rs_mr_request *request, const rs_host *host) {
    const int64_t worth = request->text.n_bytes / LEAST_READER + 1;
    int64_t n = host != NULL && host->parallel_for != NULL ? host->n_workers : 1;
    if (n > MOST_READERS) n = MOST_READERS;
    if (n > worth) n = worth;
    return n < 1 ? 1 : (int32_t)n;
}

static rs_status begin(counting *c) {
    const rs_mr_request *request = &c->report->request;
    const int32_t n = n_readers_of(request, c->arena->host);
    c->readers = rs_alloc(c->arena, (size_t)n, sizeof *c->readers);
    if (c->readers == NULL) return check_memory(c, false);
    for (; c->n_readers < n; c->n_readers++) {
        const int32_t i = c->n_readers;
        text_reader *r = &c->readers[i];
        r->request = request;
        r->buffer = rs_alloc(c->arena, BUFFER, 1);
        r->row = rs_alloc(c->arena, (size_t)request->n_ranks, sizeof *r->row);
        if (r->buffer == NULL || r->row == NULL || !rs_words_grow(&r->words, c->arena)) {
            return check_memory(c, false);
        }
        r->begin = rs_chunk_offset(request->text.n_bytes, n, i);
        r->end = rs_chunk_offset(request->text.n_bytes, n, i + 1);
        r->skips = i > 0; /* it begins one byte earlier, to see whether a word goes on there */
        r->at = r->begin - r->skips;
        note_round(c, r);
    }
    return RS_OK;
}

rs_status rs_mr_count(rs_arena *arena, rs_error *error, rs_mr_report *report, rs_words *words) {
    counting c = {.arena = arena, .error = error, .report = report};
    rs_status status = begin(&c);
    if (status == RS_OK) status = read_text(&c);
    if (status == RS_OK) status = merge(&c);
    if (status == RS_OK) *words = c.readers[0].words;
    return status;
}
