/* ring_kept.c: the ring's plans as they were found last. Finding one takes milliseconds, and it only
 * changes with the box, the numbers of GPUs and chunks, and the size of type.
 */
#include "panels/ring/ring.h"

#include <stdlib.h>

enum { N_KEPT = 2 }; /* two rings stand side by side in a race */

struct rv_ring_plans {
    struct {
        double unit; /* of the look; 0: nothing kept here */
        int32_t n_chunks;
        rv_ring ring;
    } kept[N_KEPT];
    int next; /* to be forgotten */
};

rv_ring_plans *rv_ring_plans_new(void) {
    return calloc(1, sizeof(rv_ring_plans));
}

rv_ring rv_kept_ring(const rv_stage *stage, int32_t n_ranks, int32_t n_chunks, rv_box box) {
    rv_ring_plans *plans = stage->plans;
    for (int i = 0; plans != NULL && i < N_KEPT; i++) {
        const rv_ring *ring = &plans->kept[i].ring;
        if (plans->kept[i].unit == stage->look.unit && ring->n_ranks == n_ranks &&
            plans->kept[i].n_chunks == n_chunks && ring->box.x == box.x && ring->box.y == box.y &&
            ring->box.w == box.w && ring->box.h == box.h) {
            return *ring;
        }
    }
    const rv_ring ring = rv_plan_ring(&stage->look, n_ranks, n_chunks, box);
    if (plans == NULL) return ring;
    plans->kept[plans->next].unit = stage->look.unit;
    plans->kept[plans->next].n_chunks = n_chunks;
    plans->kept[plans->next].ring = ring;
    plans->next = (plans->next + 1) % N_KEPT;
    return ring;
}
