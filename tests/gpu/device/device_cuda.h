/* device_cuda.h: groups of the cuda backend on the emulated device, for the suites that try them. */
#pragma once

#include "emulator.h"
#include "ringsim_gpu.h"

/* Makes a machine of emulated devices, as after a restart: "EMU_DEVICES=2 EMU_PEERS=0". */
void cuda_machine(const char *settings);
rg_group *cuda_open(rg_kind kind, int32_t n, int32_t kernel);
rg_group *cuda_open_tiled(rg_kind kind, int32_t n, int32_t kernel, rg_tiling tiling);
/* Random data, one timed run from one array to another. */
rg_job cuda_job(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count);
rg_result cuda_run(rg_group *group, const rg_job *job, rs_arena *arena); /* which must complete */
/* The same; all must be right. Of what it returns the lists are gone. */
rg_result cuda_right(rg_group *group, const rg_job *job);
/* Must be right, with the cpu backend's bits; closes the group. The lists are gone here, too. */
rg_result cuda_equals_cpu(rg_group *group, const rg_job *job, const char *name);
/* Returns what rg_group_run says of a job that is not to succeed. */
rs_status cuda_fail(rg_group *group, const rg_job *job, rs_error *error);
void cuda_says(const char *text, const char *part);
