/* suggest.c: the nearest name to a mistyped one: "--algo rign: did you mean 'ring'?"
 *
 * Near means few edits: a letter dropped, added, changed, or two neighbours swapped.
 */
#include "base/units.h"

#include <assert.h>
#include <string.h>

enum { LONGEST = 32 };

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Returns the number of edits between two words (optimal string alignment); large for long words. */
static int distance(const char *a, const char *b) {
    const size_t n = strlen(a), m = strlen(b);
    if (n >= LONGEST || m >= LONGEST) return LONGEST;
    assert(n < LONGEST && m < LONGEST);
    int d[LONGEST][LONGEST];
    for (size_t i = 0; i <= n; i++) d[i][0] = (int)i;
    for (size_t j = 0; j <= m; j++) d[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            const int changed = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, changed);
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[n][m];
}

const char *rc_nearest(const char *word, const char *const names[]) {
    const char *best = NULL;
    const int length = (int)strlen(word);
    int best_distance = length <= 2 ? 2 : length / 3 + 2; /* one more than is still near */
    for (int i = 0; names[i] != NULL; i++) {
        const bool begins = length >= 3 && strncmp(names[i], word, (size_t)length) == 0;
        const int edits = begins ? 1 : distance(word, names[i]);
        if (edits >= best_distance || edits >= (int)strlen(names[i])) continue;
        best = names[i];
        best_distance = edits;
    }
    return best;
}

/* Writes "a, b, c" for the error message. */
static void join(const char *const names[], char out[], size_t n_out) {
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; names[i] != NULL && used < n_out; i++) {
        used += (size_t)snprintf(out + used, n_out - used, "%s%s", i == 0 ? "" : _(", "), names[i]);
    }
}

rc_exit rc_parse_choice(const char *option, const char *word, const char *const names[],
                        rs_error *error, int *index) {
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(word, names[i]) != 0) continue;
        *index = i;
        return RC_GOOD;
    }
    char choices[200];
    join(names, choices, sizeof choices);
    const char *near = rc_nearest(word, names);
    if (near != NULL) {
        return rc_fail(error, RC_USAGE, _("%s %.60s: did you mean '%s'? There are %s"), option,
                       word, near, choices);
    }
    return rc_fail(error, RC_USAGE, _("%s %.60s: choose one of %s"), option, word, choices);
}
