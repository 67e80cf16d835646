/* remark_words.c: what NCCL's log and model say, in sentences. */
#include "nccl/nccl_files.h"

#include <string.h>

/* Which setting of the log explains a transport: one of two, of which the second forbids by its value? NULL: none. */
static const char *setting_for(const rn_nccl_log *log, const char *switched, const char *limited) {
    for (int32_t i = 0; i < log->n_settings; i++) {
        const rn_nccl_setting *s = &log->settings[i];
        if (strcmp(s->name, switched) == 0 && strcmp(s->value, "0") != 0) return s->name;
        if (strcmp(s->name, limited) == 0) return s->name;
    }
    return NULL;
}

static void say_transport(const rn_nccl_log *log, const rn_nccl_note *note, rs_error *said) {
    const char *why;
    int64_t line = 0;
    switch (note->what) {
    case RN_REMARK_SHM:
        why = setting_for(log, "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL");
        rs_fail(
            said, RS_OK,
            note->a == 1
                ? RS_MESSAGE(
                      "%d connection inside a node goes through host memory (SHM), not from GPU to GPU")
                : RS_MESSAGE(
                      "%d connections inside a node go through host memory (SHM), not from GPU to GPU"),
            (int)note->a);
        break;
    case RN_REMARK_SOCKET:
        why = setting_for(log, "NCCL_IB_DISABLE", "NCCL_NET");
        line = log->no_ib_line;
        rs_fail(
            said, RS_OK,
            note->a == 1
                ? RS_MESSAGE(
                      "%d connection between nodes goes over sockets, not over InfiniBand or RoCE")
                : RS_MESSAGE(
                      "%d connections between nodes go over sockets, not over InfiniBand or RoCE"),
            (int)note->a);
        break;
    default:
        why = setting_for(log, "NCCL_NET_GDR_DISABLE", "NCCL_NET_GDR_LEVEL");
        line = log->no_gdr_line;
        rs_fail(
            said, RS_OK,
            note->a == 1
                ? RS_MESSAGE(
                      "%d connection between nodes goes through host memory: the NIC does not reach "
                      "into the GPU's (no GDRDMA)")
                : RS_MESSAGE(
                      "%d connections between nodes go through host memory: the NIC does not reach "
                      "into the GPU's (no GDRDMA)"),
            (int)note->a);
        break;
    }
    const rs_error what = *said;
    if (why != NULL) {
        rs_fail_with(said, RS_OK, 0, &what, "%s; %s is set", what.text, why);
    } else if (line > 0) {
        rs_fail_with(said, RS_OK, 0, &what, "%s; line %lld says so", what.text, (long long)line);
    } else if (note->what == RN_REMARK_SOCKET && log->nics_line > 0) {
        rs_fail_with(said, RS_OK, 0, &what, "%s; line %lld names NICs for it", what.text,
                     (long long)log->nics_line);
    }
}

/* What a warning of NCCL's most likely means, by its own form: words of one message stand in another one, too. NULL: it says
   so itself, or nobody knows. */
static const char *hint_of(const char *warning) {
    static const struct {
        const char *hint, *forms[9];
    } hints[] = {
        {N_("two ranks take one GPU: look at CUDA_VISIBLE_DEVICES, and at where the device is set"),
         {"Duplicate GPU detected : rank %", "Multiple Ranks are using the same GPU"}},
        {N_("memory that cannot be registered with the NIC: look at ulimit -l, and at nvidia-peermem"),
         {"Call to ibv_reg_mr failed", "Call to ibv_reg_mr_iova2 failed"}},
        {N_("the limit of locked memory: look at ulimit -l under the launcher"),
         {"Call to ibv_create_qp failed%Cannot allocate memory",
          "Call to ibv_create_cq failed%Cannot allocate memory"}},
        {N_("two NICs without an RDMA path to each other: rails that are not joined, a wrong NCCL_IB_HCA, a GID index; "
            "NCCL_CROSS_NIC=0 or ib_write_bw between these two confirms it"),
         {"Call to ibv_modify_qp failed%Connection timed out"}},
        {N_("RoCE addresses without a route to each other: show_gids, NCCL_IB_GID_INDEX, "
            "NCCL_IB_HCA"),
         {"Call to ibv_modify_qp failed%Network is unreachable",
          "Call to ibv_modify_qp failed%No route to host"}},
        {N_("the other end does not answer: a link or a switch's port that is down, a "
            "GID index, NICs without a route to each other"),
         {"NET/IB%Got completion %with error 12", "NET/IB%Got completion %with status=12",
          "NET/IB%Got completion %with status=IBV_WC_RETRY_EXC_ERR"}},
        {N_("a NIC's port went down: look at ibstat, and at the cable"),
         {"NET/IB%Got async event : port error", "NET/IB%Got async error event: port error"}},
        {N_("/dev/shm is too small: in a container --shm-size or --ipc=host"),
         {"Error while creating shared memory segment %, error: No space left on device",
          "Error: failed to extend /dev/shm/%No space left on device",
          "Call to posix_fallocate failed : No space left on device"}},
        {NULL, {"Error while creating shared memory segment %, error: "}},
        {N_("/dev/shm is too small: in a container --shm-size or --ipc=host"),
         {"Error while creating shared memory segment "}},
        {N_("this build of NCCL may have no code for this GPU: a newer one, or one built for it"),
         {"Cuda failure %'named symbol not found'", "Cuda failure %'no kernel image is available"}},
        {N_("no memory of the GPU is left for NCCL's buffers"), {"Cuda failure %'out of memory'"}},
        {N_("no interface has an address here, or NCCL_SOCKET_IFNAME names none of them"),
         {"Bootstrap : no socket interface found"}},
        {N_("an interface that others do not reach: NCCL_SOCKET_IFNAME, a firewall"),
         {"Net : Connect to % failed : No route to host",
          "Net : Connect to % failed : Connection timed out",
          "Connect to % failed : No route to host", "Connect to % failed : Connection timed out",
          "Call to connect %: No route to host", "Call to connect %: Connection timed out",
          "%ocket%Connect: %onnect to % No route to host",
          "%ocket%Connect: %onnect to % Connection timed out"}},
        {N_("InfiniBand at one end and RoCE at the other: NCCL_IB_HCA chooses"),
         {"NET/%IB : Remote % device is incompatible with the local"}},
        {N_("a broken or foreign file in NCCL_TOPO_FILE or NCCL_GRAPH_FILE: unset it, or compare with what "
            "NCCL_TOPO_DUMP_FILE writes"),
         {"XML Import error : ", "XML Parse",
          "XML Mismatch : ", "XML Topology has wrong version"}}};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        for (int k = 0; hints[i].forms[k] != NULL; k++) {
            if (!rn_nccl_has_form(warning, hints[i].forms[k])) continue;
            return hints[i].hint;
        }
    }
    return NULL;
}

static void say_warning(const rn_nccl_note *note, rs_error *said) {
    const char *hint = hint_of(note->text);
    if (hint == NULL && note->a > 1)
        rs_fail(said, RS_OK, "NCCL warns, %d times: %s", (int)note->a, note->text);
    else if (hint == NULL)
        rs_fail(said, RS_OK, "NCCL warns: %s", note->text);
    else if (note->a > 1)
        rs_fail_word(said, RS_OK, 2, "NCCL warns, %d times: %s; most likely %s", (int)note->a,
                     note->text, hint);
    else
        rs_fail_word(said, RS_OK, 1, "NCCL warns: %s; most likely %s", note->text, hint);
}

/* Why NCCL_ALGO or NCCL_PROTO cannot be read: "NCCL_ALGO: there is no rings". */
static void say_bad_setting(const rn_nccl_log *log, const char *setting, rs_error *said) {
    rn_nccl_filter filter;
    char name[RN_NCCL_WORD];
    const size_t n_name = strcspn(setting, "=");
    snprintf(name, sizeof name, "%.*s", (int)n_name, setting);
    *said = (rs_error){0};
    if (setting[n_name] == '=')
        rn_nccl_read_setting(log, name, setting + n_name + 1, &filter, said);
}

void rc_say_remark(const rn_nccl_log *log, const rn_nccl_note *note, rs_error *said) {
    char a[16], b[16];
    switch (note->what) {
    case RN_REMARK_NO_PATH:
        rs_fail(said, RS_OK,
                "NCCL's search found nothing for pattern %d and took a simple order at 0.1 GB/s: a "
                "topology that it does not understand",
                (int)note->a);
        break;
    case RN_REMARK_VERSIONS:
        rs_fail(said, RS_OK, "two versions of NCCL in one job: %s and %s",
                rn_nccl_version_text(note->a, a), rn_nccl_version_text(note->b, b));
        break;
    case RN_REMARK_WARN: say_warning(note, said); break;
    case RN_REMARK_NIC_COUNT:
        rs_fail(
            said, RS_OK,
            "%d NICs are seen here, and %d by the first process that lists them: one may be down, or not in "
            "the container",
            (int)note->a, (int)note->b);
        break;
    case RN_REMARK_NETWORKS:
        rs_fail(
            said, RS_OK,
            "network %s here, and %s in line %lld: ranks of two networks may not reach each other; a plugin may "
            "be missing on some nodes",
            note->text, log->network, (long long)log->network_line);
        break;
    case RN_REMARK_MIXED_NICS:
        rs_fail(
            said, RS_OK,
            "InfiniBand and RoCE among the NICs: one kind does not reach the other; NCCL_IB_HCA chooses");
        break;
    case RN_REMARK_NOT_COMPLETE:
        rs_fail(
            said, RS_OK,
            "ranks without Init COMPLETE, of the %d of communicator %s: %d. They wait for others, one has failed, "
            "or the log ends there",
            (int)note->b, note->text, (int)note->a);
        break;
    case RN_REMARK_REFUSED:
        rs_fail(
            said, RS_OK,
            "connecting failed and was tried again, %d times: %s. Nobody listens or is reached there: ranks that have "
            "different ids, a process that died, a firewall, an interface that others do not reach",
            (int)note->a, note->text);
        break;
    case RN_REMARK_SHM:
    case RN_REMARK_SOCKET:
    case RN_REMARK_NO_GDR: say_transport(log, note, said); break;
    case RN_REMARK_NO_NVLS:
        rs_fail(said, RS_OK,
                "0 NVLS channels on a machine with NVSwitches: their additions are not used");
        break;
    case RN_REMARK_SLOW_NIC:
        rs_fail(said, RS_OK,
                "a NIC of %.1f GB/s beside one of %.1f: every ring is as slow as the slower one",
                note->a / 10.0, note->b / 10.0);
        break;
    case RN_REMARK_UNUSED_NIC:
        rs_fail(said, RS_OK, "a NIC of %.1f GB/s beside one of %.1f; no channel goes by it",
                note->a / 10.0, note->b / 10.0);
        break;
    case RN_REMARK_LL128_FORCED:
        rs_fail(said, RS_OK,
                "NCCL_PROTO=%.60s forces LL128 without NCCL's tests: on a path that splits 128 "
                "bytes data are silently wrong",
                note->text);
        break;
    case RN_REMARK_SWITCHED_OFF:
        rs_fail(said, RS_OK, "%s switches something off", note->text);
        break;
    case RN_REMARK_SETTING: rs_fail(said, RS_OK, "set by the environment: %s", note->text); break;
    case RN_REMARK_PLUGIN: rs_fail(said, RS_OK, "set by the network plugin: %s", note->text); break;
    case RN_REMARK_BAD_SETTING: say_bad_setting(log, note->text, said); break;
    case RN_REMARK_SILENT_RANKS:
        rs_fail(said, RS_OK,
                note->a == 1 ? RS_MESSAGE("the log has lines of %d rank of %d")
                             : RS_MESSAGE("the log has lines of %d ranks of %d"),
                (int)note->a, (int)note->b);
        break;
    case RN_REMARK_RING_CUT:
        rs_fail(said, RS_OK, "rings that the lines do not close: %d of %d", (int)note->a,
                (int)note->b);
        break;
    case RN_REMARK_RCCL:
        rs_fail(said, RS_OK,
                "this is RCCL, whose tables are its own: nothing is computed from NCCL's model");
        break;
    case RN_REMARK_UNCHECKED:
        rs_fail(said, RS_OK, "NCCL %s is newer than 2.30: unchecked, by the last known constants",
                rn_nccl_version_text(note->a, a));
        break;
    case RN_REMARK_TOO_MANY:
        rs_fail(said, RS_OK,
                "more lines of rings, trees and ranks than are kept: the last ones do not count");
        break;
    case RN_N_REMARKS: *said = (rs_error){0}; break;
    }
}

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
