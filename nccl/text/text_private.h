/* text_private.h: what the parts of the front end share. Private to this folder. */
#pragma once

#include "ringsim_text.h"

/* Matches a form from its beginning; returns how many bytes it took, 0: none. In a form 9 is a digit, 9+ some of them, w+ some of a
   name, ~ one blank, _ one or more, a a letter, ? makes what is before it one that may lack; all else stands for itself. */
size_t rn_match(const char *form, const char *at, const char *end);
/* A line's number, or the rank that srun puts before it. */
extern const char rn_label[];
/* Returns how many bytes a host and a colon take at its beginning, "node-1: "; it has a digit. */
size_t rn_host_bytes(const char *line, size_t n_bytes);
/* Returns how many bytes the signs of a quote take: "> ", "| ". */
size_t rn_quote_bytes(const char *line, size_t n_bytes);
/* Takes off what a terminal would not show; blanks of all kinds become ' '. Returns the length. */
size_t rn_drop_unseen(char *line, size_t n_bytes);
/* Turns &gt;, <br> and their like into what they stand for, in place. */
size_t rn_drop_marks(char *line, size_t n_bytes);

/* ------------------------------------------------------------------ wrapped.c */

enum { RN_LEAST_PIECE = 2 }; /* bytes of a line that goes on, with its end */
/* How the lines of a text were broken. */
typedef struct rn_wrap {
    int32_t column; /* 0: they were not */
    bool words;  /* between words, whose blank is lost; else at the column, whatever stands there */
    bool quoted; /* before it was quoted: columns count behind the quote's sign */
} rn_wrap;
rn_wrap rn_find_wrap(const char *text, size_t n_bytes);
/* The line before, as it was; begins empty. */
typedef struct rn_line_before {
    const char *line; /* [n]; NULL: there is none */
    size_t n;
    int32_t columns; /* up to its last word */
    bool blank;      /* some are behind it */
    bool message;    /* it is of one that is known by its head */
} rn_line_before;
void rn_keep_line(rn_line_before *before, const char *line, size_t n_bytes);
/* How a line goes on with the one before: not at all, at once, with a blank in place of its margin. */
typedef enum rn_joint { RN_APART, RN_TOGETHER, RN_WITH_BLANK } rn_joint;
/* text: the message that the line before ends, as it has been written. */
rn_joint rn_joint_of(const rn_wrap *wrap, const rn_line_before *before, const char *text,
                     size_t n_bytes, const rn_lines *l);
/* Does it begin with what a message or a row begins with, and no prefix before it? So does an empty one. */
bool rn_has_head(const char *line, size_t n_bytes);
