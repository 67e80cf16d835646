/* told.h: what a command line shows, a run or a story, computed as the program would. */
#pragma once

#include "ringsim_viz.h"

/* Computes it, in the arena; the test fails where it cannot be. rv_subject_free ends it. */
rv_subject told_subject(const char *line, rs_arena *arena);
