/* result.c: the texts of a result: keeps messages, makes cut ones whole, finds the main reason. */
#include "base/text.h"
#include "grade/result.h"

#include <assert.h>
#include <string.h>

void rc_keep_said(char out[RC_MESSAGES], const rc_stream *stream) {
    size_t n = strlen(out);
    if (stream->data == NULL || n + 8 >= RC_MESSAGES) return;
    n += strlen(rc_plain(stream->data, false, out + n, RC_MESSAGES - n));
    if (n > 0 && out[n - 1] != '\n' && n + 1 < RC_MESSAGES) strcpy(out + n, "\n");
}

void rc_keep_printed(rc_grade *grade, const rc_exec_result *result) {
    rc_keep_said(grade->printed, &result->out);
    grade->refused = grade->refused || result->end == RC_END_REFUSED;
    if (result->end != RC_END_TROUBLE) rc_keep_said(grade->printed, &result->err);
}

/* Makes a text whole again: one that was cut may end inside a character. */
static void tidy(char *text, size_t n_text) {
    assert(n_text <= RC_MESSAGES);
    char whole[RC_MESSAGES];
    rc_plain(text, false, whole, n_text);
    memcpy(text, whole, strlen(whole) + 1);
}

void rc_tidy_texts(rc_grade *grade) {
    for (int i = 0; i < grade->n_parts; i++) tidy(grade->parts[i].why, RC_WHY);
    tidy(grade->trouble, RC_WHY);
    tidy(grade->messages, RC_MESSAGES);
    tidy(grade->printed, RC_MESSAGES);
}

const char *rc_main_reason(const rc_grade *grade) {
    const char *reason = grade->trouble;
    for (int i = 0; i < grade->n_parts; i++) {
        const rc_part *part = &grade->parts[i];
        /* the first of several; what only follows from others' faults does not count */
        const int lost = part->follows ? 0 : part->most - part->points;
        if (reason[0] == '\0' && lost > 0) reason = part->why;
    }
    return reason;
}
