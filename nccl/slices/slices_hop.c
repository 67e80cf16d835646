/* slices_hop.c: what one hop costs with a protocol: its latency, and the data that get through.
 *
 *   - LL carries 4 bytes of data in 8, LL128 120 in 128, and both no more than the GPUs' generation reaches (NCCL's tuning
 *     model has the same limits). Over PCIe its small stores reach half of that.
 *   - LL to a network that is served by libfabric's plug-in (EFA, Slingshot) goes no faster than its thread: it posts and
 *     completes each small message; InfiniBand and RoCE are served by NCCL itself.
 */
#include "slices/slices_private.h"

#include <math.h>

bool rn_by_plugin(rn_fabric fabric) {
    return fabric == RN_FABRIC_EFA || fabric == RN_FABRIC_SLINGSHOT;
}

double rn_hop_us(const rn_lowering *l, const rn_ring_hop *hop, rn_nccl_algorithm algorithm) {
    const rn_nccl_protocol protocol = l->job->protocol;
    const int way = hop->kind == RN_HOP_NVLINK ? RN_BY_NVLINK
                    : hop->kind == RN_HOP_NET  ? RN_BY_NET
                                               : RN_BY_PCI;
    const double documented = l->tuning.us[RN_NCCL_RING][RN_NCCL_LL][way];
    double us = l->tuning.us[algorithm][protocol][way];
    if (hop->kind == RN_HOP_NET) {
        us *= l->latency_factor;
    } else if (algorithm == RN_NCCL_TREE && protocol != RN_NCCL_SIMPLE) {
        us *= l->fit[RN_FIT_HOP_TREE];
    }
    /* Wires longer than NCCL takes them to be add the difference. */
    if (hop->alpha_us > documented) us += hop->alpha_us - documented;
    return us * l->latency;
}

double rn_hop_GBps(const rn_lowering *l, const rn_ring_hop *hop) {
    static const double lines_LL = 4.0 / 8, pcie_LL = 1.0 / 4, lines_LL128 = 120.0 / 128;
    const rn_slices_job *job = l->job;
    const bool pcie = hop->kind == RN_HOP_PCIE || hop->kind == RN_HOP_HOST;
    double GBps = l->rate * hop->GBps * (hop->kind == RN_HOP_NET ? l->share : 1);
    if (job->protocol == RN_NCCL_LL) {
        GBps =
            fmin(GBps * (pcie ? pcie_LL : lines_LL), l->tuning.ll_most[l->generation][l->column]);
        const bool plugin = hop->kind == RN_HOP_NET && rn_by_plugin(job->fabric);
        return plugin ? fmin(GBps, l->fit[RN_FIT_LL_PLUGIN]) : GBps;
    }
    if (job->protocol == RN_NCCL_LL128) {
        return fmin(GBps * lines_LL128,
                    job->n_channels * l->tuning.ring_ll128[l->generation][l->column]);
    }
    return GBps;
}

const rn_ring_hop *rn_slowest_hop(const rn_lowering *l) {
    const rn_site *site = l->job->site;
    const rn_ring_hop *slowest = site->hops;
    for (int32_t i = 1; i < site->n_hops; i++) {
        if (rn_hop_GBps(l, &site->hops[i]) < rn_hop_GBps(l, slowest)) slowest = &site->hops[i];
    }
    return slowest;
}
