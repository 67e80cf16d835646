/* plain_story.h: a whole story as plain text, from where the playback is; called by rv_write_story. */
#ifndef RV_TEXT_TOLD_H
#define RV_TEXT_TOLD_H

#include "model/playback.h"

typedef struct rv_story_text {
    rs_write write;
    void *context;
    int width; /* in characters */
} rv_story_text;
rs_status rv_write_frames(const rv_story_text *to, rv_playback *playback, rs_error *error);

#endif
