/* streams.c: queues of operations, and how they are worked off. See inside.h.
 *
 *     a pass:   stream 2 | one step of its first operation       in an order that the seed shuffles;
 *               stream 0 | one step ...                           with a seed some are passed over
 *               stream 1 | waits for an event: nothing
 *
 *   - Streams are independent: only order within one, events and the default stream's old rule (it waits
 *     for those that are not cudaStreamNonBlocking, and they for it) say what comes first.
 *   - Who waits runs passes until what it waits for is done. If nothing goes on any more for EMU_HANG_MS,
 *     every device that has something to do fails: a hang. Work that was pushed from outside (NCCL)
 *     may wait for other processes: while there is some, nothing is called a hang.
 */
#include "inside.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

typedef struct emu_item {
    struct emu_item *next;
    uint64_t number; /* of all streams */
    emu_op op;
    emu_run run;
} item;

cudaStream_t emu_streams;
static uint64_t n_items, n_progress;

void emu_progress(void) {
    n_progress++;
}

/* ------------------------------------------------------------------ operations */

void emu_op_free(emu_op *op) {
    free(op->argument);
    if (op->event != NULL) emu_event_release(op->event);
    if (op->exec != NULL) emu_exec_release(op->exec);
    *op = (emu_op){.kind = op->kind};
}

bool emu_run_step(emu_run *run) {
    const emu_op *op = run->op;
    switch (op->kind) {
    case EMU_KERNEL: return emu_grid_step(&run->grid, op);
    case EMU_COPY:
        emu_view(EMU_ALL);
        if (emu_wanted_fault("lost") != cudaSuccess) return true;
        memmove(op->to, op->from, op->n);
        return true;
    case EMU_FILL:
        emu_view(EMU_ALL);
        memset(op->to, op->value, op->n);
        return true;
    case EMU_RECORD: emu_event_mark(op->event, op->ticket); return true;
    case EMU_WAIT: return emu_event_done(op->event, op->ticket);
    case EMU_PUSHED: emu_view(op->device); return op->step(op->context);
    case EMU_GRAPH: return emu_graph_step(&run->graph, op);
    }
    return true;
}

void emu_run_drop(emu_run *run) {
    if (run->grid != NULL) emu_grid_drop(run->grid);
    if (run->graph != NULL) emu_graph_drop(run->graph);
    *run = (emu_run){0};
}

cudaError_t emu_push(cudaStream_t stream, const emu_op *op) {
    if (stream->capture != NULL) return emu_capture_op(stream, op);
    item *one = calloc(1, sizeof *one);
    if (one == NULL) {
        emu_op copy = *op;
        emu_op_free(&copy);
        return cudaErrorMemoryAllocation;
    }
    one->op = *op;
    one->run.op = &one->op;
    one->number = n_items++;
    if (stream->last != NULL) stream->last->next = one;
    if (stream->first == NULL) stream->first = one;
    stream->last = one;
    return cudaSuccess;
}

static void pop(cudaStream_t stream) {
    item *one = stream->first;
    stream->first = one->next;
    if (stream->first == NULL) stream->last = NULL;
    emu_run_drop(&one->run);
    emu_op_free(&one->op);
    free(one);
}

/* ------------------------------------------------------------------ passes */

static bool is_default(const struct CUstream_st *stream) {
    return emu_all.devices[stream->device].stream == stream;
}

/* The old rule of the default stream. */
static bool held_back(const struct CUstream_st *stream) {
    if ((stream->flags & cudaStreamNonBlocking) != 0) return false;
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) {
        if (s->device == stream->device && (s->flags & cudaStreamNonBlocking) == 0 &&
            is_default(s) != is_default(stream) && s->first != NULL &&
            s->first->number < stream->first->number) {
            return true;
        }
    }
    return false;
}

static void step(cudaStream_t stream) {
    if (stream->first == NULL || held_back(stream)) return;
    const bool done = emu_run_step(&stream->first->run);
    if (emu_all.devices[stream->device].failed != cudaSuccess) {
        emu_progress(); /* pass drops what the device had to do */
    } else if (done) {
        if (stream->first->op.kind == EMU_KERNEL || stream->first->op.kind == EMU_GRAPH)
            emu_arrive();
        pop(stream);
        emu_progress();
    }
}

static void sweep(void) {
    for (cudaStream_t *at = &emu_streams; *at != NULL;) {
        cudaStream_t one = *at;
        if (one->destroyed && one->first == NULL) {
            *at = one->next;
            free(one->frontier);
            free(one);
        } else {
            at = &one->next;
        }
    }
}

/* Goes once through all streams; false: nothing went on. */
static bool pass(void) {
    const uint64_t before = n_progress;
    uint64_t n = 0;
    emu_pass_begins();
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) n++;
    const emu_walk walk = emu_shuffle(n > 0 ? n : 1);
    for (uint64_t i = 0; i < n; i++) {
        cudaStream_t s = emu_streams;
        for (uint64_t skip = emu_nth(&walk, i); skip > 0; skip--) s = s->next;
        if (emu_random(4) != 3) step(s);
    }
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) {
        while (emu_all.devices[s->device].failed != cudaSuccess && s->first != NULL) pop(s);
    }
    return n_progress != before;
}

static bool outside(void) {
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) {
        if (s->first != NULL && s->first->op.kind == EMU_PUSHED) return true;
    }
    return false;
}

static void hang(void) {
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) {
        if (s->first == NULL) continue;
        emu_fault(s->device, cudaErrorLaunchTimeout,
                  "a hang: device %d waits for something that nobody does", s->device);
    }
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) {
        while (s->first != NULL) pop(s);
    }
}

/* Runs until met says so, or nothing goes on. */
static void run_until(bool (*met)(const void *what), const void *what) {
    enum { PATIENCE = 256 }; /* passes: with a seed one may do nothing by chance */
    enum { NAP_US = 20, LONG_NAP_US = 500 };
    int64_t since = 0;
    for (int idle = 0; !met(what); idle++) {
        if (pass()) idle = 0;
        if (idle < PATIENCE) continue;
        if (idle == PATIENCE) since = emu_now_ns();
        const bool is_alone = !outside();
        if (is_alone && emu_now_ns() - since > emu_all.hang_ns) hang();
        emu_breathe(is_alone && idle > 2 * PATIENCE ? LONG_NAP_US : NAP_US);
    }
    sweep();
}

static bool is_empty(const void *what) {
    return ((const struct CUstream_st *)what)->first == NULL;
}
static bool all_empty(const void *what) {
    const int device = *(const int *)what;
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) {
        if (s->device == device && s->first != NULL) return false;
    }
    return true;
}
static bool is_marked(const void *what) {
    const emu_op *op = what;
    return emu_event_done(op->event, op->ticket);
}

cudaError_t emu_drain(cudaStream_t stream) {
    const int device = stream != NULL ? stream->device : emu_current;
    if (stream != NULL) {
        run_until(is_empty, stream);
    } else {
        run_until(all_empty, &device);
    }
    return emu_all.devices[device].failed;
}

void emu_await(cudaEvent_t event, uint64_t ticket) {
    const emu_op op = {.event = event, .ticket = ticket};
    run_until(is_marked, &op);
}

void emu_run_some(void) {
    enum { SLICE_NS = 2000000 };
    const int64_t start = emu_now_ns();
    int tries = emu_all.seed == 0 ? 1 : 8;
    while (tries > 0 && emu_now_ns() - start < SLICE_NS) {
        if (!pass()) tries--;
    }
    sweep();
}

/* ------------------------------------------------------------------ the calls */

static cudaStream_t new_stream(unsigned int flags) {
    cudaStream_t stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->device = emu_current;
    stream->flags = flags;
    stream->next = emu_streams;
    emu_streams = stream;
    return stream;
}

cudaStream_t emu_stream(cudaStream_t stream) {
    if (stream == NULL) {
        emu_device *device = emu_here();
        if (device->stream == NULL && emu_current < emu_all.n_devices)
            device->stream = new_stream(cudaStreamDefault);
        return device->stream;
    }
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) {
        if (s == stream && !s->destroyed) return s;
    }
    emu_refuse(cudaErrorInvalidResourceHandle, "no such stream");
    return NULL;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaStreamCreateWithFlags");
    if (error != cudaSuccess) return emu_leave(error);
    if (flags > cudaStreamNonBlocking) return emu_leave(cudaErrorInvalidValue);
    *stream = new_stream(flags);
    return emu_leave(*stream != NULL ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaStreamDestroy");
    if (error != cudaSuccess && emu_here()->failed == cudaSuccess) return emu_leave(error);
    if (stream == NULL || emu_stream(stream) == NULL)
        return emu_leave(cudaErrorInvalidResourceHandle);
    if (stream->capture != NULL) emu_invalidate(stream);
    stream->destroyed = true;
    sweep();
    return emu_leave(error);
}

/* Begins a call that looks at a stream; what it must fail with already. */
static cudaError_t look_at(cudaStream_t *stream, const char *call) {
    const cudaError_t error = emu_enter(EMU_WORK, call);
    if (error != cudaSuccess) return error;
    *stream = emu_stream(*stream);
    if (*stream == NULL) return cudaErrorInvalidResourceHandle;
    if ((*stream)->capture == NULL) return cudaSuccess;
    emu_invalidate(*stream);
    return emu_refuse(cudaErrorStreamCaptureUnsupported, "%s of a stream that is captured", call);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    const cudaError_t error = look_at(&stream, "cudaStreamSynchronize");
    return emu_leave(error != cudaSuccess ? error : emu_drain(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    const cudaError_t error = look_at(&stream, "cudaStreamQuery");
    if (error != cudaSuccess) return emu_leave(error);
    emu_run_some();
    if (emu_all.devices[stream->device].failed != cudaSuccess) {
        return emu_leave(emu_all.devices[stream->device].failed);
    }
    return emu_leave(stream->first == NULL ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaDeviceSynchronize(void) {
    const cudaError_t error = emu_enter(EMU_UNSAFE, "cudaDeviceSynchronize");
    emu_arrive();
    return emu_leave(error != cudaSuccess ? error : emu_drain(NULL));
}

cudaError_t emu_stream_push(cudaStream_t stream, bool (*step_of)(void *context), void *context) {
    const cudaError_t error = emu_enter(EMU_WORK, "emu_stream_push");
    if (error != cudaSuccess) return emu_leave(error);
    stream = emu_stream(stream);
    if (stream == NULL) return emu_leave(cudaErrorInvalidResourceHandle);
    const emu_op op = {
        .kind = EMU_PUSHED, .device = stream->device, .step = step_of, .context = context};
    return emu_leave(emu_push(stream, &op));
}

size_t emu_live_handles(void) {
    size_t n = emu_live_events() + emu_live_graphs();
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) n += !s->destroyed && !is_default(s);
    return n;
}

void emu_streams_reset(void) {
    for (cudaStream_t s = emu_streams; s != NULL; s = s->next) {
        while (s->first != NULL) pop(s);
        s->destroyed = true;
        s->capture = NULL;
    }
    sweep();
}
