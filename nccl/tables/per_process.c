/* per_process.c: which process or which iteration holds the others up, from nccl-tests -J with times of each.
 *
 *     results[i].{out_of_place,in_place}_per_iter.per_process_max_times_us[process][iteration]
 *
 *   - A process stands out if its median time is well above the median of the others' medians and beyond their
 *     spread (median absolute deviation), so that one outlier moves neither. In a collective all wait for the slowest:
 *     a rank that comes late makes the others' times longer, and its own shorter. So who is quick while all others are
 *     slow is named, too: less than the rest by as much.
 *   - Of several sizes the one at which it shows most is told.
 */
#include "base/containers.h"
#include "ringsim_tables.h"
#include "table_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROCESSES = 4096, MOST_ITERATIONS = 100000 };

static double median(double values[], int n) {
    qsort(values, (size_t)n, sizeof *values, rs_by_double);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* times[process x n_iterations + iteration] */
static bool read_times(rn_datum rows, int n, int m, double times[]) {
    for (int p = 0; p < n; p++) {
        const rn_datum row = rows.items->at[p];
        if (rn_json_length(row) != m) return false;
        for (int i = 0; i < m; i++) {
            times[p * m + i] = rn_json_number(row.items->at[i]);
            if (!(times[p * m + i] >= 0) || times[p * m + i] > 1e12) return false;
        }
    }
    return true;
}

/* The process whose median differs most, in units of what is usual; its ratio in *ratio, 1: nobody stands out. */
static int odd_process(const double times[], int n, int m, double scratch[], double medians[],
                       double *ratio) {
    int odd = -1;
    double most = 0;
    *ratio = 1;
    for (int p = 0; p < n; p++) {
        memcpy(scratch, times + p * m, (size_t)m * sizeof *scratch);
        medians[p] = median(scratch, m);
    }
    if (n < 2) return -1;
    memcpy(scratch, medians, (size_t)n * sizeof *scratch);
    const double usual = median(scratch, n);
    for (int p = 0; p < n; p++) scratch[p] = fabs(medians[p] - usual);
    const double spread = median(scratch, n);
    for (int p = 0; p < n; p++) {
        const double off = fabs(medians[p] - usual);
        if (usual <= 0 || off < 0.05 * usual || off < 5 * spread || off <= most) continue;
        most = off;
        odd = p;
        *ratio = medians[p] / usual;
    }
    return odd;
}

/* The iteration that took longest over all processes, if it is beyond what is usual. */
static void odd_iteration(const double times[], int n, int m, double scratch[],
                          rn_straggler *found) {
    double *worst = scratch, longest = 0;
    int which = -1;
    for (int i = 0; i < m; i++) {
        worst[i] = 0;
        for (int p = 0; p < n; p++) {
            if (times[p * m + i] > worst[i]) worst[i] = times[p * m + i];
        }
        if (worst[i] > longest) {
            longest = worst[i];
            which = i;
        }
    }
    const double usual = median(worst, m);
    if (which < 0 || longest < 1.5 * usual ||
        longest / usual <= found->longest_us / (found->usual_us + 1e-9)) {
        return;
    }
    found->iteration = which;
    found->longest_us = longest;
    found->usual_us = usual;
}

static rs_status look_at(rn_datum rows, int64_t n_bytes, rs_arena *arena, rs_error *error,
                         rn_straggler *found) {
    const int n = rn_json_length(rows), m = n > 0 ? rn_json_length(rows.items->at[0]) : 0;
    if (n < 1 || m < 1 || n > MOST_PROCESSES || m > MOST_ITERATIONS) return RS_OK;
    const size_t room = (size_t)n * (size_t)m + (size_t)n * 2 + (size_t)m + 8;
    double *times = rs_alloc(arena, room, sizeof *times), ratio;
    if (times == NULL) return rs_no_memory(error);
    double *medians = times + (size_t)n * (size_t)m, *scratch = medians + n;
    if (read_times(rows, n, m, times)) {
        found->n_sizes++;
        found->n_processes = n;
        found->n_iterations = m;
        const int odd = odd_process(times, n, m, scratch, medians, &ratio);
        if (odd >= 0 && fabs(log(ratio)) > fabs(log(found->slower))) {
            found->process = odd;
            found->slower = ratio;
            found->n_bytes = n_bytes;
            found->n_slow = 0;
            for (int i = 0; i < m; i++) {
                bool most = true;
                for (int p = 0; p < n && most; p++) {
                    const double a = times[odd * m + i], b = times[p * m + i];
                    most = p == odd || (ratio > 1 ? a > b : a < b);
                }
                found->n_slow += most;
            }
        }
        odd_iteration(times, n, m, scratch, found);
    }
    return RS_OK;
}

static rs_status look_at_all(rn_table_json *json, rs_error *error, rn_straggler *found) {
    static const char *const halves[] = {"out_of_place_per_iter", "in_place_per_iter"};
    const rn_datum results = rn_json_member(json, json->top, "results");
    rs_status status = RS_OK;
    for (int i = 0; i < rn_json_length(results); i++) {
        const rn_datum result = results.items->at[i];
        const double size = rn_json_number(rn_json_member(json, result, "size"));
        const bool known = size >= 0 && size < 1e18;
        for (int half = 0; half < 2 && status == RS_OK; half++) {
            const rn_datum body = rn_json_member(json, result, halves[half]);
            const rn_datum rows = rn_json_member(json, body, "per_process_max_times_us");
            status = look_at(rows, known ? (int64_t)size : 0, &json->arena, error, found);
        }
    }
    return status;
}

rs_status rn_find_straggler(const char *text, const rs_host *host, rs_error *error,
                            rn_straggler *found) {
    rn_table_json json;
    *found = (rn_straggler){.process = -1, .slower = 1, .iteration = -1};
    if (text[strspn(text, " \t\r\n")] != '{') return RS_OK;
    rs_status status = rn_json_open(&json, text, strlen(text), host, error);
    if (status == RS_OK) status = look_at_all(&json, error, found);
    rn_json_close(&json);
    return status == RS_BAD_INPUT ? RS_OK : status; /* whoever reads its rows says so */
}
