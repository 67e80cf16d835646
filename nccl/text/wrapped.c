/* wrapped.c: lines that were broken to a width, whole again: at a terminal's edge, or between words.
 *
 *     [rank2]:[E513 13:25:57.714782179 ProcessGroupNCCL.cpp:616] [Rank 2] Watchdog caught ... NumelIn=5164000, NumelOut=51
 *     64000, Timeout(ms)=1800000) ran for 1800042 milliseconds before timing out.
 *
 *   - A line was broken where the next begins nothing and its first piece had no room: at an edge that piece is a character, so that
 *     all broken lines reach the edge; between words it is a word, and they are of many lengths.
 *   - The width is the one by which the most lines were broken. Where four of five broken lines reach it, it is an edge: words that
 *     happen to end there look the same.
 */
#include "text_private.h"

#include <string.h>

enum { WIDEST = 400, NARROWEST = 48 };

/* Returns how many columns a line takes, up to its last word; *blanks: how many are behind it. */
static int32_t columns_of(const char *line, size_t n_bytes, int32_t *blanks) {
    const char *at = line, *end = line + n_bytes;
    int32_t n = 0, filled = 0;
    while (at < end && filled <= WIDEST) {
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
    return filled <= WIDEST ? filled : WIDEST + 1;
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

static const char *const heads[] = {
    "#",           "[rank",      "[E",      "[W",        "[I", "[PG ",
    "[Rank ",      "<",          "{",       "Traceback", "==", "NCCL version 9",
    "[9+]_Caught", "w+:9+:9+_[", "9+_9+_a",       /* a row of nccl-tests: size, count and type */
    "GPU9+_GPU9+", "GPU9+_X",                     /* a matrix: its head, its first row */
    "GPU9+",       "NIC9+",      "\"",      "'"}; /* and what is none, but begins, too */
enum { N_BEGIN = sizeof heads / sizeof *heads, N_HEADS = N_BEGIN - 4 };

/* Does a line begin with one of so many, after blanks? An empty one goes on with nothing. */
static bool has_one(const char *line, size_t n_bytes, int n) {
    const char *end = line + n_bytes, *at = line + rn_match("_", line, end);
    for (int i = 0; i < n; i++)
        if (rn_match(heads[i], at, end) > 0) return true;
    return at == end;
}

bool rn_has_head(const char *line, size_t n_bytes) {
    return has_one(line, n_bytes, N_HEADS);
}

/* Ends a line within the head of torch's, "[rank1]:[E626 06:24:44.159 ProcessGroupNCCL.cpp:616]"? */
static bool ends_in_head(const char *line, size_t n_bytes) {
    while (n_bytes > 0 && line[n_bytes - 1] == ' ') n_bytes--;
    const char *end = line + n_bytes, *from = n_bytes > 12 ? end - 12 : line;
    return rn_find_bytes(from, end, ".cpp:") != NULL && end[-1] == ']';
}

/* A line of signs only: what is above and what is below it are two. */
static bool is_ruler(const char *line, size_t n_bytes) {
    for (size_t i = 0; i < n_bytes; i++) {
        if (is_digit(line[i]) || (line[i] | 32) >= 'a') return false;
    }
    return true;
}

/* Does the line begin a message, or a row of a table? before: who begins with the same word begins the same; NULL: none. */
static bool begins(const char *line, size_t n_bytes, const rn_line_before *before) {
    if (is_ruler(line, n_bytes)) return true;
    if (before != NULL && before->line != NULL) {
        if (is_ruler(before->line, before->n)) return true;
        if (ends_in_head(before->line, before->n)) return false;
        if (is_same_word(line, n_bytes, before->line, before->n)) return true;
    }
    if (n_bytes > 0 && line[0] == '\t') return true; /* no terminal's edge puts it there */
    char head[256];
    size_t n = n_bytes < sizeof head ? n_bytes : sizeof head;
    memcpy(head, line, n);
    n = rn_drop_unseen(head, rn_drop_marks(head, n));
    if (rn_prefix_bytes(head, n, true) > 0) return true;
    const size_t host = rn_host_bytes(head, n);
    return has_one(head + host, n - host, N_BEGIN);
}

/* Breaks a call or a sentence of the watchdog's off at the end of a text, whatever its length, and has a line more of it? */
static rn_joint after_break(const char *text, size_t n_bytes, const rn_lines *l) {
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
            if (rn_find_bytes(l->line, l->line + l->n, more[k]) != NULL)
                return i == 0 ? RN_TOGETHER : RN_WITH_BLANK;
    }
    return RN_APART;
}

/* Has a word of so many columns room behind a line, and a blank? Behind less than half a line it always has; what has no blank for
   long is no text. */
static bool has_room(int32_t column, int32_t columns, int32_t word) {
    enum { LONGEST_WORD = 40 };
    return 2 * columns < column || columns + 1 + word <= column || word > LONGEST_WORD;
}

static int32_t first_word(const char *line, size_t n_bytes) {
    const char *end = line + n_bytes, *word = line + rn_match("_", line, end), *at = word;
    while (at < end && *at != ' ' && *at != '\t') at++;
    return at - word < WIDEST ? (int32_t)(at - word) : WIDEST;
}

/* Is a line of a message that is known by its head, or behind one that was, with no empty line between? */
static bool is_message(const char *line, size_t n_bytes, bool was) {
    const char *end = line + n_bytes;
    return n_bytes > 0 &&
           (was || begins(line, n_bytes, NULL) || rn_find_bytes(line, end, "[rank") != NULL ||
            rn_find_bytes(line, end, " NCCL WARN ") != NULL);
}

void rn_keep_line(rn_line_before *before, const char *line, size_t n_bytes) {
    int32_t blanks;
    before->message = is_message(line, n_bytes, before->message);
    before->line = line;
    before->n = n_bytes;
    before->columns = columns_of(line, n_bytes, &blanks);
    before->blank = blanks > 0;
}

rn_joint rn_joint_of(const rn_wrap *wrap, const rn_line_before *before, const char *text,
                     size_t n_bytes, const rn_lines *l) {
    const int32_t columns = before->columns;
    const bool edge = wrap->column > 0 && !wrap->words && columns >= wrap->column - 1;
    const bool kept = wrap->words && before->message && columns <= wrap->column &&
                      !has_room(wrap->column, columns, first_word(l->line, l->n));
    rn_joint joint = kept ? RN_WITH_BLANK : edge ? RN_TOGETHER : after_break(text, n_bytes, l);
    const bool lost = edge && columns < wrap->column; /* the blank that parted words */
    if (joint == RN_TOGETHER && (lost || before->blank)) joint = RN_WITH_BLANK;
    return joint == RN_APART || l->n == 0 || begins(l->line, l->n, before) ? RN_APART : joint;
}

/* The lines of a text by their columns; what is wider is all in the last. */
typedef struct widths {
    int64_t n_wide[WIDEST + 2];  /* lines of so many columns */
    int64_t n_edge[WIDEST + 2];  /* of them, those before one that goes on */
    int64_t n_words[WIDEST + 2]; /* that were broken if words are kept whole in so many columns */
    int64_t n_on;                /* before one that goes on with a message */
} widths;

static void count_widths(const char *text, size_t n_bytes, bool quoted, widths *w) {
    rn_line_before before = {.line = NULL};
    size_t last_margin = 0;
    *w = (widths){.n_on = 0};
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_next_line(&l);) {
        const size_t quote = quoted ? rn_quote_bytes(l.line, l.n) : 0;
        l.line += quote;
        l.n = quoted && quote == 0 ? 0 : l.n - quote;
        const size_t margin = rn_match("_", l.line, l.line + l.n);
        const bool goes_on = l.n > 0 && !begins(l.line, l.n, &before);
        const int32_t word = first_word(l.line, l.n), columns = before.columns;
        if (goes_on && margin <= last_margin + 1) w->n_edge[columns]++;
        if (goes_on && before.message) w->n_on += 2 * columns >= NARROWEST;
        for (int32_t c = columns; goes_on && before.message && c <= WIDEST; c++)
            w->n_words[c] += !has_room(c, columns, word);
        rn_keep_line(&before, l.line, l.n);
        w->n_wide[before.columns]++;
        last_margin = margin;
    }
}

static rn_wrap find_wrap(const char *text, size_t n_bytes, bool quoted) {
    rn_wrap found = {.column = 0};
    widths w;
    count_widths(text, n_bytes, quoted, &w);
    int64_t n_wider = w.n_wide[WIDEST + 1], most = 0;
    for (int32_t c = WIDEST; c >= NARROWEST; n_wider += w.n_wide[c--]) {
        const int64_t n_words = w.n_words[c], edge = w.n_edge[c] + w.n_edge[c - 1];
        const bool words = n_words >= 3 && n_words * 3 >= w.n_on * 2 && n_words * 4 > edge * 5;
        const bool cut = edge >= 2 && edge * 3 >= (w.n_wide[c] + w.n_wide[c - 1]) * 2;
        const int64_t n = words ? n_words : cut ? edge : 0;
        const bool better = n > most || (n == most && w.n_edge[c] > w.n_edge[found.column]);
        if (n_wider * 4 >= n || !better) continue;
        most = n;
        found = (rn_wrap){.column = c, .words = words, .quoted = quoted};
    }
    const int64_t *n = &w.n_edge[found.column];
    if (found.column > 0 && !found.words && n[-1] > 2 * n[0]) found.column--; /* few lose a blank */
    return found;
}

rn_wrap rn_find_wrap(const char *text, size_t n_bytes) {
    const rn_wrap quoted = find_wrap(text, n_bytes, true); /* it was cut first, and then quoted */
    return quoted.column > 0 ? quoted : find_wrap(text, n_bytes, false);
}
