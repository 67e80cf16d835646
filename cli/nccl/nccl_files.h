/* nccl_files.h: NCCL's files, recognised by their content and read (nccl_files.c): for `explain`, and for what `estimate` takes
 * from them.
 *
 *     file --kind--> readers --> rc_explained
 *
 *   - A finding has the line that it is from. An error among them is the answer "no".
 */
#pragma once

#include "base/files.h"
#include "ringsim_msccl.h"
#include "ringsim_nccl_bits.h"
#include "ringsim_tables.h"
#include "ringsim_topology.h"
#include "run/command.h"

typedef enum rc_file_kind {
    RC_KIND_LOG,
    RC_KIND_TOPOLOGY,
    RC_KIND_GRAPH,
    RC_KIND_TUNER,
    RC_KIND_TABLE, /* of nccl-tests */
    RC_KIND_MATRIX,
    RC_KIND_ENVIRONMENT, /* lines that set NCCL_... */
    RC_KIND_PROGRAM,     /* of MSCCL's */
    RC_KIND_ERROR,       /* an exception, beside no line of NCCL's own */
    RC_KIND_UNKNOWN,     /* another program's, without anything of these */
    RC_N_KINDS
} rc_file_kind;
/* Returns "nccl-log", ... */
const char *rc_file_kind_name(rc_file_kind kind);

/* tuner_file.c: a line of a tuner's CSV; -1: any, or as NCCL has it. */
typedef struct rc_tuner_row {
    int64_t line, least, most; /* bytes, most -1: no end */
    rs_collective collective;
    rn_nccl_algorithm algorithm;
    rn_nccl_protocol protocol;
    int32_t n_channels, n_nodes, n_ranks;
} rc_tuner_row;

/* What a file says. */
/* Why a table may be slower than its machine, the likeliest first; none: no usual cause fits, or it is not slower. */
enum { RC_MOST_SUSPECTS = 3 };
typedef struct rc_suspects {
    int n;
    const char *ids[RC_MOST_SUSPECTS];   /* "one-nic" */
    const char *words[RC_MOST_SUSPECTS]; /* marked, English */
} rc_suspects;

/* A table before the last one of a file, of another collective: its best row. */
enum { RC_MOST_TABLES = 7 };
typedef struct rc_past_table {
    int64_t line, n_bytes; /* of its first row; 0: none says a rate */
    double GBps;
    char name[24]; /* "all_gather"; "": no line says */
} rc_past_table;

/* What another program says. */
typedef struct rc_foreign {
    const char *what; /* whose output it is and what it tells; NULL: none */
    int64_t line;     /* by which it is known */
    char names[240];  /* what in it is not well; "": nothing that is known of */
} rc_foreign;

typedef struct rc_explained {
    const char *path;
    rc_file_kind kind;
    rn_findings findings;
    rn_nccl_log log;   /* of a log */
    rc_foreign raised; /* in it: an exception that no row knows */
    rn_nccl_fit fit;   /* of its table */
    bool has_fit;
    rs_error no_fit; /* why there is none */
    rn_graph_file graph;
    rc_tuner_row *rows; /* of a tuner's file */
    int32_t n_rows;
    rs_machine machine; /* of a topology, of a matrix */
    float ring_GBps;    /* of its rings, by ringsim's own search: graph.rings */
    rn_table table;     /* of nccl-tests */
    bool has_table;
    rc_past_table tables[RC_MOST_TABLES]; /* [n_tables] before it */
    int n_tables;
    int64_t n_best; /* bytes of its best row; its busbw, and what the machine allows; 0: unknown */
    double best_GBps, best_algbw, most_GBps;
    const struct rc_estimate
        *judged; /* its rows beside what is expected; NULL: without a machine */
    const struct rc_estimate_row *best;
    rc_suspects suspects; /* of what is judged */
    rn_straggler straggler;
    rn_msccl program; /* of MSCCL's */
} rc_explained;

/* Recognises and reads a file; an error among the findings is no failure. */
rc_exit rc_explain_file(rc_session *session, const char *path, rc_explained *e);
/* Puts the file's name before the reason, where it does not stand there; returns status. */
rc_exit rc_name_file(rc_session *session, const char *path, rc_exit status);
/* foreign.c: says what another program's output is; false: it is none that is known. */
bool rc_find_foreign(const char *text, size_t n_bytes, rc_foreign *found);
/* complaint.c: finds the line of a text which tells of an error that no row knows; raised: an exception. False: there is none. */
bool rc_find_complaint(const char *text, size_t n_bytes, bool raised, rc_foreign *found);
/* Adds to a file's findings what a foreign text, or a line of it, says. */
void rc_say_foreign(rc_explained *e, const rc_foreign *found, bool first);

/* foreign_names.c */
/* Names the NICs whose port is down. */
void rc_find_down(const char *text, size_t n_bytes, rc_foreign *found);
/* Names NVLinks that are not up, and pairs of AMD's GPUs without XGMI. */
void rc_find_inactive(const char *text, size_t n_bytes, rc_foreign *found);
void rc_find_pcie(const char *text, size_t n_bytes, rc_foreign *found);
/* Names the pairs of GPUs that may not map each other's memory; false: it is no matrix of nvidia-smi topo -p2p. */
bool rc_find_peers(const char *text, size_t n_bytes, rc_foreign *found);
/* bits_shown.c: writes "predicted from NCCL 2.29's source, not yet shown on a GPU", or by which GPU it was, and when. */
enum { RC_SHOWN_TEXT = 512 };
void rc_shown_text(const rn_bits_shown list[], const rn_bits_shown *asked, char *out, size_t n_out);
/* table_marks.c: finds what comes before all figures of a table: wrong results, processes that measure each for itself. */
void rc_find_marks(rc_explained *e);
/* Parts the tables of a text, where they are of several collectives: the last is the file's, of the others the best is kept. */
void rc_find_tables(const char *text, size_t n_bytes, rs_arena *arena, rc_explained *e);
/* Finds where a larger size is much slower, and a table of small sizes only. */
void rc_find_cliff(rc_explained *e);
/* Tells whether it is what NCCL's example of a tuner measures, from which its optimize_config.py makes a tuner's CSV. */
bool rc_is_tuner_input(const char *text, size_t n_bytes);
/* Tells whether a text has a line of a tuner's CSV. */
bool rc_is_tuner(const char *text, size_t n_bytes);
rc_exit rc_read_tuner(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                      rs_error *error, rc_tuner_row **rows, int32_t *n_rows);
/* Adds to the findings what a row does that nobody wants: algorithms that the collective has not, ... */
void rc_lint_tuner(const rc_tuner_row rows[], int32_t n_rows, rn_findings *findings);
/* Writes a tuner's CSV for what the model chooses by size. */
void rc_write_tuner(const rn_nccl_fit *fit, FILE *out);
/* environment.c: tells whether a text has a line that sets NCCL_... */
bool rc_is_environment(const char *text, size_t n_bytes);
/* Hands its settings to a log's reader, as ENV lines would. */
void rc_read_environment(const char *text, size_t n_bytes, rn_nccl_log_reader *reader);
/* Tells whether a path can stand in what is written: no quote, no line's end, not too long. */
bool rc_shell_quotes(const char *path);
/* Writes what the model chooses as a shell's lines, each with its why; tuner: the path of its CSV, or NULL. */
void rc_write_environment(const rn_nccl_fit *fit, const char *tuner, FILE *out);
/* rule_words.c: says why a cell is off, and which term its bandwidth has. */
const char *rc_rule_text(rn_nccl_rule rule);
const char *rc_limit_text(rn_nccl_limit limit);
