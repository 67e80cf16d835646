/* made_plain.c: a whole text made plain: its encoding, its lines, and lines that belong together. */
#include "text_private.h"

#include <string.h>

/* ------------------------------------------------------------------ UTF-16 */

/* 0: it is not that; 1: the low byte comes first; 2: the high one. */
static int is_utf16(const char *bytes, size_t n_bytes) {
    enum { LOOKED_AT = 256 };
    const size_t n = n_bytes < LOOKED_AT ? n_bytes & ~(size_t)1 : LOOKED_AT;
    size_t zeros[2] = {0, 0};
    if (n >= 2 && memcmp(bytes, "\xff\xfe", 2) == 0) return 1;
    if (n >= 2 && memcmp(bytes, "\xfe\xff", 2) == 0) return 2;
    for (size_t i = 0; i < n; i++) zeros[i % 2] += bytes[i] == '\0';
    if (n < 16) return 0;
    if (zeros[1] * 8 > n * 3 && zeros[0] == 0) return 1; /* of n / 2 three quarters */
    return zeros[0] * 8 > n * 3 && zeros[1] == 0 ? 2 : 0;
}

/* Writes UTF-16 as UTF-8: at most 3 bytes for 2. Returns how many. */
static size_t read_utf16(const char *bytes, size_t n_bytes, int kind, char *to) {
    const unsigned char *in = (const unsigned char *)bytes;
    const char *from = to;
    const int low = kind == 1 ? 0 : 1;
    for (size_t i = 0; i + 1 < n_bytes; i += 2) {
        uint32_t code = (uint32_t)in[i + (size_t)low] | (uint32_t)in[i + (size_t)(1 - low)] << 8;
        if (code == 0xfeff) continue;
        if (code >= 0xd800 && code < 0xe000) code = '?'; /* no reader asks for what is beyond */
        to = rn_put_utf8(code, to);
    }
    return (size_t)(to - from);
}

/* ------------------------------------------------------------------ XML */

/* What an XML begins with, or a part of one, which has something missing around it, and of which several may follow. */
typedef struct xml_begin {
    rn_root root;
    const char *begin, *end, *around;
} xml_begin;
static const xml_begin begins[] = {
    {RN_ROOT_SYSTEM, "<system", "</system>", ""},
    {RN_ROOT_GRAPHS, "<graphs", "</graphs>", ""},
    {RN_ROOT_ALGO, "<algo", "</algo>", ""},
    {RN_ROOT_GRAPHS, "<graph id=", "</graph>", "<graphs>"},
    {RN_ROOT_SYSTEM, "<cpu numaid=", "</cpu>", "<system>"},
    {RN_ROOT_SYSTEM, "<cpu host_hash=", "</cpu>", "<system>"},
    {RN_ROOT_SYSTEM, "<pci busid=", "</pci>", "<system><cpu numaid=\"0\">"}};
static const xml_begin none = {RN_ROOT_NONE, "", "", ""};

/* Finds where an XML begins; `none` where no one does. */
static const xml_begin *find_xml(const char *text, size_t n_bytes, const char **begin) {
    const char *end = text + n_bytes;
    for (const char *at = text; (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++) {
        for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
            const size_t n = strlen(begins[i].begin);
            if ((size_t)(end - at) <= n || memcmp(at, begins[i].begin, n) != 0) continue;
            if (strchr(" \t\r\n>/\"", at[n]) == NULL || at[n] == '\0') continue;
            const bool quoted = at > text && at[-1] == '`'; /* one tag: it is only spoken of */
            if (quoted && rn_find_bytes(at, end, begins[i].end) == NULL) continue;
            *begin = at;
            return &begins[i];
        }
    }
    return &none;
}

rn_root rn_find_root(const char *text, size_t n_bytes, const char **around) {
    const char *begin;
    const xml_begin *found = find_xml(text, n_bytes, &begin);
    if (around != NULL) *around = found->around;
    return found->root;
}

static void blank_out(char *at, const char *end) {
    for (; at < end; at++) {
        if (*at != '\n') *at = ' ';
    }
}

/* Makes blanks of what stands before an XML and behind it; one that begins as XML does stays as it is. */
static void keep_xml(char *text, size_t n_bytes) {
    const char *begin, *end = text + n_bytes, *behind = NULL;
    const xml_begin *found = find_xml(text, n_bytes, &begin);
    const char *first = text + strspn(text, " \t\r\n");
    if (found == &none || (*first == '<' && (first == begin || first[1] == '?' || first[1] == '!')))
        return;
    for (const char *at = begin; (at = rn_find_bytes(at, end, found->end)) != NULL;) {
        behind = at += strlen(found->end);
        if (found->around[0] == '\0') break;
    }
    blank_out(text, begin);
    if (behind != NULL) blank_out(text + (behind - text), end);
}

/* ------------------------------------------------------------------ lines */

/* Text that is being written, and what is known of the lines before. */
typedef struct plain_writer {
    char *to;
    int64_t n_owed; /* line ends that lines which were joined have left */
    rn_wrap wrap;
    rn_line_before before;
    bool entities;
    char *message; /* which it ends */
    char end;      /* of the line that is written */
} plain_writer;

/* Writes the line ends that are due. */
static void end_line(plain_writer *w) {
    if (w->end != '\0') *w->to++ = w->end;
    for (; w->n_owed > 0; w->n_owed--) *w->to++ = '\n';
}

/* Writes a line, or what was broken off the one before. */
static void write_line(plain_writer *w, const rn_lines *l) {
    const rn_joint joint =
        rn_joint_of(&w->wrap, &w->before, w->message, (size_t)(w->to - w->message), l);
    const bool code = joint == RN_TOGETHER && w->before.n > 4 &&
                      memcmp(w->before.line, "    ", 4) == 0; /* of Markdown */
    const char *blanks = joint == RN_WITH_BLANK ? "_" : code ? "~~~~" : "";
    const size_t margin = rn_match(blanks, l->line, l->line + l->n);
    size_t n = l->n - margin;
    rn_keep_line(&w->before, l->line, l->n);
    if (joint == RN_APART) end_line(w);
    if (joint == RN_WITH_BLANK) *w->to++ = ' ';
    char *from = w->to;
    memcpy(from, l->line + margin, n);
    if (w->entities) n = rn_drop_marks(from, n);
    if (joint == RN_APART) {
        n = rn_plain_line(from, n, false);
        w->message = w->to;
    } else {
        n = rn_drop_unseen(from, n);
        while (n > 0 && strchr(" \t", from[n - 1]) != NULL) n--;
        w->n_owed += w->end == '\n';
    }
    w->to += n;
}

static void write_lines(const char *text, size_t n_bytes, char *out, rn_plain *plain) {
    plain_writer w = {.to = out,
                      .message = out,
                      .wrap = rn_find_wrap(text, n_bytes),
                      .entities = rn_find_root(text, n_bytes, NULL) == RN_ROOT_NONE};
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_next_line(&l);) {
        const size_t quote = w.wrap.quoted ? rn_quote_bytes(l.line, l.n) : 0;
        l.line += quote;
        l.n -= quote;
        write_line(&w, &l);
        w.end = l.at <= n_bytes ? text[l.at - 1] : '\0';
    }
    end_line(&w);
    *w.to = '\0';
    *plain = (rn_plain){.text = out, .n_bytes = (size_t)(w.to - out)};
}

/* Returns how many bytes a prefix takes that all lines have, though no launcher is known by it, up to a blank: no head of NCCL's or
   of torch's, which say whose line it is. 0: there is none. */
static size_t common_bytes(const char *text, size_t n_bytes) {
    static const char *const tells[] = {"#",     "<",    "\"",   "{",        "[rank",
                                        "Error", "NCCL", "NVRM", "Exception"};
    const char *first = NULL;
    size_t shared = 0;
    int64_t n_lines = 0;
    bool named = false;
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_next_line(&l);) {
        if (l.n == 0) continue;
        if (first == NULL) {
            first = l.line;
            shared = l.n;
        }
        const size_t most = l.n < shared ? l.n : shared;
        size_t same = 0;
        while (same < most && l.line[same] == first[same]) same++;
        if (same == l.n && same + 1 <= shared && first[same] == ' ') continue; /* an empty one */
        shared = same;
        n_lines++;
    }
    if (n_lines < 3) return 0;
    for (size_t i = 0; i < sizeof tells / sizeof *tells; i++) {
        const char *at = rn_find_bytes(first, first + shared, tells[i]);
        if (at != NULL) shared = (size_t)(at - first);
    }
    for (size_t i = 0; i < shared; i++)
        if (rn_match(":9", first + i, first + shared) > 0) shared = i;
    while (shared > 0 && first[shared - 1] != ' ') shared--;
    for (size_t i = 0; i < shared; i++)
        named = named || ((first[i] | 32) >= 'a' && (first[i] | 32) <= 'z');
    return named ? shared : 0;
}

/* Returns how many bytes of a line are such a prefix, or, without one, a label and a host, with what stands between. */
static size_t dropped_bytes(const rn_lines *l, size_t common) {
    if (common > 0) return l->n < common ? l->n : common;
    const bool label = rn_match(rn_label, l->line, l->line + l->n) > 0;
    const size_t n = label ? rn_prefix_bytes(l->line, l->n, true) : 0;
    return n + rn_host_bytes(l->line + n, l->n - n);
}

/* Does a line begin behind its prefix as messages and rows do? If none does, it is the message's own: "NVRM: Xid", "libnccl.so.2: ".
   So is a list's "1: ", but where a text begins with a label. */
static bool is_before_heads(const char *text, size_t n_bytes, size_t common) {
    bool first = common == 0;
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_next_line(&l);) {
        const size_t n = dropped_bytes(&l, common);
        if (first && rn_match(rn_label, l.line, l.line + l.n) > 0) return true;
        if (n > 0 && l.n > n && rn_has_head(l.line + n, l.n - n)) return true;
        first = first && l.n == 0;
    }
    return false;
}

static void drop_prefix(char *text, rn_plain *plain, size_t common) {
    char *to = text;
    if (!is_before_heads(text, plain->n_bytes, common)) return;
    for (rn_lines l = {.text = text, .n_bytes = plain->n_bytes}; rn_next_line(&l);) {
        const char *behind = l.line + l.n, *next = text + l.at;
        const size_t dropped = dropped_bytes(&l, common), kept = l.n - dropped;
        memmove(to, l.line + dropped, kept);
        to += kept;
        for (; behind < next && behind < text + plain->n_bytes; behind++) *to++ = *behind;
    }
    *to = '\0';
    plain->n_bytes = (size_t)(to - text);
}

/* Ends a line where the head of torch's begins within it: a log was pasted as one line, its ends lost or escaped, or a sentence has
   a message of it between backticks. */
static void end_before_heads(char *text, size_t n_bytes) {
    const char *end = text + n_bytes;
    for (char *at = text; (at = memchr(at, '[', (size_t)(end - at))) != NULL; at++) {
        const char *head = at + rn_match("[rank9+]:", at, end);
        const bool escaped = at - text > 1 && at[-2] == '\\' && at[-1] == 'n';
        if (at == text || (strchr(" `", at[-1]) == NULL && !escaped)) continue;
        if (rn_match("[a9+_99:99:99", head, end) + rn_match("[a_w+:9+]", head, end) > 0)
            at[-1] = '\r';
    }
}

rs_status rn_make_plain(const char *bytes, size_t n_bytes, rs_arena *arena, rs_error *error,
                        rn_plain *plain) {
    const int kind = is_utf16(bytes, n_bytes);
    char *decoded = NULL;
    if (kind > 0) {
        decoded = rs_alloc(arena, n_bytes / 2 * 3 + 1, 1);
        if (decoded == NULL) return rs_no_memory(error);
        n_bytes = read_utf16(bytes, n_bytes, kind, decoded);
        bytes = decoded;
    }
    char *out = rs_alloc(arena, n_bytes + n_bytes / RN_LEAST_PIECE + 2, 1); /* blanks at edges */
    if (out == NULL) return rs_no_memory(error);
    write_lines(bytes, n_bytes, out, plain);
    drop_prefix(out, plain, 0);
    const size_t common = common_bytes(out, plain->n_bytes);
    if (common > 0) drop_prefix(out, plain, common);
    end_before_heads(out, plain->n_bytes);
    keep_xml(out, plain->n_bytes);
    return RS_OK;
}
