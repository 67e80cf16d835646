/* test_document_lines.c: a document as lines says what its Markdown says; lines that are none are refused. */
#include "lesson/document.h"
#include "support/own.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

typedef struct written_lines {
    char text[1 << 17];
    size_t n;
} written_lines;

static void put(void *context, const char *text, size_t n_bytes) {
    written_lines *to = context;
    cr_assert(to->n + n_bytes < sizeof to->text);
    memcpy(to->text + to->n, text, n_bytes);
    to->n += n_bytes;
}

static bool same_text(const char *a, const char *b) {
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static void same_block(const rv_block *a, const rv_block *b) {
    cr_assert(a->kind == b->kind && a->level == b->level && a->number == b->number);
    cr_assert(a->quoted == b->quoted && same_text(a->info, b->info) && same_text(a->look, b->look));
    cr_assert(a->n_spans == b->n_spans && a->n_cells == b->n_cells);
    for (int i = 0; i < a->n_spans; i++) {
        cr_assert(a->spans[i].style == b->spans[i].style);
        cr_assert(same_text(a->spans[i].text, b->spans[i].text));
        cr_assert(same_text(a->spans[i].link, b->spans[i].link));
    }
    for (int i = 0; i <= a->n_cells && a->n_cells > 0; i++) cr_assert(a->cells[i] == b->cells[i]);
}

static rs_status parse(const char *text, size_t n, rs_arena *arena, rv_document *document) {
    rs_error error;
    return rv_parse_document(text, n, arena, &error, document);
}

static void try_text(const char *text, size_t n) {
    static written_lines lines;
    OWN_ARENA arena = {0};
    rv_document a, b;
    const rs_status status = parse(text, n, &arena, &a);
    if (status == RS_UNSUPPORTED) cr_skip("this build has no Markdown");
    cr_assert(status == RS_OK);
    lines.n = 0;
    rv_write_document(&a, put, &lines);
    cr_assert(parse(lines.text, lines.n, &arena, &b) == RS_OK);
    cr_assert(a.n_blocks == b.n_blocks && a.n_blocks > 0);
    for (int i = 0; i < a.n_blocks; i++) same_block(&a.blocks[i], &b.blocks[i]);
}

Test(document_lines, say_what_their_markdown_says) {
    static const char small[] =
        "# A *b* `c`\n\n> [d](e.md) f\n> - g\n>   1. h\n\n| i | j |\n|---|---|\n| | k |\n"
        "\n```c look here\na\t\\n\n\nb\n```\n<!-- l -->\n";
    try_text(small, sizeof small - 1);
}

Test(document_lines, say_what_a_lesson_says) {
    static char text[1 << 16];
    FILE *file = fopen("lessons/05-scatter-reduce/zh_CN.md", "r");
    cr_assert(file != NULL, "run from the root of the source");
    const size_t n = fread(text, 1, sizeof text, file);
    fclose(file);
    try_text(text, n);
}

Test(document_lines, that_are_none_are_refused) {
    static const char *const wrong[] = {"S\t1\tword\n",
                                        "B\t9\t0\t0\t0\t\t\n",
                                        "B\t1\t0\t0\t0\t\t\nB\n",
                                        "B\t1\t0\t0\t0\t\t\nC\t1\n",
                                        "B\t1\t0\t0\t0\t\t\nS\t1\tno end",
                                        "B\t1\t0\t0\t0\t\t\t\t\t\t\n",
                                        "\n"};
    OWN_ARENA arena = {0};
    rv_document document;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[200];
        const int n = snprintf(text, sizeof text, "ringsim-document 1\n%s", wrong[i]);
        cr_assert(parse(text, (size_t)n, &arena, &document) == RS_BAD_INPUT, "%s", wrong[i]);
    }
}
