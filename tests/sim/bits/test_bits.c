/* test_bits.c: sums by their numbers and their texts; orders of schedules against what rs_apply makes of real data, bit by bit;
 * how often two orders differ against what others have measured.
 */
#include "bits/sum_order.h"
#include "ringsim.h"
#include "support/never.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static rs_arena arena;
static rs_error error;

static void begin(void) {
    rs_arena_init(&arena, NULL);
}
static void end(void) {
    rs_arena_free(&arena);
}
TestSuite(bits, .init = begin, .fini = end);

static int32_t chain(rs_sums *sums, const char *digits) {
    int32_t sum = digits[0] - '0';
    for (int i = 1; digits[i] != '\0'; i++) sum = rs_sum_of(sums, sum, digits[i] - '0', 0);
    return sum;
}

static const char *text_of(const rs_sums *sums, int32_t sum, size_t n) {
    static char text[128];
    rs_sum_text(sums, sum, text, n);
    return text;
}

Test(bits, sums_that_are_the_same_for_all_data_are_one) {
    rs_sums *sums = rs_sums_begin(9, &arena);
    const int32_t one = chain(sums, "1230");
    cr_expect(one == chain(sums, "2130") && one != chain(sums, "1320") && chain(sums, "/1") < 0);
    const int32_t low = chain(sums, "01"), high = chain(sums, "23"),
                  long_low = chain(sums, "01234"), long_high = chain(sums, "5678");
    cr_expect_eq(rs_sum_of(sums, low, high, 1),
                 rs_sum_of(sums, chain(sums, "32"), chain(sums, "10"), 0));
    cr_expect_str_eq(text_of(sums, chain(sums, "2130"), 128), "((1+2)+3)+0");
    cr_expect_str_eq(text_of(sums, rs_sum_of(sums, high, chain(sums, "410"), 0), 128),
                     "(2+3)+((1+4)+0)");
    cr_expect_str_eq(text_of(sums, chain(sums, "765432108"), 24), "((6+7)+5)+...+0+8");
    cr_expect_str_eq(text_of(sums, rs_sum_of(sums, long_low, long_high, 0), 16), "((((0+1)+2)+...");
}

Test(bits, by_rank_a_sum_knows_who_has_added_what_came) {
    rs_sums *sums = rs_sums_begin_by_rank(3, &arena);
    const int32_t sum = rs_sum_of(sums, rs_sum_of(sums, 2, 0, 0), 1, 1);
    cr_expect_str_eq(text_of(sums, sum, 128), "(2+0)+1");
    cr_expect_neq(sum, rs_sum_of(sums, rs_sum_of(sums, 0, 2, 2), 1, 1));
    cr_expect_eq(rs_operands_of(sums, sum).at, 1);
}

/* What the order makes of one element. */
static void add_up(const rs_sums *sums, int32_t sum, rs_dtype dtype, void *const inputs[],
                   int64_t element, char out[8]) {
    const size_t size = (size_t)rs_dtype_bytes(dtype);
    if (sum < sums->n_ranks) {
        memcpy(out, (const char *)inputs[sum] + (size_t)element * size, size);
        return;
    }
    char other[8];
    const rs_two_sums pair = rs_operands_of(sums, sum);
    add_up(sums, pair.a, dtype, inputs, element, out);
    add_up(sums, pair.b, dtype, inputs, element, other);
    rs_fold(dtype, RS_SUM, other, out, out, 1);
}

static void expect_as_executed(const rs_algorithm *algorithm, rs_order order, int32_t n) {
    enum { COUNT = 60 };
    const rs_dtype dtype = RS_F16;
    rs_schedule s;
    rs_bits bits;
    const rs_spec spec = {.n_ranks = n, .order = order};
    if (rs_schedule_from_spec(algorithm, &spec, COUNT, &error, &s) != RS_OK) return;
    rs_sums *sums = rs_sums_begin(n, &arena);
    cr_assert_eq(rs_bits_of_schedule(&s, COUNT, sums, &arena, &error, &bits), RS_OK, "%s",
                 error.text);
    cr_assert_eq(bits.count, COUNT);
    int64_t n_sums;
    const rs_two_sums *pairs = rs_sums_list(sums, &arena, &n_sums);
    const rs_sums *again = rs_sums_listed(n, pairs, n_sums, &arena);
    cr_assert_not_null(again);
    void *inputs[16], *ranks[16];
    for (int32_t r = 0; r < n; r++) {
        inputs[r] = rs_alloc(&arena, COUNT, 2);
        ranks[r] = rs_alloc(&arena, COUNT, 2);
        rs_fill(RS_DATA_RANDOM, dtype, r, 1, COUNT, COUNT, 7, NULL, inputs[r]);
        memcpy(ranks[r], inputs[r], COUNT * 2);
    }
    const rs_apply_options all = {.until_step = s.n_steps};
    cr_assert_eq(rs_apply(&s, dtype, RS_SUM, COUNT, ranks, &all, NULL, &error), RS_OK);
    for (int64_t i = 0; i < COUNT; i++) {
        const rs_ends ends = rs_ends_of(&s, rs_chunk_of(&s, COUNT, i));
        char wanted[8], added[8];
        const void *here[16];
        for (int32_t r = 0; r < n; r++) here[r] = (const char *)inputs[r] + i * 2;
        add_up(sums, rs_bits_at(&bits, i), dtype, inputs, i, wanted);
        cr_assert_eq(rs_add_up(again, rs_bits_at(&bits, i), dtype, RS_SUM, here, 1, added, &error),
                     RS_OK);
        cr_assert_arr_eq(added, wanted, 2);
        const void *got = (const char *)ranks[ends.to == RS_EVERY_RANK ? n - 1 : ends.to] + i * 2;
        cr_assert(bits.undefined != NULL || memcmp(got, wanted, 2) == 0, "%s, N %d, element %d",
                  algorithm->name, n, (int)i);
    }
}

Test(bits, the_order_of_a_schedule_is_the_one_that_is_executed) {
    static const rs_collective both[] = {RS_COLL_ALL_REDUCE, RS_COLL_REDUCE_SCATTER};
    for (int c = 0; c < 2; c++) {
        const rs_algorithm *const *all = rs_algorithms_of(both[c]);
        for (int a = 0; all[a] != NULL; a++) {
            for (int32_t n = 2; n <= 9; n++)
                expect_as_executed(all[a], n % 2 != 0 ? RS_ORDER_NCCL : RS_ORDER_SEED, n);
        }
    }
}

Test(bits, a_list_that_is_none_of_sums_is_refused) {
    static const rs_two_sums good[] = {{0, 1, -1}, {2, 3, -1}, {-1, -1, -1}},
                             bad[][2] = {
                                 {{.a = 0, .b = 3}}, {{.a = 1}}, {{.b = 1}, {.b = 1}}, {{.a = -1}}};
    const rs_sums *sums = rs_sums_listed(3, good, 3, &arena);
    int64_t n;
    cr_assert_not_null(sums);
    const int32_t *whole = rs_whole_sums(sums, &arena, &n);
    cr_expect(n == 2 && whole[0] == 4 && whole[1] == 5);
    for (int i = 0; i < 4; i++) cr_expect_null(rs_sums_listed(3, bad[i], 2, &arena), "%d", i);
}

/* Tencent/hpn#35: Ring against Tree on four GPUs: 35.39 % of the elements differ, by 3.91e-3 at most; the type and
   the data that agree with both figures are f16, evenly from [-1, 1). */
Test(bits, how_often_two_orders_differ_agrees_with_what_was_measured) {
    rs_sums *sums = rs_sums_begin(4, &arena);
    rs_bits ring = {0}, tree = {0};
    rs_bits_same same;
    static const char *const ends[] = {"1230", "2301", "3012", "0123"};
    for (int i = 0; i < 4; i++) cr_assert(rs_add_run(&ring, &arena, 100000, chain(sums, ends[i])));
    cr_assert(rs_add_run(&tree, &arena, 400000, chain(sums, "3210")));
    cr_assert_eq(rs_compare_bits(&ring, &tree, sums, RS_F16, RS_SUM, 0, &arena, &error, &same),
                 RS_OK);
    cr_expect(!same.for_all_data && same.moved == 400000);
    cr_expect_float_eq(same.differ, 0.354, 0.002, "%f", same.differ);
    cr_expect_float_eq(same.largest, 0.00390625, 1e-9);
    cr_assert_eq(rs_compare_bits(&ring, &tree, sums, RS_I32, RS_SUM, 0, &arena, &error, &same),
                 RS_OK);
    cr_expect(same.for_all_data, "integers never differ");
    cr_assert_eq(rs_compare_bits(&ring, &ring, sums, RS_F16, RS_SUM, 0, &arena, &error, &same),
                 RS_OK);
    cr_expect(same.for_all_data && same.moved == 0 && same.differ == 0);
    rs_bits exact = {0};
    rs_bits_same off;
    cr_assert(rs_add_run(&exact, &arena, 1000, rs_sum_exact(sums)));
    cr_assert_eq(rs_compare_bits(&exact, NULL, sums, RS_F32, RS_SUM, 0, &arena, &error, &off),
                 RS_OK);
    cr_expect(off.n == 1000 && off.largest <= 0.5, "rounded once: %f", off.largest);
    cr_assert_eq(rs_compare_bits(&ring, NULL, sums, RS_F32, RS_PROD, 0, &arena, &error, &off),
                 RS_OK);
    cr_expect_eq(off.n, 0, "a product is measured by no sum");
}

Test(bits, a_sum_that_does_not_fit_ends_where_it_must) {
    rs_sums *sums = rs_sums_begin(3, &arena);
    const int32_t sum = chain(sums, "120");
    cr_expect_str_eq(text_of(sums, sum, sizeof "(1+2)+0"), "(1+2)+0");
    cr_expect_str_eq(text_of(sums, sum, sizeof "(1+2)+0" - 1), "(1+...");
    cr_expect_str_eq(text_of(sums, sum, 4), "...");
    cr_expect_str_eq(text_of(sums, rs_sum_exact(sums), 16), "exact");
}

Test(bits, an_order_has_the_elements_of_all_its_runs) {
    rs_bits bits = {0};
    int64_t n;
    for (int i = 0; i < 3; i++) cr_assert(rs_add_run(&bits, &arena, 3 + i, 7 - 2 * (i % 2)));
    const rs_bits_run *orders = rs_bits_orders(&bits, &arena, &n);
    cr_assert_eq(n, 2);
    cr_expect(orders[0].sum == 7 && orders[0].first == 0 && orders[0].count == 8);
    cr_expect(orders[1].sum == 5 && orders[1].first == 3 && orders[1].count == 4);
}

/* NVIDIA/nccl#2360's four numbers, and two whose rest is below the last digit. */
Test(bits, an_exact_sum_is_rounded_once) {
    static const float of[4] = {1e8F, 1, -1e8F, 1};
    static const double real[4] = {1e16, 1, -1e16, 0};
    const void *inputs[4], *reals[4];
    float single;
    double both;
    rs_sums *sums = rs_sums_begin(4, &arena);
    for (int i = 0; i < 4; i++) inputs[i] = &of[i], reals[i] = &real[i];
    const int32_t exact = rs_sum_exact(sums);
    cr_assert_eq(rs_add_up(sums, exact, RS_F32, RS_SUM, inputs, 1, &single, &error), RS_OK);
    cr_assert_eq(rs_add_up(sums, exact, RS_F64, RS_SUM, reals, 1, &both, &error), RS_OK);
    cr_expect(single == 2 && both == 1, "%g, %g", (double)single, both);
    cr_assert_eq(rs_add_up(sums, chain(sums, "0123"), RS_F32, RS_SUM, inputs, 1, &single, &error),
                 RS_OK);
    cr_expect_eq(single, 1);
}

/* In bf16 each 1 is lost beside 256; in f32 both stay. */
Test(bits, a_sum_in_f32_is_rounded_once) {
    static const uint16_t of[3] = {0x4380, 0x3f80, 0x3f80}, wanted = 0x4381;
    const void *inputs[] = {&of[0], &of[1], &of[2]};
    uint16_t out;
    rs_sums *sums = rs_sums_begin(3, &arena);
    const int32_t sum = rs_sum_in_f32(sums, chain(sums, "012"));
    cr_assert_eq(rs_add_up(sums, sum, RS_BF16, RS_SUM, inputs, 1, &out, &error), RS_OK);
    cr_expect(out == wanted, "%x", (unsigned)out);
    cr_expect_str_eq(text_of(sums, sum, 32), "f32((0+1)+2)");
}

/* Of so few elements all are looked at: the same numbers are reckoned here one by one. */
Test(bits, errors_and_differences_are_those_of_the_elements) {
    enum { COUNT = 1500, FIRST = 1300 };
    static float inputs[3][COUNT];
    rs_sums *sums = rs_sums_begin(3, &arena);
    const int32_t one = chain(sums, "012"), two = chain(sums, "120");
    rs_bits a = {0}, b = {0};
    rs_bits_same off;
    rs_bits_same same;
    for (int32_t r = 0; r < 3; r++)
        rs_fill(RS_DATA_RANDOM, RS_F32, r, 1, COUNT, COUNT, 5, NULL, inputs[r]);
    cr_assert(rs_add_run(&a, &arena, FIRST, one) && rs_add_run(&a, &arena, COUNT - FIRST, two));
    cr_assert(rs_add_run(&b, &arena, COUNT, two));
    double worst = 0, all = 0, largest = 0;
    int64_t n_differ = 0;
    for (int i = 0; i < COUNT; i++) {
        const float x = inputs[0][i], y = inputs[1][i], z = inputs[2][i];
        const float ours = i < FIRST ? (x + y) + z : (y + z) + x, other = (y + z) + x;
        const double exact = (double)x + y + z;
        const double units = fabs(ours - exact) / ldexp(1, ilogb(exact) - 23);
        all += units;
        if (units > worst) worst = units;
        n_differ += ours != other;
        if (fabs((double)ours - other) > largest) largest = fabs((double)ours - other);
    }
    cr_assert_eq(rs_compare_bits(&a, NULL, sums, RS_F32, RS_AVG, 5, &arena, &error, &off), RS_OK);
    cr_expect(off.n == COUNT && off.largest == worst, "%d, %g, %g", (int)off.n, off.largest, worst);
    cr_expect_float_eq(off.mean, all / COUNT, 1e-12);
    cr_assert_eq(rs_compare_bits(&a, &b, sums, RS_F32, RS_SUM, 5, &arena, &error, &same), RS_OK);
    cr_expect(same.moved == FIRST && same.of == COUNT && same.n == COUNT);
    cr_expect(rs_bits_moved(&a, &b) == FIRST && rs_bits_moved(&b, &a) == FIRST);
    cr_expect_float_eq(same.differ, (double)n_differ / COUNT, 1e-12);
    cr_expect_eq(same.largest, largest);
}

Test(bits, who_says_stop_is_obeyed) {
    const rs_host host = {.progress = never_go_on};
    rs_sums *sums = rs_sums_begin(2, &arena);
    rs_bits bits = {0};
    rs_bits_same off;
    rs_bits_same same;
    cr_assert(rs_add_run(&bits, &arena, 9, chain(sums, "01")));
    rs_arena stopped;
    rs_arena_init(&stopped, &host);
    cr_expect_eq(rs_compare_bits(&bits, NULL, sums, RS_F32, RS_SUM, 0, &stopped, &error, &off),
                 RS_CANCELLED);
    cr_expect_eq(rs_compare_bits(&bits, &bits, sums, RS_F32, RS_SUM, 0, &stopped, &error, &same),
                 RS_CANCELLED);
    rs_arena_free(&stopped);
}

/* 1e8, 1, -1e8, 1 in f32: the first 1 is lost. */
Test(bits, a_walk_says_what_each_addition_rounds_away) {
    static const double data[] = {1e8, 1, -1e8, 1};
    char digits[64];
    rs_walk walk;
    rs_sums *sums = rs_sums_begin_by_rank(4, &arena);
    int32_t sum = 0;
    for (int32_t r = 1; r < 4; r++) sum = rs_sum_of(sums, sum, r, r);
    cr_assert_eq(rs_walk_sum(sums, sum, RS_F32, data, &arena, &error, &walk), RS_OK);
    cr_assert_eq(walk.n, 3);
    const rs_addition *add = walk.additions;
    cr_expect(add[0].at == 1 && add[0].comes == 0 && add[0].here == 1);
    cr_expect(add[0].exact == 100000001 && add[0].sum == 1e8 && add[0].off == 0.125);
    rs_binary_text(add[0].exact, add[0].rest, add[0].first, add[0].last, digits);
    cr_expect_str_eq(digits, "1.01111101011110000100000|001");
    rs_binary_text(1, 0, add[0].first, add[0].last, digits);
    cr_expect_str_eq(digits, "0.00000000000000000000000|001");
    cr_expect(add[1].comes == 4 && rs_maker_of(&walk, 4) == 1 && add[1].sum == 0);
    cr_expect(add[1].off == ldexp(1, 23), "%g", add[1].off); /* of 1, which is lost */
    cr_expect(add[2].sum == 1 && rs_value_at(&walk, 6) == 1 && add[2].off == ldexp(1, 22));
    static const double halves[] = {0.5, 0.5, 0.5, 0.5};
    cr_assert_eq(rs_walk_sum(sums, sum, RS_F32, halves, &arena, &error, &walk), RS_OK);
    cr_expect_eq(walk.additions[0].first, 0);
    cr_assert_eq(rs_walk_sum(sums, rs_sum_exact(sums), RS_F32, data, &arena, &error, &walk), RS_OK);
    cr_expect(walk.n == 1 && add->at == 1 && walk.additions->sum == 2 && walk.additions->off == 0);
}

Test(bits, digits_of_wide_and_of_cut_sums) {
    char digits[64];
    rs_binary_text(-1.5, 0, 0, -52, digits);
    cr_expect_str_eq(digits, "..00000000000000000000000000000000");
    rs_binary_text(1, ldexp(1, -60), 0, -52, digits);
    cr_expect_str_eq(digits, "..00000000000000000000000000000000|00000001");
    rs_binary_text(1 + ldexp(1, -30), 0, 0, -7, digits);
    cr_expect_str_eq(digits, "1.0000000|0000000000..");
    rs_binary_text(1, -ldexp(1, -80), 0, -7, digits);
    cr_expect_str_eq(digits, "0.1111111|1111111111..");
}

/* The walk's last sum is what the schedule's execution and rs_add_up give. */
Test(bits, a_walk_ends_with_the_bits_of_the_order) {
    static const rs_dtype dtypes[] = {RS_F16, RS_BF16, RS_F32, RS_F64};
    const rs_algorithm *const *all = rs_algorithms_of(RS_COLL_ALL_REDUCE);
    for (int a = 0; all[a] != NULL; a++) {
        const int32_t n = 6;
        rs_schedule s;
        rs_bits bits;
        const rs_spec spec = {.n_ranks = n};
        if (rs_schedule_from_spec(all[a], &spec, 48, &error, &s) != RS_OK) continue;
        rs_sums *sums = rs_sums_begin_by_rank(n, &arena);
        cr_assert_eq(rs_bits_of_schedule(&s, 48, sums, &arena, &error, &bits), RS_OK);
        for (int64_t i = 0; i < 48; i++) {
            const rs_dtype dtype = dtypes[i % 4];
            char cells[6][8], wanted[8], walked[8];
            const void *inputs[6];
            double data[6];
            rs_walk walk;
            for (int32_t r = 0; r < n; r++) {
                rs_fill_part(RS_DATA_RANDOM, dtype, r, 1, 48, i, 1, 3, NULL, cells[r]);
                inputs[r] = cells[r];
                data[r] = rs_read_float(dtype, cells[r], 0);
            }
            const int32_t sum = rs_bits_at(&bits, i);
            cr_assert_eq(rs_walk_sum(sums, sum, dtype, data, &arena, &error, &walk), RS_OK);
            cr_assert_eq(walk.n, n - 1, "%s", all[a]->name);
            rs_write_float(dtype, walked, 0, walk.additions[n - 2].sum);
            cr_assert_eq(rs_add_up(sums, sum, dtype, RS_SUM, inputs, 1, wanted, &error), RS_OK);
            cr_assert_arr_eq(walked, wanted, (size_t)rs_dtype_bytes(dtype));
        }
    }
}
