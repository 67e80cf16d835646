/* backend_module.c: finds the table of a backend, and loads MPI's module for it. See
   backend_module.h. */
#include "config.h"
#include "process/backend_module.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = 4200 };

bool rg_module_path(const rg_setup *setup, char *out, size_t n_out) {
    for (int i = 0; setup->module_dirs != NULL && setup->module_dirs[i] != NULL; i++) {
        const int n = snprintf(out, n_out, "%s/%s", setup->module_dirs[i], RG_MPI_FILE);
        if (n > 0 && (size_t)n < n_out && access(out, F_OK) == 0) return true;
    }
    return false;
}

static rs_status load_mpi(const rg_setup *setup, rs_error *error, const rg_module **module) {
    char path[LONGEST_PATH];
    if (!rg_module_path(setup, path, sizeof path)) {
        return rs_fail(error, RS_UNSUPPORTED,
                       "%s lies neither beside the program nor where it is installed; run make, or "
                       "make install",
                       RG_MPI_FILE);
    }
    void *loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL) {
        const char *reason = dlerror();
        return rs_fail(error, RS_UNSUPPORTED, "MPI cannot be loaded: %.300s",
                       reason != NULL ? reason : path);
    }
    const rg_module *table = dlsym(loaded, RG_MPI_SYMBOL);
    if (table == NULL || table->abi != RG_MODULE_ABI ||
        strcmp(table->version, RINGSIM_VERSION) != 0) {
        dlclose(loaded);
        return rs_fail(error, RS_UNSUPPORTED, "%.200s is of another build; run make again", path);
    }
    *module = table;
    return RS_OK;
}

rs_status rg_module_get(rg_kind kind, const rg_setup *setup, rs_error *error,
                        const rg_module **module) {
    assert(kind == RG_MPI || kind == RG_NCCL);
    if (kind == RG_MPI) return load_mpi(setup, error, module);
#ifdef HAVE_NCCL
    *module = &rg_nccl_module;
    return RS_OK;
#else
    return rs_fail(error, RS_UNSUPPORTED, "built without NCCL; see ringsim doctor");
#endif
}
