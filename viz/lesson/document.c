/* document.c: Markdown to blocks. md4c's parser calls a function for every piece.
 *
 *     enter P   text "Say "   enter EM   text "what"   leave EM   ...   leave P  -->  one block
 *
 * Entering a piece that can have text opens a block, leaving it closes the block. All lists are
 * allocated before, as long as the text's length can make them.
 */
#include "config.h"
#include "lesson/document.h"

#include <stdio.h>
#include <string.h>

size_t rv_plain_spans(const rv_span spans[], int n, char *out, size_t n_out) {
    size_t length = 0;
    if (n_out > 0) out[0] = '\0';
    for (int i = 0; i < n; i++) {
        const size_t room = length < n_out ? n_out - length : 0;
        length += (size_t)snprintf(room > 0 ? out + length : NULL, room, "%s", spans[i].text);
    }
    return length;
}

#ifdef HAVE_MD4C
#include <md4c.h>

enum { MOST_DEPTH = 16 };
typedef struct builder {
    rs_arena *arena;
    rv_block *blocks;
    rv_span *spans;
    int *cells;
    int n_blocks, most_blocks, n_spans, most_spans, n_cells;
    char *text; /* what the spans' texts are cut from */
    size_t n_text, most_text;
    size_t last_end;         /* where the last span's text ends */
    rv_block *open;          /* the block that text goes to; NULL: none yet */
    bool item_waits;         /* an item has begun, but none of its text */
    int depth, quotes;       /* of lists, of quotations */
    int numbers[MOST_DEPTH]; /* of the next item, per list; 0: bullets */
    unsigned style;
    const char *link;
    int row;
    bool full;
} builder;

/* ------------------------------------------------------------------ pieces */

static const char *keep(builder *b, const char *text, size_t n) {
    if (n + 1 > b->most_text - b->n_text) {
        b->full = true;
        return "";
    }
    char *at = b->text + b->n_text;
    if (n > 0) memcpy(at, text, n); /* md4c may give NULL for an empty text */
    at[n] = '\0';
    b->n_text += n + 1;
    return at;
}

static void begin(builder *b, rv_block_kind kind, int level) {
    if (b->n_blocks == b->most_blocks) {
        b->full = true;
        return;
    }
    b->open = &b->blocks[b->n_blocks++];
    *b->open =
        (rv_block){.kind = kind, .level = level, .quoted = b->quotes > 0, .info = "", .look = ""};
    b->open->spans = b->spans + b->n_spans;
    b->open->cells = b->cells + b->n_cells;
}

/* Opens a block for words: the first text of an item is an RV_ITEM, its further paragraphs are
   RV_PARAGRAPHs of its depth. */
static void begin_words(builder *b) {
    if (b->item_waits) {
        b->item_waits = false;
        const int at = b->depth < MOST_DEPTH ? b->depth : MOST_DEPTH - 1;
        begin(b, RV_ITEM, b->depth);
        if (b->open != NULL && b->numbers[at] > 0) b->open->number = b->numbers[at]++;
    } else {
        begin(b, RV_PARAGRAPH, b->depth);
    }
}

static void add(builder *b, const char *text, size_t n) {
    if (n == 0 || b->full) return;
    if (b->open == NULL) begin_words(b); /* a tight list has no paragraphs */
    if (b->open == NULL) return;
    rv_span *last = b->open->n_spans > 0 ? &b->open->spans[b->open->n_spans - 1] : NULL;
    const bool new_cell =
        b->open->kind == RV_ROW && b->open->cells[b->open->n_cells - 1] == b->open->n_spans;
    if (last != NULL && !new_cell && last->style == b->style && last->link == b->link &&
        b->last_end == b->n_text) {
        b->n_text--; /* the text goes on where its zero byte is */
        keep(b, text, n);
        b->last_end = b->n_text;
        return;
    }
    if (b->n_spans == b->most_spans) {
        b->full = true;
        return;
    }
    b->spans[b->n_spans++] = (rv_span){b->style, keep(b, text, n), b->link};
    b->open->n_spans++;
    b->last_end = b->n_text;
}

/* ------------------------------------------------------------------ md4c's calls */

static int enter_block(MD_BLOCKTYPE type, void *detail, void *context) {
    builder *b = context;
    switch (type) {
    case MD_BLOCK_QUOTE: b->quotes++; break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        b->open = NULL;
        b->depth++;
        if (b->depth < MOST_DEPTH) {
            b->numbers[b->depth] =
                type == MD_BLOCK_OL ? (int)((const MD_BLOCK_OL_DETAIL *)detail)->start : 0;
        }
        break;
    case MD_BLOCK_LI:
        b->open = NULL;
        b->item_waits = true;
        break;
    case MD_BLOCK_H: begin(b, RV_HEADING, (int)((const MD_BLOCK_H_DETAIL *)detail)->level); break;
    case MD_BLOCK_P: begin_words(b); break;
    case MD_BLOCK_CODE: {
        const MD_ATTRIBUTE *lang = &((const MD_BLOCK_CODE_DETAIL *)detail)->lang;
        const MD_ATTRIBUTE *info = &((const MD_BLOCK_CODE_DETAIL *)detail)->info;
        begin(b, RV_CODE, b->depth);
        if (b->open == NULL || lang->size == 0) break;
        b->open->info = keep(b, lang->text, lang->size);
        MD_SIZE at = lang->size;
        while (at < info->size && info->text[at] == ' ') at++;
        b->open->look = keep(b, info->text + at, info->size - at);
        break;
    }
    case MD_BLOCK_HTML: begin(b, RV_HTML, b->depth); break;
    case MD_BLOCK_TABLE: b->row = 0; break;
    case MD_BLOCK_TR:
        begin(b, RV_ROW, b->depth);
        if (b->open != NULL) b->open->number = b->row++;
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        if (b->open == NULL) break;
        b->open->cells[b->open->n_cells++] = b->open->n_spans;
        b->n_cells++;
        break;
    default: break;
    }
    return b->full;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *context) {
    builder *b = context;
    (void)detail;
    switch (type) {
    case MD_BLOCK_QUOTE: b->quotes--; break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL: b->depth--; break;
    case MD_BLOCK_LI: b->item_waits = false; break;
    case MD_BLOCK_TR:
        if (b->open != NULL) b->open->cells[b->open->n_cells] = b->open->n_spans;
        b->n_cells++;
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: return b->full; /* the row goes on */
    default: break;
    }
    b->open = NULL;
    return b->full;
}

static unsigned style_of(MD_SPANTYPE type) {
    return type == MD_SPAN_STRONG ? RV_STYLE_STRONG
           : type == MD_SPAN_EM   ? RV_STYLE_EMPHASIS
           : type == MD_SPAN_CODE ? RV_STYLE_CODE
                                  : 0;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *context) {
    builder *b = context;
    b->style |= style_of(type);
    if (type == MD_SPAN_A) {
        const MD_ATTRIBUTE *href = &((const MD_SPAN_A_DETAIL *)detail)->href;
        b->link = keep(b, href->text, href->size);
    }
    return b->full;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *context) {
    builder *b = context;
    (void)detail;
    b->style &= ~style_of(type);
    if (type == MD_SPAN_A) b->link = NULL;
    return b->full;
}

/* Resolves the entities that lessons use; NULL: another one, which stays as it is typed. */
static const char *entity(const char *text, size_t n) {
    static const char *const known[][2] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&nbsp;", "\xc2\xa0"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i][0]) == n && memcmp(known[i][0], text, n) == 0) return known[i][1];
    }
    return NULL;
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *context) {
    builder *b = context;
    const char *resolved = type == MD_TEXT_ENTITY ? entity(text, size) : NULL;
    /* A comment among words is for the lesson's authors, such as the formula of a number. */
    if (type == MD_TEXT_HTML && b->open != NULL && b->open->kind != RV_HTML) return b->full;
    if (type == MD_TEXT_SOFTBR || type == MD_TEXT_BR) {
        add(b, type == MD_TEXT_BR ? "\n" : " ", 1);
    } else if (resolved != NULL) {
        add(b, resolved, strlen(resolved));
    } else if (type != MD_TEXT_NULLCHAR) {
        add(b, text, size);
    }
    return b->full;
}

/* ------------------------------------------------------------------ the whole */

static rs_status parse_markdown(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                                rv_document *document) {
    /* Each block and each span comes from at least one byte of the text; links and code may be kept
       twice. */
    const int most = (int)n_bytes + 16;
    builder b = {.arena = arena, .most_blocks = most, .most_spans = most};
    b.most_text = 4 * (size_t)most;
    b.blocks = rs_alloc(arena, (size_t)most, sizeof *b.blocks);
    b.spans = rs_alloc(arena, (size_t)most, sizeof *b.spans);
    b.cells = rs_alloc(arena, 2 * (size_t)most, sizeof *b.cells);
    b.text = rs_alloc(arena, b.most_text, 1);
    if (b.blocks == NULL || b.spans == NULL || b.cells == NULL || b.text == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory to read a text of %zu bytes", n_bytes);
    }
    const MD_PARSER parser = {.flags = MD_FLAG_TABLES,
                              .enter_block = enter_block,
                              .leave_block = leave_block,
                              .enter_span = enter_span,
                              .leave_span = leave_span,
                              .text = on_text};
    if (md_parse(text, (MD_SIZE)n_bytes, &parser, &b) != 0 || b.full) {
        return rs_fail(error, RS_TOO_LARGE, "a text with too many parts to read");
    }
    *document = (rv_document){b.blocks, b.n_blocks};
    return RS_OK;
}
#else
static rs_status parse_markdown(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                                rv_document *document) {
    (void)text, (void)n_bytes, (void)arena, (void)document;
    return rs_fail(error, RS_UNSUPPORTED,
                   "built without Markdown (md4c); see ringsim doctor, then make again");
}
#endif

rs_status rv_parse_document(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                            rv_document *document) {
    if (n_bytes > RV_DOCUMENT_LIMIT) {
        return rs_fail(error, RS_TOO_LARGE, "a text of %zu bytes; at most %d are read", n_bytes,
                       (int)RV_DOCUMENT_LIMIT);
    }
    return rv_is_document(text, n_bytes) ? rv_read_document(text, n_bytes, arena, error, document)
                                         : parse_markdown(text, n_bytes, arena, error, document);
}
