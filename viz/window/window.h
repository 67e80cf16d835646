/* window.h: what the files of the window share: SDL2's loop, keys and display.
 *
 *     display.c  is there one?       window.c   opens, loops, closes       save.c   pictures by key
 *     glass.c    pixels to screen    input.c    keyboards --> our keys     icon.c   the window's icon
 *     window_events.c   SDL's events into the stage    ending.c   signals, a display that goes, Xlib
 */
#pragma once

#include "canvas/canvas.h"
#include "stage/stage.h"

#include <SDL.h>
#include <setjmp.h>

#ifndef _
#define _(text) rv_gettext(text)
#endif

/* Where the picture is painted: `image` has the window's pixels. */
typedef struct rv_glass {
    SDL_Window *window;
    SDL_Renderer *renderer; /* NULL: direct */
    SDL_Texture *texture;
    cairo_surface_t *image;
    int width, height; /* in pixels */
    bool direct;       /* image is the window's own memory */
    bool waits;        /* showing it waits for the screen */
} rv_glass;
rs_status rv_glass_open(rv_glass *glass, SDL_Window *window, rs_error *error);
/* Fits the image to the window's size in pixels; *changed: it is a new one. */
rs_status rv_glass_fit(rv_glass *glass, bool *changed, rs_error *error);
/* Shows the boxes that have changed; n_boxes < 0: all of it. */
void rv_glass_show(rv_glass *glass, const rv_box boxes[], int n_boxes);
void rv_glass_close(rv_glass *glass);

typedef struct rv_window {
    SDL_Window *window;
    rv_glass glass;
    rv_canvas *canvas;
    rv_ruler ruler; /* of the canvas */
    rv_stage *stage;
    char title[256];  /* that the window has now */
    bool dirty;       /* the stage has changed since the last frame */
    bool hidden;      /* minimised, or hidden otherwise */
    bool exposed;     /* the screen has lost what it showed */
    bool full_screen; /* the window's state, which may not yet be what the stage wants */
    SDL_Rect before;  /* its place before fill_by_hand (window.c) made it fill the screen */
    SDL_Cursor *hand; /* the cursor over buttons and the like */
    bool hand_shown;
} rv_window;

/* window.c */
rs_status rv_window_run(const rv_subject *subject, const rv_options *options, const rs_host *host,
                        rs_error *error);
/* Gives the stage the window's size of now. RS_NO_MEMORY: it is too large. */
rs_status rv_window_fit(rv_window *window, rs_error *error);
/* display.c */
bool rv_has_display(rs_error *error);
bool rv_desktop_is_dark(void);
/* window_events.c: hands an event to the stage. */
rs_status rv_window_take(rv_window *window, const SDL_Event *event, rs_error *error);
/* input.c: returns the key of the table that an event means; RV_KEY_NONE: none. */
int32_t rv_key_of(const SDL_Event *event);
/* Decides, by the keyboard's layout, whether characters come as keys or as text. */
void rv_choose_input(void);
/* save.c: writes the picture; playback.message gets the file's name, or why there is none. */
void rv_save_picture(rv_stage *stage, bool svg);
/* icon.c */
void rv_set_icon(SDL_Window *window, rv_canvas *canvas);
/* ending.c */
void rv_watch_signals(void);
/* Raises again the signal that ended the window. */
void rv_release_signals(void);
/* Returns a place for sigsetjmp, which the caller must call at once: it returns again when the
   display goes. */
sigjmp_buf *rv_watch_display(void);
bool rv_has_window_manager(void);
/* Call it before SDL connects to an X server: no error of the server ends the program then. */
void rv_forgive_complaints(void);
