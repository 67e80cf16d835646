/* test_per_process.c: of times of each process and iteration the one that stands out is named, whoever it is and however
 * many there are; where nobody does, nobody is.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "ringsim_tables.h"

static char text[1 << 16];
static rn_straggler found;

/* The microseconds of process p in iteration i: uneven by a hundredth, one process longer by a factor, one iteration, too. */
static double took(int p, int i, int odd, double by, int late) {
    const double usual = 100 + (p * 7 + i * 3) % 5 / 10.0;
    return usual * (p == odd ? by : 1) * (i == late ? 4 : 1);
}

static void write_times(int n, int m, int odd, double by, int late, const char *half) {
    size_t used = (size_t)snprintf(
        text, sizeof text, "{\"results\":[{\"size\":4096,\"%s\":{\"per_process_max_times_us\":[",
        half);
    for (int p = 0; p < n; p++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s[", p > 0 ? "," : "");
        for (int i = 0; i < m; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.3f", i > 0 ? "," : "",
                                     took(p, i, odd, by, late));
        used += (size_t)snprintf(text + used, sizeof text - used, "]");
    }
    snprintf(text + used, sizeof text - used, "]}}]}");
    rs_error error;
    cr_assert_eq(rn_find_straggler(text, NULL, &error, &found), RS_OK, "%s", error.text);
    cr_assert(found.n_processes == n && found.n_iterations == m && found.n_sizes == 1,
              "%d x %d: %d x %d", n, m, (int)found.n_processes, (int)found.n_iterations);
}

Test(per_process, names_who_stands_out_wherever_it_is) {
    for (int n = 3; n <= 9; n++) {
        for (int m = 1; m <= 12; m++) {
            const int odd = (n * 5 + m) % n;
            for (int quick = 0; quick < 2; quick++) {
                const double by = quick ? 0.5 : 2;
                write_times(n, m, odd, by, -1,
                            m % 2 ? "in_place_per_iter" : "out_of_place_per_iter");
                cr_expect_eq(found.process, odd, "%d x %d: %d", n, m, (int)found.process);
                cr_expect_float_eq(found.slower, by, 0.02 * by);
                cr_expect_eq(found.n_slow, m);
                cr_expect_eq(found.n_bytes, 4096);
                cr_expect_eq(found.iteration, -1);
            }
        }
    }
}

Test(per_process, names_nobody_where_all_are_alike) {
    for (int n = 1; n <= 9; n++) {
        for (int m = 1; m <= 12; m++) {
            write_times(n, m, -1, 1, -1, "out_of_place_per_iter");
            cr_expect(found.process == -1 && found.iteration == -1, "%d x %d", n, m);
            write_times(n, m, n - 1, 1.04, -1, "out_of_place_per_iter");
            cr_expect_eq(found.process, -1, "less than a twentieth");
        }
    }
}

Test(per_process, names_the_iteration_that_all_took_long_in) {
    for (int n = 1; n <= 5; n++) {
        for (int m = 3; m <= 12; m++) {
            const int late = (n * 5 + m) % m;
            write_times(n, m, -1, 1, late, "out_of_place_per_iter");
            cr_expect_eq(found.process, -1);
            cr_expect_eq(found.iteration, late, "%d x %d: %d", n, m, (int)found.iteration);
            cr_expect_float_eq(found.usual_us, 100, 1);
            cr_expect_float_eq(found.longest_us, 400, 4);
        }
    }
}

Test(per_process, passes_over_what_is_no_table_of_times) {
    static const char *const none[] = {
        "",
        "#  Rank 0",
        "{}",
        "{\"results\":[{\"in_place_per_iter\":{\"per_process_max_times_us\":[]}}]}",
        "{\"results\":[{\"in_place_per_iter\":{\"per_process_max_times_us\":[[]]}}]}",
        "{\"results\":[{\"in_place_per_iter\":{\"per_process_max_times_us\":[[1,2],[1]]}}]}",
        "{\"results\":[{\"in_place_per_iter\":{\"per_process_max_times_us\":[[1],[\"2\"]]}}]}",
        "{\"results\":[{\"in_place_per_iter\":{\"per_process_max_times_us\":[[1],[-2]]}}]}",
        "{\"results\":[{\"in_place_per_iter\":{\"per_process_max_times_us\":[[1],[1e13]]}}]}",
        "{\"results\":[{\"in_place_per_iter\":{\"per_process_max_times_us\":[[1],2]}}]}"};
    rs_error error;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        cr_assert_eq(rn_find_straggler(none[i], NULL, &error, &found), RS_OK);
        cr_expect(found.n_sizes == 0 && found.process == -1, "%s", none[i]);
    }
}
