/* lesson.c: reads a lesson's text by its grammar: sections, pages, quizzes.
 *
 *     # 5. Title            number, title
 *     *The one question?*
 *     ## Goal ... ## Next   eight sections
 *     - a) ...              the choices of a quiz, then
 *     <details>             the answer: a paragraph that begins with the bold letter of the right
 *     </details>            choice, and a list with a line for each wrong one
 */
#include "lesson/lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The headings in the languages that lessons are written in. */
static const char *const headings[][RV_N_SECTIONS] = {
    {"Goal", "Minutes", "Before", "Prediction", "Story", "Questions", "Exercise", "Next"},
    {"目标", "时间", "预备", "预测", "正文", "思考题", "练习", "下一课"},
};
enum { N_LANGUAGES = sizeof headings / sizeof headings[0] };

typedef struct lesson_reader {
    rv_lesson *lesson;
    rs_arena *arena;
    rs_error *error;
    bool *lacks; /* there was no memory for some of its words */
} lesson_reader;

static const rv_block *block_at(const lesson_reader *r, int i) {
    return &r->lesson->document.blocks[i];
}

static bool is_heading(const rv_block *block, int level) {
    return block->kind == RV_HEADING && block->level == level;
}

/* Returns the block's words, in the arena. */
static const char *words_of(const lesson_reader *r, const rv_block *block) {
    const size_t n = rv_plain_spans(block->spans, block->n_spans, NULL, 0) + 1;
    char *text = rs_alloc(r->arena, n, 1);
    if (text == NULL) *r->lacks = true;
    if (text == NULL) return "";
    rv_plain_spans(block->spans, block->n_spans, text, n);
    return text;
}

static rs_status bad(const lesson_reader *r, int at, const char *what) {
    const rv_document *d = &r->lesson->document;
    char near[80] = "the end";
    if (*r->lacks) return rs_no_memory(r->error);
    if (at < d->n_blocks) {
        rv_plain_spans(d->blocks[at].spans, d->blocks[at].n_spans, near, sizeof near);
    }
    return rs_fail(r->error, RS_BAD_INPUT, "%s, at \"%s\"", what, near);
}

/* Tells whether an HTML line begins with the tag. */
static bool is_tag(const rv_block *block, const char *tag) {
    return block->kind == RV_HTML && block->n_spans > 0 &&
           strncmp(block->spans[0].text, tag, strlen(tag)) == 0;
}

/* ------------------------------------------------------------------ quizzes */

/* Returns the choice that an item names: "b) ..." is 1; -1: none. */
static int letter_of(const rv_block *block) {
    if (block->kind != RV_ITEM || block->n_spans == 0) return -1;
    const char *text = block->spans[0].text;
    return text[0] >= 'a' && text[0] < 'a' + RV_MOST_OPTIONS && text[1] == ')' ? text[0] - 'a' : -1;
}

/* Returns where the part that begins at an item ends: at the next item of its list, at HTML, or at
   a block outside the list. */
static int end_of_item(const lesson_reader *r, int at, int end) {
    const int level = block_at(r, at)->level;
    int i = at + 1;
    while (i < end && block_at(r, i)->level >= level && block_at(r, i)->kind != RV_HTML &&
           !(block_at(r, i)->kind == RV_ITEM && block_at(r, i)->level == level)) {
        i++;
    }
    return i;
}

/* Returns the choice that stands in bold at the head of the answer: "b)" is 1; -1: none. */
static int answer_of(const rv_block *block) {
    if (block->kind != RV_PARAGRAPH || block->n_spans == 0) return -1;
    const rv_span *first = &block->spans[0];
    const bool letter = (first->style & RV_STYLE_STRONG) != 0 && first->text[0] >= 'a' &&
                        first->text[0] < 'a' + RV_MOST_OPTIONS && first->text[1] == ')';
    return letter ? first->text[0] - 'a' : -1;
}

static rs_status read_answer(const lesson_reader *r, int at, int end, rv_quiz *quiz) {
    if (at == end) return bad(r, at, "a quiz has no answer");
    quiz->answer = answer_of(block_at(r, at));
    if (quiz->answer < 0 || quiz->answer >= quiz->n_options) {
        return bad(r, at, "an answer begins with the bold letter of a choice, **b)**");
    }
    quiz->because.first = at++;
    while (at < end && letter_of(block_at(r, at)) < 0) at++;
    quiz->because.end = at;
    while (at < end) {
        const int which = letter_of(block_at(r, at));
        if (which < 0 || which >= quiz->n_options || which == quiz->answer ||
            quiz->reasons[which].end > 0) {
            return bad(r, at, "after the answer, each wrong choice has one line");
        }
        quiz->reasons[which].first = at;
        at = quiz->reasons[which].end = end_of_item(r, at, end);
    }
    for (int i = 0; i < quiz->n_options; i++) {
        if (i != quiz->answer && quiz->reasons[i].end == 0) {
            return bad(r, end, "a wrong choice has no line that says what misleads");
        }
    }
    return RS_OK;
}

/* Reads one quiz out of first .. end - 1; *next is where it ends. */
static rs_status read_quiz(const lesson_reader *r, int first, int end, rv_quiz *quiz, int *next) {
    int at = first;
    *quiz = (rv_quiz){.text = {first, first}};
    while (at < end && letter_of(block_at(r, at)) < 0) at++;
    quiz->text.end = at;
    while (at < end && letter_of(block_at(r, at)) >= 0) {
        if (quiz->n_options == RV_MOST_OPTIONS || letter_of(block_at(r, at)) != quiz->n_options) {
            return bad(r, at, "choices go a) b) c) d) e)");
        }
        rv_part *option = &quiz->options[quiz->n_options++];
        option->first = at;
        at = option->end = end_of_item(r, at, end);
    }
    if (quiz->n_options < 2 || quiz->text.end == first) {
        return bad(r, first, "a quiz is a text and two choices at least");
    }
    int close = at;
    while (close < end && !is_tag(block_at(r, close), "</details>")) close++;
    if (at == end || !is_tag(block_at(r, at), "<details>") || close == end) {
        return bad(r, at, "the answer stands between <details> and </details>");
    }
    while (at < close && block_at(r, at)->kind == RV_HTML) at++;
    *next = close + 1;
    return read_answer(r, at, close, quiz);
}

static rs_status read_quizzes(const lesson_reader *r) {
    rv_lesson *lesson = r->lesson;
    const rv_part *prediction = &lesson->sections[RV_PREDICTION];
    const rv_part *questions = &lesson->sections[RV_QUESTIONS];
    int at;
    rs_status status = read_quiz(r, prediction->first, prediction->end, &lesson->prediction, &at);
    if (status == RS_OK && at != prediction->end) {
        status = bad(r, at, "there is one prediction, and nothing after it");
    }
    at = questions->first;
    while (status == RS_OK && at < questions->end) {
        if (lesson->n_questions == RV_MOST_QUIZZES) return bad(r, at, "too many questions");
        status = read_quiz(r, at, questions->end, &lesson->questions[lesson->n_questions++], &at);
    }
    return status;
}

/* ------------------------------------------------------------------ pages */

/* Tells whether there is an answer in a part of the story: then it is a quiz, not a page. */
static bool asks(const lesson_reader *r, rv_part part) {
    for (int i = part.first; i < part.end; i++) {
        if (is_tag(block_at(r, i), "<details>")) return true;
    }
    return false;
}

/* Reads a quiz that stands before a page, and holds it back. */
static rs_status read_story_quiz(const lesson_reader *r, const char *title, rv_part part) {
    rv_lesson *lesson = r->lesson;
    int next;
    if (lesson->n_questions == RV_MOST_QUIZZES) return bad(r, part.first, "too many questions");
    rv_quiz *quiz = &lesson->questions[lesson->n_questions];
    const rs_status status = read_quiz(r, part.first, part.end, quiz, &next);
    if (status != RS_OK) return status;
    if (next != part.end) return bad(r, next, "what follows a quiz is a page of its own");
    quiz->title = title;
    quiz->page = lesson->n_pages + 1;
    if (lesson->n_questions > 0 && quiz[-1].page == quiz->page) {
        return bad(r, part.first, "a page has one quiz before it");
    }
    lesson->n_story_questions = ++lesson->n_questions;
    return RS_OK;
}

const char *rv_command_of(const rv_block *code, rs_arena *arena, bool *lacks) {
    static const char command[] = "ringsim ";
    const char *text = code->n_spans > 0 ? code->spans[0].text : "";
    if (strncmp(text, "$ ", 2) != 0) return NULL;
    const char *at = text + (strncmp(text + 2, "./", 2) == 0 ? 4 : 2);
    if (strncmp(at, command, sizeof command - 1) != 0) return NULL;
    at += sizeof command - 1;
    const int n = (int)strcspn(at, "\n");
    const size_t room = (size_t)n + strlen(code->look) + 2;
    char *words = rs_alloc(arena, room, 1);
    if (words == NULL) *lacks = true;
    if (words == NULL) return NULL;
    snprintf(words, room, code->look[0] != '\0' ? "%.*s %s" : "%.*s%s", n, at, code->look);
    return words + strspn(words, " ");
}

/* Returns a page's first command, unless a comment before it names what it shows: <!-- scene: --at 2 --> */
static const char *scene_of(const lesson_reader *r, rv_part part) {
    static const char names[] = "<!-- scene: ";
    for (int i = part.first; i < part.end; i++) {
        const rv_block *block = block_at(r, i);
        if (is_tag(block, names)) {
            const char *words = block->spans[0].text + sizeof names - 1,
                       *end = strstr(words, " -->");
            const size_t n = end != NULL ? (size_t)(end - words) : 0;
            char *copy = rs_alloc(r->arena, n + 1, 1);
            if (copy == NULL) *r->lacks = true;
            if (copy != NULL) snprintf(copy, n + 1, "%s", words);
            return copy;
        }
        if (block->kind != RV_CODE || strcmp(block->info, "console") != 0) continue;
        const char *words = rv_command_of(block, r->arena, r->lacks);
        if (words != NULL) return words;
    }
    return NULL;
}

static rs_status read_pages(const lesson_reader *r) {
    rv_lesson *lesson = r->lesson;
    const rv_part story = lesson->sections[RV_STORY];
    int at = story.first;
    while (at < story.end) {
        if (!is_heading(block_at(r, at), 3)) return bad(r, at, "the story's pages begin with ###");
        const char *title = words_of(r, block_at(r, at++));
        rv_part text = {at, at};
        while (text.end < story.end && !is_heading(block_at(r, text.end), 3)) text.end++;
        at = text.end;
        if (asks(r, text)) {
            const rs_status status = read_story_quiz(r, title, text);
            if (status != RS_OK) return status;
            continue;
        }
        if (lesson->n_pages == RV_MOST_PAGES) return bad(r, text.first, "too many pages");
        lesson->pages[lesson->n_pages++] = (rv_page){title, text, scene_of(r, text)};
    }
    const int n = lesson->n_story_questions;
    if (n > 0 && lesson->questions[n - 1].page > lesson->n_pages) {
        return bad(r, story.end, "a quiz of the story stands before a page");
    }
    return lesson->n_pages > 0 ? RS_OK : bad(r, story.first, "the story has no page");
}

/* ------------------------------------------------------------------ the whole */

static rs_status read_title(const lesson_reader *r) {
    rv_lesson *lesson = r->lesson;
    const rv_document *d = &lesson->document;
    if (d->n_blocks < 2 || !is_heading(block_at(r, 0), 1)) {
        return bad(r, 0, "a lesson begins with \"# 5. Title\"");
    }
    char *end;
    const char *title = words_of(r, block_at(r, 0));
    const long number = strtol(title, &end, 10);
    if (end == title || strncmp(end, ". ", 2) != 0 || number < 1 || number > 99) {
        return bad(r, 0, "a lesson begins with \"# 5. Title\"");
    }
    lesson->number = (int)number;
    lesson->title = end + 2;
    return RS_OK;
}

static rs_status read_sections(const lesson_reader *r) {
    rv_lesson *lesson = r->lesson;
    const rv_document *d = &lesson->document;
    int at = 1, language = -1;
    while (at < d->n_blocks && !is_heading(block_at(r, at), 2)) at++;
    lesson->question = (rv_part){1, at};
    if (at == 1) return bad(r, at, "below the title stands the one question");
    for (int i = 0; i < RV_N_SECTIONS; i++) {
        if (at == d->n_blocks) return bad(r, at, "a section is missing");
        const char *heading = words_of(r, block_at(r, at));
        for (int l = 0; i == 0 && l < N_LANGUAGES; l++) {
            if (strcmp(heading, headings[l][0]) == 0) language = l;
        }
        if (language < 0 || strcmp(heading, headings[language][i]) != 0) {
            return bad(r, at,
                       "sections are Goal, Minutes, Before, Prediction, Story, Questions, "
                       "Exercise, Next, in this order");
        }
        lesson->headings[i] = heading;
        lesson->sections[i].first = ++at;
        while (at < d->n_blocks && !is_heading(block_at(r, at), 2)) at++;
        lesson->sections[i].end = at;
        if (at == lesson->sections[i].first) return bad(r, at - 1, "an empty section");
    }
    return at == d->n_blocks ? RS_OK : bad(r, at, "one section too many");
}

rs_status rv_read_lesson(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                         rv_lesson *lesson) {
    rv_lesson *made = rs_alloc(arena, 1, sizeof *made);
    bool lacks = false;
    if (made == NULL) return rs_no_memory(error);
    const lesson_reader r = {made, arena, error, &lacks};
    rs_status status = rv_parse_document(text, n_bytes, arena, error, &made->document);
    if (status == RS_OK) status = read_title(&r);
    if (status == RS_OK) status = read_sections(&r);
    if (status != RS_OK) return status;
    const char *minutes = words_of(&r, block_at(&r, made->sections[RV_MINUTES].first));
    made->minutes = (int)strtol(minutes, NULL, 10);
    if (made->minutes < 1 || made->minutes > 600) {
        return bad(&r, made->sections[RV_MINUTES].first, "minutes are a number, 1 to 600");
    }
    status = read_pages(&r);
    if (status == RS_OK) status = read_quizzes(&r);
    if (lacks) return rs_no_memory(error);
    if (status == RS_OK) *lesson = *made;
    return status;
}
