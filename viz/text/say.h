/* say.h: a text that grows in a caller's buffer: always terminated, cut at a whole character. */
#pragma once

#include "text/words.h"

typedef struct rv_say {
    char *out;
    size_t n_out, used;
} rv_say;

/* Writes a text of one sentence; returns its bytes. */
size_t rv_say_text(char *out, size_t n_out, const char *format, ...) RS_PRINTF(3, 4);
rv_say rv_say_to(char *out, size_t n_out);
void rv_say_more(rv_say *say, const char *format, ...) RS_PRINTF(2, 3);
