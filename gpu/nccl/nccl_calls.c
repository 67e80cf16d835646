/* nccl_calls.c: what became of a call to CUDA or NCCL, in one line; and waiting, with a deadline.
 *
 *     rank 1: ncclGroupEnd on GPU 0, NVIDIA H200: unhandled system error: ..., in step 3 with rank 0
 *
 *   - A rank that waits also polls NCCL, which may report a dead peer before the deadline, but only
 *     where messages go through a network. Elsewhere only the deadline shows it.
 *   - At first it polls without a pause: the clock stops when the stream is idle, and would count a
 *     pause, too.
 */
#include "nccl/nccl_world.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { SPINS = 64, EAGER_MS = 20, PAUSE_US = 50 };

/* " on GPU 0, NVIDIA H200" */
static void say_place(const rg_nccl_world *w, char *out, size_t n_out) {
    out[0] = '\0';
    if (w->gpu[0] != '\0') snprintf(out, n_out, " on GPU %d, %s", w->device, w->gpu);
}

bool rg_nccl_cuda_ok(rg_nccl_world *w, cudaError_t code, const char *call) {
    if (code == cudaSuccess) return true;
    cudaGetLastError(); /* else it would be told once more by the next launch */
    char place[128];
    say_place(w, place, sizeof place);
    const bool full = code == cudaErrorMemoryAllocation;
    w->status = full ? RS_NO_MEMORY : RS_UNSUPPORTED;
    return rg_ranks_trouble(&w->ranks, "%.*s%s: %s%s", (int)strcspn(call, "("), call, place,
                            cudaGetErrorString(code), full ? "; take smaller sizes" : "");
}

bool rg_nccl_ok(rg_nccl_world *w, ncclComm_t comm, ncclResult_t result, const char *call) {
    if (result == ncclSuccess || result == ncclInProgress) return true;
    char place[128];
    say_place(w, place, sizeof place);
    const char *more = w->nccl.ncclGetLastError(comm);
    const int n = more != NULL ? (int)strcspn(more, "\n") : 0;
    w->status = RS_UNSUPPORTED;
    return rg_ranks_trouble(&w->ranks, "%s%s: %s%s%.*s", call, place,
                            w->nccl.ncclGetErrorString(result), n > 0 ? ": " : "", n,
                            n > 0 ? more : "");
}

rs_status rg_nccl_refuse(rg_nccl_world *w, rs_error *error) {
    const rs_status status = w->status == RS_OK ? RS_UNSUPPORTED : w->status;
    if (w->ranks.trouble[0] != '\0') {
        rs_fail(error, status, "%s", w->ranks.trouble);
    } else if (rg_ranks_late(&w->ranks)) {
        rs_fail(error, status, "no answer from the other ranks within %g s",
                w->ranks.timeout_ms / 1000.0);
    } else {
        rs_fail(error, status, "another rank failed");
    }
    w->waited = w->ranks.trouble[0] == '\0';
    w->ranks.trouble[0] = '\0';
    w->ranks.stuck = false;
    w->status = RS_OK;
    return status;
}

/* ------------------------------------------------------------------ waiting */

typedef struct patience {
    int64_t start_ps;
    int n;
} patience;

/* Called between two looks; false: the time is over. */
static bool go_on(rg_nccl_world *w, patience *p) {
    if (++p->n % SPINS != 0) return true;
    if (rg_ranks_late(&w->ranks)) return false;
    if (rg_now_ps() - p->start_ps < EAGER_MS * RG_MS_PS) {
        sched_yield();
    } else {
        rg_nap_us(PAUSE_US);
        p->n += SPINS - 1; /* and again after the next look */
    }
    return true;
}

bool rg_nccl_settle(rg_nccl_world *w, ncclComm_t comm, const char *call) {
    patience p = {rg_now_ps(), 0};
    for (;;) {
        ncclResult_t state = ncclSuccess;
        const ncclResult_t asked = w->nccl.ncclCommGetAsyncError(comm, &state);
        if (!rg_nccl_ok(w, comm, asked, "ncclCommGetAsyncError")) return false;
        if (state != ncclInProgress) return rg_nccl_ok(w, comm, state, call);
        if (!go_on(w, &p)) return false;
    }
}

bool rg_nccl_wait(rg_nccl_world *w, ncclComm_t comm, cudaEvent_t event) {
    patience p = {rg_now_ps(), 0};
    w->in_wait = true;
    for (;;) {
        const cudaError_t code = event != NULL ? cudaEventQuery(event) : cudaStreamQuery(w->stream);
        if (code != cudaErrorNotReady) {
            const bool good = rg_nccl_cuda_ok(w, code, "the run");
            w->in_wait = !good;
            return good;
        }
        ncclResult_t state = ncclSuccess;
        if (comm != NULL && p.n % SPINS == SPINS - 1 &&
            (!RG_NCCL(w, comm, ncclCommGetAsyncError, comm, &state) ||
             !rg_nccl_ok(w, comm, state, "the run"))) {
            return false;
        }
        if (!go_on(w, &p)) return false;
    }
}
