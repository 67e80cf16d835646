/* width.h: how wide a text is in characters of a terminal, and where its lines end. Pure. */
#ifndef RV_WIDTH_H
#define RV_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/* Reads one character of UTF-8 (bad bytes count one each, as U+FFFD); returns its bytes. */
int rv_decode(const char *text, uint32_t *code);
/* Columns of a character: 0 (combining), 1 or 2 (Chinese, Japanese, Korean, full width). */
int rv_code_width(uint32_t code);
int rv_text_width(const char *text);
/* Returns how many bytes of text fit in `width` columns, broken between words (Chinese: between
   characters). *next: where the following line starts. */
size_t rv_wrap(const char *text, int width, size_t *next);

#endif
