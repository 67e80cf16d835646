/* rule.c: see rule.h. Knows of C what it takes to find a function: comments, strings and lines of the
 * preprocessor are skipped, brackets counted. */
#include "model/rule.h"

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
static void copy_line(const char *at, const char *end, char out[RV_RULE_TEXT]) {
    size_t used = 0;
    while (at < end && used + TAB + 1 < RV_RULE_TEXT) {
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

/* Takes the function's lines; the constants that a rule begins with stand before them. */
static void take_lines(const function *f, bool constants, rv_rule *out) {
    const char *first = line_start(f->start, f->name);
    if (constants && first > f->start && strncmp(f->start, "const ", 6) == 0) {
        rv_rule_line *line = &out->lines[out->n_lines++];
        *line = (rv_rule_line){.outer = true, .at = f->start};
        copy_line(f->start, f->start + strcspn(f->start, "\n"), line->text);
    }
    for (const char *at = first; at <= f->close && out->n_lines < RV_MOST_RULE_LINES;) {
        rv_rule_line *line = &out->lines[out->n_lines++];
        const char *end = at + strcspn(at, "\n");
        *line = (rv_rule_line){.outer = end > f->name && at <= f->open, .at = at};
        if (at <= f->close && f->close < end) line->outer = true;
        copy_line(at, end, line->text);
        if (line->outer && f->open >= at && f->close < end) line->outer = false; /* all in one */
        if (out->n_lines == RV_MOST_RULE_LINES && end < f->close)
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
                       const int32_t values[N_PARAMETERS], char out[RV_RULE_TEXT]) {
    char text[RV_RULE_TEXT];
    size_t used = 0;
    copy_line(at, end, text);
    for (const char *from = text; *from != '\0' && used + 16 < RV_RULE_TEXT;) {
        const bool begins = is_word(*from) && (from == text || !is_word(from[-1]));
        int which = -1;
        for (int i = 0; begins && i < N_PARAMETERS; i++) {
            if (f->parameters[i][0] != '\0' && begins_word(from, f->parameters[i])) which = i;
        }
        if (which < 0) {
            out[used++] = *from++;
        } else {
            used += (size_t)snprintf(out + used, RV_RULE_TEXT - used, "%d", (int)values[which]);
            from += strlen(f->parameters[which]);
        }
    }
    out[used] = '\0';
}

static void add_numbers(const function *f, const int32_t values[N_PARAMETERS], int32_t answer,
                        rv_rule *out) {
    const char *end, *from = only_return(f, &end);
    char numbers[RV_RULE_TEXT];
    if (from == NULL || memchr(from, '\n', (size_t)(end - from)) != NULL) return;
    put_values(f, from, end, values, numbers);
    for (int i = 0; i < out->n_lines; i++) {
        rv_rule_line *line = &out->lines[i];
        if (from < line->at || from >= line->at + strcspn(line->at, "\n")) continue;
        char value[16];
        snprintf(value, sizeof value, "%d", (int)answer);
        if (strcmp(numbers, value) == 0) return; /* says it already */
        snprintf(line->numbers, RV_RULE_TEXT, "%.140s = %s", numbers, value);
    }
}

/* ---------------------------------------------------------------------------------- what was executed */

/* Reads the program, unless it has been; RS_BAD_INPUT: the interpreter does not know such C. */
static rs_status read_program(rv_rule_reader *reader) {
    const rs_source *source = reader->schedule->source;
    const char *header = source != NULL ? source->header : rs_rule_header;
    rs_error unknown;
    if (header == NULL || reader->unknown) return RS_BAD_INPUT;
    if (reader->program != NULL) return RS_OK;
    const rs_status status =
        rs_program_read(header, strlen(header), reader->text, strlen(reader->text), reader->arena,
                        &unknown, &reader->program);
    reader->unknown = status == RS_BAD_INPUT || status == RS_UNSUPPORTED;
    return reader->unknown ? RS_BAD_INPUT : status;
}

/* Runs the call once more and watches, where it can be. */
static rs_status watch(rv_rule_reader *reader, const int32_t values[N_PARAMETERS],
                       rs_watched *watched) {
    static const rs_run_limits limits = {.n_steps = 200000, .n_cells = 20000};
    rs_arena arena; /* of one call: a learner's variables begin anew */
    rs_error fault;
    rs_runner *runner;
    rs_arena_init(&arena, reader->arena->host);
    rs_status status = read_program(reader);
    if (status == RS_OK)
        status = rs_runner_make(reader->program, &limits, NULL, NULL, &arena, &fault, &runner);
    if (status == RS_OK)
        status = rs_runner_watch(runner, values[0], values[1], values[2], watched, &fault);
    rs_arena_free(&arena);
    return status;
}

/* Writes what a line wrote: "chunk = -1, k = 2"; on the return, what it gave. */
static void put_notes(const rs_watched *watched, int32_t line, bool lists, rv_rule_line *out) {
    size_t used = 0;
    if (out->numbers[0] != '\0') return; /* they say more */
    for (int32_t i = 0; i < watched->n_notes; i++) {
        const rs_note *note = &watched->notes[i];
        if (note->line != line || used + 2 * RS_NOTE_NAME > RV_RULE_TEXT) continue;
        used += (size_t)snprintf(out->numbers + used, RV_RULE_TEXT - used, "%s%s = %.10g",
                                 used > 0 ? ", " : "", note->name, note->value);
    }
    if (line == watched->return_line && used == 0 && !lists) /* else the call says it */
        snprintf(out->numbers, RV_RULE_TEXT, "= %lld", (long long)watched->returned);
}

static void mark_lines(const function *f, const rs_watched *watched, rv_rule *out) {
    int32_t number = 1;
    const char *at = f->start;
    for (int i = 0; i < out->n_lines; i++) {
        rv_rule_line *line = &out->lines[i];
        for (; at < line->at; at++) number += *at == '\n';
        if (number > watched->n_lines || strcmp(line->text, "...") == 0) continue;
        if (watched->code[number - 1])
            line->mark = watched->executed[number - 1] ? RV_LINE_EXECUTED : RV_LINE_SKIPPED;
        if (number == watched->return_line) line->mark = RV_LINE_RETURNS;
        put_notes(watched, number, out->lists, line);
    }
}

/* ---------------------------------------------------------------------------------- what is wrong */

/* Tells whether the message is the one that the verdict blames. */
static bool is_blamed(const rs_verdict *v, const rs_transfer *t) {
    return t->dst == v->rank && v->chunk >= t->chunk && v->chunk < t->chunk + t->n_chunks;
}

static void say_mistake(const rs_source *source, const rs_verdict *v, int32_t step, int32_t rank,
                        const rs_transfer sent[], int n, rv_rule *out) {
    if (source->why != NULL && step == source->wrong_step)
        snprintf(out->mistake, sizeof out->mistake, "%.*s", (int)sizeof out->mistake - 1,
                 source->why);
    out->judged = out->mistake[0] != '\0';
    out->blamed = out->judged && rank == source->wrong_rank;
    if (v == NULL || v->sound || v->step != step || v->fault == RS_UNFINISHED) return;
    if (out->mistake[0] == '\0') rv_verdict_text(v, out->mistake, sizeof out->mistake);
    for (int i = 0; i < n; i++) out->blamed = out->blamed || is_blamed(v, &sent[i]);
}

/* Of several channels that differ by nothing else a rule speaks of the first one. */
static int list_sent(const rs_schedule *s, int32_t step, int32_t rank, rs_transfer sent[]) {
    return s->sends_one != NULL && s->rule != NULL ? s->channel_sends(s, step, rank, 0, sent)
                                                   : s->sends(s, step, rank, sent);
}

/* Fills in the answer and what led to it. */
static rs_status answer(rv_rule_reader *reader, const function *f, int32_t step, int32_t rank,
                        rv_rule *out) {
    rs_transfer sent[MOST_SENT];
    const rs_schedule *s = reader->schedule;
    const int n = out->n_sent = list_sent(s, step, rank, sent);
    const int32_t values[N_PARAMETERS] = {step, rank, s->n_ranks};
    const int32_t answer = out->lists ? n : n > 0 ? sent[0].chunk : -1;
    rs_watched watched;
    const bool known = out->lists || n > 0; /* what is no chunk was not sent */
    const int used = snprintf(out->call, sizeof out->call, "%s(%.30s = %d, %.30s = %d, %.30s = %d)",
                              out->lists ? "sends" : "send_chunk", f->parameters[0], (int)step,
                              f->parameters[1], (int)rank, f->parameters[2], (int)s->n_ranks);
    if (n > 0 && !out->lists) add_numbers(f, values, answer, out);
    if (s->source != NULL) say_mistake(s->source, reader->verdict, step, rank, sent, n, out);
    if (!known && !out->blamed) return RS_OK;
    const rs_status status = watch(reader, values, &watched);
    const int64_t said = known || status != RS_OK ? answer : watched.returned;
    if (known || status == RS_OK)
        snprintf(out->call + used, sizeof out->call - (size_t)used, " = %lld", (long long)said);
    if (status == RS_OK && watched.returned == said) mark_lines(f, &watched, out);
    return status == RS_NO_MEMORY ? status : RS_OK;
}

rs_status rv_rule_of(rv_rule_reader *reader, int32_t step, int32_t rank, const rv_rule **rule) {
    const rs_schedule *s = reader->schedule;
    const rs_source *source = s->source;
    const int32_t n_sent = s->sends_one != NULL ? s->max_sends / s->n_channels : s->max_sends;
    rv_rule *out = &reader->kept;
    function f;
    *rule = out;
    if (reader->kept_step == step && reader->kept_rank == rank) return RS_OK;
    *rule = NULL;
    if (source != NULL) reader->text = source->text;
    if (reader->text == NULL) {
        char *text = rs_alloc(reader->arena, RS_RULE_BYTES, 1);
        if (text == NULL) return RS_NO_MEMORY;
        rs_rule_text(s, text, RS_RULE_BYTES);
        reader->text = text;
    }
    *out = (rv_rule){.is_own = source != NULL};
    out->lists = !find_function(reader->text, "send_chunk", &f);
    if (out->lists && !find_function(reader->text, "sends", &f)) return RS_OK;
    take_lines(&f, !out->is_own, out);
    if (step >= 0 && step < (source != NULL ? source->n_steps : s->n_steps) &&
        n_sent <= MOST_SENT) {
        const rs_status status = answer(reader, &f, step, rank, out);
        if (status != RS_OK) return status;
    }
    reader->kept_step = step, reader->kept_rank = rank;
    *rule = out;
    return RS_OK;
}

/* What a line says about the answer; the least goes first. Of messages the return says only how
   many, and the call does, too. */
static int worth_of(const rv_rule *rule, const rv_rule_line *line) {
    if (line->mark == RV_LINE_PLAIN) return line->outer ? 1 : 0; /* comments, brackets */
    if (line->mark == RV_LINE_SKIPPED) return 2;
    if (line->mark == RV_LINE_RETURNS) return rule->n_sent > 0 && rule->lists ? 2 : 5;
    return line->numbers[0] != '\0' ? 4 : 3;
}

void rv_shorten_rule(rv_rule *rule, int room) {
    bool marked = false;
    for (int i = 0; i < rule->n_lines; i++)
        marked = marked || rule->lines[i].mark == RV_LINE_RETURNS;
    for (int worth = 0; worth < 5 && marked && rule->n_lines > room; worth++) {
        for (int i = 0; i < rule->n_lines && rule->n_lines > room; i++) {
            if (worth_of(rule, &rule->lines[i]) != worth) continue;
            rule->n_lines--;
            memmove(&rule->lines[i], &rule->lines[i + 1],
                    (size_t)(rule->n_lines - i) * sizeof rule->lines[0]);
            i--;
        }
    }
}
