/* emulator.h: what the emulated device shows beyond CUDA's own names: to shim.h, to the fake NCCL and
 * to tests. Nothing of the program includes it.
 */
#pragma once

#include <cuda_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Puts work of one's own into a stream, behind what is there: `step` is called, whenever somebody waits
   for or asks after a stream, until it returns true. It may look at device memory, and must not wait for
   long. */
cudaError_t emu_stream_push(cudaStream_t stream, bool (*step)(void *context), void *context);
/* The device whose memory this address belongs to; -1: none, memory of the host. */
int emu_device_of(const void *memory);
/* What was allocated on all devices and by cudaHostAlloc, and is not freed yet: to find leaks. */
size_t emu_live_allocations(void);
size_t emu_live_handles(void); /* streams, events and graphs */
size_t emu_live_peers(void);   /* pairs of devices of which one may touch the other's memory */
bool emu_faults_came(void);    /* all that EMU_FAIL asks for */
/* How often threads paused, loaded what the host may change, and looked at a flag in another device's memory, since
   the process began. */
typedef struct emu_spins {
    uint64_t pauses, host_loads, far_looks;
} emu_spins;
emu_spins emu_spun(void);
/* Forgets everything and reads the EMU_ variables anew: as a new process would. */
void emu_reset(void);
/* Why the last error came, in words that CUDA itself has not: "a barrier is passed by 3 of 256 threads". */
const char *emu_last_words(void);

/* ---------------------------------------------------------------- for shim.h: the device's side */

typedef struct emu_place {
    uint3 thread, block;
    uint3 block_dim, grid_dim;
} emu_place;
extern emu_place emu_now; /* of the thread that runs */

/* Tells the device of a kernel: `call` calls it with a copy of its argument, n bytes long. */
const void *emu_kernel(const void *kernel, void (*call)(const void *kernel, const void *argument),
                       size_t n);
void emu_barrier(const char *file, int line); /* __syncthreads */
void emu_pause(
    void); /* another thread may run: what spins must call it, or nobody else ever runs */
int emu_load_host(const int *at);
unsigned long long emu_clock_ns(void);
void emu_trap(void);
/* A flag is loaded by acquire, or stored by release; a scope too narrow ends the kernel. */
void emu_flag(const void *at, bool system, bool stores);
/* The one array that the threads of this block share, of n bytes; each access to it is told. */
void *emu_shared(size_t n);
void emu_shared_access(const void *at, size_t n, bool writes);

#ifdef __cplusplus
}
#endif
