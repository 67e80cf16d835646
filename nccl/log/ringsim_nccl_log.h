/* ringsim_nccl_log.h: what NCCL's own log says (NCCL_DEBUG=INFO), line by line, and the inputs behind its tuning table.
 *
 *     lines --rn_nccl_log_line--> ... --rn_nccl_log_end--> LOG: version, ranks, rings, trees, graphs, table, calls, notes
 *     LOG --rn_nccl_infer--> communicator whose table has the printed digits
 *
 *   - Any launcher's prefix, interleaved ranks and torn lines are taken as they come; what is not known is counted,
 *     never an error. Spellings from 2.4 to 2.30.
 *   - Lines are handed in one at a time: a log of any length takes no more memory than what it says.
 */
#pragma once

#include "ringsim_findings.h"
#include "ringsim_tuning.h"

RS_BEGIN_DECLS

/* Bytes of a name, of a setting's value that are kept. */
enum { RN_NCCL_WORD = 64, RN_NCCL_VALUE = 192 };

/* A line that is worth a sentence, the gravest first; what a, b and text are stands beside each. */
typedef enum rn_nccl_remark {
    RN_REMARK_NO_PATH,     /* error: the search gave up and took a simple order; a: the pattern */
    RN_REMARK_VERSIONS,    /* error: ranks of two versions; a, b */
    RN_REMARK_BAD_SETTING, /* error: NCCL_ALGO or NCCL_PROTO cannot be read; text: name=value */
    RN_REMARK_WARN,        /* warning: NCCL's own; text; a: times */
    RN_REMARK_SHM,         /* warning: GPUs of a node over host memory; a: connections */
    RN_REMARK_SOCKET,      /* warning: nodes over sockets; a: connections */
    RN_REMARK_NO_GDR,      /* warning: the NIC does not reach into GPU memory; a: connections */
    RN_REMARK_NO_NVLS,     /* warning: an NVSwitch, and no NVLS channels */
    RN_REMARK_SLOW_NIC,    /* warning: a NIC of less speed than others; a, b: tenths of GB/s */
    RN_REMARK_NIC_COUNT,   /* warning: a process sees a NICs, the first one b */
    RN_REMARK_NETWORKS,    /* warning: processes with another network than the first; text: which */
    RN_REMARK_NOT_COMPLETE, /* warning: a ranks of a communicator of b began and did not end; text: its id */
    RN_REMARK_REFUSED,      /* warning: connecting was tried again; a: times; text: why */
    RN_REMARK_LL128_FORCED, /* warning: NCCL_PROTO switches the tests for LL128 off; text: the value */
    RN_REMARK_SWITCHED_OFF, /* note: a setting switches a transport or a feature off; text NAME=VALUE */
    RN_REMARK_SETTING,      /* note: any other setting; text NAME=VALUE */
    RN_REMARK_PLUGIN,       /* note: a setting that a plugin made; text NAME=VALUE */
    RN_REMARK_MIXED_NICS,   /* note: InfiniBand and RoCE among one process's NICs */
    RN_REMARK_UNUSED_NIC,   /* note: a slower NIC, by which no channel goes; a, b: tenths of GB/s */
    RN_REMARK_SILENT_RANKS, /* note: ranks without a line; a: heard, b: of so many */
    RN_REMARK_RING_CUT, /* note: rings that cannot be closed from the lines there are; a: how many */
    RN_REMARK_RCCL,     /* note: AMD's library, whose model is another */
    RN_REMARK_UNCHECKED, /* note: a version newer than is known */
    RN_REMARK_TOO_MANY,  /* note: more lines of rings, trees or ranks than are kept */
    RN_N_REMARKS
} rn_nccl_remark;
rn_level rn_nccl_remark_level(rn_nccl_remark remark);

typedef struct rn_nccl_note {
    int64_t line; /* from 1 */
    rn_nccl_remark what;
    int32_t a, b;
    char text[RN_NCCL_WORD + RN_NCCL_VALUE];
} rn_nccl_note;

/* "NCCL_ALGO set by environment to Ring." */
typedef struct rn_nccl_setting {
    int64_t line;
    bool plugin; /* a plugin put it into the environment */
    char name[RN_NCCL_WORD], value[RN_NCCL_VALUE];
} rn_nccl_setting;

/* How connections run: "P2P/CUMEM", "NET/IB/GDRDMA": numbers of devices are left out. */
typedef struct rn_nccl_transport {
    char name[RN_NCCL_WORD];
    int64_t n, line; /* connections, the first one's line */
} rn_nccl_transport;

typedef struct rn_nccl_ring {
    int32_t channel;
    int32_t *ranks; /* [n] in the order in which data go */
    int32_t n;
    bool whole; /* closed, with every rank of the communicator */
    int64_t line;
} rn_nccl_ring;

/* A tree, or one of the two of a channel. */
typedef struct rn_nccl_tree {
    int32_t channel, root; /* root -1: not among the lines */
    int32_t *
        up; /* [n_ranks] the rank above, -1: none; -2: not known. NULL: too few of many ranks have lines */
    bool whole;
    int64_t line;
} rn_nccl_tree;

typedef struct rn_nccl_printed {
    float latency_us, bandwidth_GBps;
    int64_t line; /* 0: not printed */
} rn_nccl_printed;

/* What NCCL decided for a call; calls that are alike are one. */
typedef struct rn_nccl_call {
    int64_t n_bytes, line, n; /* n: calls */
    rs_collective collective;
    rn_nccl_algorithm algorithm;
    rn_nccl_protocol protocol;
    double us;          /* -1: not printed */
    int32_t n_channels; /* 0: not printed */
} rn_nccl_call;

/* Calls of COLL lines that are alike, of all ranks in the log. */
typedef struct rn_nccl_sum {
    char name[24];          /* AllReduce, Send, ... */
    int32_t datatype;       /* NCCL's number */
    int64_t count, n, line; /* elements, calls, the first one's line */
} rn_nccl_sum;
/* Returns 4 for NCCL's datatype 7, and "float32"; 0 and "?": unknown. */
int32_t rn_nccl_type_bytes(int32_t datatype);
const char *rn_nccl_type_name(int32_t datatype);

typedef struct rn_nccl_log {
    int64_t n_lines, n_used, n_unknown, n_torn; /* unknown, torn: of NCCL's lines */
    int32_t version;                            /* 0: not said */
    int64_t version_line;
    bool rccl;
    int32_t n_comms, n_ranks, n_nodes; /* of the largest communicator; 0: not said */
    int64_t comm_line,
        nodes_line;  /* nodes_line 0: nodes are its hosts, where all ranks are heard */
    int32_t n_hosts; /* on which the ranks are that are heard; 0: not said */
    int32_t n_heard; /* ranks that have a line */
    int32_t n_coll_channels, n_nvls_channels, n_p2p_channels, n_collnet_channels; /* -1: not said */
    int64_t channels_line;
    rn_nccl_cpu cpu;
    bool cpu_said;
    char gpu[RN_NCCL_WORD]; /* by nccl-tests' list, the first; gpu_line 0: there is none */
    int64_t gpu_line;
    bool other_gpus;
    char network[RN_NCCL_WORD],
        nics[RN_NCCL_VALUE]; /* of the first that says so; nics: NET/IB's, as they are named */
    int64_t network_line, nics_line; /* 0: not said */
    int32_t n_seen_nics;
    int64_t no_ib_line,
        no_gdr_line; /* that says that there is none, that it is off; 0: none does */
    bool mnnvl;      /* NVLink joins hosts */
    int32_t n_nvswitches, n_nics;
    bool system_said;
    rn_nccl_graph graphs[RN_NCCL_N_ALGORITHMS];
    int64_t graph_line[RN_NCCL_N_ALGORITHMS]; /* 0: not said */
    rn_nccl_pattern max_tree_pattern;
    rn_nccl_setting *settings;
    rn_nccl_transport *transports;
    rn_nccl_ring *rings;
    rn_nccl_tree *trees;
    rn_nccl_call *calls;
    rn_nccl_note *notes; /* by line */
    int32_t n_settings, n_transports, n_rings, n_trees, n_calls, n_notes;
    rn_nccl_sum *sums;
    int32_t n_sums;
    int64_t n_coll_lines, n_unsummed; /* calls; those of which there are too many kinds */
    rn_nccl_printed table[RS_N_COLLECTIVES][RN_NCCL_N_ALGORITHMS][RN_NCCL_N_PROTOCOLS];
    int64_t table_line; /* 0: no table */
    int32_t max_threads[RN_NCCL_N_ALGORITHMS][RN_NCCL_N_PROTOCOLS];
} rn_nccl_log;

typedef struct rn_nccl_log_reader rn_nccl_log_reader;
/* Begins a log; all that it says lives in the arena. NULL: no memory. */
rn_nccl_log_reader *rn_nccl_log_begin(rs_arena *arena);
/* Takes the next line, without its end; long ones are cut. */
void rn_nccl_log_line(rn_nccl_log_reader *reader, const char *line, size_t n_bytes);
/* Ends it: rings and trees are built, notes sorted. RS_BAD_INPUT: not one line of NCCL's. */
rs_status rn_nccl_log_end(rn_nccl_log_reader *reader, rs_error *error, rn_nccl_log *log);
/* Reads NCCL_ALGO or NCCL_PROTO as the log's version does; any other name is right. RS_BAD_INPUT: why, in *error. */
rs_status rn_nccl_read_setting(const rn_nccl_log *log, const char *name, const char *value,
                               rn_nccl_filter *filter, rs_error *error);
/* Tells whether a line is one of NCCL's. */
bool rn_nccl_is_log_line(const char *line, size_t n_bytes);

/* Tells whether a message of NCCL's begins with a form: its words, with % for what varies. A number at the end of words is
   whole: "error 12" is not in "error 129". */
bool rn_nccl_has_form(const char *message, const char *form);

/* How well the printed table is met. */
typedef struct rn_nccl_fit {
    rn_nccl_comm comm;
    rn_nccl_table table;  /* of comm */
    int32_t n_numbers;    /* printed, two a cell */
    int32_t n_alike;      /* of them come out with the same digits */
    bool graphs_said;     /* by GRAPH lines; else taken back from the table */
    int32_t n_candidates; /* combinations tried */
} rn_nccl_fit;
/* Finds a communicator that has the log's table: its graphs from GRAPH lines where there are, otherwise taken back from
   the bandwidths; GPUs, CPU and paths by trying which give the same digits. RS_BAD_INPUT: no table, or no ranks;
   RS_UNSUPPORTED: a version whose model is not known, RCCL. */
rs_status rn_nccl_infer(const rn_nccl_log *log, rs_error *error, rn_nccl_fit *fit);
/* Tells whether a number is printed so, with one decimal. */
bool rn_nccl_same_digits(float number, float printed);

RS_END_DECLS
