/* pickle.c: a pickle read as data, by the few opcodes that a flight recorder's dump has (torch's C++ pickler,
 * protocol 2; Python's own, up to 5). Nothing is looked up, called or built: what would do so is refused by its name.
 *
 *   - torch.jit._pickle.restore_type_tag, with which old writers wrapped lists, is the one name that is let in: it
 *     stands for its first argument.
 *   - Bounded by the file: each opcode pushes one datum at the most; a memo's number may run ahead of their
 *     count by a little only.
 *   - Depth costs nothing: the stack is a list, and nothing here walks down.
 */
#include "data_tree.h"

#include <stdio.h>
#include <string.h>

enum { MEMO_AHEAD = 4096, UNTAG_BYTES = 34 };

typedef struct unpickler {
    const unsigned char *begin, *at, *end;
    rs_texts *words;
    rs_heap *pieces;
    rn_datum *stack, *memo;
    uint32_t *marks; /* heights of the stack */
    size_t n, n_marks, n_memo, n_puts;
    int64_t room, mark_room, memo_room;
    rs_error *error;
    rs_status status;
    bool cut;
} unpickler;

/* Keeps the first failure. */
static void fail(unpickler *p, rs_status status, const char *what) {
    if (p->status != RS_OK || p->cut) return;
    p->status = status;
    rs_fail_word(p->error, status, 1, "byte %lld: %.200s", (long long)(p->at - p->begin), what);
}

/* The same of an opcode, by its name. */
static void refuse_as(unpickler *p, const char *name, const char *what) {
    if (p->status != RS_OK || p->cut) return;
    p->status = rs_fail_word(p->error, RS_BAD_INPUT, 2, "byte %lld: %s: %s",
                             (long long)(p->at - p->begin), name, what);
}

/* Tells whether so many bytes are there; if not, the file is cut. */
static bool has(unpickler *p, uint64_t n) {
    if ((uint64_t)(p->end - p->at) >= n) return true;
    if (p->status == RS_OK) p->cut = true;
    return false;
}

static uint64_t little(unpickler *p, unsigned n) {
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++) value |= (uint64_t)p->at[i] << (8 * i);
    p->at += n;
    return value;
}

static void push(unpickler *p, rn_datum datum) {
    if (rs_heap_reserve(p->pieces, &p->stack, p->n + 1, &p->room)) p->stack[p->n++] = datum;
}

static void push_integer(unpickler *p, int64_t value) {
    push(p, (rn_datum){.kind = RN_DATUM_INTEGER, .integer = value});
}

static void push_text(unpickler *p, uint64_t n) {
    if (!has(p, n)) return;
    const int64_t word = rs_text_of(p->words, (const char *)p->at, (size_t)n);
    p->at += n;
    push(p, (rn_datum){.kind = RN_DATUM_TEXT, .word = (uint32_t)word});
}

static void push_empty(unpickler *p, rn_datum_kind kind) {
    rn_datum made;
    if (rn_datum_make(p->pieces, kind, &made)) push(p, made);
}

/* How many data may be taken: those above the innermost mark. */
static size_t above_mark(const unpickler *p) {
    return p->n - (p->n_marks > 0 ? p->marks[p->n_marks - 1] : 0);
}

static bool wants(unpickler *p, size_t n) {
    if (above_mark(p) >= n) return true;
    fail(p, RS_BAD_INPUT, RS_MESSAGE("the stack is empty: this is no pickle of a flight recorder"));
    return false;
}

static void mark(unpickler *p) {
    if (rs_heap_reserve(p->pieces, &p->marks, p->n_marks + 1, &p->mark_room))
        p->marks[p->n_marks++] = (uint32_t)p->n;
}

/* Takes the mark away and returns how many data were above it. */
static size_t unmark(unpickler *p) {
    if (p->n_marks == 0) {
        fail(p, RS_BAD_INPUT,
             RS_MESSAGE("a mark is missing: this is no pickle of a flight recorder"));
        return 0;
    }
    const size_t n = above_mark(p);
    p->n_marks--;
    return n;
}

/* The last n data. */
static const rn_datum *last_of(const unpickler *p, size_t n) {
    return n > 0 ? p->stack + p->n - n : NULL;
}

/* The last n data go into the list or dictionary below them. */
static void add_last(unpickler *p, rn_datum_kind kind, size_t n) {
    if (p->status != RS_OK || !wants(p, n + 1)) return;
    rn_datum *into = &p->stack[p->n - n - 1];
    if (into->kind != kind || (kind == RN_DATUM_DICT && n % 2 != 0)) {
        fail(p, RS_BAD_INPUT, RS_MESSAGE("what is filled is no list or dictionary"));
        return;
    }
    rn_items_add(p->pieces, into->items, last_of(p, n), n);
    p->n -= n;
}

/* The last n data become a tuple; it is a list here. */
static void tuple(unpickler *p, size_t n) {
    rn_datum made;
    if (p->status != RS_OK || !wants(p, n)) return;
    if (!rn_datum_make(p->pieces, RN_DATUM_LIST, &made)) return;
    rn_items_add(p->pieces, made.items, last_of(p, n), n);
    p->n -= n;
    push(p, made);
}

static void put(unpickler *p, uint64_t index) {
    if (!wants(p, 1)) return;
    if (index > p->n_puts + MEMO_AHEAD) {
        fail(p, RS_BAD_INPUT, RS_MESSAGE("the memo's number runs far ahead of their count"));
        return;
    }
    if (!rs_heap_reserve(p->pieces, &p->memo, index + 1, &p->memo_room)) return;
    for (; p->n_memo <= index; p->n_memo++) p->memo[p->n_memo] = (rn_datum){.kind = RN_DATUM_NONE};
    p->memo[index] = p->stack[p->n - 1];
    p->n_puts++;
}

static void get(unpickler *p, uint64_t index) {
    if (index >= p->n_memo) {
        fail(p, RS_BAD_INPUT, RS_MESSAGE("the memo has no such number"));
        return;
    }
    push(p, p->memo[index]);
}

/* LONG1: a little-endian number of any length; torch writes 8 bytes. */
static void long1(unpickler *p, unsigned n) {
    if (!has(p, n)) return;
    if (n > 8) {
        fail(p, RS_BAD_INPUT, RS_MESSAGE("a number of more than 8 bytes"));
        return;
    }
    uint64_t value = little(p, n);
    if (n > 0 && n < 8 && value >> (8 * n - 1) != 0) value |= UINT64_MAX << (8 * n);
    push_integer(p, (int64_t)value);
}

/* Big-endian, only here. */
static void real(unpickler *p, uint64_t turned) {
    uint64_t bits = 0;
    rn_datum datum = {.kind = RN_DATUM_REAL};
    for (int i = 0; i < 64; i += 8) bits = bits << 8 | (turned >> i & 255);
    memcpy(&datum.real, &bits, sizeof bits);
    push(p, datum);
}

/* A name that a pickle would look up: only the one that unwraps is let in. */
static void global(unpickler *p) {
    static const char untag[UNTAG_BYTES + 1] = "torch.jit._pickle\nrestore_type_tag";
    const size_t n = (size_t)(p->end - p->at);
    if (n > UNTAG_BYTES && memcmp(p->at, untag, UNTAG_BYTES) == 0 && p->at[UNTAG_BYTES] == '\n') {
        p->at += UNTAG_BYTES + 1;
        push(p, (rn_datum){.kind = RN_DATUM_UNTAG});
        return;
    }
    p->at--;
    refuse_as(p, "GLOBAL", RS_MESSAGE("it names a function, and is not read"));
}

static void reduce(unpickler *p) {
    if (above_mark(p) >= 2 && p->stack[p->n - 2].kind == RN_DATUM_UNTAG) {
        const rn_datum arguments = p->stack[p->n - 1];
        if (arguments.kind == RN_DATUM_LIST && arguments.items->n > 0) {
            p->n--;
            p->stack[p->n - 1] = arguments.items->at[0];
            return;
        }
    }
    p->at--;
    refuse_as(p, "REDUCE", RS_MESSAGE("it calls a function, and is not read"));
}

/* Refuses an opcode; by its name where Python has one for it. */
static void refuse(unpickler *p, unsigned char op) {
    static const unsigned char ops[] = {'b',  'i',  'o',  0x81, 0x92, 'P',  'Q',  0x93,
                                        0x82, 0x83, 0x84, 0x97, 0x98, 0x8f, 0x8b, 0x91,
                                        0x90, 'I',  'V',  'S',  'L',  'F',  'p',  'g'};
    static const char *const names[] = {
        "BUILD",           "INST",         "OBJ",   "NEWOBJ",    "NEWOBJ_EX", "PERSID",
        "BINPERSID",       "STACK_GLOBAL", "EXT1",  "EXT2",      "EXT4",      "NEXT_BUFFER",
        "READONLY_BUFFER", "EMPTY_SET",    "LONG4", "FROZENSET", "ADDITEMS",  "INT",
        "UNICODE",         "STRING",       "LONG",  "FLOAT",     "PUT",       "GET"};
    char number[8];
    snprintf(number, sizeof number, "0x%02x", op);
    p->at--;
    const unsigned char *known = memchr(ops, op, sizeof ops);
    if (known != NULL)
        refuse_as(p, names[known - ops], RS_MESSAGE("an opcode that no flight recorder writes"));
    refuse_as(p, number, RS_MESSAGE("no opcode of a flight recorder"));
}

/* Executes one opcode, with the number that may follow it; false: STOP. */
static bool take(unpickler *p) {
    static const uint8_t n_bytes[256] = {
        ['h'] = 1, ['q'] = 1,  ['K'] = 1,  [0x80] = 1, [0x8a] = 1, [0x8c] = 1, ['C'] = 1,
        ['U'] = 1, ['M'] = 2,  ['J'] = 4,  ['X'] = 4,  ['B'] = 4,  ['T'] = 4,  ['r'] = 4,
        ['j'] = 4, [0x8d] = 8, [0x8e] = 8, ['G'] = 8,  [0x95] = 8};
    const unsigned char op = *p->at++;
    if (!has(p, n_bytes[op])) return true;
    const uint64_t number = little(p, n_bytes[op]);
    switch (op) {
    case 'h':
    case 'j': get(p, number); break;
    case 'q':
    case 'r': put(p, number); break;
    case 'K':
    case 'M': push_integer(p, (int64_t)number); break;
    case 'J': push_integer(p, (int32_t)number); break;
    case 0x8a: long1(p, (unsigned)number); break;
    case 'G': real(p, number); break;
    case 'X':
    case 'B':
    case 'T':
    case 'C':
    case 'U':
    case 0x8c:
    case 0x8d:
    case 0x8e: push_text(p, number); break;
    case 0x80:
        if (number > 5) fail(p, RS_BAD_INPUT, RS_MESSAGE("a protocol above 5"));
        break;
    case 0x95: break; /* a frame: its length is not needed */
    case 'N': push(p, (rn_datum){.kind = RN_DATUM_NONE}); break;
    case 0x88:
    case 0x89: push(p, (rn_datum){.kind = RN_DATUM_BOOL, .integer = op == 0x88}); break;
    case ']': push_empty(p, RN_DATUM_LIST); break;
    case ')': tuple(p, 0); break;
    case '}': push_empty(p, RN_DATUM_DICT); break;
    case '(': mark(p); break;
    case 'u': add_last(p, RN_DATUM_DICT, unmark(p)); break;
    case 'e': add_last(p, RN_DATUM_LIST, unmark(p)); break;
    case 's': add_last(p, RN_DATUM_DICT, 2); break;
    case 'a': add_last(p, RN_DATUM_LIST, 1); break;
    case 0x85:
    case 0x86:
    case 0x87: tuple(p, (size_t)op - 0x84); break;
    case 't': tuple(p, unmark(p)); break;
    case 0x94: put(p, p->n_puts); break;
    case '0':
        if (wants(p, 1)) p->n--;
        break;
    case 'c': global(p); break;
    case 'R': reduce(p); break;
    case '.': return false;
    default: refuse(p, op);
    }
    return true;
}

/* The file has ended: what is open is closed with what it has, innermost first. */
static void close_all(unpickler *p) {
    while (p->n_marks > 0 && p->status == RS_OK) {
        const size_t base = p->marks[--p->n_marks];
        rn_datum *open = base > 0 ? &p->stack[base - 1] : NULL;
        size_t n = p->n - base;
        if (open != NULL && open->kind == RN_DATUM_DICT) n -= n % 2;
        if (open != NULL && (open->kind == RN_DATUM_DICT || open->kind == RN_DATUM_LIST)) {
            rn_items_add(p->pieces, open->items, n > 0 ? p->stack + base : NULL, n);
            open->items->partial = true;
        }
        p->n = base;
    }
}

rs_status rn_read_pickle(const char *bytes, size_t n_bytes, rs_texts *words, rs_error *error,
                         rn_datum *top, bool *cut) {
    const unsigned char *begin = (const unsigned char *)bytes;
    unpickler p = {.begin = begin,
                   .at = begin,
                   .end = begin + n_bytes,
                   .words = words,
                   .pieces = words->heap,
                   .error = error};
    bool stopped = false;
    while (!stopped && !p.cut && p.status == RS_OK) {
        if (p.at == p.end) {
            p.cut = true;
        } else {
            stopped = !take(&p);
        }
        if (p.pieces->arena->lacked)
            fail(&p, RS_NO_MEMORY, RS_MESSAGE("no memory for what it holds"));
    }
    *cut = p.cut;
    if (p.cut) close_all(&p);
    if (p.status != RS_OK) return p.status;
    if (p.pieces->arena->lacked) return rs_no_memory(error);
    if (p.n == 0) return rs_fail(error, RS_BAD_INPUT, "it ends before anything is in it");
    *top = p.stack[p.cut ? 0 : p.n - 1];
    return RS_OK;
}
