/* The teacher's keys: both languages say the same, and what they say of a lesson and of its lab is so. */
#include "config.h"
#include <criterion/criterion.h>

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lesson/lesson.h"

#ifdef HAVE_MD4C

enum { MOST_TEXT = 1 << 16, MOST_WORDS = 256, WORD = 160 };

typedef struct words {
    char list[MOST_WORDS][WORD];
    int n;
} words;

static char text_of[2][MOST_TEXT]; /* the keys */
static char lesson_text[MOST_TEXT];
static rs_arena arena;
static rs_error error;

static bool load(const char *folder, const char *file, char text[MOST_TEXT]) {
    char path[512];
    snprintf(path, sizeof path, "lessons/%.200s/%s", folder, file);
    FILE *in = fopen(path, "rb");
    if (in == NULL) return false;
    const size_t n = fread(text, 1, MOST_TEXT - 1, in);
    fclose(in);
    text[n] = '\0';
    return true;
}

/* Calls `check` for each lesson; its keys are in text_of, English first. */
static void each_lesson(void (*check)(const char *folder, const rv_lesson *en)) {
    struct dirent **names;
    const int n = scandir("lessons", &names, NULL, alphasort);
    int n_checked = 0;
    cr_assert_gt(n, 0, "run from the top folder");
    for (int i = 0; i < n; i++) {
        const char *folder = names[i]->d_name;
        rv_lesson en;
        if (isdigit((unsigned char)folder[0]) && load(folder, "en.md", lesson_text)) {
            rs_arena_init(&arena, NULL);
            cr_assert_eq(rv_read_lesson(lesson_text, strlen(lesson_text), &arena, &error, &en),
                         RS_OK, "%s: %s", folder, error.text);
            cr_expect(load(folder, "key.en.md", text_of[0]), "%s has no key", folder);
            cr_expect(load(folder, "key.zh_CN.md", text_of[1]), "%s has no key", folder);
            check(folder, &en);
            rs_arena_free(&arena);
            n_checked++;
        }
        free(names[i]);
    }
    free(names);
    cr_assert_geq(n_checked, 8);
}

/* ------------------------------------------------------------------ the shape */

/* The kind of each line that has one: # headings with their level, - items, 1 numbered ones, | rows, ` fences. */
static void shape_of(const char *text, char out[MOST_TEXT]) {
    size_t n = 0;
    for (const char *line = text; *line != '\0';) {
        const char *at = line + strspn(line, " ");
        if (*at == '#' || *at == '|') out[n++] = *at;
        for (int level = 1; *at == '#' && at[level] == '#'; level++) out[n++] = '#';
        if (strncmp(at, "```", 3) == 0) out[n++] = '`';
        if (strncmp(at, "- ", 2) == 0) out[n++] = '-';
        if (isdigit((unsigned char)*at) && strncmp(at + 1, ". ", 2) == 0) out[n++] = '1';
        if (*at == '#') out[n++] = ' ';
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    out[n] = '\0';
}

static void same_shape(const char *folder, const rv_lesson *en) {
    static char shapes[2][MOST_TEXT];
    (void)en;
    for (int l = 0; l < 2; l++) shape_of(text_of[l], shapes[l]);
    cr_expect_str_eq(shapes[0], shapes[1], "%s: key.en.md has %s, key.zh_CN.md %s", folder,
                     shapes[0], shapes[1]);
}

Test(teacher, keys_have_the_same_headings_items_and_tables_in_both_languages) {
    each_lesson(same_shape);
}

/* ------------------------------------------------------------------ numbers and code */

static void add_word(words *w, const char *from, size_t n) {
    char word[WORD];
    snprintf(word, sizeof word, "%.*s", (int)(n < WORD - 1 ? n : WORD - 1), from);
    for (int i = 0; i < w->n; i++) {
        if (strcmp(w->list[i], word) == 0) return;
    }
    if (w->n < MOST_WORDS) strcpy(w->list[w->n++], word);
}

static int by_text(const void *a, const void *b) {
    return strcmp(a, b);
}

static void print_words(words *w, char out[MOST_TEXT]) {
    size_t at = 0;
    qsort(w->list, (size_t)w->n, WORD, by_text);
    out[0] = '\0';
    for (int i = 0; i < w->n; i++) {
        at += (size_t)snprintf(out + at, MOST_TEXT - at, "%s; ", w->list[i]);
    }
}

/* Each number in digits, once; not those of a list, which both languages have. */
static void numbers_of(const char *text, char out[MOST_TEXT]) {
    static words w;
    w.n = 0;
    for (const char *c = text; *c != '\0';) {
        const size_t n = strspn(c, "0123456789.");
        size_t digits = n;
        while (digits > 0 && c[digits - 1] == '.') digits--;
        if (isdigit((unsigned char)*c)) add_word(&w, c, digits);
        c += n > 0 ? n : 1;
    }
    print_words(&w, out);
}

/* Each `...` of letters that a keyboard has. */
static void code_of(const char *text, char out[MOST_TEXT]) {
    static words w;
    w.n = 0;
    for (const char *c = text; (c = strchr(c, '`')) != NULL;) {
        if (strncmp(c, "```", 3) == 0) {
            c = strstr(c + 3, "```");
            if (c == NULL) break;
            c += 3;
            continue;
        }
        const size_t n = strcspn(c + 1, "`");
        add_word(&w, c + 1, n);
        c += n + 1 + (c[n + 1] == '`');
    }
    print_words(&w, out);
}

static void same_words(const char *folder, const rv_lesson *en) {
    static char said[2][MOST_TEXT];
    (void)en;
    for (int l = 0; l < 2; l++) numbers_of(text_of[l], said[l]);
    cr_expect_str_eq(said[0], said[1], "%s, numbers:\n%s\n%s", folder, said[0], said[1]);
    for (int l = 0; l < 2; l++) code_of(text_of[l], said[l]);
    cr_expect_str_eq(said[0], said[1], "%s, code:\n%s\n%s", folder, said[0], said[1]);
}

Test(teacher, keys_name_the_same_numbers_commands_and_files_in_both_languages) {
    each_lesson(same_words);
}

/* ------------------------------------------------------------------ what the lesson says */

/* Finds "## `word`..." and in that section each "N. **x)**" or "N. **x**". */
static void answers_of(const char *text, const char *section, char out[16]) {
    const char *from = strstr(text, section);
    int n = 0;
    out[0] = '\0';
    if (from == NULL) return;
    const char *end = strstr(from + 3, "\n## ");
    for (const char *at = from; (at = strstr(at, ". **")) != NULL && (end == NULL || at < end);
         at++) {
        if (isdigit((unsigned char)at[-1]) && at[-2] == '\n' && n < 15) out[n++] = at[4];
    }
    out[n] = '\0';
}

static void same_answers(const char *folder, const rv_lesson *en) {
    static const char *const predictions[] = {"\n## Prediction: ", "\n## 预测："};
    static const char *const sections[2][2] = {{"\n## Before the pages", "\n## 每页之前"},
                                               {"\n## Questions", "\n## 思考题"}};
    char wanted[2][16] = {"", ""}, said[16];
    for (int q = 0; q < en->n_questions && q < 15; q++) {
        char *at = wanted[q >= en->n_story_questions];
        at += strlen(at);
        at[0] = (char)('a' + en->questions[q].answer);
        at[1] = '\0';
    }
    for (int l = 0; l < 2; l++) {
        const char *heading = strstr(text_of[l], predictions[l]);
        cr_expect(heading != NULL, "%s: no prediction in key %d", folder, l);
        if (heading == NULL) continue;
        cr_expect_eq(heading[strlen(predictions[l])] - 'a', en->prediction.answer,
                     "%s: the prediction's answer in key %d", folder, l);
        for (int s = 0; s < 2; s++) {
            answers_of(text_of[l], sections[s][l], said);
            cr_expect_str_eq(said, wanted[s], "%s: key %d says %s", folder, l, said);
        }
    }
}

Test(teacher, keys_have_the_lessons_answers) {
    each_lesson(same_answers);
}

static void same_title(const char *folder, const rv_lesson *en) {
    char wanted[200];
    snprintf(wanted, sizeof wanted, "# Key to %d. %.150s\n", en->number, en->title);
    cr_expect(strncmp(text_of[0], wanted, strlen(wanted)) == 0, "%s: wants %s", folder, wanted);
    cr_assert(load(folder, "zh_CN.md", lesson_text));
    snprintf(wanted, sizeof wanted, "# 教师用书：%.*s\n", (int)strcspn(lesson_text + 2, "\n"),
             lesson_text + 2);
    cr_expect(strncmp(text_of[1], wanted, strlen(wanted)) == 0, "%s: wants %s", folder, wanted);
}

Test(teacher, keys_bear_the_lessons_titles) {
    each_lesson(same_title);
}

/* ------------------------------------------------------------------ what the lab says */

static void same_lab(const char *folder, const rv_lesson *en) {
    static const char *const forms[2][2][2] = {{{"", " points"}, {"of ", ""}},
                                               {{"", " 分"}, {"", " 分"}}};
    char path[512], wanted[64], what[16];
    int points = 0, n; /* of functions and schedules; jobs are a hand-in of their own */
    (void)en;
    cr_assert(load(folder, "lab", lesson_text));
    for (const char *at = lesson_text; (at = strstr(at, "\npart ")) != NULL; at++) {
        if (sscanf(at, "\npart %d %15s", &n, what) == 2 && strcmp(what, "job") != 0) points += n;
    }
    for (int l = 0; l < 2; l++) {
        bool frame = false;
        for (int f = 0; f < 2; f++) {
            snprintf(wanted, sizeof wanted, "%s%d%s", forms[l][f][0], points, forms[l][f][1]);
            frame = frame || strstr(text_of[l], wanted) != NULL;
        }
        cr_expect(frame, "%s: key %d does not say that there are %d points", folder, l, points);
    }
    snprintf(path, sizeof path, "lessons/%.200s/wrong", folder);
    DIR *list = opendir(path);
    cr_assert(list != NULL, "%s", path);
    for (struct dirent *e; (e = readdir(list)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "`wrong/%.200s`", e->d_name);
        for (int l = 0; l < 2; l++) {
            cr_expect(strstr(text_of[l], path) != NULL, "%s: key %d does not tell of %s", folder, l,
                      path);
        }
    }
    closedir(list);
}

Test(teacher, keys_tell_the_labs_points_and_of_each_wrong_answer) {
    each_lesson(same_lab);
}

#else
Test(teacher, keys_are_not_read_without_markdown) {
}
#endif
