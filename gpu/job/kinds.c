/* kinds.c: the backends' names, as people type them. */
#include "ringsim_gpu.h"

#include <assert.h>

const char *rg_kind_name(rg_kind kind) {
#define NAME_OF(kind, name, table) name,
    static const char *const names[RG_N_KINDS] = {RG_BACKENDS(NAME_OF)};
    assert(kind < RG_N_KINDS);
    return names[kind];
}
