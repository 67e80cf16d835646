/* data_tree.h: what a file holds, as plain data: nothing, numbers, texts, lists, dictionaries. Private to nccl/.
 *
 *     pickle --read_pickle--+
 *     JSON   --read_json----+--> rn_datum --read_recorder.c--> rn_dump
 *
 *   - A text is a number of the reader's words: equal texts, equal numbers.
 *   - A list may hold itself: whoever walks through data goes down to a known depth only.
 *   - All is bounded by the file's length, times a small constant.
 */
#pragma once

#include "base/containers.h"

typedef enum rn_datum_kind {
    RN_DATUM_NONE,
    RN_DATUM_BOOL,
    RN_DATUM_INTEGER,
    RN_DATUM_REAL,
    RN_DATUM_TEXT,
    RN_DATUM_LIST,
    RN_DATUM_DICT,
    RN_DATUM_UNTAG /* the one function that a pickle may name: it returns its first argument */
} rn_datum_kind;

typedef struct rn_datum {
    rn_datum_kind kind;
    uint32_t word; /* of a text */
    union {
        int64_t integer; /* of a bool, too */
        double real;
        struct rn_items *items;
    };
} rn_datum;

/* A list's items; a dictionary's keys and values in turn. */
typedef struct rn_items {
    rn_datum *at;
    uint32_t n, room;
    bool partial; /* the file ended while it was written */
} rn_items;

/* Makes an empty list or dictionary; false: no memory. */
bool rn_datum_make(rs_heap *pieces, rn_datum_kind kind, rn_datum *made);
/* Appends n data, or without memory none. */
void rn_items_add(rs_heap *pieces, rn_items *items, const rn_datum data[], size_t n);

/* A file's data while they are looked at: they may be named again and again, so much is looked at, and no more. */
typedef struct rn_tree {
    rs_texts words;
    int64_t left; /* data that may still be looked at */
} rn_tree;
/* Begins one of a file of n_bytes with words that mean something, numbered from 1; false: no memory. */
bool rn_tree_begin(rn_tree *tree, rs_heap *pieces, size_t n_bytes, const char *const words[],
                   uint32_t n_words);
/* May so many more be looked at? */
bool rn_tree_spend(rn_tree *tree, uint32_t n);
/* Returns what a dictionary has under a word; NULL: nothing, or it is none. */
const rn_datum *rn_tree_member(rn_tree *tree, const rn_datum *dict, uint32_t word);
/* Returns a number, which in JSON may be a text. */
int64_t rn_tree_integer(const rn_tree *tree, const rn_datum *d, int64_t otherwise);
static inline bool rn_is_list(const rn_datum *d) {
    return d != NULL && d->kind == RN_DATUM_LIST;
}
static inline int64_t rn_integer_of(const rn_datum *d, int64_t otherwise) {
    return d != NULL && d->kind == RN_DATUM_INTEGER ? d->integer : otherwise;
}

/* Returns the number under which a copy of a text lives on; 0: no memory. */
static inline uint32_t rn_keep_text(rs_texts *texts, const void *text, size_t n) {
    const int64_t kept = rs_text_kept(texts, text, n);
    return kept == RS_NO_TEXT ? 0 : (uint32_t)kept;
}
/* Returns the texts, as they live on, by their numbers; NULL: no memory. */
const char **rn_list_words(rs_heap *keep, const rs_texts *texts);

/* Reads one whole datum; *cut: the file ends too early, and *top is what there is. */
rs_status rn_read_pickle(const char *bytes, size_t n_bytes, rs_texts *words, rs_error *error,
                         rn_datum *top, bool *cut);
rs_status rn_read_json(const char *bytes, size_t n_bytes, rs_texts *words, rs_error *error,
                       rn_datum *top, bool *cut);
