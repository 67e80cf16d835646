/* wrapped.c: lines that a terminal's edge has cut: all as long as the terminal is wide, each followed by one that begins nothing;
 * or, where words are kept whole, each so long that the first word of the next had no room.
 *
 *     [rank2]:[E513 13:25:57.714782179 ProcessGroupNCCL.cpp:616] [Rank 2] Watchdog caught ... NumelIn=5164000, NumelOut=51
 *     64000, Timeout(ms)=1800000) ran for 1800042 milliseconds before timing out.
 */
#include "text_private.h"

#include <string.h>

enum { WIDEST = 400, NARROWEST_OF_WORDS = 56 };

int32_t rn_columns(const char *line, size_t n_bytes, int32_t *blanks) {
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
    *blanks = n - filled;
    return filled;
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

/* Ends a line within the head of torch's, "[rank1]:[E626 06:24:44.159 ProcessGroupNCCL.cpp:616]"? */
static bool ends_in_head(const char *line, size_t n_bytes) {
    while (n_bytes > 0 && line[n_bytes - 1] == ' ') n_bytes--;
    const char *end = line + n_bytes, *from = n_bytes > 12 ? end - 12 : line;
    const char *file = rn_find_bytes(from, end, ".cpp:");
    return file != NULL && end[-1] == ']';
}

bool rn_begins(const char *line, size_t n_bytes, const char *before, size_t n_before) {
    static const char *const others[] = {"GPU9+", "NIC9+", "\"", "'"};
    if (before != NULL && ends_in_head(before, n_before)) return false;
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

rn_broken rn_breaks_off(const char *text, size_t n_bytes, const char *line, size_t n_line) {
    static const char *const sentences[][2] = {{"CCL(SeqNum=", ")"},
                                               {"atchdog caught", "before timing"},
                                               {"detected by watchdog at work", "last completed"},
                                               {"(either an error or timeout)", "last completed"},
                                               {"Timeout at NCCL work", "last completed"}};
    static const char *const more[] = {
        "CCL(SeqNum=", "Numel",       "Timeout(", "milliseconds", "timing out",
        "CCL work:",   "by watchdog", "work: ",   "last "};
    const char *end = text + n_bytes;
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        const char *begun = rn_find_bytes(text, end, sentences[i][0]);
        if (begun == NULL || rn_find_bytes(begun, end, sentences[i][1]) != NULL) continue;
        for (size_t k = 0; k < sizeof more / sizeof *more; k++)
            if (rn_find_bytes(line, line + n_line, more[k]) != NULL)
                return i == 0 ? RN_BROKEN_ANYWHERE : RN_BROKEN_AT_BLANK;
    }
    return RN_WHOLE;
}

bool rn_has_room(int32_t column, int32_t columns, const char *line, size_t n_bytes) {
    enum { LONGEST_WORD = 40 }; /* what has no blank for so long is no text */
    const char *end = line + n_bytes, *word = line + rn_match("_", line, end), *at = word;
    while (at < end && *at != ' ' && *at != '\t') at++;
    return columns > column || 2 * columns < column || columns + 1 + (at - word) <= column ||
           at - word > LONGEST_WORD;
}

bool rn_is_message(const char *line, size_t n_bytes, bool was) {
    const char *end = line + n_bytes;
    return n_bytes > 0 &&
           (was || rn_begins(line, n_bytes, NULL, 0) || rn_find_bytes(line, end, "[rank") != NULL ||
            rn_find_bytes(line, end, " NCCL WARN ") != NULL);
}

static rn_wrap find_wrap(const char *text, size_t n_bytes, bool quoted) {
    int64_t n_full[WIDEST + 1] = {0}, n_on[WIDEST + 1] = {0}; /* so wide; and the next goes on */
    int64_t n_kept[WIDEST + 1] = {0}, n_broken = 0; /* if so wide it is, words are kept whole */
    int32_t widest = 0, before = 0, filled = 0, blanks;
    rn_wrap found = {.quoted = quoted};
    bool message = false;
    size_t last_margin = 0;
    rn_lines last = {.line = NULL};
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_next_line(&l);) {
        const size_t quote = quoted ? rn_quote_bytes(l.line, l.n) : 0;
        if (quoted && quote == 0) {
            before = 0;
            message = false;
            continue;
        }
        l.line += quote;
        l.n -= quote;
        const bool goes_on = l.n > 0 && !rn_begins(l.line, l.n, last.line, last.n);
        const size_t margin = rn_match("_", l.line, l.line + l.n);
        if (goes_on && before > 0 && margin <= last_margin + 1)
            n_on[before <= WIDEST ? before : 0]++;
        if (goes_on && message) n_broken += filled >= NARROWEST_OF_WORDS / 2;
        for (int32_t c = filled; goes_on && message && c <= WIDEST; c++)
            n_kept[c] += !rn_has_room(c, filled, l.line, l.n);
        message = rn_is_message(l.line, l.n, message);
        filled = rn_columns(l.line, l.n, &blanks);
        before = filled + (blanks == 1); /* one at the edge parts words; more are a margin */
        if (before > widest) widest = before;
        n_full[before <= WIDEST ? before : 0]++;
        last = l;
        last_margin = margin;
    }
    int64_t full = 0, on = 0, n_wider = n_full[0];
    for (int32_t c = WIDEST; c >= NARROWEST_OF_WORDS; n_wider += n_full[c--]) {
        const bool wraps = n_kept[c] >= 3 && n_kept[c] * 3 >= n_broken * 2 && n_wider < n_kept[c];
        if (wraps && n_kept[c] >= n_kept[found.column]) found.column = c;
    }
    for (int32_t lost = 0; lost < 2 && widest >= RN_NARROWEST && widest <= WIDEST; lost++) {
        full += n_full[widest - lost]; /* a blank at the edge */
        on += n_on[widest - lost];
        if (full < 2 || on * 3 < full * 2 || n_kept[found.column] > on + on / 16) continue;
        return (rn_wrap){.column = widest, .quoted = quoted};
    }
    found.words = true;
    return found;
}

rn_wrap rn_find_wrap(const char *text, size_t n_bytes) {
    const rn_wrap quoted = find_wrap(text, n_bytes, true); /* it was cut first, and then quoted */
    return quoted.column > 0 ? quoted : find_wrap(text, n_bytes, false);
}
