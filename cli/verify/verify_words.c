/* verify_words.c: what reading and setting up share: words of a list, and how many elements a size has. */
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/* Takes the next word of a list a,b,c into `word`; returns what follows, NULL after the last. */
static const char *next_word(const char *text, char word[32]) {
    const size_t length = strcspn(text, ",");
    snprintf(word, 32, "%.*s", (int)(length < 32 ? length : 31), text);
    return text[length] == ',' ? text + length + 1 : NULL;
}

rc_exit rc_verify_words(const rc_options *options, rc_option_id id, const char *const names[],
                        int by_default, rs_error *error, int chosen[], int *n_chosen) {
    const char *text = options->value[id];
    int n = 0;
    if (text == NULL) chosen[n++] = by_default;
    if (text != NULL && strcmp(text, "all") == 0) {
        for (; names[n] != NULL; n++) chosen[n] = n;
        text = NULL;
    }
    while (text != NULL) {
        char word[32], option[32];
        int at;
        text = next_word(text, word);
        if (word[0] == '\0') {
            return rc_fail(error, RC_USAGE, _("--%s '%.100s': a name is missing"),
                           rc_option_table[id].name, options->value[id]);
        }
        snprintf(option, sizeof option, "--%s", rc_option_table[id].name);
        const rc_exit status = rc_parse_choice(option, word, names, error, &at);
        if (status != RC_GOOD) return status;
        int i = 0;
        while (i < n && chosen[i] != at) i++;
        chosen[i] = at;
        if (i == n) n++;
    }
    *n_chosen = n;
    return RC_GOOD;
}

int64_t rc_verify_count_at(const rc_verify_plan *plan, int64_t size, rs_dtype dtype) {
    return plan->sizes_are_counts ? size : size / rs_dtype_bytes(dtype);
}
