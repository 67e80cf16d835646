/* parcel_size.c: how large a message is drawn on its way. Area is bytes.
 *
 *     ring: five chunks of 20 MB        naive: 100 MB
 *              +-+                        +----+
 *              +-+                        +----+
 *
 *   - One measure holds for all messages of a picture: the area of the whole array. In a race both
 *     runs share it.
 *   - It is as large as the largest message, and the room on the wires, allow.
 */
#include "panels/ring/ring.h"

#include <math.h>

/* The largest message of a schedule, in chunks, and whether many cross in the middle. */
typedef struct load {
    int32_t most_chunks;
    bool crosses;
} load;

static load load_of(const rs_schedule *schedule) {
    enum { MOST_STEPS = 64, MOST_APART = 2 }; /* so many ways still keep clear of each other */
    load found = {.most_chunks = 1};
    for (int32_t step = 0; step < schedule->n_steps && step < MOST_STEPS; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        int n = 0;
        while (rs_next_transfer(schedule, step, &cursor, &t)) {
            if (t.n_chunks > found.most_chunks) found.most_chunks = t.n_chunks;
            n++;
        }
        if (n > MOST_APART) found.crosses = true;
    }
    return found;
}

double rv_array_area(const rv_ring *ring, const rv_model *model) {
    const double cell = ring->parcel * ring->cell_w * ring->parcel * ring->cell_h;
    const double as_planned = cell * ring->n_chunks;
    if (rv_is_ring(model->schedule)) return as_planned;
    const load most = load_of(model->schedule);
    const double side = (most.crosses ? 3.4 : 7) * ring->unit;
    const double card = 0.6 * ring->card_w * ring->card_h;
    const double area = fmin(side * side, card) * ring->n_chunks / most.most_chunks;
    return most.crosses || ring->kind == RV_FORM_TREE ? fmin(area, as_planned) : area;
}
