/* test_device_remarks.c: what is said of NCCL's bits beside ours, for what the library, the environment and the job are: all
 * combinations, beside a plain account.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nccl/nccl_world.h"
#include "support/backend_fixture.h"
#include "support/naive_apply.h"

static const char *plainly(const rg_nccl_world *w, const rg_job *job, const rg_result *result,
                           bool chosen) {
    const int64_t n = job->schedule->n_ranks, bytes = rs_dtype_bytes(job->dtype);
    const bool is_ring = strcmp(job->schedule->name, "ring") == 0;
    if (job->schedule->order != RS_ORDER_NCCL || !is_ring) return "";
    if (!result->has_oracle || result->oracle_differs == 0) return "";
    if (w->nccl.version < 21700)
        return "other bits than --order nccl: NCCL before 2.17 has no limit of one channel";
    if (chosen) return "other bits than --order nccl: NCCL_ALGO or NCCL_PROTO is set";
    const int64_t all = job->count * bytes;
    const bool alike = job->count % n == 0 && all % (16 * n) == 0 && all <= n * 2097152;
    return alike
               ? "other bits than --order nccl: NCCL's ring may go through the ranks in another order"
               : "other bits than --order nccl: NCCL's chunks are multiples of 16 bytes, 2 MiB at most";
}

Test(device_remarks, why_the_bits_may_be_others) {
    static const int versions[] = {21403, 21699, 21700, 22809};
    static const char *const names[] = {"ring", "tree", "doubling"};
    int n_said = 0;
    for (int32_t n = 1; n <= 5; n++) {
        for (int code = 0; code < 4 * 3 * 2 * 2 * 4 * 2; code++) {
            const int shared = code / (4 * 3 * 2 * 2 * 4), set = code / (4 * 3 * 2 * 2) % 4;
            const rs_schedule s =
                make_schedule(names[code / 4 % 3], (rs_order)(code / 12 % 2), n, n);
            rg_nccl_world w = {.most_on_a_gpu = 1 + 2 * shared};
            w.nccl.version = versions[code % 4];
            unsetenv("NCCL_ALGO");
            unsetenv("NCCL_PROTO");
            if (set & 1) setenv("NCCL_ALGO", "Ring", 1);
            if (set & 2) setenv("NCCL_PROTO", "Simple", 1);
            for (int64_t each = 0; each <= 70; each++) {
                for (int far = 0; far < 2; far++) {
                    const int64_t most = far ? (1 << 19) - 35 : 0; /* of f32: 2 MiB */
                    rg_job job = backend_fixture_job(&s, RS_F32, RS_SUM, (most + each) * n);
                    if (each % 5 == 4) job.count += n - 1;
                    const rg_rank_job work = {.job = &job};
                    rg_result result = {.has_oracle = each % 7 != 0, .oracle_differs = each % 6};
                    char wanted[RG_NOTE] = "";
                    rg_nccl_remark(&w.ranks, &work, &result);
                    const char *why = plainly(&w, &job, &result, set > 0);
                    if (shared) strcpy(wanted, "correctness only: 3 ranks on one GPU");
                    if (shared && why[0] != '\0') strcat(wanted, "; ");
                    strcat(wanted, why);
                    cr_assert_str_eq(result.note, wanted, "%s\n%s", result.note, wanted);
                    n_said += why[0] != '\0';
                }
            }
        }
    }
    cr_assert_gt(n_said, 1000);
}
