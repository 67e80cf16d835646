/* inside.h: what the emulated device's files share. README.md says what the whole is.
 *
 *     cuda_calls.c     what surrounds every call: lock, start, faults on demand, errors and their names
 *     machine.c   the devices: what the EMU_ variables say, attributes, peers
 *     device_memory.c    each device's memory, a region of addresses that only its own kernels can touch
 *     copies.c    cudaMemcpy and its kin
 *     streams.c   queues of operations; who waits runs them all, in an order that the seed shuffles
 *     cuda_events.c    tickets of operations that are done
 *     graphs.c    capture into a graph, and its launch
 *     kernel_launch.c    kernels: blocks that fit, threads that take turns, barriers
 *     pointers.c  what a kernel may not be given
 *     shared_memory.c    what the threads of a block share, and who touches it between which barriers
 *     fibers.c    a thread's stack, and the change from one to another
 *
 *   - One lock is held from emu_enter to emu_leave: of two host threads one works at a time.
 *   - Nothing a stream holds is done before somebody waits for or asks after something.
 */
#pragma once

#include "emulator.h"

#include <stdint.h>

enum { EMU_MOST_DEVICES = 16, EMU_HOST = -1, EMU_ALL = -2, EMU_NOWHERE = -3 };

/* ------------------------------------------------------------------ cuda_calls.c */

typedef enum emu_call {
    EMU_ASK,   /* answers even before there is a device */
    EMU_WORK,  /* needs a device that has not failed */
    EMU_UNSAFE /* the same, and may not be called while a stream is being captured */
} emu_call;
/* Begins a call of the API: what it must fail with already. emu_leave must follow, whatever it says. */
cudaError_t emu_enter(emu_call kind, const char *name);
cudaError_t emu_leave(cudaError_t error);
/* scopes.c: what is wrong with this access to a flag, if anything; memory that changes its owner is forgotten. */
const char *emu_scope_fault(int device, const void *at, bool system, bool stores);
void emu_scopes_forget(void);
/* A device fails for good; the words say why. */
void emu_fault(int device, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void emu_breathe(unsigned int us); /* other host threads may call, for so long */
/* Says why a call is refused; returns the error. */
cudaError_t emu_refuse(cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Counts an event of this name; an error: EMU_FAIL wants this one to fail. */
cudaError_t emu_wanted_fault(const char *name);

/* ------------------------------------------------------------------ machine.c */

typedef struct emu_device {
    cudaError_t failed;               /* for good */
    bool reaches[EMU_MOST_DEVICES];   /* whose memory its kernels can touch */
    int n_resident;                   /* blocks that are on it now */
    struct emu_block_of_memory *list; /* its allocations, by address */
    char *base;                       /* of its region of addresses; NULL: none yet */
    size_t high, used;                /* of the region: bytes in use from its start; allocated */
    cudaStream_t stream;              /* the default one */
} emu_device;

typedef struct emu_machine {
    bool ready;
    int64_t pid; /* of the process that asked first: another one must not go on */
    int n_devices, n_sms, blocks_per_sm, capability, driver;
    bool peers, cooperative;
    size_t memory; /* bytes a device */
    int cache;     /* bytes of a device's L2 */
    uint64_t seed, random;
    int64_t hang_ns; /* without any progress for so long: a hang */
    emu_device devices[EMU_MOST_DEVICES];
} emu_machine;
extern emu_machine emu_all;
extern _Thread_local int emu_current; /* the calling thread's device */

void emu_start(void);
static inline emu_device *emu_here(void) {
    return &emu_all.devices[emu_current];
}
/* A number below n; always 0 with the seed 0. */
uint64_t emu_random(uint64_t n);
int64_t emu_now_ns(void);

/* A walk through 0 .. n - 1 that meets each once, in an order of its own. */
typedef struct emu_walk {
    uint64_t n, start, stride;
} emu_walk;
emu_walk emu_shuffle(uint64_t n);
static inline uint64_t emu_nth(const emu_walk *walk, uint64_t i) {
    if (walk->start == 0 && walk->stride == 1) return i;
    if (walk->n <= UINT16_MAX) { /* a short division is quicker */
        return (uint32_t)(walk->start + i * walk->stride) % (uint32_t)walk->n;
    }
    return (walk->start + i * walk->stride) % walk->n;
}

/* ------------------------------------------------------------------ device_memory.c */

/* Opens the memory that `who` may touch: a device's kernels, EMU_HOST or EMU_ALL, for copies. */
void emu_view(int who);
/* Where n bytes lie: a device, EMU_HOST for all else; EMU_NOWHERE: across a border, or in memory that is free. */
int emu_lies(const void *memory, size_t n);
bool emu_pinned(const void *memory, size_t n); /* of cudaHostAlloc */
/* Bytes from there to the end of what was allocated, on a device or by cudaHostAlloc; 0: nothing was. */
size_t emu_rest(const void *memory);
void emu_memory_reset(void);

/* ------------------------------------------------------------------ streams.c */

typedef enum emu_kind {
    EMU_KERNEL,
    EMU_COPY,
    EMU_FILL,
    EMU_RECORD,
    EMU_WAIT,
    EMU_PUSHED,
    EMU_GRAPH
} emu_kind;
typedef struct emu_op {
    emu_kind kind;
    int device;
    const struct emu_known *kernel; /* EMU_KERNEL */
    dim3 grid, block;
    void *argument; /* a copy of our own */
    bool cooperative;
    char *to; /* EMU_COPY, EMU_FILL */
    const char *from;
    size_t n;
    int value;
    cudaEvent_t event; /* EMU_RECORD, EMU_WAIT: until this ticket of it is done */
    uint64_t ticket;
    bool (*step)(void *context); /* EMU_PUSHED */
    void *context;
    struct CUgraphExec_st *exec; /* EMU_GRAPH */
} emu_op;
/* Adds an operation to a stream, or to the graph that the stream is captured into. The operation's
   argument, event and graph are taken over, also if this fails. */
cudaError_t emu_push(cudaStream_t stream, const emu_op *op);
void emu_op_free(emu_op *op);

/* An operation that is under way. */
typedef struct emu_run {
    const emu_op *op;
    struct emu_grid *grid;
    struct emu_graph_run *graph;
} emu_run;
/* Goes on with it; true: it is done, and has freed what it needed. */
bool emu_run_step(emu_run *run);
void emu_run_drop(emu_run *run);
void emu_progress(void); /* something was done that others may wait for */

struct CUstream_st {
    struct CUstream_st *next; /* of all */
    struct emu_item *first, *last;
    int device;
    unsigned int flags;
    bool destroyed; /* goes as soon as it is empty */
    struct CUgraph_st *capture;
    bool is_origin; /* where the capture began */
    int *frontier;  /* the nodes that what comes next waits for */
    int n_frontier;
};
extern cudaStream_t emu_streams;
/* The stream that a call means; NULL: there is none such. */
cudaStream_t emu_stream(cudaStream_t stream);
void emu_streams_reset(void);
/* Runs everything until the stream is empty (NULL: all of the current device's). */
cudaError_t emu_drain(cudaStream_t stream);
void emu_arrive(void);                              /* copies.c: what cudaMemcpy has sent */
void emu_await(cudaEvent_t event, uint64_t ticket); /* the same, until the ticket is done */
/* Runs what there is for a while. */
void emu_run_some(void);

/* ------------------------------------------------------------------ cuda_events.c, graphs.c, kernel_launch.c */

bool emu_event_done(cudaEvent_t event, uint64_t ticket);
void emu_event_mark(cudaEvent_t event, uint64_t ticket);
void emu_event_release(cudaEvent_t event);
cudaError_t emu_capture_op(cudaStream_t stream, const emu_op *op);
cudaError_t emu_capture_wait(cudaStream_t stream, struct CUgraph_st *graph, const int nodes[],
                             int n);
void emu_invalidate(cudaStream_t stream);
bool emu_capturing(void); /* anything, in the mode that forbids what is unsafe */
bool emu_graph_step(struct emu_graph_run **run, const emu_op *op);
void emu_graph_drop(struct emu_graph_run *run);
void emu_exec_release(struct CUgraphExec_st *exec);
bool emu_grid_step(struct emu_grid **grid, const emu_op *op);
void emu_pass_begins(
    void); /* through all streams: if in the last one all threads rested, they look */
void emu_grid_drop(struct emu_grid *grid);
/* pointers.c: fails the device if the argument holds what it may not. */
void emu_look_at_argument(int device, const char *argument, size_t n_argument);
/* shared_memory.c: of one block; all zeros: it has taken none. */
typedef struct
    emu_read { /* several threads have read all of it at that moment, and nobody has written */
    size_t first, n;
    unsigned int moment;
} emu_read;
typedef struct emu_room {
    char *memory;
    size_t n;
    struct mark *marks; /* of its units */
    unsigned int n_barriers;
    emu_read many; /* the last such one: all read the same, mostly */
} emu_room;
void *emu_room_take(emu_room *room, size_t n); /* the same each time; NULL: it cannot be */
void emu_room_give(emu_room *room);
/* What is wrong with this access of a thread, if anything. */
const char *emu_room_fault(emu_room *room, const void *at, size_t n, int thread, bool writes);
size_t emu_live_events(void);
size_t emu_live_graphs(void);
void emu_events_reset(void);
void emu_graphs_reset(void);
size_t emu_argument_bytes(const emu_op *op); /* EMU_KERNEL's */

/* ------------------------------------------------------------------ fibers.c */

typedef struct emu_fiber emu_fiber;
typedef void emu_body(void);
emu_fiber *emu_fiber_take(emu_body *body); /* one that begins with body, which never returns */
/* idles: it has nothing on its mind and may go on; else whatever it was doing is forgotten. */
void emu_fiber_give(emu_fiber *fiber, bool idles);
void emu_fiber_enter(emu_fiber *fiber);          /* goes on there, until one comes back */
void emu_fiber_pass_on(emu_fiber *next);         /* from a fiber to another one */
void emu_fiber_leave(void);                      /* back to whoever entered */
void emu_fiber_prefetch(const emu_fiber *fiber); /* which has a turn soon */
emu_fiber *emu_fiber_now(void);                  /* NULL: none */
