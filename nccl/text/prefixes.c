/* prefixes.c: what launchers and viewers put before a line.
 *
 *     > > text                              a quote          12: text, 12| text, 12<tab>text     a line's number; srun's label
 *     - text, * text, 1. text               a list
 *     [1,0]<stdout>:text                    mpirun           [default3]:text                     torchrun
 *     (Worker pid=9, ip=192.0.2.1) text     Ray, vLLM        [pod/a/b] text, a-0 | text          kubectl, compose
 *     2025-03-04T10:11:12.1Z stdout F text  CRI              Mar 04 10:11:12 host job[7]: text   journald
 *     [10:23 AM] Ann: text                  a chat           2025-03-04T10:11:12Z,"text"         a table's export
 *     [  12.345678] text                    dmesg
 *
 *   - "12: " may be a list's own: a text has labels where a message begins behind one (made_plain.c).
 *   - They come in any order, several on a line. "[2025-03-04 10:11:12] host [3]" is NCCL's own where its mark follows.
 */
#include "text_private.h"

#include <string.h>

const char rn_label[] = "_?9+:~";

size_t rn_match(const char *form, const char *at, const char *end) {
    const char *from = at;
    for (const char *f = form; *f != '\0'; f++) {
        const char kind = *f;
        const bool many = f[1] == '+' || kind == '_';
        size_t n = 0;
        while (at + n < end && (many || n == 0)) {
            const char c = at[n];
            const bool digit = c >= '0' && c <= '9', letter = (c | 32) >= 'a' && (c | 32) <= 'z';
            const bool fits = kind == '9'   ? digit
                              : kind == 'a' ? letter
                              : kind == 'w' ? digit || letter || c == '.' || c == '_' || c == '-' ||
                                                  c == '/' || c == '@'
                              : kind == '_' || kind == '~' ? c == ' ' || c == '\t'
                                                           : c == kind;
            if (!fits || c == '\0') break;
            n++;
        }
        if (f[1] == '+') f++;
        const bool may = f[1] == '?';
        if (may) f++;
        if (n == 0 && !may) return 0;
        at += n;
    }
    return (size_t)(at - from);
}

/* Returns how long a date and a time are, with what containers put behind them. */
static size_t date_bytes(const char *line, const char *end) {
    static const char *const behind[] = {"_stda+_a~", "_|~", ",\"", "~"};
    size_t n = rn_match("9999-99-99T99:99:99", line, end);
    if (n == 0) n = rn_match("9999-99-99 99:99:99", line, end);
    if (n == 0) return 0;
    n += rn_match(".9+", line + n, end) + rn_match(",9+", line + n, end);
    n += rn_match("Z", line + n, end) + rn_match("+99:99", line + n, end);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        const size_t part = rn_match(behind[i], line + n, end);
        if (part > 0) return n + part;
    }
    return line + n == end ? n : 0;
}

/* Ray's and vLLM's: a bracket that names a process. */
static size_t process_bytes(const char *line, const char *end) {
    enum { LONGEST = 160 };
    const size_t room = (size_t)(end - line) < LONGEST ? (size_t)(end - line) : LONGEST;
    const char *close = room > 0 && *line == '(' ? memchr(line, ')', room) : NULL;
    if (close == NULL || rn_find_bytes(line, close - 1, "pid=") == NULL) return 0;
    return (size_t)(close - line) + 1 + rn_match("~", close + 1, end);
}

/* mpirun's, with a date before it or without. */
static size_t tag_bytes(const char *line, const char *end) {
    enum { LONGEST = 75 };
    const char *at = rn_find_bytes(line, end - line > LONGEST ? line + LONGEST : end, "<std");
    if (at == NULL || *line == '#' || *line == '{') return 0;
    const size_t n = rn_match("<stdout>:", at, end) + rn_match("<stderr>:", at, end);
    return n > 0 ? (size_t)(at - line) + n : 0;
}

/* Returns how long the time is that a chat puts before a message, and who wrote it. */
static size_t chat_bytes(const char *line, const char *end) {
    static const char *const times[] = {"[9+:99_?a?a?]_",        "[9+:99:99]_",
                                        "[9999-99-99_9+:99]_",   "[9+/9+/9+,?_9+:99_?a?a?]_",
                                        "[9+.9+.9+,_9+:99:99]_", "[9+/9+/9+,?_9+:99:99_?a?a?]_"};
    enum { LONGEST = 40 };
    size_t n = 0;
    for (size_t i = 0; i < sizeof times / sizeof *times && *line == '[' && n == 0; i++)
        n = rn_match(times[i], line, end);
    if (n == 0) return 0;
    const char *name = line + n, *most = end - name > LONGEST ? name + LONGEST : end, *at = name;
    while (at < most && strchr("[]<>()=/.#|:", *at) == NULL && *at != '\xef' &&
           (*at < '0' || *at > '9'))
        at++;
    const size_t colon = rn_match(":", at, end) + rn_match("\xef\xbc\x9a", at, end);
    if (at == name || at == most || colon == 0 || rn_find_bytes(name, at, "Error") != NULL)
        return n;
    return (size_t)(at - line) + colon + rn_match("~", at + colon, end);
}

size_t rn_quote_bytes(const char *line, size_t n_bytes) {
    size_t n = 0;
    for (size_t sign = 1; sign > 0; n += sign) {
        sign = rn_match("_?>~?", line + n, line + n_bytes);
        if (sign == 0) sign = rn_match("|~?", line + n, line + n_bytes);
    }
    return n;
}

size_t rn_host_bytes(const char *line, size_t n_bytes) {
    const char *end = line + n_bytes;
    size_t n = rn_match("w+:~", line, end);
    if (n == 0 && n_bytes > 0 && rn_match("w+:", line, end) == n_bytes)
        n = n_bytes; /* of an empty line */
    bool numbered = false;
    for (size_t i = 0; i < n; i++) numbered |= line[i] >= '0' && line[i] <= '9';
    return numbered ? n : 0;
}

static bool is_nccl(const char *at, const char *end) {
    enum { HEAD = 100 };
    return rn_find_bytes(at, end - at > HEAD ? at + HEAD : end, "NCCL ") != NULL;
}

size_t rn_prefix_bytes(const char *line, size_t n_bytes, bool labels) {
    enum { MOST = 8 };
    static const char own_date[] = "[9999-99-99_99:99:99]~";
    static const char forms[] =
        "9999999999999,\"\0_?>~?\0_?|~\0_?9+\t\0_?9+_?|~?\0_?-~\0_?*~\0_?9+.~\0"
        "[default9+]:\0[pod/w+]~\0w+_|~\0[9,9+]:\0[_?9+.9+]~\0[9999-99-99_99:99:99]~\0"
        "aaa_9+_99:99:99_w+_w+[9+]:~\0aaa_9+_99:99:99_w+_w+:~\0a+_99-99_99:99:99~\0";
    const char *at = line, *end = line + n_bytes;
    for (int i = 0; i < MOST && at < end; i++) {
        if (rn_match(own_date, at, end) > 0 && is_nccl(at, end)) break;
        size_t n = date_bytes(at, end);
        if (n == 0) n = process_bytes(at, end);
        if (n == 0) n = tag_bytes(at, end);
        if (n == 0) n = chat_bytes(at, end);
        if (n == 0 && labels) n = rn_match(rn_label, at, end);
        for (const char *form = forms; n == 0 && *form != '\0'; form += strlen(form) + 1)
            n = rn_match(form, at, end);
        if (n == 0) break;
        at += n;
    }
    return (size_t)(at - line);
}
