/* words.h: how a text is marked for translation. _() translates now, N_() only marks. */
#ifndef RV_WORDS_H
#define RV_WORDS_H

#include "ringsim_viz.h"

#define _(text) rv_gettext(text)
#define N_(text) text

#endif
