/* test_device_machines.c: ranks of the nccl backend on several machines: who runs where, on which GPU, and whose clock is
 * ahead by how much. On the EMULATED device; the ranks are processes of this test, to which the system gives the name and the clock
 * of the machine that they play.
 */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/bootstrap/bootstrap_world.h"
#include "gpu/device/device_clock.h"
#include "gpu/device/device_cuda.h"
#include "nccl/nccl_world.h"
#include "support/naive_apply.h"

enum { MOST = 6, TIMEOUT_MS = 30000, N_DETOUR = 5 };
static const char *const detour[N_DETOUR][2] = {{"NCCL_NET", "Socket"},
                                                {"NCCL_IB_DISABLE", "1"},
                                                {"NCCL_P2P_DISABLE", "1"},
                                                {"NCCL_SHM_DISABLE", "1"},
                                                {"NCCL_MNNVL_ENABLE", "0"}};
static const int64_t hour_ns = 3600000000000;

static int machine; /* that this process plays */

int gethostname(char *name, size_t n) {
    snprintf(name, n, "node%d", machine % 2);
    return 0;
}

/* Machines of the same name are told apart by their last start. */
FILE *fopen(const char *path, const char *mode) {
    static char boot[64];
    FILE *(*system)(const char *, const char *);
    *(void **)&system = dlsym(RTLD_NEXT, "fopen");
    if (strcmp(path, "/proc/sys/kernel/random/boot_id") != 0) return system(path, mode);
    snprintf(boot, sizeof boot, "3ecc0e2a-6d0c-4a5e-9f63-7cd85f2b7a%02d\n", machine);
    return fmemopen(boot, strlen(boot), "r");
}

/* ------------------------------------------------------------------ ranks */

typedef struct told { /* by a rank */
    rs_status status;
    char text[512], where[RG_WHERE_BYTES], network[64], own_host[64], many[8];
    char detour[N_DETOUR]
               [16]; /* what keeps NCCL off the ways on which ranks of one GPU cannot meet */
    int64_t ahead_ps, time_ps, last_ps;
    int32_t device, n_machines, n_gpus, most_on_a_gpu, n_pids;
    int64_t pids[MOST];
    pid_t pid;
    bool in_order;
} told;

typedef struct played {
    int32_t n, n_devices, version;
    int machines[MOST]; /* of each rank */
    int own_setting;    /* the user has set that one of the detour, from 1; 0: none */
    char init[64];
    told *ranks; /* which all see */
} played;

static const char *value(const char *name) {
    const char *text = getenv(name);
    return text != NULL ? text : "";
}

/* A rank that joins, and finds its place. */
static void find_place(const played *p, int32_t rank, told *out) {
    rs_error error = {.text = ""};
    rg_nccl_world *w = calloc(1, sizeof *w);
    w->ranks.group.n_ranks = p->n;
    w->ranks.rank = rank;
    w->ranks.timeout_ms = TIMEOUT_MS;
    w->nccl.version = p->version;
    snprintf(w->nccl.version_text, sizeof w->nccl.version_text, "2.x");
    out->status = rg_bootstrap_join(p->init, rank, p->n, TIMEOUT_MS, &error, &w->bootstrap);
    if (out->status == RS_OK) out->status = rg_nccl_place(w, &error);
    if (out->status == RS_OK) out->ahead_ps = rg_nccl_compare_clocks(w);
    memcpy(out->text, error.text, sizeof out->text);
    memcpy(out->where, w->ranks.group.where, sizeof out->where);
    out->device = w->device;
    out->n_machines = w->n_machines;
    out->n_gpus = w->n_gpus;
    out->most_on_a_gpu = w->most_on_a_gpu;
    out->n_pids = w->ranks.n_pids;
    for (int32_t i = 0; i < w->ranks.n_pids && i < MOST; i++) out->pids[i] = w->ranks.pids[i];
    snprintf(out->network, sizeof out->network, "%s", value("NCCL_SOCKET_IFNAME"));
    snprintf(out->own_host, sizeof out->own_host, "%s", value("NCCL_HOSTID"));
    for (int i = 0; i < N_DETOUR; i++) {
        snprintf(out->detour[i], sizeof out->detour[i], "%s", value(detour[i][0]));
    }
    snprintf(out->many, sizeof out->many, "%s", value("NCCL_MULTI_RANK_GPU_ENABLE"));
    if (w->bootstrap != NULL) rg_bootstrap_leave(w->bootstrap);
}

static void play(played *p, void (*act)(const played *p, int32_t rank, told *out)) {
    int port;
    const int held = held_port(&port);
    char settings[40];
    snprintf(settings, sizeof settings, "EMU_DEVICES=%d", (int)p->n_devices);
    snprintf(p->init, sizeof p->init, "tcp://127.0.0.1:%d", port);
    p->ranks = mmap(NULL, MOST * sizeof *p->ranks, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(p->ranks != MAP_FAILED);
    for (int32_t r = 0; r < p->n; r++) {
        told *out = &p->ranks[r];
        out->status = RS_UNSUPPORTED;
        const pid_t pid = fork();
        if (pid != 0) {
            out->pid = pid;
            continue;
        }
        alarm(60);
        machine = p->machines[r];
        device_clock_ahead_s = machine * (hour_ns / 1000000000); /* machine k's is k hours ahead */
        cuda_machine(settings);
        act(p, r, out);
        _exit(0);
    }
    for (int32_t r = 0; r < p->n; r++) waitpid(p->ranks[r].pid, NULL, 0);
    close(held);
}

/* ------------------------------------------------------------------ who runs where */

/* A rank takes the GPU that is its own number among the ranks of its machine, round and round. */
static int32_t gpu_of(const played *p, int32_t rank) {
    int32_t before = 0;
    for (int32_t r = 0; r < rank; r++) before += p->machines[r] == p->machines[rank];
    return before % p->n_devices;
}

static void check_places(const played *p) {
    int32_t n_machines = 0, n_gpus = 0, most = 0, n_pids = 0;
    int64_t pids[MOST];
    for (int32_t r = 0; r < p->n; r++) {
        bool new_machine = true, new_gpu = true;
        int32_t on_it = 0;
        for (int32_t k = 0; k < p->n; k++) {
            const bool here = p->machines[k] == p->machines[r],
                       same = here && gpu_of(p, k) == gpu_of(p, r);
            if (k < r && here) new_machine = false;
            if (k < r && same) new_gpu = false;
            on_it += same;
        }
        n_machines += new_machine;
        n_gpus += new_gpu;
        if (on_it > most) most = on_it;
        if (p->machines[r] == p->machines[0]) pids[n_pids++] = p->ranks[r].pid;
    }
    char place[32], where[128], own_host[32];
    snprintf(place, sizeof place, "node%d", p->machines[0] % 2);
    if (n_machines > 1) snprintf(place, sizeof place, "%d machines", (int)n_machines);
    snprintf(where, sizeof where, "%d process%s on %d%s emulated device (no GPU) of %s, NCCL 2.x",
             (int)p->n, p->n == 1 ? "" : "es", (int)n_gpus, n_gpus == 1 ? "" : " x", place);
    for (int32_t r = 0; r < p->n; r++) {
        const told *t = &p->ranks[r];
        const bool many = most > 1, new_one = p->version >= RG_NCCL_MULTI_RANK;
        cr_assert_eq(t->status, RS_OK, "rank %d: %s", (int)r, t->text);
        cr_expect_str_eq(t->where, where, "%s, not %s", t->where, where);
        cr_expect(t->device == gpu_of(p, r) && t->n_machines == n_machines && t->n_gpus == n_gpus &&
                      t->most_on_a_gpu == most,
                  "rank %d: GPU %d, %d machines, %d GPUs, %d on one", (int)r, (int)t->device,
                  (int)t->n_machines, (int)t->n_gpus, (int)t->most_on_a_gpu);
        cr_expect(t->n_pids == n_pids && memcmp(t->pids, pids, (size_t)n_pids * sizeof *pids) == 0);
        snprintf(own_host, sizeof own_host, "ringsim-rank%d", (int)r);
        cr_expect_str_eq(t->many, many && new_one ? "1" : "");
        cr_expect_str_eq(t->own_host, many && !new_one ? own_host : "");
        cr_expect_str_eq(t->network, many && !new_one && n_machines == 1 ? "lo" : "");
        for (int i = 0; i < N_DETOUR; i++) {
            const bool is_own = p->own_setting == i + 1, is_set = many && !new_one;
            cr_expect_str_eq(t->detour[i],
                             is_own   ? "own"
                             : is_set ? detour[i][1]
                                      : "",
                             "%s", detour[i][0]);
        }
        const int64_t ahead_ps = (p->machines[r] - p->machines[0]) * hour_ns * 1000;
        const int64_t off_ps = t->ahead_ps - ahead_ps;
        cr_expect(off_ps > -1000000000000 && off_ps < 1000000000000, "rank %d: %lld ps ahead",
                  (int)r, (long long)t->ahead_ps);
        if (n_machines == 1) cr_expect_eq(t->ahead_ps, 0);
    }
}

Test(device_machines, each_rank_knows_all_machines_and_takes_a_GPU_of_its_own) {
    uint64_t state = 3;
    for (int turn = 0; turn < 14; turn++) {
        played p = {.n = 1 + random_below(&state, MOST), .n_devices = 1 + random_below(&state, 3)};
        const int n_machines = 1 + random_below(&state, 3);
        p.own_setting = turn % (N_DETOUR + 1);
        if (p.own_setting > 0) setenv(detour[p.own_setting - 1][0], "own", 1);
        p.version = turn % 3 == 0 ? RG_NCCL_MULTI_RANK : RG_NCCL_MULTI_RANK - 1;
        for (int32_t r = 0; r < p.n; r++) p.machines[r] = random_below(&state, n_machines);
        play(&p, find_place);
        check_places(&p);
        if (p.own_setting > 0) unsetenv(detour[p.own_setting - 1][0]);
        munmap(p.ranks, MOST * sizeof *p.ranks);
    }
}

/* ------------------------------------------------------------------ what a job measures */

static bool in_order(const rs_trace *trace) {
    int64_t left_ps[MOST] = {0};
    bool good = trace->n_items > 0;
    for (int64_t i = 0; i < trace->n_items; i++) {
        const rs_timed *t = &trace->items[i];
        good = good && t->start_ps >= left_ps[t->transfer.dst] && t->end_ps >= t->start_ps &&
               t->done_ps >= t->end_ps;
        left_ps[t->transfer.dst] = t->done_ps;
    }
    return good;
}

/* A rank that was launched, with a job whose trace it keeps. */
static void run_job(const played *p, int32_t rank, told *out) {
    char text[16];
    rs_error error = {.text = ""};
    rs_arena arena;
    rg_group *group = NULL;
    rg_result result = {.failure = ""};
    snprintf(text, sizeof text, "%d", (int)rank);
    setenv("RANK", text, 1);
    setenv("LOCAL_RANK", text, 1); /* a GPU of its own: the fake NCCL knows of one machine */
    snprintf(text, sizeof text, "%d", (int)p->n);
    setenv("WORLD_SIZE", text, 1);
    setenv("LOCAL_WORLD_SIZE", text, 1);
    rs_arena_init(&arena, NULL);
    const rg_setup setup = {
        .n_ranks = p->n, .mode = RG_LAUNCHED, .init = p->init, .timeout_ms = TIMEOUT_MS};
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, p->n, 400);
    rg_job job = cuda_job(&s, RS_F32, RS_SUM, 400);
    job.times = 2;
    job.trace = true;
    out->status = rg_group_open(RG_NCCL, &setup, NULL, &error, &group);
    if (out->status == RS_OK) out->status = rg_group_run(group, &job, &arena, &error, &result);
    memcpy(out->text, error.text, sizeof out->text);
    if (out->status != RS_OK) return;
    if (!result.completed) memcpy(out->text, result.failure, sizeof result.failure);
    out->time_ps = result.time_ps;
    if (result.trace != NULL) {
        out->in_order = in_order(result.trace);
        for (int64_t i = 0; i < result.trace->n_items; i++) {
            if (result.trace->items[i].done_ps > out->last_ps)
                out->last_ps = result.trace->items[i].done_ps;
        }
    }
    rg_group_close(group);
    rs_arena_free(&arena);
}

/* Clocks that are hours apart are one in what is measured. */
Test(device_machines, a_trace_and_a_time_know_one_clock) {
    char library[4200];
    const char *build = getenv("BUILD");
    snprintf(library, sizeof library, "%s/device/libnccl.so.2", build != NULL ? build : "build");
    setenv("RINGSIM_NCCL", library, 1);
    static const int worlds[][4] = {{0, 1, 2, 1}, {2, 1, 0, 0}};
    for (int i = 0; i < 2; i++) {
        played p = {.n = 4, .n_devices = 4};
        memcpy(p.machines, worlds[i], sizeof worlds[i]);
        play(&p, run_job);
        for (int32_t r = 0; r < p.n; r++) {
            const told *t = &p.ranks[r];
            cr_assert(t->status == RS_OK && t->text[0] == '\0', "rank %d: %s", (int)r, t->text);
            cr_expect(t->time_ps > 0 && t->time_ps < 60 * 1000 * INT64_C(1000000000),
                      "rank %d: %lld ps", (int)r, (long long)t->time_ps);
        }
        cr_expect(p.ranks[0].in_order);
        cr_expect(p.ranks[0].last_ps > 0 && p.ranks[0].last_ps < 60 * 1000 * INT64_C(1000000000),
                  "%lld ps", (long long)p.ranks[0].last_ps);
        munmap(p.ranks, MOST * sizeof *p.ranks);
    }
}
