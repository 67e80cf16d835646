/* mapreduce_words.c: the result: all words, sorted by their bytes, with what became of their values.
 *
 * Sorted by a number made of their first 8 bytes; only where that is equal, by what follows.
 */
#include "systems/mapreduce/mapreduce_steps.h"

#include <stdlib.h>
#include <string.h>

typedef struct sorted_word {
    uint64_t prefix; /* the first 8 bytes, the first one highest */
    const rs_mr_word *word;
} sorted_word;

static uint64_t prefix_of(const char *text, int32_t n) {
    uint64_t prefix = 0;
    for (int32_t i = 0; i < 8; i++) {
        prefix = prefix << 8 | (i < n ? (unsigned char)text[i] : 0);
    }
    return prefix;
}

static int by_bytes(const void *left, const void *right) {
    const sorted_word *a = left, *b = right;
    if (a->prefix != b->prefix) return a->prefix < b->prefix ? -1 : 1;
    const int32_t n = a->word->n_bytes < b->word->n_bytes ? a->word->n_bytes : b->word->n_bytes;
    const int order = memcmp(a->word->text, b->word->text, (size_t)n);
    if (order != 0) return order;
    return (a->word->n_bytes > b->word->n_bytes) - (a->word->n_bytes < b->word->n_bytes);
}

/* Sizes of what the words need. */
typedef struct needs {
    size_t n_words, n_text, n_places;
} needs;

static needs measure(const rs_totals *totals) {
    needs sum = {0};
    for (int32_t p = 0; p < RS_TOTALS_PARTS; p++) {
        const rs_part *part = &totals->parts[p];
        sum.n_words += part->n_entries;
        for (size_t e = 0; e < part->n_entries; e++) {
            sum.n_text += (size_t)rs_word_bytes(part->entries[e].key, part->text);
            if (totals->op == RS_MR_LIST) sum.n_places += part->entries[e].count;
        }
    }
    return sum;
}

static void copy_places(const rs_total *entry, int64_t out[]) {
    const rs_place *place = entry->value.last->next;
    for (uint64_t i = 0; i < entry->count; i++, place = place->next) out[i] = place->at;
}

static rs_mr_word word_of(const rs_totals *totals, const rs_part *part, const rs_total *entry,
                          char *text) {
    rs_mr_word word = {.text = text,
                       .n_bytes = rs_word_bytes(entry->key, part->text),
                       .reducer = entry->reducer,
                       .count = (int64_t)entry->count};
    const bool counts = totals->op != RS_MR_MAX && totals->op != RS_MR_MIN;
    word.value = counts ? word.count : entry->value.at;
    rs_word_copy(entry->key, part->text, text);
    return word;
}

static void fill(const rs_totals *totals, rs_mr_word words[], char *text, int64_t *places) {
    for (int32_t p = 0; p < RS_TOTALS_PARTS; p++) {
        const rs_part *part = &totals->parts[p];
        for (size_t e = 0; e < part->n_entries; e++, words++) {
            *words = word_of(totals, part, &part->entries[e], text);
            text += words->n_bytes;
            if (totals->op != RS_MR_LIST) continue;
            copy_places(&part->entries[e], places);
            words->places = places;
            places += words->count;
        }
    }
}

rs_status rs_mr_collect(const rs_totals *totals, rs_arena *arena, rs_error *error,
                        rs_mr_report *report) {
    const needs n = measure(totals);
    rs_mr_word *words = rs_alloc(arena, n.n_words + 1, sizeof *words);
    rs_mr_word *found = rs_alloc(arena, n.n_words + 1, sizeof *found);
    sorted_word *order = rs_alloc(arena, n.n_words + 1, sizeof *order);
    char *text = rs_alloc(arena, n.n_text + 1, 1);
    int64_t *places = rs_alloc(arena, n.n_places + 1, sizeof *places);
    if (!words || !found || !order || !text || !places) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for %lld different words",
                       (long long)n.n_words);
    }
    fill(totals, found, text, places);
    for (size_t i = 0; i < n.n_words; i++) {
        order[i] = (sorted_word){prefix_of(found[i].text, found[i].n_bytes), &found[i]};
        report->reduced[found[i].reducer]++;
    }
    qsort(order, n.n_words, sizeof *order, by_bytes);
    for (size_t i = 0; i < n.n_words; i++) words[i] = *order[i].word;
    report->words = words;
    report->n_distinct = (int64_t)n.n_words;
    return RS_OK;
}
