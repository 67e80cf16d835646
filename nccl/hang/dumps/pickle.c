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

/* Tells whether so many bytes are there; if not, the file is cut. */
static bool has(rn_builder *b, uint64_t n) {
    if ((uint64_t)(b->end - b->at) >= n) return true;
    if (b->status == RS_OK) b->cut = true;
    return false;
}

static uint64_t little(rn_builder *b, unsigned n) {
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++) value |= (uint64_t)(unsigned char)b->at[i] << (8 * i);
    b->at += n;
    return value;
}

static void push_integer(rn_builder *b, int64_t value) {
    rn_build_push(b, (rn_datum){.kind = RN_DATUM_INTEGER, .integer = value});
}

static void push_text(rn_builder *b, uint64_t n) {
    if (!has(b, n)) return;
    b->at += n;
    rn_build_text(b, b->at - n, (size_t)n);
}

/* The last n data become a tuple; it is a list here. */
static void tuple(rn_builder *b, int64_t n) {
    if (b->status != RS_OK || !rn_build_wants(b, n)) return;
    const int64_t below = b->n - n;
    rn_build_empty(b, RN_DATUM_LIST);
    if (b->n == below + n) return;
    const rn_datum made = b->stack[b->n - 1];
    memmove(b->stack + below + 1, b->stack + below, (size_t)n * sizeof made);
    b->stack[below] = made;
    rn_build_fill(b, RN_DATUM_LIST, n);
}

static void put(rn_builder *b, uint64_t index) {
    if (!rn_build_wants(b, 1)) return;
    if (index > b->n_puts + MEMO_AHEAD) {
        rn_build_fail(b, NULL, RS_MESSAGE("the memo's number runs far ahead of their count"));
        return;
    }
    if (!rs_heap_reserve(b->words->heap, &b->memo, index + 1, &b->memo_room)) return;
    for (; b->n_memo <= index; b->n_memo++) b->memo[b->n_memo] = (rn_datum){.kind = RN_DATUM_NONE};
    b->memo[index] = b->stack[b->n - 1];
    b->n_puts++;
}

static void get(rn_builder *b, uint64_t index) {
    if (index >= b->n_memo) {
        rn_build_fail(b, NULL, RS_MESSAGE("the memo has no such number"));
        return;
    }
    rn_build_push(b, b->memo[index]);
}

/* LONG1: a little-endian number of any length; torch writes 8 bytes. */
static void long1(rn_builder *b, unsigned n) {
    if (!has(b, n)) return;
    if (n > 8) {
        rn_build_fail(b, NULL, RS_MESSAGE("a number of more than 8 bytes"));
        return;
    }
    uint64_t value = little(b, n);
    if (n > 0 && n < 8 && value >> (8 * n - 1) != 0) value |= UINT64_MAX << (8 * n);
    push_integer(b, (int64_t)value);
}

/* Big-endian, only here. */
static void real(rn_builder *b, uint64_t turned) {
    uint64_t bits = 0;
    rn_datum datum = {.kind = RN_DATUM_REAL};
    for (int i = 0; i < 64; i += 8) bits = bits << 8 | (turned >> i & 255);
    memcpy(&datum.real, &bits, sizeof bits);
    rn_build_push(b, datum);
}

/* A name that a pickle would look up: only the one that unwraps is let in. */
static void global(rn_builder *b) {
    static const char untag[UNTAG_BYTES + 1] = "torch.jit._pickle\nrestore_type_tag";
    const size_t n = (size_t)(b->end - b->at);
    if (n > UNTAG_BYTES && memcmp(b->at, untag, UNTAG_BYTES) == 0 && b->at[UNTAG_BYTES] == '\n') {
        b->at += UNTAG_BYTES + 1;
        rn_build_push(b, (rn_datum){.kind = RN_DATUM_UNTAG});
        return;
    }
    b->at--;
    rn_build_fail(b, "GLOBAL", RS_MESSAGE("it names a function, and is not read"));
}

static void reduce(rn_builder *b) {
    if (rn_build_above(b) >= 2 && b->stack[b->n - 2].kind == RN_DATUM_UNTAG) {
        const rn_datum arguments = b->stack[b->n - 1];
        if (arguments.kind == RN_DATUM_LIST && arguments.items->n > 0) {
            b->n--;
            b->stack[b->n - 1] = arguments.items->at[0];
            return;
        }
    }
    b->at--;
    rn_build_fail(b, "REDUCE", RS_MESSAGE("it calls a function, and is not read"));
}

/* Refuses an opcode; by its name where Python has one for it. */
static void refuse(rn_builder *b, unsigned char op) {
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
    b->at--;
    const unsigned char *known = memchr(ops, op, sizeof ops);
    if (known != NULL)
        rn_build_fail(b, names[known - ops],
                      RS_MESSAGE("an opcode that no flight recorder writes"));
    rn_build_fail(b, number, RS_MESSAGE("no opcode of a flight recorder"));
}

/* Executes one opcode, with the number that may follow it; false: STOP. */
static bool take(rn_builder *b) {
    static const uint8_t n_bytes[256] = {
        ['h'] = 1, ['q'] = 1,  ['K'] = 1,  [0x80] = 1, [0x8a] = 1, [0x8c] = 1, ['C'] = 1,
        ['U'] = 1, ['M'] = 2,  ['J'] = 4,  ['X'] = 4,  ['B'] = 4,  ['T'] = 4,  ['r'] = 4,
        ['j'] = 4, [0x8d] = 8, [0x8e] = 8, ['G'] = 8,  [0x95] = 8};
    const unsigned char op = (unsigned char)*b->at++;
    if (!has(b, n_bytes[op])) return true;
    const uint64_t number = little(b, n_bytes[op]);
    switch (op) {
    case 'h':
    case 'j': get(b, number); break;
    case 'q':
    case 'r': put(b, number); break;
    case 'K':
    case 'M': push_integer(b, (int64_t)number); break;
    case 'J': push_integer(b, (int32_t)number); break;
    case 0x8a: long1(b, (unsigned)number); break;
    case 'G': real(b, number); break;
    case 'X':
    case 'B':
    case 'T':
    case 'C':
    case 'U':
    case 0x8c:
    case 0x8d:
    case 0x8e: push_text(b, number); break;
    case 0x80:
        if (number > 5) rn_build_fail(b, NULL, RS_MESSAGE("a protocol above 5"));
        break;
    case 0x95: break; /* a frame: its length is not needed */
    case 'N': rn_build_push(b, (rn_datum){.kind = RN_DATUM_NONE}); break;
    case 0x88:
    case 0x89: rn_build_push(b, (rn_datum){.kind = RN_DATUM_BOOL, .integer = op == 0x88}); break;
    case ']': rn_build_empty(b, RN_DATUM_LIST); break;
    case ')': tuple(b, 0); break;
    case '}': rn_build_empty(b, RN_DATUM_DICT); break;
    case '(': rn_build_mark(b); break;
    case 'u': rn_build_fill(b, RN_DATUM_DICT, rn_build_unmark(b)); break;
    case 'e': rn_build_fill(b, RN_DATUM_LIST, rn_build_unmark(b)); break;
    case 's': rn_build_fill(b, RN_DATUM_DICT, 2); break;
    case 'a': rn_build_fill(b, RN_DATUM_LIST, 1); break;
    case 0x85:
    case 0x86:
    case 0x87: tuple(b, op - 0x84); break;
    case 't': tuple(b, rn_build_unmark(b)); break;
    case 0x94: put(b, b->n_puts); break;
    case '0':
        if (rn_build_wants(b, 1)) b->n--;
        break;
    case 'c': global(b); break;
    case 'R': reduce(b); break;
    case '.': return false;
    default: refuse(b, op);
    }
    return true;
}

rs_status rn_read_pickle(const char *bytes, size_t n_bytes, rs_texts *words, rs_error *error,
                         rn_datum *top, bool *cut) {
    rn_builder b = {
        .begin = bytes, .at = bytes, .end = bytes + n_bytes, .words = words, .error = error};
    return rn_build(&b, take, top, cut);
}
