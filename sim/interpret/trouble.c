/* trouble.c: what is wrong with a program, in words. */
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
    if (n_word >= sizeof trouble->word) n_word = sizeof trouble->word - 1;
    for (size_t i = 0; i < n_word; i++) {
        trouble->word[i] = word[i] >= ' ' && word[i] <= '~' ? word[i] : '?';
    }
    trouble->word[n_word] = '\0';
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
