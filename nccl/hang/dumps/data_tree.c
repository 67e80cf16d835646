/* data_tree.c: lists and dictionaries. */
#include "data_tree.h"

#include <stdlib.h>
#include <string.h>

bool rn_datum_make(rs_heap *pieces, rn_datum_kind kind, rn_datum *made) {
    rn_items *items = rs_heap_take(pieces, sizeof *items);
    if (items == NULL) return false;
    *items = (rn_items){0};
    *made = (rn_datum){.kind = kind, .items = items};
    return true;
}

void rn_items_add(rs_heap *pieces, rn_items *items, const rn_datum data[], size_t n) {
    if (n > items->room - items->n) {
        const size_t room = items->n == 0 ? n : 2 * (items->n + n);
        rn_datum *at = rs_heap_take(pieces, room * sizeof *at);
        if (at == NULL) return;
        if (items->n > 0) memcpy(at, items->at, items->n * sizeof *at);
        items->at = at;
        items->room = (uint32_t)room;
    }
    if (n > 0) memcpy(items->at + items->n, data, n * sizeof *data);
    items->n += (uint32_t)n;
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

const char **rn_list_words(rs_heap *keep, const rs_texts *texts) {
    const char **list = rs_heap_take(keep, texts->n * sizeof *list);
    for (uint32_t i = 0; list != NULL && i < texts->n; i++) list[i] = texts->list[i].text;
    return list;
}
