/* rule_text.c: an algorithm's rule as a program of its own: the schedule's numbers that it names, then its functions.
 * How a chunk's number wraps round the ring is a function out of sight: to write it is lab 05.
 *
 *     const int root = 2;
 *     int sends(int step, int rank, int n, rs_send out[]) {
 *         int place = (rank - root + n) % n, ...
 */
#include "schedule/algo.h"

#include <stdio.h>
#include <string.h>

const char rs_rule_header[] = "typedef struct rs_send { int to, chunk, chunks, copy; } rs_send;\n"
                              "int send_chunk(int step, int rank, int n);\n"
                              "int sends(int step, int rank, int n, rs_send out[]);\n";

static bool names(const char *rule, const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    const size_t n = strlen(name);
    for (const char *at = rule; (at = strstr(at, name)) != NULL; at++) {
        if ((at == rule || strchr(letters, at[-1]) == NULL) && strchr(letters, at[n]) == NULL)
            return true;
    }
    return false;
}

size_t rs_rule_text(const rs_schedule *schedule, char *out, size_t n_out) {
    const bool alike = schedule->sends_one != NULL;
    const struct {
        const char *name;
        int32_t value;
    } numbers[] = {{"root", schedule->root},
                   {"n_chunks", alike ? chunks_a_channel(schedule) : schedule->n_chunks},
                   {"n_channels", schedule->n_channels},
                   {"gpus_per_node", schedule->gpus_per_node},
                   {"dealt", schedule->dealt},
                   {"shift", schedule->order == RS_ORDER_NCCL}};
    char constants[256];
    size_t used = 0;
    if (schedule->rule == NULL) return 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!names(schedule->rule, numbers[i].name)) continue;
        used += (size_t)snprintf(constants + used, sizeof constants - used, "%s%s = %d",
                                 used == 0 ? "const int " : ", ", numbers[i].name,
                                 (int)numbers[i].value);
    }
    constants[used] = '\0';
    const bool wraps = strstr(schedule->rule, "mod(") != NULL;
    const int n = snprintf(
        out, n_out, "%s%s%s%s", constants, used > 0 ? ";\n" : "",
        wraps ? "static int mod(int a, int n) { return (a % n + n) % n; }\n" : "", schedule->rule);
    return n > 0 && (size_t)n < n_out ? (size_t)n : 0;
}
