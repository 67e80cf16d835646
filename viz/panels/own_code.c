/* own_code.c: see own_code.h. Knows of C what it takes to find a function: comments, strings and lines of the
 * preprocessor are skipped, brackets counted. */
#include "panels/own_code.h"

#include "ringsim_interpret.h"
#include "ringsim_print.h"
#include "ringsim_viz.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SENT = 64, NAME = 32, N_PARAMETERS = 3, TAB = 4 };

/* ---------------------------------------------------------------------------------- reading C */

static const char *past_quoted(const char *at) {
    const char quote = *at++;
    while (*at != '\0' && *at != '\n' && *at != quote) at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

static const char *past_line(const char *at) {
    while (*at != '\0' && *at != '\n') at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    return at;
}

/* Goes on over spaces, comments and, at the beginning of a line, what is the preprocessor's. */
static const char *to_code(const char *start, const char *at) {
    for (;;) {
        const bool first = at == start || at[-1] == '\n';
        if (first && at[strspn(at, " \t")] == '#') {
            at = past_line(at);
        } else if (at[0] == '/' && at[1] == '/') {
            at = past_line(at);
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end != NULL ? end + 2 : at + strlen(at);
        } else if (*at != '\0' && strchr(" \t\n\r\f\v", *at) != NULL) {
            at++;
        } else {
            return at;
        }
    }
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Returns where the next token begins behind the one at `at`. */
static const char *past_token(const char *start, const char *at) {
    if (*at == '\0') return at;
    if (*at == '"' || *at == '\'') return to_code(start, past_quoted(at));
    if (!is_word(*at)) return to_code(start, at + 1);
    while (is_word(*at)) at++;
    return to_code(start, at);
}

/* Returns the bracket that closes the one at `at`; NULL: none does. */
static const char *closing(const char *start, const char *at) {
    int depth = 0;
    for (; *at != '\0'; at = past_token(start, at)) {
        if (strchr("([{", *at) != NULL) depth++;
        if (strchr(")]}", *at) != NULL && --depth == 0) return at;
    }
    return NULL;
}

static bool begins_word(const char *at, const char *word) {
    const size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && !is_word(at[n]);
}

typedef struct function {
    const char *start, *name, *open, *close; /* of the text; its name; the body's brackets */
    char parameters[N_PARAMETERS][NAME];     /* step, rank, n, as they are called there */
} function;

/* Takes the last word of each of the first parameters. */
static bool read_parameters(const char *start, const char *open, const char *close, function *f) {
    int n = 0;
    char last[NAME] = "";
    for (const char *at = past_token(start, open); n < N_PARAMETERS; at = past_token(start, at)) {
        if (is_word(*at)) {
            size_t length = 0;
            while (is_word(at[length])) length++;
            snprintf(last, sizeof last, "%.*s", (int)(length < NAME ? length : NAME - 1), at);
        }
        if (*at != ',' && at < close) continue;
        snprintf(f->parameters[n++], NAME, "%s", last);
        if (at >= close) break;
    }
    return n == N_PARAMETERS;
}

/* Finds the definition of a function; false: there is none. */
static bool find_function(const char *start, const char *name, function *f) {
    int depth = 0;
    for (const char *at = to_code(start, start); *at != '\0'; at = past_token(start, at)) {
        if (*at == '{') depth++;
        if (*at == '}') depth--;
        if (depth != 0 || !begins_word(at, name)) continue;
        const char *open = past_token(start, at), *close;
        if (*open != '(' || (close = closing(start, open)) == NULL) continue;
        const char *body = past_token(start, close), *end;
        if (*body != '{' || (end = closing(start, body)) == NULL) continue;
        *f = (function){.start = start, .name = at, .open = body, .close = end};
        return read_parameters(start, open, close, f);
    }
    return false;
}

/* ---------------------------------------------------------------------------------- as lines */

/* Copies up to `end`, what is no text as '?'. */
static void copy_line(const char *at, const char *end, char out[RV_OWN_TEXT]) {
    size_t used = 0;
    while (at < end && used + TAB + 1 < RV_OWN_TEXT) {
        uint32_t character;
        const size_t n = rs_decode_utf8(at, (size_t)(end - at), &character);
        if (*at == '\t') {
            do out[used++] = ' ';
            while (used % TAB != 0);
            at++;
        } else if (*at == '\r') {
            at++;
        } else if (n == 0 || character < 0x20 || (character >= 0x7f && character < 0xa0) ||
                   (character >= 0x200e && character < 0x202f) || character >= 0xfff0) {
            out[used++] = '?';
            at += n > 0 ? n : 1;
        } else {
            memcpy(out + used, at, n);
            used += n;
            at += n;
        }
    }
    while (used > 0 && out[used - 1] == ' ') used--;
    out[used] = '\0';
}

static const char *line_start(const char *start, const char *at) {
    while (at > start && at[-1] != '\n') at--;
    return at;
}

static void take_lines(const function *f, rv_own_code *out) {
    const char *at = line_start(f->start, f->name);
    while (at <= f->close && out->n_lines < RV_MOST_OWN_LINES) {
        rv_own_line *line = &out->lines[out->n_lines++];
        const char *end = at + strcspn(at, "\n");
        *line = (rv_own_line){.outer = end > f->name && at <= f->open};
        if (at <= f->close && f->close < end) line->outer = true;
        copy_line(at, end, line->text);
        if (line->outer && f->open >= at && f->close < end) line->outer = false; /* all in one */
        if (out->n_lines == RV_MOST_OWN_LINES && end < f->close)
            snprintf(line->text, sizeof line->text, "...");
        at = *end == '\n' ? end + 1 : end + (end > f->close ? 1 : 0);
        if (*end == '\0') break;
    }
}

/* ---------------------------------------------------------------------------------- with numbers */

/* Finds the expression of a body that is `return EXPRESSION;`, after casts to void at most; NULL: it is more. */
static const char *only_return(const function *f, const char **end) {
    const char *at = past_token(f->start, f->open);
    while (*at == '(') {
        while (*at != ';' && at < f->close) at = past_token(f->start, at);
        if (*at == ';') at = past_token(f->start, at);
    }
    if (!begins_word(at, "return")) return NULL;
    const char *from = past_token(f->start, at);
    for (at = from; *at != ';' && at < f->close;) at = past_token(f->start, at);
    *end = at;
    return *at == ';' && past_token(f->start, at) == f->close ? from : NULL;
}

/* Writes the expression with the parameters' values. */
static void put_values(const function *f, const char *at, const char *end,
                       const int32_t values[N_PARAMETERS], char out[RV_OWN_TEXT]) {
    char text[RV_OWN_TEXT];
    size_t used = 0;
    copy_line(at, end, text);
    for (const char *from = text; *from != '\0' && used + 16 < RV_OWN_TEXT;) {
        const bool begins = is_word(*from) && (from == text || !is_word(from[-1]));
        int which = -1;
        for (int i = 0; begins && i < N_PARAMETERS; i++) {
            if (f->parameters[i][0] != '\0' && begins_word(from, f->parameters[i])) which = i;
        }
        if (which < 0) {
            out[used++] = *from++;
        } else {
            used += (size_t)snprintf(out + used, RV_OWN_TEXT - used, "%d", (int)values[which]);
            from += strlen(f->parameters[which]);
        }
    }
    out[used] = '\0';
}

static void add_numbers(const function *f, const int32_t values[N_PARAMETERS], int32_t answer,
                        rv_own_code *out) {
    const char *end, *from = only_return(f, &end);
    char numbers[RV_OWN_TEXT];
    if (from == NULL || memchr(from, '\n', (size_t)(end - from)) != NULL) return;
    put_values(f, from, end, values, numbers);
    const char *at = line_start(f->start, f->name);
    for (int i = 0; i < out->n_lines; i++) {
        const char *line_end = at + strcspn(at, "\n");
        if (from >= at && from < line_end) {
            char value[16];
            snprintf(value, sizeof value, "%d", (int)answer);
            if (strcmp(numbers, value) == 0) return; /* says it already */
            snprintf(out->lines[i].numbers, RV_OWN_TEXT, "%.140s = %s", numbers, value);
        }
        at = line_end + 1;
    }
}

/* ---------------------------------------------------------------------------------- what was executed */

/* Runs the call once more and watches; false: it cannot be, or comes to another answer. */
static bool watch(const rs_source *source, const int32_t values[N_PARAMETERS], int32_t answer,
                  rs_watched *watched) {
    static const rs_run_limits limits = {.n_steps = 200000, .n_cells = 20000};
    rs_arena arena;
    rs_trouble trouble;
    const rs_program *program;
    rs_runner *runner;
    rs_arena_init(&arena, NULL);
    rs_status status = rs_program_read(source->header, strlen(source->header), source->text,
                                       strlen(source->text), &arena, &trouble, &program);
    if (status == RS_OK)
        status = rs_runner_make(program, &limits, NULL, NULL, &arena, &trouble, &runner);
    if (status == RS_OK)
        status = rs_runner_watch(runner, values[0], values[1], values[2], watched, &trouble);
    rs_arena_free(&arena);
    return status == RS_OK && watched->returned == answer;
}

/* Writes what a line wrote: "chunk = -1, k = 2"; on the return, what it gave. */
static void put_notes(const rs_watched *watched, int32_t line, rv_own_line *out) {
    size_t used = 0;
    if (out->numbers[0] != '\0') return; /* they say more */
    for (int32_t i = 0; i < watched->n_notes; i++) {
        const rs_note *note = &watched->notes[i];
        if (note->line != line || used + 2 * RS_NOTE_NAME > RV_OWN_TEXT) continue;
        used += (size_t)snprintf(out->numbers + used, RV_OWN_TEXT - used, "%s%s = %.10g",
                                 used > 0 ? ", " : "", note->name, note->value);
    }
    if (line == watched->return_line && used == 0)
        snprintf(out->numbers, RV_OWN_TEXT, "= %lld", (long long)watched->returned);
}

static void mark_lines(const function *f, const rs_watched *watched, rv_own_code *out) {
    int32_t line = 1;
    for (const char *at = f->start; at < line_start(f->start, f->name); at++) line += *at == '\n';
    for (int i = 0; i < out->n_lines && line <= watched->n_lines; i++, line++) {
        rv_own_line *own = &out->lines[i];
        if (strcmp(own->text, "...") == 0) continue;
        if (watched->code[line - 1])
            own->mark = watched->executed[line - 1] ? RV_LINE_EXECUTED : RV_LINE_SKIPPED;
        if (line == watched->return_line) own->mark = RV_LINE_RETURNS;
        put_notes(watched, line, own);
    }
}

/* ---------------------------------------------------------------------------------- what is wrong */

/* Tells whether the message is the one that the verdict blames. */
static bool is_blamed(const rs_verdict *v, const rs_transfer *t) {
    return t->dst == v->rank && v->chunk >= t->chunk && v->chunk < t->chunk + t->n_chunks;
}

static void say_mistake(const rs_source *source, const rs_verdict *v, int32_t step, int32_t rank,
                        const rs_transfer sent[], int n, rv_own_code *out) {
    if (source->why != NULL && step == source->wrong_step)
        snprintf(out->mistake, sizeof out->mistake, "%.*s", (int)sizeof out->mistake - 1,
                 source->why);
    out->judged = out->mistake[0] != '\0';
    out->blamed = out->judged && rank == source->wrong_rank;
    if (v == NULL || v->sound || v->step != step || v->fault == RS_UNFINISHED) return;
    if (out->mistake[0] == '\0') rv_verdict_text(v, out->mistake, sizeof out->mistake);
    for (int i = 0; i < n; i++) out->blamed = out->blamed || is_blamed(v, &sent[i]);
}

bool rv_own_code_of(const rs_schedule *schedule, const rs_verdict *verdict, int32_t step,
                    int32_t rank, rv_own_code *out) {
    rs_transfer sent[MOST_SENT];
    function f;
    const rs_source *source = schedule->source;
    *out = (rv_own_code){.n_lines = 0};
    if (source == NULL || schedule->max_sends > MOST_SENT) return false;
    out->lists = !find_function(source->text, "send_chunk", &f);
    if (out->lists && !find_function(source->text, "sends", &f)) return false;
    take_lines(&f, out);
    if (step < 0 || step >= source->n_steps) return true;
    const int n = out->n_sent = schedule->sends(schedule, step, rank, sent);
    const int32_t values[N_PARAMETERS] = {step, rank, schedule->n_ranks};
    const int32_t answer = out->lists ? n : n > 0 ? sent[0].chunk : -1;
    snprintf(out->call, sizeof out->call, "%s(%.30s = %d, %.30s = %d, %.30s = %d) = %d",
             out->lists ? "sends" : "send_chunk", f.parameters[0], (int)step, f.parameters[1],
             (int)rank, f.parameters[2], (int)schedule->n_ranks, (int)answer);
    if (n > 0 && !out->lists) add_numbers(&f, values, answer, out);
    rs_watched watched;
    if (source->header != NULL && (n > 0 || out->lists) && watch(source, values, answer, &watched))
        mark_lines(&f, &watched, out);
    say_mistake(source, verdict, step, rank, sent, n, out);
    return true;
}

/* What a line says about the answer; the least goes first. */
static int worth_of(const rv_own_line *line) {
    if (line->mark == RV_LINE_PLAIN) return line->outer ? 1 : 0; /* comments, brackets */
    if (line->mark == RV_LINE_SKIPPED) return 2;
    if (line->mark == RV_LINE_RETURNS) return 5;
    return line->numbers[0] != '\0' ? 4 : 3;
}

void rv_shorten_own_code(rv_own_code *code, int room) {
    bool marked = false;
    for (int i = 0; i < code->n_lines; i++)
        marked = marked || code->lines[i].mark == RV_LINE_RETURNS;
    for (int worth = 0; worth < 5 && marked && code->n_lines > room; worth++) {
        for (int i = 0; i < code->n_lines && code->n_lines > room; i++) {
            if (worth_of(&code->lines[i]) != worth) continue;
            code->n_lines--;
            memmove(&code->lines[i], &code->lines[i + 1],
                    (size_t)(code->n_lines - i) * sizeof code->lines[0]);
            i--;
        }
    }
}
