/* typeset.c: a part of a lesson as lines of text, wrapped to a width.
 *
 *     paragraph      words                    quotation      | words, the cards of myths
 *     item           - words                  code               as it stands, indented
 *                      more words             table          a   b      columns as wide as they may be
 *
 * Words and the style of each byte go side by side: the words are broken into lines, then written with
 * a change of style wherever the styles change.
 */
#include "lesson/lesson.h"
#include "text/width.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 12, LEAST_COLUMN = 4, GAP = 2, CODE_INDENT = 4 };

typedef struct setter {
    const rv_document *document;
    const rv_type *type;
    rs_write write;
    void *context;
    unsigned style; /* that the terminal is in */
} setter;

/* Words with the style of each byte. */
typedef struct words {
    char *text;
    unsigned char *styles;
} words;

/* ------------------------------------------------------------------ writing */

static void put(const setter *s, const char *text, size_t n) {
    if (n > 0) s->write(s->context, text, n);
}

static void put_text(const setter *s, const char *text) {
    put(s, text, strlen(text));
}

static void put_blanks(const setter *s, int n) {
    for (; n > 0; n--) put(s, " ", 1);
}

static void put_style(setter *s, unsigned style) {
    if (!s->type->attributes || style == s->style) return;
    if (s->style != 0) put_text(s, "\033[0m");
    if (style & RV_STRONG) put_text(s, "\033[1m");
    if (style & RV_EMPHASIS) put_text(s, "\033[4m");
    if (style & RV_LITERAL) put_text(s, "\033[36m");
    s->style = style;
}

static void put_words(setter *s, const words *w, size_t first, size_t n) {
    for (size_t i = first; i < first + n;) {
        size_t end = i + 1;
        while (end < first + n && w->styles[end] == w->styles[i]) end++;
        put_style(s, w->styles[i]);
        put(s, w->text + i, end - i);
        i = end;
    }
    put_style(s, 0);
}

/* ------------------------------------------------------------------ words */

/* Copies spans; without attributes, code keeps its marks. Bytes that a terminal obeys become ?. */
static bool gather(const setter *s, const rv_span spans[], int n, bool is_code, words *w) {
    size_t most = 1, at = 0;
    for (int i = 0; i < n; i++) most += strlen(spans[i].text) + 2;
    w->text = malloc(most);
    w->styles = malloc(most);
    if (w->text == NULL || w->styles == NULL) {
        free(w->text);
        free(w->styles);
        return false;
    }
    for (int i = 0; i < n; i++) {
        const bool marked = !is_code && !s->type->attributes && (spans[i].style & RV_LITERAL);
        if (marked) w->text[at++] = '`';
        for (const char *c = spans[i].text; *c != '\0'; c++) {
            const unsigned char byte = (unsigned char)*c;
            w->styles[at] = (unsigned char)spans[i].style;
            w->text[at++] = (byte < 0x20 && byte != '\n') || byte == 0x7f ? '?' : *c;
        }
        if (marked) w->text[at++] = '`';
    }
    w->text[at] = '\0';
    return true;
}

static void release(words *w) {
    free(w->text);
    free(w->styles);
}

/* Returns how many bytes of the line at `text` fit, and where the next begins; never none. */
static size_t break_line(const char *text, int width, size_t *next) {
    size_t n = rv_wrap(text, width, next);
    const char *end = memchr(text, '\n', n);
    if (end != NULL) {
        n = (size_t)(end - text);
        *next = n + 1;
    }
    if (*next == 0) { /* not even one character fits */
        uint32_t code;
        n = *next = (size_t)rv_decode(text, &code);
    }
    return n;
}

/* ------------------------------------------------------------------ blocks */

static void put_margin(const setter *s, const rv_block *block) {
    if (block->quoted) put_text(s, "\xe2\x94\x82 ");
}

static int margin_of(const rv_block *block) {
    return block->quoted ? 2 : 0;
}

/* Writes a paragraph, an item or a heading. */
static bool set_words(setter *s, const rv_block *block) {
    char bullet[16] = "";
    words w;
    if (!gather(s, block->spans, block->n_spans, false, &w)) return false;
    if (block->kind == RV_HEADING) memset(w.styles, RV_STRONG, strlen(w.text));
    const bool in_list = block->kind != RV_HEADING && block->level > 0;
    int indent = in_list ? 2 * (block->level < 10 ? block->level : 10) : 0;
    if (block->kind == RV_ITEM) {
        if (block->number > 0) {
            snprintf(bullet, sizeof bullet, "%d. ", block->number);
            if (block->level == 1) indent = (int)strlen(bullet);
        } else {
            snprintf(bullet, sizeof bullet, "- ");
        }
    }
    const int room = s->type->width - indent - margin_of(block);
    size_t at = 0, next;
    bool first = true;
    while (w.text[at] != '\0') {
        const size_t n = break_line(w.text + at, room > LEAST_COLUMN ? room : LEAST_COLUMN, &next);
        put_margin(s, block);
        put_blanks(s, first ? indent - (int)strlen(bullet) : indent);
        if (first) put_text(s, bullet);
        put_words(s, &w, at, n);
        put_text(s, "\n");
        at += next;
        first = false;
    }
    release(&w);
    return true;
}

/* Code is indented, but no more than the longest line leaves room for. */
static bool set_code(setter *s, const rv_block *block) {
    words w;
    if (!gather(s, block->spans, block->n_spans, true, &w)) return false;
    int indent = CODE_INDENT;
    for (int pass = 0; pass < 2; pass++) {
        for (char *at = w.text; *at != '\0';) {
            char *end = strchr(at, '\n');
            if (end != NULL) *end = '\0';
            const int left = s->type->width - margin_of(block) - rv_text_width(at);
            if (pass == 0 && left < indent) indent = left > 0 ? left : 0;
            if (pass == 1) {
                put_margin(s, block);
                if (*at != '\0') put_blanks(s, indent);
                put_words(s, &w, (size_t)(at - w.text), strlen(at));
                put_text(s, "\n");
            }
            if (end == NULL) break;
            if (pass == 0) *end = '\n';
            at = end + 1;
        }
    }
    release(&w);
    return true;
}

/* ------------------------------------------------------------------ tables */

typedef struct text_table {
    int first, end, n_columns;
    int widths[MOST_COLUMNS];
} text_table;

static int cell_count(const rv_block *row) {
    return row->n_cells < MOST_COLUMNS ? row->n_cells : MOST_COLUMNS;
}

static bool gather_cell(const setter *s, const rv_block *row, int column, words *w) {
    const int first = row->cells[column];
    return gather(s, row->spans + first, row->cells[column + 1] - first, false, w);
}

/* Columns are as wide as their widest cell; while they do not fit, the widest gives way. */
static bool measure(const setter *s, int first, int end, text_table *t) {
    *t = (text_table){.first = first, .end = first + 1};
    while (t->end < end && s->document->blocks[t->end].kind == RV_ROW &&
           s->document->blocks[t->end].number > 0) {
        t->end++;
    }
    for (int i = t->first; i < t->end; i++) {
        const rv_block *row = &s->document->blocks[i];
        if (cell_count(row) > t->n_columns) t->n_columns = cell_count(row);
        for (int c = 0; c < cell_count(row); c++) {
            words w;
            if (!gather_cell(s, row, c, &w)) return false;
            const int width = rv_text_width(w.text);
            if (width > t->widths[c]) t->widths[c] = width;
            release(&w);
        }
    }
    for (;;) {
        int total = GAP * (t->n_columns - 1), widest = 0;
        for (int c = 0; c < t->n_columns; c++) {
            total += t->widths[c];
            if (t->widths[c] > t->widths[widest]) widest = c;
        }
        if (total <= s->type->width || t->widths[widest] <= LEAST_COLUMN) return true;
        t->widths[widest] -= total - s->type->width > 8 ? 4 : 1;
    }
}

static bool set_row(setter *s, const text_table *t, const rv_block *row) {
    words cells[MOST_COLUMNS];
    size_t at[MOST_COLUMNS] = {0};
    int n = 0;
    while (n < cell_count(row) && gather_cell(s, row, n, &cells[n])) n++;
    const bool good = n == cell_count(row);
    for (int c = 0; c < n && row->number == 0; c++) {
        memset(cells[c].styles, RV_STRONG, strlen(cells[c].text));
    }
    for (bool more = good; more;) {
        int owed = 0; /* blanks that are written only before more words */
        more = false;
        for (int c = 0; c < n; c++) {
            size_t next = 0;
            const char *text = cells[c].text + at[c];
            const size_t bytes = *text == '\0' ? 0 : break_line(text, t->widths[c], &next);
            if (bytes > 0) put_blanks(s, owed);
            if (bytes > 0) owed = 0;
            put_words(s, &cells[c], at[c], bytes);
            char line[512];
            snprintf(line, sizeof line, "%.*s", (int)bytes, text);
            owed += t->widths[c] - rv_text_width(line) + GAP;
            at[c] += next;
            more = more || cells[c].text[at[c]] != '\0';
        }
        put_text(s, "\n");
    }
    for (int c = 0; c < n; c++) release(&cells[c]);
    return good;
}

static bool set_table(setter *s, int first, int end, int *next) {
    text_table t;
    if (!measure(s, first, end, &t)) return false;
    *next = t.end;
    for (int i = t.first; i < t.end; i++) {
        if (!set_row(s, &t, &s->document->blocks[i])) return false;
        for (int c = 0; i == t.first && c < t.n_columns; c++) {
            for (int k = 0; k < t.widths[c]; k++) put_text(s, "-");
            if (c + 1 < t.n_columns) put_blanks(s, GAP);
        }
        if (i == t.first) put_text(s, "\n");
    }
    return true;
}

/* ------------------------------------------------------------------ parts */

/* Items follow each other closely; all else is kept apart by an empty line. */
static void put_gap(const setter *s, const rv_block *before, const rv_block *block) {
    if (before == NULL || (before->kind == RV_ITEM && block->kind == RV_ITEM)) return;
    if (before->quoted && block->quoted) put_text(s, "\xe2\x94\x82");
    put_text(s, "\n");
}

bool rv_write_part(const rv_lesson *lesson, rv_part part, const rv_type *type, rs_write write,
                   void *context) {
    setter s = {&lesson->document, type, write, context, 0};
    const rv_block *before = NULL;
    bool good = true;
    for (int i = part.first; good && i < part.end;) {
        const rv_block *block = &lesson->document.blocks[i];
        int next = i + 1;
        if (block->kind == RV_HTML) {
            i = next;
            continue;
        }
        put_gap(&s, before, block);
        good = block->kind == RV_CODE  ? set_code(&s, block)
               : block->kind == RV_ROW ? set_table(&s, i, part.end, &next)
                                       : set_words(&s, block);
        before = block;
        i = next;
    }
    return good;
}
