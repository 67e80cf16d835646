/* lesson_flow.c: see lesson_flow.h. From blocks to pieces. */
#include "lesson/lesson_flow.h"
#include "text/words.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ words */

/* Returns room for n bytes and a 0; NULL: there is no memory. */
static char *new_text(rv_flow *flow, size_t n) {
    char *text = rs_alloc(flow->arena, n + 1, 1);
    if (text == NULL) flow->failed = true;
    return text;
}

/* Replaces a control character, which a terminal would obey, by a ?. */
static char harmless(char c) {
    const unsigned char byte = (unsigned char)c;
    return (byte < 0x20 && byte != '\n') || byte == 0x7f ? '?' : c;
}

static const char *copy(rv_flow *flow, const char *words) {
    char *text = new_text(flow, strlen(words));
    return text == NULL ? "" : strcpy(text, words);
}

/* Copies spans with their styles. `lettered`: leaves out the letter of a choice, "b) ". Code at the beginning gets an
   empty sign of the text's face, so that it stands as low as the words beside it. */
static const char *copy_spans(rv_flow *flow, const rv_span spans[], int n, bool lettered) {
    static const char strut[] = "\u200b";
    size_t n_most = 0, at = 0;
    unsigned style = 0;
    bool begins = lettered;
    for (int i = 0; i < n; i++) n_most += strlen(spans[i].text) + sizeof strut;
    char *text = new_text(flow, n_most);
    if (text == NULL) return "";
    for (int i = 0; i < n; i++) {
        const char *from = spans[i].text;
        const bool strong = spans[i].link != NULL && !flow->no_links;
        const unsigned wanted = spans[i].style | (strong ? RV_STYLE_STRONG : 0);
        const bool ticks = flow->ticks && (wanted & RV_STYLE_CODE);
        if (i == 0 && lettered && from[0] >= 'a' && from[0] <= 'e' && from[1] == ')') from += 2;
        if (begins) from += strspn(from, " ");
        if (*from == '\0') continue;
        begins = false;
        if (at == 0 && (wanted & RV_STYLE_CODE) && !flow->no_links) { /* in pixels */
            memcpy(text, strut, sizeof strut - 1);
            at = sizeof strut - 1;
        }
        if (wanted != style) text[at++] = (char)(RV_STYLE_BYTE + wanted);
        style = wanted;
        if (ticks) text[at++] = '`';
        while (*from != '\0') text[at++] = harmless(*from++);
        if (ticks) text[at++] = '`';
    }
    return text;
}

rv_piece *rv_flow_insert(rv_flow *flow, int index) {
    assert(index >= 0 && index <= flow->n);
    if (flow->n == flow->most) {
        const int most = flow->most == 0 ? 32 : 2 * flow->most;
        rv_piece *pieces = rs_alloc(flow->arena, (size_t)most, sizeof *pieces);
        if (pieces == NULL) flow->failed = true;
        if (pieces == NULL) return NULL;
        if (flow->n > 0) memcpy(pieces, flow->pieces, (size_t)flow->n * sizeof *pieces);
        flow->pieces = pieces;
        flow->most = most;
    }
    rv_piece *piece = flow->pieces + index;
    memmove(piece + 1, piece, (size_t)(flow->n++ - index) * sizeof *piece);
    return piece;
}

static rv_piece *add(rv_flow *flow, rv_flow_kind kind, const char *text, double size, double gap) {
    rv_piece *piece = rv_flow_insert(flow, flow->n);
    if (piece == NULL) piece = &flow->spare;
    *piece = (rv_piece){.kind = kind, .text = text, .size = size, .gap = gap, .choice = -1};
    return piece;
}

static rv_piece *add_text(rv_flow *flow, const char *text, double size, double gap,
                          rv_text_tone tone) {
    rv_piece *piece = add(flow, RV_WORDS, copy(flow, text), size, gap);
    piece->tone = tone;
    return piece;
}

static void add_bold(rv_flow *flow, const char *text, double size, double gap, rv_text_tone tone) {
    rv_piece *piece = add_text(flow, text, size, gap, tone);
    piece->bold = piece->heading = true;
}

static void add_heading(rv_flow *flow, const char *text) {
    add_bold(flow, text, 0.86, 1.1, RV_TONE_ACCENT);
}

static void add_title(rv_flow *flow, const char *text) {
    add_bold(flow, text, 1.5, 0, RV_TONE_PLAIN);
}

/* ------------------------------------------------------------------ blocks */

/* Copies code with style bytes: lines that begin with "$ " are strong, the others are not. */
static const char *copy_code(rv_flow *flow, const char *code) {
    size_t n = strlen(code), at = 0;
    if (n > 0 && code[n - 1] == '\n') n--;
    char *text = new_text(flow, 2 * n + 1);
    if (text == NULL) return "";
    for (size_t i = 0; i < n; i++) {
        const bool begins = i == 0 || code[i - 1] == '\n';
        if (begins) text[at++] = (char)(RV_STYLE_BYTE + (strncmp(code + i, "$ ", 2) == 0));
        text[at++] = harmless(code[i]);
    }
    return text;
}

static void add_row(rv_flow *flow, const rv_block *row) {
    rv_piece *piece = add(flow, RV_CELLS, "", 0.95, row->number == 0 ? 0.8 : 0.25);
    piece->from = row;
    piece->bold = row->number == 0;
    for (; piece->n_cells < row->n_cells && piece->n_cells < RV_MOST_CELLS; piece->n_cells++) {
        const int c = piece->n_cells, first = row->cells[c];
        piece->cells[c] = copy_spans(flow, row->spans + first, row->cells[c + 1] - first, false);
    }
}

/* Tells whether lines have columns: three blanks or more after a word. */
static bool has_columns(const char *code) {
    bool behind_a_word = false;
    for (const char *at = code; *at != '\0'; at++) {
        if (*at == '\n') behind_a_word = false;
        if (*at != ' ' && *at != '\n') behind_a_word = true;
        if (behind_a_word && strncmp(at, "   ", 3) == 0) return true;
    }
    return false;
}

static void add_block(rv_flow *flow, const rv_block *block, int n_quoted) {
    const double gap = flow->n == 0 ? 0 : 0.75;
    if (block->kind == RV_ROW) {
        add_row(flow, block);
        return;
    }
    if (block->kind == RV_CODE) {
        const char *code = block->spans[0].text;
        rv_piece *piece = add(flow, RV_LINES, copy_code(flow, code), 0.82, gap);
        piece->from = block;
        piece->pad = 0.55;
        piece->table = has_columns(code);
        piece->command = rv_command_of(block, flow->arena, &flow->failed);
        return;
    }
    const char *text = copy_spans(flow, block->spans, block->n_spans, false);
    rv_piece *piece = add(flow, RV_WORDS, text, 1, gap);
    piece->from = block;
    if (block->kind == RV_HEADING) piece->bold = piece->heading = true;
    piece->indent = block->kind == RV_HEADING ? 0 : 1.3 * block->level;
    if (block->kind == RV_ITEM) {
        char number[16];
        snprintf(number, sizeof number, "%d.", block->number);
        piece->mark = block->number > 0 ? copy(flow, number) : copy(flow, "\xe2\x80\xa2");
        if (flow->n > 1 && flow->pieces[flow->n - 2].mark != NULL) piece->gap = 0.3;
    }
    if (!block->quoted) return;
    piece->tone = n_quoted == 0 ? RV_TONE_MYTH : RV_TONE_TRUTH;
    piece->pad = 0.6;
    if (n_quoted > 0) piece->gap = 0.3;
}

void rv_flow_part(rv_flow *flow, const rv_lesson *lesson, rv_part part) {
    int n_quoted = 0;
    for (int i = part.first; i < part.end; i++) {
        const rv_block *block = &lesson->document.blocks[i];
        if (block->kind == RV_HTML || (block->kind != RV_ROW && block->n_spans == 0)) continue;
        add_block(flow, block, n_quoted);
        n_quoted = block->quoted ? n_quoted + 1 : 0;
    }
}

/* Adds a choice, or a reason (choice -1), without its letter, as one piece. */
static rv_piece *add_lettered(rv_flow *flow, const rv_lesson *lesson, rv_part part, int choice) {
    const rv_block *block = &lesson->document.blocks[part.first];
    const char *text = copy_spans(flow, block->spans, block->n_spans, true);
    rv_piece *piece = add(flow, choice >= 0 ? RV_OPTION : RV_WORDS, text, 1, 0.5);
    piece->choice = choice;
    if (choice >= 0) piece->pad = 0.55;
    return piece;
}

/* ------------------------------------------------------------------ stops */

static void add_choices(rv_flow *flow, const rv_reading *reading, const rv_quiz *quiz) {
    const int choice = rv_choice_of(reading, reading->at);
    for (int i = 0; i < quiz->n_options; i++) {
        rv_piece *piece = add_lettered(flow, reading->lesson, quiz->options[i], i);
        if (i == 0) piece->gap = 1;
        piece->pressed = choice < 0;
        if (choice < 0) {
            piece->tone = reading->chosen == i ? RV_TONE_CHOSEN : RV_TONE_PLAIN;
        } else {
            piece->tone = i == choice ? RV_TONE_CHOSEN : RV_TONE_FADED;
            if (reading->at == RV_STOP_PREDICTION) continue; /* its answer has a stop of its own */
            if (i == choice) piece->tone = RV_TONE_WRONG;
            if (i == quiz->answer) piece->tone = RV_TONE_RIGHT;
        }
    }
}

/* Adds a reason: its first piece without its letter. */
static void add_reason(rv_flow *flow, const rv_lesson *lesson, rv_part reason, double gap) {
    add_lettered(flow, lesson, reason, -1)->gap = gap;
    rv_flow_part(flow, lesson, (rv_part){reason.first + 1, reason.end});
}

/* Adds why the choice is wrong, if it is, and why the right one is right. */
static void add_reasons(rv_flow *flow, const rv_lesson *lesson, const rv_quiz *quiz, int choice) {
    char text[64];
    if (choice != quiz->answer) {
        snprintf(text, sizeof text, _("Not %c:"), 'a' + choice);
        add_bold(flow, text, 1, 0.9, RV_TONE_WRONG);
        add_reason(flow, lesson, quiz->reasons[choice], 0.2);
    }
    snprintf(text, sizeof text, choice == quiz->answer ? _("Right.") : _("But %c:"),
             'a' + quiz->answer);
    add_bold(flow, text, 1, 0.9, RV_TONE_RIGHT);
    add_reason(flow, lesson, quiz->because, 0.2);
}

static void add_answer(rv_flow *flow, const rv_reading *reading) {
    const rv_lesson *lesson = reading->lesson;
    const rv_quiz *quiz = &lesson->prediction;
    const int choice = rv_choice_of(reading, RV_STOP_ANSWER);
    add_title(flow, lesson->headings[RV_PREDICTION]);
    for (int i = 0; i < quiz->n_options; i++) {
        if (i != choice && i != quiz->answer) continue;
        add_lettered(flow, lesson, quiz->options[i], i)->tone =
            i == quiz->answer ? RV_TONE_RIGHT : RV_TONE_WRONG;
    }
    if (choice >= 0) add_reasons(flow, lesson, quiz, choice);
}

static void add_start(rv_flow *flow, const rv_lesson *lesson) {
    char text[64];
    snprintf(text, sizeof text, _("Lesson %d · %d minutes"), lesson->number, lesson->minutes);
    add_text(flow, text, 0.95, 0, RV_TONE_QUIET);
    rv_piece *title = add_text(flow, lesson->title, 2.1, 0.1, RV_TONE_PLAIN);
    title->bold = true;
    const int first = flow->n;
    rv_flow_part(flow, lesson, lesson->question);
    for (int i = first; i < flow->n; i++) {
        rv_piece *piece = &flow->pieces[i];
        piece->size = 1.25;
        if (strcmp(rv_language(), "zh_CN") != 0 || !rv_is_style(piece->text[0])) continue;
        piece->text++; /* Chinese has no italics: another colour */
        piece->tone = RV_TONE_ACCENT;
    }
    add_heading(flow, lesson->headings[RV_GOAL]);
    rv_flow_part(flow, lesson, lesson->sections[RV_GOAL]);
    add_heading(flow, lesson->headings[RV_BEFORE]);
    rv_flow_part(flow, lesson, lesson->sections[RV_BEFORE]);
    for (int i = first + 1; i < flow->n; i++) { /* a small gap below a heading */
        if (flow->pieces[i - 1].heading) flow->pieces[i].gap = 0.2;
    }
}

/* Adds what a quiz asks. */
static void add_question(rv_flow *flow, const rv_reading *reading, const rv_quiz *quiz) {
    const bool prediction = reading->at == RV_STOP_PREDICTION;
    const char *heading = reading->lesson->headings[prediction ? RV_PREDICTION : RV_QUESTIONS];
    add_title(flow, quiz->title != NULL ? quiz->title : heading);
    rv_flow_part(flow, reading->lesson, quiz->text);
}

static void add_quiz(rv_flow *flow, const rv_reading *reading, const rv_quiz *quiz) {
    const int choice = rv_choice_of(reading, reading->at);
    add_question(flow, reading, quiz);
    add_choices(flow, reading, quiz);
    if (reading->at != RV_STOP_PREDICTION && choice >= 0) {
        add_reasons(flow, reading->lesson, quiz, choice);
    }
}

/* A quiz before a class: beside each choice the hands for it, and the answer once it is revealed. */
static void add_poll(rv_flow *flow, const rv_course *course, const rv_quiz *quiz) {
    const rv_reading *reading = &course->reading;
    const rv_poll *poll = &course->poll;
    add_question(flow, reading, quiz);
    for (int i = 0; i < quiz->n_options; i++) {
        rv_piece *option = add_lettered(flow, reading->lesson, quiz->options[i], i);
        if (i == 0) option->gap = 1;
        option->pressed = true;
        option->tone = poll->revealed && i == quiz->answer ? RV_TONE_RIGHT
                       : poll->revealed                    ? RV_TONE_FADED
                       : i == poll->choice                 ? RV_TONE_CHOSEN
                                                           : RV_TONE_PLAIN;
        option->aside = 0.4;
        option->n_votes = poll->vote + 1;
        for (int v = 0; v <= poll->vote; v++) {
            char said[64];
            option->lengths[v] = rv_poll_share(poll, v, i, said, sizeof said);
            option->votes[v] = copy(flow, said);
        }
    }
    if (!poll->revealed) return;
    char text[64];
    const bool right = poll->said == quiz->answer;
    snprintf(text, sizeof text, right ? _("Right is %c:") : _("Not %c:"), 'a' + poll->said);
    add_bold(flow, text, 1, 0.9, right ? RV_TONE_RIGHT : RV_TONE_WRONG);
    add_reason(flow, reading->lesson, right ? quiz->because : quiz->reasons[poll->said], 0.2);
}

int rv_table_end(const rv_flow *flow, int first) {
    int end = first + 1;
    while (end < flow->n && flow->pieces[end].kind == RV_CELLS &&
           flow->pieces[end].from->number > 0) {
        end++;
    }
    assert(end > first && end <= flow->n);
    return end;
}

void rv_fit_columns(double widths[RV_MOST_CELLS], double room, double unit, double least) {
    assert(unit > 0);
    for (;;) {
        double all = 0;
        int widest = 0;
        for (int c = 0; c < RV_MOST_CELLS; c++) {
            all += widths[c];
            if (widths[c] > widths[widest]) widest = c;
        }
        if (all <= room || widths[widest] <= least) return;
        widths[widest] -= all - room > 8 * unit ? 4 * unit : unit;
    }
}

/* Numbers the commands that a click plays. */
static void number_commands(rv_flow *flow, const rv_course *course) {
    for (int i = 0; i < flow->n; i++) {
        rv_piece *piece = &flow->pieces[i];
        const bool plays = piece->command != NULL && course->plays != NULL &&
                           course->plays(course->context, piece->command);
        if (!plays) piece->command = NULL;
        if (plays) piece->nth_command = flow->n_commands++;
    }
}

void rv_flow_stop(rv_flow *flow, const rv_course *course) {
    const rv_reading *reading = &course->reading;
    const rv_lesson *lesson = reading->lesson;
    const int stop = reading->at, page = rv_stop_page(lesson, stop);
    const rv_quiz *quiz = rv_stop_quiz(lesson, stop);
    if (course->poll.on && quiz != NULL) {
        add_poll(flow, course, quiz);
    } else if (stop == RV_STOP_START) {
        add_start(flow, lesson);
    } else if (stop == RV_STOP_ANSWER) {
        add_answer(flow, reading);
    } else if (quiz != NULL) {
        add_quiz(flow, reading, quiz);
    } else if (page >= 0) {
        add_title(flow, lesson->pages[page].title);
        rv_flow_part(flow, lesson, lesson->pages[page].text);
    } else {
        add_title(flow, lesson->headings[RV_EXERCISE]);
        rv_flow_part(flow, lesson, lesson->sections[RV_EXERCISE]);
        add_heading(flow, lesson->headings[RV_AFTER]);
        rv_flow_part(flow, lesson, lesson->sections[RV_AFTER]);
    }
    number_commands(flow, course);
}

/* Copies a block's lines; of a session with a shell what is typed, with the text that << ends. */
static char *put_code(char *out, const char *code) {
    const bool typed = strncmp(code, "$ ", 2) == 0;
    char end[32] = "";
    for (const char *at = code; *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        const bool command = typed && end[0] == '\0' && strncmp(at, "$ ", 2) == 0;
        const size_t skip = command ? 2 : 0;
        const char *here = command ? strstr(at, "<<") : NULL;
        if (command || !typed || end[0] != '\0') {
            memcpy(out, at + skip, n - skip);
            out[n - skip] = '\n';
            out += n - skip + 1;
        }
        if (end[0] != '\0' && strlen(end) == n && strncmp(at, end, n) == 0) end[0] = '\0';
        if (here != NULL && here < at + n) {
            here += 2 + strspn(here + 2, "'\"-");
            snprintf(end, sizeof end, "%.*s", (int)strcspn(here, "'\" >;\n"), here);
        }
        at += n + (at[n] == '\n');
    }
    return out;
}

const char *rv_flow_code(const rv_course *course, rs_arena *arena) {
    rv_flow flow = {.arena = arena};
    size_t n = 1;
    rv_flow_stop(&flow, course);
    for (int pass = 0; pass < 2; pass++) {
        char *text = pass == 0 ? NULL : rs_alloc(arena, n, 1), *out = text;
        if (pass == 1 && text == NULL) return "";
        for (int i = 0; i < flow.n; i++) {
            const rv_piece *piece = &flow.pieces[i];
            if (piece->kind != RV_LINES || piece->from == NULL) continue;
            if (pass == 0) n += strlen(piece->from->spans[0].text) + 1;
            if (pass == 1) out = put_code(out, piece->from->spans[0].text);
        }
        if (pass == 1) return *out = '\0', text;
    }
    return "";
}
