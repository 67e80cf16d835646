/* rule_words.c: why NCCL's model leaves a way out, and what limits one, in words. */
#include "nccl/nccl_files.h"

const char *rc_rule_text(rn_nccl_rule rule) {
    static const char *const rules[RN_NCCL_N_RULES] = {
        [RN_NCCL_ON] = "",
        [RN_NCCL_NO_SUCH] = N_("the collective has no such way"),
        [RN_NCCL_NO_GRAPH] = N_("the search found no channels for it"),
        [RN_NCCL_ONE_NODE] = N_("it joins nodes, and there is one"),
        [RN_NCCL_NO_COLLNET] = N_("the network adds nothing, or NCCL_COLLNET_ENABLE is not set"),
        [RN_NCCL_NO_NVSWITCH] = N_("it needs an NVSwitch"),
        [RN_NCCL_MANY_A_NODE] = N_("it needs one GPU a node"),
        [RN_NCCL_OLD_GPU] = N_("the GPU is too old for it"),
        [RN_NCCL_NOT_KNOWN_SAFE] = N_("LL128 was not tried on this GPU in this version"),
        [RN_NCCL_MIXED_GPUS] = N_("LL128 wants GPUs of one kind"),
        [RN_NCCL_FAR_INSIDE] = N_("LL128 wants NVLink inside the node"),
        [RN_NCCL_FAR_OUTSIDE] = N_("LL128 wants a near path to the NIC"),
        [RN_NCCL_NO_EFFICIENCY] = N_("NVLS counts as nothing on this GPU"),
        [RN_NCCL_ALGO_SETTING] = N_("NCCL_ALGO leaves it out"),
        [RN_NCCL_PROTO_SETTING] = N_("NCCL_PROTO leaves it out"),
    };
    return rule == RN_NCCL_ON ? "" : _(rules[rule]);
}

const char *rc_limit_text(rn_nccl_limit limit) {
    switch (limit) {
    case RN_NCCL_BY_LL: return _("what LL reaches here");
    case RN_NCCL_BY_CHANNEL: return _("what a channel reaches with this protocol");
    case RN_NCCL_BY_NVLINK: return _("NVLink");
    case RN_NCCL_BY_NETWORK: return _("the network");
    case RN_NCCL_BY_GRAPH: break;
    }
    return _("the bandwidth that the search found");
}
