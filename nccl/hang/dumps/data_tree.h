/* data_tree.h: what a file holds, as plain data: nothing, numbers, texts, lists, dictionaries. Private to nccl/.
 *
 *     pickle --read_pickle--+
 *     JSON   --read_json----+--> rs_datum --recorder.c--> rs_dump
 *
 *   - A text is a number of the reader's words: equal texts, equal numbers.
 *   - A list may hold itself: whoever walks through data goes down to a known depth only.
 *   - All is bounded by the file's length, times a small constant.
 */
#ifndef RS_DATA_TREE_H
#define RS_DATA_TREE_H

#include "ringsim_host.h"

#define N_(text) text /* marks a text for translation, where it is shown */

/* Which of two numbers comes first, as qsort asks. */
static inline int rs_number_order(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

/* Small pieces of blocks, each twice the one before up to 256 KiB. */
typedef struct rs_heap {
    rs_arena *arena;
    char *at;
    size_t left;
    size_t block; /* bytes of the last one */
    bool failed;  /* there was no memory for one */
} rs_heap;
/* Returns n_bytes, which may be none, aligned to 16; NULL: no memory. */
void *rs_heap_take(rs_heap *pieces, size_t n_bytes);
/* The same, zeroed. */
void *rs_heap_zeros(rs_heap *pieces, size_t n_bytes);
/* Returns the list of n items of so many bytes, or a longer one where it has no room for another. *room: of items. NULL: no
   memory. */
void *rs_heap_grow(rs_heap *pieces, void *list, int64_t n, int64_t *room, size_t each);

typedef struct rs_text {
    const char *text; /* not terminated */
    uint32_t n_bytes, hash;
} rs_text;

/* Texts, each once, numbered from 0; the first is "". */
typedef struct rs_texts {
    rs_heap *pieces;
    rs_text *list;
    uint32_t n, room;
    uint32_t *slots; /* number + 1; 0: free */
    uint32_t n_slots;
} rs_texts;
enum { RS_NO_TEXT = -1 };
/* Begins with the text ""; false: no memory. */
bool rs_texts_begin(rs_texts *words, rs_heap *pieces);
/* Returns the number of a text, which must stay where it is; RS_NO_TEXT: no memory. */
int64_t rs_text_of(rs_texts *words, const char *text, size_t n_bytes);
/* The same of a text that will go: it is copied where it is new. */
int64_t rs_text_kept(rs_texts *words, const char *text, size_t n_bytes);
/* Adds texts in the order given, from 1 on; false: no memory. */
bool rs_texts_add(rs_texts *words, const char *const texts[], uint32_t n);

typedef enum rs_datum_kind {
    RS_DATUM_NONE,
    RS_DATUM_BOOL,
    RS_DATUM_INTEGER,
    RS_DATUM_REAL,
    RS_DATUM_TEXT,
    RS_DATUM_LIST,
    RS_DATUM_DICT,
    RS_DATUM_UNTAG /* the one function that a pickle may name: it returns its first argument */
} rs_datum_kind;

typedef struct rs_datum {
    rs_datum_kind kind;
    uint32_t word; /* of a text */
    union {
        int64_t integer; /* of a bool, too */
        double real;
        struct rs_items *items;
    };
} rs_datum;

/* A list's items; a dictionary's keys and values in turn. */
typedef struct rs_items {
    rs_datum *at;
    uint32_t n, room;
    bool partial; /* the file ended while it was written */
} rs_items;

/* Makes an empty list or dictionary; false: no memory. */
bool rs_datum_make(rs_heap *pieces, rs_datum_kind kind, rs_datum *made);
/* Appends n data; false: no memory. */
bool rs_items_add(rs_heap *pieces, rs_items *items, const rs_datum data[], size_t n);

/* Reads one whole datum; *cut: the file ends too early, and *top is what there is. */
rs_status rs_read_pickle(const char *bytes, size_t n_bytes, rs_texts *words, rs_error *error,
                         rs_datum *top, bool *cut);
rs_status rs_read_json(const char *bytes, size_t n_bytes, rs_texts *words, rs_error *error,
                       rs_datum *top, bool *cut);

/* A line of code. */
typedef struct rs_code_line {
    uint64_t key;   /* the file's number among words, and the line; 0: free */
    uint64_t hash;  /* of the text */
    uint32_t where; /* "train.py:42", a number among what is kept */
    bool torch;     /* PyTorch's own */
} rs_code_line;
typedef struct rs_code_lines {
    rs_texts *words, *kept;
    rs_heap *heap;
    rs_code_line *list; /* open addressing */
    uint32_t n, room;
} rs_code_lines;

#endif
