/* defined.c: which functions a learner's C file defines: for whoever wrote sendChunk and is asked for send_chunk.
 *
 *   - A glance, no parser: outside of braces a name, brackets, an opening brace. Comments and the preprocessor's
 *     lines are passed over.
 */
#include "base/text.h"
#include "sandbox/answers.h"

#include <ctype.h>
#include <string.h>

/* Returns what follows a comment, a text or a line of the preprocessor that begins at `at`; at: none does. */
static const char *pass_over(const char *at) {
    const char *end = NULL;
    if (*at == '#' || strncmp(at, "//", 2) == 0) return at + strcspn(at, "\n");
    if (strncmp(at, "/*", 2) == 0) end = strstr(at + 2, "*/");
    if (end != NULL) return end + 2;
    if (*at != '"' && *at != '\'') return at;
    for (end = at + 1; *end != '\0' && *end != *at; end++) end += *end == '\\' && end[1] != '\0';
    return end + (*end != '\0');
}

/* Returns what follows the bracket that closes the one at `at`, and spaces; NULL: nothing closes it. */
static const char *behind_brackets(const char *at) {
    int depth = 0;
    do {
        depth += (*at == '(') - (*at == ')');
        if (*at++ == '\0') return NULL;
    } while (depth > 0);
    return at + strspn(at, " \n\r\t");
}

const char *rc_defined_text(const char *source, char *out, size_t n_out) {
    int depth = 0;
    size_t used = 0;
    out[0] = '\0';
    for (const char *at = source == NULL ? "" : source; *at != '\0'; at++) {
        for (const char *next; (next = pass_over(at)) != at;) at = next;
        if (*at == '\0') break;
        depth += (*at == '{') - (*at == '}');
        if (depth > 0 || !(isalpha((unsigned char)*at) || *at == '_')) continue;
        size_t n = 1;
        while (isalnum((unsigned char)at[n]) || at[n] == '_') n++;
        const char *bracket = at + n + strspn(at + n, " ");
        const char *body = *bracket == '(' ? behind_brackets(bracket) : NULL;
        if (body != NULL && *body == '{' && n < 40 && used + n + 40 < n_out) {
            used +=
                (size_t)snprintf(out + used, n_out - used,
                                 used == 0 ? _("; it defines %.*s()") : _(", %.*s()"), (int)n, at);
        }
        at += n - 1;
    }
    return out;
}

const char *rc_missing_text(const char *source, char *out, size_t n_out) {
    char defined[160];
    snprintf(out, n_out, _("the file defines neither send_chunk() nor sends()%s; see ring.h"),
             rc_defined_text(source, defined, sizeof defined));
    return out;
}
