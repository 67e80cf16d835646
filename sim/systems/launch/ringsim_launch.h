/* ringsim_launch.h: how a job on several machines starts: which processes there are, what each is told,
 * which GPUs it takes, how they find each other; and what the classic mistakes lead to.
 *
 *     2 nodes x 4 GPUs, 2 GPUs a process        node 0                node 1
 *                                   GPUs   [0 1] [2 3]           [0 1] [2 3]      counted on each node
 *                             local rank     0     1               0     1        counted on each node
 *                                   rank     0     1               2     3        counted over all
 *
 *     world size = nodes x GPUs a node / GPUs a process;   local world size = GPUs a node / GPUs a process
 *
 *   - The bootstrap is that of `ringsim verify --on nccl`, moment by moment (gpu/bootstrap/; a test reads the
 *     real one's messages and compares): the same order, the same messages, the same sentences where it
 *     fails. Only who comes when is chosen here: rank 1 first, then the others by their number.
 *   - Nothing here starts a process.
 */
#pragma once

#include "ringsim.h"

RS_BEGIN_DECLS

enum { RS_MAX_PROCESSES = 1024, RS_MASTER_PORT = 29500 };

typedef enum rs_starter {
    RS_TORCHRUN,
    RS_TORCH_LAUNCH,
    RS_MP_SPAWN,
    RS_SRUN,
    RS_N_STARTERS
} rs_starter;
typedef enum rs_init_method {
    RS_INIT_ENV,
    RS_INIT_TCP,
    RS_INIT_FILE,
    RS_N_INIT_METHODS
} rs_init_method;
typedef enum rs_mistake {
    RS_NO_MISTAKE,
    RS_WORLD_SIZE,       /* the last node's processes are told another world size */
    RS_RANK_TWICE,       /* the last process is told the rank of the one before it */
    RS_STALE_FILE,       /* the init file is of an earlier run */
    RS_RANK0_COLLECTIVE, /* rank 0 alone calls an all-reduce */
    RS_EVERYBODY_SAVES,  /* all write the checkpoint, into one file */
    RS_NO_SET_DEVICE,    /* nobody chooses a GPU, so all of a node take the first */
    RS_MISSING_NPROC,    /* the starter is not told how many processes a node has */
    RS_N_MISTAKES
} rs_mistake;
/* Names as they are typed: "torchrun", "env", "rank-twice"; RS_NO_MISTAKE is "none". */
const char *rs_starter_name(rs_starter starter);
const char *rs_init_method_name(rs_init_method init);
const char *rs_mistake_name(rs_mistake mistake);

typedef struct rs_launch {
    int32_t n_nodes, gpus_per_node, gpus_per_process;
    rs_starter starter;
    rs_init_method init;
    rs_mistake mistake;
} rs_launch;

typedef struct rs_process {
    int32_t rank, world_size; /* as it is told */
    int32_t node, local_rank, local_world_size;
    int32_t first_gpu, n_gpus; /* of its node, that it really uses */
} rs_process;

typedef struct rs_launched {
    rs_launch of;
    int32_t per_node, n_processes; /* that are started; process i is started i-th, node by node */
    int32_t idle_gpus;             /* that no process uses */
} rs_launched;

/* Works out what is started. RS_BAD_INPUT: numbers that do not go into each other, too many processes,
   or a mistake that cannot be made with so few. */
rs_status rs_launch_plan(const rs_launch *launch, rs_error *error, rs_launched *launched);
rs_process rs_launch_process(const rs_launched *launched, int32_t index);

/* What a process finds when it begins: environment variables, or an argument of its function. */
enum { RS_MOST_VARIABLES = 12, RS_VARIABLE_TEXT = 48, RS_COMMAND_TEXT = 256 };
typedef struct rs_variable {
    const char *name;
    char value[RS_VARIABLE_TEXT];
    bool argument; /* it comes as an argument, not in the environment */
} rs_variable;
/* Writes them and returns how many; those of the bootstrap come last. */
int rs_launch_variables(const rs_launched *launched, int32_t index,
                        rs_variable out[RS_MOST_VARIABLES]);
/* Writes the command that starts the job on a node; an empty text: none is typed there. */
void rs_launch_command(const rs_launched *launched, int32_t node, char out[RS_COMMAND_TEXT]);
/* Writes the init method, as people read it: "tcp://node0:29500". */
void rs_launch_where(const rs_launched *launched, char out[RS_VARIABLE_TEXT]);

/* ------------------------------------------------------------------ the bootstrap, moment by moment */

typedef enum rs_moment_kind {
    RS_STARTED,         /* all processes run; each has its numbers and knows nobody */
    RS_REFUSED,         /* `process` connects; nobody listens yet, it will try again */
    RS_LISTENS,         /* rank 0 does, at the init method */
    RS_HELLO,           /* `process` says who it is: version, world size, rank; rank 0 judges it */
    RS_WELCOMED,        /* nobody is missing: rank 0 says so to each */
    RS_FIRST_SLOT,      /* file: `process` is the first; it writes the head and its own slot */
    RS_SLOT,            /* file: `process` writes its slot */
    RS_ALL_SLOTS,       /* file: everybody sees all slots taken */
    RS_EXCHANGED,       /* everybody's bytes go to everybody: exchange `number`, from 1 */
    RS_READY,           /* the communicator stands: the work may begin */
    RS_BOOTSTRAP_FAULT, /* the bootstrap is over for all; `text` says why */
    RS_ALONE,           /* rank 0 calls an all-reduce, the others do not */
    RS_STALLED,         /* ... and waits for rank `number`, for ever */
    RS_SAVED,           /* `process` has written the checkpoint */
    RS_TRUNCATED,       /* `process` opens the same file to write: it is empty now */
    RS_READ_SHORT,      /* rank 0 reads back what it wrote, and finds too little */
    RS_HALF_SAVED,
    RS_ALL_SAVED,
} rs_moment_kind;
enum {
    RS_N_EXCHANGES = 4
}; /* machines and GPUs; a vote; the GPU each has taken; NCCL's unique id */

typedef enum rs_process_state {
    RS_PROCESS_ALONE,   /* started, knows nobody */
    RS_PROCESS_TRYING,  /* was refused, tries again */
    RS_PROCESS_WAITING, /* has said who it is, or listens */
    RS_PROCESS_JOINED,  /* knows that all are there */
    RS_PROCESS_WORKING,
    RS_PROCESS_HANGING,
    RS_PROCESS_FAILED,
} rs_process_state;

typedef struct rs_moment {
    rs_moment_kind kind;
    int32_t process; /* that does it; -1: all */
    int32_t number;
    int32_t messages;     /* that are sent in it, both ways; file: locks taken to write */
    int32_t file_percent; /* of the checkpoint that is in the file; -1: there is none */
} rs_moment;

typedef struct rs_bootstrap {
    rs_launched of;
    int32_t n_moments;
    rs_moment *moments;
    uint8_t *state; /* [n_moments][n_processes], rs_process_state */
    bool completes; /* the job does what it was meant to, as far as it is told here */
    rs_error why;   /* not: the very line of `verify` where it would say one; text "" */
} rs_bootstrap;
/* Tells the whole bootstrap. */
rs_status rs_bootstrap_simulate(const rs_launched *launched, rs_arena *arena, rs_error *error,
                                rs_bootstrap *bootstrap);
rs_process_state rs_process_state_at(const rs_bootstrap *bootstrap, int32_t moment,
                                     int32_t process);

RS_END_DECLS
