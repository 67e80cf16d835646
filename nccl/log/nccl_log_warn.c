/* nccl_log_warn.c: NCCL's own warnings, and what each most likely means.
 *
 *     NCCL WARN Call to ibv_modify_qp failed with 113 No route to host --> NCCL warns: ...; most likely RoCE addresses ...
 *
 *   - Ranks repeat each other's: a warning is said once, at its first line, with how often it came.
 */
#include "nccl_log.h"

#include <string.h>

/* What a warning of NCCL's most likely means, by its own form: words of one message stand in another one, too. NULL: it says
   so itself, or nobody knows. */
static const char *hint_of(const char *warning) {
    static const struct {
        const char *hint, *forms[9];
    } hints[] = {
        {RS_MESSAGE(
             "two ranks take one GPU: look at CUDA_VISIBLE_DEVICES, and at where the device is set"),
         {"Duplicate GPU detected : rank %", "Multiple Ranks are using the same GPU"}},
        {RS_MESSAGE(
             "memory that cannot be registered with the NIC: look at ulimit -l, and at nvidia-peermem"),
         {"Call to ibv_reg_mr failed", "Call to ibv_reg_mr_iova2 failed"}},
        {RS_MESSAGE("the limit of locked memory: look at ulimit -l under the launcher"),
         {"Call to ibv_create_qp failed%Cannot allocate memory",
          "Call to ibv_create_cq failed%Cannot allocate memory"}},
        {RS_MESSAGE(
             "two NICs without an RDMA path to each other: rails that are not joined, a wrong NCCL_IB_HCA, a GID index; "
             "NCCL_CROSS_NIC=0 or ib_write_bw between these two confirms it"),
         {"Call to ibv_modify_qp failed%Connection timed out"}},
        {RS_MESSAGE("RoCE addresses without a route to each other: show_gids, NCCL_IB_GID_INDEX, "
                    "NCCL_IB_HCA"),
         {"Call to ibv_modify_qp failed%Network is unreachable",
          "Call to ibv_modify_qp failed%No route to host"}},
        {RS_MESSAGE("the other end does not answer: a link or a switch's port that is down, a "
                    "GID index, NICs without a route to each other"),
         {"NET/IB%Got completion %with error 12", "NET/IB%Got completion %with status=12",
          "NET/IB%Got completion %with status=IBV_WC_RETRY_EXC_ERR"}},
        {RS_MESSAGE("a NIC's port went down: look at ibstat, and at the cable"),
         {"NET/IB%Got async event : port error", "NET/IB%Got async error event: port error"}},
        {RS_MESSAGE("/dev/shm is too small: in a container --shm-size or --ipc=host"),
         {"Error while creating shared memory segment %, error: No space left on device",
          "Error: failed to extend /dev/shm/%No space left on device",
          "Call to posix_fallocate failed : No space left on device"}},
        {NULL, {"Error while creating shared memory segment %, error: "}},
        {RS_MESSAGE("/dev/shm is too small: in a container --shm-size or --ipc=host"),
         {"Error while creating shared memory segment "}},
        {RS_MESSAGE(
             "this build of NCCL may have no code for this GPU: a newer one, or one built for it"),
         {"Cuda failure %'named symbol not found'", "Cuda failure %'no kernel image is available"}},
        {RS_MESSAGE("no memory of the GPU is left for NCCL's buffers"),
         {"Cuda failure %'out of memory'"}},
        {RS_MESSAGE("no interface has an address here, or NCCL_SOCKET_IFNAME names none of them"),
         {"Bootstrap : no socket interface found"}},
        {RS_MESSAGE("an interface that others do not reach: NCCL_SOCKET_IFNAME, a firewall"),
         {"Net : Connect to % failed : No route to host",
          "Net : Connect to % failed : Connection timed out",
          "Connect to % failed : No route to host", "Connect to % failed : Connection timed out",
          "Call to connect %: No route to host", "Call to connect %: Connection timed out",
          "%ocket%Connect: %onnect to % No route to host",
          "%ocket%Connect: %onnect to % Connection timed out"}},
        {RS_MESSAGE("InfiniBand at one end and RoCE at the other: NCCL_IB_HCA chooses"),
         {"NET/%IB : Remote % device is incompatible with the local"}},
        {RS_MESSAGE(
             "a broken or foreign file in NCCL_TOPO_FILE or NCCL_GRAPH_FILE: unset it, or compare with what "
             "NCCL_TOPO_DUMP_FILE writes"),
         {"XML Import error : ", "XML Parse",
          "XML Mismatch : ", "XML Topology has wrong version"}}};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        for (int k = 0; hints[i].forms[k] != NULL; k++) {
            if (rn_log_has_form(warning, hints[i].forms[k])) return hints[i].hint;
        }
    }
    return NULL;
}

static void say(const rn_nccl_log_reader *r, const rn_log_warning *w) {
    const char *hint = hint_of(w->text);
    rs_error said;
    if (hint == NULL && w->n > 1)
        rs_fail(&said, RS_OK, "NCCL warns, %d times: %s", (int)w->n, w->text);
    else if (hint == NULL)
        rs_fail(&said, RS_OK, "NCCL warns: %s", w->text);
    else if (w->n > 1)
        rs_fail_word(&said, RS_OK, 2, "NCCL warns, %d times: %s; most likely %s", (int)w->n,
                     w->text, hint);
    else
        rs_fail_word(&said, RS_OK, 1, "NCCL warns: %s; most likely %s", w->text, hint);
    rn_find_said(r->findings, RN_WARNING, w->line, &said);
}

/* The oldest of those that may be said again. */
static int64_t first_open(const rn_nccl_log_reader *r) {
    return r->n_warnings > RN_LOG_LATELY ? r->n_warnings - RN_LOG_LATELY : 0;
}

void rn_log_warn(rn_nccl_log_reader *r, const char *message) {
    for (int64_t i = first_open(r); i < r->n_warnings; i++) {
        rn_log_warning *known = &r->warnings[i % RN_LOG_LATELY];
        if (strncmp(known->text, message, sizeof known->text - 1) != 0) continue;
        if (known->n < INT32_MAX) known->n++;
        return;
    }
    rn_log_warning *w = &r->warnings[r->n_warnings % RN_LOG_LATELY];
    if (r->n_warnings++ >= RN_LOG_LATELY) say(r, w);
    w->line = r->log.n_lines;
    w->n = 1;
    rn_log_keep_word(w->text, sizeof w->text, message, strlen(message));
}

void rn_log_end_warnings(rn_nccl_log_reader *r) {
    for (int64_t i = first_open(r); i < r->n_warnings; i++) say(r, &r->warnings[i % RN_LOG_LATELY]);
}
