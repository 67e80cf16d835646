/* test_finish.c: averages of every type, divided once as the type divides; and ranks that lack somebody's values, which are judged
 * by a sum in the order of the ranks.
 */
#include "support/naive_apply.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static uint64_t state = 1;
static uint64_t draw(void) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return state ^ state >> 29;
}

static const int32_t divisors[] = {1, 2, 3, 7, 100, 127, 128, 255, 256, 1000, 65537, 131072};
enum { N_DIVISORS = sizeof divisors / sizeof *divisors, MOST = 300 };

/* What avg of so many ranks makes of each drawn value, another op of any. */
#define DIVIDES(dtype, type, quotient)                                                             \
    do {                                                                                           \
        type before[MOST], values[MOST];                                                           \
        for (int k = 0; k < N_DIVISORS; k++) {                                                     \
            const int32_t n = divisors[k];                                                         \
            for (int i = 0; i < MOST; i++) {                                                       \
                const uint64_t bits = draw() >> (i % 5 == 0 ? 8 * (sizeof(type) - 1) : 0);         \
                memcpy(&before[i], &bits, sizeof before[i]);                                       \
            }                                                                                      \
            for (int op = 0; op < RS_N_OPS; op++) {                                                \
                memcpy(values, before, sizeof values);                                             \
                rs_finish(dtype, (rs_op)op, n, values, MOST - 1);                                  \
                for (int i = 0; i < MOST; i++) {                                                   \
                    const type x = before[i];                                                      \
                    const bool as_before = op != RS_AVG || n == 1 || i == MOST - 1;                \
                    const type wanted = as_before ? x : (type)(quotient);                          \
                    cr_assert(rs_equal(dtype, &values[i], &wanted, 1), #dtype " / %d: op %d",      \
                              (int)n, op);                                                         \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

Test(finish, every_type_is_divided_as_it_divides) {
    DIVIDES(RS_I8, int8_t, x / n);
    DIVIDES(RS_U8, uint8_t, x / n);
    DIVIDES(RS_I32, int32_t, x / n);
    DIVIDES(RS_U32, uint32_t, x / (uint32_t)n);
    DIVIDES(RS_I64, int64_t, x / n);
    DIVIDES(RS_U64, uint64_t, x / (uint64_t)n);
    DIVIDES(RS_F32, float, x / (float)n);
    DIVIDES(RS_F64, double, x / n);
}

/* bf16 is the upper half of a float: the quotient's nearest, of two as near the even one. */
Test(finish, bf16_is_rounded_once) {
    for (int k = 1; k < N_DIVISORS; k++) {
        for (int i = 0; i < 20000; i++) {
            const uint16_t before = (uint16_t)draw();
            const uint32_t wide = (uint32_t)before << 16;
            uint16_t found = before;
            float x;
            memcpy(&x, &wide, sizeof x);
            if (!isfinite(x)) continue;
            rs_finish(RS_BF16, RS_AVG, divisors[k], &found, 1);
            cr_assert_eq((found ^ before) >> 15, 0);
            double error[3];
            for (int side = -1; side <= 1; side++) { /* times n: exact in a double */
                const uint16_t own = (uint16_t)(found & 0x7fff);
                const uint32_t bits = (uint32_t)(own == 0 && side < 0 ? 1 : own + side) << 16;
                float y;
                memcpy(&y, &bits, sizeof y);
                error[side + 1] = fabs((double)y * divisors[k] - fabs((double)x));
            }
            for (int side = 0; side < 3; side += 2)
                cr_assert(error[1] < error[side] || (error[1] == error[side] && found % 2 == 0),
                          "%04x / %d: %04x", before, (int)divisors[k], found);
        }
    }
}

/* Random messages make hardly any rank whole: each is held against the sum in the order of the ranks, element by element. */
Test(finish, who_lacks_something_is_held_against_the_sum_in_rank_order) {
    enum { COUNT = 30 };
    int n_right = 0, n_wrong = 0;
    uint64_t row = 7;
    for (int round = 0; round < 1500; round++) {
        rs_arena arena;
        rs_error error = {.text = ""};
        rs_arena_init(&arena, NULL);
        const rs_schedule s = random_schedule(&row, &arena);
        const int32_t n = s.n_ranks, alone = random_below(&row, n);
        void **inputs = new_ranks(RS_DATA_INDEX, RS_F32, n, s.n_chunks, COUNT, NULL);
        /* Only one rank has more than zeros: whoever has it once has the sum. */
        for (int32_t r = 0; r < n; r++)
            if (r != alone) memset(inputs[r], 0, COUNT * sizeof(float));
        void **results = copy_ranks(inputs, RS_F32, n, COUNT);
        apply_naively(&s, RS_F32, RS_SUM, COUNT, results,
                      &(rs_apply_options){.until_step = s.n_steps});
        int64_t found[8];
        cr_assert_eq(rs_count_wrong(&s, RS_F32, RS_SUM, COUNT, (const void *const *)inputs,
                                    (const void *const *)results, NULL, &error, found),
                     RS_OK, "%s", error.text);
        for (int32_t r = 0; r < n; r++) {
            int64_t wanted = 0;
            for (int i = 0; i < COUNT; i++)
                wanted += ((float *)results[r])[i] != ((float *)inputs[alone])[i];
            cr_assert_eq(found[r], wanted, "round %d, rank %d: %d, not %d", round, (int)r,
                         (int)found[r], (int)wanted);
            n_right += wanted < COUNT;
            n_wrong += wanted > 0;
        }
        free_ranks(inputs, n);
        free_ranks(results, n);
        rs_arena_free(&arena);
    }
    cr_expect(n_right > 500 && n_wrong > 500, "%d, %d", n_right, n_wrong);
}
