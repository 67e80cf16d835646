/* kinds.c: the backends' names, as people type them. */
#include "ringsim_gpu.h"

#include <assert.h>

const char *rg_kind_name(rg_kind kind) {
    static const char *const names[RG_N_KINDS] = {"cpu", "cuda", "nccl", "mpi"};
    assert(kind < RG_N_KINDS);
    return names[kind];
}
