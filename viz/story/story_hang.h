/* story_hang.h: how a job of many ranks came to stand still, call by call, as a story (frame.h). */
#pragma once

#include "ringsim_hang.h"
#include "story/frame.h"

enum { RV_HANG_TEXT = 4096 };
/* Fills *story: a step is a call of the group where it goes wrong, the end the standstill. `sentence` writes the verdict
   in the language of now into RV_HANG_TEXT bytes, and returns them. `of` must outlive the story; what it needs else is
   from the arena. Fails only without memory. */
rs_status rv_story_hang(const rn_hang *of, char *(*sentence)(const rn_hang *hang, char *out),
                        rs_arena *arena, rs_error *error, rv_story *story);

/* Who waits for whom, in words. */
enum { RV_WAIT_TEXT = 256 };

/* Orders waits by group, number and call; 0: they are alike, but for the rank that waits. */
int rv_order_waits(const rn_hang_wait *a, const rn_hang_wait *b);
/* Are these two calls of one number, which all have made, and which differ? */
bool rv_waits_differ(const rn_hang_wait *a, const rn_hang_wait *b);
/* Returns a call's name, for people. */
const char *rv_call_name(const char *call);
/* Writes the call and its number, of those that differ its size, too; returns out. */
char *rv_wait_call(const rn_hang_wait *wait, bool differs, char out[RV_WAIT_TEXT]);
/* Writes for whom it waits; returns out. */
char *rv_wait_for(const rn_hang_wait *wait, bool differs, char out[RV_WAIT_TEXT]);
enum { RV_SHORT_PLACE = 24 };
/* Returns the end of "lab/train.py:42" that begins behind a slash and has at most so many bytes; longer only where the last name
   alone is. */
const char *rv_short_place(const char *where, size_t most);
/* Writes ranks as "0-3, 7"; returns out. */
char *rv_rank_list(const int32_t ranks[], int32_t n, char *out, size_t n_out);
