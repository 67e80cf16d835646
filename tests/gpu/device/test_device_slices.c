/* test_device_slices.c: into how many blocks the elements of a chunk go, beside a plain account. */
#include <criterion/criterion.h>

#include "cuda/cuda.h"
#include "cuda/kernels.h"

/* As many as share the blocks evenly, but none without 16 bytes a thread, unless there is only one. */
static int64_t account_slices(int64_t chunk_bytes, int64_t n_blocks, int64_t n) {
    int64_t slices = 1;
    while (n > 0 && (slices + 1) * n <= n_blocks && slices * 16 * RG_THREADS < chunk_bytes)
        slices++;
    return slices;
}

Test(device_slices, each_block_has_bytes_for_all_its_threads) {
    static const rs_dtype dtypes[] = {RS_I8, RS_F16, RS_F32, RS_F64};
    static const int64_t blocks[] = {0, 1, 2, 3, 7, 8, 9, 132, 1056}, sides[] = {0, 1, 2, 3, 8, 9};
    for (int d = 0; d < 4; d++) {
        const int64_t a_slice = 16 * RG_THREADS / rs_dtype_bytes(dtypes[d]);
        for (int64_t n_slices = 0; n_slices < 12; n_slices++) {
            for (int64_t more = -2; more <= 2; more++) {
                for (int code = 0; code < 9 * 6 * 3; code++) {
                    const int64_t n_blocks = blocks[code % 9], n = sides[code / 9 % 6];
                    const int32_t n_chunks = code / 54 == 2 ? 5 : code / 54;
                    const int64_t a_chunk = n_slices * a_slice + more;
                    if (a_chunk < 0) continue;
                    /* the largest chunk counts, of which there may be one */
                    const int64_t count = n_chunks == 5 && a_chunk > 0 ? 5 * a_chunk - 4 : a_chunk;
                    const rs_schedule s = {.n_chunks = n_chunks};
                    const rg_job job = {.schedule = &s, .count = count, .dtype = dtypes[d]};
                    const rg_cuda_job work = {.job = &job};
                    const int64_t bytes = a_chunk * rs_dtype_bytes(dtypes[d]);
                    cr_assert_eq(rg_slices(&work, n_blocks, n), account_slices(bytes, n_blocks, n),
                                 "%d bytes, %d blocks, %d side by side", (int)bytes, (int)n_blocks,
                                 (int)n);
                }
            }
        }
    }
}
