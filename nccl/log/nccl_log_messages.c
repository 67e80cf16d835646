/* nccl_log_messages.c: messages of NCCL's that have a known cause: one table, a row each.
 *
 *     form     from the message's beginning; % stands for what varies, # for digits, $ is its end
 *     source   where a maintainer says so, or NCCL's own file; "(thread)": the message stands there, and its cause is the plain meaning
 *
 *   - Forms of two rows never meet one message: what one message shares with another, a reason of the system, gives no hint of
 *     the other's. A test has an example of each row, and docs/nccl.md lists them.
 */
#include "nccl_log.h"

#include <string.h>

#define ASKED(heading, severity, file, settings, source, hint, ...)                                \
    {                                                                                              \
        RN_SAYS_##severity, file, settings, source, hint, heading, {                               \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define MSG(...) ASKED(NULL, __VA_ARGS__)
#define XID(severity, number, hint)                                                                \
    MSG(severity, "NVRM", NULL, "NVIDIA, Xid Errors", hint, "NVRM: Xid (%): " #number)

/* The table is longer than clang-format follows. */
/* clang-format off */
static const rn_nccl_message messages[] = {
    /* ---------------------------------------------------------------- inside a node */
    MSG(SLOWER, NULL, NULL, "NVIDIA/nccl graph/paths.cc",
        "the driver allows no P2P between these GPUs: a GPU model without it, a VM, a container, IOMMU or ACS; NCCL goes on "
        "through host memory (SHM), slower: nvidia-smi topo -p2p r",
        "P2P is disabled between connected GPUs # and #"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl graph/paths.cc",
        "NVLink is there and the driver allows no P2P over it, probably hardware: nvidia-smi nvlink -s, "
        "dmesg for Xid; NCCL_IGNORE_DISABLED_P2P=1 goes on",
        "P2P is disabled between NVLINK connected GPUs # and #"),
    MSG(SLOWER, NULL, NULL, "NVIDIA/nccl#175",
        "CUDA lets these GPUs not map each other's memory (no P2P): connections go through host memory (SHM), slower; the "
        "driver's answer, not NCCL's: GeForce, a VM, IOMMU or ACS: nvidia-smi topo -p2p r",
        "P2P not supported between GPU# and GPU#", "Could not enable P2P between dev #"),
    MSG(ENDS, NULL, "NCCL_P2P_DISABLE NCCL_P2P_LEVEL NCCL_SHM_DISABLE NCCL_NET",
        "NVIDIA/nccl transport.cc",
        "P2P, SHM and network all refused this pair, switched off or in a fork's own transport: unset NCCL_P2P_DISABLE, "
        "NCCL_SHM_DISABLE, NCCL_NET; NCCL_DEBUG_SUBSYS=INIT,P2P,SHM,NET says who refused",
        "No transport found for rank #"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#846",
        "a process cannot open the other's memory, each container sees its own GPU alone: all GPUs visible to all processes, "
        "--ipc=host; NCCL_P2P_DISABLE=1 confirms it",
        "failed to open CUDA IPC handle : ", "cudaIpcOpenMemHandle",
        "Cuda failure %cudaIpcOpenMemHandle"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#51",
        "a GPU maps at most 8 peers, other libraries count too: at most 8 GPUs a group, one process a GPU",
        "Cuda failure %'peer mapping resources exhausted'"),
    ASKED(
        "No space left on device", ENDS, NULL, NULL, "NVIDIA/nccl#290",
        "/dev/shm is too small or full: in a container --shm-size or --ipc=host; in Kubernetes an emptyDir of medium Memory",
        "Error while creating shared memory segment %, error: No space left on device",
        "Error while creating shared memory segment % (size #)$",
        "Error: failed to extend /dev/shm/%No space left on device",
        "Call to posix_fallocate failed : No space left on device"),
    ASKED(
        "Duplicate GPU detected", ENDS, NULL, NULL, "NVIDIA/nccl init.cc",
        "two ranks take one GPU: set the device by LOCAL_RANK before the first call of CUDA; look at CUDA_VISIBLE_DEVICES, and "
        "at more processes than GPUs",
        "Duplicate GPU detected : rank #", "Multiple Ranks are using the same GPU"),
    MSG(SLOWER, NULL, "NCCL_P2P_LEVEL NCCL_P2P_DISABLE NCCL_TOPO_FILE",
        "NVIDIA/nccl graph/search.cc",
        "no ring within the paths that are allowed (P2P or the network forbidden): it runs, slowly; look at NCCL_P2P_LEVEL, "
        "NCCL_P2P_DISABLE and the topology file",
        "Could not find a path for pattern #, falling back to simple order"),
    /* ---------------------------------------------------------------- NVLink SHARP, fabric */
    MSG(ENDS, "nvls.cc", NULL, "NVIDIA/nccl#976",
        "multicast (NVLS) does not work: the fabric manager was restarted without a reset of the GPUs, or is not of the driver's "
        "version; NCCL_NVLS_ENABLE=0 confirms it and gets by; reset in its order, or reboot",
        "Cuda failure 1 'invalid argument'", "Cuda failure 'invalid argument'",
        "Cuda failure 401 '", "Cuda failure 801 '", "Cuda failure 999 '",
        "Cuda failure 'the operation cannot be performed in the present state'",
        "Cuda failure 'operation not supported'"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#1788",
        "NVLS multicast does not work: restarted or unlike fabric manager, or a switch; NCCL_NVLS_ENABLE=0 confirms it and gets "
        "by; reset the GPUs in the fabric manager's order, or reboot",
        "Failed to bind NVLink SHARP (NVLS) Multicast memory"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl-tests#264",
        "NVSwitches whose fabric manager does not run, or is not of the driver's version: systemctl status nvidia-fabricmanager",
        "Cuda failure %'system not yet initialized'", "Error 802: system not yet initialized",
        "System not yet initialized (error 802)"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl mnnvl.cc",
        "NVLink between nodes without IMEX, its daemon or its channel: /dev/nvidia-caps-imex-channels in the container; "
        "NCCL_MNNVL_ENABLE=0 gets by",
        "MNNVL (cliqueSize #) is available but not working"),
    /* ---------------------------------------------------------------- InfiniBand, RoCE */
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl-tests#206",
        "the limit of locked memory: ulimit -l under the launcher, to be unlimited (limits.conf, slurm's "
        "PropagateResourceLimits, --ulimit memlock=-1)",
        "Call to ibv_create_% failed%Cannot allocate memory", "Call to ibv_create_% failed$",
        "Call to ibv_reg_mr% failed%Cannot allocate memory",
        "NET/OFI Unable to register memory %Cannot allocate memory"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl ibvwrap.cc",
        "memory that cannot be registered with the NIC: look at ulimit -l, and at nvidia-peermem",
        "Call to ibv_reg_mr% failed$", "Call to ibv_reg_mr% failed with %Bad address"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#2013",
        "two NICs without an RDMA path to each other: rails that are not joined, a wrong NCCL_IB_HCA, a GID index; "
        "NCCL_CROSS_NIC=0 or ib_write_bw between these two confirms it",
        "Call to ibv_modify_qp failed%Connection timed out"),
    MSG(ENDS, NULL, "NCCL_IB_GID_INDEX", "NVIDIA/nccl-tests#185 (thread)",
        "RoCE addresses without a route to each other, or a GID of the wrong network: show_gids, "
        "NCCL_IB_GID_INDEX, ip route get, NCCL_IB_HCA",
        "Call to ibv_modify_qp failed%Network is unreachable",
        "Call to ibv_modify_qp failed%No route to host"),
    MSG(ENDS, NULL, "NCCL_IB_GID_INDEX", "NVIDIA/nccl ibvwrap.cc",
        "InfiniBand at one end and RoCE at the other (the NICs behind \"Using\" say which they are), or a GID index that this port "
        "has not: NCCL_IB_HCA to NICs of one kind, NCCL_IB_GID_INDEX=-1; show_gids",
        "Call to ibv_modify_qp failed%Invalid argument"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#928",
        "local protection: ACS breaks GPU Direct RDMA; NCCL_NET_GDR_LEVEL=0 confirms it, slower; ACS off in the BIOS, lspci "
        "-vvv shows ACSCtl",
        "NET/IB%Got completion %with error 4%vendor err 81",
        "NET/IB%Got completion %with status=4%vendor err 81",
        "NET/IB%Got completion %with status=IBV_WC_LOC_PROT_ERR"),
    ASKED(
        "status 12", ENDS, NULL, NULL, "NVIDIA/nccl#426",
        "the other end does not answer, right at the start a configuration (NICs without a path, a GID index), later a link, a "
        "cable or a switch's port: perftest between these two, NCCL_IB_GID_INDEX, ibstat",
        "NET/IB%Got completion %with error 12", "NET/IB%Got completion %with status=12",
        "NET/IB%Got completion %with status=IBV_WC_RETRY_EXC_ERR"),
    MSG(ECHO, NULL, NULL, "NVIDIA/nccl#1405",
        "an echo, flushed behind an earlier error of this connection, or the other end is gone: the first other error in time, on both "
        "ranks",
        "NET/IB%Got completion %with error 5", "NET/IB%Got completion %with status=5",
        "NET/IB%Got completion %with status=IBV_WC_WR_FLUSH_ERR"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#905",
        "a NIC's port went down: look at the cable, at ibstat and ibqueryerrors of the node that says it",
        "NET/IB%Got async event : port error", "NET/IB%Got async error event: port error"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#1819",
        "a NIC's address was changed while the job ran: fixed addresses, and the job anew",
        "NET/IB%Got async %event%: GID table change"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#230 (thread)",
        "the NIC itself failed, firmware or hardware: dmesg (mlx5_core), and that node out of the pool",
        "NET/IB%Got async %event%: local catastrophic error"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#969",
        "ranks call different sizes, or their settings of NCCL differ: compare their environments, then their calls: ringsim "
        "hang",
        "NET/IB%req %collective mismatch error", "NET/IB : collective mismatch error"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl net_ib",
        "InfiniBand at one end and RoCE at the other: NCCL_IB_HCA chooses",
        "NET/%IB : Remote % device is incompatible with the local"),
    MSG(SLOWER, "misc/ibv", NULL, "NVIDIA/nccl ibvsymbols.cc",
        "no RDMA library in this system or container: nothing on one node, but between nodes with InfiniBand or RoCE data go by "
        "sockets, slower: install libibverbs1 (rdma-core)",
        "Failed to open libibverbs.so"),
    MSG(SLOWER, NULL, NULL, "NVIDIA/nccl#451",
        "a NIC that this process may not open: /dev/infiniband is not in the container, the NIC is another container's, or the RDMA "
        "library is not the host's; NCCL goes on with the others, or by sockets: ibv_devinfo, NCCL_IB_HCA names those that are meant",
        "NET/IB : Unable to open device ", "Call to ibv_open_device failed"),
    /* ---------------------------------------------------------------- sockets, bootstrap */
    MSG(ENDS, NULL, "NCCL_SOCKET_IFNAME", "NVIDIA/nccl#210",
        "no interface has an address here, or NCCL_SOCKET_IFNAME names none of them: ip addr; unset it, or name "
        "them as eth0,eno1 or ^docker",
        "Bootstrap : no socket interface found", "bootstrapSocketInit: no socket interface found"),
    MSG(ECHO, NULL, NULL, "NVIDIA/nccl#1486",
        "an echo, the process at the other end is gone (crash, exception, no memory, killed): that rank's log and its node's dmesg; who "
        "ended first in time",
        "%ocket%: Connection closed by remote peer", "Connection closed by remote peer",
        "Call to recv from % failed : Connection reset by peer",
        "Call to send to % failed : Connection reset by peer",
        "Call to recv from % failed : Broken pipe", "Call to send to % failed : Broken pipe",
        "%ocket%: Call to % failed : Connection reset by peer",
        "%ocket%: Call to % failed : Broken pipe",
        "%ocket%: Call to % returned Connection reset by peer",
        "%ocket%Accept failed: Bad file descriptor",
        "Net : Connection closed by remote peer", "Net : Call to % failed : Connection reset by peer",
        "Net : Call to % failed : Broken pipe"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#913",
        "nobody listens there: that process is not up or has ended, or the interface is private (docker0, veth); are all ranks "
        "alive? NCCL_SOCKET_IFNAME to one that others reach",
        "Net : Connect to % failed : Connection refused",
        "Connect to % failed : Connection refused", "Call to connect %: Connection refused",
        "%ocket%Connect: %onnect to % Connection refused", "%ocket%Connect: exceeded retries"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#375",
        "an interface that others do not reach, or a firewall between the hosts: NCCL_SOCKET_IFNAME, ping, nc "
        "-l PORT on one and connect from the other",
        "Net : Connect to % failed : No route to host",
        "Net : Connect to % failed : Connection timed out",
        "Connect to % failed : No route to host", "Connect to % failed : Connection timed out",
        "Call to connect %: No route to host", "Call to connect %: Connection timed out",
        "%ocket%Connect: %onnect to % No route to host",
        "%ocket%Connect: %onnect to % Connection timed out"),
    MSG(ENDS, NULL, "NCCL_SOCKET_IFNAME", "NVIDIA/nccl#1515",
        "a retry that hides why the first try failed, as older NCCL does: that address is not reached from here, or its process has "
        "ended: NCCL_SOCKET_IFNAME to an interface that all reach, and that rank's own log",
        "%ocket%Connect: %onnect to % Software caused connection abort",
        "Connect to % failed : Software caused connection abort"),
    MSG(SLOWER, "ras/", NULL, "NVIDIA/nccl ras/client_support.cc",
        "RAS's port is taken by another job on this node: nothing else suffers; NCCL_RAS_ADDR gives it another one",
        "Call to bind failed: Address already in use"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl-tests#188",
        "connections get crossed: two nodes of one host name, or the network that was meant is not up; unlike host names, and "
        "InfiniBand working on all nodes or NCCL_IB_DISABLE=1",
        "socketFinalizeAccept%: wrong type #"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#1871",
        "something else talks to this port, another job or a port scanner: find it; NCCL drops that connection and waits on, "
        "which can look like a hang",
        "socketFinalizeAccept%: wrong magic "),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl bootstrap.cc",
        "two processes claim one rank, or differ in the number of ranks, an old one still lives: RANK and WORLD_SIZE of all; "
        "end what is left of the last run",
        "Bootstrap Root : rank # of # ranks has already checked in",
        "Bootstrap Root : mismatch in %", "mismatch in info from procs"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#605",
        "ranks disagree, another call or size, or other settings or another NCCL: version and environment alike on all, then "
        "the calls (NCCL_DEBUG_SUBSYS=COLL): ringsim hang",
        "Message truncated : received # bytes instead of #", "receiving # bytes instead of #",
        "%ocket%: Message truncated : received # bytes instead of #",
        "NET/%receiving # bytes instead of #"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl init.cc",
        "ranks load different libraries: the line \"NCCL version\" of each, LD_LIBRARY_PATH, the image; one "
        "version everywhere",
        "Mismatched NCCL version detected : rank #"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#296",
        "sizes or the order of calls differ at that rank: ringsim hang",
        "Mismatched collective detected"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#550 (thread)",
        "the limit of open files: ulimit -n under the launcher; fewer sockets by NCCL_NSOCKS_PERTHREAD, NCCL_SOCKET_NTHREADS",
        "Too many open files", "Call to % failed : Too many open files",
        "%ocket%: Call to % failed%Too many open files", "Net : %Too many open files"),
    MSG(ECHO, NULL, NULL, "NVIDIA/nccl proxy.cc",
        "an echo that says who asked, not why: the warning before it, on this rank and on the one it names",
        "[Proxy Service%] Failed to execute operation ", "[Service thread] ",
        "Socket recv failed while polling for opId=", "Proxy Call to rank # failed"),
    /* ---------------------------------------------------------------- CUDA */
    MSG(ENDS, NULL, NULL, "NVIDIA/cuda-python#1136",
        "where processes are forked: CUDA was touched before, and the child cannot use it: start them by spawn "
        "(VLLM_WORKER_MULTIPROC_METHOD=spawn); else the driver of the node that says it: nvidia-smi there",
        "Cuda failure %'initialization error'"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#295",
        "no memory of the GPU is left for NCCL's buffers: leave it some, NCCL_BUFFSIZE=2097152, fewer communicators or "
        "channels",
        "Cuda failure %'out of memory'", "Failed to CUDA calloc # bytes",
        "Failed to CUDA calloc async # bytes"),
    MSG(ENDS, NULL, NULL, "CUDA, its own words",
        "this process sees no GPU: nvidia-smi here, --gpus all for a container, CUDA_VISIBLE_DEVICES; the driver may not be loaded",
        "Cuda failure %'no CUDA-capable device is detected"),
    MSG(ENDS, NULL, NULL, "CUDA, its own words",
        "a kernel was built for another GPU than this one, or its code was overwritten: builds of NCCL, PyTorch and the rest that name this "
        "GPU, a newer driver; if always on one GPU, its hardware: dmesg for Xid 13",
        "Cuda failure %'an illegal instruction"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#955 (thread)",
        "the driver is older than the CUDA that NCCL was built for: a newer driver, or NCCL for the older CUDA",
        "Cuda failure %'API call is not supported in the installed CUDA driver'",
        "Cuda failure %'CUDA driver version is insufficient"),
    MSG(ENDS, "init.cc", NULL, "NVIDIA/nccl#2101",
        "memory pools are missing, a vGPU without unified memory: enable it, or an NCCL that needs no pools",
        "Cuda failure 'operation not supported'", "Cuda failure 801 'operation not supported'"),
    MSG(ENDS, NULL, NULL, "CUDA, its own words",
        "this build of NCCL may have no code for this GPU: a newer one, or one built for it",
        "Cuda failure %'named symbol not found'", "Cuda failure %'no kernel image is available",
        "Cuda failure %'invalid kernel file'", "Cuda failure %'invalid device function'"),
    MSG(ENDS, NULL, NULL, "CUDA, its own words",
        "a kernel before it, the program's or a library's, used memory that is not its own; NCCL is only the first to hear of it: "
        "CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer names the kernel; of several ranks the first in time counts",
        "Cuda failure %'an illegal memory access", "Cuda failure %'unspecified launch failure"),
    MSG(ENDS, NULL, NULL, "CUDA, its own words",
        "the GPU or its NVLink is broken, or it has fallen off the bus: dmesg for Xid, nvidia-smi -q -d ECC; that node out of the pool",
        "Cuda failure %'uncorrectable ", "Cuda failure %'unrecoverable "),
    MSG(ENDS, NULL, NULL, "CUDA, its own words",
        "these two GPUs cannot map each other's memory, and something took it for granted: nvidia-smi topo -p2p r; "
        "NCCL_P2P_DISABLE=1 confirms it, in transport/shm.cc NCCL_CUMEM_HOST_ENABLE=0",
        "Cuda failure %'peer access is not supported"),
    MSG(ENDS, "include/", NULL, "CUDA, its own words",
        "the driver or the GPU itself, of which this says no more: dmesg for Xid on that node, nvidia-smi; then a reboot",
        "Cuda failure 999 'unknown error'"),
    MSG(SLOWER, NULL, NULL, "NVIDIA/nccl#1637",
        "this NCCL does not know this GPU, whose multiprocessors have less shared memory than it counts on: a newer NCCL",
        "ncclMaxSharedMem # exceeds device/fn maxSharedMem #"),
    MSG(ENDS, NULL, NULL, "CUDA, its own words",
        "an index out of range in a kernel, most often a label or a token that its table has not: CUDA_LAUNCH_BLOCKING=1, or that "
        "batch on the CPU, names the line",
        "Cuda failure %'device-side assert triggered'"),
    /* ---------------------------------------------------------------- settings, files, plugins */
    MSG(ENDS, NULL, "NCCL_ALGO NCCL_PROTO", "NVIDIA/nccl#317",
        "what is forced does not exist for this call (Tree has no broadcast, NVLS no int64): unset it, or force it by function: "
        "NCCL_ALGO=allreduce:tree",
        "no algorithm/protocol available for function ", "Error : no algorithm/protocol available"),
    MSG(ENDS, NULL, "NCCL_TOPO_FILE NCCL_GRAPH_FILE", "NVIDIA/nccl graph/xml.cc",
        "a broken or foreign file in NCCL_TOPO_FILE or NCCL_GRAPH_FILE: unset it, or compare with what "
        "NCCL_TOPO_DUMP_FILE writes",
        "XML Import error : ", "XML Parse", "XML Mismatch : ", "XML Topology has wrong version",
        "XML Graph has wrong version", "XML Import Channel : "),
    MSG(ENDS, NULL, "NCCL_NET", "NVIDIA/nccl net.cc",
        "NCCL_NET names a network that is not here: no plugin of that name, or no device of its kind in this container; unset it, "
        "and look at what \"Using network\" says then",
        "Error: network % not found"),
    MSG(ENDS, NULL, "NCCL_IB_HCA NCCL_TOPO_FILE", "NVIDIA/nccl graph/topo.cc",
        "no NIC stands in the topology beside that GPU: NCCL_IB_HCA leaves none, a topology file of another machine, or a virtual "
        "machine that hides its PCIe",
        "Could not find any local path from gpu # to net"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl argcheck.cc",
        "an argument that this call does not take, from the program that calls NCCL or its binding: look at root, type and operation "
        "of that call",
        "%: invalid root #", "%: invalid reduction operation #", "%: invalid type #",
        "%: invalid count "),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl init.cc",
        "the settings of a communicator were not begun with NCCL_CONFIG_INITIALIZER, or the program was built with the header of "
        "another NCCL than the one that is loaded",
        "Invalid config % attribute value"),
    MSG(SLOWER, NULL, NULL, "ROCm/rccl init.cc (thread)",
        "RCCL: without it some GPUs reach each other over PCIe slowly or not at all: HSA_FORCE_FINE_GRAIN_PCIE=1 for all processes",
        "Missing \"HSA_FORCE_FINE_GRAIN_PCIE=1\" from environment"),
    MSG(ENDS, NULL, NULL, "ROCm/rccl#908 (thread)",
        "RCCL: the driver does not let another process map this memory: iommu=pt, /dev/kfd and all /dev/dri in the container; "
        "NCCL_P2P_DISABLE=1 confirms it",
        "hipIpcGetMemHandle failed", "hipIpcOpenMemHandle failed"),
    MSG(SLOWER, NULL, NULL, "ROCm/rccl init.cc (thread)",
        "RCCL: the IOMMU translates, so GPUs reach each other slowly or not at all: iommu=pt on the kernel's command line",
        "Missing \"iommu=pt\" from kernel command line"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#573",
        "NCCL does not see where that GPU sits on the PCIe bus, as in WSL and in some virtual machines and containers: an older NCCL "
        "ends by it, a newer one goes on; else /sys is to be seen here",
        "Could not find real path of /sys/"),
    MSG(ENDS, NULL, "NCCL_TOPO_FILE", "NVIDIA/nccl#1726",
        "the file lacks it: of a topology (arch, vendor of a cpu) compare with what NCCL_TOPO_DUMP_FILE writes, or take a newer file of "
        "the cloud; of MSCCL's program (node algo) another version of its compiler wrote it",
        "Attribute % of node % not found"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#778",
        "the NIC's driver or the kernel cannot register a GPU's memory by dma-buf: nvidia-peermem, a newer kernel or driver; "
        "NCCL_DMABUF_ENABLE=0 gets by",
        "Call to ibv_reg_dmabuf_mr failed%Operation not supported"),
    MSG(ENDS, NULL, NULL, "NVIDIA/nccl#1928 (thread)",
        "EFA did not deliver it: the process at the other end is gone, or the security group lets the nodes not reach each other; that "
        "rank's own log",
        "NET/OFI Request % completed with error%(UNDELIVERABLE)",
        "NET/OFI Request%completed with error. RC: 20", "NET/OFI Request%completed with error. RC: 21"),
    MSG(ENDS, NULL, NULL, "aws/aws-ofi-nccl#24 (thread)",
        "the EFA device has none left of what is asked for, an earlier process may hold it: efa lines in that node's dmesg, end what "
        "is left of the last run, EFA installer of today",
        "NET/OFI Couldn't open "),
    MSG(SLOWER, NULL, NULL, "aws/aws-ofi-nccl#803",
        "no EFA device on this instance or in this container, so traffic goes by sockets: an EFA instance type, ls "
        "/dev/infiniband/uverbs*, pass the devices and --ulimit memlock=-1, EFA installer of today",
        "NET/OFI aws-ofi-nccl initialization failed", "NET/OFI Only EFA provider is supported",
        "NET/OFI%fi_getinfo%provider efa output empty list",
        "fi_getinfo: provider efa output empty list"),
    /* ---------------------------------------------------------------- PyTorch's own exceptions */
    ASKED(
        "Expected to have finished reduction", ENDS, "PyTorch", NULL, "pytorch/pytorch#43259",
        "a parameter got no gradient: a layer that the forward pass left out, or whose output the loss does not use; use it, or "
        "find_unused_parameters=True; TORCH_DISTRIBUTED_DEBUG=DETAIL names the parameters",
        "Expected to have finished reduction in the prior iteration",
        "Expected to mark a variable ready only once"),
    ASKED(
        "Address already in use", ENDS, "PyTorch", NULL, "pytorch/pytorch#85604",
        "MASTER_PORT is taken, by an earlier run, another job of the node or a service (22 is ssh's): ss -ltnp says by whom; end an "
        "earlier run, or give another --master-port, torchrun --standalone finds one",
        "The server socket has failed to listen on any local network address",
        "Address already in use", "[Errno 98] Address already in use",
        "The server socket has failed to bind to %Address already in use"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch distributed_c10d.py",
        "a collective, DDP or get_rank() before init_process_group, or after destroy_process_group: call it first, in each process",
        "Default process group has not been initialized"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch ProcessGroupNCCL.cpp",
        "NCCL moves data of GPUs only: move the tensor to the GPU of LOCAL_RANK, or make the group with gloo",
        "Tensors must be CUDA and dense", "No backend type associated with device type cpu"),
    MSG(ENDS, "PyTorch", NULL, "CUDA, its own words",
        "there are fewer GPUs than the number that set_device was given: use LOCAL_RANK, not RANK; no more processes than GPUs; "
        "look at CUDA_VISIBLE_DEVICES",
        "CUDA error: invalid device ordinal", "CUDA Error: invalid device ordinal",
        "cuda runtime error (#) : invalid device ordinal"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch TCPStore.cpp",
        "not all processes have come: one is not started or died, WORLD_SIZE is too large, or MASTER_ADDR and its port are not "
        "reached from there (firewall, wrong interface)",
        "Timed out after # seconds waiting for clients", "The client socket has timed out after",
        "The client socket has failed to connect to any", "The client socket has failed to connect to [%(errno",
        "The client socket has failed to connect to [%(system error: 1006"),
    MSG(SLOWER, "PyTorch", NULL, "pytorch/pytorch c10d/socket.cpp (thread)",
        "harmless by itself: Windows' hosts file has a name (docker's kubernetes.docker.internal) for an address that is not this "
        "machine's, and the next address is tried; what follows counts",
        "The client socket has failed to connect to [%(system error: 10049"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch TCPStore.cpp",
        "PyTorch for Windows has no libuv, and its store asks for it: USE_LIBUV=0 in the environment before the start, torchrun's, too",
        "use_libuv was requested but PyTorch"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch ProcessGroupNCCL.cpp",
        "the rank that makes the id did not come: it died, or still does something else (a download, another group): its own log, and "
        "stacks by py-spy; a longer timeout in init_process_group only if it is slow",
        "[#] is setting up NCCL communicator and retrieving ncclUniqueId", "wait timeout after #ms",
        "Socket Timeout$", "RendezvousTimeoutError"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch c10d_rendezvous_backend.py",
        "torchrun does not reach the store at --rdzv-endpoint, or it ended: is torchrun still running on the node of that name, and is "
        "its port reached from here",
        "RendezvousConnectionError"),
    MSG(ECHO, "PyTorch", NULL, "pytorch/pytorch rendezvous/api.py",
        "an echo, the rendezvous is over since another node's processes failed or ended: the first error in time of all nodes",
        "RendezvousClosedError"),
    MSG(ENDS, "PyTorch", NULL, "CUDA, its own words",
        "a kernel used memory that is not its own, and the line that says so need not be the place: CUDA_LAUNCH_BLOCKING=1 or "
        "compute-sanitizer names it; other ranks' timeouts follow from it",
        "CUDA error: an illegal memory access", "CUDA error: unspecified launch failure",
        "CUDA error: misaligned address", "cuda runtime error (#) : an illegal memory access",
        "cuda runtime error (#) : unspecified launch failure"),
    MSG(ENDS, "PyTorch", NULL, "CUDA, its own words",
        "an index out of range in a kernel, most often a label or a token that its table has not: CUDA_LAUNCH_BLOCKING=1, or that "
        "batch on the CPU, names the line",
        "CUDA error: device-side assert triggered",
        "cuda runtime error (#) : device-side assert triggered"),
    MSG(ENDS, "PyTorch", NULL, "CUDA, its own words",
        "that GPU's memory or NVLink is broken: dmesg for Xid (48, 63, 64, 74, 94, 95), nvidia-smi -q -d ECC; reset it, or take the "
        "node out of the pool",
        "CUDA error: uncorrectable ", "CUDA error: unrecoverable ",
        "cuda runtime error (#) : uncorrectable "),
    MSG(ENDS, "PyTorch", NULL, "CUDA, its own words",
        "a kernel was built for another GPU than this one, or its code was overwritten: builds of NCCL, PyTorch and the rest that name this "
        "GPU, a newer driver; if always on one GPU, its hardware: dmesg for Xid 13",
        "CUDA error: an illegal instruction", "cuda runtime error (#) : an illegal instruction"),
    MSG(ENDS, "CUDA", NULL, "CUDA, its own words",
        "that GPU's memory or NVLink is broken: dmesg for Xid (48, 63, 64, 74, 94, 95), nvidia-smi -q -d ECC; reset it, or take the "
        "node out of the pool",
        "CUDA_ERROR_ECC_UNCORRECTABLE", "CUDA_ERROR_NVLINK_UNCORRECTABLE"),
    MSG(ENDS, "CUDA", NULL, "CUDA, its own words",
        "a kernel used memory that is not its own, and the line that says so need not be the place: CUDA_LAUNCH_BLOCKING=1 or "
        "compute-sanitizer names it; other ranks' timeouts follow from it",
        "CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_LAUNCH_FAILED"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch CUDACachingAllocator.cpp",
        "that GPU's memory is full: a smaller batch, shorter sequences or more shards; nvidia-smi shows who else is on it; other "
        "ranks' timeouts follow from it",
        "CUDA out of memory", "CUDA error: out of memory", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED",
        "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED", "cuda runtime error (#) : out of memory"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch distributed_c10d.py",
        "this PyTorch is built without NCCL, as all for Windows and macOS and most for Jetson are: backend gloo there; else it is one "
        "for CPUs (torch.version.cuda is None): pip install torch of a CUDA version",
        "Distributed package doesn't have NCCL built in"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch distributed_c10d.py",
        "no GPU is seen, or this PyTorch is built without CUDA: nvidia-smi here, --gpus all for a container, CUDA_VISIBLE_DEVICES; "
        "pip install torch of a CUDA version; without GPUs backend gloo",
        "ProcessGroupNCCL is only supported with GPUs", "Found no NVIDIA driver",
        "No CUDA GPUs are available", "CUDA error: no CUDA-capable device",
        "cuda runtime error (#) : no CUDA-capable device"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch, its own words",
        "a fault of that version of PyTorch, by its own words: its issues by that file and line, a newer version; a setting for "
        "debugging (TORCH_NCCL_DESYNC_DEBUG) may bring it about",
        "INTERNAL ASSERT FAILED at "),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch, its loader",
        "another libnccl is loaded than this program was built with, or none is: ldd on that file, LD_LIBRARY_PATH, and one NCCL only "
        "(pip list names nvidia-nccl)",
        "libnccl%cannot open shared object", "%undefined symbol: nccl", "undefined symbol: nccl",
        "error while loading shared libraries: libnccl"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch#5040",
        "/dev/shm is too small for the workers of the DataLoader: --shm-size or --ipc=host; Kubernetes: an emptyDir of medium Memory; "
        "or fewer workers",
        "DataLoader worker (pid%) is killed by signal: Bus error"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch#8976",
        "a worker of the DataLoader died, most often killed for the host's memory: dmesg, fewer workers; num_workers=0 shows an error "
        "of its own",
        "DataLoader worker (pid%) is killed by signal: Killed",
        "DataLoader worker (pid%) exited unexpectedly"),
    MSG(SLOWER, "PyTorch", NULL, "pytorch/pytorch ProcessGroupNCCL.cpp",
        "harmless by itself: the program ends without destroy_process_group(); where it ended by an error, that one counts",
        "process group has NOT been destroyed"),
    MSG(SLOWER, "PyTorch", NULL, "pytorch/pytorch ProcessGroupNCCL.cpp",
        "a barrier guesses the GPU from the rank: init_process_group(device_id=...) or torch.cuda.set_device(LOCAL_RANK) first; two "
        "ranks that guess one GPU hang",
        "using GPU # to perform barrier"),
    MSG(ECHO, "PyTorch", NULL, "pytorch/pytorch ProcessGroupNCCL.cpp",
        "an echo, this rank gave up since another one failed or did not come: the first rank in time that says something else counts",
        "NCCL communicator was aborted on rank #"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch#40403",
        "a process was forked after its parent had used CUDA: start it by spawn (mp.set_start_method('spawn'), "
        "DataLoader(multiprocessing_context='spawn')), or use CUDA only in the child",
        "Cannot re-initialize CUDA in forked subprocess",
        "Lightning can't create new processes if CUDA is already initialized"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch, gloo",
        "the group of the CPUs (gloo) does not reach its peers: GLOO_SOCKET_IFNAME to an interface that all reach, and a host name that "
        "is not 127.0.0.1 to itself",
        "Gloo connectFullMesh failed", "[enforce fail at %Unable to find address for: "),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch DDP",
        "where it says 0 params no model differs: the first collective, which gathers their number, did not run (network, P2P); else "
        "this rank has built another model than rank 0: the same configuration, vocabulary and seed on all ranks",
        "[#]: params[#] in this process with sizes ",
        "DDP expects same model across all ranks"),
    MSG(SLOWER, "PyTorch", NULL, "huggingface/accelerate",
        "these GPUs have no P2P: NCCL_P2P_DISABLE=1 and NCCL_IB_DISABLE=1, or start it by accelerate launch",
        "Using RTX # series doesn't support faster communication"),
    MSG(ENDS, "PyTorch", NULL, "CUDA, its own words",
        "the driver or the GPU itself, of which this says no more: dmesg for Xid on that node, nvidia-smi; then a reboot",
        "CUDA error: unknown error", "cuda runtime error (#) : unknown error"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch, torchrun; deepspeedai/DeepSpeed#3160",
        "that process was killed from outside (SIGKILL), most often since the host's memory was full: dmesg of its node, fewer DataLoader "
        "workers, less in memory while a model is loaded",
        "failed (exitcode: -9)", "exits with return code = -9",
        "Signal 9 (SIGKILL) received by PID #"),
    MSG(SLOWER, "PyTorch", NULL, "pytorch/pytorch c10d/socket.cpp",
        "this node finds no such address for the name: if only of IPv6, it goes on with IPv4; of both, MASTER_ADDR is a name that this "
        "node does not know: getent hosts NAME there, /etc/hosts, or an address instead",
        "The IPv6 network addresses of (%) cannot be retrieved",
        "The IPv4 network addresses of (%) cannot be retrieved"),
    MSG(ENDS, "PyTorch", NULL, "Linux, its resolver's words",
        "no node of that name is known here: MASTER_ADDR or --rdzv-endpoint, by getent hosts NAME on each node; /etc/hosts, or an "
        "address instead of the name",
        "host not found: Name or service not known", "[Errno -2] Name or service not known",
        "[Errno -3] Temporary failure in name resolution"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch, torchrun; tatsu-lab/stanford_alpaca#228",
        "a bus error (SIGBUS), most often a /dev/shm that is full: --shm-size or --ipc=host; Kubernetes: an emptyDir of medium Memory",
        "failed (exitcode: -7)", "exits with return code = -7",
        "Signal 7 (SIGBUS) received by PID #"),
    MSG(ECHO, "PyTorch", NULL, "deepspeedai/DeepSpeed#4510",
        "that process crashed in compiled code (SIGSEGV): what it printed before says why; PYTHONFAULTHANDLER=1 names the line of Python, "
        "coredumpctl the C function",
        "failed (exitcode: -11)", "exits with return code = -11",
        "Signal 11 (SIGSEGV) received by PID #"),
    MSG(ECHO, "PyTorch", NULL, "pytorch/pytorch ProcessGroupNCCL.cpp",
        "that process gave up by itself (SIGABRT), as a watchdog does behind a timeout or an error of NCCL's: what it printed before "
        "says why",
        "failed (exitcode: -6)", "exits with return code = -6",
        "Signal 6 (SIGABRT) received by PID #"),
    MSG(ECHO, "PyTorch", NULL, "pytorch/pytorch, torchrun",
        "that process ended by an error of its own: its exception, in what it printed before",
        "failed (exitcode: 1)", "exits with return code = 1$"),
    MSG(ECHO, "PyTorch", NULL, "pytorch/pytorch, torchrun",
        "an echo, its launcher ended it since another process failed, or somebody stopped the job: the one that failed first",
        "Signal 15 (SIGTERM) received by PID #", "Received 15 death signal, shutting down workers"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch distributed_c10d.py",
        "world_size processes are to come and worker_count have: fewer, and some did not start or died, their logs say why; more, and it "
        "was started twice, or each process starts others (mp.spawn under torchrun or srun)",
        "Timed out initializing process group in store based barrier",
        "Waiting in store based barrier to initialize process group"),
    MSG(ECHO, "PyTorch", NULL, "pytorch/pytorch TCPStore.cpp",
        "an echo, rank 0's process, which holds the store, has ended: what rank 0 and its node say first",
        "Failed to check the \"should dump\" flag on TCPStore", "sendBytes failed on SocketImpl",
        "recv% failed on SocketImpl", "This may indicate a possible application crash on rank #"),
    MSG(ENDS, "PyTorch", NULL, "pytorch/pytorch, its DataLoader",
        "a worker of the DataLoader crashed in compiled code of the data set: num_workers=0 shows where, or start workers by spawn "
        "(multiprocessing_context='spawn')",
        "DataLoader worker (pid%) is killed by signal: Aborted",
        "DataLoader worker (pid%) is killed by signal: Segmentation fault"),
    MSG(SLOWER, "vLLM", NULL, "vllm-project/vllm shm_broadcast.py",
        "the engine waits for a worker that computes for long (it compiles, loads or quantizes) or hangs in a collective: py-spy dump of "
        "each worker, the one that is elsewhere counts",
        "No available shared memory broadcast block found", "No available block found in # second"),
    MSG(ECHO, "vLLM", NULL, "vllm-project/vllm v1/engine",
        "an echo, the engine says that a worker ended or did not answer: the first error of a worker above, and dmesg for one that was "
        "killed",
        "EngineCore encountered a", "Engine core initialization failed", "RPC call to % timed out$",
        "Worker proc % died unexpectedly", "Engine core proc % died unexpectedly"),
    MSG(ENDS, "DeepEP", NULL, "deepseek-ai/DeepEP csrc/kernels",
        "a kernel of experts waited for another rank (src, dst) that did not send or take: it failed, is late, or is in another step; of "
        "all ranks' lines the one counts that many name and that names nobody: its log",
        "DeepEP % timeout", "DeepEP timeout", "DeepEP error: % timeout", "DeepEP error: timeout"),
    MSG(ENDS, "HCCL", NULL, "Ascend, its error codes (thread)",
        "this NPU waited for another that did not come: it failed, is late, or is in another call; the earliest error of all ranks' logs, "
        "and the remote rank that these words name",
        "The wait execution of the Notify register times out", "Getting socket times out", "[Wait][LinkEstablish]wait socket establish timeout"),
    MSG(ENDS, "Ascend", NULL, "Ascend, its driver's words (thread)",
        "the driver of an NPU or the NPU itself failed, and the processes' ends follow: npu-smi info, the newest plog in ~/ascend/log; "
        "reset that NPU or its node, and the driver's version as CANN wants it",
        "tsd client wait response fail", "Fail to get sq reg virtual addr, deviceId=#",
        "rtGetDevMsg execute failed, reason="),
    MSG(ENDS, "HCCL", NULL, "Ascend, hccl_socket.cc (thread)",
        "that port of the NPU's network is taken: an earlier run has not ended, or two jobs share the NPU; end it, or HCCL_IF_BASE_PORT",
        "[HcclSocket][Listen] socket type%fail"),
    MSG(ENDS, "HCCL", NULL, "Ascend, its own words (thread)",
        "the group did not start on that rank: the first ERROR in time of all ranks' plogs (~/ascend/log) says why",
        "HcclCommInitRootInfo fail"),
    MSG(ENDS, "Horovod", NULL, "horovod/horovod stall inspector",
        "some ranks asked for tensors that others have not asked for: [missing ranks: ...] or Stalled ranks: names who did not, "
        "[ready ranks: ...] who did; a rank that ended, or another order of tensors",
        "One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks"),
    /* ---------------------------------------------------------------- Ray */
    MSG(ENDS, "Ray", NULL, "OpenRLHF/OpenRLHF#265 (thread)",
        "a process ended without a word, most often killed for the host's memory, or it crashed: dmesg of its node, and its own log by "
        "its pid in /tmp/ray/session_latest/logs",
        "A worker died or was killed while executing a task", "The actor died unexpectedly before",
        "The actor is dead because its worker process has died"),
    MSG(ENDS, "Ray", NULL, "ray-project/ray, its memory monitor",
        "Ray killed it since the host's memory was nearly full: fewer workers a node, less in memory while a model is loaded, or more of "
        "it for the container",
        "Task was killed due to the node running low on memory",
        "Workers (tasks / actors) killed due to memory pressure"),
    MSG(ENDS, "NVSHMEM", NULL, "NVIDIA, NVSHMEM topo.cpp (thread)",
        "neither P2P nor NVSHMEM's network joins these two GPUs: nvidia-smi topo -p2p r inside a node; between nodes, or without P2P, "
        "its IBRC or IBGDA, which wants nvidia-peermem",
        "[GPU #] Peer GPU # is not accessible"),
    MSG(SLOWER, "NVSHMEM", NULL, "NVIDIA, NVSHMEM ibrc.cpp (thread)",
        "NVSHMEM goes without its InfiniBand transport: modprobe nvidia-peermem on the host; without P2P between the GPUs it cannot start",
        "neither nv_peer_mem, or nvidia_peermem detected"),
    MSG(ENDS, "XLA", NULL, "openxla/xla gpu/nccl_utils.cc (thread)",
        "this program finds no libnccl: LD_LIBRARY_PATH, or pip install of nvidia-nccl for its version of CUDA",
        "Unable to load NCCL library"),
    MSG(ENDS, "sglang", NULL, "sgl-project/sglang model_runner.py",
        "another rank did not load the model in time: that rank's log (killed for the host's memory, a slow disk, a download), then "
        "--watchdog-timeout or --dist-timeout",
        "TP rank # could finish the model loading, but there are other ranks"),
    MSG(ENDS, "sglang", NULL, "sgl-project/sglang scheduler.py",
        "a batch did not end in time: a collective or a kernel hangs, or it compiles for long: py-spy dump of each rank, the one that "
        "is elsewhere counts; --watchdog-timeout waits longer",
        "Watchdog timeout (self.watchdog_timeout="),
    /* ---------------------------------------------------------------- NCCL's, where nobody says INFO or WARN: in a log they are usual */
    MSG(SLOWER, "NCCL", NULL, "NVIDIA/nccl#941",
        "no RDMA device is seen, which is right where there is none; else a container without /dev/infiniband or libibverbs: "
        "ibv_devinfo in it; between nodes data go by sockets then, slower",
        "NET/IB : No device found", "NET/IB: No device found", "Failed to open libibverbs"),
    MSG(SLOWER, "NCCL", NULL, "NVIDIA/nccl plugin/net.cc",
        "no plugin for a network, or another version of it is tried next: right unless a cloud wants its own (EFA, Google's); the line "
        "\"Using network\" says what is used in the end",
        "NET/Plugin: Could not find", "NET/Plugin : No plugin found", "NET/Plugin: Failed to find",
        "Failed to find ncclNetPlugin_v"),
    /* ---------------------------------------------------------------- the driver's Xids, in the kernel's log */
    XID(ENDS, 13,
        "a kernel of the program did what no GPU can, such as an address out of range; if always on this GPU, whatever runs, its hardware: compute-sanitizer, the same job on another GPU"),
    XID(ENDS, 31,
        "a kernel read or wrote memory that is not mapped: the program's or a library's fault, seldom the hardware's: compute-sanitizer, the same job on another GPU"),
    XID(ENDS, 43,
        "a program's fault stopped its work on the GPU; the GPU itself is sound: its own log, compute-sanitizer"),
    XID(FATAL, 48,
        "an error of the GPU's memory that ECC cannot mend: the job is lost; reset the GPU, nvidia-smi -q -d ECC,ROW_REMAPPER; if it comes again, replace it"),
    XID(ENDS, 63,
        "a bad row of the GPU's memory is put out of use: reset the GPU when the node is free; nvidia-smi -q -d ROW_REMAPPER, it is pending until then"),
    XID(FATAL, 64,
        "a bad row of the GPU's memory could not be put out of use: reset the GPU; if it stays, it is to be replaced"),
    XID(FATAL, 74,
        "an NVLink failed, to a GPU or a switch: nvidia-smi nvlink -s and -e, the fabric manager's log; reset the GPUs; if it comes again, a link, a bridge or a switch is broken"),
    XID(FATAL, 79,
        "the GPU is no longer on the PCIe bus: power, heat, its seat or a riser; the node needs a reboot, and goes out of the pool if it comes again"),
    XID(ENDS, 92,
        "ECC mends unusually many errors of this GPU: it ages; nvidia-smi -q -d ECC, and watch or replace it"),
    XID(ENDS, 94,
        "an error of the GPU's memory that hurt only the process that used it: start that job anew; reset the GPU when the node is free"),
    XID(FATAL, 95,
        "an error of the GPU's memory that may have hurt every process on it: end them and reset the GPU before anything else runs there"),
    XID(ECHO, 45,
        "an echo, the driver tidies up behind a process that ended or behind an earlier Xid: the one that its end names, or the line before it"),
    XID(ECHO, 154,
        "an echo, what the GPU needs after an earlier Xid (a reset, a reboot) stands behind the number: the line before it"),
    MSG(FATAL, "NVRM", NULL, "NVIDIA, Xid Errors",
        "the processor on the GPU by which the driver speaks to it does not answer: reset the GPU or reboot; if it comes again, a "
        "newer driver, then the hardware",
        "NVRM: Xid (%): 119", "NVRM: Xid (%): 120", "NVRM: GPU# RPC history (CPU -> GSP)",
        "NVRM: GPU# RPC event history (CPU <- GSP)"),
    MSG(ENDS, "NVRM", NULL, "NVIDIA, Xid Errors",
        "an NVLink of a Blackwell GPU failed: nvidia-smi nvlink -s and -e, the fabric manager's log; the words behind the number tell "
        "whether a reset helps",
        "NVRM: Xid (%): 144", "NVRM: Xid (%): 145", "NVRM: Xid (%): 146", "NVRM: Xid (%): 147",
        "NVRM: Xid (%): 148", "NVRM: Xid (%): 149", "NVRM: Xid (%): 150"),
    MSG(ENDS, "NVRM", NULL, "NVIDIA, Xid Errors", "an error that the driver saw; this Xid has no row here: NVIDIA's catalogue of Xid errors has the number and what to do",
        "NVRM: Xid (%): #"),
    MSG(ENDS, "NVRM", NULL, "NVIDIA, its driver's own words",
        "the driver cannot start that GPU or reach it: Xid and AER lines before it, power, heat and seat; the node needs a reboot, and "
        "goes out of the pool if it comes again",
        "NVRM: GPU %: RmInitAdapter failed", "NVRM: fallen off the bus and is not responding"),
    MSG(ENDS, "ROCm", NULL, "ROCm/ROCR-Runtime",
        "a kernel hung on that AMD GPU, or touched memory that is not mapped, and its process ended: dmesg (amdgpu) of that node; other "
        "ranks' timeouts follow from it",
        "HW Exception by GPU node-#", "Memory access fault by GPU node-#"),
    MSG(ENDS, "NVSwitch", NULL, "NVIDIA, Fabric Manager user guide",
        "an NVSwitch had an error; the words behind the number say whether it is fatal: the fabric manager's log, a reset of the node's "
        "GPUs; if it comes again, that switch or link is broken",
        "SXid (%): #"),
    MSG(ENDS, "nvidia-smi", NULL, "NVIDIA, its own words",
        "the driver does not reach that GPU any more: dmesg for Xid, as 79; the node needs a reboot",
        "Unable to determine the device handle for GPU", "error creating nvml.Device #: nvml: GPU is lost"),
    /* ---------------------------------------------------------------- who ended a process */
    MSG(ENDS, "slurm", NULL, "SchedMD/slurm slurmstepd",
        "a process was killed because the host's memory that the job asked for is full, not the GPU's: --mem or --mem-per-gpu, fewer "
        "DataLoader workers; sacct -o MaxRSS says how much",
        "slurmstepd: error: Detected # oom", "srun: error: %Out Of Memory"),
    MSG(ENDS, "slurm", NULL, "SchedMD/slurm srun",
        "that task was killed from outside: the host's memory was full, or somebody cancelled it; the other tasks' errors follow: dmesg "
        "of that node, sacct -o State,MaxRSS",
        "srun: error: %task #: Killed", "srun: error: %exit code 137"),
    MSG(ECHO, "slurm", NULL, "SchedMD/slurm srun",
        "slurm ended these tasks, since another one had failed or somebody cancelled the job: the first task that ended otherwise; where "
        "there is none, the host's memory was full: sacct -o State,MaxRSS",
        "srun: error: %tasks %: Killed"),
    MSG(ECHO, "slurm", NULL, "SchedMD/slurm srun",
        "that task ended by an error of its own, and slurm ends the others: what that task printed before says why",
        "srun: error: %task%: Exited with exit code 1$",
        "srun: error: %task%: Exited with exit code 2$",
        "srun: error: %task%: Exited with exit code 255",
        "srun: error: %task%: Exited with exit code 134",
        "srun: error: %task%: Exited with exit code 139", "srun: error: %task%: Segmentation fault",
        "srun: error: %task%: Aborted", "srun: error: %task%: Bus error"),
    MSG(ENDS, "slurm", NULL, "SchedMD/slurm slurmstepd",
        "slurm ended the job, no program did: its time was up, a job of higher priority wanted the nodes, or a node failed; --time, "
        "--requeue, and checkpoints",
        "slurmstepd: error: %DUE TO TIME LIMIT", "slurmstepd: error: %DUE TO PREEMPTION",
        "slurmstepd: error: %DUE TO NODE FAILURE", "srun: error: Node failure on "),
    MSG(ENDS, "MPI", NULL, "open-mpi/ompi",
        "that rank gave up by itself, and MPI ends the others: what it printed before says why",
        "MPI_ABORT was invoked on rank #",
        "application called MPI_Abort(MPI_COMM_WORLD, #) - process #"),
    MSG(ENDS, "MPI", NULL, "open-mpi/ompi",
        "that process was killed from outside, most often for the host's memory: dmesg of its node",
        "noticed that process rank # %exited on signal 9"),
    MSG(ECHO, "MPI", NULL, "open-mpi/ompi",
        "an echo, that process was told to end since another failed, or somebody stopped the job: what failed first",
        "noticed that process rank # %exited on signal 15"),
    MSG(ENDS, "MPI", NULL, "openucx/ucx (thread)",
        "MPI's own network (UCX) takes an interface that the others do not reach, such as docker0: UCX_NET_DEVICES, --mca "
        "btl_tcp_if_include, or --mca pml ob1",
        "connect(fd=#, dest_addr=%) failed: ", "ucp returned connect error: "),
    MSG(ENDS, "ssh", NULL, "OpenSSH, its own words",
        "the launcher cannot start processes on that node: its name, its sshd and the keys; ssh NODE true by hand must ask nothing",
        "ssh: Could not resolve hostname ", "Permission denied (publickey",
        "Host key verification failed", "Command 'ssh % returned non-zero exit status 255",
        "ssh: connect to host ",
        "/usr/sbin/sshd: No such file or directory"),
    MSG(ENDS, "MPI", NULL, "openucx/ucx#8229",
        "the limit of locked memory: ulimit -l under the launcher, to be unlimited (limits.conf, slurm's "
        "PropagateResourceLimits, --ulimit memlock=-1)",
        "ibv_create_cq(%) failed: Cannot allocate memory", "ibv_reg_mr(%) failed: Cannot allocate memory",
        "ibv_reg_mr failed: Cannot allocate memory",
        "ibv_create_qp(%) failed: Cannot allocate memory"),
    MSG(ENDS, "MPI", NULL, "open-mpi/ompi",
        "that process crashed: what it printed before, or a core file, says where; signal 7 is mostly a full /dev/shm (--shm-size)",
        "noticed that process rank # %exited on signal 11",
        "noticed that process rank # %exited on signal 6",
        "noticed that process rank # %exited on signal 7"),
    MSG(ENDS, "MPI", NULL, "open-mpi/ompi",
        "a node of the job is gone, or MPI's daemon on it (\"Remote daemon\" names it): down, rebooted, its pod ended, its network; that "
        "node's own log",
        "ORTE has lost communication with a remote daemon", "PRTE has lost communication with a remote daemon"),
    MSG(ENDS, "MPI", NULL, "open-mpi/ompi",
        "more processes than mpirun has slots for: -np, the host file's slots=, --oversubscribe",
        "There are not enough slots available in the system"),
    MSG(ENDS, "Linux", NULL, "Linux, its own words",
        "the host's memory was full and the kernel killed that process: if it is one of the job, the others' errors follow from it; a "
        "larger limit of memory, fewer DataLoader workers",
        "OOMKilled", "Out of memory: Killed process #",
        "Memory cgroup out of memory: Killed process #"),
    MSG(ENDS, "Linux", NULL, "Linux, a shell's words",
        "a process crashed in compiled code, or gave up by itself as a watchdog does (Aborted): what it printed before says why; "
        "PYTHONFAULTHANDLER=1 names the line of Python, coredumpctl the C function; a bus error is mostly a full /dev/shm",
        "Segmentation fault (core dumped)$", "Aborted (core dumped)$", "Bus error (core dumped)$",
        "Caught signal 11 (Segmentation fault", "Caught signal 7 (Bus error",
        "*** Process received signal ***", "Fatal Python error: Segmentation fault",
        "Fatal Python error: Aborted", "Fatal Python error: Bus error"),
    MSG(ENDS, "Linux", NULL, "Linux, a shell's words",
        "a process crashed in compiled code, or gave up by itself as a watchdog does: what it printed before says why; "
        "PYTHONFAULTHANDLER=1 names the line of Python, coredumpctl the C function; a bus error is mostly a full /dev/shm",
        "段错误%核心已转储", "已放弃%核心已转储", "总线错误%核心已转储", "Segmentation fault (コアダンプ",
        "line #: # Bus error", "中止%コアダンプ", "バスエラー%コアダンプ", "세그멘테이션 오류", "중지됨%코어 덤프", "버스 오류%코어 덤프"),
    MSG(ENDS, "Linux", NULL, "Linux, a shell's words",
        "that process was killed from outside (SIGKILL), most often since the host's memory was full: dmesg of its node, fewer DataLoader "
        "workers, less in memory while a model is loaded",
        "line #: # Killed", "已杀死"),
    MSG(ENDS, "Linux", NULL, "NVIDIA/cuda-samples#48 (thread)",
        "the IOMMU refused a device's access to memory, and data from GPU to GPU or NIC are lost or wrong: iommu=pt on the kernel's "
        "command line, or the IOMMU off; ACS off in the BIOS",
        "IO_PAGE_FAULT domain=0x", "IO_PAGE_FAULT device=% domain=0x", "DMAR: [DMA % Request device [% fault addr"),
    MSG(ENDS, "Linux", NULL, "aws/aws-ofi-nccl#22 (thread)",
        "the EFA device has none left of what is asked for, an earlier process may hold it: end what is left of the last run; EFA "
        "installer of today",
        "infiniband efa_#: Failed to "),
    MSG(ENDS, "docker", NULL, "NVIDIA/nvidia-container-toolkit",
        "docker knows no GPUs: nvidia-container-toolkit on the host, nvidia-ctk runtime configure --runtime=docker, and restart docker",
        "could not select device driver % with capabilities: [[gpu"),
    MSG(ENDS, "Kubernetes", NULL, "Kubernetes, kubectl's words",
        "the container was killed from outside (137 is SIGKILL), most often at its limit of memory: kubectl describe pod says OOMKilled "
        "or Evicted; limits.memory, fewer DataLoader workers",
        "command terminated with exit code 137", "The node was low on resource: memory"),
    MSG(ENDS, "Kubernetes", NULL, "Kubernetes, its scheduler's words",
        "no node has so many GPUs free, and the pod is not started: kubectl describe node says who has them, and how many are healthy; the "
        "device plugin's pod of that node; fewer GPUs a pod",
        "Insufficient nvidia.com/gpu", "Insufficient amd.com/gpu"),
    MSG(ENDS, "Linux", NULL, "Linux, mlx5_core (thread)",
        "the NIC's firmware stands or its link went down: mlx5_core lines in dmesg, ibstat, newer firmware; that node out of the pool",
        "mlx5_core %: health poll failed", "mlx5_core %: %Link down"),
    /* ---------------------------------------------------------------- PyTorch's classes */
    MSG(CLASS, NULL, NULL, "PyTorch ProcessGroupNCCL",
        "that is a class, no cause: the line behind \"Last error:\" has it, else NCCL_DEBUG=INFO and its first WARN",
        "unhandled cuda error", "unhandled system error", "internal error", "invalid usage",
        "invalid argument", "ncclUnhandledCudaError: ", "ncclSystemError: ", "ncclInternalError: ",
        "ncclInvalidUsage: ", "ncclInvalidArgument: "),
    MSG(CLASS, NULL, NULL, "PyTorch ProcessGroupNCCL",
        "another process of the job ended first, or the network to it broke: the first error in time, in the log of the one that is gone; "
        "NCCL_DEBUG=INFO names it",
        "remote process exited or there was a network error", "ncclRemoteError: "),
};
/* clang-format on */

_Static_assert(sizeof messages / sizeof *messages <= RN_LOG_MOST_MESSAGES,
               "more rows than are kept");

const rn_nccl_message *rn_nccl_messages(int *n) {
    *n = (int)(sizeof messages / sizeof *messages);
    return messages;
}

/* nccl-tests writes "CUDA failure" where NCCL writes "Cuda failure". */
static bool has_form(const char *message, const char *form) {
    static const char ours[] = "Cuda failure ", theirs[] = "CUDA failure ";
    const size_t n = sizeof ours - 1;
    const bool both = strncmp(message, theirs, n) == 0 && strncmp(form, ours, n) == 0;
    return rn_has_form(message + (both ? n : 0), form + (both ? n : 0));
}

bool rn_nccl_meets(const rn_nccl_message *row, const char *place, const char *message) {
    if (row->file != NULL && strstr(place, row->file) == NULL) return false;
    for (size_t k = 0; k < sizeof row->forms / sizeof *row->forms && row->forms[k] != NULL; k++) {
        if (has_form(message, row->forms[k])) return true;
    }
    return false;
}

const char *rn_log_speaker(const rn_nccl_message *row) {
    return row->file != NULL && strpbrk(row->file, "./") == NULL ? row->file : NULL;
}

static const char *const own[] = {"Cuda failure ",  "CUDA failure ",   "NET/",
                                  "[Proxy Service", "[Service thread", "socket",
                                  "Attribute ",     "Error: network ", "Invalid config ",
                                  "XML ",           "Call to ",        "MNNVL (cliqueSize "};

bool rn_log_is_own(const char *message) {
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strncmp(message, own[i], strlen(own[i])) == 0) return true;
    return false;
}

static void mark(const char *form, rn_log_pairs begins) {
    if (((form[0] | form[1]) & 0x80) != 0) return; /* no letter of English: looked at always */
    const bool any = strchr("%#$", form[1]) != NULL;
    for (int c = any ? 0 : form[1]; c <= (any ? RN_LOG_LETTERS - 1 : form[1]); c++)
        begins[(unsigned char)form[0]][c] = true;
}

void rn_log_beginnings(rn_log_pairs begins) {
    memset(begins, 0, RN_LOG_LETTERS * sizeof *begins);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) mark(own[i], begins);
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        for (size_t k = 0; k < sizeof messages->forms / sizeof *messages->forms; k++)
            if (messages[i].forms[k] != NULL) mark(messages[i].forms[k], begins);
    }
}

/* Has a form so many letters of its own that no other program's words are like it? "Too many open files" is the system's. */
static bool is_unlike(const char *form) {
    static const char *const alike[] = {"NVRM: Xid",
                                        "SXid (",
                                        "OOMKilled",
                                        "CUDA out of memory",
                                        "mlx5_core ",
                                        "Rendezvous",
                                        "failed (exitcode",
                                        "Aborted (core",
                                        "Insufficient ",
                                        "EI000",
                                        "undefined symbol: nccl",
                                        "line #: # ",
                                        "已杀死"};
    int n = 0;
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        if (strncmp(form, alike[i], strlen(alike[i])) == 0) return true; /* though they are short */
    for (; *form != '\0'; form++) n += strchr("%#$", *form) == NULL;
    return n > 22;
}

bool rn_log_meets_alone(const rn_nccl_message *row, const char *message, bool own_words,
                        bool raised) {
    const bool any = (own_words && rn_log_speaker(row) == NULL) ||
                     (raised && row->file != NULL && strcmp(row->file, "PyTorch") == 0);
    for (size_t k = 0; k < sizeof row->forms / sizeof *row->forms && row->forms[k] != NULL; k++) {
        const char *form = row->forms[k];
        if (form[0] != message[0] && (form[0] != '%' || !any)) continue;
        if ((any || is_unlike(form)) && has_form(message, form)) return true;
    }
    return false;
}
