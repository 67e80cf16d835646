/* The lessons: both languages keep to the grammar and say the same; what breaks it is told. */
#include "config.h"
#include <criterion/criterion.h>

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lesson/lesson.h"
#include "terminal/screen.h"

#ifdef HAVE_MD4C

enum { MOST = 99, NAME = 96, MOST_NUMBERS = 512, MOST_TEXT = 1 << 18 };

static rs_arena arena;
static rs_error error;
static char names[MOST][NAME];
static int n_names;

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Finds the lessons that have a text. */
static void setup(void) {
    rs_arena_init(&arena, NULL);
    n_names = 0;
    DIR *list = opendir("lessons");
    cr_assert(list != NULL, "run from the top folder");
    for (struct dirent *e = readdir(list); e != NULL; e = readdir(list)) {
        char path[NAME + 32];
        if (!isdigit((unsigned char)e->d_name[0])) continue;
        snprintf(path, sizeof path, "lessons/%.80s/en.md", e->d_name);
        if (access(path, R_OK) == 0 && n_names < MOST) {
            snprintf(names[n_names++], NAME, "%.80s", e->d_name);
        }
    }
    closedir(list);
    qsort(names, (size_t)n_names, NAME, by_name);
    cr_assert(n_names >= 8);
}

static void teardown(void) {
    rs_arena_free(&arena);
}
TestSuite(lessons, .init = setup, .fini = teardown);

static size_t load(const char *name, const char *file, char text[MOST_TEXT]) {
    char path[NAME + 64];
    snprintf(path, sizeof path, "lessons/%s/%s", name, file);
    FILE *in = fopen(path, "rb");
    cr_assert(in != NULL, "%s", path);
    const size_t n = fread(text, 1, MOST_TEXT - 1, in);
    fclose(in);
    text[n] = '\0';
    return n;
}

static void read_both(const char *name, rv_lesson *en, rv_lesson *zh) {
    static char text[MOST_TEXT];
    static const char *const files[] = {"en.md", "zh_CN.md"};
    for (int i = 0; i < 2; i++) {
        const size_t n = load(name, files[i], text);
        const rs_status status = rv_read_lesson(text, n, &arena, &error, i == 0 ? en : zh);
        cr_assert_eq(status, RS_OK, "%s/%s: %s", name, files[i], error.text);
    }
}

/* ------------------------------------------------------------------ both languages say the same */

Test(lessons, keep_to_the_grammar_and_to_their_folders_numbers) {
    for (int i = 0; i < n_names; i++) {
        rv_lesson en, zh;
        read_both(names[i], &en, &zh);
        cr_expect_eq(en.number, atoi(names[i]), "%s", names[i]);
        cr_expect_eq(zh.number, en.number, "%s", names[i]);
        cr_expect_eq(zh.minutes, en.minutes, "%s", names[i]);
        cr_expect_str_eq(en.headings[RV_GOAL], "Goal");
        cr_expect_str_eq(zh.headings[RV_GOAL], "目标");
    }
}

static void same_quiz(const rv_quiz *en, const rv_quiz *zh, const char *name, int number) {
    cr_expect_eq(en->n_options, zh->n_options, "%s, quiz %d", name, number);
    cr_expect_eq(en->answer, zh->answer, "%s, quiz %d: another answer", name, number);
    cr_expect_eq(en->page, zh->page, "%s, quiz %d: before another page", name, number);
    cr_expect_geq(en->n_options, 3, "%s, quiz %d: two wrong choices at least", name, number);
}

Test(lessons, have_the_same_pages_choices_and_answers_in_both_languages) {
    for (int i = 0; i < n_names; i++) {
        rv_lesson en, zh;
        read_both(names[i], &en, &zh);
        cr_expect_eq(en.n_pages, zh.n_pages, "%s", names[i]);
        cr_expect_eq(en.n_questions, zh.n_questions, "%s", names[i]);
        same_quiz(&en.prediction, &zh.prediction, names[i], 0);
        for (int q = 0; q < en.n_questions && q < zh.n_questions; q++) {
            same_quiz(&en.questions[q], &zh.questions[q], names[i], q + 1);
        }
        for (int p = 0; p < en.n_pages && p < zh.n_pages; p++) {
            const char *a = en.pages[p].scene, *b = zh.pages[p].scene;
            cr_expect((a == NULL) == (b == NULL), "%s, page %d", names[i], p + 1);
            if (a != NULL && b != NULL) cr_expect_str_eq(a, b, "%s, page %d", names[i], p + 1);
        }
    }
}

/* Writes the lines of all console blocks that begin with "$ ". */
static void commands_of(const rv_lesson *lesson, char out[MOST_TEXT]) {
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; i < lesson->document.n_blocks; i++) {
        const rv_block *block = &lesson->document.blocks[i];
        if (block->kind != RV_CODE || strcmp(block->info, "console") != 0) continue;
        for (int s = 0; s < block->n_spans; s++) {
            const char *line = block->spans[s].text;
            while (*line != '\0') {
                const size_t n = strcspn(line, "\n");
                if (strncmp(line, "$ ", 2) == 0) {
                    at += (size_t)snprintf(out + at, MOST_TEXT - at, "%.*s\n", (int)n, line);
                }
                line += n + (line[n] == '\n');
            }
        }
    }
}

Test(lessons, type_the_same_commands_in_both_languages) {
    static char a[MOST_TEXT], b[MOST_TEXT];
    for (int i = 0; i < n_names; i++) {
        rv_lesson en, zh;
        read_both(names[i], &en, &zh);
        commands_of(&en, a);
        commands_of(&zh, b);
        cr_expect(a[0] != '\0', "%s: no command", names[i]);
        cr_expect_str_eq(a, b, "%s", names[i]);
    }
}

/* Lists the numbers in digits of a part's prose, each once, ascending. */
typedef struct numbers {
    char texts[MOST_NUMBERS][16];
    int n;
} numbers;

static void add_numbers(const char *text, numbers *found) {
    for (const char *c = text; *c != '\0';) {
        if (!isdigit((unsigned char)*c)) {
            c++;
            continue;
        }
        size_t n = strspn(c, "0123456789.");
        const size_t next = n;
        while (n > 0 && c[n - 1] == '.') n--;
        char number[16];
        snprintf(number, sizeof number, "%.*s", (int)n, c);
        bool known = false;
        for (int i = 0; i < found->n; i++) known = known || strcmp(found->texts[i], number) == 0;
        if (!known && found->n < MOST_NUMBERS) strcpy(found->texts[found->n++], number);
        c += next;
    }
}

static void numbers_of(const rv_lesson *lesson, rv_part part, char out[MOST_TEXT]) {
    static char words[MOST_TEXT];
    static numbers found;
    found.n = 0;
    for (int i = part.first; i < part.end; i++) {
        const rv_block *block = &lesson->document.blocks[i];
        if (block->kind == RV_CODE || block->kind == RV_HTML) continue;
        for (int c = 0; block->kind == RV_ROW && c < block->n_cells; c++) {
            const int first = block->cells[c];
            rv_plain_spans(block->spans + first, block->cells[c + 1] - first, words, sizeof words);
            add_numbers(words, &found);
        }
        if (block->kind == RV_ROW) continue;
        rv_plain_spans(block->spans, block->n_spans, words, sizeof words);
        add_numbers(words, &found);
    }
    qsort(found.texts, (size_t)found.n, sizeof found.texts[0], by_name);
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; i < found.n; i++) {
        at += (size_t)snprintf(out + at, MOST_TEXT - at, "%s ", found.texts[i]);
    }
}

static void same_numbers(const rv_lesson *en, rv_part a, const rv_lesson *zh, rv_part b,
                         const char *name, const char *where) {
    static char left[MOST_TEXT], right[MOST_TEXT];
    numbers_of(en, a, left);
    numbers_of(zh, b, right);
    cr_expect_str_eq(left, right, "%s, %s: en %s, zh_CN %s", name, where, left, right);
}

Test(lessons, name_the_same_numbers_in_both_languages) {
    for (int i = 0; i < n_names; i++) {
        rv_lesson en, zh;
        read_both(names[i], &en, &zh);
        for (int s = 0; s < RV_N_SECTIONS; s++) {
            if (s == RV_STORY) continue;
            same_numbers(&en, en.sections[s], &zh, zh.sections[s], names[i], en.headings[s]);
        }
        for (int p = 0; p < en.n_pages && p < zh.n_pages; p++) {
            same_numbers(&en, en.pages[p].text, &zh, zh.pages[p].text, names[i], en.pages[p].title);
        }
    }
}

Test(lessons, link_only_to_files_that_are_there) {
    for (int i = 0; i < n_names; i++) {
        rv_lesson both[2];
        read_both(names[i], &both[0], &both[1]);
        for (int l = 0; l < 2; l++) {
            const rv_document *d = &both[l].document;
            for (int b = 0; b < d->n_blocks; b++) {
                for (int s = 0; s < d->blocks[b].n_spans; s++) {
                    const char *link = d->blocks[b].spans[s].link;
                    char path[1024];
                    if (link == NULL || strstr(link, "://") != NULL) continue;
                    const int n = snprintf(path, sizeof path, "lessons/%s/%.*s", names[i],
                                           (int)strcspn(link, "#"), link);
                    cr_assert(n > 0 && n < (int)sizeof path, "%s links to %s", names[i], link);
                    cr_expect(access(path, R_OK) == 0, "%s links to %s", names[i], path);
                }
            }
        }
    }
}

/* ------------------------------------------------------------------ the grammar */

#define HEAD                                                                                       \
    "# 5. Title\n\n*Question?*\n\n## Goal\n\nG.\n\n## Minutes\n\n5\n\n## Before\n\nnothing\n\n"
#define ASKS "## Prediction\n\nWhat?\n\n- a) one\n- b) two\n- c) three\n\n"
#define ANSWERS                                                                                    \
    "<details>\n<summary>Answer</summary>\n\n**b)** Two.\n\n- a) no\n- c) nor this\n\n</details>\n\n"
#define STORY "## Story\n\n### A page\n\n```console\n$ ringsim --gpus 5 --at 2\n...\n```\n\n"
#define QUESTIONS "## Questions\n\n**1.** What?\n\n- a) one\n- b) two\n- c) three\n\n" ANSWERS
#define TAIL "## Exercise\n\nWrite.\n\n## Next\n\nnothing\n"

static rs_status try(const char *text, rv_lesson *lesson) {
    error.text[0] = '\0';
    return rv_read_lesson(text, strlen(text), &arena, &error, lesson);
}

Test(lessons, a_text_that_keeps_to_the_grammar_is_read) {
    rv_lesson lesson;
    cr_assert_eq(try(HEAD ASKS ANSWERS STORY QUESTIONS TAIL, &lesson), RS_OK, "%s", error.text);
    cr_expect_eq(lesson.number, 5);
    cr_expect_str_eq(lesson.title, "Title");
    cr_expect_eq(lesson.minutes, 5);
    cr_expect_eq(lesson.prediction.answer, 1);
    cr_expect_eq(lesson.prediction.n_options, 3);
    cr_expect_eq(lesson.n_pages, 1);
    cr_expect_str_eq(lesson.pages[0].scene, "--gpus 5 --at 2");
    cr_expect_eq(lesson.n_questions, 1);
}

Test(lessons, how_a_scene_is_looked_at_stands_behind_the_blocks_language) {
    rv_lesson lesson;
    cr_assert_eq(
        try(HEAD ASKS ANSWERS
            "## Story\n\n### A page\n\n```console  --at 2\n$ ringsim sampler\n...\n```\n\n" QUESTIONS
                TAIL,
            &lesson),
        RS_OK, "%s", error.text);
    cr_expect_str_eq(lesson.pages[0].scene, "sampler --at 2");
    /* As who stands in the program's folder reads it. */
    cr_assert_eq(
        try(HEAD ASKS ANSWERS
            "## Story\n\n### A page\n\n```console\n$ ./ringsim --at 2\n...\n```\n\n" QUESTIONS TAIL,
            &lesson),
        RS_OK, "%s", error.text);
    cr_expect_str_eq(lesson.pages[0].scene, "--at 2");
    /* A comment goes before: the page is about another run. */
    cr_assert_eq(try(HEAD ASKS ANSWERS "## Story\n\n### A page\n\n<!-- scene: --gpus 3 -->\n\n"
                                       "```console\n$ ringsim --at 2\n```\n\n" QUESTIONS TAIL,
                     &lesson),
                 RS_OK, "%s", error.text);
    cr_expect_str_eq(lesson.pages[0].scene, "--gpus 3");
}

#define STORY_QUIZ "### What will it show?\n\nWhat?\n\n- a) one\n- b) two\n- c) three\n\n" ANSWERS

Test(lessons, a_heading_of_the_story_with_an_answer_is_a_quiz_before_the_next_page) {
    rv_lesson lesson;
    cr_assert_eq(try(HEAD ASKS ANSWERS STORY STORY_QUIZ
                     "### Next page\n\nWords.\n\n" QUESTIONS TAIL,
                     &lesson),
                 RS_OK, "%s", error.text);
    cr_expect_eq(lesson.n_pages, 2);
    cr_expect_eq(lesson.n_questions, 2);
    cr_expect_eq(lesson.n_story_questions, 1);
    cr_expect_eq(lesson.questions[0].page, 2);
    cr_expect_str_eq(lesson.questions[0].title, "What will it show?");
    cr_expect_eq(lesson.questions[1].page, 0);
    cr_expect_null(lesson.questions[1].title);
    static const char *const broken[] = {
        HEAD ASKS ANSWERS STORY STORY_QUIZ QUESTIONS TAIL,
        HEAD ASKS ANSWERS STORY STORY_QUIZ STORY_QUIZ "### P\n\nWords.\n\n" QUESTIONS TAIL,
        HEAD ASKS ANSWERS STORY STORY_QUIZ "Words.\n\n### P\n\nWords.\n\n" QUESTIONS TAIL,
    };
    for (int i = 0; i < 3; i++) cr_expect_neq(try(broken[i], &lesson), RS_OK, "text %d", i);
}

Test(lessons, what_breaks_the_grammar_is_told_with_its_place) {
    static const struct {
        const char *text, *says;
    } broken[] = {
        {"", "begins with"},
        {"# Title\n\nwords\n", "begins with"},
        {"# 5. Title\n\n## Goal\n\nG.\n", "the one question"},
        {HEAD ASKS ANSWERS STORY QUESTIONS "## Next\n\nnothing\n", "in this order"},
        {HEAD ASKS ANSWERS STORY QUESTIONS TAIL "## More\n\nwords\n", "one section too many"},
        {HEAD STORY ASKS ANSWERS QUESTIONS TAIL, "in this order"},
        {HEAD ASKS STORY QUESTIONS TAIL, "<details>"},
        {HEAD ASKS "<details>\n\n**d)** What?\n\n</details>\n\n" STORY QUESTIONS TAIL,
         "bold letter"},
        {HEAD ASKS "<details>\n\n**b)** Two.\n\n- a) no\n\n</details>\n\n" STORY QUESTIONS TAIL,
         "what misleads"},
        {HEAD ASKS
         "<details>\n\n**b)** Two.\n\n- a) no\n- b) no\n- c) no\n\n</details>\n\n" STORY QUESTIONS
             TAIL,
         "each wrong choice"},
        {HEAD "## Prediction\n\nWhat?\n\n- a) one\n- c) two\n\n" ANSWERS STORY QUESTIONS TAIL,
         "a) b) c)"},
        {HEAD ASKS ANSWERS "## Story\n\nwords\n\n" QUESTIONS TAIL, "begin with ###"},
        {HEAD ASKS ANSWERS STORY "## Questions\n\n" TAIL, "empty section"},
    };
    rv_lesson lesson;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        cr_expect_neq(try(broken[i].text, &lesson), RS_OK, "text %zu", i);
        cr_expect(strstr(error.text, broken[i].says) != NULL, "text %zu: %s", i, error.text);
    }
    cr_expect_neq(
        try("# 5. T\n\n*Q?*\n\n## Goal\n\nG.\n\n## Minutes\n\nmany\n\n## Before\n\nx\n\n" ASKS
                ANSWERS STORY QUESTIONS TAIL,
            &lesson),
        RS_OK);
    cr_expect(strstr(error.text, "minutes") != NULL, "%s", error.text);
}

/* ------------------------------------------------------------------ as lines */

static char page[1 << 16];
static size_t used;
static void collect(void *context, const char *text, size_t n_bytes) {
    (void)context;
    if (n_bytes > sizeof page - 1 - used) n_bytes = sizeof page - 1 - used;
    memcpy(page + used, text, n_bytes);
    used += n_bytes;
    page[used] = '\0';
}

static const char *set_story(const char *story, int width, bool attributes) {
    static char text[8192];
    rv_lesson lesson;
    const rv_type type = {.width = width, .attributes = attributes};
    snprintf(text, sizeof text, "%s## Story\n\n### P\n\n%s\n\n%s", HEAD ASKS ANSWERS, story,
             QUESTIONS TAIL);
    cr_assert_eq(try(text, &lesson), RS_OK, "%s", error.text);
    used = 0;
    page[0] = '\0';
    cr_assert(rv_write_part(&lesson, lesson.pages[0].text, &type, collect, NULL));
    return page;
}

Test(lessons, words_are_wrapped_and_marked_only_where_attributes_are_wanted) {
    cr_expect_str_eq(set_story("one **two** three `four` five", 12, false),
                     "one two\nthree `four`\nfive\n");
    cr_expect_str_eq(set_story("one **two** three", 80, true), "one \033[1mtwo\033[0m three\n");
    cr_expect_str_eq(set_story("一二三四五六", 8, false), "一二三四\n五六\n");
    cr_expect_str_eq(set_story("一二三（四五", 8, false), "一二三\n（四五\n");
    cr_expect_str_eq(set_story("一二三四！五", 8, false), "一二三\n四！五\n");
}

Test(lessons, quotations_items_code_and_tables_have_their_shapes) {
    cr_expect_str_eq(set_story("> one two\n>\n> three", 9, false),
                     "\xe2\x94\x82 one two\n\xe2\x94\x82\n\xe2\x94\x82 three\n");
    cr_expect_str_eq(set_story("- one two\n- three", 7, false), "- one\n  two\n- three\n");
    cr_expect_str_eq(set_story("```\na\n\n b\n```", 20, false), "    a\n \n     b\n");
    cr_expect_str_eq(set_story("```\n$ cat >f <<'E'\n b\nE\n```", 20, false),
                     "$ cat >f <<'E'\n b\nE\n");
    cr_expect_str_eq(set_story("| a | b |\n|---|---|\n| 一二 | x y |", 20, false),
                     "a     b\n----  ---\n一二  x y\n");
}

Test(lessons, comments_inside_of_words_are_for_the_writer) {
    cr_expect_str_eq(set_story("It sends 1.6<!-- = 2*(5-1)/5 --> arrays.", 40, false),
                     "It sends 1.6 arrays.\n");
}

/* Rows of a part on a terminal of so many columns: lines of code may be longer than one. */
static int rows_of(const rv_lesson *lesson, rv_part part, int width) {
    const rv_type type = {.width = width};
    int rows = 0;
    used = 0;
    page[0] = '\0';
    cr_assert(rv_write_part(lesson, part, &type, collect, NULL));
    cr_assert_lt(used, sizeof page - 1);
    for (char *line = page, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        const int columns = rv_text_width(line);
        rows += columns > width ? (columns - 1) / width + 1 : 1;
    }
    return rows;
}

/* 24 lines less the reader's foot, the page's title and the empty line below it. */
Test(lessons, a_page_fits_on_a_terminal) {
    enum { WIDTH = 80, ROWS = 24 - 4 - 2 };
    for (int i = 0; i < n_names; i++) {
        rv_lesson both[2];
        read_both(names[i], &both[0], &both[1]);
        for (int l = 0; l < 2; l++) {
            for (int p = 0; p < both[l].n_pages; p++) {
                const rv_page *one = &both[l].pages[p];
                const int rows = rows_of(&both[l], one->text, WIDTH);
                cr_expect_leq(rows, ROWS, "%s, \"%s\": %d rows, %d fit; make two pages of it",
                              names[i], one->title, rows, ROWS);
            }
        }
    }
}

/* Tells whether a line has columns: gaps of two blanks and more between its words, twice at least. */
static bool is_table_row(const char *line) {
    int n = 0;
    for (const char *at = line + strspn(line, " "); (at = strstr(at, "  ")) != NULL;) {
        at += strspn(at, " ");
        n += *at != '\0';
    }
    return n >= 2;
}

/* NCCL's own tables and those of two commands are wider; a lesson quotes rows of them. */
static bool is_wide(const char *command) {
    static const char *const wide[] = {"$ grep float", "$ ringsim estimate", "$ ringsim fit",
                                       "$ ringsim hang"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (strncmp(command, wide[i], strlen(wide[i])) == 0) return true;
    }
    return false;
}

Test(lessons, rows_of_a_table_are_not_broken_and_those_of_compare_have_their_head) {
    static char text[MOST_TEXT];
    for (int i = 0; i < 2 * n_names; i++) {
        const char *const name = names[i / 2], *command = "";
        bool code = false, headed = false;
        load(name, i % 2 == 0 ? "en.md" : "zh_CN.md", text);
        for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            code ^= strncmp(line, "```", 3) == 0;
            if (strncmp(line, "$ ", 2) == 0) command = line, headed = false;
            const char *first = line + strspn(line, " ");
            headed = headed || strncmp(first, "gpus ", 5) == 0 || strncmp(first, "GPU  ", 5) == 0;
            if (!code || *line == '$' || !is_table_row(line) || is_wide(command)) continue;
            cr_expect_leq(rv_text_width(line), 80, "%s: %s", name, line);
            cr_expect(headed || strncmp(command, "$ ringsim compare", 17) != 0, "%s: no head: %s",
                      name, command);
        }
    }
}

Test(lessons, what_a_terminal_would_obey_does_not_reach_it) {
    const char *shown = set_story("a\033[2Jb", 40, false);
    cr_expect(strchr(shown, 27) == NULL, "%s", shown);
}

#else
Test(lessons, are_not_read_without_markdown) {
    rs_arena arena;
    rs_error error;
    rv_lesson lesson;
    rs_arena_init(&arena, NULL);
    cr_expect_eq(rv_read_lesson("# 1. T\n", 7, &arena, &error, &lesson), RS_UNSUPPORTED);
    rs_arena_free(&arena);
}
#endif
