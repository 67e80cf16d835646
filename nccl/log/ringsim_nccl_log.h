/* ringsim_nccl_log.h: what NCCL's own log says (NCCL_DEBUG=INFO), line by line, and the inputs behind its tuning table.
 *
 *     lines --rn_nccl_log_line--> ... --rn_nccl_log_end--> LOG: version, ranks, rings, trees, graphs, table, calls
 *       `--> findings: what is worth a sentence, with its line
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
    /* [n_ranks] the rank above, -1: none; -2: not known. NULL: too few of many ranks have lines. */
    int32_t *up;
    /* [n_ranks][3] the ranks below, in the order of the line, -1: none; NULL as up. */
    int32_t *below;
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
    int64_t n_raised;                           /* of those used: an exception's */
    int32_t version;                            /* 0: not said */
    int64_t version_line;
    bool rccl;
    int32_t n_comms, n_ranks, n_nodes; /* of the largest communicator; 0: not said */
    int64_t comm_line,
        nodes_line;  /* nodes_line 0: nodes are its hosts, where all ranks are heard */
    int32_t n_hosts; /* on which the ranks are that are heard; 0: not said */
    int32_t n_heard; /* ranks that have a line */
    int32_t n_coll_channels, n_nvls_channels; /* -1: not said */
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
    rn_nccl_graph graphs[RN_NCCL_N_ALGORITHMS];
    int64_t graph_line[RN_NCCL_N_ALGORITHMS]; /* 0: not said */
    rn_nccl_pattern max_tree_pattern;
    rn_nccl_setting *settings;
    rn_nccl_transport *transports;
    rn_nccl_ring *rings;
    rn_nccl_tree *trees;
    rn_nccl_call *calls;
    int32_t n_settings, n_transports, n_rings, n_trees, n_calls;
    rn_nccl_sum *sums;
    int32_t n_sums;
    int64_t n_coll_lines, n_unsummed; /* calls; those of which there are too many kinds */
    rn_nccl_printed table[RS_N_COLLECTIVES][RN_NCCL_N_ALGORITHMS][RN_NCCL_N_PROTOCOLS];
    int64_t table_line; /* 0: no table */
    int32_t max_threads[RN_NCCL_N_ALGORITHMS][RN_NCCL_N_PROTOCOLS];
} rn_nccl_log;

typedef struct rn_nccl_log_reader rn_nccl_log_reader;
/* Begins a log; all that it says lives in the arena, what is worth a sentence is added to the findings. NULL: no memory. */
rn_nccl_log_reader *rn_nccl_log_begin(rs_arena *arena, rn_findings *findings);
/* Takes the next line, or lines, the last without its end; long ones are cut. */
void rn_nccl_log_line(rn_nccl_log_reader *reader, const char *lines, size_t n_bytes);
/* Ends it: rings and trees are built, what all lines say together is judged. RS_BAD_INPUT: not one line of NCCL's. */
rs_status rn_nccl_log_end(rn_nccl_log_reader *reader, rs_error *error, rn_nccl_log *log);
/* Tells whether a line is one of NCCL's. */
bool rn_nccl_is_log_line(const char *line, size_t n_bytes);

/* What a known message is to a job. */
typedef enum rn_nccl_severity {
    RN_SAYS_ENDS,   /* a cause: the job ends, or hangs */
    RN_SAYS_FATAL,  /* a cause, and the GPU needs a reset, whatever ran on it */
    RN_SAYS_SLOWER, /* the job goes on, slower; NCCL may say so as INFO */
    RN_SAYS_ECHO,   /* follows from what another rank or an earlier line says */
    RN_SAYS_CLASS   /* a class of errors: worth a word where nothing else is said */
} rn_nccl_severity;
/* A message of NCCL's whose cause is known (nccl_log_messages.c). */
typedef struct rn_nccl_message {
    rn_nccl_severity severity;
    const char *file;          /* that says it; NULL: any */
    const char *settings;      /* those that bring it about, with blanks between; NULL: none does */
    const char *source, *hint; /* hint: its likely cause, and what to do next */
    const char *asked;         /* how docs/questions.md heads it; NULL: it has none */
    const char *forms[13];     /* the rest is NULL */
} rn_nccl_message;
/* Returns all of them, *n. */
const rn_nccl_message *rn_nccl_messages(int *n);
/* Tells whether a message, said at a place such as "transport/nvls.cc:254", or "", has one of the row's forms. */
bool rn_nccl_meets(const rn_nccl_message *row, const char *place, const char *message);

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
