/* gui_names.h: what a test of the window calls keys, buttons and things. */
#pragma once

#include "stage/stage.h"

/* A key as xdotool names it; RV_KEY_NONE: unknown. */
int32_t gui_key(const char *name);
/* What a button does: next, play, matrix, ...; RV_NO_ACTION: unknown. */
int gui_action(const char *name);
/* cell, choice, gpu, link, ...; RV_NOTHING: unknown. */
rv_target gui_target(const char *thing, int a, int b, int c);
