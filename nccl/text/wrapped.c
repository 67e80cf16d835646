/* wrapped.c: lines that a terminal's edge has cut: all as long as the terminal is wide, each followed by one that begins nothing.
 *
 *     [rank2]:[E513 13:25:57.714782179 ProcessGroupNCCL.cpp:616] [Rank 2] Watchdog caught ... NumelIn=5164000, NumelOut=51
 *     64000, Timeout(ms)=1800000) ran for 1800042 milliseconds before timing out.
 */
#include "text_private.h"

#include <string.h>

enum { NARROWEST = 40, WIDEST = 400 };

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

static bool is_number(const char *at, const char *end) {
    if (at == end) return false;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') return false;
    }
    return true;
}

/* Cuts the next word off; false: there is none. */
static bool take_word(const char **at, const char *end, const char **word, const char **behind) {
    while (*at < end && (**at == ' ' || **at == '\t')) ++*at;
    *word = *at;
    while (*at < end && **at != ' ' && **at != '\t' && **at != '\r') ++*at;
    *behind = *at;
    return *behind > *word;
}

/* size, count and type: a row of nccl-tests; GPU0: one of a matrix. */
static bool begins_row(const char *line, const char *end) {
    const char *at = line, *word, *behind;
    if (!take_word(&at, end, &word, &behind)) return true; /* an empty line goes on with nothing */
    if (behind - word > 3 && (memcmp(word, "GPU", 3) == 0 || memcmp(word, "NIC", 3) == 0) &&
        is_number(word + 3, behind)) {
        return true;
    }
    if (!is_number(word, behind)) return false;
    if (!take_word(&at, end, &word, &behind) || !is_number(word, behind)) return false;
    return take_word(&at, end, &word, &behind) && (*word | 32) >= 'a' && (*word | 32) <= 'z';
}

/* host:pid:thread [gpu]: two numbers behind colons. */
static bool begins_nccl(const char *line, const char *end) {
    const char *at = line, *word, *behind;
    if (!take_word(&at, end, &word, &behind)) return false;
    int n = 0;
    for (const char *c = word; c < behind; c++)
        n += *c == ':' && c + 1 < behind && c[1] >= '0' && c[1] <= '9';
    return n >= 2 && at + 1 < end && at[1] == '[';
}

/* Have two lines the same first word, with a letter or a bracket? */
static bool is_same_word(const char *a, size_t n_a, const char *b, size_t n_b) {
    bool letter = false;
    for (size_t i = 0; i < n_a && i < n_b && a[i] == b[i]; i++) {
        if (a[i] == ' ' || (unsigned char)a[i] == 0xc2) return letter && i > 1;
        letter = letter || a[i] == '[' || ((a[i] | 32) >= 'a' && (a[i] | 32) <= 'z');
    }
    return false;
}

bool rn_begins(const char *line, size_t n_bytes, const char *before, size_t n_before) {
    static const char *const begin[] = {"#",    "[rank",        "[E", "[W", "[I",
                                        "[PG ", "[Rank ",       "<",  "{",  "Traceback",
                                        "==",   "NCCL version", "\"", "'"};
    if (before != NULL && is_same_word(line, n_bytes, before, n_before)) return true;
    char head[256];
    size_t n = n_bytes < sizeof head ? n_bytes : sizeof head;
    memcpy(head, line, n);
    n = rn_drop_unseen(head, rn_drop_marks(head, n));
    if (rn_prefix_bytes(head, n) > 0) return true;
    const char *row = head + rn_host_bytes(head, n), *at = row, *end = head + n;
    while (at < end && *at == ' ') at++;
    const char *number = at + (at < end && *at == '['); /* "[1] Caught" */
    while (number > at && number < end && *number >= '0' && *number <= '9') number++;
    if (number > at + 1 && end - number > 7 && memcmp(number, "] Caught", 8) == 0) return true;
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
        const size_t length = strlen(begin[i]);
        if ((size_t)(end - at) >= length && memcmp(at, begin[i], length) == 0) return true;
    }
    return begins_row(row, end) || begins_nccl(row, end);
}

bool rn_breaks_off(const char *line, size_t n_bytes) {
    static const char open[] = "CCL(SeqNum=";
    const char *end = line + n_bytes;
    const char *last = NULL;
    for (const char *at = line; (at = rn_find_bytes(at, end, open)) != NULL; at++) last = at;
    return last != NULL &&
           memchr(last + sizeof open - 1, ')', (size_t)(end - last) - (sizeof open - 1)) == NULL;
}

int32_t rn_wrap_column(const char *text, size_t n_bytes) {
    int64_t n_full[WIDEST + 1] = {0}, n_on[WIDEST + 1] = {
                                          0}; /* lines so wide; of them such as the next goes on */
    int32_t widest = 0, before = 0;
    const char *last = NULL;
    size_t n_last = 0;
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_next_line(&l);) {
        bool blank;
        const int32_t columns = rn_columns(l.line, l.n, &blank);
        if (columns > WIDEST) return 0;
        if (before > 0 && l.n > 0) n_on[before] += !rn_begins(l.line, l.n, last, n_last);
        if (columns > widest) widest = columns;
        n_full[columns]++;
        before = columns;
        last = l.line;
        n_last = l.n;
    }
    return widest >= NARROWEST && n_full[widest] >= 2 && n_on[widest] * 3 >= n_full[widest] * 2
               ? widest
               : 0;
}
