/* test_gil_json.c: threads and processes as JSON, from made-up measurements: what was not measured is null. */
#include "config.h"
#include "gil/gil.h"

#include <criterion/criterion.h>
#include <stdio.h>

static rc_gil made(int n_runs, int core_percent) {
    rc_gil gil = {.n_workers = 4,
                  .n_slices = 8,
                  .n_cores = 2,
                  .n_runs = n_runs,
                  .share_num = 1,
                  .share_den = 4,
                  .work_ps = 100000000000,
                  .start_thread_ps = 20000000,
                  .start_process_ps = 300000000,
                  .core_percent = core_percent};
    const int64_t ms = 1000000000;
    for (int way = 0; way < RC_GIL_N_WAYS; way++) {
        gil.simulated[way].makespan_ps = 600 * ms / (way + 1);
        gil.measured[way].makespan_ps = n_runs > 0 ? 540 * ms / (1 + 4 * way) : 0;
    }
    return gil;
}

Test(gil_json, the_json_has_each_figure_by_its_name) {
    static char out[4000], want[4000];
    for (int runs = 0; runs <= 2; runs += 2) {
        rc_gil gil = made(runs, 87);
        FILE *file = tmpfile();
        cr_assert_not_null(file);
        gil.simulated[RC_GIL_THREADS].lock_ps = 11;
        gil.simulated[RC_GIL_THREADS].waiting_ps = 12;
        rc_json_gil(&gil, file);
        rewind(file);
        out[fread(out, 1, sizeof out - 1, file)] = '\0';
        fclose(file);
        snprintf(
            want, sizeof want,
            "{\"schema\":\"ringsim.gil/1\",\"version\":\"" RINGSIM_VERSION
            "\",\"workers\":4,\"slices\":8,\"cores\":2,\"python_share\":0.25,\"work_ps\":100000000000,"
            "\"limit\":2,\"amdahl\":1.6,\"simulated\":{\"alone_ps\":600000000000,\"threads_ps\":300000000000,"
            "\"processes_ps\":200000000000,\"lock_ps\":11,\"waiting_ps\":12},\"measured\":%s}\n",
            runs == 0
                ? "null"
                : "{\"alone_ps\":540000000000,\"threads_ps\":108000000000,\"processes_ps\":60000000000,"
                  "\"runs\":2,\"start_thread_ps\":20000000,\"start_process_ps\":300000000,"
                  "\"core_percent\":87}");
        cr_expect_str_eq(out, want);
    }
}
