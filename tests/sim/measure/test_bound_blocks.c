/* test_bound_blocks.c: on a machine a job is bounded as its GPUs are, wherever its ranks are placed, and the blocks
 * are told in ranks; where only some GPUs take part, by what leaves those; without a machine, by the fastest link.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "support/sim_jobs.h"

__extension__ typedef unsigned __int128 wide; /* bytes x ranks x 10^12 pass 2^64 */
enum { MOST = 64, TEXT = 1 << 16 };
static const char *const machines[] = {"bus",       "line",     "ring-of-wires", "star",
                                       "thin-wire", "torus4x4", "fat-tree",      "dgx1-v100",
                                       "gh200x4",   "dgx-h100", "hgx-a100",      "rtx4090-host"};
enum { MACHINES = sizeof machines / sizeof *machines };

static rs_arena arena;
static rs_error error;
static uint64_t state = 5;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(bound_blocks, .init = open_arena, .fini = close_arena);

/* A preset, as often as asked. */
static void read_machine(const char *name, int32_t n_nodes, rs_machine *machine) {
    static char text[TEXT];
    char path[100];
    rs_machine one;
    snprintf(path, sizeof path, "assets/machines/%s.machine", name);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    const size_t n = fread(text, 1, sizeof text, file);
    fclose(file);
    cr_assert_eq(rs_parse_machine(text, n, name, &arena, &error, &one), RS_OK, "%s", error.text);
    if (n_nodes == 1) {
        *machine = one;
        return;
    }
    cr_assert_eq(rs_machine_repeat(&one, n_nodes, name, &arena, &error, machine), RS_OK, "%s",
                 error.text);
}

/* Draws which GPU each rank has. */
static void draw_place(int32_t n, int32_t place[]) {
    for (int32_t r = 0; r < n; r++) {
        const int32_t at = (int32_t)sim_between(&state, 0, r);
        place[r] = place[at];
        place[at] = r;
    }
}

Test(bound_blocks, are_told_in_ranks_wherever_these_are_placed) {
    int n_moved = 0, seen[RS_BY_FAR_CUT + 1] = {0};
    for (int k = 0; k < 4 * MACHINES; k++) {
        rs_machine machine;
        rs_bound bounds[RS_N_COLLECTIVES];
        int32_t place[MOST];
        read_machine(machines[k / 4], 1 + (k / 4 >= 7 && k / 4 < 11 && k % 2), &machine);
        const int32_t n = machine.n_gpus;
        cr_assert_leq(n, MOST);
        const rs_schedule ring = sim_schedule("ring", n, 1000 * n);
        rs_job job = sim_job(&ring, 1000 * n);
        draw_place(n, place);
        job.net.machine = &machine;
        job.net.place = k % 4 < 2 ? NULL : place;
        cr_assert_eq(rs_machine_bounds(&machine, 4000 * n, &arena, &error, bounds), RS_OK);
        const rs_bound *want = &bounds[RS_COLL_ALL_REDUCE];
        const rs_bound got = rs_lower_bound(&job, &arena);
        cr_expect(got.time_ps == want->time_ps && got.by == want->by && got.which == want->which &&
                      got.n_blocks == want->n_blocks && got.in_switch_ps == want->in_switch_ps,
                  "%s", machine.name);
        cr_expect_eq(rs_lower_bound_ps(&job, &arena), want->time_ps);
        seen[got.by]++;
        for (int32_t r = 0; r < n; r++) {
            const int32_t gpu = k % 4 < 2 ? r : place[r],
                          block = got.by == RS_BY_RANKS ? r : want->block[gpu];
            cr_expect_eq(got.block[r], block, "%s: rank %d, block %d, not %d", machine.name, (int)r,
                         (int)got.block[r], (int)block);
            n_moved += gpu != r && got.by != RS_BY_RANKS && want->block[gpu] != want->block[r];
        }
    }
    cr_expect_gt(n_moved, 0);
    cr_expect_gt(seen[RS_BY_RANKS], 0);
    cr_expect_gt(4 * MACHINES, seen[RS_BY_RANKS]);
}

/* What n - 1 ranks lack comes through all links of these GPUs, twice where sums go back. */
Test(bound_blocks, of_some_gpus_each_rank_is_one_and_their_links_count) {
    for (int k = 0; k < 40 * MACHINES; k++) {
        rs_machine machine;
        int32_t place[MOST];
        close_arena();
        open_arena();
        read_machine(machines[k % MACHINES], 1, &machine);
        draw_place(machine.n_gpus, place);
        const int32_t n = (int32_t)sim_between(&state, 1, machine.n_gpus - 1);
        const int64_t count = sim_between(&state, 0, 3) * sim_between(&state, 1, 100000) * n;
        const bool placed = k % 3 > 0, twice = k % 2 == 0;
        rs_schedule ring;
        const rs_collective of = twice ? RS_COLL_ALL_REDUCE : RS_COLL_REDUCE_SCATTER;
        cr_assert_eq(
            rs_schedule_make(rs_find_algorithm(of, "ring"), RS_ORDER_SEED, n, count, &error, &ring),
            RS_OK);
        rs_job job = sim_job(&ring, count);
        job.net.machine = &machine;
        job.net.place = placed ? place : NULL;
        wide out_Bps = 0;
        for (int32_t i = 0; i < machine.n_links; i++) {
            for (int32_t r = 0; r < n; r++) {
                const int32_t gpu = placed ? place[r] : r;
                out_Bps += (wide)machine.links[i].raw_Bps *
                           (unsigned)((machine.links[i].a == gpu) + (machine.links[i].b == gpu));
            }
        }
        const uint64_t n_bytes = 4 * (uint64_t)rs_size_count(&ring, count);
        const wide top = (wide)n_bytes * (unsigned)(n - 1) * (twice ? 2 : 1) * 1000000000000u;
        int64_t ps = (int64_t)(top / out_Bps);
        if ((wide)ps * out_Bps < top) ps++;
        const rs_bound got = rs_lower_bound(&job, &arena);
        const bool none = n == 1 || count == 0;
        cr_expect(got.by == (none ? RS_BY_NOTHING : RS_BY_RANKS) && got.in_switch_ps == -1);
        cr_expect_eq(got.n_blocks, none ? 0 : n);
        cr_expect_eq(got.time_ps, ps, "%s, %d ranks: %lld ps, not %lld", machine.name, (int)n,
                     (long long)got.time_ps, (long long)ps);
        for (int32_t r = 0; r < n && !none; r++) cr_expect_eq(got.block[r], r);
    }
}

/* Links of their own: whichever is fastest, with faults that make some slower and some faster. */
Test(bound_blocks, without_a_machine_the_fastest_link_counts) {
    enum { FAULTS = 4, RANKS = 4 };
    for (int k = 0; k < 3000; k++) {
        const int32_t n = 1 + k % RANKS;
        const int64_t count = sim_between(&state, 0, 2) * n;
        const rs_schedule ring = sim_schedule("ring", n, count);
        rs_fault faults[FAULTS];
        rs_job job = sim_job(&ring, count);
        double fastest = 1e6, of_rank[RANKS] = {1e6, 1e6, 1e6, 1e6};
        bool faster[RANKS] = {false};
        job.net.link.bandwidth_Bps = 1000000;
        if (k % 5 == 0) job.net.link.bandwidth_Bps = 40000000000000; /* 40 B a picosecond */
        if (k % 5 == 0) fastest = 4e13;
        job.faults = faults;
        job.n_faults = k % 5 == 0 ? 0 : k % (FAULTS + 1);
        for (int32_t f = 0; f < job.n_faults; f++) {
            const rs_fault_kind kind = sim_between(&state, 0, 4) > 0 ? RS_SLOW_LINK : RS_LATE;
            faults[f] = (rs_fault){.kind = kind,
                                   .rank = (int32_t)sim_between(&state, 0, n - 1),
                                   .factor_num = (uint64_t)sim_between(&state, 1, 4),
                                   .factor_den = (uint64_t)sim_between(&state, 1, 4)};
            if (kind != RS_SLOW_LINK) continue;
            const double factor = (double)faults[f].factor_den / (double)faults[f].factor_num;
            of_rank[faults[f].rank] *= factor;
            faster[faults[f].rank] = faster[faults[f].rank] || factor > 1;
        }
        for (int32_t r = 0; r < n; r++)
            if (faster[r] && of_rank[r] > fastest) fastest = of_rank[r];
        const double ps = 4 * (double)count * 2 * (n - 1) / n * 1e12 / fastest;
        const rs_bound got = rs_lower_bound(&job, &arena);
        cr_expect((double)got.time_ps <= ps + 1 && (double)got.time_ps >= ps * (1 - 2e-5),
                  "%d: %lld ps, not %.1f", k, (long long)got.time_ps, ps);
        cr_expect_eq(got.by, n == 1 || count == 0 ? RS_BY_NOTHING : RS_BY_RANKS);
        cr_expect_eq(got.n_blocks, n == 1 || count == 0 ? 0 : n);
        cr_expect(got.in_switch_ps == -1 && got.block == NULL);
    }
}
