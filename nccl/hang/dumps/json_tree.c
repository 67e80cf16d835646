/* json_tree.c: JSON read as plain data, as far as the file goes.
 *
 *   - A file that ends too early is kept as far as it goes: a dump of a killed process does.
 *   - No recursion: what is open is a list. NaN and Infinity, which Python writes, are numbers.
 */
#include "data_tree.h"
#include "ringsim_text.h"

#include <stdlib.h>
#include <string.h>

typedef enum expecting {
    VALUE,
    VALUE_OR_END,
    KEY,
    KEY_OR_END,
    COLON,
    NEXT_OR_END,
    NOTHING
} expecting;

enum { DEEPEST = 256, LONGEST_NUMBER = 64 };

typedef struct json_reader {
    const char *begin, *at, *end;
    rs_texts *words;
    rs_heap *pieces;
    rn_datum open[DEEPEST]; /* lists and dictionaries, outermost first */
    rn_datum keys[DEEPEST]; /* the key that waits for its value */
    int depth;
    rn_datum top;
    expecting next;
    bool cut, any;
    rs_error *error;
    rs_status status;
} json_reader;

static void fail(json_reader *j, rs_status status, const char *what) {
    if (j->status != RS_OK || j->cut) return;
    j->status = status;
    rs_fail_word(j->error, status, 1, "byte %lld: %s", (long long)(j->at - j->begin), what);
}

static void blanks(json_reader *j) {
    while (j->at < j->end && strchr(" \t\r\n", *j->at) != NULL && *j->at != '\0') j->at++;
}

/* ------------------------------------------------------------------ values */

/* Puts a value where it belongs. */
static void place(json_reader *j, rn_datum datum) {
    if (j->depth == 0) {
        j->top = datum;
        j->any = true;
        j->next = NOTHING;
        return;
    }
    rn_datum *into = &j->open[j->depth - 1];
    const rn_datum both[2] = {j->keys[j->depth - 1], datum};
    const bool pair = into->kind == RN_DATUM_DICT;
    rn_items_add(j->pieces, into->items, pair ? both : &datum, pair ? 2 : 1);
    j->next = NEXT_OR_END;
}

static void begin(json_reader *j, rn_datum_kind kind) {
    rn_datum made;
    if (j->depth == DEEPEST) {
        fail(j, RS_BAD_INPUT, RS_MESSAGE("it is nested too deeply"));
        return;
    }
    if (!rn_datum_make(j->pieces, kind, &made)) return;
    place(j, made);
    j->open[j->depth++] = made;
    j->next = kind == RN_DATUM_DICT ? KEY_OR_END : VALUE_OR_END;
    j->at++;
}

static void end(json_reader *j) {
    const char closing = j->open[j->depth - 1].kind == RN_DATUM_DICT ? '}' : ']';
    if (*j->at != closing) {
        fail(j, RS_BAD_INPUT, RS_MESSAGE("the other bracket is due"));
        return;
    }
    j->at++;
    j->depth--;
    j->next = j->depth == 0 ? NOTHING : NEXT_OR_END;
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

/* Reads a text behind its quote; false: there is none, or the file ends before it does. */
static bool text(json_reader *j, rn_datum *read) {
    const char *from = ++j->at;
    bool escaped = false;
    while (j->at < j->end && *j->at != '"') {
        if (*j->at == '\\' && j->end - j->at > 1) {
            escaped = true;
            j->at++;
        }
        j->at++;
    }
    if (j->at == j->end) return false;
    size_t n = (size_t)(j->at - from);
    if (escaped) {
        char *plain = rs_heap_take(j->pieces, n + 1);
        n = plain != NULL ? (size_t)(unescape(from, j->at, plain) - plain) : 0;
        from = plain;
    }
    j->at++;
    const int64_t word = from != NULL ? rs_text_of(j->words, from, n) : RS_NO_TEXT;
    *read = (rn_datum){.kind = RN_DATUM_TEXT, .word = (uint32_t)word};
    return word != RS_NO_TEXT;
}

/* ------------------------------------------------------------------ numbers and names */

static bool is_of_number(char c) {
    return (c >= '0' && c <= '9') || (c != '\0' && strchr("+-.eE", c) != NULL);
}

static void number(json_reader *j) {
    char digits[LONGEST_NUMBER + 1], *stop;
    size_t n = 0;
    bool whole = true;
    for (; j->at + n < j->end && n < LONGEST_NUMBER && is_of_number(j->at[n]); n++) {
        digits[n] = j->at[n];
        whole = whole && strchr(".eE", digits[n]) == NULL;
    }
    digits[n] = '\0';
    rn_datum datum = {.kind = whole ? RN_DATUM_INTEGER : RN_DATUM_REAL};
    if (whole) {
        datum.integer = strtoll(digits, &stop, 10);
    } else {
        datum.real = strtod(digits, &stop);
    }
    if (n > 0 && j->at + n == j->end && j->depth > 0) {
        j->cut = true; /* further digits may be missing */
        return;
    }
    if (n == 0 || *stop != '\0') {
        fail(j, RS_BAD_INPUT, RS_MESSAGE("this is no JSON"));
        return;
    }
    j->at += n;
    place(j, datum);
}

/* true, false, null, NaN, Infinity; false: none of them. */
static bool name(json_reader *j) {
    static const struct {
        char text[10];
        rn_datum datum;
    } names[] = {{"true", {.kind = RN_DATUM_BOOL, .integer = 1}},
                 {"false", {.kind = RN_DATUM_BOOL}},
                 {"null", {.kind = RN_DATUM_NONE}},
                 {"NaN", {.kind = RN_DATUM_NONE}},
                 {"Infinity", {.kind = RN_DATUM_NONE}},
                 {"-Infinity", {.kind = RN_DATUM_NONE}}};
    const size_t left = (size_t)(j->end - j->at);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i].text), n_seen = left < n ? left : n;
        if (memcmp(j->at, names[i].text, n_seen) != 0 || (n_seen < 2 && left > 1)) continue;
        j->at += n_seen;
        j->cut = n_seen < n;
        if (!j->cut) place(j, names[i].datum);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ the whole */

static void value(json_reader *j) {
    rn_datum read;
    switch (*j->at) {
    case '{': begin(j, RN_DATUM_DICT); break;
    case '[': begin(j, RN_DATUM_LIST); break;
    case '"':
        if (text(j, &read)) place(j, read);
        break;
    default:
        if (!name(j)) number(j);
    }
}

static void key(json_reader *j) {
    if (*j->at != '"') {
        fail(j, RS_BAD_INPUT, RS_MESSAGE("a key in quotes is due"));
    } else if (text(j, &j->keys[j->depth - 1])) {
        j->next = COLON;
    }
}

/* NCCL 2.28.9 leaves out a comma before a key. */
static void sign(json_reader *j, char wanted, expecting next) {
    if (next == KEY && *j->at == '"') {
        key(j);
        return;
    }
    if (*j->at != wanted) {
        fail(j, RS_BAD_INPUT,
             wanted == ':' ? RS_MESSAGE("a colon is due") : RS_MESSAGE("a comma is due"));
        return;
    }
    j->at++;
    j->next = next;
}

static void take(json_reader *j) {
    const bool closes = *j->at == ']' || *j->at == '}';
    if (closes && (j->next == VALUE_OR_END || j->next == KEY_OR_END || j->next == NEXT_OR_END)) {
        end(j);
        return;
    }
    switch (j->next) {
    case VALUE:
    case VALUE_OR_END: value(j); break;
    case KEY:
    case KEY_OR_END: key(j); break;
    case COLON: sign(j, ':', VALUE); break;
    case NEXT_OR_END:
        sign(j, ',', j->open[j->depth - 1].kind == RN_DATUM_DICT ? KEY : VALUE);
        break;
    case NOTHING: break;
    }
}

rs_status rn_read_json(const char *bytes, size_t n_bytes, rs_texts *words, rs_error *error,
                       rn_datum *top, bool *cut) {
    json_reader j = {.begin = bytes,
                     .at = bytes,
                     .end = bytes + n_bytes,
                     .words = words,
                     .pieces = words->heap,
                     .error = error};
    for (blanks(&j); j.status == RS_OK && !j.cut && j.next != NOTHING; blanks(&j)) {
        if (j.at == j.end) {
            j.cut = true;
        } else {
            take(&j);
        }
        if (j.pieces->arena->lacked)
            fail(&j, RS_NO_MEMORY, RS_MESSAGE("no memory for what it holds"));
    }
    *cut = j.cut;
    if (j.status != RS_OK) return j.status;
    for (int i = 0; i < j.depth; i++) j.open[i].items->partial = true;
    if (!j.any) return rs_fail(error, RS_BAD_INPUT, "it ends before anything is in it");
    *top = j.top;
    return RS_OK;
}
