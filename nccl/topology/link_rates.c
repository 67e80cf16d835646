/* link_rates.c: NCCL's constants (2.30.7: src/graph, topo.cc and its header), and what the hardware carries at all.
 */
#include "topology/link_rates.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* NVLink: usable is NCCL's constant (SM60_NVLINK_BW ... SM100_NVLINK_BW, RUBIN_NVLINK_BW of 2.31); raw and the number of links are NVIDIA's:
   V100 300, A100 600, H100 900, B200 1800, Rubin 3600 GB/s, both ways together, over 6, 12, 18, 18, 36 links; P100 160 over 4;
   RTX A6000 112.5 over 4. NCCL takes Ampere's 20 for what it does not know. */
static const struct {
    int32_t from_sm, most_links;
    rn_rate link;
} nvlinks[] = {
    {107, 36, {RN_GB(312), RN_GB(500)}}, {100, 18, {RN_GB(401), RN_GB(500)}},
    {90, 18, {RN_GB(206), RN_GB(250)}},  {87, 12, {RN_GB(200), RN_GB(250)}},
    {86, 4, {RN_GB(120), 14062500000}},  {80, 12, {RN_GB(200), RN_GB(250)}},
    {70, 6, {RN_GB(200), RN_GB(250)}},   {60, 4, {RN_GB(180), RN_GB(200)}},
    {0, 0, {RN_GB(200), RN_GB(250)}},
};

static int find_nvlink(int32_t sm) {
    int i = 0;
    while (sm < nvlinks[i].from_sm) i++;
    return i;
}

rn_rate rn_nvlink_rate(int32_t sm) {
    return nvlinks[find_nvlink(sm)].link;
}

int32_t rn_most_nvlinks(int32_t sm) {
    return sm >= 120 ? 0 : nvlinks[find_nvlink(sm)].most_links;
}

/* PCIe: usable is NCCL's, lanes x speed / 80 GB/s with speed 15, 30, ..., 480: 12, 24, 48 for x16 of Gen3, 4, 5. Raw is
   PCI-SIG's: GT/s x 16 / 8 x 8/10 (Gen1, 2), 128/130 (Gen3 to 5), 242/256 (Gen6, flits). */
rn_rate rn_pcie_rate(int32_t generation, int32_t lanes) {
    static const uint64_t raw_x16_MBps[] = {4000, 8000, 15754, 31507, 63015, 121000};
    const uint64_t speed = 15u << (generation - 1), n = (uint64_t)lanes;
    return (rn_rate){n * speed * 12500000, raw_x16_MBps[generation - 1] * 1000000 * n / 16};
}

int32_t rn_pcie_generation(const char *speed) {
    static const double gigatransfers[] = {2.5, 5, 8, 16, 32, 64};
    char *end;
    const double value = strtod(speed, &end);
    if (end == speed) return 0;
    if (strcmp(end, " GT/s") != 0 && strcmp(end, " GT/s PCIe") != 0) return 0;
    for (int32_t i = 0; i < 6; i++) {
        if (value > gigatransfers[i] - 0.001 && value < gigatransfers[i] + 0.001) return i + 1;
    }
    return 0;
}

/* Between processors: NCCL's P9_BW, ARM_BW, BDW_QPI_BW, SKL_QPI_BW, SRP_QPI_BW, ERP_QPI_BW, AMD's, ZPI_BW,
   YONGFENG_ZPI_BW, chosen as in ncclTopoGetInterCpuBw and ncclTopoAddCpu. Raw is not documented. */
uint64_t rn_between_cpus_Bps(const char *arch, const char *vendor, int64_t family, int64_t model) {
    if (strcmp(arch, "ppc64") == 0) return RN_GB(320);
    if (strcmp(arch, "arm64") == 0) return RN_GB(60);
    if (strcmp(arch, "x86_64") != 0) return 0;
    if (strcmp(vendor, "GenuineIntel") == 0) {
        const bool granite = model == 0xAD || model == 0xAE || model == 0xAF;
        if (family != 6 || model < 0x55) return RN_GB(60);
        return model >= 0xCF || granite ? RN_GB(400) : model >= 0x8F ? RN_GB(220) : RN_GB(100);
    }
    if (strcmp(vendor, "AuthenticAMD") == 0) return RN_GB(160);
    if (strcmp(vendor, "CentaurHauls") == 0 || strcmp(vendor, "  Shanghai  ") == 0) {
        return family == 7 && model == 0x5B ? RN_GB(90) : RN_GB(60);
    }
    return 0;
}
