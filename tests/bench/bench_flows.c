/* bench_flows.c: how fast the flow engine is, and, where SimGrid is installed, a peer in the same run.
 *
 *     ring over 1,024 GPUs on 128 nodes of 8, one NIC a node: node by node, and dealt out over the nodes
 *     (then eight flows share each NIC). `make bench` builds simgrid_ring beside this where it can.
 *
 * Usage: bench_flows [nodes = 128].
 */
#include "ringsim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PER_NODE = 8, ROUNDS = 3 };
static const int64_t N_BYTES = 1 << 30;

static double now_s(void) {
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void check(rs_status status, const rs_error *error) {
    if (status == RS_OK) return;
    fprintf(stderr, "bench_flows: %s\n", error->text);
    exit(1);
}

static void make_machine(int32_t nodes, rs_arena *arena, rs_machine *machine) {
    const int32_t n = nodes * PER_NODE, n_devices = n + nodes + 1;
    rs_error error = {.text = ""};
    rs_machine_link *links = rs_alloc(arena, (size_t)(n + nodes), sizeof *links);
    const char **names = rs_alloc(arena, (size_t)n_devices, sizeof *names);
    for (int32_t d = 0; d < n_devices; d++) names[d] = "device";
    for (int32_t i = 0; i < n + nodes; i++) {
        const bool nic = i >= n;
        links[i] = (rs_machine_link){.a = i, .b = nic ? n + nodes : n + i / PER_NODE};
        links[i].bandwidth_Bps = links[i].raw_Bps = nic ? 50000000000u : 370800000000u;
        links[i].kind = nic ? RS_NET : RS_NVLINK;
        links[i].slow_num = links[i].slow_den = 1;
    }
    const rs_machine described = {.name = "nodes",
                                  .n_gpus = n,
                                  .n_devices = n_devices,
                                  .names = names,
                                  .reduces = rs_alloc(arena, (size_t)n_devices, sizeof(bool)),
                                  .links = links,
                                  .n_links = n + nodes};
    check(rs_machine_make(&described, arena, &error, machine), &error);
}

/* Asks SimGrid for the same run; false: it is not here. */
static bool ask_peer(const char *program, int32_t nodes, bool cyclic, double *makespan_s,
                     double *seconds) {
    char command[600];
    const char *slash = strrchr(program, '/');
    long long n_transfers;
    snprintf(command, sizeof command, "%.*ssimgrid_ring %d %d %lld %s 2>/dev/null",
             slash == NULL ? 0 : (int)(slash - program + 1), program, (int)nodes, PER_NODE,
             (long long)N_BYTES, cyclic ? "cyclic" : "block");
    FILE *out = popen(command, "r");
    if (out == NULL) return false;
    const bool told = fscanf(out, "%lf %lld %lf", makespan_s, &n_transfers, seconds) == 3;
    pclose(out);
    return told;
}

static void measure(const char *program, int32_t nodes, bool cyclic, rs_engine engine) {
    rs_arena arena;
    rs_error error = {.text = ""};
    rs_schedule ring;
    rs_machine machine;
    const int32_t n = nodes * PER_NODE;
    double best_s = INFINITY, memory_MB = 0, peer_s, peer_took_s;
    rs_outcome outcome = {.n_transfers = 0};
    check(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, n,
                           N_BYTES / 4, &error, &ring),
          &error);
    for (int i = 0; i < ROUNDS; i++) {
        rs_arena_init(&arena, NULL);
        make_machine(nodes, &arena, &machine);
        int32_t *place = rs_alloc(&arena, (size_t)n, sizeof *place);
        check(rs_place_ranks(&machine, cyclic ? RS_PLACE_CYCLIC : RS_PLACE_BLOCK, &arena, &error,
                             place),
              &error);
        const rs_job job = {.schedule = &ring,
                            .count = N_BYTES / 4,
                            .elem_bytes = 4,
                            .net = {.machine = &machine, .place = place}};
        const size_t before = arena.n_bytes;
        const double start_s = now_s();
        check(rs_simulate(&job, engine, NULL, &arena, &error, &outcome), &error);
        best_s = fmin(best_s, now_s() - start_s);
        memory_MB = (double)(arena.n_bytes - before) / 1e6;
        rs_arena_free(&arena);
    }
    printf("%-7s %-9s %8.3f s  %8.2f M transfers/s  %6.1f MB", cyclic ? "dealt" : "in turn",
           engine == RS_ENGINE_FLOWS ? "flows" : "auto", best_s,
           (double)outcome.n_transfers / best_s / 1e6, memory_MB);
    if (ask_peer(program, nodes, cyclic, &peer_s, &peer_took_s)) {
        printf("   SimGrid %7.3f s: %6.1f times as long; makespans differ by %.1e", peer_took_s,
               peer_took_s / best_s, fabs((double)outcome.makespan_ps / 1e12 / peer_s - 1));
    } else {
        printf("   SimGrid: not here");
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    const int32_t nodes = argc > 1 ? atoi(argv[1]) : 128;
    printf("ring over %d GPUs on %d nodes, one NIC each\n", (int)(nodes * PER_NODE), (int)nodes);
    measure(argv[0], nodes, false, RS_ENGINE_AUTO);
    measure(argv[0], nodes, false, RS_ENGINE_FLOWS);
    measure(argv[0], nodes, true, RS_ENGINE_FLOWS);
    return 0;
}
