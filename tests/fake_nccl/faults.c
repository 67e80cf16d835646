/* faults.c: what the environment asks of the emulation.
 *
 *     EMU_NCCL_VERSION=22809             what ncclGetVersion says, and how duplicates of a GPU are judged
 *     EMU_NCCL_FAIL=ncclSend:2:1         the 2nd ncclSend of rank 1 returns ncclInternalError
 *     EMU_NCCL_ASYNC=kernel:2:1          after rank 1's 2nd kernel ncclCommGetAsyncError says so
 *     EMU_NCCL_FLIP=send:3:0             the first bit of the 3rd message of rank 0 flips on the way;
 *                                        reduce:1:0: in the result of its first all-reduce
 *     EMU_NCCL_STALL=kernel:2:1          the 2nd kernel of rank 1 never ends (ncclCommAbort ends it)
 *     EMU_NCCL_DELAY=5:1                 5 ms before each kernel of rank 1
 *     EMU_NCCL_ORDER=tree                all-reduces add in another order than the ring's
 *     EMU_NCCL_RING=0,2,1                the ring goes round in this order of ranks
 *
 * Without the rank it hits all of them. Times are counted in each process from 1.
 */
#include "nccl_emu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEFAULT_VERSION = NCCL_VERSION_CODE, MOST_COUNTERS = 32 };

int en_version(void) {
    const char *text = getenv("EMU_NCCL_VERSION");
    return text != NULL && text[0] != '\0' ? atoi(text) : DEFAULT_VERSION;
}

bool en_is_set(const char *name, const char *value) {
    const char *text = getenv(name);
    return text != NULL && strcmp(text, value) == 0;
}

int64_t en_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Counts how often a pair of words has come up in this process; under en_lock. */
static int count_of(const char *fault, const char *what) {
    static struct {
        char name[64];
        int n;
    } counters[MOST_COUNTERS];
    char name[64];
    snprintf(name, sizeof name, "%s %s", fault, what);
    for (int i = 0; i < MOST_COUNTERS; i++) {
        if (counters[i].name[0] == '\0') memcpy(counters[i].name, name, sizeof name);
        if (strcmp(counters[i].name, name) == 0) return ++counters[i].n;
    }
    return 0;
}

bool en_fault(const char *fault, const char *what, int rank) {
    char variable[64], wanted[64] = "";
    int nth = 0, of_rank = -1;
    snprintf(variable, sizeof variable, "EMU_NCCL_%s", fault);
    const char *text = getenv(variable);
    if (text == NULL || sscanf(text, "%63[^:]:%d:%d", wanted, &nth, &of_rank) < 2) return false;
    if (strcmp(wanted, what) != 0 || (of_rank >= 0 && of_rank != rank)) return false;
    return count_of(fault, what) == nth;
}

ncclResult_t en_fail(const char *call, int rank) {
    if (!en_fault("FAIL", call, rank)) return ncclSuccess;
    return en_warn(ncclInternalError, "%s fails, as EMU_NCCL_FAIL asks", call);
}

int64_t en_delay_ns(int rank) {
    int ms = 0, of_rank = -1;
    const char *text = getenv("EMU_NCCL_DELAY");
    if (text == NULL || sscanf(text, "%d:%d", &ms, &of_rank) < 1) return 0;
    return of_rank < 0 || of_rank == rank ? (int64_t)ms * 1000000 : 0;
}
