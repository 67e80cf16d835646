/* text.c: what is printed: odd names made harmless, forms filled in, columns that hold in Chinese too, what readers of others'
 * files found; and in which language.
 *
 *     "\033[31mred\n.sched"  -->  "?[31mred?.sched"
 *
 *   - What a terminal would obey (control characters, also those beyond ASCII, and the marks that turn the
 *     reading direction) and what is no UTF-8 becomes a question mark each.
 *   - --lang decides, then LANGUAGE, LC_ALL, LC_MESSAGES and LANG. The catalogue is looked for beside the
 *     program (a build tree that was never installed), then where the program was installed to.
 */
#include "base/text.h"
#include "ringsim_print.h"
#include "text/width.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_unprintable(uint32_t c, bool one_line) {
    return rs_is_unprintable(c) && (one_line || (c != '\n' && c != '\t'));
}

char *rc_plain(const char *text, bool one_line, char *out, size_t n_out) {
    const char *at = text;
    size_t used = 0, left = strlen(text);
    while (left > 0) {
        uint32_t character;
        size_t length = rs_decode_utf8(at, left, &character);
        const bool bad = length == 0 || is_unprintable(character, one_line);
        if (length == 0) length = 1;
        const size_t n = bad ? 1 : length;
        if (used + n >= n_out) break;
        memcpy(out + used, bad ? "?" : at, n);
        used += n;
        at += length;
        left -= length;
    }
    out[used] = '\0';
    return out;
}

bool rc_ends_with(const char *text, const char *end) {
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

size_t rc_fill_in(const char *form, const char *letters, const char *const values[], char *out,
                  size_t n_out) {
    size_t n = 0;
    for (; *form != '\0' && n + 1 < n_out; form++) {
        const char *letter = *form == '@' && form[1] != '\0' ? strchr(letters, form[1]) : NULL;
        if (letter == NULL) {
            out[n++] = *form;
        } else {
            n += (size_t)snprintf(out + n, n_out - n, "%s", values[letter - letters]);
            form++;
        }
    }
    if (n >= n_out) n = n_out - 1;
    out[n] = '\0';
    return n;
}

/* ------------------------------------------------------------------ columns, in either language */

void rc_print_padded(const char *text, int width) {
    const int left = abs(width) - rv_text_width(text), n = left > 0 ? left : 0;
    printf("%*s%s%*s", width < 0 ? n : 0, "", text, width < 0 ? 0 : n, "");
}

void rc_print_columns(const char *const heads[], int n_columns, const char *cells, size_t n_cell,
                      int n_rows) {
    for (int row = -1; row < n_rows; row++) {
        for (int c = 0; c < n_columns; c++) {
            int width = rv_text_width(_(heads[c]));
            const char *text = _(heads[c]);
            for (int r = 0; r < n_rows; r++) {
                const char *cell = cells + (size_t)(r * n_columns + c) * n_cell;
                if (r == row) text = cell;
                if (rv_text_width(cell) > width) width = rv_text_width(cell);
            }
            rc_print_padded(text, c < n_columns - 1 ? width + 2 : 0);
        }
        puts("");
    }
}

void rc_print_fitting(double value, int width) {
    int power = 0;
    for (double limit = 1; value >= limit; limit *= 10) power++;
    const int room = width - 1 - power, decimals = value < 0 || room < 1 ? 0 : room < 2 ? 1 : 2;
    if (power > width)
        printf("  %*.*e", width, width >= 7 ? 1 : 0, value);
    else
        printf("  %*.*f", width, decimals, value);
}

void rc_print_indented(const char *text, int indent, int width) {
    for (size_t next; *text != '\0'; text += next) {
        const size_t n = rv_wrap(text, width - indent, &next);
        assert(next > 0); /* each line takes something away */
        printf("%.*s\n", (int)n, text);
        while (text[next] == ' ') next++;
        if (text[next] != '\0') printf("%*s", indent, "");
    }
}

void rc_print_wrapped(const char *text, int width) {
    rc_print_indented(text, 0, width);
}

/* ------------------------------------------------------------------ findings */

void rc_print_findings(const rn_findings *findings, const char *file) {
    static const char *const levels[RN_N_LEVELS] = {N_("error"), N_("warning"), N_("note")};
    char said[RS_ERROR_TEXT], plain[RS_ERROR_TEXT];
    int64_t n_printed = 0;
    for (int32_t i = 0; i < findings->n_kept; i++) {
        const rn_finding *found = &findings->list[i];
        if (found->level == RN_ERROR) continue;
        rs_error_said(&found->said, rv_gettext, said, sizeof said);
        fprintf(stderr, "ringsim: %.150s:%lld: %s%s%s\n", rc_plain(file, true, plain, sizeof plain),
                (long long)found->line, _(levels[found->level]), _(": "),
                rc_plain(said, true, said, sizeof said));
        n_printed++;
    }
    const int64_t n = findings->n[RN_WARNING] + findings->n[RN_NOTE];
    if (n > n_printed) {
        fprintf(stderr, _("ringsim: and %lld more such lines\n"), (long long)(n - n_printed));
    }
}

/* ------------------------------------------------------------------ the language */

static const char *from_environment(void) {
    const char *all = getenv("LC_ALL"), *messages = getenv("LC_MESSAGES"), *lang = getenv("LANG");
    const char *list = getenv("LANGUAGE");
    return rv_pick_language(list != NULL && *list != '\0' ? list : all, messages, lang);
}

bool rc_choose_language(const char *program, const char *wanted) {
    const char *language = wanted != NULL ? wanted : from_environment();
    if (strcmp(language, "en") == 0) return true;
    rc_folders folders;
    rc_find_folders(program, RC_CATALOGUES, &folders);
    return rv_set_language(language, folders.list) || wanted == NULL;
}
