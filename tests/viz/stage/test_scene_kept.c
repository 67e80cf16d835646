/* test_scene_kept.c: what is kept from frame to frame is what would be found anew. */
#include "panels/ring/ring.h"

#include <criterion/criterion.h>

#include <stdlib.h>

static void expect_same(const rv_stage *stage, int32_t n, int32_t chunks, rv_box box) {
    const rs_schedule schedule = {.n_ranks = n, .n_chunks = chunks};
    const rv_ring kept = rv_kept_ring(stage, &schedule, box);
    const rv_ring found = rv_plan_ring(&stage->look, n, chunks, NULL, box);
    for (int32_t rank = 0; rank < n; rank++) {
        const rv_box a = rv_ring_card(&kept, rank), b = rv_ring_card(&found, rank);
        cr_assert(a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h, "GPU %d of %d in %g x %g",
                  (int)rank, (int)n, box.w, box.h);
    }
    cr_assert(kept.cell_w == found.cell_w && kept.rows == found.rows);
}

Test(kept, shows_no_ring_of_another_box_or_run) {
    rv_stage stage = {.kept = {calloc(1, sizeof(rv_ring_plans))}};
    cr_assert(stage.kept[0] != NULL);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++) {
            stage.look = rv_look_of(i % 2 == 1, 1280, 720, i < 2 ? 1 : 1.5);
            expect_same(&stage, 2 + i, 2 + i, (rv_box){0, 0, 700, 500});
            expect_same(&stage, 2 + i, 2 + i, (rv_box){0, 40, 700, 500});
            expect_same(&stage, 2 + i, 2 + i, (rv_box){0, 0, 500, 500});
            expect_same(&stage, 2 + i, 1, (rv_box){0, 0, 500, 500});
            expect_same(&stage, 8, 8, (rv_box){0, 0, 500, 500});
        }
    }
    free(stage.kept[0]);
}

Test(kept, finds_rings_without_memory_to_keep_them) {
    const rv_stage stage = {.look = rv_look_of(false, 1280, 720, 1)};
    expect_same(&stage, 5, 5, (rv_box){0, 0, 700, 500});
}
