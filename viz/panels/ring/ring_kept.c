/* ring_kept.c: keeps the ring's last plans. To make one takes milliseconds, and it only changes
 * with the box, the numbers of GPUs and chunks, and the size of type.
 */
#include "panels/ring/ring.h"

#include <string.h>

/* Tells whether a plan is of this shape: where the cards stand at spots of their own, at these. */
static bool is_of(const rv_ring *ring, const rv_form *shape) {
    return ring->spread == shape->spread &&
           (!shape->spread || memcmp(ring->spots, shape->spots, sizeof ring->spots) == 0);
}

rv_ring rv_kept_ring(const rv_stage *stage, const rs_schedule *schedule, rv_box box) {
    rv_ring_plans *plans = rv_kept(stage);
    const int32_t n_ranks = schedule->n_ranks, n_chunks = schedule->n_chunks;
    const rv_form shape = rv_form_of(schedule);
    for (int i = 0; plans != NULL && i < RV_KEPT_RINGS; i++) {
        const rv_ring *ring = &plans->kept[i].ring;
        if (plans->kept[i].unit == stage->look.unit && ring->n_ranks == n_ranks &&
            plans->kept[i].n_chunks == n_chunks && ring->box.x == box.x && ring->box.y == box.y &&
            ring->box.w == box.w && ring->box.h == box.h && is_of(ring, &shape)) {
            return *ring;
        }
    }
    const rv_ring ring = rv_plan_ring(&stage->look, n_ranks, n_chunks, &shape, box);
    if (plans == NULL) return ring;
    plans->kept[plans->next].unit = stage->look.unit;
    plans->kept[plans->next].n_chunks = n_chunks;
    plans->kept[plans->next].ring = ring;
    plans->next = (plans->next + 1) % RV_KEPT_RINGS;
    return ring;
}
