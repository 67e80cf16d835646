/* story_launch.h: how the processes of a job find each other, moment by moment, as a story (frame.h). */
#pragma once

#include "ringsim_launch.h"
#include "story/frame.h"

/* Fills *story: a step is a moment of the bootstrap. `of` must outlive it. */
void rv_story_launch(const rs_bootstrap *of, rv_story *story);

/* What a process's state is to the reader. */
rv_tone rv_launch_tone(rs_process_state state);
