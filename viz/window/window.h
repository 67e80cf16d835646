/* window.h: what the files of the window share: SDL2's loop, keys and display.
 *
 *     display.c  is there one?       window.c   opens, loops, closes       save.c   pictures by key
 *     glass.c    pixels to screen    input.c    keyboards --> our keys     icon.c   the window's icon
 *     window_events.c   SDL's events into the stage    ending.c   signals, a display that goes
 *     x11.c      what SDL does not ask Xlib for
 */
#ifndef RV_WINDOW_H
#define RV_WINDOW_H

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
    char title[256];  /* as the window bears it */
    bool dirty;       /* what is seen is not what the stage shows */
    bool hidden;      /* nobody can see it */
    bool exposed;     /* the screen has lost what it showed */
    bool full_screen; /* as the window is */
    SDL_Rect before;  /* where it was before it filled the screen by hand */
    SDL_Cursor *hand; /* over what can be pressed */
    bool hand_shown;
} rv_window;

/* window.c */
rs_status rv_window_run(const rv_subject *subject, const rv_options *options, const rs_host *host,
                        rs_error *error);
/* From English to Chinese and back. */
void rv_switch_language(rv_stage *stage);
/* display.c */
bool rv_has_display(rs_error *error);
/* window_events.c: hands an event to the stage. */
rs_status rv_window_take(rv_window *window, const SDL_Event *event, rs_error *error);
/* input.c: the key of the table that an event means; RV_KEY_NONE: none. */
int32_t rv_key_of(const SDL_Event *event);
/* Decides, by the keyboard's layout, whether characters come as keys or as text. */
void rv_choose_input(void);
/* save.c: writes the picture; the file's name, or why there is none, goes to playback.message. */
void rv_save_picture(rv_stage *stage, rv_canvas *canvas, bool svg);
/* icon.c */
void rv_set_icon(SDL_Window *window, rv_canvas *canvas);
/* ending.c */
void rv_watch_signals(void);
/* Raises again what ended the window. */
void rv_release_signals(void);
/* To be handed to sigsetjmp at once: it returns there when the display goes. */
sigjmp_buf *rv_watch_display(void);
/* x11.c: one of Xlib's functions; NULL: there is none. */
void *rv_in_xlib(const char *name);
bool rv_has_window_manager(void);
/* To be called before SDL connects to an X server: what that complains of ends nothing. */
void rv_forgive_complaints(void);

#endif
