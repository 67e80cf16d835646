/* silence.c: could a file tell the compiler to keep its warnings to itself?
 *
 *     #pragma GCC diagnostic ignored "-Wall"      switches them off
 *     # 1 "stdio.h" 3                             says: this is a header of the system, which gets none
 *
 * Lines may be joined, words pasted, # spelt otherwise: who looks for each spelling forgets one. So this
 * only asks whether anything could be meant so. Where it could, build.c compiles what the preprocessor
 * leaves once more, without these lines, and counts the warnings of that.
 */
#include "sandbox/silence.h"

#include <stdlib.h>
#include <string.h>

/* Copies the text without what joins lines; a zero byte follows. */
static char *joined(const char *text, size_t n_bytes, size_t *n_joined) {
    char *out = malloc(n_bytes + 1);
    size_t n = 0;
    if (out == NULL) return NULL;
    for (size_t i = 0; i < n_bytes; i++) {
        if (text[i] == '\\') {
            size_t end = i + 1;
            while (end < n_bytes && memchr(" \t\r\v\f", text[end], 5) != NULL) end++;
            if (end < n_bytes && text[end] == '\n') {
                i = end;
                continue;
            }
        }
        out[n++] = text[i];
    }
    out[n] = '\0';
    *n_joined = n;
    return out;
}

/* Tells whether a directive with this text behind its # is one that cannot silence anything. */
static bool is_harmless(const char *after) {
    static const char *const known[] = {"include", "define", "undef",   "if", "el",
                                        "endif",   "error",  "warning", NULL};
    after += strspn(after, " \t");
    for (int i = 0; known[i] != NULL; i++) {
        if (strncmp(after, known[i], strlen(known[i])) == 0) return true;
    }
    return false;
}

bool rc_may_silence_warnings(const char *text, size_t n_bytes) {
    size_t n;
    char *whole = joined(text, n_bytes, &n);
    if (whole == NULL) return true;
    bool may = strlen(whole) != n || strstr(whole, "ragma") != NULL;
    for (const char *at = whole; !may && (at = strpbrk(at, "#%?")) != NULL; at++) {
        if (*at == '#') may = !is_harmless(at + 1);
        if (*at == '%' && at[1] == ':') may = !is_harmless(at + 2);
        if (*at == '?' && strncmp(at, "?\?=", 3) == 0) may = true;
    }
    free(whole);
    return may;
}

size_t rc_remove_directives(char *text, size_t n_bytes) {
    size_t kept = 0;
    for (size_t i = 0; i < n_bytes;) {
        const char *newline = memchr(text + i, '\n', n_bytes - i);
        const size_t end = newline != NULL ? (size_t)(newline - text) + 1 : n_bytes;
        size_t first = i;
        while (first < end && memchr(" \t\v\f", text[first], 4) != NULL) first++;
        if (first < end && text[first] != '#') {
            memmove(text + kept, text + i, end - i);
            kept += end - i;
        }
        i = end;
    }
    return kept;
}
