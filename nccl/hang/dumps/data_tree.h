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

/* ------------------------------------------------------------------ built */

/* A file that is read: its data side by side, and where those of each list or dictionary begin that is open. */
typedef struct rn_builder {
    const char *begin, *at, *end;
    rs_texts *words;
    rn_datum *stack, *memo; /* memo: what a pickle numbers */
    uint32_t *marks;        /* heights of the stack */
    int64_t n, n_marks;
    uint64_t n_memo, n_puts;
    int64_t room, mark_room, memo_room;
    int due;  /* of JSON: what comes next */
    bool cut; /* the file ends too early */
    rs_error *error;
    rs_status status;
} rn_builder;

/* Keeps the first failure, at this byte; about: the name of what stands there, or NULL. */
void rn_build_fail(rn_builder *b, const char *about, const char *what);
void rn_build_push(rn_builder *b, rn_datum datum);
/* A text that stays where it is. */
void rn_build_text(rn_builder *b, const char *text, size_t n);
/* An empty list or dictionary. */
void rn_build_empty(rn_builder *b, rn_datum_kind kind);
void rn_build_mark(rn_builder *b);
/* Takes the mark away and returns how many data were above it. */
int64_t rn_build_unmark(rn_builder *b);
/* How many data may be taken: those above the innermost mark. */
static inline int64_t rn_build_above(const rn_builder *b) {
    return b->n - (b->n_marks > 0 ? b->marks[b->n_marks - 1] : 0);
}
bool rn_build_wants(rn_builder *b, int64_t n);
/* The last n data go into the list or dictionary below them. */
void rn_build_fill(rn_builder *b, rn_datum_kind kind, int64_t n);
/* Takes piece by piece; false: that was the last. Where the file ends before, what is open is closed with what it has. */
rs_status rn_build(rn_builder *b, bool (*take)(rn_builder *), rn_datum *top, bool *cut);

/* ------------------------------------------------------------------ looked at */

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

/* ------------------------------------------------------------------ what lives on of it */

/* Returns the number under which a copy of a text lives on; 0: no memory. */
static inline uint32_t rn_keep_text(rs_texts *texts, const void *text, size_t n) {
    const int64_t kept = rs_text_kept(texts, text, n);
    return kept == RS_NO_TEXT ? 0 : (uint32_t)kept;
}
/* The same of a text that is printed, and cut at 1,023 bytes. */
uint32_t rn_keep_printed(rs_texts *texts, const char *format, ...) RS_PRINTF(2, 3);
/* Returns n ranks that follow each other; NULL: no memory. */
int32_t *rn_keep_ranks(rs_heap *keep, int32_t first, int32_t n);
/* Returns the texts, as they live on, by their numbers; NULL: no memory. */
const char **rn_list_words(rs_heap *keep, const rs_texts *texts);

/* Reads one whole datum; *cut: the file ends too early, and *top is what there is. */
rs_status rn_read_pickle(const char *bytes, size_t n_bytes, rs_texts *words, rs_error *error,
                         rn_datum *top, bool *cut);
rs_status rn_read_json(const char *bytes, size_t n_bytes, rs_texts *words, rs_error *error,
                       rn_datum *top, bool *cut);
