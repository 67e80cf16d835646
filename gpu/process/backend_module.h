/* backend_module.h: the tables of the backends whose ranks are processes, one each. Private to
 * gpu/.
 *
 *     mpi     in ringsim-mpi.so, which only a process loads that is one of the ranks: the program
 *     itself is not linked with MPI, so it also starts on a machine without MPI. The module takes
 *     the rs_ and rg_
 *             names that it needs from the program.
 *     nccl    in the program, if it was built with CUDA and NCCL's header
 */
#pragma once

#include "job/backend.h"

#define RG_MPI_FILE "ringsim-mpi.so"
#define RG_MPI_SYMBOL "rg_mpi_module"
#define RG_SERVE_VARIABLE "RINGSIM_RANK_OF" /* tells a spawned rank what it is */
enum { RG_MODULE_ABI = 2 };

typedef struct rg_module {
    int abi;
    const char *version;       /* RINGSIM_VERSION */
    const rg_backend *backend; /* for a process that was launched; its groups are rg_ranks */
    /* Hands n bytes from rank 0 to all, and waits for them as long as it takes. */
    void (*share)(rg_group *group, void *bytes, size_t n);
} rg_module;

extern const rg_module rg_nccl_module; /* where HAVE_NCCL */

/* Finds ringsim-mpi.so in setup->module_dirs; false: it is not there. */
bool rg_module_path(const rg_setup *setup, char *out, size_t n_out);
rs_status rg_module_get(rg_kind kind, const rg_setup *setup, rs_error *error,
                        const rg_module **module);
