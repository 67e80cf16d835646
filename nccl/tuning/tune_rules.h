/* tune_rules.h: which cells of NCCL's tuning table exist, and which are switched off. */
#pragma once

#include "ringsim_tuning.h"

/* Tells whether NCCL works the cell out at all; false: it prints 0.0/0.0. */
bool rn_cell_exists(const rn_nccl_comm *comm, rs_collective coll, rn_nccl_algorithm a,
                    rn_nccl_protocol p);
/* Finds the rule that switches a cell off; RN_NCCL_ON: none. */
rn_nccl_rule rn_cell_rule(const rn_nccl_comm *comm, rs_collective coll, rn_nccl_algorithm a,
                          rn_nccl_protocol p);
