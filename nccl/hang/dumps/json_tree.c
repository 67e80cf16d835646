/* json_tree.c: JSON read as plain data, as far as the file goes.
 *
 *   - A file that ends too early is kept as far as it goes: a dump of a killed process does.
 *   - No recursion: what is open is a list. NaN and Infinity, which Python writes, are numbers.
 */
#include "data_tree.h"
#include "ringsim_text.h"

#include <stdlib.h>
#include <string.h>

/* What is due: a key or a value, as the innermost that is open has them; a colon; a comma. */
enum { ITEM, FIRST_ITEM, COLON, VALUE, COMMA };
enum { DEEPEST = 256, LONGEST_NUMBER = 64 };

/* What is open innermost; nothing: the file itself. */
static rn_datum_kind innermost(const rn_builder *b) {
    return b->n_marks > 0 ? b->stack[b->marks[b->n_marks - 1] - 1].kind : RN_DATUM_NONE;
}

static void begin(rn_builder *b, rn_datum_kind kind) {
    if (b->n_marks == DEEPEST) {
        rn_build_fail(b, NULL, RS_MESSAGE("it is nested too deeply"));
        return;
    }
    rn_build_empty(b, kind);
    rn_build_mark(b);
    b->due = FIRST_ITEM;
    b->at++;
}

static void end(rn_builder *b) {
    const rn_datum_kind kind = innermost(b);
    if (*b->at != (kind == RN_DATUM_DICT ? '}' : ']')) {
        rn_build_fail(b, NULL, RS_MESSAGE("the other bracket is due"));
        return;
    }
    b->at++;
    b->due = COMMA;
    rn_build_fill(b, kind, rn_build_unmark(b));
}

/* ------------------------------------------------------------------ texts */

/* Writes the text without its escapes, which are never shorter; returns its end. */
static char *unescape(const char *from, const char *to, char *out) {
    static const char signs[] = "bfnrt", meant[] = "\b\f\n\r\t";
    for (; from < to; from++) {
        if (*from != '\\') {
            *out++ = *from;
            continue;
        }
        from++;
        const char *sign = *from != '\0' ? strchr(signs, *from) : NULL;
        if (*from == 'u' && to - from > 4) {
            uint64_t code = 0, digit;
            for (const char *at = ++from; at < from + 4; code = code << 4 | digit) {
                const char *one = at++;
                rn_take_hex(&one, 1, &digit); /* 0 where it is none */
            }
            out = rn_put_utf8((uint32_t)code, out);
            from += 3;
        } else {
            *out++ = sign != NULL ? meant[sign - signs] : *from;
        }
    }
    return out;
}

/* Takes a text from its quote on; what comes next is due. If the file ends before it does, it is none. */
static void text(rn_builder *b, int due) {
    const char *from = ++b->at;
    bool escaped = false;
    while (b->at < b->end && *b->at != '"') {
        if (*b->at == '\\' && b->end - b->at > 1) {
            escaped = true;
            b->at++;
        }
        b->at++;
    }
    if (b->at == b->end) return;
    size_t n = (size_t)(b->at++ - from);
    if (escaped) {
        char *plain = rs_heap_take(b->words->heap, n + 1);
        if (plain == NULL) return;
        n = (size_t)(unescape(from, from + n, plain) - plain);
        from = plain;
    }
    rn_build_text(b, from, n);
    b->due = due;
}

/* ------------------------------------------------------------------ numbers and names */

static bool is_of_number(char c) {
    return (c >= '0' && c <= '9') || (c != '\0' && strchr("+-.eE", c) != NULL);
}

static void number(rn_builder *b) {
    char digits[LONGEST_NUMBER + 1], *stop;
    size_t n = 0;
    bool whole = true;
    for (; b->at + n < b->end && n < LONGEST_NUMBER && is_of_number(b->at[n]); n++) {
        digits[n] = b->at[n];
        whole = whole && strchr(".eE", digits[n]) == NULL;
    }
    digits[n] = '\0';
    rn_datum datum = {.kind = whole ? RN_DATUM_INTEGER : RN_DATUM_REAL};
    if (whole) {
        datum.integer = strtoll(digits, &stop, 10);
    } else {
        datum.real = strtod(digits, &stop);
    }
    if (n > 0 && b->at + n == b->end && b->n_marks > 0) {
        b->cut = true; /* further digits may be missing */
    } else if (n == 0 || *stop != '\0') {
        rn_build_fail(b, NULL, RS_MESSAGE("this is no JSON"));
    } else {
        b->at += n;
        rn_build_push(b, datum);
    }
}

/* true, false, null, NaN, Infinity; false: none of them. */
static bool name(rn_builder *b) {
    static const struct {
        char text[10];
        rn_datum datum;
    } names[] = {{"true", {.kind = RN_DATUM_BOOL, .integer = 1}},
                 {"false", {.kind = RN_DATUM_BOOL}},
                 {"null", {.kind = RN_DATUM_NONE}},
                 {"NaN", {.kind = RN_DATUM_NONE}},
                 {"Infinity", {.kind = RN_DATUM_NONE}},
                 {"-Infinity", {.kind = RN_DATUM_NONE}}};
    const size_t left = (size_t)(b->end - b->at);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i].text), n_seen = left < n ? left : n;
        if (memcmp(b->at, names[i].text, n_seen) != 0 || (n_seen < 2 && left > 1)) continue;
        b->at += n_seen;
        b->cut = n_seen < n;
        if (!b->cut) rn_build_push(b, names[i].datum);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ the whole */

static void value(rn_builder *b) {
    b->due = COMMA;
    switch (*b->at) {
    case '{': begin(b, RN_DATUM_DICT); break;
    case '[': begin(b, RN_DATUM_LIST); break;
    case '"': text(b, COMMA); break;
    default:
        if (!name(b)) number(b);
    }
}

static void item(rn_builder *b) {
    if (innermost(b) != RN_DATUM_DICT) {
        value(b);
    } else if (*b->at == '"') {
        text(b, COLON);
    } else {
        rn_build_fail(b, NULL, RS_MESSAGE("a key in quotes is due"));
    }
}

/* NCCL 2.28.9 leaves out a comma before a key. */
static void sign(rn_builder *b) {
    const bool comma = b->due == COMMA;
    if (*b->at == (comma ? ',' : ':')) {
        b->at++;
        b->due = comma ? ITEM : VALUE;
    } else if (comma && *b->at == '"' && innermost(b) == RN_DATUM_DICT) {
        text(b, COLON);
    } else {
        rn_build_fail(b, NULL, comma ? RS_MESSAGE("a comma is due") : RS_MESSAGE("a colon is due"));
    }
}

static bool take(rn_builder *b) {
    const char c = *b->at;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        b->at++;
    } else if ((c == ']' || c == '}') && (b->due == FIRST_ITEM || b->due == COMMA)) {
        end(b);
    } else if (b->due == COMMA || b->due == COLON) {
        sign(b);
    } else if (b->due == VALUE) {
        value(b);
    } else {
        item(b);
    }
    return b->n_marks > 0 || b->n == 0;
}

rs_status rn_read_json(const char *bytes, size_t n_bytes, rs_texts *words, rs_error *error,
                       rn_datum *top, bool *cut) {
    rn_builder b = {
        .begin = bytes, .at = bytes, .end = bytes + n_bytes, .words = words, .error = error};
    return rn_build(&b, take, top, cut);
}
