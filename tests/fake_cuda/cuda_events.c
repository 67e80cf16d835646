/* cuda_events.c: tickets of operations that are done. See inside.h.
 *
 *   - Each cudaEventRecord draws a ticket; who waits, waits for the ticket that was the last one when it
 *     began to wait.
 *   - An event that was recorded in a captured stream stands for nodes of that capture.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

struct CUevent_st {
    struct CUevent_st *next;
    int device;
    unsigned int flags;
    uint64_t random_job, done; /* tickets */
    int64_t ns;                /* when the last one was done */
    int n_holders;             /* operations that will look at it */
    bool destroyed;
    struct CUgraph_st
        *capture; /* and the nodes it stands for; only compared once the capture is over */
    int *nodes;
    int n_nodes;
};
static cudaEvent_t events;

static cudaEvent_t live(cudaEvent_t event) {
    for (cudaEvent_t e = events; e != NULL; e = e->next) {
        if (e == event && !e->destroyed) return e;
    }
    emu_refuse(cudaErrorInvalidResourceHandle, "no such event");
    return NULL;
}

static void free_unheld(cudaEvent_t event) {
    if (!event->destroyed || event->n_holders > 0) return;
    cudaEvent_t *at = &events;
    while (*at != event) at = &(*at)->next;
    *at = event->next;
    free(event->nodes);
    free(event);
}

bool emu_event_done(cudaEvent_t event, uint64_t ticket) {
    return event->done >= ticket || emu_all.devices[event->device].failed != cudaSuccess;
}
void emu_event_mark(cudaEvent_t event, uint64_t ticket) {
    if (ticket > event->done) event->done = ticket;
    event->ns = emu_now_ns();
}
void emu_event_release(cudaEvent_t event) {
    event->n_holders--;
    free_unheld(event);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaEventCreateWithFlags");
    if (error != cudaSuccess) return emu_leave(error);
    if ((flags & ~(unsigned int)(cudaEventBlockingSync | cudaEventDisableTiming)) != 0) {
        return emu_leave(cudaErrorInvalidValue);
    }
    cudaEvent_t one = calloc(1, sizeof *one);
    if (one == NULL) return emu_leave(cudaErrorMemoryAllocation);
    *one = (struct CUevent_st){.next = events, .device = emu_current, .flags = flags};
    events = *event = one;
    return emu_leave(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaEventDestroy");
    if (error != cudaSuccess && emu_here()->failed == cudaSuccess) return emu_leave(error);
    if (live(event) == NULL) return emu_leave(cudaErrorInvalidResourceHandle);
    event->destroyed = true;
    free_unheld(event);
    return emu_leave(error);
}

/* Keeps where a captured stream is. */
static cudaError_t mark_capture(cudaEvent_t event, cudaStream_t stream) {
    int *nodes = malloc((size_t)stream->n_frontier * sizeof *nodes + 1);
    if (nodes == NULL) return cudaErrorMemoryAllocation;
    if (stream->n_frontier > 0) {
        memcpy(nodes, stream->frontier, (size_t)stream->n_frontier * sizeof *nodes);
    }
    free(event->nodes);
    event->nodes = nodes;
    event->n_nodes = stream->n_frontier;
    event->capture = stream->capture;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaEventRecord");
    if (error != cudaSuccess) return emu_leave(error);
    stream = emu_stream(stream);
    if (stream == NULL || live(event) == NULL) return emu_leave(cudaErrorInvalidResourceHandle);
    if (event->device != stream->device) {
        return emu_leave(emu_refuse(cudaErrorInvalidResourceHandle,
                                    "cudaEventRecord: the event is of device %d, the stream of %d",
                                    event->device, stream->device));
    }
    if (stream->capture != NULL) return emu_leave(mark_capture(event, stream));
    event->capture = NULL;
    event->n_holders++;
    const emu_op op = {.kind = EMU_RECORD,
                       .device = stream->device,
                       .event = event,
                       .ticket = ++event->random_job};
    return emu_leave(emu_push(stream, &op));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaStreamWaitEvent");
    if (error != cudaSuccess) return emu_leave(error);
    stream = emu_stream(stream);
    if (stream == NULL || live(event) == NULL) return emu_leave(cudaErrorInvalidResourceHandle);
    if (flags != 0) return emu_leave(cudaErrorInvalidValue);
    if (event->capture != NULL) {
        return emu_leave(emu_capture_wait(stream, event->capture, event->nodes, event->n_nodes));
    }
    if (stream->capture != NULL) {
        emu_invalidate(stream);
        return emu_leave(emu_refuse(cudaErrorStreamCaptureIsolation,
                                    "a captured stream waits for an event outside the capture"));
    }
    event->n_holders++;
    const emu_op op = {
        .kind = EMU_WAIT, .device = stream->device, .event = event, .ticket = event->random_job};
    return emu_leave(emu_push(stream, &op));
}

/* Begins a call that looks at an event. */
static cudaError_t look_at(cudaEvent_t event, const char *call) {
    const cudaError_t error = emu_enter(EMU_WORK, call);
    if (error != cudaSuccess) return error;
    if (live(event) == NULL) return cudaErrorInvalidResourceHandle;
    if (event->capture == NULL) return cudaSuccess;
    return emu_refuse(cudaErrorStreamCaptureUnsupported, "%s of a captured event", call);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    const cudaError_t error = look_at(event, "cudaEventSynchronize");
    if (error != cudaSuccess) return emu_leave(error);
    emu_await(event, event->random_job);
    return emu_leave(emu_all.devices[event->device].failed);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    const cudaError_t error = look_at(event, "cudaEventQuery");
    if (error != cudaSuccess) return emu_leave(error);
    emu_run_some();
    if (emu_all.devices[event->device].failed != cudaSuccess) {
        return emu_leave(emu_all.devices[event->device].failed);
    }
    return emu_leave(event->done >= event->random_job ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaEventElapsedTime");
    if (error != cudaSuccess) return emu_leave(error);
    if (live(start) == NULL || live(end) == NULL || start->device != end->device ||
        ((start->flags | end->flags) & cudaEventDisableTiming) != 0 || start->random_job == 0 ||
        end->random_job == 0) {
        return emu_leave(emu_refuse(cudaErrorInvalidResourceHandle,
                                    "cudaEventElapsedTime: not two recorded events with times"));
    }
    if (start->done < start->random_job || end->done < end->random_job)
        return emu_leave(cudaErrorNotReady);
    *ms = (float)((double)(end->ns - start->ns) / 1e6);
    return emu_leave(cudaSuccess);
}

size_t emu_live_events(void) {
    size_t n = 0;
    for (cudaEvent_t e = events; e != NULL; e = e->next) n += !e->destroyed;
    return n;
}

void emu_events_reset(void) {
    while (events != NULL) {
        cudaEvent_t one = events;
        one->destroyed = true;
        one->n_holders = 0;
        free_unheld(one);
    }
}
