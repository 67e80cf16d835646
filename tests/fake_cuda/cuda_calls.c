/* cuda_calls.c: what surrounds every call of the emulated API. See inside.h.
 *
 *     EMU_FAIL=cudaMalloc:3,kernel:5=719    the third cudaMalloc fails; the fifth kernel ends with 719
 *
 *   - The last error is the calling thread's; a device that has failed says so to every call.
 *   - A process that was forked off one which had called CUDA already gets cudaErrorInitializationError,
 *     as it does from a real driver.
 */
#include "inside.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static _Thread_local cudaError_t last_error;
static char words[320];

const char *emu_last_words(void) {
    return words;
}

cudaError_t emu_refuse(cudaError_t error, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    if (getenv("EMU_VERBOSE") != NULL) fprintf(stderr, "emulated device: %s\n", words);
    return error;
}

void emu_fault(int device, cudaError_t error, const char *format, ...) {
    if (emu_all.devices[device].failed != cudaSuccess) return;
    emu_all.devices[device].failed = error;
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    if (getenv("EMU_VERBOSE") != NULL) fprintf(stderr, "emulated device: %s\n", words);
}

/* ------------------------------------------------------------------ faults on demand */

enum { MOST_FAULTS = 16 };
static struct {
    char name[48];
    long left; /* calls until it fails; 0: it has */
    cudaError_t error;
} faults[MOST_FAULTS];
static int n_faults;

static void read_faults(void) {
    n_faults = 0;
    const char *at = getenv("EMU_FAIL");
    while (at != NULL && *at != '\0' && n_faults < MOST_FAULTS) {
        int n = 0, error = cudaErrorUnknown;
        if (sscanf(at, "%47[A-Za-z]:%ld%n=%d%n", faults[n_faults].name, &faults[n_faults].left, &n,
                   &error, &n) < 2) {
            fprintf(stderr, "emulated device: EMU_FAIL is NAME:COUNT[=ERROR],..., not '%s'\n", at);
            abort();
        }
        const bool memory = strcmp(faults[n_faults].name, "cudaMalloc") == 0;
        if (memory && error == cudaErrorUnknown) error = cudaErrorMemoryAllocation;
        faults[n_faults++].error = (cudaError_t)error;
        at = strchr(at, ',');
        if (at != NULL) at++;
    }
}

bool emu_faults_came(void) {
    for (int i = 0; i < n_faults; i++) {
        if (faults[i].left > 0) return false;
    }
    return true;
}

cudaError_t emu_wanted_fault(const char *name) {
    for (int i = 0; i < n_faults; i++) {
        if (strcmp(faults[i].name, name) != 0 || faults[i].left == 0) continue;
        if (--faults[i].left == 0) return emu_refuse(faults[i].error, "EMU_FAIL: %s", name);
    }
    return cudaSuccess;
}

/* ------------------------------------------------------------------ entering and leaving */

static cudaError_t may_enter(emu_call kind, const char *name) {
    if (!emu_all.ready) {
        emu_start();
        read_faults();
    }
    const cudaError_t wanted = emu_wanted_fault(name);
    if (wanted != cudaSuccess || kind == EMU_ASK) return wanted;
    if (emu_all.driver == 0) return cudaErrorInsufficientDriver;
    if (emu_all.n_devices == 0) return cudaErrorNoDevice;
    if (emu_all.pid == 0) emu_all.pid = getpid();
    if (emu_all.pid != getpid()) {
        return emu_refuse(cudaErrorInitializationError, "forked after a call of CUDA");
    }
    if (kind == EMU_UNSAFE && emu_capturing()) {
        for (cudaStream_t s = emu_streams; s != NULL; s = s->next) emu_invalidate(s);
        return emu_refuse(cudaErrorStreamCaptureUnsupported, "%s during a capture", name);
    }
    return emu_here()->failed;
}

cudaError_t emu_enter(emu_call kind, const char *name) {
    pthread_mutex_lock(&lock);
    return may_enter(kind, name);
}

cudaError_t emu_leave(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    emu_view(EMU_HOST);
    pthread_mutex_unlock(&lock);
    return error;
}

void emu_breathe(unsigned int us) {
    emu_view(EMU_HOST);
    pthread_mutex_unlock(&lock);
    usleep(us);
    pthread_mutex_lock(&lock);
}

void emu_reset(void) {
    pthread_mutex_lock(&lock);
    emu_streams_reset();
    emu_graphs_reset();
    emu_events_reset();
    emu_memory_reset();
    emu_scopes_forget();
    memset(&emu_all, 0, sizeof emu_all);
    emu_current = 0;
    last_error = cudaSuccess;
    words[0] = '\0';
    pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------ errors */

cudaError_t cudaGetLastError(void) {
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    if (error == cudaSuccess && emu_all.ready) return emu_here()->failed;
    return error;
}

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
#define ONE(name, text)                                                                            \
    { name, #name, text }
    ONE(cudaSuccess, "no error"),
    ONE(cudaErrorInvalidValue, "invalid argument"),
    ONE(cudaErrorMemoryAllocation, "out of memory"),
    ONE(cudaErrorInitializationError, "initialization error"),
    ONE(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ONE(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ONE(cudaErrorInsufficientDriver,
        "CUDA driver version is insufficient for CUDA runtime version"),
    ONE(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    ONE(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ONE(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ONE(cudaErrorInvalidDevice, "invalid device ordinal"),
    ONE(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    ONE(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ONE(cudaErrorNotReady, "device not ready"),
    ONE(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ONE(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    ONE(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ONE(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ONE(cudaErrorAssert, "device-side assert triggered"),
    ONE(cudaErrorLaunchFailure, "unspecified launch failure"),
    ONE(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ONE(cudaErrorNotSupported, "operation not supported"),
    ONE(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ONE(cudaErrorStreamCaptureInvalidated,
        "operation failed due to a previous error during capture"),
    ONE(cudaErrorStreamCaptureMerge,
        "operation would result in a merge of separate capture sequences"),
    ONE(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    ONE(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ONE(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ONE(cudaErrorUnknown, "unknown error")
#undef ONE
};

const char *cudaGetErrorString(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].error == error) return errors[i].text;
    }
    return "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].error == error) return errors[i].name;
    }
    return "unrecognized error code";
}
