/* mapreduce_tables.c: the tables and figures of a MapReduce. Of a short text: its parts, the pairs, who holds which,
 * the groups, and the arrays that a ring folds. A pair is a tile: it has the colour of its mapper until the
 * partition says whose it is, then that of its reducer. Of a long text: sums, messages, the most frequent words.
 *
 *     At the mappers                 At the reducers
 *     GPU 0  [be 1]  (to 1)          [be x2]             a word that comes again makes the count grow
 */
#include "ringsim_print.h"
#include "story/mapreduce_moments.h"
#include "text/words.h"

#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 24, PART = 60, MOST_MATRIX = 16, WORD = 28 };
enum { MOST_MESSAGES = 16, MOST_OWNERS = 8, LINE = 160 }; /* of figures */

/* Writes a word into out, cut to a few characters, with ? for what a terminal would obey and what is
   no UTF-8. */
static const char *shown_word(const char *text, int64_t n_bytes, char out[WORD]) {
    size_t used = 0;
    for (int64_t at = 0; at < n_bytes;) {
        uint32_t character;
        const size_t length = rs_decode_utf8(text + at, (size_t)(n_bytes - at), &character);
        const bool bad = length == 0 || rs_is_unprintable(character);
        const size_t n = bad ? 1 : length;
        if (used + n + 3 >= WORD) break;
        memcpy(out + used, bad ? "?" : text + at, n);
        used += n;
        at += length == 0 ? 1 : (int64_t)length;
    }
    out[used] = '\0';
    return out;
}

/* Begins a table with a row for each GPU; `tiles`: its entries are things that move. */
static rv_grid *new_grid(const rs_mr_report *report, const char *title, int32_t n_columns,
                         bool tiles, rv_frame *frame) {
    rv_grid *grid = rv_frame_grid(frame, title, report->request.n_ranks, n_columns);
    rv_grid_ranks(grid);
    if (grid != NULL) grid->tiles = tiles;
    return grid;
}

static const char *pair_word(const rs_mr_report *report, const rs_mr_pair *pair, char out[WORD]) {
    return shown_word(report->request.text + pair->place, pair->n_bytes, out);
}

/* ------------------------------------------------------------------ text and pairs */

static void fill_parts(const rs_mr_report *report, rv_frame *frame) {
    static const char *const heads[] = {N_("bytes"), N_("words that begin there")};
    rv_grid *grid = new_grid(report, _("The text in parts"), 2, false, frame);
    rv_grid_columns(grid, heads, 2);
    for (int32_t r = 0; r < report->request.n_ranks; r++) {
        char line[PART + WORD] = "";
        for (int64_t i = 0; i < report->n_words; i++) {
            const rs_mr_pair *pair = &report->pairs[i];
            char word[WORD];
            if (pair->mapper != r || strlen(line) >= PART) continue;
            if (line[0] != '\0') strcat(line, " ");
            strcat(line, pair_word(report, pair, word));
        }
        rv_grid_plain(grid, r, 0, "%lld..%lld", (long long)report->first[r],
                      (long long)report->first[r + 1]);
        rv_grid_write(grid, r, 1, RV_TONE_PLAIN, r, "%s", line[0] != '\0' ? line : "-");
    }
}

/* Returns the most pairs that a mapper has. */
static int32_t most_pairs(const rs_mr_report *report) {
    int64_t most = 1;
    for (int32_t r = 0; r < report->request.n_ranks; r++) {
        if (report->mapped[r] > most) most = report->mapped[r];
    }
    return most < MOST_COLUMNS ? (int32_t)most : MOST_COLUMNS;
}

/* Returns the most words that a reducer has. */
static int32_t most_words(const rs_mr_report *report) {
    int32_t most = 1;
    for (int32_t r = 0; r < report->request.n_ranks; r++) {
        int32_t n = 0;
        for (int64_t w = 0; w < report->n_distinct; w++) n += report->words[w].reducer == r;
        if (n > most) most = n;
    }
    return most < MOST_COLUMNS ? most : MOST_COLUMNS;
}

static bool is_word_of(const rs_mr_report *report, const rs_mr_pair *pair, const rs_mr_word *word) {
    return pair->n_bytes == word->n_bytes &&
           memcmp(report->request.text + pair->place, word->text, (size_t)word->n_bytes) == 0;
}

/* Returns the place of a pair's word among all words. */
static int32_t word_of(const rs_mr_report *report, const rs_mr_pair *pair) {
    int32_t w = 0;
    while (w + 1 < report->n_distinct && !is_word_of(report, pair, &report->words[w])) w++;
    return w;
}

/* Writes a pair into its mapper's row, in the colour of a rank; `to`: with its reducer. Returns its
   column, which lies behind that of the pair before it. */
static int32_t fill_pair(const rs_mr_report *report, int64_t i, rv_frame *frame, rv_grid *grid,
                         rv_tone tone, int32_t rank, bool to) {
    const rs_mr_pair *pair = &report->pairs[i];
    char word[WORD];
    int32_t column = 0;
    for (int64_t k = i; k > 0 && report->pairs[k - 1].mapper == pair->mapper; k--) column++;
    rv_grid_write(grid, pair->mapper, column, tone, rank, "%s %lld%s",
                  pair_word(report, pair, word), (long long)pair->value,
                  to ? rv_frame_text(frame, _(", to GPU %d"), (int)pair->reducer) : "");
    return column;
}

static void fill_pairs(const rs_mr_report *report, bool with_reducer, rv_frame *frame) {
    rv_grid *grid = new_grid(report, with_reducer ? _("Whose is each pair?") : _("The pairs"),
                             most_pairs(report), true, frame);
    const rv_tone tone = with_reducer || frame->figures ? RV_TONE_PLAIN : RV_TONE_NEW;
    for (int64_t i = 0; i < report->n_words; i++) {
        const rs_mr_pair *pair = &report->pairs[i];
        fill_pair(report, i, frame, grid, tone, with_reducer ? pair->reducer : pair->mapper,
                  with_reducer);
    }
}

/* ------------------------------------------------------------------ the shuffle */

/* Returns the step of the shuffle in which a pair leaves its mapper; -1: it stays. */
static int32_t step_of(const rs_mr_report *report, const rs_mr_pair *pair) {
    return pair->mapper == pair->reducer
               ? -1
               : rv_mapreduce_step_of(report->request.n_ranks, pair->mapper, pair->reducer);
}

/* Shows which pairs have left their mapper, which leave in step shuffle_step, and which stay. */
static void fill_mappers(const rs_mr_report *report, int32_t shuffle_step, rv_frame *frame) {
    rv_grid *grid = new_grid(report, _("At the mappers"), most_pairs(report), true, frame);
    for (int64_t i = 0; i < report->n_words; i++) {
        const rs_mr_pair *pair = &report->pairs[i];
        const int32_t step = step_of(report, pair);
        const rv_tone tone = step == shuffle_step  ? RV_TONE_LEAVES
                             : step < shuffle_step ? RV_TONE_QUIET
                                                   : RV_TONE_PLAIN;
        const int32_t at = fill_pair(report, i, frame, grid, tone, pair->reducer, false);
        if (tone != RV_TONE_LEAVES) continue;
        rv_grid_way(grid, pair->mapper, at, 1 + word_of(report, pair), NULL);
    }
}

/* Counts the pairs of a word that its reducer has after a step of the shuffle: its own are there
   before step 0. */
static int32_t count_come(const rs_mr_report *report, const rs_mr_word *word, int32_t step) {
    int32_t n = 0;
    for (int64_t i = 0; i < report->n_words; i++) {
        const rs_mr_pair *pair = &report->pairs[i];
        n += is_word_of(report, pair, word) && step_of(report, pair) <= step;
    }
    return n;
}

static void fill_held(const rs_mr_report *report, int32_t shuffle_step, rv_frame *frame) {
    const int32_t n = report->request.n_ranks;
    fill_mappers(report, shuffle_step, frame);
    rv_grid *grid = new_grid(report, _("At the reducers"), most_words(report), true, frame);
    for (int32_t r = 0; r < n; r++) {
        for (int32_t w = 0, at = 0; w < report->n_distinct; w++) {
            const rs_mr_word *word = &report->words[w];
            char name[WORD];
            if (word->reducer != r) continue;
            const int32_t before = count_come(report, word, shuffle_step - 1);
            const int32_t now = count_come(report, word, shuffle_step);
            shown_word(word->text, word->n_bytes, name);
            const rv_tone tone = now == before ? RV_TONE_PLAIN : RV_TONE_NEW;
            if (now > 0) rv_grid_write(grid, r, at, tone, r, "%s x%d", name, (int)now);
            if (now > before) {
                rv_grid_way(grid, r, at, 1 + w,
                            before > 0 ? rv_frame_text(frame, "%s x%d", name, (int)before) : NULL);
            }
            at++;
        }
    }
}

/* ------------------------------------------------------------------ groups */

/* Computes what one mapper alone makes of a word; false: the word is not in its part of the
   text. */
static bool own_value(const rs_mr_report *report, const rs_mr_word *word, int32_t mapper,
                      int64_t *value) {
    const rs_mr_op op = report->request.op;
    bool met = false;
    *value = 0;
    for (int64_t i = 0; i < report->n_words; i++) {
        const rs_mr_pair *pair = &report->pairs[i];
        if (pair->mapper != mapper || !is_word_of(report, pair, word)) continue;
        if (op == RS_MR_SUM || op == RS_MR_COUNT) ++*value;
        if (op == RS_MR_MAX || (op == RS_MR_MIN && !met)) *value = pair->value;
        met = true;
    }
    return met;
}

/* Appends a value to a list; what does not fit ends it with dots. */
static void append(char values[PART], int64_t value) {
    const size_t used = strlen(values);
    if (used + 24 <= PART) {
        snprintf(values + used, PART - used, used > 0 ? " %lld" : "%lld", (long long)value);
    } else if (strcmp(values + used - 3, "...") != 0) {
        snprintf(values + used, PART - used, " ...");
    }
}

static void fill_group(const rs_mr_report *report, const rs_mr_word *word, bool done, int32_t row,
                       rv_frame *frame, rv_grid *grid) {
    char name[WORD], values[PART] = "";
    const bool folded = report->request.combine && report->request.op != RS_MR_LIST;
    const int64_t n = folded ? report->request.n_ranks : report->n_words;
    for (int64_t i = 0; i < n; i++) {
        int64_t value;
        if (folded) {
            if (own_value(report, word, (int32_t)i, &value)) append(values, value);
        } else if (is_word_of(report, &report->pairs[i], word)) {
            append(values, report->pairs[i].value);
        }
    }
    rv_grid_head(grid, row, -1, "%s", shown_word(word->text, word->n_bytes, name));
    rv_grid_write(grid, row, 0, RV_TONE_PLAIN, word->reducer, "GPU %d", (int)word->reducer);
    rv_grid_write(grid, row, 1,
                  frame->figures ? RV_TONE_PLAIN
                  : done         ? RV_TONE_QUIET
                                 : RV_TONE_ADDED,
                  -1, "%s", values);
    rv_grid_write(grid, row, 2, done ? RV_TONE_GOOD : RV_TONE_NEW, word->reducer, "%s",
                  report->request.op == RS_MR_LIST
                      ? rv_frame_text(frame, "[%s]", values)
                      : rv_frame_text(frame, "%lld", (long long)word->value));
}

static void fill_groups(const rs_mr_report *report, bool done, rv_frame *frame) {
    rv_grid *grid = rv_frame_grid(frame, _("One result a word"), (int32_t)report->n_distinct, 3);
    const char *const heads[] = {N_("reducer"), N_("its values"), NULL};
    rv_grid_columns(grid, heads, 3);
    /* The operation's name is no word: "min" would be minutes. */
    rv_grid_head(grid, -1, 2, "%s", rs_mr_op_name(report->request.op));
    if (grid != NULL) grid->whole = true;
    int32_t row = 0;
    for (int32_t r = 0; r < report->request.n_ranks; r++) {
        for (int64_t w = 0; w < report->n_distinct; w++) {
            if (report->words[w].reducer == r) {
                fill_group(report, &report->words[w], done, row++, frame, grid);
            }
        }
    }
}

/* ------------------------------------------------------------------ the ring's arrays */

/* Shows a column for each word, reducer after reducer. */
static void fill_arrays(const rs_mr_report *report, bool folded, rv_frame *frame) {
    const int32_t n = report->request.n_ranks;
    rv_grid *grid =
        new_grid(report, _("A number for each word"), (int32_t)report->n_distinct, false, frame);
    int32_t column = 0;
    for (int32_t c = 0; c < n; c++) {
        for (int64_t w = 0; w < report->n_distinct; w++) {
            const rs_mr_word *word = &report->words[w];
            char name[WORD];
            if (word->reducer != c) continue;
            rv_grid_head(grid, -1, column, _("chunk %d: %s"), (int)c,
                         shown_word(word->text, word->n_bytes, name));
            for (int32_t r = 0; r < n; r++) {
                int64_t value;
                const bool met = own_value(report, word, r, &value);
                const bool owns = folded && report->ring.owner[c] == r;
                const rv_tone tone = owns ? RV_TONE_GOOD : folded ? RV_TONE_QUIET : RV_TONE_PLAIN;
                if (owns || met) {
                    rv_grid_write(grid, r, column, tone, c, "%lld",
                                  (long long)(owns ? word->value : value));
                } else {
                    rv_grid_write(grid, r, column, tone, -1, ".");
                }
            }
            column++;
        }
    }
}

/* ------------------------------------------------------------------ a long text */

/* Shows the messages, rows send and columns receive: those sent, those on their way, those to
   come. */
static void fill_messages(const rs_mr_report *report, int32_t shuffle_step, rv_frame *frame) {
    const int32_t n = report->request.n_ranks;
    if (n < 2 || n > MOST_MATRIX) return;
    rv_grid *grid = rv_frame_grid(frame, _("Messages, in bytes: rows send, columns receive"), n, n);
    if (grid == NULL) return;
    rv_grid_ranks(grid);
    for (int32_t r = 0; r < n; r++) {
        rv_grid_head(grid, -1, r, "GPU %d", (int)r);
        for (int32_t d = 0; d < n; d++) {
            const rs_mr_message *m = &report->messages[(int64_t)r * n + d];
            const int32_t step = rv_mapreduce_step_of(n, r, d);
            const rv_tone tone = step == shuffle_step  ? RV_TONE_LEAVES
                                 : step < shuffle_step ? RV_TONE_PLAIN
                                                       : RV_TONE_QUIET;
            if (r == d || m->start_ps < 0) {
                rv_grid_write(grid, r, d, RV_TONE_PLAIN, -1, r == d ? "" : ".");
            } else {
                rv_grid_write(grid, r, d, tone, d, "%lld", (long long)m->n_bytes);
            }
        }
    }
}

static int64_t bytes_sent(const rs_mr_report *report, int32_t rank) {
    const int32_t n = report->request.n_ranks;
    int64_t n_bytes = 0;
    for (int32_t d = 0; d < n; d++) {
        if (d != rank) n_bytes += report->messages[(int64_t)rank * n + d].n_bytes;
    }
    return n_bytes;
}

static void fill_sums(const rs_mr_report *report, rv_mapreduce_moment moment, rv_frame *frame) {
    enum { TEXT, WORDS, SENDS, REDUCES, MAPPED, DONE, N_COLUMNS };
    static const char *const heads[N_COLUMNS] = {
        N_("text"), N_("words"), N_("sends"), N_("reduces"), N_("mapped after"), N_("done after")};
    const int32_t n = report->request.n_ranks, n_columns = frame->figures ? N_COLUMNS : MAPPED;
    rv_grid *grid = rv_frame_grid(frame, _("What every GPU does"), n, n_columns);
    rv_grid_columns(grid, heads, n_columns);
    rv_grid_ranks(grid);
    for (int32_t r = 0; r < n; r++) {
        const char *const cells[N_COLUMNS] = {
            rv_frame_bytes(frame, report->first[r + 1] - report->first[r]),
            rv_frame_text(frame, "%lld", (long long)report->mapped[r]),
            rv_frame_bytes(frame, bytes_sent(report, r)),
            rv_frame_text(frame, "%lld", (long long)report->reduced[r]),
            rv_frame_time(frame, report->map_ps[r]),
            rv_frame_time(frame, report->end_ps[r])};
        const rv_tone tones[N_COLUMNS] = {
            [WORDS] = moment == RV_MR_MAP ? RV_TONE_NEW : RV_TONE_PLAIN,
            [SENDS] = moment == RV_MR_SHUFFLE ? RV_TONE_LEAVES : RV_TONE_PLAIN,
            [REDUCES] = moment == RV_MR_REDUCE ? RV_TONE_ADDED : RV_TONE_GOOD};
        const bool known[N_COLUMNS] = {
            true, moment >= RV_MR_MAP, moment >= RV_MR_SHUFFLE, moment >= RV_MR_REDUCE, true, true};
        for (int32_t c = 0; c < n_columns; c++) {
            if (known[c]) rv_grid_write(grid, r, c, tones[c], r, "%s", cells[c]);
        }
    }
}

static void fill_top(const rv_mapreduce_story *of, rv_frame *frame) {
    const rs_mr_op op = of->report->request.op;
    const bool times = frame->figures && (op == RS_MR_MAX || op == RS_MR_MIN);
    const bool all = frame->figures && of->n_top == of->report->n_distinct;
    rv_grid *grid = rv_frame_grid(
        frame, all ? _("All words, the most frequent first") : _("The most frequent words"),
        (int32_t)of->n_top, times ? 3 : 2);
    const char *const heads[] = {NULL, N_("reducer"), N_("times")};
    rv_grid_columns(grid, heads, times ? 3 : 2);
    rv_grid_head(grid, -1, 0, "%s", rs_mr_op_name(op));
    if (grid != NULL) grid->whole = true;
    for (int32_t i = 0; i < of->n_top; i++) {
        const rs_mr_word *word = of->top[i];
        char name[WORD];
        rv_grid_head(grid, i, -1, "%s", shown_word(word->text, word->n_bytes, name));
        rv_grid_write(grid, i, 0, RV_TONE_GOOD, word->reducer, "%lld", (long long)word->value);
        rv_grid_write(grid, i, 1, RV_TONE_PLAIN, word->reducer, "GPU %d", (int)word->reducer);
        if (!times) continue;
        rv_grid_plain(grid, i, 2, "%lld", (long long)word->count);
    }
}

/* ------------------------------------------------------------------ a moment */

void rv_mapreduce_pairs(const rs_mr_report *report, rv_mapreduce_moment moment,
                        int32_t shuffle_step, rv_frame *frame) {
    switch (moment) {
    case RV_MR_START: fill_parts(report, frame); break;
    case RV_MR_MAP:
    case RV_MR_PARTITION:
        fill_pairs(report, moment == RV_MR_PARTITION, frame);
        fill_parts(report, frame);
        break;
    case RV_MR_SHUFFLE: fill_held(report, shuffle_step, frame); break;
    case RV_MR_REDUCE:
    case RV_MR_END: fill_groups(report, moment == RV_MR_END, frame); break;
    case RV_MR_ARRAYS:
    case RV_MR_RING: fill_arrays(report, moment == RV_MR_RING, frame); break;
    }
}

void rv_mapreduce_sums(const rv_mapreduce_story *of, rv_mapreduce_moment moment,
                       int32_t shuffle_step, rv_frame *frame) {
    fill_sums(of->report, moment, frame);
    if (moment == RV_MR_SHUFFLE) fill_messages(of->report, shuffle_step, frame);
    if (moment == RV_MR_REDUCE || moment == RV_MR_END) fill_top(of, frame);
}

/* ------------------------------------------------------------------ figures, for a page of text */

static const char *meaning_of(rs_mr_op op) {
    static const char *const meanings[RS_MR_N_OPS] = {
        N_("sum: a pair is (word, 1), and a reducer adds the ones"),
        N_("count: a pair is (word, place), and a reducer counts the places"),
        N_("max: a pair is (word, place), and a reducer keeps the last place"),
        N_("min: a pair is (word, place), and a reducer keeps the first place"),
        N_("list: a pair is (word, place), and a reducer lists the places")};
    return _(meanings[op]);
}

static void note_request(const rs_mr_report *report, rv_frame *frame) {
    const rs_mr_request *request = &report->request;
    rv_frame_note(frame,
                  _("%s of text: words %lld, different %lld; GPUs %d, each a mapper and a reducer"),
                  rv_frame_bytes(frame, request->n_bytes), (long long)report->n_words,
                  (long long)report->n_distinct, (int)request->n_ranks);
    rv_frame_note(frame, "%s", meaning_of(request->op));
    if (request->op != RS_MR_SUM) {
        rv_frame_note(frame, "%s",
                      _("A place is the number of a word's first byte in the text, from 0."));
    }
    if (request->combine) {
        rv_frame_note(frame, "%s",
                      _("Mappers fold their own pairs first: one a word leaves them."));
    }
}

/* ------------------------------------------------------------------ the messages of a short text */

static void list_messages(const rs_mr_report *report, rv_frame *frame) {
    static const char *const heads[] = {N_("pairs"), N_("bytes"), N_("from"), N_("until")};
    const int32_t n = report->request.n_ranks;
    const bool more = report->n_messages > MOST_MESSAGES;
    const int32_t most = more ? MOST_MESSAGES : (int32_t)report->n_messages;
    rv_grid *grid = rv_frame_grid(frame, _("What is sent, and when"), most + more, 4);
    if (grid != NULL) grid->whole = true;
    if (more) rv_grid_head(grid, most, -1, "...");
    rv_grid_columns(grid, heads, 4);
    for (int32_t i = 0, row = 0; i < n * n && row < most; i++) {
        const rs_mr_message *message = &report->messages[i];
        if (message->start_ps < 0) continue;
        rv_grid_head(grid, row, -1, "GPU %d -> GPU %d", (int)(i / n), (int)(i % n));
        rv_grid_plain(grid, row, 0, "%lld", (long long)message->n_pairs);
        rv_grid_plain(grid, row, 1, "%lld", (long long)message->n_bytes);
        rv_grid_plain(grid, row, 2, "%s", rv_frame_time(frame, message->start_ps));
        rv_grid_plain(grid, row++, 3, "%s", rv_frame_time(frame, message->done_ps));
    }
}

static void list_pairs(const rs_mr_report *report, rv_frame *frame) {
    fill_pairs(report, false, frame);
    list_messages(report, frame);
    fill_groups(report, true, frame);
    rv_frame_note(frame, _("a pair goes to GPU crc32(word) mod %d; 10 bytes and the word travel"),
                  (int)report->request.n_ranks);
}

/* ------------------------------------------------------------------ what it comes to */

static void note_owners(const rs_mr_report *report, rv_frame *frame) {
    const int32_t n = report->request.n_ranks;
    char line[LINE];
    size_t used = 0;
    if (n > MOST_OWNERS) return;
    for (int32_t c = 0; c < n; c++) {
        const int owner = (int)report->ring.owner[c];
        used += (size_t)snprintf(line + used, sizeof line - used,
                                 c == 0 ? _("  chunk %d is then on GPU %d") : _(", %d on %d"),
                                 (int)c, owner);
    }
    rv_frame_note(frame, "%s", line);
}

static void note_ring(const rs_mr_report *report, rv_frame *frame) {
    const rs_mr_ring *ring = &report->ring;
    const int n = report->request.n_ranks;
    if (!ring->fits) return;
    rv_frame_note(frame, "%s", "");
    rv_frame_note(frame, "%s",
                  _("The same as a reduce-scatter: a number for each word on every GPU, chunk r "
                    "the words of reducer r. The ring's scatter-reduce shuffles and reduces in "
                    "one:"));
    rv_frame_note(frame, _("  numbers on a GPU %lld, steps %d of %d, sent by a GPU %s, time %s"),
                  (long long)ring->count, n - 1, 2 * n - 2, rv_frame_bytes(frame, ring->n_sent),
                  rv_frame_time(frame, ring->time_ps));
    note_owners(report, frame);
    if (!ring->folded) return;
    rv_frame_note(frame, "%s",
                  ring->equal ? _("  folded on that ring, too: the same results")
                              : _("  folded on that ring, too: OTHER RESULTS; please report this"));
}

void rv_mapreduce_figures(const rv_mapreduce_story *of, rv_frame *frame) {
    const rs_mr_report *report = of->report;
    note_request(report, frame);
    if (rv_mapreduce_short(report)) {
        list_pairs(report, frame);
    } else {
        fill_sums(report, RV_MR_END, frame);
        fill_top(of, frame);
    }
    rv_frame_note(frame, _("messages: %lld, %s; the last GPU is done after %s"),
                  (long long)report->n_messages, rv_frame_bytes(frame, report->n_bytes),
                  rv_frame_time(frame, report->makespan_ps));
    note_ring(report, frame);
}
