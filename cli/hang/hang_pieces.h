/* hang_pieces.h: what a hang's sentence is put together of. Private to cli/hang/. */
#ifndef RC_HANG_PIECES_H
#define RC_HANG_PIECES_H

#include "hang/hang.h"

enum { RC_HANG_LIST = 256, RC_HANG_CALL = 600 };
/* Write the culprits' ranks, "0-3, 7": those from `first` on, up to `end`, or all; return out. */
char *rc_hang_ranks_from(const rn_hang *hang, int32_t first, int32_t end, char out[RC_HANG_LIST]);
char *rc_hang_ranks(const rn_hang *hang, char out[RC_HANG_LIST]);
/* Writes "rank 3", "ranks 1, 2"; returns out. */
char *rc_hang_who(const rn_hang *hang, int32_t first, int32_t end, char out[RC_HANG_LIST + 16]);
/* Writes "all_reduce at train.py:42"; returns out. */
char *rc_hang_call(const rn_hang_place *place, char out[RC_HANG_CALL]);
/* Writes "all_reduce of 20 Float at train.py:42"; returns out. */
char *rc_hang_sized(const rn_hang_place *place, char out[RC_HANG_CALL]);
const char *rc_hang_difference(rn_hang_difference difference); /* "the size" */

/* hang_doubts.c: the sentence of a silent-rank, and of what is undecided for want of evidence. */
void rc_silent_text(const rn_hang *h, char out[RV_HANG_TEXT]);
void rc_doubt_text(const rn_hang *h, char out[RV_HANG_TEXT]);

#endif
