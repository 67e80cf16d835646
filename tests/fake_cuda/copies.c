/* copies.c: cudaMemcpy and its kin. See inside.h.
 *
 *   - Both ends must lie whole in memory of the kind that the call names.
 *   - From and to cudaHostAlloc's memory an asynchronous copy happens when its turn comes: who changes
 *     the source before, or looks at the target, sees it. Ordinary memory is waited for, as CUDA does.
 *   - cudaMemcpy waits for streams that are not cudaStreamNonBlocking, and for no others. What it sends
 *     from ordinary memory arrives late.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

static cudaError_t check(const char *call, const void *to, const void *from, size_t n,
                         enum cudaMemcpyKind kind) {
    const int there = emu_lies(to, n), here = emu_lies(from, n);
    if (there == EMU_NOWHERE || here == EMU_NOWHERE) {
        return emu_refuse(cudaErrorInvalidValue, "%s: %zu bytes reach beyond an allocation", call,
                          n);
    }
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (kind == cudaMemcpyDefault) return cudaSuccess;
    if (to_device != (there >= 0 || (to_device && emu_pinned(to, n))) ||
        from_device != (here >= 0 || (from_device && emu_pinned(from, n)))) {
        return emu_refuse(cudaErrorInvalidValue, "%s: not the memory that the direction says",
                          call);
    }
    return cudaSuccess;
}

/* An upload from ordinary memory may still be under way when cudaMemcpy returns; streams that are not
   blocking do not wait for it. Here it arrives as late as it may: when something waits for it, or
   after the next kernel. */
typedef struct upload {
    struct upload *next;
    void *to;
    size_t n;
    char bytes[];
} upload;
static upload *first_upload, **end_of_uploads = &first_upload;

void emu_arrive(void) {
    if (first_upload == NULL) return;
    emu_view(EMU_ALL);
    while (first_upload != NULL) {
        upload *one = first_upload;
        first_upload = one->next;
        memcpy(one->to, one->bytes, one->n);
        free(one);
    }
    end_of_uploads = &first_upload;
}

static bool send_late(void *to, const void *from, size_t n) {
    upload *one = malloc(sizeof *one + n);
    if (one == NULL) return false;
    *one = (upload){.to = to, .n = n};
    memcpy(one->bytes, from, n);
    *end_of_uploads = one;
    end_of_uploads = &one->next;
    return true;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind) {
    cudaError_t error = emu_enter(EMU_UNSAFE, "cudaMemcpy");
    if (error == cudaSuccess && n > 0) error = check("cudaMemcpy", to, from, n, kind);
    if (error != cudaSuccess || n == 0) return emu_leave(error);
    for (cudaStream_t s = emu_streams; s != NULL && error == cudaSuccess; s = s->next) {
        if (s->device == emu_current && (s->flags & cudaStreamNonBlocking) == 0)
            error = emu_drain(s);
    }
    if (error != cudaSuccess) return emu_leave(error);
    const bool uploads =
        emu_lies(to, n) >= 0 && emu_lies(from, n) == EMU_HOST && !emu_pinned(from, n);
    emu_view(EMU_ALL);
    if (uploads && send_late(to, from, n)) return emu_leave(cudaSuccess);
    emu_arrive();
    memmove(to, from, n);
    return emu_leave(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    cudaError_t error = emu_enter(EMU_WORK, "cudaMemcpyAsync");
    if (error == cudaSuccess && n > 0) error = check("cudaMemcpyAsync", to, from, n, kind);
    stream = emu_stream(stream);
    if (error == cudaSuccess && stream == NULL) error = cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess || n == 0) return emu_leave(error);
    const emu_op op = {.kind = EMU_COPY, .device = stream->device, .to = to, .from = from, .n = n};
    error = emu_push(stream, &op);
    const bool waits = (emu_lies(to, n) == EMU_HOST && !emu_pinned(to, n)) ||
                       (emu_lies(from, n) == EMU_HOST && !emu_pinned(from, n));
    if (error == cudaSuccess && waits && stream->capture == NULL) error = emu_drain(stream);
    return emu_leave(error);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t n, cudaStream_t stream) {
    cudaError_t error = emu_enter(EMU_WORK, "cudaMemsetAsync");
    stream = emu_stream(stream);
    if (error == cudaSuccess && stream == NULL) error = cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess || n == 0) return emu_leave(error);
    if (emu_lies(memory, n) < 0 && !emu_pinned(memory, n)) {
        return emu_leave(emu_refuse(cudaErrorInvalidValue, "cudaMemsetAsync: no device's memory"));
    }
    const emu_op op = {
        .kind = EMU_FILL, .device = stream->device, .to = memory, .n = n, .value = value};
    return emu_leave(emu_push(stream, &op));
}
