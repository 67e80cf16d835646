/* typeset.c: a flow of pieces (lesson_flow.h) as lines of text, wrapped to a width.
 *
 *     paragraph      words                    quotation      | words, the cards of myths
 *     item           - words                  code               unchanged, indented
 *                      more words             table          a   b      columns as wide as they may be
 */
#include "lesson/lesson_flow.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_COLUMN = 4, GAP = 2, CODE_INDENT = 4, LEAST_INDENT = 2 };

typedef struct setter {
    const rv_flow *flow;
    const rv_type *type;
    rs_write write;
    void *context;
} setter;

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

static void put_style(const setter *s, unsigned style, unsigned *now) {
    if (style == *now) return;
    if (*now != 0) put_text(s, "\033[0m");
    if (style & RV_STYLE_STRONG) put_text(s, "\033[1m");
    if (style & RV_STYLE_EMPHASIS) put_text(s, "\033[4m");
    if (style & RV_STYLE_CODE) put_text(s, "\033[36m");
    *now = style;
}

/* Writes n bytes of a piece's words, which begin in *style. A bold piece has one style
   throughout, code has none. */
static void put_words(const setter *s, const rv_piece *piece, const char *text, size_t n,
                      unsigned *style) {
    unsigned now = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && !rv_is_style(text[end]);) end++;
        const unsigned own = piece->bold ? RV_STYLE_STRONG : *style;
        if (end > i && s->type->attributes && piece->kind != RV_LINES) put_style(s, own, &now);
        put(s, text + i, end - i);
        if (end < n) *style = (unsigned char)text[end++] & 7U;
    }
    put_style(s, 0, &now);
}

/* Returns how many bytes of the line at `text` fit; *next: where the next line begins, never 0. */
static size_t break_line(const char *text, int width, size_t *next) {
    const size_t n = rv_wrap(text, width, next);
    const char *end = memchr(text, '\n', n);
    if (end == NULL) return n;
    *next = (size_t)(end - text) + 1;
    return *next - 1;
}

/* ------------------------------------------------------------------ blocks */

static void put_margin(const setter *s, const rv_piece *piece) {
    if (piece->from->quoted) put_text(s, "\xe2\x94\x82 ");
}

static int room_of(const setter *s, const rv_piece *piece) {
    return s->type->width - (piece->from->quoted ? 2 : 0);
}

/* Writes a paragraph, an item or a heading. */
static void set_words(const setter *s, const rv_piece *piece) {
    const rv_block *block = piece->from;
    char bullet[16] = "";
    const bool in_list = block->kind != RV_HEADING && block->level > 0;
    int indent = in_list ? 2 * (block->level < 10 ? block->level : 10) : 0;
    if (block->kind == RV_ITEM && block->number > 0) {
        snprintf(bullet, sizeof bullet, "%d. ", block->number);
        if (block->level == 1) indent = (int)strlen(bullet);
    } else if (block->kind == RV_ITEM) {
        snprintf(bullet, sizeof bullet, "- ");
    }
    const int room = room_of(s, piece) - indent;
    unsigned style = 0;
    size_t next;
    for (const char *at = piece->text; *at != '\0'; at += next) {
        const size_t n = break_line(at, room > LEAST_COLUMN ? room : LEAST_COLUMN, &next);
        assert(next > 0);
        put_margin(s, piece);
        put_blanks(s, indent - (int)strlen(bullet));
        put_text(s, bullet);
        bullet[0] = '\0';
        put_words(s, piece, at, n, &style);
        put_text(s, "\n");
    }
}

/* Writes a line of code; what does not fit goes on below, at words, further in. An empty line is a space: the block
   goes on. */
static void set_code_line(const setter *s, const rv_piece *piece, const char *text, size_t n,
                          int indent, unsigned *style) {
    const int own = (int)strspn(text, " ") < (int)n ? (int)strspn(text, " ") : (int)n;
    int room = room_of(s, piece) - indent, further = 0;
    do {
        size_t next = n, used = n;
        if (rv_width_of(text, n) > room && room > LEAST_COLUMN) used = rv_wrap(text, room, &next);
        if (next > n) next = n;
        if (used > n) used = n;
        put_margin(s, piece);
        put_blanks(s, rv_width_of(text, used) > 0 ? indent + further : 1);
        put_words(s, piece, text, used, style);
        put_text(s, "\n");
        text += next;
        n -= next;
        if (further == 0 && own + LEAST_INDENT < room / 2) {
            further = own + LEAST_INDENT;
            room -= further;
        }
    } while (n > 0);
}

/* Writes code, indented as far as the longest line leaves room; not where it types a file, which is copied from here. */
static void set_code(const setter *s, const rv_piece *piece) {
    int indent = strstr(piece->text, "<<'") != NULL ? 0 : CODE_INDENT;
    unsigned style = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (const char *at = piece->text, *end; at != NULL; at = *end == '\0' ? NULL : end + 1) {
            end = at + strcspn(at, "\n");
            const int left = room_of(s, piece) - rv_width_of(at, (size_t)(end - at));
            if (pass == 1) set_code_line(s, piece, at, (size_t)(end - at), indent, &style);
            if (left < 0 && indent > LEAST_INDENT) indent = LEAST_INDENT;
            if (left >= 0 && left < indent) indent = left;
        }
    }
}

/* ------------------------------------------------------------------ tables */

/* Measures a table's columns: each is as wide as its widest cell; while they do not fit, the widest
   shrinks. Returns how many there are. */
static int measure(const setter *s, int first, int end, double widths[RV_MOST_CELLS]) {
    int n_columns = 0;
    for (int i = first; i < end; i++) {
        const rv_piece *row = &s->flow->pieces[i];
        if (row->n_cells > n_columns) n_columns = row->n_cells;
        for (int c = 0; c < row->n_cells; c++) {
            const int width = rv_text_width(row->cells[c]);
            if (width > widths[c]) widths[c] = width;
        }
    }
    rv_fit_columns(widths, s->type->width - GAP * (n_columns - 1), 1, LEAST_COLUMN);
    return n_columns;
}

static void set_row(const setter *s, const rv_piece *row, const double widths[]) {
    size_t at[RV_MOST_CELLS] = {0};
    unsigned styles[RV_MOST_CELLS] = {0};
    for (bool more = true; more;) {
        int owed = 0; /* blanks to write if more words follow on the line */
        more = false;
        for (int c = 0; c < row->n_cells; c++) {
            size_t next = 0;
            const char *text = row->cells[c] + at[c];
            const size_t n = *text == '\0' ? 0 : break_line(text, (int)widths[c], &next);
            assert(*text == '\0' || next > 0);
            if (n > 0) put_blanks(s, owed);
            if (n > 0) owed = 0;
            put_words(s, row, text, n, &styles[c]);
            owed += (int)widths[c] - rv_width_of(text, n) + GAP;
            at[c] += next;
            more = more || text[next] != '\0';
        }
        put_text(s, "\n");
    }
}

static void set_table(const setter *s, int first, int end) {
    double widths[RV_MOST_CELLS] = {0};
    const int n_columns = measure(s, first, end, widths);
    for (int i = first; i < end; i++) {
        set_row(s, &s->flow->pieces[i], widths);
        for (int c = 0; i == first && c < n_columns; c++) {
            for (int k = 0; k < widths[c]; k++) put_text(s, "-");
            if (c + 1 < n_columns) put_blanks(s, GAP);
        }
        if (i == first) put_text(s, "\n");
    }
}

/* ------------------------------------------------------------------ parts */

/* Writes an empty line between two blocks, but not between two items. */
static void put_gap(const setter *s, const rv_block *before, const rv_block *block) {
    if (before == NULL || (before->kind == RV_ITEM && block->kind == RV_ITEM)) return;
    if (before->quoted && block->quoted) put_text(s, "\xe2\x94\x82");
    put_text(s, "\n");
}

bool rv_write_part(const rv_lesson *lesson, rv_part part, const rv_type *type, rs_write write,
                   void *context) {
    rs_arena arena;
    rv_flow flow = {.arena = &arena, .ticks = !type->attributes, .no_links = true};
    const setter s = {&flow, type, write, context};
    const rv_block *before = NULL;
    rs_arena_init(&arena, NULL);
    rv_flow_part(&flow, lesson, part);
    for (int i = 0, end; i < flow.n; i = end) {
        const rv_piece *piece = &flow.pieces[i];
        end = piece->kind == RV_CELLS ? rv_table_end(&flow, i) : i + 1;
        put_gap(&s, before, piece->from);
        if (piece->kind == RV_CELLS) set_table(&s, i, end);
        if (piece->kind == RV_LINES) set_code(&s, piece);
        if (piece->kind == RV_WORDS) set_words(&s, piece);
        before = flow.pieces[end - 1].from;
    }
    rs_arena_free(&arena);
    return !flow.failed;
}
