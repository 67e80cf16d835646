/* plain_story.h: a story as plain text; rv_write_text calls it. */
#ifndef RV_PLAIN_STORY_H
#define RV_PLAIN_STORY_H

#include "model/playback.h"

/* Where plain text goes, and how wide it is, in characters. */
typedef struct rv_text_sink {
    rs_write write;
    void *context;
    int width;
} rv_text_sink;
/* Writes each moment from where the playback stands; the end has the story's figures, too. */
rs_status rv_write_frames(const rv_text_sink *to, rv_playback *playback, rs_error *error);
/* Writes the end alone; if the story lists them, with the sentences of all moments. */
rs_status rv_write_figures(const rv_text_sink *to, rv_playback *playback, rs_error *error);
void rv_write_line(const rv_text_sink *to, const char *text);

#endif
