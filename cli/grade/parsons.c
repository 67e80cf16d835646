/* parsons.c: Parsons problems: learners put given lines in order; of some pairs of lines one is wrong.
 *
 *     the lab's file `parsons`        handed in, my.parsons        what is compiled
 *     d |     return chunk;           a b c d e                    int send_chunk(... {
 *     b |     int chunk = ...                                          int chunk = ...
 *     B |     int chunk = ...         (b and B are a pair)             ...
 *
 * Letters stand alone or in words ("a b", "ab", "a, b"); # begins a comment. The result is judged like any other
 * submission.
 */
#include "base/text.h"
#include "grade/parsons.h"
#include "sandbox/build.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

bool rc_is_parsons(const char *path) {
    return rc_ends_with(path, ".parsons");
}

bool rc_is_lines(const char *path) {
    return strcmp(path, "parsons") == 0 || rc_ends_with(path, "/parsons");
}

/* Finds the line with that letter; returns what follows the letter, its length in *n. */
static const char *find_line(const char *lines, char letter, size_t *n) {
    for (const char *at = lines; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        if (at[0] != letter || strncmp(at + 1, " |", 2) != 0) continue;
        at += 3 + (at[3] == ' ');
        *n = strcspn(at, "\n");
        return at;
    }
    return NULL;
}

rc_exit rc_assemble(const rc_lab *lab, const char *letters, rs_arena *arena, rs_error *error,
                    char **text, char trouble[240]) {
    static const char first[] = "#include \"ring.h\"\n";
    size_t at = sizeof first - 1, n;
    const char *lines = rc_lab_text(lab, "parsons", arena);
    trouble[0] = '\0';
    if (lines == NULL) {
        snprintf(trouble, 240, _("lab %s has no lines to put in order; hand in a C file"), lab->id);
        return RC_GOOD;
    }
    char *out = rs_alloc(arena, RC_SOURCE_LIMIT, 1);
    if (out == NULL) return rc_no_memory(error);
    memcpy(out, first, sizeof first);
    for (const char *l = letters; *l != '\0'; l++) {
        if (*l == '#') l += strcspn(l, "\n");
        if (*l == '\0') break;
        if (isspace((unsigned char)*l) || *l == ',') continue;
        const char *line = isalpha((unsigned char)*l) ? find_line(lines, *l, &n) : NULL;
        if (line == NULL || at + n + 2 > RC_SOURCE_LIMIT) {
            snprintf(trouble, 240, _("there is no line '%c'"),
                     isprint((unsigned char)*l) ? *l : '?');
            return RC_GOOD;
        }
        assert(at + n < RC_SOURCE_LIMIT);
        memcpy(out + at, line, n);
        at += n;
        out[at++] = '\n';
    }
    out[at] = '\0';
    *text = out;
    return RC_GOOD;
}
