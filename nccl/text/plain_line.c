/* plain_line.c: a line without what a terminal would not show: colours, cursor moves, odd blanks; out of a container's JSON, and
 * with a page's entities as what they stand for.
 *
 *   - Quotes, dashes and blanks that a word processor or a chat has set become those that were typed.
 *   - An escape character is often lost or changed on its way: "\033[36m", "^[[36m", "<-[36m" as an arrow, "[36m" alone.
 */
#include "text_private.h"

#include <string.h>

/* ------------------------------------------------------------------ what is not shown */

/* Returns how many bytes stand for an escape character here: itself, or what became of it. */
static size_t escape_bytes(const char *at, const char *end) {
    static const char *const became[] = {"\033",  "\xe2\x86\x90", "\xe2\x90\x9b", "^[",
                                         "\\x1b", "\\033",        "\\u001b",      "\\e"};
    for (size_t i = 0; i < sizeof became / sizeof *became; i++) {
        const size_t n = strlen(became[i]);
        if ((size_t)(end - at) > n && memcmp(at, became[i], n) == 0) return n;
    }
    return 0;
}

/* Returns how long a sequence is that begins here; *moves: the cursor goes on, so words before and behind it are two. */
static size_t sequence_bytes(const char *at, const char *end, bool *moves) {
    const size_t escape = escape_bytes(at, end);
    const char *c = at + escape;
    *moves = false;
    if (c < end && *c == '[') {
        for (c++;
             c < end && ((*c >= '0' && *c <= '9') || strchr(";:?=>", *c) != NULL) && *c != '\0';)
            c++;
        if (c == end || *c < '@' || *c > '~') return 0;
        if (escape == 0 && (*c != 'm' || c - at < 2)) return 0; /* words in brackets are words */
        *moves = strchr("CGHf", *c) != NULL;
        return (size_t)(c + 1 - at);
    }
    if (escape == 0 || *at != '\033') return 0;
    if (c < end && *c == ']') { /* a title, up to a bell */
        while (c < end && *c != '\a' && *c != '\033') c++;
        return (size_t)(c - at) + (c < end && *c == '\a');
    }
    return c < end ? escape + 1 : escape;
}

/* Returns how many bytes a blank, a quote or a dash takes that is none of ASCII's, and what it stands for. */
static size_t typeset_bytes(const char *at, const char *end, const char **as) {
    static const char *const signs[][2] = {
        {"\xc2\xa0", " "},      {"\xe2\x80\xaf", " "}, {"\xe2\x80\x87", " "},
        {"\xe2\x80\x82", " "},  {"\xe2\x80\x83", " "}, {"\xe2\x80\x89", " "},
        {"\xe3\x80\x80", " "},  {"\xe2\x80\x8b", ""},  {"\xef\xbb\xbf", ""},
        {"\xe2\x80\x98", "'"},  {"\xe2\x80\x99", "'"}, {"\xe2\x80\x9c", "\""},
        {"\xe2\x80\x9d", "\""}, {"\xe2\x80\x90", "-"}, {"\xe2\x80\x91", "-"},
        {"\xe2\x80\x93", "-"},  {"\xe2\x80\x94", "-"}, {"\xe2\x88\x92", "-"},
        {"\xe2\x86\x92", "->"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t n = strlen(signs[i][0]);
        if ((size_t)(end - at) < n || memcmp(at, signs[i][0], n) != 0) continue;
        *as = signs[i][1];
        return n;
    }
    return 0;
}

size_t rn_drop_unseen(char *line, size_t n_bytes) {
    const char *at = line, *end = line + n_bytes;
    char *to = line;
    while (at < end) {
        bool moves = false;
        const unsigned char c = (unsigned char)*at;
        const char *as = "";
        size_t n = 0;
        if (c == 0x1b || c == '[' || c == '^' || c == '\\' || c == 0xe2)
            n = sequence_bytes(at, end, &moves);
        if (n == 0 && c >= 0xc2) n = typeset_bytes(at, end, &as);
        if (n == 0 && (c == '\0' || c == '\b' || c == '\a')) {
            n = 1;
            moves = c == '\0';
        }
        if (n == 0) {
            *to++ = *at++;
            continue;
        }
        for (as = moves ? " " : as; *as != '\0'; as++) *to++ = *as;
        at += n;
    }
    return (size_t)(to - line);
}

/* ------------------------------------------------------------------ a page's marks */

/* Returns how many bytes an entity takes, and which character it is. */
static size_t entity_bytes(const char *at, const char *end, uint32_t *code) {
    static const struct {
        const char *name;
        uint32_t code;
    } entities[] = {{"&gt;", '>'},   {"&lt;", '<'},   {"&amp;", '&'},
                    {"&quot;", '"'}, {"&nbsp;", ' '}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        const size_t n = strlen(entities[i].name);
        *code = entities[i].code;
        if ((size_t)(end - at) >= n && memcmp(at, entities[i].name, n) == 0) return n;
    }
    const char *digits = at + 2, *stop = end - at > 9 ? at + 9 : end;
    const bool hex = end - at > 3 && (at[2] | 32) == 'x';
    if (end - at < 4 || at[1] != '#') return 0;
    *code = 0;
    for (digits += hex; digits < stop && *digits != ';'; digits++) {
        const char *digit = digits;
        uint64_t value;
        if (rn_take_hex(&digit, 1, &value) == 0 || (!hex && value > 9)) return 0;
        *code = *code * (hex ? 16 : 10) + (uint32_t)value;
    }
    if (*code == 0 || *code > 0xffff || (*code >= 0xd800 && *code < 0xe000)) *code = '?';
    return digits < stop ? (size_t)(digits + 1 - at) : 0;
}

/* Returns how many bytes a tag takes that a page's text has, and what it stands for: an end of a line, a blank, nothing. */
static size_t tag_bytes(const char *at, const char *end, char *as) {
    static const char names[] =
        " a b i p br em td th tr li ol ul tt hr pre div code span samp body html font strong table "
        "tbody thead details summary blockquote ";
    enum { LONGEST_NAME = 12, LONGEST = 400 };
    char name[LONGEST_NAME + 3] = " ";
    const bool closes = at + 1 < end && at[1] == '/';
    const char *word = at + 1 + closes, *most = end - at > LONGEST ? at + LONGEST : end;
    size_t n = 0;
    for (; word + n < most && n < LONGEST_NAME && (word[n] | 32) >= 'a' && (word[n] | 32) <= 'z';
         n++)
        name[n + 1] = (char)(word[n] | 32);
    if (n == 0 || word + n == most || strchr(" />", word[n]) == NULL) return 0;
    name[n + 1] = ' ';
    const char *stop = memchr(word + n, '>', (size_t)(most - (word + n)));
    if (stop == NULL || strstr(names, name) == NULL) return 0;
    const char *lines = closes ? " p tr li div pre table " : " br hr ";
    *as = strstr(lines, name) != NULL ? '\r' : strstr(" td th ", name) != NULL ? ' ' : '\0';
    return (size_t)(stop + 1 - at);
}

size_t rn_drop_marks(char *line, size_t n_bytes) {
    const char *at = line, *end = line + n_bytes;
    char *to = line;
    while (at < end) {
        uint32_t code = 0;
        char as = *at;
        size_t n = 0;
        if (as == '<') n = tag_bytes(at, end, &as);
        if (as == '&') n = entity_bytes(at, end, &code);
        if (n > 0 && code > 0)
            to = rn_put_utf8(code, to);
        else if (as != '\0' || n == 0)
            *to++ = as;
        at += n > 0 ? n : 1;
    }
    return (size_t)(to - line);
}

/* A row of a table in Markdown, "| GPU0 | X |": its cells parted by blanks; what rules its head off is nothing. */
static size_t drop_bars(char *line, size_t n_bytes) {
    char *from = line + strspn(line, " \t");
    size_t n_bars = 0, n_words = 0;
    if (n_bytes < 5 || *from != '|' || line[n_bytes - 1] != '|') return n_bytes;
    for (char *at = from; at < line + n_bytes; at++) {
        n_bars += *at == '|';
        n_words += strchr("|-: ", *at) == NULL;
    }
    for (char *at = from; at < line + n_bytes && n_bars > 2; at++) {
        if (*at == '|') *at = ' ';
    }
    return n_bars > 2 && n_words == 0 ? 0 : n_bytes;
}

/* ------------------------------------------------------------------ JSON */

int rn_take_hex(const char **at, int most, uint64_t *value) {
    int n = 0;
    *value = 0;
    for (; n < most; n++, (*at)++) {
        const char c = **at;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) break;
        *value = *value << 4 | (uint64_t)digit;
    }
    return n;
}

char *rn_put_utf8(uint32_t c, char *out) {
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

/* Returns the quote that ends the string which begins behind at; NULL: none does. */
static const char *string_end(const char *at, const char *end) {
    for (; at < end && *at != '"'; at++) {
        if (*at == '\\') at++;
    }
    return at < end ? at : NULL;
}

/* Copies a string without its escapes; line ends within become '\r', and one at its end is none. */
static size_t copy_string(const char *at, const char *end, char *to) {
    const char *from = to;
    while (at < end) {
        if (*at != '\\' || at + 1 == end) {
            *to++ = *at++;
            continue;
        }
        const char c = at[1];
        const char *digits = at + 2;
        uint64_t code;
        if (c == 'u' && end - at >= 6 && rn_take_hex(&digits, 4, &code) == 4) {
            to = rn_put_utf8(code >= 0xd800 && code < 0xe000 ? '?' : (uint32_t)code, to);
            at += 6;
            continue;
        }
        *to++ = c == 'n' || c == 'r' ? '\r' : c == 't' ? '\t' : c;
        at += 2;
    }
    while (to > from && to[-1] == '\r') to--;
    return (size_t)(to - from);
}

/* Takes the message out of a container's JSON line, in place; false: it is none. */
static bool unpack_json(char *line, size_t *n_bytes) {
    static const char *const keys[] = {"log", "message", "@message",    "MESSAGE",
                                       "msg", "line",    "textPayload", "body"};
    const char *at = line, *end = line + *n_bytes;
    int depth = 0;
    while (end > at && (end[-1] == ' ' || end[-1] == ',')) end--;
    if (at == end || *at != '{' || end[-1] != '}') return false;
    for (; at < end; at++) {
        if (*at == '{' || *at == '[') depth++;
        if (*at == '}' || *at == ']') depth--;
        if (*at != '"') continue;
        const char *key = at + 1, *stop = string_end(key, end);
        if (stop == NULL) return false;
        at = stop;
        if (depth != 1) continue;
        const char *value = stop + 1 + strspn(stop + 1, " "); /* '}' ends it at last */
        if (*value != ':') continue;
        value += 1 + strspn(value + 1, " ");
        if (*value != '"') continue;
        const char *close = string_end(value + 1, end);
        if (close == NULL) return false;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const size_t n = strlen(keys[i]);
            if ((size_t)(stop - key) != n || memcmp(key, keys[i], n) != 0) continue;
            *n_bytes = copy_string(value + 1, close, line);
            return true;
        }
        at = close;
    }
    return false;
}

/* ------------------------------------------------------------------ all of it */

size_t rn_plain_line(char *line, size_t n_bytes, bool labels) {
    size_t n = rn_drop_unseen(line, n_bytes);
    while (n > 0 && strchr(" \t\r", line[n - 1]) != NULL) n--;
    n = drop_bars(line, n);
    size_t prefix = rn_prefix_bytes(line, n, labels);
    size_t inner = n - prefix;
    if (unpack_json(line + prefix, &inner)) {
        n = prefix + rn_drop_unseen(line + prefix, inner);
        prefix += rn_prefix_bytes(line + prefix, n - prefix, labels);
    }
    memmove(line, line + prefix, n - prefix);
    return n - prefix;
}
