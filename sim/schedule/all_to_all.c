/* all_to_all.c: see all_to_all.h. */
#include "schedule/all_to_all.h"

rs_status rs_all_to_all_accepts(const rs_schedule *wanted, rs_error *error) {
    if (wanted->n_ranks <= RS_MAX_ALL_TO_ALL) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT, "%d GPUs: an all-to-all takes at most %d",
                   (int)wanted->n_ranks, RS_MAX_ALL_TO_ALL);
}

int64_t rs_all_to_all_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                         const rs_net *net) {
    const int64_t n_bytes = rs_chunk_first(schedule, count, 1) * elem_bytes;
    return (schedule->n_ranks - 1) * message_ps(net, n_bytes);
}
