/* last_words.c: finds the reason in all that a starter of ranks has written on standard error. See
 * pipe.h.
 *
 *   - mpirun writes its reasons between two lines of dashes, in paragraphs, whose lines break
 *     anywhere. All else comes line by line.
 *   - The last text that names how a rank ended is the reason; without one, the first text: those
 *     after it are mpirun's guesses at causes.
 *   - Remarks of libraries that are no reason are left out.
 */
#include "process/pipe.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool is_rule(const char *line, size_t n) {
    return n >= 8 && strspn(line, "-=*") >= n;
}

/* hwloc's, in a container without /sys, after which Open MPI goes on: of 2.9 in brackets, of 2.12 without. */
static bool is_remark(const char *line, size_t n) {
    static const char name[] = "hwloc/";
    const size_t from = n > 0 && line[0] == '[';
    return n - from >= sizeof name - 1 && memcmp(line + from, name, sizeof name - 1) == 0;
}

static bool tells(const char *text) {
    return strstr(text, "ringsim: ") != NULL || strstr(text, "exited on signal") != NULL ||
           strstr(text, "not enough slots") != NULL;
}

/* Appends a line to the text, a space between them. */
static void append_line(char *text, size_t n_text, const char *line, size_t n) {
    const size_t used = strlen(text), indent = strspn(line, " ");
    if (indent >= n) return;
    snprintf(text + used, n_text - used, "%s%.*s", used > 0 ? " " : "", (int)(n - indent),
             line + indent);
}

/* Reads the next text, a line or a paragraph; returns what follows it. */
static const char *next_words(const char *at, bool *between_rules, char *text, size_t n_text) {
    text[0] = '\0';
    for (bool more = true; more && *at != '\0';) {
        const size_t n = strcspn(at, "\n"), used = strlen(text);
        if (is_rule(at, n)) {
            *between_rules = !*between_rules;
            more = false;
        } else if (is_remark(at, n)) {
            more = *between_rules;
        } else {
            append_line(text, n_text, at, n);
            const bool goes_on = n > 0 || used == 0 || text[used - 1] == ':';
            more = *between_rules && goes_on;
        }
        at += n + (at[n] == '\n');
    }
    return at;
}

void rg_last_words(const char *errors, char *out, size_t n_out) {
    assert(n_out > 0);
    bool between_rules = false, telling = false;
    char text[512];
    out[0] = '\0';
    while (*errors != '\0') {
        errors = next_words(errors, &between_rules, text, sizeof text);
        const bool best = tells(text) || (!telling && out[0] == '\0');
        if (text[0] != '\0' && best) snprintf(out, n_out, "%s", text);
        telling = telling || tells(text);
    }
}
