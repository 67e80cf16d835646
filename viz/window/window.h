/* window.h: what the files of the window share: SDL2's loop, keys and display. */
#ifndef RV_WINDOW_H
#define RV_WINDOW_H

#include "canvas.h"
#include "stage.h"

#include <SDL.h>

/* window.c */
rs_status rv_window_run(const rs_report *report, const rv_options *options, const rs_host *host,
                        rs_error *error);
bool rv_has_display(rs_error *error);
/* input.c: the key of the table that an event means; RV_KEY_NONE: none. */
int32_t rv_key_of(const SDL_Event *event);

#endif
