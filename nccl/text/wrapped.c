/* wrapped.c: lines that a terminal's edge has cut: all as long as the terminal is wide, each followed by one that begins nothing.
 *
 *     [rank2]:[E513 13:25:57.714782179 ProcessGroupNCCL.cpp:616] [Rank 2] Watchdog caught ... NumelIn=5164000, NumelOut=51
 *     64000, Timeout(ms)=1800000) ran for 1800042 milliseconds before timing out.
 */
#include "text_private.h"

#include <string.h>

enum { WIDEST = 400 };

int32_t rn_columns(const char *line, size_t n_bytes, bool *blank) {
    const char *at = line, *end = line + n_bytes;
    int32_t n = 0, filled = 0;
    while (at < end && n < 2 * WIDEST) {
        if (*at == '\033' && at + 1 < end && at[1] == '[') { /* a terminal does not show it */
            for (at += 2; at < end && (*at < '@' || *at > '~');) at++;
            at += at < end;
            continue;
        }
        const unsigned char c = (unsigned char)*at++;
        if ((c & 0xc0) == 0x80) continue;
        n++;
        if (c != ' ' && c != '\t') filled = n;
    }
    *blank = n > filled;
    return n == filled + 1 ? n : filled; /* one blank at the edge parts words; more are a margin */
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Have two lines the same first word, with a letter or a bracket? One digit is as good as another: "[3]", "[4]"; a margin
   counts for nothing. */
static bool is_same_word(const char *a, size_t n_a, const char *b, size_t n_b) {
    bool letter = false;
    const size_t margin_a = rn_match("_", a, a + n_a), margin_b = rn_match("_", b, b + n_b);
    a += margin_a;
    b += margin_b;
    n_a -= margin_a;
    n_b -= margin_b;
    if (n_a == n_b && memcmp(a, b, n_a) == 0) return true;
    for (size_t i = 0; i < n_a && i < n_b; i++) {
        if (a[i] != b[i] && !(is_digit(a[i]) && is_digit(b[i]))) return false;
        if (a[i] == ' ' || (unsigned char)a[i] == 0xc2) return letter && i > 1;
        letter = letter || a[i] == '[' || ((a[i] | 32) >= 'a' && (a[i] | 32) <= 'z');
    }
    return false;
}

/* Does a line begin with one of the forms, after blanks? */
static bool begins_with(const char *line, const char *end, const char *const forms[], size_t n) {
    const char *at = line + rn_match("_", line, end);
    for (size_t i = 0; i < n; i++) {
        if (rn_match(forms[i], at, end) > 0) return true;
    }
    return at == end; /* an empty line goes on with nothing */
}

bool rn_has_head(const char *line, size_t n_bytes) {
    static const char *const heads[] = {
        "#",           "[rank",      "[E",      "[W",        "[I", "[PG ",
        "[Rank ",      "<",          "{",       "Traceback", "==", "NCCL version 9",
        "[9+]_Caught", "w+:9+:9+_[", "9+_9+_a", /* a row of nccl-tests: size, count and type */
        "GPU9+_GPU9+", "GPU9+_X"};              /* a matrix: its head, its first row */
    return begins_with(line, line + n_bytes, heads, sizeof heads / sizeof *heads);
}

bool rn_begins(const char *line, size_t n_bytes, const char *before, size_t n_before) {
    static const char *const others[] = {"GPU9+", "NIC9+", "\"", "'"};
    if (before != NULL && is_same_word(line, n_bytes, before, n_before)) return true;
    if (n_bytes > 0 && line[0] == '\t') return true; /* no terminal's edge puts it there */
    char head[256];
    size_t n = n_bytes < sizeof head ? n_bytes : sizeof head;
    memcpy(head, line, n);
    n = rn_drop_unseen(head, rn_drop_marks(head, n));
    if (rn_prefix_bytes(head, n) > 0) return true;
    const size_t host = rn_host_bytes(head, n);
    return rn_has_head(head + host, n - host) ||
           begins_with(head + host, head + n, others, sizeof others / sizeof *others);
}

bool rn_breaks_off(const char *line, size_t n_bytes) {
    static const char open[] = "CCL(SeqNum=";
    const char *end = line + n_bytes;
    const char *last = NULL;
    for (const char *at = line; (at = rn_find_bytes(at, end, open)) != NULL; at++) last = at;
    return last != NULL &&
           memchr(last + sizeof open - 1, ')', (size_t)(end - last) - (sizeof open - 1)) == NULL;
}

int32_t rn_wrap_column(const char *text, size_t n_bytes, bool quoted) {
    int64_t n_full[WIDEST + 1] = {0}, n_on[WIDEST + 1] = {0}; /* so wide; and the next goes on */
    int32_t widest = 0, before = 0;
    rn_lines last = {.line = NULL};
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_next_line(&l);) {
        bool blank;
        const size_t quote = quoted ? rn_quote_bytes(l.line, l.n) : 0;
        if (quoted && quote == 0) {
            before = 0;
            continue;
        }
        l.line += quote;
        l.n -= quote;
        const int32_t columns = rn_columns(l.line, l.n, &blank);
        if (columns > WIDEST) return 0;
        if (before > 0 && l.n > 0) n_on[before] += !rn_begins(l.line, l.n, last.line, last.n);
        if (columns > widest) widest = columns;
        n_full[columns]++;
        before = columns;
        last = l;
    }
    int64_t full = 0, on = 0;
    for (int32_t lost = 0; lost < 2 && widest >= RN_NARROWEST; lost++) { /* a blank at the edge */
        full += n_full[widest - lost];
        on += n_on[widest - lost];
        if (full >= 2 && on * 3 >= full * 2) return widest;
    }
    return 0;
}
