/* silence.c: does a file tell the compiler to keep its warnings to itself?
 *
 *     #pragma GCC diagnostic ignored "-Wall"      switches them off
 *     # 1 "stdio.h" 3                             says: this is a header of the system, which gets none
 *
 * No exercise needs either. We look at the text as it stands, not as a compiler would: only the points for
 * warnings are at stake.
 */
#include "sandbox/silence.h"

#include <ctype.h>
#include <string.h>

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

/* Tells whether only blanks or a comment stand before this `#` on its line. */
static bool begins_line(const char *text, const char *at) {
    while (at > text && (at[-1] == ' ' || at[-1] == '\t')) at--;
    return at == text || at[-1] == '\n' || at[-1] == '/';
}

/* Tells whether the word stands in the rest of this line, or of those that a backslash joins to it. */
static bool line_holds(const char *at, const char *word) {
    const size_t n = strlen(word);
    for (; *at != '\0' && (*at != '\n' || at[-1] == '\\'); at++) {
        if (strncmp(at, word, n) == 0) return true;
    }
    return false;
}

static bool is_marker(const char *after) {
    after = skip_blanks(after);
    return isdigit((unsigned char)*after) || strncmp(after, "line", 4) == 0;
}

bool rc_silences_warnings(const char *text) {
    if (strstr(text, "_Pragma") != NULL) return true;
    for (const char *at = text; (at = strstr(at, "pragma")) != NULL; at++) {
        if (line_holds(at + 1, "diagnostic") || line_holds(at + 1, "system_header")) return true;
    }
    for (const char *at = text; (at = strpbrk(at, "#%")) != NULL; at++) {
        const size_t n = at[0] == '#' ? 1 : at[1] == ':' ? 2 : 0;
        if (n > 0 && begins_line(text, at) && is_marker(at + n)) return true;
    }
    return false;
}
