/* dump_values.c: opcodes of pickles, and their like in JSON. See dump_values.h. */
#include "hangs/dump_values.h"

#include <stdio.h>
#include <string.h>

enum { BATCH = 1000 };

static void op(rn_dump_writer *w, unsigned char code) {
    rs_printer_put_bytes(&w->out, (const char *)&code, 1);
}

static void little(rn_dump_writer *w, uint64_t value, int n) {
    char bytes[8];
    for (int i = 0; i < n; i++) bytes[i] = (char)(value >> (8 * i));
    rs_printer_put_bytes(&w->out, bytes, (size_t)n);
}

static bool is_json(const rn_dump_writer *w) {
    return w->style == RN_DUMP_JSON;
}

static bool is_python(const rn_dump_writer *w) {
    return w->style >= RN_DUMP_PYTHON;
}

static uint32_t remember(rn_dump_writer *w) {
    if (w->style >= 4) {
        op(w, 0x94);
    } else if (w->n_memo < 256) {
        op(w, 'q');
        little(w, w->n_memo, 1);
    } else {
        op(w, 'r');
        little(w, w->n_memo, 4);
    }
    return w->n_memo++;
}

static void recall(rn_dump_writer *w, uint32_t number) {
    op(w, number < 256 ? 'h' : 'j');
    little(w, number, number < 256 ? 1 : 4);
}

/* ------------------------------------------------------------------ lists */

/* Before an item, or a key. */
static void item(rn_dump_writer *w) {
    if (w->depth == 0) return;
    const int d = w->depth - 1;
    const int64_t k = w->open[d].written++, n = w->open[d].n;
    if (is_json(w)) {
        if (k > 0) rs_printer_put(&w->out, w->open[d].dict && k % 2 == 1 ? ": " : ", ");
        return;
    }
    const int64_t items = w->open[d].dict ? n / 2 : n, at = w->open[d].dict ? k / 2 : k;
    if (!is_python(w) || (w->open[d].dict && k % 2 == 1) || at % BATCH != 0) return;
    if (at > 0) op(w, w->open[d].dict ? 'u' : 'e');
    if (items - at > 1) op(w, '(');
}

void rn_dump_begin(rn_dump_writer *w, bool dict, int64_t n) {
    item(w);
    w->open[w->depth].dict = dict;
    w->open[w->depth].n = dict ? 2 * n : n;
    w->open[w->depth++].written = 0;
    if (is_json(w)) {
        op(w, dict ? '{' : '[');
        return;
    }
    op(w, dict ? '}' : ']');
    if (is_python(w)) {
        remember(w);
    } else {
        op(w, '(');
    }
}

void rn_dump_end(rn_dump_writer *w) {
    const int d = --w->depth;
    const bool dict = w->open[d].dict;
    const int64_t n = dict ? w->open[d].n / 2 : w->open[d].n;
    if (is_json(w)) {
        op(w, dict ? '}' : ']');
    } else if (!is_python(w) || n % BATCH > 1 || (n > 0 && n % BATCH == 0)) {
        op(w, dict ? 'u' : 'e');
    } else if (n % BATCH == 1) {
        op(w, dict ? 's' : 'a');
    }
}

/* ------------------------------------------------------------------ values */

/* Returns the text's number among texts; whether it has been written, w->numbers tells. */
static uint32_t number_text(rn_dump_writer *w, const char *text, size_t n) {
    if (w->failed) return 0; /* perhaps not even begun */
    const int64_t number = rs_text_kept(&w->texts, text, n);
    w->failed = number == RS_NO_TEXT;
    if (w->failed) return 0;
    w->failed = !rs_reserve(w->texts.heap->arena, &w->numbers, number + 1, &w->n_numbers);
    return w->failed ? 0 : (uint32_t)number;
}

void rn_dump_text(rn_dump_writer *w, const char *text) {
    const size_t n = strlen(text);
    item(w);
    if (is_json(w)) {
        op(w, '"');
        rs_printer_put_bytes(&w->out, text, n);
        op(w, '"');
        return;
    }
    const uint32_t number = number_text(w, text, n);
    if (w->failed) return;
    if (w->numbers[number] != 0) {
        recall(w, w->numbers[number] - 1);
        return;
    }
    if (w->style >= 4 && n < 256) {
        op(w, 0x8c);
        little(w, n, 1);
    } else {
        op(w, 'X');
        little(w, n, 4);
    }
    rs_printer_put_bytes(&w->out, text, n);
    w->numbers[number] = remember(w) + 1;
}

void rn_dump_integer(rn_dump_writer *w, int64_t value) {
    char digits[24];
    item(w);
    if (is_json(w)) {
        snprintf(digits, sizeof digits, "%lld", (long long)value);
        rs_printer_put(&w->out, digits);
    } else if (value >= 0 && value < 256) {
        op(w, 'K');
        little(w, (uint64_t)value, 1);
    } else if (value >= 0 && value < 65536) {
        op(w, 'M');
        little(w, (uint64_t)value, 2);
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
        op(w, 'J');
        little(w, (uint64_t)value, 4);
    } else {
        op(w, 0x8a); /* Python writes as few bytes as hold it, and its sign */
        int n = 8;
        while (is_python(w) && n > 1 && value >> (8 * (n - 1) - 1) == (value < 0 ? -1 : 0)) n--;
        little(w, (uint64_t)n, 1);
        little(w, (uint64_t)value, n);
    }
}

void rn_dump_real(rn_dump_writer *w, double value) {
    uint64_t bits;
    char digits[40];
    item(w);
    if (is_json(w)) {
        snprintf(digits, sizeof digits, "%.6f", value);
        rs_printer_put(&w->out, digits);
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    op(w, 'G'); /* the one number that begins with its highest byte */
    for (int i = 7; i >= 0; i--) little(w, bits >> (8 * i), 1);
}

void rn_dump_bool(rn_dump_writer *w, bool value) {
    item(w);
    if (is_json(w)) {
        rs_printer_put(&w->out, value ? "true" : "false");
    } else {
        op(w, value ? 0x88 : 0x89);
    }
}

void rn_dump_none(rn_dump_writer *w) {
    item(w);
    if (is_json(w)) {
        rs_printer_put(&w->out, "null");
    } else {
        op(w, 'N');
    }
}

void rn_dump_pair(rn_dump_writer *w, const char *a, const char *b) {
    if (is_json(w)) {
        rn_dump_begin(w, false, 2);
        rn_dump_text(w, a);
        rn_dump_text(w, b);
        rn_dump_end(w);
        return;
    }
    item(w);
    const int depth = w->depth;
    w->depth = 0; /* items of a tuple come without marks */
    rn_dump_text(w, a);
    rn_dump_text(w, b);
    op(w, 0x86);
    if (is_python(w)) remember(w);
    w->depth = depth;
}

void rn_dump_code_line(rn_dump_writer *w, const char *name, const char *file, int32_t line) {
    const uint32_t number = is_json(w) ? 0 : number_text(w, file, strlen(file));
    for (int32_t i = w->n_lines - 1; i >= 0; i--) {
        if (w->lines[i].line != line || w->lines[i].file != number) continue;
        item(w);
        recall(w, w->lines[i].number);
        return;
    }
    const uint32_t memo = w->n_memo;
    rn_dump_begin(w, true, 3);
    rn_dump_text(w, "name");
    rn_dump_text(w, name);
    rn_dump_text(w, "filename");
    rn_dump_text(w, file);
    rn_dump_text(w, "line");
    rn_dump_integer(w, line);
    rn_dump_end(w);
    if (is_json(w) || w->n_lines == RN_DUMP_FRAMES) return;
    const uint32_t own = is_python(w) ? memo : remember(w);
    w->lines[w->n_lines++] = (rn_dump_line){.file = number, .number = own, .line = line};
}

/* ------------------------------------------------------------------ the whole */

void rn_dump_open(rn_dump_writer *w, int style, rs_heap *pieces, rs_write write, void *context) {
    memset(w, 0, sizeof *w);
    w->out.write = write;
    w->out.context = context;
    w->style = style;
    w->failed = !rs_texts_begin(&w->texts, pieces, NULL, 0);
    if (is_json(w)) return;
    op(w, 0x80);
    op(w, (unsigned char)(is_python(w) ? style : 2));
    if (style >= 4) rs_printer_put_bytes(&w->out, "\x95\0\0\0\0\0\0\0\0", 9);
}

bool rn_dump_close(rn_dump_writer *w) {
    if (!is_json(w)) op(w, '.');
    rs_printer_flush(&w->out);
    return !w->failed;
}
