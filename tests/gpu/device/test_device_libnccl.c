/* test_device_libnccl.c: the emulated libnccl.so.2 by itself: what the tests of the nccl backend rest on.
 *
 *     as_ranks(n, body)  forks n processes, each with a communicator's rank; all must say true
 *
 * A body that waits for ever is ended after limit_s, and counts as false. */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <emulator.h>
#include <nccl.h>

#include "ringsim.h"

enum { MOST_RANKS = 8 };
static unsigned limit_s = 10;

/* ------------------------------------------------------------------ the library, and ranks */

#define CALLS(X)                                                                                   \
    X(GetVersion)                                                                                  \
    X(GetUniqueId)                                                                                 \
    X(CommInitRank)                                                                                \
    X(CommInitRankConfig)                                                                          \
    X(CommFinalize)                                                                                \
    X(CommDestroy)                                                                                 \
    X(CommAbort)                                                                                   \
    X(CommGetAsyncError)                                                                           \
    X(CommCount)                                                                                   \
    X(CommUserRank)                                                                                \
    X(GetErrorString)                                                                              \
    X(GetLastError)                                                                                \
    X(GroupStart)                                                                                  \
    X(GroupEnd)                                                                                    \
    X(Send)                                                                                        \
    X(Recv)                                                                                        \
    X(AllReduce)

static struct {
#define X(name) __typeof__(&nccl##name) name;
    CALLS(X)
#undef X
} nccl;

static void load(void) {
    char path[4200];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/device/libnccl.so.2", build != NULL ? build : "build");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(library, "%s", dlerror());
#define X(name)                                                                                    \
    *(void **)&nccl.name = dlsym(library, "nccl" #name);                                           \
    cr_assert_not_null(*(void **)&nccl.name, "nccl" #name);
    CALLS(X)
#undef X
}

typedef struct self { /* one rank, in its own process */
    int rank, n;
    ncclUniqueId id;
    ncclComm_t comm; /* NULL until join() */
    cudaStream_t stream;
} self;
typedef bool body(self *me);

/* Several ranks on one device must look like several hosts. */
static void own_host(int rank) {
    char name[32];
    snprintf(name, sizeof name, "host-%d", rank);
    setenv("NCCL_HOSTID", name, 1);
}

static bool join(self *me) {
    own_host(me->rank);
    return nccl.CommInitRank(&me->comm, me->n, me->id, me->rank) == ncclSuccess;
}

static bool leave(self *me) {
    return nccl.CommDestroy(me->comm) == ncclSuccess;
}

/* Returns which ranks said true, a bit each. */
static unsigned who_of_ranks(int n, body *run) {
    load();
    self me = {.n = n};
    pid_t pids[MOST_RANKS];
    unsigned good = 0;
    cr_assert_eq(nccl.GetUniqueId(&me.id), ncclSuccess);
    for (me.rank = 0; me.rank < n; me.rank++) {
        pids[me.rank] = fork();
        if (pids[me.rank] == 0) {
            cudaStreamCreateWithFlags(&me.stream, cudaStreamNonBlocking);
            alarm(limit_s);
            signal(SIGALRM, SIG_DFL);
            _exit(run(&me) ? 0 : 1);
        }
    }
    for (int r = 0; r < n; r++) {
        int status;
        waitpid(pids[r], &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) good |= 1u << r;
    }
    return good;
}

static void as_ranks(int n, body *run) {
    cr_assert_eq(who_of_ranks(n, run), (1u << n) - 1);
}

static void nap_ms(int ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* Tells whether the stream comes to its end within some milliseconds. */
static bool ends_within(cudaStream_t stream, int ms) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        if (cudaStreamQuery(stream) == cudaSuccess) return true;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
    return false;
}

static void *on_device(const void *bytes, size_t n) {
    void *memory = NULL;
    if (cudaMalloc(&memory, n + 1) != cudaSuccess) abort();
    if (bytes != NULL && n > 0) cudaMemcpy(memory, bytes, n, cudaMemcpyHostToDevice);
    return memory;
}

static bool holds(const void *memory, const void *bytes, size_t n) {
    void *host = malloc(n + 1);
    cudaMemcpy(host, memory, n, cudaMemcpyDeviceToHost);
    const bool same = memcmp(host, bytes, n) == 0;
    free(host);
    return same;
}

static void in_ring_order(void) {
    setenv("NCCL_ALGO", "Ring", 1);
    setenv("NCCL_PROTO", "Simple", 1);
    setenv("NCCL_MAX_NCHANNELS", "1", 1);
}

static void through_sockets(void) {
    setenv("NCCL_P2P_DISABLE", "1", 1);
    setenv("NCCL_SHM_DISABLE", "1", 1);
}

/* ------------------------------------------------------------------ messages */

static bool swap_sizes(self *me) {
    static const size_t sizes[] = {0, 1, 7, 1000, 1 << 20, 3000001};
    bool good = join(me);
    for (int i = 0; good && i < 6; i++) {
        const size_t n = sizes[i];
        char *own = malloc(n + 1), *theirs = malloc(n + 1);
        memset(own, 'a' + me->rank, n);
        memset(theirs, 'b' - me->rank, n);
        void *source = on_device(own, n), *target = on_device(own, n);
        good = nccl.GroupStart() == ncclSuccess &&
               nccl.Send(source, n, ncclInt8, 1 - me->rank, me->comm, me->stream) == ncclSuccess &&
               nccl.Recv(target, n, ncclInt8, 1 - me->rank, me->comm, me->stream) == ncclSuccess &&
               nccl.GroupEnd() == ncclSuccess && cudaStreamSynchronize(me->stream) == cudaSuccess &&
               holds(target, theirs, n);
        cudaFree(source);
        cudaFree(target);
        free(own);
        free(theirs);
    }
    return good && leave(me);
}

Test(device_libnccl, brings_messages_of_any_size) {
    as_ranks(2, swap_sizes);
}

/* Everybody draws the same random messages: who sends how much to whom, in which group. */
static uint32_t draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static bool storm(self *me) {
    enum { GROUPS = 15, MESSAGES = 12, ROOM = 4000 };
    bool good = join(me);
    uint64_t state = 7;
    for (int g = 0; good && g < GROUPS; g++) {
        void *memory[MESSAGES];
        char expected[MESSAGES];
        size_t sizes[MESSAGES];
        nccl.GroupStart();
        for (int m = 0; m < MESSAGES; m++) {
            const int from = (int)(draw(&state) % (unsigned)me->n);
            const int to = (int)(draw(&state) % (unsigned)me->n);
            char bytes[ROOM];
            const size_t n = sizes[m] = draw(&state) % ROOM;
            expected[m] = to == me->rank ? (char)(g + m) : (char)-1;
            memset(bytes, from == me->rank ? g + m : -1, n);
            memory[m] = on_device(bytes, n);
            void *room = to == me->rank && from == me->rank ? on_device(NULL, n) : memory[m];
            if (from == me->rank) nccl.Send(memory[m], n, ncclUint8, to, me->comm, me->stream);
            if (to == me->rank) nccl.Recv(room, n, ncclUint8, from, me->comm, me->stream);
            if (to == me->rank) memory[m] = room;
            if (to != me->rank && from == me->rank) expected[m] = (char)(g + m);
        }
        good = nccl.GroupEnd() == ncclSuccess && cudaStreamSynchronize(me->stream) == cudaSuccess;
        for (int m = 0; m < MESSAGES; m++) {
            char bytes[ROOM];
            memset(bytes, expected[m], sizes[m]);
            good = good && holds(memory[m], bytes, sizes[m]);
        }
    }
    return good && leave(me);
}

Test(device_libnccl, keeps_the_order_of_many_messages_also_to_oneself) {
    as_ranks(1, storm);
    as_ranks(3, storm);
    as_ranks(5, storm);
}

static bool chain(self *me) {
    /* Calls without a group: rank 0 sends, the others receive and send on. */
    int number = me->rank == 0 ? 41 : 0;
    bool good = join(me);
    void *memory = on_device(&number, sizeof number);
    for (int round = 0; good && round < 3; round++) {
        if (me->rank > 0) {
            good = nccl.Recv(memory, 1, ncclInt32, me->rank - 1, me->comm, me->stream) == 0;
        }
        if (good && me->rank + 1 < me->n) {
            good = nccl.Send(memory, 1, ncclInt32, me->rank + 1, me->comm, me->stream) == 0;
        }
    }
    number = 41;
    return good && cudaStreamSynchronize(me->stream) == cudaSuccess &&
           holds(memory, &number, sizeof number) && leave(me);
}

Test(device_libnccl, takes_calls_without_a_group) {
    as_ranks(4, chain);
}

/* ------------------------------------------------------------------ all-reduce */

static const ncclDataType_t types[RS_N_DTYPES] = {
    [RS_I8] = ncclInt8,   [RS_U8] = ncclUint8,   [RS_I32] = ncclInt32,   [RS_U32] = ncclUint32,
    [RS_I64] = ncclInt64, [RS_U64] = ncclUint64, [RS_F16] = ncclFloat16, [RS_BF16] = ncclBfloat16,
    [RS_F32] = ncclFloat, [RS_F64] = ncclFloat64};
static const ncclRedOp_t ops[RS_N_OPS] = {[RS_SUM] = ncclSum,
                                          [RS_PROD] = ncclProd,
                                          [RS_MIN] = ncclMin,
                                          [RS_MAX] = ncclMax,
                                          [RS_AVG] = ncclAvg};

/* What everybody's random data come to, by the schedule of the ring in NCCL's order. */
static void *reduced(const self *me, rs_dtype dtype, rs_op op, int64_t count, void **own) {
    void *ranks[MOST_RANKS];
    rs_schedule schedule;
    const size_t n_bytes = (size_t)(count * rs_dtype_bytes(dtype));
    for (int r = 0; r < me->n; r++) {
        ranks[r] = malloc(n_bytes + 1);
        rs_fill(RS_DATA_RANDOM, dtype, r, me->n, count, count, 5, NULL, ranks[r]);
        if (r == me->rank) *own = on_device(ranks[r], n_bytes);
    }
    rs_error error = {.text = ""};
    rs_apply_options options = {0};
    if (rs_schedule_make(rs_find_algorithm("ring"), RS_ORDER_NCCL, me->n, count, &error,
                         &schedule) != RS_OK) {
        abort();
    }
    options.until_step = schedule.n_steps;
    if (rs_apply(&schedule, dtype, op, count, ranks, &options, NULL, &error) != RS_OK) {
        abort();
    }
    for (int r = 1; r < me->n; r++) free(ranks[r]);
    return ranks[0];
}

static bool same_as_the_ring(self *me, rs_dtype dtype, rs_op op, int64_t count, bool in_place) {
    void *source;
    void *expected = reduced(me, dtype, op, count, &source);
    const size_t n_bytes = (size_t)(count * rs_dtype_bytes(dtype));
    void *target = in_place ? source : on_device(NULL, n_bytes);
    bool good = nccl.AllReduce(source, target, (size_t)count, types[dtype], ops[op], me->comm,
                               me->stream) == ncclSuccess &&
                cudaStreamSynchronize(me->stream) == cudaSuccess;
    void *host = malloc(n_bytes + 1);
    cudaMemcpy(host, target, n_bytes, cudaMemcpyDeviceToHost);
    good = good && rs_equal(dtype, host, expected, count);
    free(host);
    free(expected);
    return good;
}

/* Where N x 16 bytes divide the array, NCCL's chunks are ours: every bit must be. */
static bool every_type(self *me) {
    bool good = join(me);
    for (int dtype = 0; dtype < RS_N_DTYPES; dtype++) {
        for (int op = 0; op < RS_N_OPS; op++) {
            const bool ring = op != RS_AVG || !rs_dtype_is_float((rs_dtype)dtype);
            if (!ring) continue; /* NCCL multiplies before it adds */
            const int64_t count = 16 * me->n * (1 + dtype);
            good = good && same_as_the_ring(me, (rs_dtype)dtype, (rs_op)op, count, op % 2);
        }
    }
    return good && leave(me);
}

Test(device_libnccl, adds_in_the_rings_order_bit_by_bit) {
    in_ring_order();
    for (int n = 1; n <= 5; n++) as_ranks(n, every_type);
}

static bool odd_counts(self *me) {
    static const int64_t counts[] = {0, 1, 2, 3, 5, 17, 1000, 100003};
    bool good = join(me);
    for (int i = 0; i < 8; i++) {
        good = good && same_as_the_ring(me, RS_I32, RS_SUM, counts[i], true) &&
               same_as_the_ring(me, RS_U8, RS_AVG, counts[i], false) &&
               same_as_the_ring(me, RS_F32, RS_MAX, counts[i], false);
    }
    return good && leave(me);
}

Test(device_libnccl, reduces_any_count_in_any_order) {
    as_ranks(3, odd_counts); /* no ring's variables: a tree */
    in_ring_order();
    setenv("NCCL_BUFFSIZE", "65536", 1); /* several loops */
    as_ranks(4, odd_counts);
}

/* A float's sum depends on the order: the expected bits come up, or they do not. */
static bool floats(self *me) {
    return join(me) && same_as_the_ring(me, RS_F32, RS_SUM, 16 * 5 * 64, false) && leave(me);
}

Test(device_libnccl, adds_in_another_order_without_the_rings_variables) {
    cr_assert_eq(who_of_ranks(5, floats), 0);
    in_ring_order();
    as_ranks(5, floats);
    setenv("EMU_NCCL_ORDER", "tree", 1);
    cr_assert_eq(who_of_ranks(5, floats), 0);
    unsetenv("EMU_NCCL_ORDER");
    setenv("EMU_NCCL_RING", "0,2,1,4,3", 1);
    cr_assert_eq(who_of_ranks(5, floats), 0);
}

static bool averages(self *me) {
    float own = (float)(me->rank + 1), exact = 0;
    bool good = join(me);
    void *memory = on_device(&own, sizeof own);
    good = good && nccl.AllReduce(memory, memory, 1, ncclFloat, ncclAvg, me->comm, me->stream) == 0;
    good = good && cudaStreamSynchronize(me->stream) == cudaSuccess;
    /* chunk 0 of a ring: folded from rank 1 round to 0, each multiplied by 1/3 first */
    const float third = (float)(1.0 / 3);
    const float left = 2.0f * third + 3.0f * third;
    exact = left + 1.0f * third;
    return good && holds(memory, &exact, sizeof exact) && leave(me);
}

Test(device_libnccl, multiplies_floats_by_the_share_before_it_adds_them) {
    in_ring_order();
    as_ranks(3, averages);
}

/* ------------------------------------------------------------------ what must not be relied on */

static bool both_send_first(self *me) {
    if (!join(me)) return false;
    void *memory = on_device("x", 1);
    return nccl.Send(memory, 1, ncclInt8, 1 - me->rank, me->comm, me->stream) == ncclSuccess;
}

Test(device_libnccl, hangs_where_both_send_without_a_group) {
    limit_s = 1;
    cr_assert_eq(who_of_ranks(2, both_send_first), 0);
}

/* Makes a communicator that does not block, and waits until it stands. */
static bool join_quietly(self *me) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclResult_t state = ncclInProgress;
    config.blocking = 0;
    own_host(me->rank);
    if (nccl.CommInitRankConfig(&me->comm, me->n, me->id, me->rank, &config) != ncclInProgress) {
        return false;
    }
    while (state == ncclInProgress) {
        if (nccl.CommGetAsyncError(me->comm, &state) != ncclSuccess) return false;
        nap_ms(1);
    }
    return state == ncclSuccess;
}

static bool quiet(self *me) {
    int number = me->rank, theirs = 1 - me->rank;
    ncclResult_t state = ncclInProgress;
    if (!join_quietly(me)) return false;
    void *source = on_device(&number, sizeof number), *target = on_device(&number, sizeof number);
    nccl.GroupStart();
    nccl.Send(source, 1, ncclInt, theirs, me->comm, me->stream);
    nccl.Recv(target, 1, ncclInt, theirs, me->comm, me->stream);
    if (nccl.GroupEnd() != ncclInProgress) return false;
    if (cudaStreamQuery(me->stream) != cudaSuccess) return false; /* nothing is there yet */
    if (nccl.Send(source, 1, ncclInt, theirs, me->comm, me->stream) == ncclSuccess) return false;
    while (state == ncclInProgress) nccl.CommGetAsyncError(me->comm, &state);
    return state == ncclSuccess && cudaStreamSynchronize(me->stream) == cudaSuccess &&
           holds(target, &theirs, sizeof theirs) && leave(me);
}

Test(device_libnccl, puts_nothing_on_the_stream_before_a_quiet_communicator_is_ready) {
    as_ranks(2, quiet);
}

/* Rank 1 never comes to the second message: rank 0's stream is not ready until it aborts. */
static bool left_alone(self *me) {
    char byte = 'x';
    if (!join_quietly(me)) return false;
    void *memory = on_device(&byte, 1);
    ncclResult_t state = ncclInProgress;
    for (int round = 0; round < 2 - me->rank; round++, state = ncclInProgress) {
        if (me->rank == 0) nccl.Recv(memory, 1, ncclInt8, 1, me->comm, me->stream);
        if (me->rank == 1) nccl.Send(memory, 1, ncclInt8, 0, me->comm, me->stream);
        while (state == ncclInProgress) nccl.CommGetAsyncError(me->comm, &state);
        if (round == 0 && !ends_within(me->stream, 5000)) return false;
    }
    if (me->rank == 1) nap_ms(400);
    if (me->rank == 0 && ends_within(me->stream, 100)) return false;
    return nccl.CommAbort(me->comm) == ncclSuccess && ends_within(me->stream, 100);
}

Test(device_libnccl, leaves_the_stream_unready_without_its_peer_until_it_is_aborted) {
    as_ranks(2, left_alone);
}

static void *abort_soon(void *comm) {
    nap_ms(150);
    return nccl.CommAbort(comm) == ncclSuccess ? comm : NULL;
}

/* The first message ties both ends together on the host: only another thread gets it out of there. */
static bool stuck_on_the_host(self *me) {
    pthread_t thread;
    if (!join(me)) return false;
    void *memory = on_device("x", 1), *done = NULL;
    if (me->rank == 1) {
        nap_ms(400);
        return leave(me);
    }
    pthread_create(&thread, NULL, abort_soon, me->comm);
    const ncclResult_t result = nccl.Recv(memory, 1, ncclInt8, 1, me->comm, me->stream);
    pthread_join(thread, &done);
    return result != ncclSuccess && done != NULL;
}

Test(device_libnccl, blocks_the_host_until_another_thread_aborts) {
    as_ranks(2, stuck_on_the_host);
}

/* ------------------------------------------------------------------ misuse and misfortune */

static bool misfit(self *me) {
    const size_t n = me->rank == 0 ? 100 : 50;
    ncclResult_t state = ncclSuccess;
    if (!join(me)) return false;
    void *memory = on_device(NULL, 100);
    if (me->rank == 0) nccl.Send(memory, n, ncclInt8, 1, me->comm, me->stream);
    if (me->rank == 1) nccl.Recv(memory, n, ncclInt8, 0, me->comm, me->stream);
    const bool hangs = !ends_within(me->stream, 200);
    nccl.CommGetAsyncError(me->comm, &state);
    const bool frame = getenv("NCCL_SHM_DISABLE") != NULL && me->rank == 0;
    nap_ms(100);
    return hangs && state == (frame ? ncclInvalidUsage : ncclSuccess) &&
           nccl.CommAbort(me->comm) == ncclSuccess;
}

Test(device_libnccl, never_ends_a_message_of_another_size) {
    as_ranks(2, misfit);
    through_sockets();
    as_ranks(2, misfit);
}

static bool survivor(self *me) {
    ncclResult_t state = ncclSuccess;
    char byte = 0;
    if (!join(me)) return false;
    void *memory = on_device(&byte, 1);
    for (int round = 0; round < 2; round++) {
        if (me->rank == 1 && round == 1) raise(SIGKILL);
        nccl.AllReduce(memory, memory, 1, ncclInt8, ncclSum, me->comm, me->stream);
        if (round == 0) cudaStreamSynchronize(me->stream);
    }
    if (ends_within(me->stream, 200)) return false;
    nccl.CommGetAsyncError(me->comm, &state);
    const bool frame = getenv("NCCL_SHM_DISABLE") != NULL;
    return state == (frame ? ncclRemoteError : ncclSuccess) &&
           nccl.CommAbort(me->comm) == ncclSuccess && ends_within(me->stream, 100);
}

Test(device_libnccl, tells_of_a_dead_peer_through_sockets_and_is_silent_through_memory) {
    cr_assert_eq(who_of_ranks(3, survivor), 5);
    through_sockets();
    cr_assert_eq(who_of_ranks(3, survivor), 5);
}

static bool joins_plainly(self *me) {
    return nccl.CommInitRank(&me->comm, me->n, me->id, me->rank) == ncclSuccess && leave(me);
}
static bool is_refused(self *me) {
    const ncclResult_t result = nccl.CommInitRank(&me->comm, me->n, me->id, me->rank);
    return result == ncclInvalidUsage && strstr(nccl.GetLastError(NULL), "Duplicate GPU") != NULL;
}
static bool joins_on_own_device(self *me) {
    return cudaSetDevice(me->rank) == cudaSuccess && joins_plainly(me);
}

Test(device_libnccl, refuses_two_ranks_on_one_device_of_one_host) {
    setenv("EMU_DEVICES", "3", 1);
    as_ranks(3, is_refused);
    as_ranks(3, joins_on_own_device);
    as_ranks(3, chain); /* each its own NCCL_HOSTID */
}

Test(device_libnccl, allows_several_ranks_on_a_device_from_2_30_on) {
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
    as_ranks(3, is_refused);
    setenv("EMU_NCCL_VERSION", "23007", 1);
    as_ranks(3, joins_plainly);
    unsetenv("NCCL_MULTI_RANK_GPU_ENABLE");
    as_ranks(3, is_refused);
}

static bool wrong_world(self *me) {
    own_host(me->rank);
    ncclComm_t comm;
    return nccl.CommInitRank(&comm, me->rank == 0 ? 2 : 3, me->id, me->rank) != ncclSuccess;
}
static bool taken_rank(self *me) { /* two processes are rank 0, one is rank 1 */
    own_host(me->rank);
    if (me->rank == 2) nap_ms(200);
    const int rank = me->rank == 1;
    const ncclResult_t result = nccl.CommInitRank(&me->comm, 2, me->id, rank);
    if (me->rank == 2) return result != ncclSuccess;
    nap_ms(400);
    return result == ncclSuccess && leave(me);
}

Test(device_libnccl, finds_wrong_world_sizes_and_ranks_taken_twice) {
    as_ranks(2, wrong_world);
    as_ranks(3, taken_rank);
}

static bool bad_calls(self *me) {
    char byte;
    int count = 0, rank = -1;
    ncclConfig_t bare = {.size = sizeof bare};
    ncclUniqueId nobody = {{0}};
    ncclComm_t none;
    if (nccl.CommInitRank(&none, 1, nobody, 0) != ncclInvalidArgument ||
        nccl.CommInitRank(&none, 1, me->id, 1) != ncclInvalidArgument ||
        nccl.CommInitRankConfig(&none, 1, me->id, 0, &bare) != ncclInvalidArgument || !join(me)) {
        return false;
    }
    void *memory = on_device("x", 1);
    return nccl.Send(memory, 1, ncclInt8, 1, me->comm, me->stream) == ncclInvalidArgument &&
           nccl.Send(&byte, 1, ncclInt8, 0, me->comm, me->stream) == ncclInvalidArgument &&
           nccl.Send(memory, 1, (ncclDataType_t)99, 0, me->comm, me->stream) ==
               ncclInvalidArgument &&
           nccl.Send(memory, 1, ncclInt8, 0, me->comm, me->stream) == ncclInvalidUsage &&
           nccl.AllReduce(memory, memory, 1, ncclInt8, (ncclRedOp_t)9, me->comm, me->stream) ==
               ncclInvalidArgument &&
           nccl.GroupEnd() == ncclInvalidUsage && nccl.CommCount(me->comm, &count) == 0 &&
           nccl.CommUserRank(me->comm, &rank) == 0 && count == 1 && rank == 0 &&
           nccl.CommFinalize(me->comm) == ncclSuccess &&
           nccl.AllReduce(memory, memory, 1, ncclInt8, ncclSum, me->comm, me->stream) ==
               ncclInvalidUsage &&
           leave(me);
}

Test(device_libnccl, refuses_bad_calls) {
    as_ranks(1, bad_calls);
}

/* ------------------------------------------------------------------ faults on demand */

static bool plain_swap(self *me) {
    char own = (char)(2 * me->rank), theirs = (char)(2 - 2 * me->rank);
    if (!join(me)) return false;
    void *source = on_device(&own, 1), *target = on_device(&own, 1);
    bool good = nccl.GroupStart() == ncclSuccess;
    const bool sent = nccl.Send(source, 1, ncclInt8, 1 - me->rank, me->comm, me->stream) == 0;
    if (sent) nccl.Recv(target, 1, ncclInt8, 1 - me->rank, me->comm, me->stream);
    const bool ended = nccl.GroupEnd() == ncclSuccess;
    good = good && sent && ended && ends_within(me->stream, 1000) && holds(target, &theirs, 1);
    nccl.CommAbort(me->comm);
    return good;
}

Test(device_libnccl, fails_flips_and_stalls_on_demand) {
    as_ranks(2, plain_swap);
    setenv("EMU_NCCL_FLIP", "send:1:0", 1);
    cr_assert_eq(who_of_ranks(2, plain_swap), 1);
    setenv("EMU_NCCL_FLIP", "send:2:0", 1);
    as_ranks(2, plain_swap);
    setenv("EMU_NCCL_FAIL", "ncclSend:1:0", 1);
    cr_assert_eq(who_of_ranks(2, plain_swap), 0);
    limit_s = 1;
    setenv("EMU_NCCL_FAIL", "ncclCommInitRank:1:0", 1);
    cr_assert_eq(who_of_ranks(2, plain_swap), 0);
    unsetenv("EMU_NCCL_FAIL");
    setenv("EMU_NCCL_STALL", "kernel:1:1", 1);
    cr_assert_eq(who_of_ranks(2, plain_swap), 0);
    unsetenv("EMU_NCCL_STALL");
    setenv("EMU_NCCL_DELAY", "50:1", 1);
    as_ranks(2, plain_swap);
}

Test(device_libnccl, says_the_version_that_it_is_told) {
    int version = 0;
    load();
    cr_assert(nccl.GetVersion(&version) == ncclSuccess && version == 22809);
    setenv("EMU_NCCL_VERSION", "21800", 1);
    cr_assert(nccl.GetVersion(&version) == ncclSuccess && version == 21800);
    cr_assert_str_eq(nccl.GetErrorString(ncclRemoteError),
                     "remote process exited or there was a network error");
}
