/* in_words.h: texts of this library in the reader's language. Private to nccl/. */
#pragma once

#include "ringsim_findings.h"

#define N_(text) text /* marks a text for translation, where it is said */

/* Returns the text by those words; NULL: as it is. */
#if defined(__GNUC__)
__attribute__((format_arg(2)))
#endif
static inline const char *
rn_in_words(rn_words *words, const char *english) {
    return words != NULL ? words(english) : english;
}

/* findings.c: return RS_NO_MEMORY, or RS_UNSUPPORTED where this build has no expat, and say so in *error. */
rs_status rn_no_memory(const rn_findings *findings, rs_error *error);
rs_status rn_no_expat(rn_words *words, rs_error *error);
