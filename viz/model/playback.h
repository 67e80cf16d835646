/* playback.h: a reader's way through a subject: keys in, a state to draw out. Pure: no clock, no terminal.
 *
 *     rv_playback_start(&playback, &subject, options);
 *     loop: rv_compose(&playback, &screen); paint; wait 1 / playback.speed seconds for a key;
 *           rv_playback_key(&playback, key)  or, when the time is over,  rv_playback_tick(&playback)
 */
#pragma once

#include "model/model.h"
#include "model/subject.h"

typedef enum rv_mode { RV_LOOKING, RV_ASKING, RV_TYPING, RV_READING_HELP } rv_mode;

/* How the last answer was judged, as long as its message is shown. */
typedef enum rv_reply { RV_NO_REPLY, RV_REPLY_RIGHT, RV_REPLY_WRONG } rv_reply;

typedef struct rv_playback {
    rv_subject subject;
    int32_t rank;   /* the GPU that is followed */
    int32_t part;   /* of a story's moment: the part that is shown alone; -1: all */
    unsigned views; /* open in the terminal, a bit each (the window keeps its own) */
    rv_mode mode;
    rv_mode behind; /* the mode to go back to after help or typing */
    bool predict, playing, quit;
    bool wants_picture; /* the driver saves one, then clears this */
    bool ascii;
    double speed;         /* steps a second */
    char typed[12];       /* digits after `g` */
    rv_question question; /* while asking */
    int32_t chosen;       /* the answer that the next key on commits; -1: none */
    int32_t n_asked, n_right;
    rv_reply reply;
    /* Where the last key leads. The subject stands there already, unless the driver animates
       (`flies`): then it stays in its step, or goes to the start of the next one, and the driver
       moves it on with the chunks. That saves seeking back and forth. */
    int32_t goal_step;
    rv_moment goal;
    bool flies;
    char message[256]; /* shown until the next key */
    int32_t first;     /* what is longer than the screen is shown from this line on */
    bool wants_row;    /* another GPU is followed: its line should be seen */
    int32_t n_below;   /* so many of its lines lie below; the driver says so */
} rv_playback;

/* Starts where the options say. The caller has prepared the subject with rv_subject_walk. */
rs_status rv_playback_start(rv_playback *playback, const rv_subject *subject,
                            const rv_options *options, rs_error *error);
rv_position rv_position_of(const rv_playback *playback); /* where the subject stands */
rs_status rv_playback_seek(const rv_playback *playback, int32_t step, rv_moment moment,
                           rs_error *error);
rs_status rv_playback_key(rv_playback *playback, int32_t key, rs_error *error);
/* Goes one step on while playing. */
rs_status rv_playback_tick(rv_playback *playback, rs_error *error);
/* Names a picture of the step shown, without its ending: "ringsim-step-3". Puts into the message
   that the file was saved, or why not. */
void rv_name_picture(const rv_playback *playback, const rv_options *options, char *out,
                     size_t n_out);
void rv_say_saved(rv_playback *playback, const char *path, const char *why_not);
