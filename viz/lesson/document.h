/* document.h: a Markdown text as a list of blocks, in reading order.
 *
 *     "## Goal\n\nSay *what* ..."  -->  HEADING 2 "Goal",  PARAGRAPH "Say " + emphasised "what" + ...
 *
 *   - Nesting is flat: an item of a list inside a list has depth 2, a paragraph in a quotation is
 *     quoted. An item's own paragraphs after the first are PARAGRAPHs of its depth.
 *   - Texts are UTF-8, with entities resolved and a space for each soft line break.
 *   - The parser does not understand HTML: each line of it is a block of kind HTML, for lesson.c,
 *     which knows the few tags that lessons use (comments, details). HTML among words is left out.
 */
#pragma once

#include "ringsim.h"
#include "text/width.h"

typedef struct rv_span {
    unsigned style;   /* RV_STYLE_..., added up */
    const char *text; /* never empty */
    const char *link; /* the link's address; NULL: it is no link */
} rv_span;

typedef enum rv_block_kind {
    RV_HEADING,
    RV_PARAGRAPH,
    RV_ITEM, /* of a list */
    RV_CODE, /* one span: the text with its line ends */
    RV_ROW,  /* of a table */
    RV_HTML  /* one span: the line */
} rv_block_kind;

typedef struct rv_block {
    rv_block_kind kind;
    int level;        /* HEADING: 1..6; else the depth in lists, 0: in none */
    int number;       /* ITEM: its number; 0: a bullet. ROW: 0 is the heading */
    bool quoted;      /* inside a quotation */
    const char *info; /* CODE: the language that the text names, or "" */
    const char *look; /* CODE: the words after the language, or "" */
    rv_span *spans;
    int n_spans;
    int *cells; /* ROW: the first span of each cell, and n_spans at the end */
    int n_cells;
} rv_block;

typedef struct rv_document {
    rv_block *blocks;
    int n_blocks;
} rv_document;

enum { RV_DOCUMENT_LIMIT = 1 << 20 }; /* the most bytes that a text may have */

/* Parses Markdown (CommonMark with tables), or what rv_write_document has written. RS_UNSUPPORTED: this build
   has no Markdown. */
rs_status rv_parse_document(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                            rv_document *document);
/* document_lines.c: writes a document as lines; tells whether a text begins like that; reads such a text. */
void rv_write_document(const rv_document *document, rs_write write, void *context);
bool rv_is_document(const char *text, size_t n_bytes);
rs_status rv_read_document(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                           rv_document *document);
/* Writes the words of spans[0..n-1] without their styles; returns snprintf's count. */
size_t rv_plain_spans(const rv_span spans[], int n, char *out, size_t n_out);
