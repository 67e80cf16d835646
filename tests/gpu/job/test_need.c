/* The memory that a verification needs is forecast by kind of backend, before any is taken. */
#include <criterion/criterion.h>

#include "ringsim_gpu.h"

static const double window = RG_WINDOW_BYTES;

Test(need, of_a_few_ranks_is_their_arrays_and_the_plan_of_a_ring) {
    const rg_setup four = {.mode = RG_SPAWN, .n_ranks = 4};
    const double events = 40 * 4 * 4;
    cr_expect_eq(rg_need_bytes(RG_CPU, &four, 1000), 3 * 4000 + events);
    cr_expect_eq(rg_need_bytes(RG_CUDA, &four, 1000), 4000 + 4000 + events);
    cr_expect_eq(rg_need_bytes(RG_MPI, &four, 1000), 4 * 4000 + 4000 + 4 * events);
}

Test(need, of_many_is_bounded_by_the_window) {
    const rg_setup many = {.mode = RG_SPAWN, .n_ranks = 4096};
    const double n_bytes = 1e9, all = 4096 * n_bytes, events = 80 << 20;
    cr_expect_eq(rg_need_bytes(RG_CPU, &many, n_bytes), 3 * window + events);
    cr_expect_eq(rg_need_bytes(RG_CUDA, &many, n_bytes), all + window + events);
    cr_expect_eq(rg_need_bytes(RG_MPI, &many, n_bytes), 4 * all + window + 4096 * events);
}

Test(need, of_ranks_elsewhere_is_that_of_one) {
    const rg_setup joined = {.mode = RG_LAUNCHED, .n_ranks = 4};
    const rg_setup hosts = {.mode = RG_SPAWN, .n_ranks = 4, .hostfile = "hosts"};
    const double one = 4 * 1000 + 4000 / 4.0 + 40 * 4 * 4;
    cr_expect_eq(rg_need_bytes(RG_NCCL, &joined, 1000), one);
    cr_expect_eq(rg_need_bytes(RG_MPI, &hosts, 1000), one);
}
