/* tune_rules.h: which cells of NCCL's tuning table exist, and which are switched off. */
#ifndef RS_TUNE_RULES_H
#define RS_TUNE_RULES_H

#include "ringsim_tuning.h"

/* Tells whether NCCL works the cell out at all; false: it prints 0.0/0.0. */
bool rs_cell_exists(const rs_nccl_comm *comm, rs_collective coll, rs_nccl_algorithm a,
                    rs_nccl_protocol p);
/* Finds the rule that switches a cell off; RS_NCCL_ON: none. */
rs_nccl_rule rs_cell_rule(const rs_nccl_comm *comm, rs_collective coll, rs_nccl_algorithm a,
                          rs_nccl_protocol p);

#endif
