/* arrays.c: arrays between guards, which show writes outside the array; and the clock.
 *
 *     | guard ........ | offset | data: count elements | guard ...... |
 *
 * The guard before the data includes the bytes of the offset.
 */
#include "job/backend.h"
#include "base/containers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GUARD = 0xa5 };

rs_status rg_array_new(const rg_job *job, int64_t n, rs_arena *arena, rs_error *error,
                       rg_array *array) {
    assert(n >= 0);
    assert(job->offset >= 0);
    const size_t elem_bytes = (size_t)rs_dtype_bytes(job->dtype);
    const size_t before = RG_GUARD_BYTES + (size_t)job->offset * elem_bytes;
    const size_t n_bytes = (size_t)n * elem_bytes;
    char *block = rs_alloc(arena, before + n_bytes + RG_GUARD_BYTES, 1);
    if (block == NULL) {
        return rs_fail(error, RS_NO_MEMORY,
                       "no memory for the arrays of %lld elements; take smaller sizes",
                       (long long)n);
    }
    memset(block, GUARD, before);
    memset(block + before + n_bytes, GUARD, RG_GUARD_BYTES);
    *array = (rg_array){block, block + before, n_bytes, before};
    return RS_OK;
}

void rg_array_cut(rg_array *array, size_t n_bytes) {
    array->n_bytes = n_bytes;
    memset((char *)array->data + n_bytes, GUARD, RG_GUARD_BYTES);
}

static bool all_guard(const char *at, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)at[i] != GUARD) return false;
    }
    return true;
}

bool rg_array_intact(const rg_array *array) {
    return all_guard(array->block, array->before) &&
           all_guard(array->block + array->before + array->n_bytes, RG_GUARD_BYTES);
}

/* ------------------------------------------------------------------ times */

int64_t rg_now_ps(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec) * 1000;
}

void rg_nap_us(int64_t us) {
    const struct timespec nap = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    nanosleep(&nap, NULL);
}

int32_t rg_timeout_ms(int32_t asked_ms) {
    return asked_ms > 0 ? asked_ms : RG_DEFAULT_TIMEOUT_MS;
}

int64_t rg_median(int64_t times[], int32_t n) {
    assert(n >= 1);
    qsort(times, (size_t)n, sizeof *times, rs_by_int64);
    return times[n / 2];
}
