/* ringsim_tuning.h: what NCCL decides before it sends a byte: its tuning model, version by version.
 *
 *     communicator: ranks, nodes, a graph an algorithm --rn_nccl_tune--> TABLE: latency, bandwidth a cell
 *     table, bytes --rn_nccl_cost_of--> time of a cell;  --rn_nccl_choose--> algorithm, protocol, channels, threads
 *
 *   - A cell is (collective, algorithm, protocol). Bandwidth 0 is a cell that is not used, and `off` says which rule
 *     switched it off; what it would have had is kept beside it.
 *   - Floats are rounded where NCCL rounds them (src/graph/tuning.cc), so that printed digits reproduce.
 *   - Bytes are those of the whole array, also for all-gather and reduce-scatter.
 *   - Versions are numbers as nccl-tests prints them: 22907 is 2.29.7. 2.18 to 2.30 were compared; a newer one gets the
 *     last known constants and is to be shown as unchecked. RCCL has tables of its own: not for it.
 */
#pragma once

#include "ringsim_collective.h"

RS_BEGIN_DECLS

enum { RN_NCCL_OLDEST = 21800, RN_NCCL_NEWEST = 23099, RN_NCCL_MOST_CHANNELS = 64 };
/* From here on NCCL_ALGO and NCCL_PROTO have lists by function; and functions that such lists do not name have nothing. */
enum { RN_NCCL_BY_FUNCTION = 22400, RN_NCCL_ONLY_NAMED = 23100 };

/* Reads "2.29.7", "2.29.7+cuda12.9" or "22907" as a number; false: it is none. */
bool rn_nccl_read_version(const char *text, int32_t *version);
/* Writes "2.29.7"; returns out. */
char *rn_nccl_version_text(int32_t version, char out[16]);
/* Tells whether the constants of this version are known, not assumed. */
bool rn_nccl_checked(int32_t version);

/* In NCCL's order, which decides ties. */
typedef enum rn_nccl_algorithm {
    RN_NCCL_TREE,
    RN_NCCL_RING,
    RN_NCCL_COLLNET_DIRECT,
    RN_NCCL_COLLNET_CHAIN,
    RN_NCCL_NVLS,
    RN_NCCL_NVLS_TREE,
    RN_NCCL_PAT,
    RN_NCCL_N_ALGORITHMS
} rn_nccl_algorithm;
typedef enum rn_nccl_protocol {
    RN_NCCL_LL,
    RN_NCCL_LL128,
    RN_NCCL_SIMPLE,
    RN_NCCL_N_PROTOCOLS
} rn_nccl_protocol;

/* Names as tuner files spell them ("collnet_direct", "ll128", "allreduce") and as NCCL prints them ("CollNetDirect",
   "LL128", "AllReduce"). */
const char *rn_nccl_algorithm_name(rn_nccl_algorithm algorithm);
const char *rn_nccl_algorithm_title(rn_nccl_algorithm algorithm);
const char *rn_nccl_protocol_name(rn_nccl_protocol protocol);
const char *rn_nccl_protocol_title(rn_nccl_protocol protocol);
const char *rn_nccl_collective_name(rs_collective collective);
const char *rn_nccl_collective_title(rs_collective collective);
/* Find what n bytes name in any of their spellings, cases and with or without '_' and '-'; false: nothing. */
bool rn_nccl_find_algorithm(const char *name, size_t n, rn_nccl_algorithm *algorithm);
bool rn_nccl_find_protocol(const char *name, size_t n, rn_nccl_protocol *protocol);
bool rn_nccl_find_collective(const char *name, size_t n, rs_collective *collective);
/* Tells whether any version runs the collective by this algorithm with this protocol. */
bool rn_nccl_has(rs_collective collective, rn_nccl_algorithm algorithm, rn_nccl_protocol protocol);

/* How far apart two devices are, best first. */
typedef enum rn_nccl_path {
    RN_PATH_LOC,
    RN_PATH_NVL,
    RN_PATH_NVB,
    RN_PATH_C2C,
    RN_PATH_PIX,
    RN_PATH_PXB,
    RN_PATH_P2C,
    RN_PATH_PXN,
    RN_PATH_PHB,
    RN_PATH_SYS,
    RN_PATH_NET,
    RN_PATH_DIS,
    RN_N_PATHS
} rn_nccl_path;
const char *rn_nccl_path_name(rn_nccl_path path); /* "NVL", ... */
bool rn_nccl_find_path(const char *name, size_t n, rn_nccl_path *path);

typedef enum rn_nccl_pattern {
    RN_PATTERN_NONE,
    RN_PATTERN_BALANCED_TREE,
    RN_PATTERN_SPLIT_TREE,
    RN_PATTERN_TREE,
    RN_PATTERN_RING,
    RN_PATTERN_NVLS,
    RN_PATTERN_COLLNET_DIRECT,
    RN_N_PATTERNS
} rn_nccl_pattern;

/* What NCCL's search found for an algorithm. */
typedef struct rn_nccl_graph {
    int32_t n_channels;       /* before they are doubled; 0: there is no such graph */
    float bw_intra, bw_inter; /* GB/s a channel; on one node both alike */
    float latency_inter;      /* us, of the network */
    rn_nccl_path type_intra, type_inter;
    rn_nccl_pattern pattern;
    bool same_channels;
} rn_nccl_graph;

typedef enum rn_nccl_cpu {
    RN_NCCL_INTEL,
    RN_NCCL_AMD,
    RN_NCCL_ZHAOXIN,
    RN_NCCL_ARM,
    RN_NCCL_POWER,
    RN_NCCL_MIXED_CPUS, /* x86, not all nodes alike */
    RN_NCCL_N_CPUS
} rn_nccl_cpu;

/* What NCCL_ALGO and NCCL_PROTO let through: 0 off, 1 on, 2 where NCCL thinks it safe (LL128). */
typedef struct rn_nccl_filter {
    uint8_t algorithms[RS_N_COLLECTIVES][RN_NCCL_N_ALGORITHMS];
    uint8_t protocols[RS_N_COLLECTIVES][RN_NCCL_N_PROTOCOLS];
} rn_nccl_filter;

/* Who communicates, over what. */
typedef struct rn_nccl_comm {
    int32_t version;
    int32_t n_ranks, n_nodes;
    int32_t cc_min, cc_max; /* compute capability of its GPUs, 90 is 9.0 */
    rn_nccl_cpu cpu;
    /* The worst of all nodes' tree graphs; NONE: the tree graph's. */
    rn_nccl_pattern max_tree_pattern;
    int32_t n_nvswitches;
    bool collnet;            /* the network adds, and that is asked for */
    bool no_ll128_c2c;       /* NCCL_LL128_C2C=0 */
    float net_overhead_us;   /* NCCL_NET_OVERHEAD; 0: by the CPU */
    int32_t n_channels;      /* that collectives use; 0: twice the ring graph's, at most 64 */
    int32_t n_nvls_channels; /* 0: the NVLS graph's */
    /* The threads that a block may have; 0: by the ring's bandwidth, as NCCL has it. */
    int32_t max_threads[RN_NCCL_N_ALGORITHMS][RN_NCCL_N_PROTOCOLS];
    rn_nccl_graph graphs[RN_NCCL_N_ALGORITHMS];
    rn_nccl_filter filter;
} rn_nccl_comm;

/* Lets everything through, LL128 where it is safe: as without environment. */
void rn_nccl_filter_open(rn_nccl_filter *filter);
/* Applies NCCL_ALGO or NCCL_PROTO, "[function:]name,name[;function:^name...]", as this version does: '^' means all but
   these, and from 2.31 on functions that are not named have nothing; any other setting changes nothing. RS_BAD_INPUT: what NCCL would
   refuse. */
rs_status rn_nccl_filter_set(rn_nccl_filter *filter, int32_t version, const char *name,
                             const char *text, rs_error *error);

/* Why a cell is off. */
typedef enum rn_nccl_rule {
    RN_NCCL_ON,
    RN_NCCL_NO_SUCH,  /* the collective has no such algorithm or protocol, or not in this version */
    RN_NCCL_NO_GRAPH, /* the search found no channels for it, NVLS: not two */
    RN_NCCL_ONE_NODE, /* NVLS Tree joins nodes */
    RN_NCCL_NO_COLLNET,     /* the network does not add, or was not asked to */
    RN_NCCL_NO_NVSWITCH,    /* CollNet Direct needs one */
    RN_NCCL_MANY_A_NODE,    /* PAT: one GPU a node */
    RN_NCCL_OLD_GPU,        /* PAT below 6.0, LL128 below 7.0 */
    RN_NCCL_NOT_KNOWN_SAFE, /* LL128: not on this GPU in this version */
    RN_NCCL_MIXED_GPUS,     /* LL128: several kinds */
    RN_NCCL_FAR_INSIDE,     /* LL128: the path inside a node is no NVLink */
    RN_NCCL_FAR_OUTSIDE,    /* LL128: the path to the network crosses too much */
    RN_NCCL_NO_EFFICIENCY,  /* NVLS counts as 0 on such GPUs */
    RN_NCCL_ALGO_SETTING,   /* NCCL_ALGO */
    RN_NCCL_PROTO_SETTING,  /* NCCL_PROTO */
    RN_NCCL_N_RULES
} rn_nccl_rule;

/* Which term of its bandwidth is the least. */
typedef enum rn_nccl_limit {
    RN_NCCL_BY_GRAPH,   /* channels x bandwidth that the search found */
    RN_NCCL_BY_LL,      /* what LL reaches on this GPU or, with several nodes, this CPU */
    RN_NCCL_BY_CHANNEL, /* what a channel reaches with this protocol */
    RN_NCCL_BY_NVLINK,  /* NVLS: inside the node */
    RN_NCCL_BY_NETWORK  /* NVLS: between nodes */
} rn_nccl_limit;

typedef struct rn_nccl_cell {
    float latency_us;
    float bandwidth_GBps; /* of the algorithm: bytes over time; 0: off */
    float without_GBps;   /* what it would be if it were on; 0: nothing to say */
    rn_nccl_rule off;
    rn_nccl_limit limit;
} rn_nccl_cell;

typedef struct rn_nccl_table {
    rn_nccl_cell cells[RS_N_COLLECTIVES][RN_NCCL_N_ALGORITHMS][RN_NCCL_N_PROTOCOLS];
} rn_nccl_table;

/* Works the table out. RS_BAD_INPUT: a communicator that cannot be (ranks, nodes, version, bandwidths). */
rs_status rn_nccl_tune(const rn_nccl_comm *comm, rs_error *error, rn_nccl_table *table);
/* The same of one cell alone, for those who try many communicators. */
rs_status rn_nccl_tune_cell(const rn_nccl_comm *comm, rs_collective coll,
                            rn_nccl_algorithm algorithm, rn_nccl_protocol protocol,
                            rn_nccl_cell *cell);

/* A cell's time for a size, and what it is made of: us = latency_us + bytes_us. */
typedef struct rn_nccl_cost {
    float us;         /* -1: the cell is off */
    float latency_us; /* with its factor */
    float bytes_us;
    float latency_factor;   /* a ring between nodes slows down on long messages */
    float bandwidth_factor; /* trees lose at middle sizes */
} rn_nccl_cost;
rn_nccl_cost rn_nccl_cost_of(const rn_nccl_comm *comm, const rn_nccl_table *table,
                             rs_collective collective, rn_nccl_algorithm algorithm,
                             rn_nccl_protocol protocol, int64_t n_bytes);

typedef struct rn_nccl_choice {
    rn_nccl_algorithm algorithm;
    rn_nccl_protocol protocol;
    rn_nccl_cost cost;
    int32_t n_channels, n_threads; /* threads: of a block, those that only wait included */
} rn_nccl_choice;
/* Chooses what NCCL would for so many bytes; false: every cell of the collective is off. */
bool rn_nccl_choose(const rn_nccl_comm *comm, const rn_nccl_table *table, rs_collective collective,
                    int64_t n_bytes, rn_nccl_choice *choice);
/* Says with how many channels and threads a cell would run so many bytes. */
void rn_nccl_trim(const rn_nccl_comm *comm, int64_t n_bytes, rn_nccl_choice *choice);

/* Returns how many channels collectives have, before a size leaves some of them out. */
int32_t rn_nccl_channels(const rn_nccl_comm *comm);
/* Returns the bytes of data in a chunk of a ring: 4 of the 8 steps of Simple's buffer of 4 MiB, one step of LL's, of LL128's, 15
   of 16 bytes of which are data (src/enqueue.cc); without NCCL_BUFFSIZE and its like. */
int64_t rn_nccl_chunk_bytes(rn_nccl_protocol protocol);

/* Finds the next size above n_bytes, up to `most`, at which the choice differs from that at n_bytes (algorithm or
   protocol); false: none. */
bool rn_nccl_crossing(const rn_nccl_comm *comm, const rn_nccl_table *table,
                      rs_collective collective, int64_t n_bytes, int64_t most, int64_t *next);

/* symmetric.c: says what NCCL expects, us, where buffers are registered and one NVLink domain holds all ranks, and by which of its
   kernels; -1: it has none there (several nodes, before Hopper, before 2.27, another collective). It is NCCL's model, by which it
   chooses; nobody has fitted it to tables here. */
double rn_nccl_registered_us(const rn_nccl_comm *comm, rs_collective collective, int64_t n_bytes,
                             const char **kernel);

RS_END_DECLS
