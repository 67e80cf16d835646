/* telling.h: a reader's position in a story, the frame of that moment, and the survey of all
 * moments. It does for a story what a model does for a run.
 *
 *     story --rv_telling_start--> TELLING --rv_story_subject--> subject --> playback, terminal, window
 */
#pragma once

#include "model/subject.h"
#include "story/frame.h"

typedef struct rv_telling {
    const rv_story *story;
    rv_position at;
    rs_arena arena;
    rv_frame frame; /* of step, rank and language, if it is fresh */
    bool fresh;
    int32_t step, rank;
    char language[16];
    int64_t before_ps; /* where the play head stands one step before; -1: nowhere */
    rv_survey survey;
    char surveyed[16]; /* the survey's language; "": there is none yet */
} rv_telling;

/* Begins at the start. The story must outlive the telling. */
void rv_telling_start(rv_telling *telling, const rv_story *story);
void rv_telling_free(rv_telling *telling);
/* The subject borrows the telling. */
rv_subject rv_story_subject(rv_telling *telling);

/* For views of a subject that is a story: return the story; the frame of its moment, which is made
   once; the survey of all moments, in the language in use. */
const rv_story *rv_story_of(const rv_subject *subject);
const rv_frame *rv_frame_of(const rv_subject *subject, int32_t rank);
void rv_refresh_story(const rv_subject *subject); /* before it is drawn: asks for news */
const rv_survey *rv_survey_of(const rv_subject *subject, int32_t rank);
