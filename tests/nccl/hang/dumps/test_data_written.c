/* test_data_written.c: data as made jobs' dumps have it: to the byte as torch and Python do, and read again as what it is.
 */
#include "nccl/hang/dumps/read_data.h"

TestSuite(data_written, .init = start, .fini = stop);

static void keep_bytes(void *context, const char *bytes, size_t n) {
    put(context, bytes, n);
}

/* {"a": [1], "b": [None, True], "c": {}, "d": {"a": "b"}, "e": ("a", "b")}: to the byte what each of them makes of it. */
Test(data_written, plain_data_is_written_as_torch_and_python_do) {
#define AS_PYTHON                                                                                  \
    "}q\0(X\1\0\0\0aq\1]q\2K\1aX\1\0\0\0bq\3]q\4(N\x88"                                            \
    "eX\1\0\0\0cq\5}q\6X\1\0\0\0dq\7}q\x08h\1h\3sX\1\0\0\0eq\x09h\1h\3\x86q\x0au."
#define IN_A_FRAME                                                                                 \
    "\x95\x33\0\0\0\0\0\0\0}\x94(\x8c\1a\x94]\x94K\1a\x8c\1b\x94]\x94(N\x88"                       \
    "e\x8c\1c\x94}\x94\x8c\1d\x94}\x94h\1h\3s\x8c\1e\x94h\1h\3\x86\x94u."
#define MADE(bytes)                                                                                \
    { bytes, sizeof bytes - 1 }
    static const struct {
        const char *bytes;
        size_t n;
    } made[] = {
        [RN_DUMP_TORCH] = MADE("\x80\2}(X\1\0\0\0aq\0](K\1eX\1\0\0\0bq\1](N\x88"
                               "eX\1\0\0\0cq\2}(uX\1\0\0\0dq\3}(h\0h\1uX\1\0\0\0eq\4h\0h\1\x86u."),
        [RN_DUMP_JSON] = MADE(
            "{\"a\": [1], \"b\": [null, true], \"c\": {}, \"d\": {\"a\": \"b\"}, \"e\": [\"a\", \"b\"]}"),
        [RN_DUMP_PYTHON] = MADE("\x80\2" AS_PYTHON),
        [3] = MADE("\x80\3" AS_PYTHON),
        [4] = MADE("\x80\4" IN_A_FRAME),
        [5] = MADE("\x80\5" IN_A_FRAME),
    };
    for (int style = 0; style <= 5; style++) {
        rn_dump_writer *w = rs_alloc(&arena, 1, sizeof *w);
        heap = (rs_heap){.arena = &arena};
        pickle.n = 0;
        rn_dump_open(w, style, &heap, keep_bytes, &pickle);
        rn_dump_begin(w, true, 5);
        rn_dump_text(w, "a"), rn_dump_begin(w, false, 1), rn_dump_integer(w, 1), rn_dump_end(w);
        rn_dump_text(w, "b"), rn_dump_begin(w, false, 2);
        rn_dump_none(w), rn_dump_bool(w, true), rn_dump_end(w);
        rn_dump_text(w, "c"), rn_dump_begin(w, true, 0), rn_dump_end(w);
        rn_dump_text(w, "d"), rn_dump_begin(w, true, 1);
        rn_dump_text(w, "a"), rn_dump_text(w, "b"), rn_dump_end(w);
        rn_dump_text(w, "e"), rn_dump_pair(w, "a", "b");
        rn_dump_end(w);
        cr_assert(rn_dump_close(w));
        if (style >= 4) pickle.bytes[RN_DUMP_FRAME] = (char)(pickle.n - RN_DUMP_FRAME_END);
        cr_expect_eq(pickle.n, made[style].n, "style %d: %d bytes", style, (int)pickle.n);
        for (size_t i = 0; i < pickle.n && i < made[style].n; i++) {
            cr_assert_eq(pickle.bytes[i], made[style].bytes[i], "style %d, byte %d", style, (int)i);
        }
    }
}

static void tell_text(rn_dump_writer *w) {
    char bytes[320], two[4];
    const uint32_t number = draw(400);
    size_t n = (size_t)snprintf(bytes, sizeof bytes, "t%d", (int)number);
    while (number % 50 == 0 && n < 250 + number / 50) bytes[n++] = 'x';
    bytes[n] = '\0';
    rn_dump_text(w, bytes);
    say(&plain, "<");
    for (size_t i = 0; i < n; i++) {
        snprintf(two, sizeof two, "%02x", (unsigned char)bytes[i]);
        say(&plain, two);
    }
    say(&plain, ">");
}

static void tell_integer(rn_dump_writer *w) {
    static const int64_t ends[] = {0,         127,        255,       256,       65535,
                                   65536,     INT32_MAX,  INT32_MIN, INT64_MAX, INT64_MIN,
                                   1LL << 31, -129 * 256, 1LL << 47, -1};
    char digits[32];
    int64_t v = ends[draw(14)];
    if (v < INT64_MAX) v += draw(2);
    rn_dump_integer(w, v);
    snprintf(digits, sizeof digits, "%lld", (long long)v);
    say(&plain, digits);
}

static void tell_value(rn_dump_writer *w, int depth) {
    const uint32_t kind = depth == 0 ? 6 : draw(depth < DEEPEST - 1 ? 8 : 5);
    switch (kind) {
    case 0: rn_dump_none(w), say(&plain, "null"); return;
    case 1: rn_dump_bool(w, true), say(&plain, "true"); return;
    case 2: rn_dump_bool(w, false), say(&plain, "false"); return;
    case 3: tell_integer(w); return;
    case 4: tell_text(w); return;
    case 5: rn_dump_pair(w, "l", "r"), say(&plain, "[<6c>,<72>]"); return;
    default: break;
    }
    const bool dict = kind == 6;
    const uint32_t n = depth == 0 ? 60 + draw(200) : draw(4);
    rn_dump_begin(w, dict, n);
    say(&plain, dict ? "{" : "[");
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) say(&plain, ",");
        if (dict) tell_text(w), say(&plain, ":");
        tell_value(w, depth + 1);
    }
    rn_dump_end(w);
    say(&plain, dict ? "}" : "]");
}

/* In every style; of texts there are more than one byte can number. */
Test(data_written, what_the_writer_writes_is_read) {
    static text shown;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        const int style = (int)(seed % 6);
        rn_dump_writer *w = rs_alloc(&arena, 1, sizeof *w);
        heap = (rs_heap){.arena = &arena};
        state = seed * 0x9e3779b97f4a7c15;
        plain.n = pickle.n = 0;
        rn_dump_open(w, style, &heap, keep_bytes, &pickle);
        tell_value(w, 0);
        cr_assert(rn_dump_close(w));
        cr_assert_eq(read_as(style == RN_DUMP_JSON, pickle.bytes, pickle.n), RS_OK, "%d: %s",
                     (int)seed, error.text);
        shown.n = 0;
        show(&shown, &top, 0);
        cr_assert(!cut && shown.n == plain.n && memcmp(shown.bytes, plain.bytes, plain.n) == 0,
                  "%d, style %d:\n%.*s\n%.*s", (int)seed, style, (int)plain.n, plain.bytes,
                  (int)shown.n, shown.bytes);
    }
}
