/* width.h: how wide a text is in characters of a terminal, and where its lines end. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Styles of words, which may be added up. Inside a text a byte RV_STYLE_BYTE + style changes the
   style of what follows; it takes no room. */
enum { RV_STYLE_BYTE = 0x10, RV_STYLE_STRONG = 1, RV_STYLE_EMPHASIS = 2, RV_STYLE_CODE = 4 };
bool rv_is_style(char byte);

/* Reads one character of UTF-8 (bad bytes count one each, as U+FFFD); returns its bytes. */
int rv_decode(const char *text, uint32_t *code);
/* Columns of a character: 0 (combining), 1 or 2 (Chinese, Japanese, Korean, full width). */
int rv_code_width(uint32_t code);
/* of n_bytes, which end after a whole character */
int rv_width_of(const char *text, size_t n_bytes);
int rv_text_width(const char *text);
/* Returns how many bytes of text fit in `width` columns, broken between words (Chinese: between
   characters). *next: where the following line starts. */
size_t rv_wrap(const char *text, int width, size_t *next);
