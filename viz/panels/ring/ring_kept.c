/* ring_kept.c: keeps the ring's last plans. To make one takes milliseconds, and it only changes
 * with the box, the numbers of GPUs and chunks, and the size of type.
 */
#include "panels/ring/ring.h"

rv_ring rv_kept_ring(const rv_stage *stage, int32_t n_ranks, int32_t n_chunks, rv_box box) {
    rv_ring_plans *plans = rv_kept(stage);
    for (int i = 0; plans != NULL && i < RV_KEPT_RINGS; i++) {
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
    plans->next = (plans->next + 1) % RV_KEPT_RINGS;
    return ring;
}
