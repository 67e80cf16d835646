/* foreign.c: what other programs print and people paste, known by a line of theirs: whose it is, what it tells, what to give instead.
 */
#include "nccl/nccl_files.h"
#include "ringsim_text.h"

#include <string.h>

/* forms: of a line, as rn_has_form reads them; ill: what is said where `find` names what is not well in it. */
typedef struct foreign_kind {
    const char *forms[4], *what, *ill;
    void (*find)(const char *text, size_t n_bytes, rc_foreign *found);
} foreign_kind;
static const foreign_kind kinds[] = {
    {{"hca_id:%", "CA '%'$", "%Port #:% active", "Infiniband device '% port # status:"},
     .what = N_(
         "NICs as ibv_devinfo or ibstat list them: state is to be ACTIVE, the rate alike on all; link_layer says "
         "InfiniBand or Ethernet (RoCE). Which of them NCCL takes is in a log of NCCL_DEBUG=INFO"),
     .ill = N_(
         "NICs as ibv_devinfo, ibstat or ibstatus list them, and some are not up: the cable, the switch's port, the "
         "subnet manager of InfiniBand; NCCL takes those that are, and a rail fewer is slower; not up"),
     .find = rc_find_down},
    {{"%Link Type between two GPUs", "%Weight between two GPUs", "%LINK TYPE TABLE",
      "%ACCESS TABLE"},
     .what = N_(
         "ways between AMD's GPUs, of rocm-smi or amd-smi: XGMI or PCIE, and no rate. RCCL writes the machine by "
         "NCCL_TOPO_DUMP_FILE=topo.xml, and that file is read"),
     .ill = N_(
         "ways between AMD's GPUs, of rocm-smi or amd-smi, and pairs without XGMI, whose data go by PCIe, slower: right on a board "
         "without it, else a bridge or a link that is not seen. By PCIe alone"),
     .find = rc_find_pcie},
    {{"%P2P Connectivity Matrix", "%P2P Bandwidth Latency Test"},
     .what = N_(
         "CUDA's p2pBandwidthLatencyTest: single copies from GPU to GPU, no collective. As fast with P2P disabled as with it "
         "enabled: P2P does not work (nvidia-smi topo -p2p r); for collectives give nccl-tests' table")},
    {{"%RDMA_Write % Test", "%RDMA_Read % Test", "%Send % Test$", "%Send BW Test"},
     .what = N_(
         "perftest (ib_write_bw and its like): one NIC to another. Compare its average with the port's rate (ibstat): a NIC that is "
         "far below slows all rings; NCCL's own way by NICs is in a log of NCCL_DEBUG=INFO")},
    {{"%Memory type: %cuda", "%Time, us %Bandwidth, GB/s"},
     .what = N_(
         "ucc_perftest: times of UCC, which may call NCCL or not; such a table is not judged: nccl-tests' all_reduce_perf with the "
         "same sizes is")},
    {{"# OSU MPI%"},
     .what = N_(
         "OSU's benchmark: times of an MPI library, not of NCCL; such a table is not judged: nccl-tests' all_reduce_perf is")},
    {{"%nvbandwidth Version", "%memcpy CE GPU(row)"},
     .what = N_(
         "nvbandwidth: single copies, no collective. A pair far below the others is a link to look at (nvidia-smi nvlink -s); for "
         "collectives give nccl-tests' table")},
    {{"%NVIDIA-SMI #% Driver Version"},
     .what = N_(
         "nvidia-smi's list: who is on which GPU, how full, how busy. GPUs that are busy at little power and go nowhere wait in a "
         "collective; ways between GPUs are in nvidia-smi topo -m, a hang is in the job's log")},
    {{"%nvidia-smi topo -mp"},
     .what = N_(
         "nvidia-smi topo -mp shows ways by PCIe alone and hides NVLinks: a matrix of it is no whole machine, and its rings are "
         "slower than the GPUs'; nvidia-smi topo -m shows all")},
    {{"%Link #: #.# GB/s", "%Link #: <inactive>", "%Link #: Remote Device",
      "%all links are inActive"},
     .what = N_(
         "nvidia-smi nvlink -s: the rate of each link; an inactive one, or a GPU with fewer than the others, slows all rings; ways "
         "between GPUs are in nvidia-smi topo -m"),
     .ill = N_(
         "NVLinks of nvidia-smi nvlink -s, and some are not up: dmesg for Xid 74, nvidia-smi nvlink -e, the fabric manager; reset these "
         "GPUs, and a link that stays away is broken; all rings are as slow as that; inactive"),
     .find = rc_find_inactive},
    {{"%port%==> %(Up)", "%port%==> %(Down)"},
     .what = N_(
         "ibdev2netdev: which network interface each NIC has. Up and Down are of the interface, and of InfiniBand without IPoIB it is "
         "down though the port is up: ibstat tells of the port; NCCL_IB_HCA takes the names on the left")},
    {{"Thread % (active%", "Thread % (idle%", "Python v#.#% (/%"},
     .what = N_(
         "stacks by py-spy: where a process stands. Of all ranks the one that is not in the collective is looked for; which call it "
         "is, a dump of the flight recorder says (TORCH_NCCL_TRACE_BUFFER_SIZE=2000)")},
    {{"%dcgmi diag", "%| Diagnostic  %| Result"},
     .what = N_(
         "DCGM's diagnosis: a line with Fail names what to replace or reset; how NCCL runs is in a log of NCCL_DEBUG=INFO")},
    {{"%ACSCtl: SrcValid"},
     .what = N_(
         "lspci's ACSCtl: a bridge with SrcValid+ has ACS on, and what GPUs and NICs write to each other goes up to the processor: P2P and "
         "GPU Direct RDMA are slow or break; off in the BIOS, or by setpci on these bridges. SrcValid- is off")},
    {{"%!/bin/%sh", "%SBATCH -", "import torch"},
     .what = N_(
         "a script, not what it printed: give the job's output, with NCCL_DEBUG=INFO in its environment")},
    {{"<!DOCTYPE html%", "<html%"},
     .what =
         N_("a web page, in which nothing of a job is found: copy the text itself and paste that")},
};

static const foreign_kind *kind_of(const char *line) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (int k = 0; k < 4 && kinds[i].forms[k] != NULL; k++) {
            if (rn_has_form(line, kinds[i].forms[k])) return &kinds[i];
        }
    }
    return NULL;
}

bool rc_find_foreign(const char *text, size_t n_bytes, rc_foreign *found) {
    enum { MOST_LINES = 2000 };
    char head[200];
    *found = (rc_foreign){.line = 0};
    if (rc_find_peers(text, n_bytes, found)) {
        found->what =
            found->names[0] == '\0'
                ? N_("nvidia-smi topo -p2p: every pair is OK. Of r and w: the driver lets these GPUs map each other's memory (P2P); the "
                     "machine is in nvidia-smi topo -m")
                : N_("nvidia-smi topo -p2p: some pairs are not OK. Of r and w: no P2P, for the model (GNS), the chipset or a VM (CNS) "
                     "or the way (TNS), and NCCL goes through host memory (SHM) there, slower; these pairs");
        return true;
    }
    found->names[0] = '\0';
    for (rn_lines l = {.text = text, .n_bytes = n_bytes};
         l.number < MOST_LINES && rn_copy_line(&l, head, sizeof head);) {
        const foreign_kind *kind = kind_of(head + strspn(head, " \t"));
        if (kind == NULL) continue;
        if (kind->find != NULL) kind->find(text, n_bytes, found);
        found->line = l.number;
        found->what = found->names[0] != '\0' ? kind->ill : kind->what;
        return true;
    }
    return false;
}
