/* link_rates.h: what links carry, by generation (link_rates.c). Private to this folder.
 *
 *   - Usable rates are what NCCL counts on, raw ones what the wires carry at all; bytes a second, each way.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct rn_rate {
    uint64_t Bps, raw_Bps;
} rn_rate;

/* Returns what one NVLink carries, of a GPU with that compute capability, 90 for 9.0; 0: unknown, as Ampere's. */
rn_rate rn_nvlink_rate(int32_t sm);
/* Returns how many NVLinks such a GPU has at most; 0: not known. */
int32_t rn_most_nvlinks(int32_t sm);
/* Returns what PCIe carries over so many lanes of a generation from 1 to 6. */
rn_rate rn_pcie_rate(int32_t generation, int32_t lanes);
/* Returns the generation that a speed names ("32.0 GT/s PCIe"); 0: it names none. */
int32_t rn_pcie_generation(const char *speed);
/* Returns what goes between two processors; 0: not known. Arch and vendor as in NCCL's XML. */
uint64_t rn_between_cpus_Bps(const char *arch, const char *vendor, int64_t family, int64_t model);

#define RN_GB(tenths) ((uint64_t)(tenths)*100000000) /* tenths of GB/s */

/* Of wires nobody documents a latency. NCCL's model counts 0.6 us for a hop over NVLink, 1 us over PCIe, 2.7 us over
   the network with protocol LL, which waits least (src/graph/tuning.cc, 2.30.7). A hop passes two of these: */
enum { RN_NVLINK_NS = 600, RN_TO_SWITCH_NS = 300, RN_GPU_PCIE_NS = 500, RN_NET_NS = 1350 };
