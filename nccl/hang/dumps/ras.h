/* ras.h: what the readers of NCCL's RAS share: its text (ras_text.c), its JSON (ras_json.c). Private to nccl/.
 *
 *     text --ras_text.c--+
 *     JSON --ras_json.c--+--> rn_ras_dumps --rn_ras_end--> rn_dump
 */
#pragma once

#include "data_tree.h"
#include "ringsim_hang.h"

enum { RN_RAS_RANKS = 1 << 16, RN_RAS_KINDS = 16 };

/* What is known of each rank: a group a kind of calls in a communicator, with one call, the last that was launched. */
typedef struct rn_ras_dumps {
    rs_heap *keep;
    rs_texts words;
    rn_dump *list; /* [n] by rank */
    int32_t *room; /* [n] groups, and calls */
    int32_t n;
} rn_ras_dumps;
/* False: no memory; rooms are taken from the heap, what lives on from keep. */
bool rn_ras_begin(rn_ras_dumps *dumps, int32_t n, rs_heap *heap, rs_heap *keep);
/* Gives a rank one more group, and where a call of that name was launched, or `always`, the call; without memory nothing. */
void rn_ras_add(rn_ras_dumps *dumps, int32_t rank, const rn_call_group *group, uint32_t call,
                bool always);
/* Ends them: ranks without a group have no dump; cut: but the first of them, to which the file does not come. */
rs_status rn_ras_end(rn_ras_dumps *dumps, bool cut, rs_error *error, rn_dump **list, int32_t *n);
