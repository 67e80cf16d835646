/* mapreduce_print.c: map, shuffle, reduce, as tables for people.
 *
 *   - A short text is told pair by pair, of a long one there are sums and the most frequent words.
 *   - Of many GPUs the first and the last are shown.
 */
#include "base/text.h"
#include "systems/mapreduce.h"

#include <string.h>

enum { MOST_GPUS = 16, HEAD_GPUS = 12, WIDTH = 100, WORD = 40, LINE = 512 };
enum { MOST_TOLD = 60 }; /* words of a text that is told pair by pair */

char *rc_word_text(const char *text, int64_t n_bytes, char *out, size_t n_out) {
    char word[256];
    const size_t n = n_bytes < (int64_t)sizeof word ? (size_t)n_bytes : sizeof word - 1;
    for (size_t i = 0; i < n; i++) word[i] = text[i] == '\0' ? '\x7f' : text[i];
    word[n] = '\0';
    return rc_plain(word, true, out, n_out);
}

/* Goes on to the next GPU that is shown; prints the gap. */
static int32_t next_gpu(int32_t gpu, int32_t n) {
    if (n <= MOST_GPUS || gpu + 1 != HEAD_GPUS) return gpu + 1;
    puts("...");
    return n - (MOST_GPUS - HEAD_GPUS);
}

static void print_gpu(int32_t gpu) {
    char text[24];
    snprintf(text, sizeof text, "GPU %d", (int)gpu);
    rc_print_padded(text, 10);
}

static const char *meaning_of(const rs_mr_request *request) {
    switch (request->op) {
    case RS_MR_SUM: return _("sum: a pair is (word, 1), and a reducer adds the ones");
    case RS_MR_COUNT: return _("count: a pair is (word, place), and a reducer counts the places");
    case RS_MR_MAX: return _("max: a pair is (word, place), and a reducer keeps the last place");
    case RS_MR_MIN: return _("min: a pair is (word, place), and a reducer keeps the first place");
    default: return _("list: a pair is (word, place), and a reducer lists the places");
    }
}

static void print_head(const rc_mapped *mapped) {
    const rs_mr_report *report = &mapped->report;
    char bytes[32];
    rv_format_bytes(report->request.n_bytes, bytes, sizeof bytes);
    printf(_("%s of text: words %lld, different %lld; GPUs %d, each a mapper and a reducer\n"),
           bytes, (long long)report->n_words, (long long)report->n_distinct,
           (int)report->request.n_ranks);
    puts(meaning_of(&report->request));
    if (report->request.op != RS_MR_SUM) {
        puts(_("A place is the number of a word's first byte in the text, from 0."));
    }
    if (report->request.combine) {
        puts(_("Mappers fold their own pairs first: one a word leaves them."));
    }
}

/* ------------------------------------------------------------------ pair by pair */

static bool is_told(const rs_mr_report *report) {
    return report->pairs != NULL && report->n_words <= MOST_TOLD;
}

/* Appends to a line; what does not fit ends it with dots. */
static void append(char line[LINE], const char *text) {
    const size_t used = strlen(line);
    if (used + strlen(text) + 5 < LINE) {
        strcpy(line + used, text);
    } else if (used < 4 || strcmp(line + used - 4, " ...") != 0) {
        strcpy(line + used, " ...");
    }
}

static void print_pairs(const rs_mr_report *report) {
    puts(_("\nmap: each GPU reads its part of the text; a word belongs where it begins"));
    int64_t at = 0;
    for (int32_t r = 0; r < report->request.n_ranks; r = next_gpu(r, report->request.n_ranks)) {
        char line[LINE] = "";
        while (at < report->n_words && report->pairs[at].mapper < r) at++;
        for (; at < report->n_words && report->pairs[at].mapper == r; at++) {
            const rs_mr_pair *pair = &report->pairs[at];
            char word[WORD], text[WORD + 32];
            rc_word_text(report->request.text + pair->place, pair->n_bytes, word, sizeof word);
            snprintf(text, sizeof text, "%s(%s, %lld)", line[0] == '\0' ? "" : " ", word,
                     (long long)pair->value);
            append(line, text);
        }
        print_gpu(r);
        puts(line[0] == '\0' ? "-" : line);
    }
}

static void print_messages(const rs_mr_report *report) {
    const int32_t n = report->request.n_ranks;
    int32_t n_shown = 0;
    printf(_("\nshuffle: a pair goes to GPU crc32(word) mod %d; 10 bytes and the word travel\n"),
           (int)n);
    for (int32_t i = 0; i < n * n; i++) {
        const rs_mr_message *message = &report->messages[i];
        char from[32], until[32], way[48];
        if (message->start_ps < 0) continue;
        if (++n_shown > MOST_GPUS) continue;
        rv_format_time(message->start_ps, from, sizeof from);
        rv_format_time(message->done_ps, until, sizeof until);
        snprintf(way, sizeof way, "GPU %d -> GPU %d", (int)(i / n), (int)(i % n));
        rc_print_padded(way, 20);
        printf(_("pairs %-6lld bytes %-8lld %10s .. %s\n"), (long long)message->n_pairs,
               (long long)message->n_bytes, from, until);
    }
    if (n_shown > MOST_GPUS) puts("...");
    if (n_shown == 0) puts(_("nothing: every pair is where it belongs"));
}

static bool is_of(const rs_mr_report *report, const rs_mr_pair *pair, const rs_mr_word *word) {
    return pair->n_bytes == word->n_bytes &&
           memcmp(report->request.text + pair->place, word->text, (size_t)word->n_bytes) == 0;
}

/* Appends the values that come together, in the order of the text. */
static void append_values(const rs_mr_report *report, const rs_mr_word *word, char line[LINE]) {
    for (int64_t i = 0; i < report->n_words; i++) {
        char text[32];
        if (!is_of(report, &report->pairs[i], word)) continue;
        snprintf(text, sizeof text, " %lld", (long long)report->pairs[i].value);
        append(line, text);
    }
}

/* The same where mappers fold first: one value of each mapper that has the word. */
static void append_folded(const rs_mr_report *report, const rs_mr_word *word, char line[LINE]) {
    const rs_mr_op op = report->request.op;
    for (int64_t i = 0; i < report->n_words;) {
        const int32_t mapper = report->pairs[i].mapper;
        int64_t n = 0, first = 0, last = 0;
        char text[32];
        for (; i < report->n_words && report->pairs[i].mapper == mapper; i++) {
            if (!is_of(report, &report->pairs[i], word)) continue;
            last = report->pairs[i].value;
            if (n++ == 0) first = last;
        }
        if (n == 0) continue;
        snprintf(text, sizeof text, " %lld",
                 (long long)(op == RS_MR_MIN   ? first
                             : op == RS_MR_MAX ? last
                                               : n));
        append(line, text);
    }
}

static void print_groups(const rs_mr_report *report) {
    puts(_("\nreduce: equal words have come together, one GPU works on each"));
    for (int32_t r = 0; r < report->request.n_ranks; r = next_gpu(r, report->request.n_ranks)) {
        if (report->reduced[r] == 0) {
            print_gpu(r);
            puts("-");
        }
        for (int64_t w = 0; w < report->n_distinct; w++) {
            const rs_mr_word *word = &report->words[w];
            char name[WORD], line[LINE] = "";
            if (word->reducer != r) continue;
            rc_word_text(word->text, word->n_bytes, name, sizeof name);
            if (report->request.combine && report->request.op != RS_MR_LIST) {
                append_folded(report, word, line);
            } else {
                append_values(report, word, line);
            }
            print_gpu(r);
            rc_print_padded(name, 12);
            printf(":%s", line);
            if (report->request.op == RS_MR_LIST) {
                puts("");
            } else {
                printf(" -> %lld\n", (long long)word->value);
            }
        }
    }
}

/* ------------------------------------------------------------------ sums */

static void print_sums(const rs_mr_report *report) {
    const int32_t n = report->request.n_ranks;
    const char *const heads[] = {_("mapper"), _("text"),    _("words"),     _("mapped after"),
                                 _("sends"),  _("reduces"), _("done after")};
    puts("");
    for (int i = 0; i < 7; i++) rc_print_padded(heads[i], i < 6 ? 14 : 0);
    puts("");
    for (int32_t r = 0; r < n; r = next_gpu(r, n)) {
        char text[32], map[32], sends[32], end[32];
        int64_t n_bytes = 0;
        for (int32_t d = 0; d < n; d++) {
            if (d != r) n_bytes += report->messages[(int64_t)r * n + d].n_bytes;
        }
        rv_format_bytes(report->first[r + 1] - report->first[r], text, sizeof text);
        rv_format_time(report->map_ps[r], map, sizeof map);
        rv_format_bytes(n_bytes, sends, sizeof sends);
        rv_format_time(report->end_ps[r], end, sizeof end);
        printf("GPU %-9d %-13s %-13lld %-13s %-13s %-13lld %s\n", (int)r, text,
               (long long)report->mapped[r], map, sends, (long long)report->reduced[r], end);
    }
}

static void print_top(const rc_mapped *mapped) {
    const rs_mr_report *report = &mapped->report;
    if (mapped->n_top == 0) return;
    if (mapped->n_top < report->n_distinct) puts(_("\nthe most frequent words"));
    if (mapped->n_top == report->n_distinct) puts(_("\nall words, the most frequent first"));
    for (int64_t i = 0; i < mapped->n_top; i++) {
        const rs_mr_word *word = mapped->top[i];
        char name[WORD];
        rc_print_padded(rc_word_text(word->text, word->n_bytes, name, sizeof name), WORD / 2);
        printf(" %12lld   GPU %d", (long long)word->value, (int)word->reducer);
        if (report->request.op == RS_MR_MAX || report->request.op == RS_MR_MIN) {
            printf(_("   (%lld times)"), (long long)word->count);
        }
        puts("");
    }
}

/* ------------------------------------------------------------------ what it comes to */

static void print_owners(const rs_mr_report *report) {
    const int32_t n = report->request.n_ranks;
    if (n > MOST_GPUS / 2) return;
    for (int32_t c = 0; c < n; c++) {
        printf(c == 0 ? _("  chunk %d is then on GPU %d") : _(", %d on %d"), (int)c,
               (int)report->ring.owner[c]);
    }
    puts("");
}

static void print_ring(const rs_mr_report *report) {
    const rs_mr_ring *ring = &report->ring;
    const int n = report->request.n_ranks;
    char time[32], sent[32];
    if (!ring->fits) return;
    rv_format_time(ring->time_ps, time, sizeof time);
    rv_format_bytes(ring->n_sent, sent, sizeof sent);
    puts(_("\nThe same as a reduce-scatter: a number for each word on every GPU, chunk r the\n"
           "words of reducer r. The ring's scatter-reduce shuffles and reduces in one:"));
    printf(_("  numbers on a GPU %lld, steps %d of %d, sent by a GPU %s, time %s\n"),
           (long long)ring->count, n - 1, 2 * n - 2, sent, time);
    print_owners(report);
    if (ring->folded) {
        puts(ring->equal ? _("  folded on that ring, too: the same results")
                         : _("  folded on that ring, too: OTHER RESULTS; please report this"));
    }
}

void rc_print_mapped(const rc_mapped *mapped) {
    const rs_mr_report *report = &mapped->report;
    char bytes[32], end[32];
    print_head(mapped);
    if (is_told(report)) {
        print_pairs(report);
        print_messages(report);
        print_groups(report);
    } else {
        print_sums(report);
        print_top(mapped);
    }
    rv_format_bytes(report->n_bytes, bytes, sizeof bytes);
    rv_format_time(report->makespan_ps, end, sizeof end);
    printf(_("\nmessages: %lld, %s; the last GPU is done after %s\n"),
           (long long)report->n_messages, bytes, end);
    print_ring(report);
}
