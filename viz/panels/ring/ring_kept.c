/* ring_kept.c: keeps the ring's last plans. To make one takes milliseconds, and it only changes
 * with the box, the numbers of GPUs and chunks, and the size of type.
 */
#include "panels/ring/ring.h"

#include <string.h>

/* Tells whether a plan was made for this shape. */
static bool is_of(const rv_form *made_for, const rv_form *shape) {
    return made_for->kind == shape->kind && made_for->two_way == shape->two_way &&
           memcmp(made_for->order, shape->order, sizeof shape->order) == 0 &&
           (!shape->spread || memcmp(made_for->spots, shape->spots, sizeof shape->spots) == 0);
}

rv_ring rv_kept_ring(const rv_stage *stage, const rs_schedule *schedule, rv_box box) {
    rv_ring_plans *plans = rv_kept(stage);
    const int32_t n_ranks = schedule->n_ranks, n_chunks = schedule->n_chunks;
    const rv_form shape = rv_form_of(schedule);
    for (int i = 0; plans != NULL && i < RV_KEPT_RINGS; i++) {
        const rv_ring *ring = &plans->kept[i].ring;
        if (plans->kept[i].unit == stage->look.unit && ring->n_ranks == n_ranks &&
            plans->kept[i].n_chunks == n_chunks && ring->box.x == box.x && ring->box.y == box.y &&
            ring->box.w == box.w && ring->box.h == box.h && is_of(&plans->kept[i].form, &shape)) {
            return *ring;
        }
    }
    const rv_ring ring = rv_plan_ring(&stage->look, n_ranks, n_chunks, &shape, box);
    if (plans == NULL) return ring;
    plans->kept[plans->next].unit = stage->look.unit;
    plans->kept[plans->next].n_chunks = n_chunks;
    plans->kept[plans->next].form = shape;
    plans->kept[plans->next].ring = ring;
    plans->next = (plans->next + 1) % RV_KEPT_RINGS;
    return ring;
}
