/* waits_told.h: who waits for whom in a job that stands still: waits that are alike are one row, in words. */
#ifndef RV_WAITS_TOLD_H
#define RV_WAITS_TOLD_H

#include "story/story_hang.h"

enum { RV_MOST_WAITS = 24 };
typedef struct rv_wait_class {
    const rn_hang_wait *like;
    int32_t *ranks, n;
    bool differs;
} rv_wait_class;
typedef struct rv_wait_classes {
    rv_wait_class list[RV_MOST_WAITS];
    int32_t n; /* all; RV_MOST_WAITS of them are kept */
} rv_wait_classes;
/* Finds the classes, those of the first ranks first; their ranks are from the arena. false: no memory. */
bool rv_find_waits(const rn_hang *hang, rs_arena *arena, rv_wait_classes *found);
/* Puts them into the frame as a grid. */
void rv_fill_waits(const rv_wait_classes *waits, rv_frame *frame);

#endif
