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
#include "config.h"
#include "nccl/explain.h"

#ifdef HAVE_CJSON
#include <cjson/cJSON.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROCESSES = 4096, MOST_ITERATIONS = 100000 };

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double values[], int n) {
    qsort(values, (size_t)n, sizeof *values, by_value);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* times[process x n_iterations + iteration] */
static bool read_times(const cJSON *rows, int n, int m, double times[]) {
    const cJSON *row, *item;
    int p = 0;
    cJSON_ArrayForEach(row, rows) {
        int i = 0;
        if (!cJSON_IsArray(row) || cJSON_GetArraySize(row) != m || p == n) return false;
        cJSON_ArrayForEach(item, row) {
            if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble > 1e12)
                return false;
            times[p * m + i++] = item->valuedouble;
        }
        p++;
    }
    return p == n;
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
                          rc_straggler *found) {
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

static rc_exit look_at(const cJSON *rows, int64_t n_bytes, rs_error *error, rc_straggler *found) {
    const int n = cJSON_GetArraySize(rows);
    const int m = n > 0 ? cJSON_GetArraySize(cJSON_GetArrayItem(rows, 0)) : 0;
    if (n < 1 || m < 1 || n > MOST_PROCESSES || m > MOST_ITERATIONS) return RC_GOOD;
    const size_t room = (size_t)n * (size_t)m + (size_t)n * 2 + (size_t)m + 8;
    double *times = calloc(room, sizeof *times), ratio;
    if (times == NULL) return rc_fail(error, RC_LACKS, _("no memory for the times"));
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
    free(times);
    return RC_GOOD;
}

rc_exit rc_find_straggler(const char *text, rs_error *error, rc_straggler *found) {
    static const char *const halves[] = {"out_of_place_per_iter", "in_place_per_iter"};
    *found = (rc_straggler){.process = -1, .slower = 1, .iteration = -1};
    if (text[strspn(text, " \t\r\n")] != '{') return RC_GOOD;
    cJSON *all = cJSON_Parse(text);
    const cJSON *result, *results = cJSON_GetObjectItemCaseSensitive(all, "results");
    rc_exit status = RC_GOOD;
    cJSON_ArrayForEach(result, results) {
        const cJSON *size = cJSON_GetObjectItemCaseSensitive(result, "size");
        const bool known =
            cJSON_IsNumber(size) && size->valuedouble >= 0 && size->valuedouble < 1e18;
        for (int half = 0; half < 2 && status == RC_GOOD; half++) {
            const cJSON *body = cJSON_GetObjectItemCaseSensitive(result, halves[half]);
            const cJSON *rows = cJSON_GetObjectItemCaseSensitive(body, "per_process_max_times_us");
            if (!cJSON_IsArray(rows)) continue;
            status = look_at(rows, known ? (int64_t)size->valuedouble : 0, error, found);
        }
    }
    cJSON_Delete(all);
    return status;
}
#else
rc_exit rc_find_straggler(const char *text, rs_error *error, rc_straggler *found) {
    (void)text, (void)error;
    *found = (rc_straggler){.process = -1, .slower = 1, .iteration = -1};
    return RC_GOOD;
}
#endif
