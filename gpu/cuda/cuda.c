/* cuda.c: the cuda backend: one process, N virtual ranks on the GPUs that are there.
 *
 *     available --> open: devices, peers, streams --> run (cuda_job.c) ... --> close
 *
 * N ranks on one GPU share its memory: what is measured is that memory and the schedule's shape, no
 * link. Over several GPUs the ranks' borders are real links.
 */
#include "cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool available(const rg_setup *setup, rs_error *error) {
    int n;
    (void)setup;
    return rg_devices_there(&n, error);
}

/* "2 NVIDIA H200, driver for CUDA 13.0, kernel 4 of 7, where it fits: one persistent launch". Whether it fits
   is known only with the job, whose note then says which kernel stood in. */
static void describe(rg_gpus *gpus) {
    int driver = 0, n_same = 0;
    const rg_gpu *list = gpus->list;
    char variant[80] = "the best kernel", others[32] = "";
    if (cudaDriverGetVersion(&driver) != cudaSuccess) cudaGetLastError();
    while (n_same < gpus->n && strcmp(list[n_same].name, list[0].name) == 0) n_same++;
    if (n_same < gpus->n) snprintf(others, sizeof others, " and %d other GPUs", gpus->n - n_same);
    const int32_t best = gpus->wanted != 0 ? gpus->wanted : rg_best_variant(gpus, false);
    bool cooperative = true;
    for (int i = 0; i < gpus->n; i++) cooperative = cooperative && list[i].cooperative;
    if (gpus->wanted != 0 || cooperative) {
        snprintf(variant, sizeof variant, "kernel %d of %d%s: %s", (int)best, RG_N_VARIANTS,
                 gpus->wanted != 0 ? "" : ", where it fits", rg_variant_name(best));
    }
    snprintf(gpus->group.where, sizeof gpus->group.where,
             "%d %.40s%.18s, driver for CUDA %d.%d, %.72s", n_same, list[0].name, others,
             driver / 1000, driver % 1000 / 10, variant);
}

/* An explicit kernel variant of 4 to 6 that no job could run is refused at once. */
static bool check_wanted(rg_gpus *gpus) {
    for (int i = 0; i < gpus->n && gpus->wanted >= 4 && gpus->wanted != RG_FLOOR; i++) {
        if (gpus->list[i].cooperative) continue;
        return rg_cuda_trouble(gpus, RS_UNSUPPORTED,
                               "kernel %d cannot run: GPU %d, %s, has no cooperative launch; take "
                               "--kernel 3",
                               (int)gpus->wanted, gpus->list[i].device, gpus->list[i].name);
    }
    return true;
}

static void close(rg_group *group) {
    rg_devices_close((rg_gpus *)group);
    free(group);
}

static rs_status open(const rg_setup *setup, const rs_host *host, rs_error *error,
                      rg_group **group) {
    int n_devices;
    if (!rg_devices_there(&n_devices, error)) return RS_UNSUPPORTED;
    if (setup->kernel < 0 || setup->kernel > RG_N_VARIANTS) {
        return rs_fail(error, RS_BAD_INPUT, "there is no kernel %d; they are 1 to %d, 0 the best",
                       (int)setup->kernel, RG_N_VARIANTS);
    }
    rg_gpus *made = calloc(1, sizeof *made);
    if (made == NULL) return rs_no_memory(error);
    made->group =
        (rg_group){.backend = &rg_cuda, .host = host, .n_ranks = setup->n_ranks, .reports = true};
    made->n = n_devices < setup->n_ranks ? n_devices : setup->n_ranks;
    made->wanted = setup->kernel;
    made->tiling = setup->tiling;
    if (!rg_devices_open(made) || !check_wanted(made)) {
        const rs_status status = rs_fail(error, made->status, "%s", made->trouble.text);
        close(&made->group);
        return status;
    }
    describe(made);
    *group = &made->group;
    return RS_OK;
}

const rg_backend rg_cuda = {"cuda", available, open, rg_cuda_run, close};
