/* test_symmetric.c: NCCL's expectation of its kernels for registered buffers, against values worked out from src/sym_kernels.cc by
 * another program; and where it has none.
 */
#include <criterion/criterion.h>

#include "tuning/ringsim_tuning.h"

static rn_nccl_comm comm(int ranks, int cc, bool nvls) {
    rn_nccl_comm made = {
        .version = 22907, .n_ranks = ranks, .n_nodes = 1, .cc_min = cc, .cc_max = cc};
    if (nvls) made.graphs[RN_NCCL_NVLS].n_channels = 8;
    return made;
}

Test(symmetric, expects_what_the_source_says) {
    static const struct {
        int cc;
        bool nvls;
        rs_collective coll;
        int64_t n_bytes;
        double us;
        const char *kernel;
    } rows[] = {
        {90, false, RS_COLL_ALL_REDUCE, 8192, 5.614318, "AGxLL"},
        {90, false, RS_COLL_ALL_REDUCE, 65536, 8.214524, "RSxLD_AGxST"},
        {90, false, RS_COLL_ALL_REDUCE, 1 << 20, 12.153521, "RSxLD_AGxST"},
        {90, true, RS_COLL_ALL_REDUCE, 1 << 20, 9.332276, "RSxLDMC_AGxSTMC"},
        {90, true, RS_COLL_ALL_REDUCE, 64 << 20, 153.287969, "RSxLDMC_AGxSTMC"},
        {100, true, RS_COLL_ALL_REDUCE, 1 << 20, 20.243679, "RSxLDMC_AGxSTMC"},
        {90, false, RS_COLL_ALL_GATHER, 1 << 20, 9.642722, "ST"},
        {90, true, RS_COLL_REDUCE_SCATTER, 64 << 20, 177.698438, "LD"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rn_nccl_comm c = comm(8, rows[i].cc, rows[i].nvls);
        const char *kernel = "-";
        const double us = rn_nccl_registered_us(&c, rows[i].coll, rows[i].n_bytes, &kernel);
        cr_expect_str_eq(kernel, rows[i].kernel, "%zu", i);
        cr_expect_float_eq(us, rows[i].us, 1e-3, "%zu: %.4f", i, us);
    }
}

Test(symmetric, has_none_where_there_are_no_such_kernels) {
    const char *kernel;
    rn_nccl_comm c = comm(8, 80, false);
    cr_expect_eq(rn_nccl_registered_us(&c, RS_COLL_ALL_REDUCE, 8192, &kernel), -1);
    c = comm(8, 90, false);
    cr_expect_eq(rn_nccl_registered_us(&c, RS_COLL_BROADCAST, 8192, &kernel), -1);
    c.version = 22600;
    cr_expect_eq(rn_nccl_registered_us(&c, RS_COLL_ALL_REDUCE, 8192, &kernel), -1);
    c = comm(16, 90, false);
    c.n_nodes = 2;
    cr_expect_eq(rn_nccl_registered_us(&c, RS_COLL_ALL_REDUCE, 8192, &kernel), -1);
}
