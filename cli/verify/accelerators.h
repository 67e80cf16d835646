/* accelerators.h: accelerators.c: GPUs and NCCL, asked in every build. */
#pragma once

#include <stdbool.h>

/* The NVIDIA GPUs and driver of this machine, as far as they can be seen. */
typedef struct rc_gpus {
    bool driver;      /* the NVIDIA driver's library is here */
    bool on_the_bus;  /* an NVIDIA GPU is in the machine, as far as can be seen */
    char release[32]; /* "580.82.07"; "": not told */
    int cuda;         /* the newest CUDA that the driver can serve: 13000 is 13.0; 0: not told */
    int error;        /* CUDA's number, if the driver does not start; 0 */
    int n;
    char names[512];
} rc_gpus;
/* Asks the driver, in every build. */
void rc_find_gpus(rc_gpus *gpus);
/* Returns the version of the NCCL that is here; 22809: 2.28.9; 0: none. */
int rc_find_nccl(void);
