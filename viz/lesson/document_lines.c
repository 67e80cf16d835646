/* document_lines.c: a parsed document as lines, and back: where there is no Markdown parser, such as in a page,
 * the lessons' texts lie like this.
 *
 *     ringsim-document 1
 *     B 2 0 3 0 - -          a block: kind, level, number, quoted, info, look ...
 *     S 1 words              ... a span: style, text
 *     L 0 address words      ... or a link
 *     C                      ... in a row: a cell begins
 *
 *   - Between fields stands a tab. In them \n, \t and \\ stand for a line end, a tab and a backslash.
 *   - What is read must be well formed, but may come from anywhere: nothing in it is trusted.
 */
#include "lesson/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char heading[] = "ringsim-document 1\n";
enum { MOST_FIELDS = 7 };

/* ---------------------------------------------------------------------------------------- writing */

static void put(rs_write write, void *context, const char *text) {
    write(context, text, strlen(text));
}

static void put_field(rs_write write, void *context, const char *text) {
    put(write, context, "\t");
    for (const char *c = text; *c != '\0'; c++) {
        const char *sign = *c == '\n' ? "\\n" : *c == '\t' ? "\\t" : *c == '\\' ? "\\\\" : NULL;
        if (sign != NULL) {
            put(write, context, sign);
        } else {
            write(context, c, 1);
        }
    }
}

static void put_number(rs_write write, void *context, int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    put_field(write, context, text);
}

static void put_span(rs_write write, void *context, const rv_span *span) {
    put(write, context, span->link != NULL ? "L" : "S");
    put_number(write, context, (int)span->style);
    if (span->link != NULL) put_field(write, context, span->link);
    put_field(write, context, span->text);
    put(write, context, "\n");
}

void rv_write_document(const rv_document *document, rs_write write, void *context) {
    put(write, context, heading);
    for (int i = 0; i < document->n_blocks; i++) {
        const rv_block *b = &document->blocks[i];
        const int numbers[] = {(int)b->kind, b->level, b->number, b->quoted};
        put(write, context, "B");
        for (int k = 0; k < 4; k++) put_number(write, context, numbers[k]);
        put_field(write, context, b->info);
        put_field(write, context, b->look);
        put(write, context, "\n");
        int cell = 0;
        for (int s = 0; s <= b->n_spans; s++) {
            for (; cell < b->n_cells && b->cells[cell] == s; cell++) put(write, context, "C\n");
            if (s < b->n_spans) put_span(write, context, &b->spans[s]);
        }
    }
}

/* ---------------------------------------------------------------------------------------- reading */

bool rv_is_document(const char *text, size_t n_bytes) {
    return n_bytes >= sizeof heading - 1 && memcmp(text, heading, sizeof heading - 1) == 0;
}

/* Cuts a line into its fields and resolves their signs, in place; returns how many there are. */
static int cut_line(char *line, char *fields[MOST_FIELDS]) {
    char *out = line;
    int n = 1;
    fields[0] = line;
    for (const char *c = line; *c != '\0'; c++) {
        if (*c == '\t') {
            *out++ = '\0';
            if (n == MOST_FIELDS) return MOST_FIELDS + 1;
            fields[n++] = out;
        } else if (*c == '\\' && c[1] != '\0') {
            c++;
            *out++ = *c == 'n' ? '\n' : *c == 't' ? '\t' : *c;
        } else {
            *out++ = *c;
        }
    }
    *out = '\0';
    return n;
}

typedef struct line_taker {
    rv_block *blocks;
    rv_span *spans;
    int *cells;
    int n_blocks, n_spans, n_cells;
} line_taker;

static bool take_block(line_taker *t, char *const fields[]) {
    const int kind = atoi(fields[1]);
    if (kind < RV_HEADING || kind > RV_HTML) return false;
    t->blocks[t->n_blocks++] = (rv_block){.kind = (rv_block_kind)kind,
                                          .level = atoi(fields[2]),
                                          .number = atoi(fields[3]),
                                          .quoted = atoi(fields[4]) != 0,
                                          .info = fields[5],
                                          .look = fields[6],
                                          .spans = t->spans + t->n_spans,
                                          .cells = t->cells + t->n_cells};
    return true;
}

static bool take_line(line_taker *t, char *line) {
    char *fields[MOST_FIELDS];
    const int n = cut_line(line, fields);
    const char what = fields[0][0];
    if (what == 'B' && n == 7) return take_block(t, fields);
    if (t->n_blocks == 0) return false;
    rv_block *block = &t->blocks[t->n_blocks - 1];
    if (what == 'C' && n == 1) {
        block->cells[block->n_cells++] = block->n_spans;
        block->cells[block->n_cells] = block->n_spans; /* where the last cell ends */
        t->n_cells += block->n_cells == 1 ? 2 : 1;
        return true;
    }
    if (!((what == 'S' && n == 3) || (what == 'L' && n == 4))) return false;
    block->spans[block->n_spans++] = (rv_span){.style = (unsigned)atoi(fields[1]) & 7U,
                                               .link = n == 4 ? fields[2] : NULL,
                                               .text = fields[n - 1]};
    t->n_spans++;
    if (block->n_cells > 0) block->cells[block->n_cells] = block->n_spans;
    return true;
}

rs_status rv_read_document(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                           rv_document *document) {
    size_t n_lines = 0;
    for (size_t i = 0; i < n_bytes; i++) n_lines += text[i] == '\n';
    line_taker t = {.blocks = rs_alloc(arena, n_lines + 1, sizeof *t.blocks),
                    .spans = rs_alloc(arena, n_lines + 1, sizeof *t.spans),
                    .cells = rs_alloc(arena, 2 * n_lines + 2, sizeof *t.cells)};
    char *copy = rs_alloc(arena, n_bytes + 1, 1);
    if (t.blocks == NULL || t.spans == NULL || t.cells == NULL || copy == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory to read a text of %zu bytes", n_bytes);
    }
    memcpy(copy, text, n_bytes);
    copy[n_bytes] = '\0';
    int number = 2;
    for (char *line = copy + sizeof heading - 1; *line != '\0'; number++) {
        char *end = strchr(line, '\n');
        if (end != NULL) *end = '\0';
        if (end == NULL || !take_line(&t, line)) {
            return rs_fail(error, RS_BAD_INPUT, "line %d of the document is none of its lines",
                           number);
        }
        line = end + 1;
    }
    *document = (rv_document){t.blocks, t.n_blocks};
    return RS_OK;
}
