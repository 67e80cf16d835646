/* story_launch.h: how the processes of a job find each other, moment by moment, as a story (frame.h). */
#ifndef RV_STORY_LAUNCH_H
#define RV_STORY_LAUNCH_H

#include "ringsim_launch.h"
#include "story/frame.h"

/* Fills *story: a step is a moment of the bootstrap. `of` must outlive it. */
void rv_story_launch(const rs_bootstrap *of, rv_story *story);

/* What its files share: launch_messages.c. Shows who has said what to whom up to a moment, if there
   are not too many processes; what a state is to the reader; a process's GPUs: "2 3", "0..7". */
void rv_launch_messages(const rs_bootstrap *r, int32_t moment, rv_frame *frame);
rv_tone rv_launch_tone(rs_process_state state);
const char *rv_launch_gpus(const rs_process *p, rv_frame *frame);

#endif
