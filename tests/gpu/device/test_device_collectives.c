/* test_device_collectives.c: the cuda backend's kernels run every collective on the EMULATED device of tests/fake_cuda.
   No GPU has seen any of this: what is shown is that plan, kernels and host code give the reference's bits. */
#include <criterion/criterion.h>

#include <string.h>

#include "cuda/cuda.h"
#include "gpu/device/device_cuda.h"
#include "support/backend_fixture.h"

/* A kernel variant with every algorithm of every collective; worlds, counts, types, places take turns. */
static void check_variant(int32_t variant, int turn) {
    static const int32_t worlds[] = {2, 3, 4, 5, 1};
    for (int of = RS_COLL_REDUCE_SCATTER; of < RS_N_COLLECTIVES; of++) {
        const rs_algorithm *const *algorithms = rs_algorithms_of((rs_collective)of);
        for (int i = 0; algorithms[i] != NULL; i++, turn++) {
            const rs_algorithm *algorithm = algorithms[i];
            const int32_t n = worlds[turn % 5];
            const int64_t counts[] = {n * n * 16, 2 * n + 1, 1000, 1, n * n * 100 + 7};
            const int64_t count = counts[(turn + turn / 5) % 5];
            const rs_spec spec = {.n_ranks = n,
                                  .root = rs_collective_rooted(algorithm->collective) ? turn / 2 % n
                                                                                      : 0,
                                  .n_channels = turn % 3 == 0 && !algorithm->one_channel ? 2 : 0};
            rs_schedule s;
            cr_assert_eq(rs_schedule_from_spec(algorithm, &spec, count, NULL, &s), RS_OK);
            const rs_op op =
                rs_collective_reduces(s.collective) ? (rs_op)(turn % RS_N_OPS) : RS_SUM;
            rg_job job = cuda_job(&s, (rs_dtype)(turn * 3 % RS_N_DTYPES), op, count);
            job.in_place = turn / 3 % 2 == 0;
            job.offset = turn / 7 % 2;
            rg_group *cuda = cuda_open(RG_CUDA, n, variant), *cpu = cuda_open(RG_CPU, n, 0);
            backend_fixture_check(cuda, cpu, &job);
            rg_group_close(cuda);
            rg_group_close(cpu);
        }
    }
}

static void check_machine(const char *settings, int turn) {
    cuda_machine(settings);
    for (int32_t variant = 0; variant <= RG_BY_LINES; variant++) {
        check_variant(variant, turn + 7 * variant);
    }
    cr_assert_eq(emu_live_allocations(), 0, "memory of the device is left behind");
}

Test(device_collectives, each_kernel_gives_the_bits_of_the_reference) {
    check_machine("EMU_SEED=1", 0);
}
Test(device_collectives, two_devices_that_reach_each_other_give_the_same_bits) {
    check_machine("EMU_DEVICES=2 EMU_SEED=2", 1);
}
Test(device_collectives, three_devices_that_do_not_reach_each_other_meet_in_the_hosts_memory) {
    check_machine("EMU_DEVICES=3 EMU_PEERS=0", 2);
}

Test(device_collectives, what_goes_wrong_in_any_collective_is_found) {
    cuda_machine("");
    backend_fixture_blame(RG_CUDA, NULL);
}
