/* library.c: loads libnccl.so.2 when a caller needs it: the program starts without it.
 *
 *     RINGSIM_NCCL=FILE, or the loader's own search, or the toolkit's folders
 *
 * The process that spawns ranks also asks whether NCCL is there. That loads the library and wakes the
 * driver, but makes no context on a GPU; the ranks start by exec and inherit nothing of it.
 */
#include "nccl/nccl_world.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "libnccl.so.2"

static void *open_any(const char **named) {
    static const char *const usual[] = {FILE_NAME, "/usr/local/cuda/lib64/" FILE_NAME,
                                        "/usr/local/cuda/lib/" FILE_NAME};
    *named = getenv("RINGSIM_NCCL");
    if (*named != NULL && **named != '\0') return dlopen(*named, RTLD_NOW | RTLD_LOCAL);
    *named = NULL;
    void *loaded = NULL;
    for (size_t i = 0; i < sizeof usual / sizeof *usual && loaded == NULL; i++) {
        loaded = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL);
    }
    return loaded;
}

/* 22809 is 2.28.9; until 2.8, 2708 was 2.7.8. */
static void name_version(rg_nccl *nccl) {
    const int v = nccl->version, major = v < 10000 ? v / 1000 : v / 10000;
    const int minor = v < 10000 ? v / 100 % 10 : v / 100 % 100;
    snprintf(nccl->version_text, sizeof nccl->version_text, "%d.%d.%d", major, minor, v % 100);
}

static rs_status resolve(void *loaded, rs_error *error, rg_nccl *nccl) {
    const char *missing = NULL;
    void *address;
#define FIND(name)                                                                                 \
    address = dlsym(loaded, #name);                                                                \
    if (address == NULL) missing = #name;                                                          \
    memcpy(&nccl->name, &address, sizeof address);
    RG_NCCL_CALLS(FIND)
    if (nccl->ncclGetVersion != NULL && nccl->ncclGetVersion(&nccl->version) == ncclSuccess) {
        name_version(nccl);
        if (nccl->version < RG_NCCL_OLDEST) {
            return rs_fail(
                error, RS_UNSUPPORTED,
                "NCCL %s is too old; install 2.14 or later, or let RINGSIM_NCCL name one",
                nccl->version_text);
        }
    }
    if (missing == NULL && nccl->version > 0) return RS_OK;
    return rs_fail(
        error, RS_UNSUPPORTED,
        "libnccl.so.2 has no %s; install NCCL 2.14 or later, or let RINGSIM_NCCL name one",
        missing != NULL ? missing : "version");
}

rs_status rg_nccl_load(rs_error *error, rg_nccl *nccl) {
    const char *named;
    void *loaded = open_any(&named);
    if (loaded != NULL) return resolve(loaded, error, nccl);
    if (named != NULL) {
        const char *reason = dlerror();
        return rs_fail(error, RS_UNSUPPORTED, "RINGSIM_NCCL=%.100s: %.200s", named,
                       reason != NULL ? reason : "it cannot be loaded");
    }
    return rs_fail(
        error, RS_UNSUPPORTED,
        "no libnccl.so.2; install NVIDIA's package libnccl2, or let RINGSIM_NCCL name the "
        "file (pip's nvidia-nccl-cu13 has one)");
}

bool rg_nccl_available(const rg_setup *setup, rs_error *error) {
    rg_nccl nccl = {0};
    int n;
    (void)setup;
    return rg_nccl_load(error, &nccl) == RS_OK && rg_devices_there(&n, error);
}
