/* trouble.c: what is wrong with a program, in words. */
#include "ringsim_print.h"
#include "tree.h"

#include <stdio.h>
#include <string.h>

const char rs_c_no_memory[] = N_("no memory for the program");

rs_status rs_c_status(const rs_trouble *trouble) {
    if (trouble->what == NULL) return RS_OK;
    return trouble->what == rs_c_no_memory ? RS_NO_MEMORY : RS_BAD_INPUT;
}

void rs_c_blame(rs_trouble *trouble, int32_t line, const char *what, const char *word,
                size_t n_word) {
    if (trouble->what != NULL) return;
    trouble->what = what;
    trouble->line = line;
    size_t n = 0;
    for (size_t i = 0, length; i < n_word; i += length) { /* whole characters that can be shown */
        uint32_t c;
        length = rs_decode_utf8(word + i, n_word - i, &c);
        const bool shown = length > 0 && c >= ' ' && !(c >= 0x7f && c < 0xa0);
        if (length == 0) length = 1;
        const size_t put = shown ? length : 1;
        if (n + put >= sizeof trouble->word) break;
        memcpy(trouble->word + n, shown ? word + i : "?", put);
        n += put;
    }
    trouble->word[n] = '\0';
}

char *rs_trouble_text(const rs_trouble *trouble, const char *text, char *out, size_t n_out) {
    size_t n = 0;
    for (; *text != '\0' && n + 64 < n_out; text++) {
        if (*text != '@' || text[1] == '\0' || strchr("wab", text[1]) == NULL) {
            out[n++] = *text;
            continue;
        }
        text++;
        if (*text == 'w') {
            n += (size_t)snprintf(out + n, n_out - n, "%s", trouble->word);
        } else {
            n += (size_t)snprintf(out + n, n_out - n, "%lld",
                                  (long long)(*text == 'a' ? trouble->a : trouble->b));
        }
    }
    out[n] = '\0';
    return out;
}
