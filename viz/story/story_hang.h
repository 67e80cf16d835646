/* story_hang.h: how a job of many ranks came to stand still, call by call, as a story (frame.h). */
#ifndef RV_STORY_HANG_H
#define RV_STORY_HANG_H

#include "ringsim_hang.h"
#include "story/frame.h"

enum { RV_HANG_TEXT = 4096 };
/* Fills *story: a step is a call of the group where it goes wrong, the end the standstill. `sentence` writes the verdict
   in the language of now into RV_HANG_TEXT bytes, and returns them. `of` must outlive the story; what it needs else is
   from the arena. Fails only without memory. */
rs_status rv_story_hang(const rs_hang *of, char *(*sentence)(const rs_hang *hang, char *out),
                        rs_arena *arena, rs_error *error, rv_story *story);

/* Writes ranks as "0-3, 7"; returns out. */
char *rv_rank_list(const int32_t ranks[], int32_t n, char *out, size_t n_out);

#endif
