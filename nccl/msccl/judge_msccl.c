/* judge_msccl.c: an MSCCL program's verdict: its order, its races, what is left at the end. */
#include "msccl_order.h"

rs_status rn_judge_msccl(const rn_msccl *program, rs_arena *scratch, rs_error *error,
                         rn_msccl_verdict *verdict) {
    rn_msccl_graph graph;
    rn_msccl_memory memory;
    rs_status status = rn_order_msccl(program, scratch, error, &graph, verdict);
    if (status == RS_OK && verdict->fault == RN_MSCCL_RIGHT)
        status = rn_race_msccl(&graph, scratch, error, verdict);
    if (status != RS_OK || verdict->fault != RN_MSCCL_RIGHT) return status;
    status = rn_msccl_fill(&graph, scratch, error, &memory);
    if (status != RS_OK) return status;
    for (int32_t k = 0; k < graph.n; k++) rn_msccl_do(&memory, graph.order[k]);
    rn_msccl_expect(&memory, verdict);
    return RS_OK;
}
