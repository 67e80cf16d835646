/* silence.h: could a file tell the compiler to keep its warnings to itself? */
#ifndef RC_SILENCE_H
#define RC_SILENCE_H

#include <stdbool.h>
#include <stddef.h>

/* Tells whether the text has anything that could: then it is compiled once more without it. False is sure,
   true is a suspicion. */
bool rc_may_silence_warnings(const char *text, size_t n_bytes);
/* Removes all lines that begin with # from what the preprocessor left; returns the bytes that remain. */
size_t rc_remove_directives(char *text, size_t n_bytes);

#endif
