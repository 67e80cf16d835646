/* device_memory.c: the devices' memory. See inside.h.
 *
 *     region of a device: | guard | allocation | guard | guard | allocation | guard |  not in use ...
 *                         0                                                         high
 *
 *   - A region can be touched only while its device's kernels run, or those of a device that reaches it,
 *     or a copy: a host that reads a device's pointer ends, as it does with a real one.
 *   - New memory is full of ones (every float is NaN), freed memory is unreadable under a sanitizer.
 *   - Whoever writes into a guard is found when the allocation is freed, and the process ends: no
 *     program can overlook it. Under an address sanitizer it is found at once.
 */
#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef SANITIZED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, n) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)0)
#endif

enum { GUARD = 256, ALIGNMENT = 256, GUARD_BYTE = 0xa7, NEW_BYTE = 0xff, PAGE = 4096 };

typedef struct emu_block_of_memory {
    struct emu_block_of_memory *next;
    char *at;
    size_t n;    /* as asked for */
    size_t room; /* rounded up; the guards lie before and behind */
} allocation;
static allocation *pinned; /* of the host */
static bool open_to_host[EMU_MOST_DEVICES];

void emu_view(int who) {
    for (int d = 0; d < emu_all.n_devices; d++) {
        emu_device *device = &emu_all.devices[d];
        const bool open =
            who == EMU_ALL || (who >= 0 && (who == d || emu_all.devices[who].reaches[d]));
        if (device->base == NULL || open == open_to_host[d]) continue;
        mprotect(device->base, device->high, open ? PROT_READ | PROT_WRITE : PROT_NONE);
        open_to_host[d] = open;
    }
}

static const allocation *holder(const allocation *list, const char *at) {
    for (; list != NULL; list = list->next) {
        if (at >= list->at && at < list->at + list->room) return list;
    }
    return NULL;
}

int emu_device_of(const void *memory) {
    for (int d = 0; d < emu_all.n_devices; d++) {
        const emu_device *device = &emu_all.devices[d];
        if (device->base == NULL) continue;
        if ((const char *)memory >= device->base &&
            (const char *)memory < device->base + device->high)
            return d;
    }
    return EMU_HOST;
}

size_t emu_rest(const void *memory) {
    const int device = emu_device_of(memory);
    const allocation *one = holder(device >= 0 ? emu_all.devices[device].list : pinned, memory);
    if (one == NULL || (const char *)memory > one->at + one->n) return 0;
    return one->n - (size_t)((const char *)memory - one->at);
}

int emu_lies(const void *memory, size_t n) {
    const int device = emu_device_of(memory);
    if (device == EMU_HOST) {
        return emu_device_of((const char *)memory + n) == EMU_HOST ? EMU_HOST : EMU_NOWHERE;
    }
    return n <= emu_rest(memory) ? device : EMU_NOWHERE;
}

bool emu_pinned(const void *memory, size_t n) {
    return emu_device_of(memory) == EMU_HOST && holder(pinned, memory) != NULL &&
           n <= emu_rest(memory);
}

/* ------------------------------------------------------------------ taking and giving back */

static void guard(allocation *one) {
    memset(one->at - GUARD, GUARD_BYTE, GUARD);
    memset(one->at + one->n, GUARD_BYTE, one->room - one->n + GUARD);
    ASAN_POISON_MEMORY_REGION(one->at - GUARD, GUARD);
    ASAN_POISON_MEMORY_REGION(one->at + one->n, one->room - one->n + GUARD);
}

static void check_guards(const allocation *one) {
    ASAN_UNPOISON_MEMORY_REGION(one->at - GUARD, one->room + 2 * GUARD);
    for (size_t i = 0; i < one->room - one->n + 2 * GUARD; i++) {
        const char *at = i < GUARD ? one->at - GUARD + i : one->at + one->n + (i - GUARD);
        if ((unsigned char)*at == GUARD_BYTE) continue;
        fprintf(stderr,
                "emulated device: somebody wrote %s an allocation of %zu bytes, %zu bytes off\n",
                i < GUARD ? "before" : "behind", one->n, i < GUARD ? GUARD - i : i - GUARD);
        abort();
    }
}

/* Opens the region as far as `high`. */
static bool grow(emu_device *device, size_t high) {
    const size_t space = 2 * emu_all.memory + ((size_t)1 << 20);
    if (device->base == NULL) {
        void *base =
            mmap(NULL, space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) return false;
        device->base = base;
        /* What is not used yet differs from what is: else the system joins and splits both whenever it is opened. */
        madvise(base, space, MADV_DONTDUMP);
    }
    if (high > space) return false;
    if (high > device->high) {
        device->high = (high + PAGE - 1) / PAGE * PAGE;
        madvise(device->base, device->high, MADV_DODUMP);
    }
    return mprotect(device->base, device->high, PROT_READ | PROT_WRITE) == 0;
}

/* The first gap of the region that has room; NULL: none. */
static allocation *place(emu_device *device, size_t n) {
    allocation *one = calloc(1, sizeof *one);
    if (one == NULL) return NULL;
    one->n = n;
    one->room = (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t from = 0;
    allocation **at = &device->list;
    for (; *at != NULL; at = &(*at)->next) {
        const size_t gap = (size_t)((*at)->at - device->base) - GUARD - from;
        if (gap >= one->room + 2 * GUARD) break;
        from = (size_t)((*at)->at - device->base) + (*at)->room + GUARD;
    }
    emu_view(EMU_ALL);
    if (!grow(device, from + one->room + 2 * GUARD)) {
        free(one);
        return NULL;
    }
    open_to_host[device - emu_all.devices] = true;
    one->at = device->base + from + GUARD;
    one->next = *at;
    *at = one;
    ASAN_UNPOISON_MEMORY_REGION(one->at - GUARD, one->room + 2 * GUARD);
    memset(one->at, NEW_BYTE, n);
    guard(one);
    return one;
}

cudaError_t cudaMalloc(void **memory, size_t size) {
    const cudaError_t error = emu_enter(EMU_UNSAFE, "cudaMalloc");
    emu_scopes_forget();
    if (error != cudaSuccess) return emu_leave(error);
    *memory = NULL;
    if (size == 0) return emu_leave(cudaSuccess);
    emu_device *device = emu_here();
    if (size > emu_all.memory - device->used) return emu_leave(cudaErrorMemoryAllocation);
    const allocation *one = place(device, size);
    if (one == NULL) return emu_leave(cudaErrorMemoryAllocation);
    device->used += one->room;
    *memory = one->at;
    return emu_leave(cudaSuccess);
}

/* Takes an allocation out of its list; NULL: none begins there. */
static allocation *take_out(allocation **list, const char *at) {
    while (*list != NULL && (*list)->at != at) list = &(*list)->next;
    allocation *one = *list;
    if (one != NULL) *list = one->next;
    return one;
}

cudaError_t cudaFree(void *memory) {
    const cudaError_t error = emu_enter(EMU_UNSAFE, "cudaFree");
    emu_arrive();
    if (memory == NULL) return emu_leave(error);
    if (error != cudaSuccess && emu_here()->failed == cudaSuccess) return emu_leave(error);
    const int at = emu_device_of(memory);
    if (at == EMU_HOST)
        return emu_leave(emu_refuse(cudaErrorInvalidValue, "cudaFree of no device's memory"));
    const cudaError_t drained = emu_drain(NULL);
    emu_device *device = &emu_all.devices[at];
    allocation *one = take_out(&device->list, memory);
    if (one == NULL)
        return emu_leave(emu_refuse(cudaErrorInvalidValue, "cudaFree of what is free"));
    emu_view(EMU_ALL);
    check_guards(one);
    ASAN_POISON_MEMORY_REGION(one->at - GUARD, one->room + 2 * GUARD);
    device->used -= one->room;
    free(one);
    return emu_leave(error != cudaSuccess ? error : drained);
}

cudaError_t cudaMemGetInfo(size_t *n_free, size_t *total) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaMemGetInfo");
    if (error != cudaSuccess) return emu_leave(error);
    *total = emu_all.memory;
    *n_free = emu_all.memory - emu_here()->used;
    return emu_leave(cudaSuccess);
}

/* ------------------------------------------------------------------ the host's, for devices too */

cudaError_t cudaHostAlloc(void **memory, size_t size, unsigned int flags) {
    const cudaError_t error = emu_enter(EMU_UNSAFE, "cudaHostAlloc");
    if (error != cudaSuccess) return emu_leave(error);
    if ((flags & ~(unsigned int)(cudaHostAllocPortable | cudaHostAllocMapped)) != 0) {
        return emu_leave(emu_refuse(cudaErrorInvalidValue, "cudaHostAlloc: flags %#x", flags));
    }
    allocation *one = calloc(1, sizeof *one);
    void *block = NULL;
    if (one == NULL || posix_memalign(&block, PAGE, size > 0 ? size : 1) != 0) {
        free(one);
        return emu_leave(cudaErrorMemoryAllocation);
    }
    *one = (allocation){.next = pinned, .at = block, .n = size, .room = size};
    memset(block, NEW_BYTE, size);
    pinned = one;
    *memory = block;
    return emu_leave(cudaSuccess);
}

cudaError_t cudaFreeHost(void *memory) {
    const cudaError_t error = emu_enter(EMU_UNSAFE, "cudaFreeHost");
    if (memory == NULL) return emu_leave(error);
    if (error != cudaSuccess && emu_here()->failed == cudaSuccess) return emu_leave(error);
    const cudaError_t drained = emu_drain(NULL);
    allocation *one = take_out(&pinned, memory);
    if (one == NULL)
        return emu_leave(emu_refuse(cudaErrorInvalidValue, "cudaFreeHost of other memory"));
    free(one->at);
    free(one);
    return emu_leave(error != cudaSuccess ? error : drained);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaHostGetDevicePointer");
    if (error != cudaSuccess) return emu_leave(error);
    if (flags != 0 || holder(pinned, host) == NULL) {
        return emu_leave(emu_refuse(cudaErrorInvalidValue, "no memory of cudaHostAlloc"));
    }
    *device = host;
    return emu_leave(cudaSuccess);
}

size_t emu_live_allocations(void) {
    size_t n = 0;
    for (int d = 0; d < EMU_MOST_DEVICES; d++) {
        for (const allocation *one = emu_all.devices[d].list; one != NULL; one = one->next) n++;
    }
    for (const allocation *one = pinned; one != NULL; one = one->next) n++;
    return n;
}

static void forget(allocation **list) {
    while (*list != NULL) {
        allocation *one = *list;
        *list = one->next;
        free(one);
    }
}

void emu_memory_reset(void) {
    for (int d = 0; d < EMU_MOST_DEVICES; d++) {
        emu_device *device = &emu_all.devices[d];
        forget(&device->list);
        open_to_host[d] = false;
        if (device->base == NULL) continue;
        ASAN_UNPOISON_MEMORY_REGION(device->base, device->high);
        munmap(device->base, 2 * emu_all.memory + ((size_t)1 << 20));
    }
    while (pinned != NULL) {
        allocation *one = take_out(&pinned, pinned->at);
        free(one->at);
        free(one);
    }
}
