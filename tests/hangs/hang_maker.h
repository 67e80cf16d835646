/* hang_maker.h: jobs that stand still, made from a seed: what each rank calls, dp x tp x pp; a fault; what is over
 * when nothing moves any more; and the dumps, byte for byte as torch's or Python's pickler writes them.
 *
 *     seed --make_hang--> job --dump_rank--> bytes --rn_read_recorder, rn_judge_hang--> verdict --score_hang--> right?
 */
#pragma once

#include "ringsim_hang.h"

typedef enum made_fault {
    MADE_NONE,
    MADE_MISSING,
    MADE_EXTRA,
    MADE_SWAPPED,
    MADE_SIZE,
    MADE_TYPE,
    MADE_OPERATION,
    MADE_CYCLE,
    MADE_SILENT,  /* dies, and leaves no dump */
    MADE_STOPPED, /* goes no further */
    MADE_INSIDE,  /* a call that all have made does not end */
    MADE_MESSAGE, /* a send or recv is left out */
    MADE_SLOW,    /* comes late to each call; nothing hangs */
    MADE_CROSSED, /* calls of two groups are launched in another order; all have launched both */
    MADE_N_FAULTS
} made_fault;
const char *made_fault_name(made_fault fault);

typedef enum made_op {
    MADE_ALL_REDUCE,
    MADE_ALL_GATHER,
    MADE_REDUCE_SCATTER,
    MADE_BROADCAST,
    MADE_BARRIER,
    MADE_SEND,
    MADE_RECV
} made_op;

typedef struct made_call {
    int32_t group, peer;  /* peer: as numbered in the group */
    int32_t seq, p2p_seq; /* when it was made; from 1 */
    int32_t line;
    int64_t n;                                    /* elements */
    int64_t created_ns, started_ns, completed_ns; /* by one clock */
    uint8_t op, dtype;
    bool done;
} made_call;

typedef struct made_group {
    char name[16], desc[16];
    int32_t *ranks, n_ranks;
    int64_t stands_at; /* this call of it never ends; -1: none */
    int32_t n_done;    /* collectives that are over */
    int64_t free_ns;   /* when the last of them was */
    int32_t **made;    /* [n_ranks][...] calls of each member, by their place in its program */
    int32_t *n_made, *room;
} made_group;

typedef struct made_rank {
    made_call *calls;                 /* the program */
    int32_t n, room, n_run;           /* it stops before n_run */
    int32_t n_made, n_open, n_closed; /* n_closed: so many of the program's are over at least */
    int64_t now_ns;
    int32_t n_seq[8], n_p2p[8]; /* by own group */
    int32_t groups[8], n_groups;
    bool no_dump;
} made_rank;

/* What is there to read of it. */
typedef enum made_form {
    MADE_DUMPS,
    MADE_ACTIVE,    /* dumps of calls that are open alone */
    MADE_LOG,       /* a log of torch's watchdogs */
    MADE_RESTARTED, /* the same, behind that of another attempt */
    MADE_PART,      /* dumps of the first half of the ranks */
    MADE_N_FORMS
} made_form;

/* How a job is to be; zeros: drawn from the seed. */
typedef struct made_wish {
    uint64_t seed;
    int32_t n_ranks;   /* at the most; 0: drawn */
    made_fault fault;  /* MADE_N_FAULTS: drawn */
    int32_t n_entries; /* a rank, about; 0: drawn */
    made_form form;
    bool experts; /* beside tp, dp, pp there are groups of every other shard of two replicas */
} made_wish;

typedef struct made_job {
    made_wish wish;
    int32_t n_ranks, dp, tp, pp, ahead,
        buffer;       /* calls that a rank may run ahead; entries of the ring buffer */
    bool frames;      /* calls know their lines */
    bool one_name;    /* all groups of a kind have one name */
    bool coalesced;   /* sends and recvs are in coalesced groups */
    int32_t own_line; /* this rank's broadcast comes from a line of its own; -1: nobody's */
    int32_t blind;    /* this rank's dump is lost, or cut; -1: nobody's */
    bool cut;
    bool in_order; /* of all groups: what is launched first runs first */
    bool timed, status, slow_once;
    int64_t poll_ns, work_ns; /* the watchdog's; between two calls, about */
    int style;                /* 0: torch's pickler, 2..5: Python's protocol, 1: JSON */
    made_group *groups;
    int32_t n_groups;
    made_rank *ranks;
    made_fault fault;
    int32_t culprit, at; /* the rank; the place in its program */
    int32_t group;       /* of the call */
    int32_t low, high;   /* seq that name it */
    bool hangs, decidable;
    uint64_t random;
} made_job;

made_job *make_hang(const made_wish *wish);
void free_hang(made_job *job);
/* Returns the bytes of a rank's dump, which the caller frees; NULL: it has none. */
char *dump_rank(const made_job *job, int32_t rank, size_t *n_bytes);

/* Returns the text of a log, which the caller frees. */
char *log_of_job(const made_job *job, size_t *n_bytes);

typedef enum made_score {
    SCORE_RIGHT,     /* decidable: rank and call; else: undecided, or right all the same */
    SCORE_KIND,      /* the right rank and call, another kind of fault */
    SCORE_CALL,      /* the right rank, another call */
    SCORE_UNDECIDED, /* decidable, but was not decided */
    SCORE_WRONG,     /* names another rank, or a hang where none is */
    N_SCORES
} made_score;
made_score score_hang(const made_job *job, const rn_hang *hang);
/* Reads and judges the whole job; what is found is from `keep`. */
void judge_made(const made_job *job, rs_arena *keep, rn_hang *hang);
/* The same, and scores the answer; *verdict may be NULL. */
made_score try_hang(const made_job *job, rn_hang_verdict *verdict);
/* What the rule does that pairs equal numbers only and takes the first rank for the truth. */
made_score score_by_number(const made_job *job);
