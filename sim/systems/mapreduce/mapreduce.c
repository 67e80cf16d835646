/* mapreduce.c: maps a text of any size and merges what the mappers found.
 *
 *     for each mapper:  lanes read its part side by side, in rounds    (readers.c, vocabulary.c)
 *                       parts merge the lanes' tables side by side     (totals.c)
 *                       what it has for each reducer is noted
 *
 *   - One mapper after the other, all threads on each: so the work is even whatever N is, and memory
 *     holds one mapper's words beside all.
 *   - Threads take no memory. Between rounds this file gives more to those that are full.
 */
#include "systems/mapreduce/mapreduce_steps.h"
#include "systems/mapreduce/readers.h"

#include <string.h>

enum {
    LEAST_LANE = 64 * 1024, /* bytes worth a thread */
    MOST_LANES = 256,
    PLACES = 64 * 1024 /* taken at once */
};

typedef struct mapping {
    const rs_mr_request *request;
    const rs_host *host;
    rs_arena *arena;
    rs_error *error;
    rs_lane *lanes;
    rs_words *words; /* [n_lanes] */
    int32_t n_lanes;
    rs_totals totals;
} mapping;

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

int32_t rs_mr_reducer(const char *word, int64_t n_bytes, int32_t n_ranks) {
    return (int32_t)(rs_crc32(0, word, (size_t)n_bytes) % (uint32_t)n_ranks);
}

/* ------------------------------------------------------------------ memory */

static rs_status no_memory(const mapping *m) {
    return rs_fail(m->error, RS_NO_MEMORY,
                   "no memory for the words: the text has too many different ones for this "
                   "machine; take a part of it");
}

/* Returns what tables may still take; at least 1, as 0 would be no limit. */
static size_t allowance(const mapping *m) {
    size_t used = m->arena->n_bytes;
    if (m->arena->limit_bytes == 0) return 0;
    for (int32_t i = 0; i < m->n_lanes; i++) used += m->words[i].arena.n_bytes;
    for (int32_t p = 0; p < RS_TOTALS_PARTS; p++) used += m->totals.parts[p].arena.n_bytes;
    return used < m->arena->limit_bytes ? m->arena->limit_bytes - used : 1;
}

static rs_status give_room(mapping *m, rs_words *words) {
    if (m->request->op == RS_MR_LIST && words->n_places == 0) {
        words->places = allowance(m) == 1 ? NULL : rs_alloc(m->arena, PLACES, sizeof(rs_place));
        if (words->places == NULL) return no_memory(m);
        words->n_places = PLACES;
    }
    if (!rs_words_full(words, m->request->op)) return RS_OK;
    return rs_words_grow(words, m->host, allowance(m)) ? RS_OK : no_memory(m);
}

static void free_all(mapping *m) {
    for (int32_t i = 0; i < m->n_lanes; i++) rs_words_free(&m->words[i]);
    for (int32_t p = 0; p < RS_TOTALS_PARTS; p++) rs_arena_free(&m->totals.parts[p].arena);
}

static rs_status begin(mapping *m) {
    const rs_mr_request *request = m->request;
    const int64_t worth = request->text.n_bytes / LEAST_LANE + 1;
    const int32_t n_workers = m->host == NULL || m->host->parallel_for == NULL ? 1
                              : m->host->n_workers < 1                         ? 1
                                                       : (int32_t)m->host->n_workers;
    m->n_lanes = n_workers < MOST_LANES ? n_workers : MOST_LANES;
    if (worth < m->n_lanes) m->n_lanes = (int32_t)worth;
    m->totals.n_ranks = request->n_ranks;
    m->totals.op = request->op;
    m->lanes = rs_alloc(m->arena, (size_t)m->n_lanes, sizeof *m->lanes);
    m->words = rs_alloc(m->arena, (size_t)m->n_lanes, sizeof *m->words);
    if (m->lanes == NULL || m->words == NULL) {
        m->n_lanes = 0;
        return no_memory(m);
    }
    for (int32_t i = 0; i < m->n_lanes; i++) {
        char *buffer = rs_alloc(m->arena, RS_LANE_BUFFER + RS_WORDS_AHEAD, 1);
        if (buffer == NULL) return no_memory(m);
        m->lanes[i] = (rs_lane){
            .text = &request->text, .op = request->op, .words = &m->words[i], .buffer = buffer};
        const rs_status status = give_room(m, &m->words[i]);
        if (status != RS_OK) return status;
    }
    for (int32_t p = 0; p < RS_TOTALS_PARTS; p++) {
        rs_part *part = &m->totals.parts[p];
        part->rows = rs_alloc(m->arena, (size_t)request->n_ranks, sizeof *part->rows);
        if (part->rows == NULL) return no_memory(m);
    }
    return RS_OK;
}

/* ------------------------------------------------------------------ map */

static void run_tasks(const mapping *m, int n_tasks, void (*task)(void *, int), void *argument) {
    if (n_tasks > 1 && m->host != NULL && m->host->parallel_for != NULL) {
        m->host->parallel_for(m->host->context, n_tasks, task, argument);
        return;
    }
    for (int i = 0; i < n_tasks; i++) task(argument, i);
}

static rs_status tell(const mapping *m, int64_t done) {
    const rs_host *host = m->host;
    const int64_t total = m->request->text.n_bytes;
    if (host == NULL || host->progress == NULL ||
        host->progress(host->context, "reading the text", done, total)) {
        return RS_OK;
    }
    return rs_fail(m->error, RS_CANCELLED, "cancelled while reading the text");
}

static rs_status blame(const mapping *m, const rs_lane *lane) {
    if (lane->failed) {
        return rs_fail(m->error, RS_BAD_INPUT,
                       "the text cannot be read to its end; did it become shorter?");
    }
    return rs_fail(m->error, RS_BAD_INPUT,
                   "byte %lld: a word of more than %d bytes begins; is it a text? Words end at "
                   "blanks",
                   (long long)lane->at, RS_MR_MAX_WORD);
}

/* Runs lanes until all have done, or until the first of those that cannot go on is known: it is the
   same one whatever the others did meanwhile. */
static rs_status read_part(mapping *m, int32_t n_lanes, int64_t begin) {
    const rs_lane *bad = NULL;
    for (bool done = false; !done;) {
        int64_t n_read = begin;
        run_tasks(m, n_lanes, rs_lane_work, m->lanes);
        done = true;
        for (int32_t i = 0; i < n_lanes; i++) {
            rs_lane *lane = &m->lanes[i];
            n_read += lane->at > lane->begin ? lane->at - lane->begin : 0;
            if (lane->failed || lane->too_long) {
                bad = lane;
                n_lanes = i;
            } else if (!rs_lane_done(lane)) {
                const rs_status status = give_room(m, lane->words);
                if (status != RS_OK) return status;
                done = false;
            }
        }
        const rs_status status = tell(m, n_read);
        if (status != RS_OK) return status;
    }
    return bad == NULL ? RS_OK : blame(m, bad);
}

static rs_status map(mapping *m, int32_t mapper, rs_mr_report *report) {
    const int64_t begin = report->first[mapper], n_bytes = report->first[mapper + 1] - begin;
    const int64_t worth = n_bytes / LEAST_LANE + 1;
    const int32_t n_lanes = worth < m->n_lanes ? (int32_t)worth : m->n_lanes;
    for (int32_t i = 0; i < n_lanes; i++) {
        rs_words_clear(&m->words[i]);
        rs_lane_begin(&m->lanes[i], begin + rs_chunk_offset(n_bytes, n_lanes, i),
                      begin + rs_chunk_offset(n_bytes, n_lanes, i + 1));
    }
    const rs_status status = read_part(m, n_lanes, begin);
    if (status != RS_OK) return status;
    for (int32_t i = 0; i < n_lanes; i++) report->mapped[mapper] += m->lanes[i].n_words;
    report->n_words += report->mapped[mapper];
    rs_totals_begin(&m->totals, mapper, m->words, n_lanes);
    return RS_OK;
}

/* ------------------------------------------------------------------ merge */

static rs_status merge(mapping *m) {
    for (bool done = false; !done;) {
        int64_t n_words = 0;
        run_tasks(m, RS_TOTALS_PARTS, rs_totals_merge, &m->totals);
        done = true;
        for (int32_t p = 0; p < RS_TOTALS_PARTS; p++) {
            n_words += (int64_t)m->totals.parts[p].n_entries;
            if (rs_totals_done(&m->totals, p)) continue;
            if (!rs_totals_grow(&m->totals.parts[p], m->host, allowance(m))) return no_memory(m);
            done = false;
        }
        if (n_words <= RS_MR_MAX_WORDS) continue;
        return rs_fail(m->error, RS_TOO_LARGE,
                       "the text has more than %d different words; take a part of it",
                       RS_MR_MAX_WORDS);
    }
    return RS_OK;
}

static void note(const mapping *m, int32_t mapper, rs_mr_report *report) {
    const rs_mr_request *request = m->request;
    const int32_t n = request->n_ranks;
    for (int32_t r = 0; r < n; r++) {
        rs_mr_row row = {0};
        for (int32_t p = 0; p < RS_TOTALS_PARTS; p++) {
            const rs_mr_row *part = &m->totals.parts[p].rows[r];
            row.n_pairs += part->n_pairs;
            row.n_words += part->n_words;
            row.pair_bytes += part->pair_bytes;
            row.word_bytes += part->word_bytes;
        }
        rs_mr_message *message = &report->messages[(size_t)mapper * (size_t)n + (size_t)r];
        const bool list = request->op == RS_MR_LIST;
        message->n_pairs = request->combine ? row.n_words : row.n_pairs;
        message->n_bytes = message->n_pairs * (RS_PAIR_LENGTH + RS_PAIR_VALUE) +
                           (request->combine ? row.word_bytes : row.pair_bytes);
        if (request->combine && list) message->n_bytes += row.n_pairs * RS_PAIR_VALUE;
    }
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

static rs_status map_and_merge(mapping *m, rs_mr_report *report) {
    rs_status status = begin(m);
    for (int32_t n = 0; status == RS_OK && n < m->request->n_ranks; n++) {
        status = map(m, n, report);
        if (status == RS_OK) status = merge(m);
        if (status == RS_OK) note(m, n, report);
    }
    if (status == RS_OK) status = rs_mr_collect(&m->totals, m->arena, m->error, report);
    return status;
}

rs_status rs_mapreduce(const rs_mr_request *request, rs_arena *arena, rs_error *error,
                       rs_mr_report *report) {
    rs_mr_report made;
    rs_status status = check(request, error);
    if (status == RS_OK) status = begin_report(request, arena, error, &made);
    if (status != RS_OK) return status;
    mapping *m = rs_alloc(arena, 1, sizeof *m);
    if (m == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory to begin with");
    *m = (mapping){.request = request, .host = arena->host, .arena = arena, .error = error};
    status = map_and_merge(m, &made);
    free_all(m);
    if (status == RS_OK) status = rs_mr_explain(arena, error, &made);
    if (status == RS_OK) status = rs_mr_time(arena, error, &made);
    if (status == RS_OK) status = rs_mr_compare_ring(arena, error, &made);
    if (status == RS_OK) *report = made;
    return status;
}
