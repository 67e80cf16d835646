/* data_tree.c: data as they are built, and looked at. */
#include "data_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ built */

void rn_build_fail(rn_builder *b, const char *about, const char *what) {
    if (b->status != RS_OK || b->cut) return;
    const long long at = b->at - b->begin;
    b->status = about == NULL
                    ? rs_fail_word(b->error, RS_BAD_INPUT, 1, "byte %lld: %s", at, what)
                    : rs_fail_word(b->error, RS_BAD_INPUT, 2, "byte %lld: %s: %s", at, about, what);
}

void rn_build_push(rn_builder *b, rn_datum datum) {
    if (rs_heap_reserve(b->words->heap, &b->stack, b->n + 1, &b->room)) b->stack[b->n++] = datum;
}

void rn_build_text(rn_builder *b, const char *text, size_t n) {
    const int64_t word = rs_text_of(b->words, text, n);
    rn_build_push(b, (rn_datum){.kind = RN_DATUM_TEXT, .word = (uint32_t)word});
}

void rn_build_empty(rn_builder *b, rn_datum_kind kind) {
    rn_items *items = rs_heap_take(b->words->heap, sizeof *items);
    if (items != NULL) rn_build_push(b, (rn_datum){.kind = kind, .items = items});
}

void rn_build_mark(rn_builder *b) {
    if (rs_heap_reserve(b->words->heap, &b->marks, b->n_marks + 1, &b->mark_room))
        b->marks[b->n_marks++] = (uint32_t)b->n;
}

int64_t rn_build_unmark(rn_builder *b) {
    const int64_t n = rn_build_above(b);
    if (b->n_marks == 0) {
        rn_build_fail(b, NULL,
                      RS_MESSAGE("a mark is missing: this is no pickle of a flight recorder"));
        return 0;
    }
    b->n_marks--;
    return n;
}

bool rn_build_wants(rn_builder *b, int64_t n) {
    if (rn_build_above(b) >= n) return true;
    rn_build_fail(b, NULL,
                  RS_MESSAGE("the stack is empty: this is no pickle of a flight recorder"));
    return false;
}

/* The last n data go to the end of a list, or without memory none. */
static void move_last(rn_builder *b, rn_items *items, size_t n) {
    b->n -= (int64_t)n;
    if (n == 0 || !rs_heap_reserve(b->words->heap, &items->at, items->n + n, &items->room)) return;
    memcpy(items->at + items->n, b->stack + b->n, n * sizeof *items->at);
    items->n += (uint32_t)n;
}

void rn_build_fill(rn_builder *b, rn_datum_kind kind, int64_t n) {
    if (b->status != RS_OK || !rn_build_wants(b, n + 1)) return;
    const rn_datum into = b->stack[b->n - n - 1];
    if (into.kind != kind || (kind == RN_DATUM_DICT && n % 2 != 0)) {
        rn_build_fail(b, NULL, RS_MESSAGE("what is filled is no list or dictionary"));
    } else {
        move_last(b, into.items, (size_t)n);
    }
}

/* The file has ended: what is open is closed with what it has, innermost first. */
static void close_all(rn_builder *b) {
    while (b->n_marks > 0 && b->status == RS_OK) {
        const int64_t base = b->marks[--b->n_marks];
        const rn_datum open = base > 0 ? b->stack[base - 1] : (rn_datum){.kind = RN_DATUM_NONE};
        if (open.kind == RN_DATUM_DICT) b->n -= (b->n - base) % 2;
        if (open.kind == RN_DATUM_DICT || open.kind == RN_DATUM_LIST) {
            move_last(b, open.items, (size_t)(b->n - base));
            open.items->partial = true;
        }
        b->n = base;
    }
}

rs_status rn_build(rn_builder *b, bool (*take)(rn_builder *), rn_datum *top, bool *cut) {
    const rs_arena *arena = b->words->heap->arena;
    for (bool goes_on = true; goes_on && !b->cut && b->status == RS_OK && !arena->lacked;) {
        b->cut = b->at == b->end;
        if (!b->cut) goes_on = take(b);
    }
    *cut = b->cut;
    if (b->cut && !arena->lacked) close_all(b);
    if (arena->lacked)
        return rs_fail_word(b->error, RS_NO_MEMORY, 1, "byte %lld: %s",
                            (long long)(b->at - b->begin),
                            RS_MESSAGE("no memory for what it holds"));
    if (b->status != RS_OK) return b->status;
    if (b->n == 0) return rs_fail(b->error, RS_BAD_INPUT, "it ends before anything is in it");
    *top = b->stack[b->cut ? 0 : b->n - 1];
    return RS_OK;
}

/* ------------------------------------------------------------------ looked at */

bool rn_tree_begin(rn_tree *tree, rs_heap *pieces, size_t n_bytes, const char *const words[],
                   uint32_t n_words) {
    *tree = (rn_tree){.left = 64 * (int64_t)n_bytes + (1 << 20)};
    return rs_texts_begin(&tree->words, pieces, words, n_words);
}

bool rn_tree_spend(rn_tree *tree, uint32_t n) {
    tree->left -= n;
    return tree->left > 0;
}

const rn_datum *rn_tree_member(rn_tree *tree, const rn_datum *dict, uint32_t word) {
    if (dict == NULL || dict->kind != RN_DATUM_DICT || !rn_tree_spend(tree, dict->items->n))
        return NULL;
    for (uint32_t i = 0; i + 1 < dict->items->n; i += 2) {
        const rn_datum *key = &dict->items->at[i];
        if (key->kind == RN_DATUM_TEXT && key->word == word) return key + 1;
    }
    return NULL;
}

/* No job counts so far: such a number is broken, and sums with it would be. */
static int64_t known(int64_t number, int64_t otherwise) {
    return number > INT64_MAX / 4 || number < -INT64_MAX / 4 ? otherwise : number;
}

int64_t rn_tree_integer(const rn_tree *tree, const rn_datum *d, int64_t otherwise) {
    char text[24];
    if (d == NULL || d->kind != RN_DATUM_TEXT) return known(rn_integer_of(d, otherwise), otherwise);
    const rs_text *w = &tree->words.list[d->word];
    if (w->n_bytes == 0 || w->n_bytes >= sizeof text) return otherwise;
    memcpy(text, w->text, w->n_bytes);
    text[w->n_bytes] = '\0';
    return known(strtoll(text, NULL, 10), otherwise);
}

/* ------------------------------------------------------------------ what lives on of it */

uint32_t rn_keep_printed(rs_texts *texts, const char *format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    const int n = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rn_keep_text(texts, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

int32_t *rn_keep_ranks(rs_heap *keep, int32_t first, int32_t n) {
    int32_t *ranks = rs_heap_take(keep, (size_t)n * sizeof *ranks);
    for (int32_t i = 0; ranks != NULL && i < n; i++) ranks[i] = first + i;
    return ranks;
}

const char **rn_list_words(rs_heap *keep, const rs_texts *texts) {
    const char **list = rs_heap_take(keep, texts->n * sizeof *list);
    for (uint32_t i = 0; list != NULL && i < texts->n; i++) list[i] = texts->list[i].text;
    return list;
}
