/* text_private.h: what the parts of the front end share. Private to this folder. */
#pragma once

#include "ringsim_text.h"

/* Matches a form from its beginning; returns how many bytes it took, 0: none. In a form 9 is a digit, 9+ some of them, w+ some of a
   name, ~ one blank, _ one or more, a a letter, ? makes what is before it one that may lack; all else stands for itself. */
size_t rn_match(const char *form, const char *at, const char *end);
/* Returns how many bytes a host and a colon take at its beginning, "node-1: "; such a prefix is one where a neighbour has it, too. */
size_t rn_host_bytes(const char *line, size_t n_bytes);
/* Returns how many bytes the signs of a quote take: "> ", "| ". */
size_t rn_quote_bytes(const char *line, size_t n_bytes);
/* Takes off what a terminal would not show; blanks of all kinds become ' '. Returns the length. */
size_t rn_drop_unseen(char *line, size_t n_bytes);
/* Turns &gt;, <br> and their like into what they stand for, in place. */
size_t rn_drop_marks(char *line, size_t n_bytes);

/* ------------------------------------------------------------------ wrapped.c */

enum {
    RN_NARROWEST = 40,  /* terminal, in columns */
    RN_LEAST_PIECE = 2, /* bytes of a line that goes on, with its end */
};
/* How a terminal has broken the lines of a text. */
typedef struct rn_wrap {
    int32_t column; /* 0: it has not */
    bool words;  /* between words, whose blank is lost; else at the column, whatever stands there */
    bool quoted; /* before it was quoted: columns count behind the quote's sign */
} rn_wrap;
rn_wrap rn_find_wrap(const char *text, size_t n_bytes);
/* Returns how many columns a line takes, up to its last word; *blanks: how many are behind it. */
int32_t rn_columns(const char *line, size_t n_bytes, int32_t *blanks);
/* Would its first word have had room behind a line of so many columns? */
bool rn_has_room(int32_t column, int32_t columns, const char *line, size_t n_bytes);
/* Does the line begin a message, or a row of a table? before: the line before it, NULL at first: who begins with the same word
   begins the same. */
bool rn_begins(const char *line, size_t n_bytes, const char *before, size_t n_before);
/* Is a line of a message that is known by its head, or behind one that was, with no empty line between? */
bool rn_is_message(const char *line, size_t n_bytes, bool was);
/* Does it begin with what a message or a row begins with, and no prefix before it? So does an empty one. */
bool rn_has_head(const char *line, size_t n_bytes);
/* Breaks a call or a sentence of the watchdog's off at the end of a text, whatever its length, and has a line more of it? */
typedef enum rn_broken { RN_WHOLE, RN_BROKEN_ANYWHERE, RN_BROKEN_AT_BLANK } rn_broken;
rn_broken rn_breaks_off(const char *text, size_t n_bytes, const char *line, size_t n_line);
