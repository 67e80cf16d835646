/* explain.h: what the files of `ringsim explain` share.
 *
 *     rc_explained (nccl_files.h) --table_judge.c--> the same, judged --> words (explain_print.c) | JSON (explain_json.c)
 */
#pragma once

#include "estimate/estimate.h"
#include "hang/hang.h"
#include "nccl/nccl_files.h"

/* Judges the file's table by the estimate for --machine, and by what bounds it. */
rc_exit rc_judge_table(rc_session *session, rc_explained *e);
/* Says what the share, measured over expected bandwidth, most likely means, and which sizes are out. */
void rc_judgement_text(const rc_explained *e, double share, char *out, size_t n_out);
/* suspects.c: finds the causes whose simulated times lie nearest to those measured. */
void rc_find_suspects(const rc_estimate *judged, rc_suspects *found);

void rc_print_explained(const rc_explained *e);
/* explain_why.c: each algorithm's time at a size, and what decides. */
void rc_print_why(const rn_nccl_fit *fit, rs_collective coll, int64_t n_bytes);
/* Prints where the choice changes from size to size. */
void rc_print_crossings(const rn_nccl_fit *fit, rs_collective coll);
enum { RC_MOST_CALLS = 1000 }; /* sizes of a collective that are looked at */
/* Prints what the log's calls took, where its lines say so, beside what the model chooses; fit: NULL where there is
   none. */
void rc_print_calls(const rn_nccl_log *log, const rn_nccl_fit *fit);
/* Prints ringsim.explain/1; hang: NULL, nothing hangs. */
void rc_json_explain(const rc_explained list[], int n, const rn_hang *hang, FILE *out);
