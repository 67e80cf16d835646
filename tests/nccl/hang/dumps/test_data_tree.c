/* test_data_tree.c: random data written as JSON and as a pickle, by opcodes taken at random, is read as what it is; what is
 * none is refused at its byte, by its name.
 */
#include "nccl/hang/dumps/read_data.h"

TestSuite(data_tree, .init = start, .fini = stop);

/* ------------------------------------------------------------------ three ways to write it */

static text json;
static uint32_t n_puts;
static bool tags;     /* values may be wrapped in the one function */
static int32_t again; /* the memo's number of the text that comes again; -1: none yet */

static void op(unsigned char code) {
    put(&pickle, &code, 1);
}
static void little(uint64_t value, int n) {
    for (int i = 0; i < n; i++) op((unsigned char)(value >> 8 * i));
}
static void blank(void) {
    static const char *const blanks[] = {"", "", "", " ", "\n", "\t \r\n"};
    say(&json, blanks[draw(6)]);
}

/* Puts what is on top into the memo, or not; or pushes something and takes it away again. */
static void fuss(void) {
    switch (draw(8)) {
    case 0:
        if (n_puts < 256) op('q'), little(n_puts++, 1);
        break;
    case 1: op('r'), little(n_puts++, 4); break;
    case 2: op(0x94), n_puts++; break;
    case 3: op('N'), op('0'); break;
    case 4: op(0x95), little(draw(1000), 8); break;
    default: break;
    }
}

static void write_integer(void) {
    static const int64_t ends[] = {0,         1,          127,       128,      255,
                                   256,       65535,      65536,     8388607,  8388608,
                                   INT32_MAX, 2147483648, INT64_MAX, INT64_MIN};
    char digits[32];
    int64_t v = draw(2) ? ends[draw(14)] : (int64_t)((uint64_t)draw(1u << 31) << draw(32));
    if (draw(2) && v != INT64_MIN) v = -v;
    snprintf(digits, sizeof digits, "%lld", (long long)v);
    say(&json, digits);
    say(&plain, digits);
    int least = 8;
    while (least > 1 && v >> (8 * (least - 1) - 1) == (v < 0 ? -1 : 0)) least--;
    const uint32_t how = draw(4);
    if (how == 0 && v >= 0 && v < 256) {
        op('K'), little((uint64_t)v, 1);
    } else if (how <= 1 && v >= 0 && v < 65536) {
        op('M'), little((uint64_t)v, 2);
    } else if (how <= 2 && v >= INT32_MIN && v <= INT32_MAX) {
        op('J'), little((uint64_t)v, 4);
    } else {
        const int n = v == 0 && draw(2) ? 0 : least + (int)draw((uint32_t)(9 - least));
        op(0x8a), op((unsigned char)n), little((uint64_t)v, n);
    }
}

static void write_real(void) {
    char digits[40];
    const double v = ((double)draw(1u << 30) - (1 << 29)) / 1024 * (draw(2) ? 1e-9 : 1e12);
    snprintf(digits, sizeof digits, "%.17e", v);
    say(&json, digits);
    snprintf(digits, sizeof digits, "%.17g", v);
    say(&plain, digits);
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    op('G');
    for (int i = 7; i >= 0; i--) op((unsigned char)(bits >> 8 * i));
}

/* One character: its bytes for the pickle, an escape or itself for JSON, digits for the eye. */
static size_t write_character(char out[4]) {
    static const char special[] = "\b\f\n\r\t\"\\/", escape[] = "bfnrt\"\\/";
    char sign[8];
    size_t n = 1;
    const uint32_t kind = draw(6);
    uint32_t c = kind == 0   ? 0x80 + draw(0x780)
                 : kind == 1 ? 0x800 + draw(0xd000 - 0x800)
                             : 0x20 + draw(0x5f);
    if (kind == 2) {
        const uint32_t s = draw(8);
        snprintf(sign, sizeof sign, "\\%c", escape[s]);
        say(&json, sign);
        out[0] = special[s];
        return 1;
    }
    if (c < 0x80) {
        out[0] = (char)c;
    } else if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 0x3f)), n = 2;
    } else {
        out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f)), n = 3;
    }
    if (draw(3) == 0 || c == '"' || c == '\\') {
        snprintf(sign, sizeof sign, draw(2) ? "\\u%04x" : "\\u%04X", c);
        say(&json, sign);
    } else {
        put(&json, out, n);
    }
    return n;
}

static void write_text(void) {
    char bytes[1200];
    size_t n = 0;
    if (again >= 0 && draw(4) == 0) {
        say(&json, "\"again\""), say(&plain, "<616761696e>");
        op(again < 256 && draw(2) ? 'h' : 'j');
        little((uint64_t)again, pickle.bytes[pickle.n - 1] == 'h' ? 1 : 4);
        return;
    }
    const bool known = again < 0 && draw(4) == 0;
    const uint32_t length = known ? 0 : draw(20) == 0 ? 250 + draw(20) : draw(12);
    say(&json, "\"");
    if (known) {
        memcpy(bytes, "again", n = 5);
        say(&json, "again");
    }
    for (uint32_t i = 0; i < length; i++) n += write_character(bytes + n);
    say(&json, "\"");
    say(&plain, "<");
    for (size_t i = 0; i < n; i++) {
        char two[4];
        snprintf(two, sizeof two, "%02x", (unsigned char)bytes[i]);
        say(&plain, two);
    }
    say(&plain, ">");
    static const char shorts[] = "\x8c"
                                 "CU",
                      mediums[] = "XBT", longs[] = "\x8d\x8e";
    const uint32_t how = n < 256 ? draw(3) : 1 + draw(2);
    op((unsigned char)(how == 0 ? shorts[draw(3)] : how == 1 ? mediums[draw(3)] : longs[draw(2)]));
    little(n, how == 0 ? 1 : how == 1 ? 4 : 8);
    put(&pickle, bytes, n);
    if (known) {
        again = (int32_t)n_puts;
        op(0x94), n_puts++;
    }
}

static void write_value(int depth);

/* Items one by one, or many behind a mark; the pieces of both come in any order. */
static void write_list(int depth, bool dict) {
    const uint32_t n = draw(5), as_tuple = dict ? 0 : draw(3);
    const uint32_t marked = draw(2);
    say(&json, dict ? "{" : "["), say(&plain, dict ? "{" : "[");
    if (as_tuple == 0) op(dict ? '}' : ']');
    if (as_tuple == 0 && draw(3) == 0) fuss();
    if (as_tuple == 1 || (as_tuple == 0 && marked) || (as_tuple == 2 && n > 3)) op('(');
    for (uint32_t i = 0; i < n; i++) {
        blank();
        if (i > 0) say(&json, ","), say(&plain, ",");
        blank();
        if (dict) {
            write_text();
            blank(), say(&json, ":"), blank();
            say(&plain, ":");
        }
        write_value(depth + 1);
        if (as_tuple == 0 && !marked) op(dict ? 's' : 'a');
        if (as_tuple == 0 && marked && i + 2 == n) op(dict ? 'u' : 'e'), op('(');
    }
    blank();
    say(&json, dict ? "}" : "]"), say(&plain, dict ? "}" : "]");
    if (as_tuple == 0 && marked) op(dict ? 'u' : 'e');
    if (as_tuple == 1 || (as_tuple == 2 && n > 3)) op('t');
    if (as_tuple == 2 && n <= 3) op(n == 0 ? ')' : (unsigned char)(0x84 + n));
}

static void write_value(int depth) {
    const bool tagged = tags && draw(12) == 0; /* restore_type_tag(value, "x") is the value */
    if (tagged) say(&pickle, "ctorch.jit._pickle\nrestore_type_tag\n");
    const uint32_t kind = depth == 0 ? 5 + draw(2) : draw(depth < DEEPEST ? 7 : 5);
    switch (kind) {
    case 0: say(&json, "null"), say(&plain, "null"), op('N'); break;
    case 1: say(&json, "true"), say(&plain, "true"), op(0x88); break;
    case 2: say(&json, "false"), say(&plain, "false"), op(0x89); break;
    case 3: draw(2) ? write_real() : write_integer(); break;
    case 4: write_text(); break;
    default: write_list(depth, kind == 6);
    }
    fuss();
    if (tagged) say(&pickle, "X\1"), little(0, 3), say(&pickle, "x\x86R");
}

static void make(uint64_t seed) {
    state = seed * 0x9e3779b97f4a7c15;
    draw(2), draw(2);
    plain.n = json.n = pickle.n = 0;
    n_puts = 0;
    again = -1;
    op(0x80), op((unsigned char)draw(6));
    blank();
    write_value(0);
    blank();
    op('.');
}

/* ------------------------------------------------------------------ what was read */

Test(data_tree, what_was_written_is_read) {
    static text shown;
    tags = true;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        make(seed);
        for (int as_json = 0; as_json < 2; as_json++) {
            const text *t = as_json ? &json : &pickle;
            cr_assert_eq(read_as(as_json, t->bytes, t->n), RS_OK, "%d %d: %s", (int)seed, as_json,
                         error.text);
            cr_assert(!cut, "%d %d: %.*s", (int)seed, as_json, (int)t->n, t->bytes);
            shown.n = 0;
            show(&shown, &top, 0);
            cr_assert(shown.n == plain.n && memcmp(shown.bytes, plain.bytes, plain.n) == 0,
                      "%d %d:\n%.*s\n%.*s", (int)seed, as_json, (int)plain.n, plain.bytes,
                      (int)shown.n, shown.bytes);
        }
    }
}

/* Wherever it ends, it is read as what is there, or it is empty; a byte less is cut. */
Test(data_tree, each_beginning_is_cut) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        make(seed);
        while (strchr(" \t\r\n", json.bytes[json.n - 1]) != NULL) json.n--;
        for (int as_json = 0; as_json < 2; as_json++) {
            const text *t = as_json ? &json : &pickle;
            for (size_t n = 0; n < t->n; n++) {
                const rs_status status = read_as(as_json, t->bytes, n);
                cr_assert(cut && (status == RS_OK || status == RS_BAD_INPUT),
                          "%d %d: %d of %d: %d, %s, %.*s", (int)seed, as_json, (int)n, (int)t->n,
                          cut, error.text, (int)n, t->bytes);
                if (status == RS_BAD_INPUT)
                    cr_assert_str_eq(error.text, "it ends before anything is in it");
            }
        }
    }
}

/* ------------------------------------------------------------------ what is refused */

/* Of 256 opcodes those that are known go on or want more; each other is refused, by its name where it has one. */
Test(data_tree, opcodes_that_do_something_are_refused_by_name) {
    static const char *const names[256] = {['b'] = "BUILD",
                                           ['i'] = "INST",
                                           ['o'] = "OBJ",
                                           [0x81] = "NEWOBJ",
                                           [0x92] = "NEWOBJ_EX",
                                           ['P'] = "PERSID",
                                           ['Q'] = "BINPERSID",
                                           [0x93] = "STACK_GLOBAL",
                                           [0x82] = "EXT1",
                                           [0x83] = "EXT2",
                                           [0x84] = "EXT4",
                                           [0x97] = "NEXT_BUFFER",
                                           [0x98] = "READONLY_BUFFER",
                                           [0x8f] = "EMPTY_SET",
                                           [0x8b] = "LONG4",
                                           [0x91] = "FROZENSET",
                                           [0x90] = "ADDITEMS",
                                           ['I'] = "INT",
                                           ['V'] = "UNICODE",
                                           ['S'] = "STRING",
                                           ['L'] = "LONG",
                                           ['F'] = "FLOAT",
                                           ['p'] = "PUT",
                                           ['g'] = "GET"};
    static const char known[] = "hqKMN\x88\x89])}(uesa\x85\x86\x87t\x94"
                                "0cR.J\x8aGXBT\x8d\x8e\x8c"
                                "CUrj\x80\x95";
    for (int code = 1; code < 256; code++) {
        const char bytes[] = {'\x80', 2, 'N', (char)code};
        char says[80];
        const rs_status status = read_as(false, bytes, sizeof bytes);
        if (strchr(known, code) != NULL) {
            cr_assert(status == RS_OK || strstr(error.text, "opcode") == NULL, "%d", code);
            continue;
        }
        snprintf(says, sizeof says, "byte 3: 0x%02x: no opcode of a flight recorder", code);
        if (names[code] != NULL) {
            snprintf(says, sizeof says, "byte 3: %s: an opcode that no flight recorder writes",
                     names[code]);
        }
        cr_assert_eq(status, RS_BAD_INPUT);
        cr_assert_str_eq(error.text, says);
    }
}

Test(data_tree, refuses_at_the_byte_where_it_is_wrong) {
    static const struct {
        const char *bytes;
        size_t n;
        const char *says;
    } cases[] = {
#define CASE(bytes, says) {bytes, sizeof bytes - 1, says}
        CASE("\x80\6", "byte 2: a protocol above 5"),
        CASE("\x80\2cos\nsystem\n", "byte 2: GLOBAL: it names a function, and is not read"),
        CASE("\x80\2ctorch.jit._pickle\nrestore_type_tags",
             "byte 2: GLOBAL: it names a function, and is not read"),
        CASE("\x80\2K\1K\2R", "byte 6: REDUCE: it calls a function, and is not read"),
        CASE("ctorch.jit._pickle\nrestore_type_tag\n)R",
             "byte 37: REDUCE: it calls a function, and is not read"),
        CASE("\x80\2h\0", "byte 4: the memo has no such number"),
        CASE("\x80\2Nq\5h\6", "byte 7: the memo has no such number"),
        CASE("\x80\2Nr\1\x10\0\0", "byte 8: the memo's number runs far ahead of their count"),
        CASE("\x80\2e", "byte 3: a mark is missing: this is no pickle of a flight recorder"),
        CASE("\x80\2]a", "byte 4: the stack is empty: this is no pickle of a flight recorder"),
        CASE("\x80\2(0", "byte 4: the stack is empty: this is no pickle of a flight recorder"),
        CASE("\x80\2NNa", "byte 5: what is filled is no list or dictionary"),
        CASE("\x80\2}NNa", "byte 6: what is filled is no list or dictionary"),
        CASE("\x80\2}(Nu", "byte 6: what is filled is no list or dictionary"),
        CASE("\x80\2K\1\x86", "byte 5: the stack is empty: this is no pickle of a flight recorder"),
        CASE("\x80\2\x8a\11abcdefghi", "byte 4: a number of more than 8 bytes"),
        CASE("{\"a\" 1}", "byte 5: a colon is due"),
        CASE("{\"a\":1 2}", "byte 7: a comma is due"),
        CASE("[1;2]", "byte 2: a comma is due"),
        CASE("[1}", "byte 2: the other bracket is due"),
        CASE("{\"a\":[]]", "byte 7: the other bracket is due"),
        CASE("{a", "byte 1: a key in quotes is due"),
        CASE("{\"a\":1,}", "byte 7: a key in quotes is due"),
        CASE("{]", "byte 1: the other bracket is due"),
        CASE("[nul1]", "byte 1: this is no JSON"),
        CASE("[1.2.3]", "byte 1: this is no JSON"),
        CASE("[1,]", "byte 3: this is no JSON"),
        CASE("[-]", "byte 1: this is no JSON"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool as_json = cases[i].bytes[0] == '{' || cases[i].bytes[0] == '[';
        cr_expect_eq(read_as(as_json, cases[i].bytes, cases[i].n), RS_BAD_INPUT, "%d", (int)i);
        cr_expect_str_eq(error.text, cases[i].says, "%d", (int)i);
    }
    /* The memo may run so far ahead. */
    cr_expect_eq(read_as(false, "\x80\2Nr\0\x10\0\0j\0\x10\0\0.", 14), RS_OK);
    cr_expect_eq(top.kind, RN_DATUM_NONE);
}

/* 256 levels of JSON are read, one more is refused; a pickle has no such end. */
Test(data_tree, depth_has_an_end_in_json_alone) {
    char bytes[600];
    memset(bytes, '[', 300);
    memset(bytes + 256, ']', 256);
    cr_assert(read_as(true, bytes, 512) == RS_OK && !cut);
    memset(bytes, '[', 300);
    cr_assert_eq(read_as(true, bytes, 300), RS_BAD_INPUT);
    cr_assert_str_eq(error.text, "byte 256: it is nested too deeply");
    memset(bytes, ']', 600);
    cr_assert_eq(read_as(false, bytes, 600), RS_OK);
}

/* NaN and its like are numbers that Python writes: nothing is known of them. */
Test(data_tree, names_and_numbers_of_json) {
    static const char line[] = "[NaN, Infinity, -Infinity, -7, 1e3, -0.5E-1, \"\\q\\u00e\"]";
    cr_assert_eq(read_as(true, line, sizeof line - 1), RS_OK, "%s", error.text);
    static text shown;
    shown.n = 0;
    show(&shown, &top, 0);
    shown.bytes[shown.n] = '\0';
    /* An escape that is none, or too short, is its letters. */
    cr_assert_str_eq(shown.bytes, "[null,null,null,-7,1000,-0.050000000000000003,<7175303065>]");
}

/* Equal texts have one number, others another, however many there are; all stay what they are. */
Test(data_tree, texts_are_told_apart) {
    enum { N = 3000 };
    heap = (rs_heap){.arena = &arena};
    cr_assert(rs_texts_begin(&words, &heap, NULL, 0));
    for (int round = 0; round < 2; round++) {
        for (int i = 1; i < N; i++) {
            char name[64];
            const int n = snprintf(name, sizeof name, "%*s%d", i % 23, "", i);
            cr_assert_eq(rs_text_kept(&words, name, (size_t)n), i);
            cr_assert(words.list[i].n_bytes == (uint32_t)n &&
                      memcmp(words.list[i].text, name, (size_t)n + 1) == 0);
        }
        cr_assert_eq(words.n, N);
    }
    cr_assert_eq(rs_text_kept(&words, "", 0), 0);
}

/* Memory that ends at any block is said, and nothing else goes wrong. */
Test(data_tree, memory_that_ends_is_said) {
    static char large[1 << 20];
    size_t n = 0;
    large[n++] = '[';
    while (n < sizeof large - 64) {
        n += (size_t)snprintf(large + n, 40, "\"a\\u00e4%d\",[%d],", (int)n, (int)n);
    }
    large[n - 1] = ']';
    bool refused = false, read = false;
    for (size_t limit = 300000; limit < 24000000; limit = limit * 5 / 4) {
        rs_arena small;
        rs_arena_init(&small, NULL);
        small.limit_bytes = limit;
        rs_heap pieces = {.arena = &small};
        rs_texts texts;
        if (!rs_texts_begin(&texts, &pieces, NULL, 0)) {
            rs_arena_free(&small);
            continue;
        }
        const rs_status status = rn_read_json(large, n, &texts, &error, &top, &cut);
        cr_assert(status == RS_OK || status == RS_NO_MEMORY);
        if (status == RS_NO_MEMORY) {
            cr_assert_not_null(strstr(error.text, ": no memory for what it holds"));
        }
        refused = refused || status == RS_NO_MEMORY;
        read = read || status == RS_OK;
        cr_assert(!read || status == RS_OK, "more memory, and refused");
        rs_arena_free(&small);
    }
    cr_assert(refused && read);
}
