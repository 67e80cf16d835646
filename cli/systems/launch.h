/* launch.h: what the files of `ringsim launch` share.
 *
 *     options --> rs_bootstrap --> words (launch_print.c) | JSON (launch_json.c) | story
 */
#ifndef RC_LAUNCH_H
#define RC_LAUNCH_H

#include "base/exit.h"
#include "ringsim_launch.h"

struct rv_story; /* viz/story/frame.h */
/* Prints what is typed, the processes, what the last one is told, and the captions of the story. */
rc_exit rc_print_launch(const rs_bootstrap *bootstrap, const struct rv_story *story,
                        rs_error *error);
/* Prints ringsim.launch/1. */
void rc_json_launch(const rs_bootstrap *bootstrap, FILE *out);

#endif
