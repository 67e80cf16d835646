/* story_fixture.h: a small history for tests: three ranks that count, add up and are done; two grids, lanes, a
 * curve and bars. Its words are long and short, English and Chinese.
 */
#pragma once

#include "story/frame.h"

enum { TALE_STEPS = 6, TALE_RANKS = 3 };
/* Returns the history; it lives as long as the program. */
const rv_story *story_fixture(void);
/* The same with so many ranks (rows, lanes), columns of a grid, and in Chinese words. */
const rv_story *story_fixture_of(int32_t n_ranks, int32_t n_columns, bool chinese);
