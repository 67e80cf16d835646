/* plain_story.h: a whole story as plain text, from where the playback is; called by rv_write_story. */
#ifndef RV_TEXT_TOLD_H
#define RV_TEXT_TOLD_H

#include "model/playback.h"

typedef struct rv_told_text {
    rs_write write;
    void *context;
    int width; /* in characters */
} rv_told_text;
rs_status rv_write_told(const rv_told_text *to, rv_playback *playback, rs_error *error);

#endif
