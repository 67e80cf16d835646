/* machine.c: the devices of the emulated machine, as the EMU_ variables want them. See README.md. */
#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

emu_machine emu_all;
_Thread_local int emu_current;

static long wanted(const char *name, long usual, long least, long most) {
    const char *text = getenv(name);
    if (text == NULL || *text == '\0') return usual;
    char *end;
    const long number = strtol(text, &end, 10);
    if (*end != '\0' || number < least || number > most) {
        fprintf(stderr, "emulated device: %s is a number from %ld to %ld, not '%s'\n", name, least,
                most, text);
        abort();
    }
    return number;
}

void emu_start(void) {
    emu_all.ready = true;
    emu_all.n_devices = (int)wanted("EMU_DEVICES", 1, 0, EMU_MOST_DEVICES);
    emu_all.driver = (int)wanted("EMU_DRIVER", CUDART_VERSION, 0, 99999);
    emu_all.peers = wanted("EMU_PEERS", 1, 0, 1) == 1;
    emu_all.n_sms = (int)wanted("EMU_SMS", 4, 1, 1024);
    emu_all.blocks_per_sm = (int)wanted("EMU_BLOCKS", 2, 0, 32);
    emu_all.cooperative = wanted("EMU_COOPERATIVE", 1, 0, 1) == 1;
    emu_all.capability = (int)wanted("EMU_CAPABILITY", 90, 10, 999);
    emu_all.cache = (int)wanted("EMU_CACHE", 1024, 1, 1 << 20) << 10;
    emu_all.memory = (size_t)wanted("EMU_MEMORY", 2048, 1, 1 << 20) << 20;
    emu_all.hang_ns = wanted("EMU_HANG_MS", 2000, 1, 3600000) * 1000000;
    emu_all.seed = (uint64_t)wanted("EMU_SEED", 0, 0, 1L << 62);
    emu_all.random = emu_all.seed * 0x9e3779b97f4a7c15u + 1;
}

uint64_t emu_random(uint64_t n) {
    if (emu_all.seed == 0) return 0;
    emu_all.random ^= emu_all.random << 13;
    emu_all.random ^= emu_all.random >> 7;
    emu_all.random ^= emu_all.random << 17;
    return (emu_all.random >> 11) % n;
}

int64_t emu_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

unsigned long long emu_clock_ns(void) {
    return (unsigned long long)emu_now_ns();
}

emu_walk emu_shuffle(uint64_t n) {
    emu_walk walk = {.n = n, .start = emu_random(n), .stride = 1 + emu_random(n)};
    for (;; walk.stride++) { /* no common divisor with n: every number is met */
        uint64_t a = n, b = walk.stride;
        while (b != 0) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return walk;
    }
}

/* ------------------------------------------------------------------ devices */

cudaError_t cudaGetDeviceCount(int *count) {
    cudaError_t error = emu_enter(EMU_ASK, "cudaGetDeviceCount");
    *count = 0;
    if (error == cudaSuccess && emu_all.driver == 0) error = cudaErrorInsufficientDriver;
    if (error == cudaSuccess && emu_all.n_devices == 0) error = cudaErrorNoDevice;
    if (error == cudaSuccess) *count = emu_all.n_devices;
    return emu_leave(error);
}

static bool is_device(int device) {
    return device >= 0 && device < emu_all.n_devices;
}

cudaError_t cudaSetDevice(int device) {
    cudaError_t error = emu_enter(EMU_WORK, "cudaSetDevice");
    if (error != cudaSuccess && emu_here()->failed == cudaSuccess) return emu_leave(error);
    if (!is_device(device)) return emu_leave(cudaErrorInvalidDevice);
    emu_current = device;
    return emu_leave(emu_here()->failed);
}

cudaError_t cudaGetDevice(int *device) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaGetDevice");
    *device = emu_current;
    return emu_leave(error);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaDeviceGetAttribute");
    if (error != cudaSuccess) return emu_leave(error);
    if (!is_device(device)) return emu_leave(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = 1024; break;
    case cudaDevAttrMaxGridDimX: *value = 2147483647; break;
    case cudaDevAttrClockRate: *value = 1000000; break;
    case cudaDevAttrMultiProcessorCount: *value = emu_all.n_sms; break;
    case cudaDevAttrKernelExecTimeout: *value = 0; break;
    case cudaDevAttrCanMapHostMemory: *value = 1; break;
    case cudaDevAttrComputeMode: *value = 0; break;
    case cudaDevAttrPciBusId: *value = device; break;
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId: *value = 0; break;
    case cudaDevAttrMemoryClockRate: *value = 1000000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = 64; break;
    case cudaDevAttrL2CacheSize: *value = emu_all.cache; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 256 * emu_all.blocks_per_sm; break;
    case cudaDevAttrUnifiedAddressing: *value = 1; break;
    case cudaDevAttrComputeCapabilityMajor: *value = emu_all.capability / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *value = emu_all.capability % 10; break;
    case cudaDevAttrHostNativeAtomicSupported: *value = 0; break;
    case cudaDevAttrComputePreemptionSupported: *value = 1; break;
    case cudaDevAttrCooperativeLaunch: *value = emu_all.cooperative; break;
    default: return emu_leave(cudaErrorInvalidValue);
    }
    return emu_leave(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaGetDeviceProperties");
    if (error != cudaSuccess) return emu_leave(error);
    if (!is_device(device)) return emu_leave(cudaErrorInvalidDevice);
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "emulated device (no GPU)");
    return emu_leave(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *version) {
    const cudaError_t error = emu_enter(EMU_ASK, "cudaDriverGetVersion");
    *version = emu_all.driver;
    return emu_leave(error);
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    const cudaError_t error = emu_enter(EMU_ASK, "cudaRuntimeGetVersion");
    *version = CUDART_VERSION;
    return emu_leave(error);
}

/* ------------------------------------------------------------------ peers */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaDeviceCanAccessPeer");
    if (error != cudaSuccess) return emu_leave(error);
    if (!is_device(device) || !is_device(peer)) return emu_leave(cudaErrorInvalidDevice);
    *can = emu_all.peers && device != peer;
    return emu_leave(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaDeviceEnablePeerAccess");
    if (error != cudaSuccess) return emu_leave(error);
    if (!is_device(peer) || peer == emu_current) return emu_leave(cudaErrorInvalidDevice);
    if (flags != 0) return emu_leave(cudaErrorInvalidValue);
    if (!emu_all.peers) return emu_leave(cudaErrorPeerAccessUnsupported);
    if (emu_here()->reaches[peer]) return emu_leave(cudaErrorPeerAccessAlreadyEnabled);
    emu_here()->reaches[peer] = true;
    return emu_leave(cudaSuccess);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    const cudaError_t error = emu_enter(EMU_WORK, "cudaDeviceDisablePeerAccess");
    if (error != cudaSuccess) return emu_leave(error);
    if (!is_device(peer) || peer == emu_current) return emu_leave(cudaErrorInvalidDevice);
    if (!emu_here()->reaches[peer]) return emu_leave(cudaErrorPeerAccessNotEnabled);
    emu_here()->reaches[peer] = false;
    return emu_leave(cudaSuccess);
}

size_t emu_live_peers(void) {
    size_t n = 0;
    for (int d = 0; d < EMU_MOST_DEVICES; d++) {
        for (int p = 0; p < EMU_MOST_DEVICES; p++) n += emu_all.devices[d].reaches[p];
    }
    return n;
}
