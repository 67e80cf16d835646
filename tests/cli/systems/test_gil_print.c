/* test_gil_print.c: the figures of threads and processes in words, from made-up measurements: what was not measured is not
 * told of, and a machine that was busy is.
 */
#include "config.h"
#include "systems/gil.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

static const char head[] =
    "workers 4, work 100 ms each in 8 slices; Python, under the lock: 25 %; cores 2\n\n";
static const char limits[] =
    "\n"
    "threads at the most 2 x: no more than workers, cores, and 1 / share of the lock\n"
    "Amdahl says 1.60 x: if all others stand still while one has the lock\n";
static const char started[] =
    "starting a worker that does nothing, here: thread 20 us, process 300 us\n";
static const char busy[] =
    "this machine was busy: alone, a worker had %d %% of a core; short work, often, finds better "
    "moments:\n--work 2ms --iters 100\n";

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

Test(gil_print, tells_what_was_measured_and_whether_the_machine_was_busy) {
    static const int percents[] = {0, 50, 89, 90, 91, 100};
    static char out[1 << 14], want[1 << 14];
    size_t n = 0;
    cr_redirect_stdout();
    for (int runs = 0; runs <= 2; runs++) {
        for (int i = 0; i < 6; i++) {
            const rc_gil gil = made(runs, percents[i]);
            rc_print_gil(&gil);
            n += (size_t)snprintf(
                want + n, sizeof want - n, "%s%s%s%s", head,
                runs == 0 ? "                 simulated\n"
                            "one does all        600 ms       1 x\n"
                            "threads             300 ms       2 x\n"
                            "processes           200 ms       3 x\n"
                          : "                 simulated                   measured here\n"
                            "one does all        600 ms       1 x            540 ms       1 x\n"
                            "threads             300 ms       2 x            108 ms       5 x\n"
                            "processes           200 ms       3 x             60 ms       9 x\n",
                limits, runs > 0 ? started : "");
            if (runs > 0 && percents[i] < 90)
                n += (size_t)snprintf(want + n, sizeof want - n, busy, percents[i]);
        }
    }
    fflush(stdout);
    out[fread(out, 1, sizeof out - 1, cr_get_redirected_stdout())] = '\0';
    cr_expect_str_eq(out, want);
}

Test(gil_print, the_json_has_each_figure_by_its_name) {
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
