/* The event engine against other people's simulators, row by row of tests/data/crosscheck.csv.
 *
 *   - simgrid-s4u and recurrence: the same model; equal to 1e-12, which is what their doubles hold.
 *   - LogGOPSim: LogGP counts the gap of b - 1 bytes a message, so it is smaller by G = 80 ps in each
 *     of the 2(N-1) steps on the critical path. Its senders run ahead: eager. Its rows of a rank that
 *     calculates before it sends say `case=calc1` in their third column.
 *   - ASTRA-sim: its clock counts whole nanoseconds: b/B is cut off, an endpoint delay of 1 ns comes
 *     before each step, and its last event is 1 ns after the last arrival. Told these habits, with
 *     such a bandwidth and such stragglers, the engine gives the same number.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sim_jobs.h"

enum { MOST_RANKS = 16 };
static const int64_t alpha_ps = 10000000;
/* Bandwidths like B / (1 + 5/16) are no whole numbers of bytes a second. With a million times the
   bytes over a million times the bandwidth each b/B is the exact number of picoseconds again. */
static const int64_t scale = 1000000;

typedef struct row {
    char text[400];
    char peer[32], kind[16];
    rs_protocol protocol;
    int32_t n;
    int64_t n_bytes;
    double time_s;
} row;

/* The third column may hold commas: the last four are taken from the end. */
static bool parse(const char *line, row *out) {
    char text[400];
    snprintf(out->text, sizeof out->text, "%s", line);
    snprintf(text, sizeof text, "%s", line);
    char *field[4];
    for (int i = 3; i >= 0; i--) {
        field[i] = strrchr(text, ',');
        if (field[i] == NULL) return false;
        *field[i]++ = '\0';
    }
    snprintf(out->kind, sizeof out->kind, "%s", field[0]);
    out->n = atoi(field[1]);
    out->n_bytes = atoll(field[2]);
    out->time_s = strtod(field[3], NULL);
    snprintf(out->peer, sizeof out->peer, "%.*s", (int)strcspn(text, ","), text);
    out->protocol = strstr(text, ",rendezvous") != NULL ? RS_RENDEZVOUS : RS_EAGER;
    return out->n > 0;
}

/* Fills in the links of a case. */
static void set_links(const row *at, rs_link_override links[]) {
    const bool hetero = strcmp(at->kind, "hetero") == 0;
    for (int32_t i = 0; i < at->n; i++) {
        const int64_t k = hetero ? 7 * i % 16 : 0, j = hetero ? 5 * i % 16 : 0;
        const uint64_t bandwidth = 12500000000 * (uint64_t)scale;
        links[i] =
            (rs_link_override){i,
                               (i + 1) % at->n,
                               {alpha_ps / 16 * (16 + k),
                                (bandwidth * 16 + (uint64_t)(8 + j / 2)) / (uint64_t)(16 + j)}};
    }
    if (strcmp(at->kind, "slowbw") == 0) links[0].link.bandwidth_Bps /= 4;
    if (strcmp(at->kind, "slowlat") == 0) links[0].link.alpha_ps *= 10;
}

static int by_source(const void *left, const void *right) {
    const rs_link_override *a = left, *b = right;
    return (a->src > b->src) - (a->src < b->src);
}

static int64_t run(const row *at, rs_link_override links[], const rs_fault faults[],
                   int32_t n_faults) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const int64_t count = at->n_bytes * scale;
    const rs_schedule ring = sim_schedule("ring", at->n, count);
    rs_job job = sim_job(&ring, count);
    qsort(links, (size_t)at->n, sizeof *links, by_source);
    job.elem_bytes = 1;
    job.net = (rs_net){.link = {alpha_ps, 1}, .overrides = links, .n_overrides = at->n};
    job.net.link.bandwidth_Bps = 12500000000 * (uint64_t)scale;
    job.net.protocol = at->protocol;
    job.faults = faults, job.n_faults = n_faults;
    const int64_t makespan_ps = sim_run(&job, &arena, NULL).makespan_ps;
    rs_arena_free(&arena);
    return makespan_ps;
}

static int64_t run_case(const row *at) {
    rs_link_override links[MOST_RANKS];
    set_links(at, links);
    rs_fault fault = {.kind = RS_LATE, .rank = 0, .time_ps = 1000000000};
    const bool late = strcmp(at->kind, "late0") == 0, calc = strstr(at->text, "calc1") != NULL;
    if (calc) fault = (rs_fault){.kind = RS_STRAGGLER, .rank = 1, .time_ps = 5000000};
    return run(at, links, &fault, late || calc);
}

static int64_t run_like_astra(const row *at) {
    rs_link_override links[MOST_RANKS];
    rs_fault endpoint[MOST_RANKS];
    const uint64_t whole_ns = (uint64_t)(at->n_bytes / at->n) * 80 / 1000;
    set_links(at, links);
    for (int32_t i = 0; i < at->n; i++) {
        const uint64_t n_bytes = (uint64_t)(at->n_bytes / at->n * scale);
        links[i].link.bandwidth_Bps = (uint64_t)((double)n_bytes * 1e9 / (double)whole_ns);
        endpoint[i] = (rs_fault){.kind = RS_STRAGGLER, .rank = i, .time_ps = 1000};
    }
    return run(at, links, endpoint, at->n) + 1000;
}

static int64_t expected_of(const row *at) {
    if (strcmp(at->peer, "ASTRA-sim") == 0) return run_like_astra(at);
    const int64_t steps = 2 * (at->n - 1);
    return run_case(at) - (strcmp(at->peer, "LogGOPSim") == 0 ? steps * 80 : 0);
}

Test(crosscheck, other_simulators_say_the_same) {
    FILE *file = fopen("tests/data/crosscheck.csv", "r");
    cr_assert(file != NULL, "run the tests from the top folder");
    char line[400];
    int n_rows = 0, n_of[4] = {0};
    static const char *const peers[] = {"simgrid-s4u", "recurrence", "LogGOPSim", "ASTRA-sim"};
    cr_assert(fgets(line, sizeof line, file) != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        row at;
        line[strcspn(line, "\r\n")] = '\0';
        cr_assert(parse(line, &at), "%s", line);
        const double ours_s = (double)expected_of(&at) * 1e-12;
        cr_expect(fabs(ours_s - at.time_s) <= 1e-12 * at.time_s, "%s: ours %.13g", at.text, ours_s);
        for (int i = 0; i < 4; i++) n_of[i] += strcmp(at.peer, peers[i]) == 0;
        n_rows++;
    }
    fclose(file);
    cr_expect_eq(n_rows, 90);
    cr_expect_eq(n_of[0] + n_of[1] + n_of[2] + n_of[3], n_rows);
    for (int i = 0; i < 4; i++) cr_expect_gt(n_of[i], 5, "%s", peers[i]);
}

/* Where a peer differs from us it is by what its model says, not by chance. */
Test(crosscheck, without_their_habits_the_peers_would_differ) {
    row at;
    cr_assert(parse("ASTRA-sim,-,-,homog,4,1024,6.0127e-05", &at));
    cr_expect_eq(run_like_astra(&at), 60127000);
    cr_expect_eq(run_case(&at), 60122880);
}
