/* fake_faults.c: what the environment asks of the fake (README.md lists it), and NCCL's words. */
#include "fake_nccl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char last_error[256];

bool fn_is_set(const char *name, const char *value) {
    const char *text = getenv(name);
    return text != NULL && strcmp(text, value) == 0;
}

int64_t fn_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool fn_strikes(fn_fault fault, const char *what, int rank) {
    static const char *const names[] = {"EMU_NCCL_FAIL", "EMU_NCCL_FLIP", "EMU_NCCL_STALL"};
    static int times[FN_FAULTS];
    char wanted[32];
    int nth, of_rank = rank;
    const char *text = getenv(names[fault]);
    if (text == NULL || sscanf(text, "%31[^:]:%d:%d", wanted, &nth, &of_rank) < 2) return false;
    return strcmp(wanted, what) == 0 && of_rank == rank && ++times[fault] == nth;
}

int64_t fn_swapped(int rank) {
    int element, of_rank = rank;
    const char *text = getenv("EMU_NCCL_SWAP");
    if (text == NULL || sscanf(text, "%d:%d", &element, &of_rank) < 1) return -1;
    return of_rank == rank ? element : -1;
}

int64_t fn_begins_ns(int rank) {
    int ms = 0, of_rank = rank;
    const char *text = getenv("EMU_NCCL_DELAY");
    if (fn_strikes(FN_STALL, "kernel", rank)) return INT64_MAX;
    if (text == NULL || sscanf(text, "%d:%d", &ms, &of_rank) < 1 || of_rank != rank) ms = 0;
    return fn_now_ns() + (int64_t)ms * 1000000;
}

ncclResult_t fn_refuse(ncclResult_t result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return result;
}

ncclResult_t ncclGetVersion(int *version) {
    const char *text = getenv("EMU_NCCL_VERSION");
    *version = text != NULL ? atoi(text) : NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result) {
    static char text[32];
    snprintf(text, sizeof text, "NCCL's error %d", (int)result);
    return text;
}

const char *ncclGetLastError(ncclComm_t comm) {
    (void)comm;
    return last_error;
}
