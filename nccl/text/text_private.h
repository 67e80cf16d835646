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

enum { RN_NARROWEST = 40 }; /* terminal, in columns */
/* Returns the column at which a terminal has cut the lines of a text, or those that are quoted, which then begin behind the quote's
   sign; 0: it has not. */
int32_t rn_wrap_column(const char *text, size_t n_bytes, bool quoted);
/* Returns how many columns a line takes, up to the last word and one blank; *blank: there is one behind it. */
int32_t rn_columns(const char *line, size_t n_bytes, bool *blank);
/* Does the line begin a message, or a row of a table? before: the line before it, NULL at first: who begins with the same word
   begins the same. */
bool rn_begins(const char *line, size_t n_bytes, const char *before, size_t n_before);
/* Does it begin with what a message or a row begins with, and no prefix before it? So does an empty one. */
bool rn_has_head(const char *line, size_t n_bytes);
/* Does a message break off in the line, whatever its length? */
bool rn_breaks_off(const char *line, size_t n_bytes);
