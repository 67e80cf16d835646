/* judge_msccl.c: an MSCCL program's verdict: its order, its races, what is left at the end. */
#include "msccl_order.h"

rs_status rs_judge_msccl(const rs_msccl *program, rs_arena *scratch, rs_error *error,
                         rs_msccl_verdict *verdict) {
    rs_msccl_graph graph;
    rs_msccl_memory memory;
    rs_status status = rs_order_msccl(program, scratch, error, &graph, verdict);
    if (status == RS_OK && verdict->fault == RS_MSCCL_RIGHT)
        status = rs_race_msccl(&graph, scratch, error, verdict);
    if (status != RS_OK || verdict->fault != RS_MSCCL_RIGHT) return status;
    status = rs_msccl_fill(&graph, scratch, error, &memory);
    if (status != RS_OK) return status;
    for (int32_t k = 0; k < graph.n; k++) rs_msccl_do(&memory, graph.order[k]);
    rs_msccl_expect(&memory, verdict);
    return RS_OK;
}
