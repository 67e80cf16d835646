/* words.h: marks a text for translation. _() translates it now, N_() only marks it. */
#pragma once

#include "ringsim_viz.h"

#define _(text) rv_gettext(text)
#define N_(text) text
