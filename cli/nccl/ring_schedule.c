/* ring_schedule.c: a ring that a log shows, as a schedule: what NCCL's all-reduce does along it.
 *
 *   - The rank at place i sends, in step s, the chunk of the rank at place i - 1 - s (nccl, src/device/all_reduce.h).
 */
#include "nccl/ring_schedule.h"

#include <stdio.h>

void rc_write_ring(const rs_nccl_ring *ring, FILE *out) {
    const int32_t n = ring->n;
    fprintf(out, "ringsim-schedule 1\nranks %d\nchunks %d\n", (int)n, (int)n);
    for (int32_t s = 0; s < 2 * (n - 1); s++) {
        fputs("step\n", out);
        for (int32_t i = 0; i < n; i++) {
            const int32_t chunk = ring->ranks[((i - 1 - s) % n + n) % n];
            fprintf(out, "%d -> %d chunk %d %s\n", (int)ring->ranks[i],
                    (int)ring->ranks[(i + 1) % n], (int)chunk, s < n - 1 ? "reduce" : "copy");
        }
    }
}
