/* The reference execution: every algorithm gives every rank the exact answer. */
#include <criterion/criterion.h>

#include <string.h>

#include "ringsim.h"

Test(apply, five_ranks_sum_their_digits) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        rs_schedule schedule;
        cr_assert_eq(rs_schedule_make(rs_algorithms[i], RS_ORDER_SEED, 5, 5, NULL, &schedule),
                     RS_OK);
        int32_t values[5][5];
        void *ranks[5];
        for (int32_t r = 0; r < 5; r++) {
            rs_fill(RS_DATA_DIGITS, RS_I32, r, 5, 5, 5, 0, NULL, values[r]);
            ranks[r] = values[r];
        }
        const rs_apply_options options = {.until_step = schedule.n_steps};
        cr_assert_eq(rs_apply(&schedule, RS_I32, RS_SUM, 5, ranks, &options, NULL, NULL), RS_OK);
        for (int32_t r = 0; r < 5; r++) {
            for (int32_t c = 0; c < 5; c++) cr_expect_eq(values[r][c], 11111 * (c + 1));
        }
    }
}
