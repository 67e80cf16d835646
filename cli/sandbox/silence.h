/* silence.h: a submission that tells the compiler to keep its warnings to itself. */
#ifndef RC_SILENCE_H
#define RC_SILENCE_H

#include <stdbool.h>

/* Tells whether the text says which warnings the compiler shall not give. */
bool rc_silences_warnings(const char *text);

#endif
