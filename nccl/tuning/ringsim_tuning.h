/* ringsim_tuning.h: what NCCL decides before it sends a byte: its tuning model, version by version.
 *
 *     communicator: ranks, nodes, a graph an algorithm --rs_nccl_tune--> TABLE: latency, bandwidth a cell
 *     table, bytes --rs_nccl_cost_of--> time of a cell;  --rs_nccl_choose--> algorithm, protocol, channels, threads
 *
 *   - A cell is (collective, algorithm, protocol). Bandwidth 0 is a cell that is not used, and `off` says which rule
 *     switched it off; what it would have had is kept beside it.
 *   - Floats are rounded where NCCL rounds them (src/graph/tuning.cc), so that printed digits reproduce.
 *   - Bytes are those of the whole array, also for all-gather and reduce-scatter.
 *   - Versions are numbers as nccl-tests prints them: 22907 is 2.29.7. 2.18 to 2.30 were compared; a newer one gets the
 *     last known constants and is to be shown as unchecked. RCCL has tables of its own: not for it.
 */
#ifndef RINGSIM_TUNING_H
#define RINGSIM_TUNING_H

#include "ringsim_collective.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RS_NCCL_OLDEST = 21800, RS_NCCL_NEWEST = 23099, RS_NCCL_MOST_CHANNELS = 64 };

/* Reads "2.29.7", "2.29.7+cuda12.9" or "22907" as a number; false: it is none. */
bool rs_nccl_read_version(const char *text, int32_t *version);
/* Writes "2.29.7"; returns out. */
char *rs_nccl_version_text(int32_t version, char out[16]);
/* Tells whether the constants of this version are known, not assumed. */
bool rs_nccl_checked(int32_t version);

/* In NCCL's order, which decides ties. */
typedef enum rs_nccl_algorithm {
    RS_NCCL_TREE,
    RS_NCCL_RING,
    RS_NCCL_COLLNET_DIRECT,
    RS_NCCL_COLLNET_CHAIN,
    RS_NCCL_NVLS,
    RS_NCCL_NVLS_TREE,
    RS_NCCL_PAT,
    RS_NCCL_N_ALGORITHMS
} rs_nccl_algorithm;
typedef enum rs_nccl_protocol {
    RS_NCCL_LL,
    RS_NCCL_LL128,
    RS_NCCL_SIMPLE,
    RS_NCCL_N_PROTOCOLS
} rs_nccl_protocol;

/* Names as tuner files spell them ("collnet_direct", "ll128", "allreduce") and as NCCL prints them ("CollNetDirect",
   "LL128", "AllReduce"). */
const char *rs_nccl_algorithm_name(rs_nccl_algorithm algorithm);
const char *rs_nccl_algorithm_title(rs_nccl_algorithm algorithm);
const char *rs_nccl_protocol_name(rs_nccl_protocol protocol);
const char *rs_nccl_protocol_title(rs_nccl_protocol protocol);
const char *rs_nccl_collective_name(rs_collective collective);
const char *rs_nccl_collective_title(rs_collective collective);
/* Find what n bytes name in any of their spellings, cases and with or without '_' and '-'; false: nothing. */
bool rs_nccl_find_algorithm(const char *name, size_t n, rs_nccl_algorithm *algorithm);
bool rs_nccl_find_protocol(const char *name, size_t n, rs_nccl_protocol *protocol);
bool rs_nccl_find_collective(const char *name, size_t n, rs_collective *collective);
/* Tells whether any version runs the collective by this algorithm with this protocol. */
bool rs_nccl_has(rs_collective collective, rs_nccl_algorithm algorithm, rs_nccl_protocol protocol);

/* How far apart two devices are, best first. */
typedef enum rs_nccl_path {
    RS_PATH_LOC,
    RS_PATH_NVL,
    RS_PATH_NVB,
    RS_PATH_C2C,
    RS_PATH_PIX,
    RS_PATH_PXB,
    RS_PATH_P2C,
    RS_PATH_PXN,
    RS_PATH_PHB,
    RS_PATH_SYS,
    RS_PATH_NET,
    RS_PATH_DIS,
    RS_N_PATHS
} rs_nccl_path;
const char *rs_nccl_path_name(rs_nccl_path path); /* "NVL", ... */
bool rs_nccl_find_path(const char *name, size_t n, rs_nccl_path *path);

typedef enum rs_nccl_pattern {
    RS_PATTERN_NONE,
    RS_PATTERN_BALANCED_TREE,
    RS_PATTERN_SPLIT_TREE,
    RS_PATTERN_TREE,
    RS_PATTERN_RING,
    RS_PATTERN_NVLS,
    RS_PATTERN_COLLNET_DIRECT,
    RS_N_PATTERNS
} rs_nccl_pattern;

/* What NCCL's search found for an algorithm. */
typedef struct rs_nccl_graph {
    int32_t n_channels;       /* before they are doubled; 0: there is no such graph */
    float bw_intra, bw_inter; /* GB/s a channel; on one node both alike */
    float latency_inter;      /* us, of the network */
    rs_nccl_path type_intra, type_inter;
    rs_nccl_pattern pattern;
    bool same_channels;
} rs_nccl_graph;

typedef enum rs_nccl_cpu {
    RS_NCCL_INTEL,
    RS_NCCL_AMD,
    RS_NCCL_ZHAOXIN,
    RS_NCCL_ARM,
    RS_NCCL_POWER,
    RS_NCCL_MIXED_CPUS, /* x86, not all nodes alike */
    RS_NCCL_N_CPUS
} rs_nccl_cpu;

/* What NCCL_ALGO and NCCL_PROTO let through: 0 off, 1 on, 2 where NCCL thinks it safe (LL128). */
typedef struct rs_nccl_filter {
    uint8_t algorithms[RS_N_COLLECTIVES][RS_NCCL_N_ALGORITHMS];
    uint8_t protocols[RS_N_COLLECTIVES][RS_NCCL_N_PROTOCOLS];
} rs_nccl_filter;

/* Who communicates, over what. */
typedef struct rs_nccl_comm {
    int32_t version;
    int32_t n_ranks, n_nodes;
    int32_t cc_min, cc_max; /* compute capability of its GPUs, 90 is 9.0 */
    rs_nccl_cpu cpu;
    rs_nccl_pattern
        max_tree_pattern; /* the worst of all nodes' tree graphs; NONE: the tree graph's */
    int32_t n_nvswitches;
    bool collnet;            /* the network adds, and that is asked for */
    bool no_ll128_c2c;       /* NCCL_LL128_C2C=0 */
    float net_overhead_us;   /* NCCL_NET_OVERHEAD; 0: by the CPU */
    int32_t n_channels;      /* that collectives use; 0: twice the ring graph's, at most 64 */
    int32_t n_nvls_channels; /* 0: the NVLS graph's */
    /* The threads that a block may have; 0: by the ring's bandwidth, as NCCL has it. */
    int32_t max_threads[RS_NCCL_N_ALGORITHMS][RS_NCCL_N_PROTOCOLS];
    rs_nccl_graph graphs[RS_NCCL_N_ALGORITHMS];
    rs_nccl_filter filter;
} rs_nccl_comm;

/* Lets everything through, LL128 where it is safe: as without environment. */
void rs_nccl_filter_open(rs_nccl_filter *filter);
/* Apply NCCL_ALGO or NCCL_PROTO, "[function:]name,name[;function:^name...]", as this version does: '^' means all but
   these, and from 2.31 on functions that are not named have nothing. RS_BAD_INPUT: what NCCL would refuse. */
rs_status rs_nccl_filter_algorithms(rs_nccl_filter *filter, int32_t version, const char *text,
                                    rs_error *error);
rs_status rs_nccl_filter_protocols(rs_nccl_filter *filter, int32_t version, const char *text,
                                   rs_error *error);

/* Why a cell is off. */
typedef enum rs_nccl_rule {
    RS_NCCL_ON,
    RS_NCCL_NO_SUCH,  /* the collective has no such algorithm or protocol, or not in this version */
    RS_NCCL_NO_GRAPH, /* the search found no channels for it, NVLS: not two */
    RS_NCCL_ONE_NODE, /* NVLS Tree joins nodes */
    RS_NCCL_NO_COLLNET,     /* the network does not add, or was not asked to */
    RS_NCCL_NO_NVSWITCH,    /* CollNet Direct needs one */
    RS_NCCL_MANY_A_NODE,    /* PAT: one GPU a node */
    RS_NCCL_OLD_GPU,        /* PAT below 6.0, LL128 below 7.0 */
    RS_NCCL_NOT_KNOWN_SAFE, /* LL128: not on this GPU in this version */
    RS_NCCL_MIXED_GPUS,     /* LL128: several kinds */
    RS_NCCL_FAR_INSIDE,     /* LL128: the path inside a node is no NVLink */
    RS_NCCL_FAR_OUTSIDE,    /* LL128: the path to the network crosses too much */
    RS_NCCL_NO_EFFICIENCY,  /* NVLS counts as 0 on such GPUs */
    RS_NCCL_ALGO_SETTING,   /* NCCL_ALGO */
    RS_NCCL_PROTO_SETTING,  /* NCCL_PROTO */
    RS_NCCL_N_RULES
} rs_nccl_rule;

/* Which term of its bandwidth is the least. */
typedef enum rs_nccl_limit {
    RS_NCCL_BY_GRAPH,   /* channels x bandwidth that the search found */
    RS_NCCL_BY_LL,      /* what LL reaches on this GPU or, with several nodes, this CPU */
    RS_NCCL_BY_CHANNEL, /* what a channel reaches with this protocol */
    RS_NCCL_BY_NVLINK,  /* NVLS: inside the node */
    RS_NCCL_BY_NETWORK  /* NVLS: between nodes */
} rs_nccl_limit;

typedef struct rs_nccl_cell {
    float latency_us;
    float bandwidth_GBps; /* of the algorithm: bytes over time; 0: off */
    float without_GBps;   /* what it would be if it were on; 0: nothing to say */
    rs_nccl_rule off;
    rs_nccl_limit limit;
} rs_nccl_cell;

typedef struct rs_nccl_table {
    rs_nccl_cell cells[RS_N_COLLECTIVES][RS_NCCL_N_ALGORITHMS][RS_NCCL_N_PROTOCOLS];
} rs_nccl_table;

/* Works the table out. RS_BAD_INPUT: a communicator that cannot be (ranks, nodes, version, bandwidths). */
rs_status rs_nccl_tune(const rs_nccl_comm *comm, rs_error *error, rs_nccl_table *table);
/* The same of one cell alone, for those who try many communicators. */
rs_status rs_nccl_tune_cell(const rs_nccl_comm *comm, rs_collective coll,
                            rs_nccl_algorithm algorithm, rs_nccl_protocol protocol,
                            rs_nccl_cell *cell);

/* A cell's time for a size, and what it is made of: us = latency_us + bytes_us. */
typedef struct rs_nccl_cost {
    float us;         /* -1: the cell is off */
    float latency_us; /* with its factor */
    float bytes_us;
    float latency_factor;   /* a ring between nodes slows down on long messages */
    float bandwidth_factor; /* trees lose at middle sizes */
} rs_nccl_cost;
rs_nccl_cost rs_nccl_cost_of(const rs_nccl_comm *comm, const rs_nccl_table *table,
                             rs_collective collective, rs_nccl_algorithm algorithm,
                             rs_nccl_protocol protocol, int64_t n_bytes);

typedef struct rs_nccl_choice {
    rs_nccl_algorithm algorithm;
    rs_nccl_protocol protocol;
    rs_nccl_cost cost;
    int32_t n_channels, n_threads; /* threads: of a block, those that only wait included */
} rs_nccl_choice;
/* Chooses what NCCL would for so many bytes; false: every cell of the collective is off. */
bool rs_nccl_choose(const rs_nccl_comm *comm, const rs_nccl_table *table, rs_collective collective,
                    int64_t n_bytes, rs_nccl_choice *choice);
/* Says with how many channels and threads a cell would run so many bytes. */
void rs_nccl_trim(const rs_nccl_comm *comm, int64_t n_bytes, rs_nccl_choice *choice);

/* Finds the next size above n_bytes, up to `most`, at which the choice differs from that at n_bytes (algorithm or
   protocol); false: none. */
bool rs_nccl_crossing(const rs_nccl_comm *comm, const rs_nccl_table *table,
                      rs_collective collective, int64_t n_bytes, int64_t most, int64_t *next);

#ifdef __cplusplus
}
#endif
#endif
