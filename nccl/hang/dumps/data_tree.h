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

#include "ringsim_host.h"

#define N_(text) text /* marks a text for translation, where it is shown */

/* Which of two numbers comes first, as qsort asks. */
static inline int rn_number_order(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

/* Small pieces of blocks, each twice the one before up to 256 KiB. */
typedef struct rn_heap {
    rs_arena *arena;
    char *at;
    size_t left;
    size_t block; /* bytes of the last one */
    bool failed;  /* there was no memory for one */
} rn_heap;
/* Returns n_bytes, which may be none, aligned to 16; NULL: no memory. */
void *rn_heap_take(rn_heap *pieces, size_t n_bytes);
/* The same, zeroed. */
void *rn_heap_zeros(rn_heap *pieces, size_t n_bytes);
/* Returns the list of n items of so many bytes, or a longer one where it has no room for another. *room: of items. NULL: no
   memory. */
void *rn_heap_grow(rn_heap *pieces, void *list, int64_t n, int64_t *room, size_t each);

typedef struct rn_text {
    const char *text; /* not terminated */
    uint32_t n_bytes, hash;
} rn_text;

/* Texts, each once, numbered from 0; the first is "". */
typedef struct rn_texts {
    rn_heap *pieces;
    rn_text *list;
    uint32_t n, room;
    uint32_t *slots; /* number + 1; 0: free */
    uint32_t n_slots;
} rn_texts;
enum { RN_NO_TEXT = -1 };
/* Begins with the text ""; false: no memory. */
bool rn_texts_begin(rn_texts *words, rn_heap *pieces);
/* Returns the number of a text, which must stay where it is; RN_NO_TEXT: no memory. */
int64_t rn_text_of(rn_texts *words, const char *text, size_t n_bytes);
/* The same of a text that will go: it is copied where it is new. */
int64_t rn_text_kept(rn_texts *words, const char *text, size_t n_bytes);
/* Adds texts in the order given, from 1 on; false: no memory. */
bool rn_texts_add(rn_texts *words, const char *const texts[], uint32_t n);

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
bool rn_datum_make(rn_heap *pieces, rn_datum_kind kind, rn_datum *made);
/* Appends n data; false: no memory. */
bool rn_items_add(rn_heap *pieces, rn_items *items, const rn_datum data[], size_t n);

/* Reads one whole datum; *cut: the file ends too early, and *top is what there is. */
rs_status rn_read_pickle(const char *bytes, size_t n_bytes, rn_texts *words, rs_error *error,
                         rn_datum *top, bool *cut);
rs_status rn_read_json(const char *bytes, size_t n_bytes, rn_texts *words, rs_error *error,
                       rn_datum *top, bool *cut);

/* A line of code. */
typedef struct rn_code_line {
    uint64_t key;   /* the file's number among words, and the line; 0: free */
    uint64_t hash;  /* of the text */
    uint32_t where; /* "train.py:42", a number among what is kept */
    bool torch;     /* PyTorch's own */
} rn_code_line;
typedef struct rn_code_lines {
    rn_texts *words, *kept;
    rn_heap *heap;
    rn_code_line *list; /* open addressing */
    uint32_t n, room;
} rn_code_lines;
