/* words.h: marks a text for translation. _() translates it now, N_() only marks it. */
#ifndef RV_WORDS_H
#define RV_WORDS_H

#include "ringsim_viz.h"

#define _(text) rv_gettext(text)
#define N_(text) text

#endif
