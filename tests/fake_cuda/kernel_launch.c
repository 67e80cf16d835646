/* kernel_launch.c: kernels. Their blocks come when they fit, their threads take turns. See inside.h.
 *
 *     grid    blocks in a shuffled order; as many at once as the device holds  (all, if cooperative)
 *     block   | thread 3 runs until it ends, meets a barrier or pauses | thread 0 ... | thread 2 ...
 *             when all have met the barrier, they go on; a round more for those that paused
 *
 *   - A thread that never pauses and meets no barrier costs no more than a call: the next one runs on
 *     the same stack.
 *   - A thread that pauses after it has loaded a flag rests until that flag is stored: whom it waits for
 *     has the processor meanwhile. Where all rest they look again, many times in a turn: the host may
 *     have written something, or wants to see that nobody goes on.
 *   - A barrier that some threads of a block never meet, or that they meet in different places, ends the
 *     device: cudaErrorLaunchFailure.
 *   - So does memory that the device cannot touch (cudaErrorIllegalAddress), as far as the processor
 *     notices: other devices' memory, and far beyond its own; ordinary memory of the host only where a
 *     pointer to it is an argument, or lies in a small table that an argument points to.
 */
#include "inside.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct emu_known {
    struct emu_known *next;
    const void *address;
    void (*call)(const void *kernel, const void *argument);
    size_t n; /* bytes of its argument */
} known;
static known *kernels;

typedef enum state { BEGUN, READY, AT_BARRIER, ENDED } state;
typedef struct thread {
    emu_fiber *fiber;
    state state;
    int line;         /* of the barrier */
    const void *flag; /* READY: it rests until this one is stored; NULL: it does not rest */
    uint64_t heard;   /* how many flags had been stored when it loaded that one */
} thread;
typedef struct block {
    uint3 index;
    unsigned int n_threads, n_begun, n_waiting, n_ended, n_ready;
    emu_walk walk;
    emu_room room;
    uint16_t *ready; /* [n_ready] the threads that may go on, behind `threads` */
    thread threads[];
} block;
typedef struct emu_grid {
    const emu_op *op;
    uint64_t n_blocks, n_begun, n_over;
    emu_walk walk;
    block **active;
    int n_active, most_active;
    bool hangs; /* as EMU_FAIL wants it */
} grid;

emu_place emu_now;
static grid *grid_now;
static block *block_now;
static unsigned int thread_now;
static emu_fiber *idle; /* has no thread left to run; NULL: none */
static uint64_t turns;  /* threads that may run before another block has its turn */
static struct {         /* of the block that has its turn: the threads that were ready */
    uint16_t list[1024];
    unsigned int n, at;
    emu_walk walk;
} ready;

enum { N_PLACES = 4096, AHEAD = 4, LOOKS = 64 /* in a turn, where all rest */ };
static uint64_t n_stored;            /* flags, so far */
static uint64_t stored_at[N_PLACES]; /* n_stored when a flag of this place was stored last */
static const void *looked_at;        /* the flag that the thread has loaded in this turn */
static unsigned int looks;           /* more that it takes before its turn is over */
static bool all_rest, any_ran;       /* in the last pass; in this one */

const void *emu_kernel(const void *kernel, void (*call)(const void *kernel, const void *argument),
                       size_t n) {
    for (const known *k = kernels; k != NULL; k = k->next) {
        if (k->address == kernel) return kernel;
    }
    known *one = malloc(sizeof *one);
    if (one == NULL) abort();
    *one = (known){.next = kernels, .address = kernel, .call = call, .n = n};
    kernels = one;
    return kernel;
}

size_t emu_argument_bytes(const emu_op *op) {
    return op->kernel->n;
}

/* ------------------------------------------------------------------ who rests */

static uint64_t *place_of(const void *flag) {
    return &stored_at[(uintptr_t)flag / sizeof(uint32_t) % N_PLACES];
}

static bool rests(const thread *t) {
    return t->flag != NULL && !all_rest && *place_of(t->flag) <= t->heard;
}

/* Tells whether a thread of the block has more to do than to rest. */
static bool goes_on(const block *b) {
    if (b->n_begun < b->n_threads || b->n_ready == 0) return true;
    for (unsigned int i = 0; i < b->n_ready; i++) {
        if (!rests(&b->threads[b->ready[i]])) return true;
    }
    return false;
}

void emu_pass_begins(void) {
    all_rest = !any_ran;
    any_ran = false;
}

/* ------------------------------------------------------------------ threads */

static uint3 spread(uint64_t i, dim3 within) {
    if (within.y == 1 && within.z == 1) return (uint3){(unsigned int)i, 0, 0};
    return (uint3){(unsigned int)(i % within.x), (unsigned int)(i / within.x % within.y),
                   (unsigned int)(i / within.x / within.y)};
}

static void put_on(unsigned int t) {
    const emu_op *op = grid_now->op;
    thread_now = t;
    looked_at = NULL;
    looks = all_rest ? LOOKS : 0;
    emu_now = (emu_place){.thread = spread(t, op->block),
                          .block = block_now->index,
                          .block_dim = {op->block.x, op->block.y, op->block.z},
                          .grid_dim = {op->grid.x, op->grid.y, op->grid.z}};
}

static bool failed(void) {
    return emu_all.devices[grid_now->op->device].failed != cudaSuccess;
}

static void make_ready(block *b, unsigned int t) {
    b->threads[t].state = READY;
    b->ready[b->n_ready++] = (uint16_t)t;
}

static void run_threads(void);

/* Puts the next thread of the block on that has a turn; NULL: there is none. */
static emu_fiber *next_fiber(void) {
    block *b = block_now;
    if (failed()) return NULL;
    while (ready.at < ready.n) {
        const unsigned int t = ready.list[emu_nth(&ready.walk, ready.at++)];
        if (ready.at + AHEAD < ready.n) {
            const uint16_t soon = ready.list[emu_nth(&ready.walk, ready.at + AHEAD)];
            emu_fiber_prefetch(b->threads[soon].fiber);
        }
        if (turns == 0 || rests(&b->threads[t])) {
            make_ready(b, t); /* still */
            continue;
        }
        b->threads[t].state = BEGUN;
        put_on(t);
        turns--;
        return b->threads[t].fiber;
    }
    return b->n_begun < b->n_threads && turns > 0 ? emu_fiber_take(run_threads) : NULL;
}

/* The thread's turn is over. */
static void end_turn(void) {
    emu_fiber *next = next_fiber();
    if (next != NULL) {
        emu_fiber_pass_on(next);
    } else {
        emu_fiber_leave();
    }
}

/* What a fiber does: one thread after another, until none is left that has not begun. */
static void run_threads(void) {
    for (;;) {
        block *b = block_now;
        if (b->n_begun == b->n_threads || turns == 0) {
            idle = emu_fiber_now();
            emu_fiber_leave();
            continue;
        }
        turns--;
        const unsigned int t = (unsigned int)emu_nth(&b->walk, b->n_begun++);
        b->threads[t] = (thread){.fiber = emu_fiber_now(), .state = BEGUN};
        put_on(t);
        grid_now->op->kernel->call(grid_now->op->kernel->address, grid_now->op->argument);
        b->threads[t].state = ENDED;
        b->threads[t].fiber = NULL;
        b->n_ended++;
    }
}

void emu_barrier(const char *file, int line) {
    (void)file;
    thread *t = &block_now->threads[thread_now];
    t->state = AT_BARRIER;
    t->line = line;
    block_now->n_waiting++;
    end_turn();
}

static emu_spins spun;

emu_spins emu_spun(void) {
    return spun;
}

int emu_load_host(const int *at) {
    spun.host_loads++;
    return *(const volatile int *)at;
}

void emu_pause(void) {
    thread *t = &block_now->threads[thread_now];
    spun.pauses++;
    if (looked_at != NULL && looks > 0) {
        looks--;
        return;
    }
    t->flag = looked_at;
    t->heard = n_stored;
    make_ready(block_now, thread_now);
    end_turn();
}

void emu_trap(void) {
    emu_fault(grid_now->op->device, cudaErrorLaunchFailure, "a thread trapped");
    emu_fiber_leave();
}

/* Ends the device, and with it the thread, if something is wrong. */
static void object(const char *why) {
    if (why == NULL) return;
    emu_fault(grid_now->op->device, cudaErrorLaunchFailure, "%s", why);
    emu_fiber_leave();
}

void emu_flag(const void *at, bool system, bool stores) {
    object(emu_scope_fault(grid_now->op->device, at, system, stores));
    if (stores) {
        *place_of(at) = ++n_stored;
    } else {
        const int owner = emu_device_of(at);
        spun.far_looks += owner >= 0 && owner != grid_now->op->device;
    }
    looked_at = stores ? NULL : at;
}

void *emu_shared(size_t n) {
    void *memory = emu_room_take(&block_now->room, n);
    if (memory == NULL) object("a block has one array of shared memory, of 48 KiB at the most");
    return memory;
}

void emu_shared_access(const void *at, size_t n, bool writes) {
    object(emu_room_fault(&block_now->room, at, n, (int)thread_now, writes));
}

/* ------------------------------------------------------------------ blocks */

static void pass_barrier(block *b) {
    const int line = b->threads[0].line;
    for (unsigned int t = 0; t < b->n_threads; t++) {
        if (b->threads[t].line != line) {
            emu_fault(grid_now->op->device, cudaErrorLaunchFailure,
                      "threads of block %u wait at the barriers of lines %d and %d", b->index.x,
                      line, b->threads[t].line);
            return;
        }
    }
    for (unsigned int t = 0; t < b->n_threads; t++) {
        b->threads[t].flag = NULL;
        make_ready(b, t);
    }
    b->n_waiting = 0;
    b->room.n_barriers++;
    emu_progress();
}

/* Gives each thread that can run one turn, with a seed often only some; true: the block is over. */
static bool take_turns(block *b) {
    const unsigned int n = b->n_threads;
    turns = emu_random(2) == 0 ? n : 1 + emu_random(n);
    ready.n = b->n_ready;
    ready.at = b->n_ready = 0;
    ready.walk = emu_shuffle(ready.n > 0 ? ready.n : 1);
    memcpy(ready.list, b->ready, ready.n * sizeof *ready.list);
    for (emu_fiber *next = next_fiber(); next != NULL; next = next_fiber()) {
        idle = NULL;
        emu_fiber_enter(next);
        if (idle != NULL) emu_fiber_give(idle, true);
    }
    if (failed() || b->n_ended == b->n_threads) return true;
    if (b->n_waiting == b->n_threads) {
        pass_barrier(b);
    } else if (b->n_waiting > 0 && b->n_waiting + b->n_ended == b->n_threads) {
        emu_fault(grid_now->op->device, cudaErrorLaunchFailure,
                  "a barrier of block %u is met by %u of %u threads, the others have ended",
                  b->index.x, b->n_waiting, b->n_threads);
    }
    return failed();
}

/* Lets a block go on from barrier to barrier: the processor has its stacks at hand. With a seed other blocks run in between now
   and then: what a thread does, and what its neighbours have not done yet, is then seen by others. */
static bool run_block(block *b) {
    enum { MOST_TURNS = 64 };
    block_now = b;
    any_ran = true;
    for (int i = 0; i < MOST_TURNS; i++) {
        const unsigned int n_barriers = b->room.n_barriers;
        if (take_turns(b)) return true;
        if (b->room.n_barriers == n_barriers || emu_random(4) == 3) return false;
    }
    return false;
}

static block *new_block(const grid *g) {
    const emu_op *op = g->op;
    const unsigned int n = op->block.x * op->block.y * op->block.z;
    block *b = calloc(1, sizeof *b + n * (sizeof *b->threads + sizeof *b->ready));
    if (b == NULL) abort();
    b->ready = (uint16_t *)&b->threads[n];
    b->n_threads = n;
    b->walk = emu_shuffle(n);
    b->index = spread(emu_nth(&g->walk, g->n_begun), op->grid);
    return b;
}

static void free_block(block *b) {
    for (unsigned int t = 0; t < b->n_threads; t++) {
        if (b->threads[t].fiber != NULL) emu_fiber_give(b->threads[t].fiber, false);
    }
    emu_room_give(&b->room);
    free(b);
}

/* ------------------------------------------------------------------ grids */

static int capacity(void) {
    const int most = emu_all.n_sms * emu_all.blocks_per_sm;
    return most > 0 ? most : 1;
}

/* Lets blocks in, as far as they fit. */
static void admit(grid *g) {
    emu_device *device = &emu_all.devices[g->op->device];
    if (g->op->cooperative &&
        (uint64_t)(capacity() - device->n_resident) < g->n_blocks - g->n_begun)
        return;
    while (g->n_begun < g->n_blocks && device->n_resident < capacity()) {
        if (g->n_active == g->most_active) {
            g->most_active = g->most_active * 2 + 8;
            g->active = realloc(g->active, (size_t)g->most_active * sizeof *g->active);
            if (g->active == NULL) abort();
        }
        g->active[g->n_active++] = new_block(g);
        g->n_begun++;
        device->n_resident++;
    }
}

void emu_grid_drop(grid *g) {
    for (int i = 0; i < g->n_active; i++) {
        if (g->active[i] != NULL) free_block(g->active[i]); /* else it is over */
    }
    emu_all.devices[g->op->device].n_resident -= g->n_active;
    free(g->active);
    free(g);
}

static grid *start(const emu_op *op) {
    grid *g = calloc(1, sizeof *g);
    if (g == NULL) abort();
    g->op = op;
    g->n_blocks = (uint64_t)op->grid.x * op->grid.y * op->grid.z;
    g->walk = emu_shuffle(g->n_blocks);
    g->hangs = emu_wanted_fault("hang") != cudaSuccess;
    const cudaError_t wanted = emu_wanted_fault("kernel");
    if (wanted != cudaSuccess) emu_fault(op->device, wanted, "EMU_FAIL: kernel");
    emu_look_at_argument(op->device, op->argument, op->kernel->n);
    return g;
}

bool emu_grid_step(grid **at, const emu_op *op) {
    if (*at == NULL) *at = start(op);
    grid *g = *at;
    if (g->hangs || emu_all.devices[op->device].failed != cudaSuccess) return false;
    admit(g);
    grid_now = g;
    const emu_walk walk = emu_shuffle(g->n_active > 0 ? (uint64_t)g->n_active : 1);
    for (int i = 0, n = g->n_active; i < n; i++) {
        const int b = (int)emu_nth(&walk, (uint64_t)i);
        if (emu_random(4) == 3 || !goes_on(g->active[b])) continue;
        emu_view(op->device);
        if (!run_block(g->active[b])) continue;
        if (failed()) return false;
        free_block(g->active[b]);
        g->active[b] = NULL;
    }
    int n = 0;
    for (int i = 0; i < g->n_active; i++) {
        if (g->active[i] != NULL) g->active[n++] = g->active[i];
    }
    if (n < g->n_active) emu_progress();
    emu_all.devices[op->device].n_resident -= g->n_active - n;
    g->n_over += (uint64_t)(g->n_active - n);
    g->n_active = n;
    if (g->n_over < g->n_blocks) return false;
    emu_grid_drop(g);
    *at = NULL;
    return true;
}

/* ------------------------------------------------------------------ memory that a kernel may not touch */

/* The processor's own objection, while a thread of the device runs. */
static void on_bad_address(int number, siginfo_t *info, void *context) {
    (void)context;
    if (emu_fiber_now() == NULL) {
        const int device = emu_device_of(info->si_addr);
        char text[120];
        const int n = snprintf(text, sizeof text,
                               "emulated device: the host touches memory of device %d\n", device);
        if (device != EMU_HOST && n > 0) (void)!write(STDERR_FILENO, text, (size_t)n);
        signal(number, SIG_DFL);
        return;
    }
    emu_fault(grid_now->op->device, cudaErrorIllegalAddress, "a thread touches %p", info->si_addr);
    emu_fiber_leave();
}

static void catch_bad_addresses(void) {
    static bool caught;
#ifdef SANITIZED
    caught = true; /* it reports them itself, and better */
#endif
    if (caught) return;
    caught = true;
    struct sigaction action = {.sa_sigaction = on_bad_address, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* ------------------------------------------------------------------ the calls */

static cudaError_t launch(const void *kernel, dim3 of_grid, dim3 of_block, void **arguments,
                          size_t shared, cudaStream_t stream, bool cooperative) {
    const known *k = kernels;
    while (k != NULL && k->address != kernel) k = k->next;
    if (k == NULL) return emu_refuse(cudaErrorInvalidDeviceFunction, "an unknown kernel");
    stream = emu_stream(stream);
    if (stream == NULL) return cudaErrorInvalidResourceHandle;
    if (stream->device != emu_current) {
        return emu_refuse(cudaErrorInvalidResourceHandle, "the stream is of device %d, %d is set",
                          stream->device, emu_current);
    }
    const uint64_t n_threads = (uint64_t)of_block.x * of_block.y * of_block.z;
    const uint64_t n_blocks = (uint64_t)of_grid.x * of_grid.y * of_grid.z;
    if (n_threads == 0 || n_threads > 1024 || n_blocks == 0 || of_grid.x > 2147483647 ||
        of_grid.y > 65535 || of_grid.z > 65535 || shared > 48 << 10) {
        return emu_refuse(cudaErrorInvalidConfiguration, "%u x %u x %u blocks of %llu threads",
                          of_grid.x, of_grid.y, of_grid.z, (unsigned long long)n_threads);
    }
    if (cooperative && !emu_all.cooperative) return cudaErrorNotSupported;
    if (cooperative && n_blocks > (uint64_t)emu_all.n_sms * (uint64_t)emu_all.blocks_per_sm) {
        return emu_refuse(cudaErrorCooperativeLaunchTooLarge, "%llu blocks, %d x %d fit",
                          (unsigned long long)n_blocks, emu_all.n_sms, emu_all.blocks_per_sm);
    }
    emu_op op = {.kind = EMU_KERNEL,
                 .device = stream->device,
                 .kernel = k,
                 .grid = of_grid,
                 .block = of_block,
                 .argument = malloc(k->n),
                 .cooperative = cooperative};
    if (op.argument == NULL) return cudaErrorMemoryAllocation;
    memcpy(op.argument, arguments[0], k->n);
    catch_bad_addresses();
    return emu_push(stream, &op);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 of_grid, dim3 of_block, void **arguments,
                             size_t shared, cudaStream_t stream) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaLaunchKernel");
    if (error != cudaSuccess) return emu_leave(error);
    return emu_leave(launch(kernel, of_grid, of_block, arguments, shared, stream, false));
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 of_grid, dim3 of_block,
                                        void **arguments, size_t shared, cudaStream_t stream) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaLaunchCooperativeKernel");
    if (error != cudaSuccess) return emu_leave(error);
    return emu_leave(launch(kernel, of_grid, of_block, arguments, shared, stream, true));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n_blocks, const void *kernel,
                                                          int block_size, size_t shared) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    if (error != cudaSuccess) return emu_leave(error);
    if (kernel == NULL) return emu_leave(cudaErrorInvalidDeviceFunction);
    *n_blocks = block_size > 1024 || shared > 48 << 10 ? 0 : emu_all.blocks_per_sm;
    return emu_leave(cudaSuccess);
}

/* Of registers and memory this device knows nothing: all 0. */
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaFuncGetAttributes");
    if (error != cudaSuccess) return emu_leave(error);
    if (kernel == NULL) return emu_leave(cudaErrorInvalidDeviceFunction);
    *attributes = (struct cudaFuncAttributes){.maxThreadsPerBlock = 1024};
    return emu_leave(cudaSuccess);
}
