/* ringsim_schedule.h: the schedule, which says for every step and rank what that rank sends; who makes one.
 *
 *     algorithm, list of transfers, .sched text ---> SCHEDULE ---> sends(step, rank), recvs(step, rank)
 */
#pragma once

#include "ringsim_collective.h"

RS_BEGIN_DECLS

typedef enum rs_effect { RS_REDUCE, RS_COPY } rs_effect; /* the receiver adds, or overwrites */
typedef enum rs_phase {
    RS_PHASE_NONE, /* schedules from files, most of them */
    RS_SCATTER_REDUCE,
    RS_ALL_GATHER,
    RS_REDUCE_PHASE,
    RS_BROADCAST,
    RS_EXCHANGE,
    RS_FOLD_IN,
    RS_FOLD_OUT
} rs_phase;
typedef enum rs_order { RS_ORDER_SEED, RS_ORDER_NCCL } rs_order;

enum {
    RS_MAX_RANKS = 131072,    /* generated schedules */
    RS_MAX_FILE_RANKS = 4096, /* schedules from files, chunks too */
    RS_MAX_FILE_TRANSFERS = 10000000,
    RS_MAX_CHANNELS = 64,
    RS_MAX_PIECES = 1 << 20,  /* chunks of a pipeline that is told how many */
    RS_MAX_ALL_TO_ALL = 1024, /* ranks of a generated all-to-all */
    RS_MAX_PHASES = 4,
    RS_MAX_SENDS = 4096 /* messages of one rank in one step, each way; generated schedules */
};

/* One message: a contiguous range of chunks from src to dst in a step. */
typedef struct rs_transfer {
    int32_t src, dst;
    int32_t chunk;    /* the first */
    int32_t n_chunks; /* >= 1; the range never wraps past the last chunk */
    int32_t order;    /* its place in the step's list. In generated schedules any numbers that rise
                         along the list, none twice: the source rank will do where each sends one */
    uint8_t effect;   /* rs_effect */
    uint8_t channel;  /* 0 .. n_channels - 1 */
} rs_transfer;

typedef struct rs_phase_range {
    rs_phase phase;
    int32_t first_step; /* the phase ends where the next begins */
} rs_phase_range;

/* The program whose answers a schedule is, for those who show it: nothing in this room reads it. */
typedef struct rs_source {
    const char *file;   /* its name, without folders; NULL: not known */
    const char *text;   /* of the functions, in C; "": it was listed, message by message */
    const char *header; /* ring.h, for who explains the text line by line; NULL: nobody can */
    int32_t n_steps; /* they answered for steps 0 .. n_steps - 1; somebody has added the others */
    int32_t wrong_step; /* where `why` belongs, */
    int32_t wrong_rank; /* and to whom; -1: to nobody in particular */
    const char *why;    /* what a judge has found wrong, in words; NULL: none has looked */
} rs_source;

/* A schedule answers, for every step and rank, what that rank sends, as a pure function, with its
   inverse. Nobody but the makers below fills one in. Copy it freely; it owns nothing. */
typedef struct rs_schedule rs_schedule;
struct rs_schedule {
    const char *name; /* "ring", "naive", ...; "file" */
    rs_order order;   /* the ring's chunk order */
    int32_t n_ranks;  /* N, the world size */
    rs_collective collective;
    int32_t root;          /* of broadcast and reduce; else 0 */
    int32_t n_pieces;      /* the chunks that a pipeline was told to make; 0: as it liked */
    int32_t gpus_per_node; /* G, where nodes matter to the algorithm; else what was asked for */
    bool dealt;            /* of the spec */
    int32_t n_chunks;      /* C, pieces of the array; 0: there is nothing to send */
    int32_t n_parts; /* the array is cut into so many first (0: 1), each into C / n_parts chunks */
    /* 0: 1. On a machine a rank goes through the steps of each channel on its own, elsewhere of all together. */
    int32_t n_channels;
    int32_t asked_channels; /* of the spec */
    int32_t n_steps;        /* S */
    int32_t max_sends;   /* the most sends, or receives, of one rank in one step: size of out[] */
    int32_t max_run;     /* the most chunks in one transfer */
    int64_t n_transfers; /* over all steps */
    /* Several messages of a step that are added to one cell: those of lower ranks first, then the receiver's own, then
       the others, ((0 + 1) + 2) + ...; a step's list goes by source. Else the own is first, and the list goes on. */
    bool by_rank;
    /* On a machine: switches add what a step brings to one cell, and copy what goes from one to several, so a wire
       carries either once; a rank's own data come by the switch, too. */
    bool in_switch;
    int32_t n_barriers; /* the first so many steps begin with a barrier over all ranks (machine) */
    rs_phase_range phases[RS_MAX_PHASES];
    int32_t n_phases;
    /* Each rank sends to one fixed rank and hears from one fixed rank all the time (a ring). */
    bool fixed_neighbours;
    /* What `rank` sends (receives) in `step`, in list order; returns how many. */
    int (*sends)(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]);
    int (*recvs)(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]);
    /* The same of one of several channels that differ by nothing else (channels.c); else NULL. */
    int (*sends_one)(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]);
    int (*recvs_one)(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]);
    /* What it sends (receives) on one channel alone. NULL: those of `sends` that are on it. */
    int (*channel_sends)(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t channel,
                         rs_transfer out[]);
    int (*channel_recvs)(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t channel,
                         rs_transfer out[]);
    /* How many `rank` receives in `step`. NULL: as many as recvs returns. */
    int (*n_recvs)(const rs_schedule *schedule, int32_t step, int32_t rank);
    /* The first step >= step in which `rank` sends or receives, n_steps if none. NULL: `step`. */
    int32_t (*next_step)(const rs_schedule *schedule, int32_t step, int32_t rank);
    /* The first rank >= rank that sends in `step`, n_ranks if none. NULL: `rank`, most do. */
    int32_t (*next_sender)(const rs_schedule *schedule, int32_t step, int32_t rank);
    const void *table;                    /* compiled schedules (table.c); NULL for functions */
    const void *context;                  /* what the functions read besides; NULL for most */
    const struct rs_algorithm *algorithm; /* who made it; NULL for compiled schedules */
    const rs_source *source;              /* a learner's; else NULL */
    /* What `sends` answers, in C as lessons/ring.h has it: send_chunk() or sends(), which may name the numbers that
       rs_rule_text knows. NULL: nobody has written it. */
    const char *rule;
};

/* Writes the rule as a program, which begins with the schedule's numbers that it names: const int root = 2, n_chunks =
   16; of several channels that differ by nothing else those of one, and it speaks of channel 0. Returns its length;
   0: there is none, or it needs more than n_out bytes. */
enum { RS_RULE_BYTES = 4096 };
size_t rs_rule_text(const rs_schedule *schedule, char *out, size_t n_out);
/* What such a program takes from ring.h. */
extern const char rs_rule_header[];

/* What a schedule is made for. What is 0 the algorithm chooses. */
typedef struct rs_spec {
    int32_t n_ranks;
    rs_order order;
    int32_t gpus_per_node; /* G: ranks 0..G-1 are the first node, G..2G-1 the second, ... */
    bool dealt;         /* or dealt out over the nodes in turn: rank r is in node r mod (N / G) */
    int32_t root;       /* where the algorithm's collective has one */
    int32_t n_pieces;   /* chunks of a pipeline, where the algorithm is one */
    int32_t n_channels; /* parts of the array that go through the same steps, each on its own */
} rs_spec;

/* An algorithm: makes a schedule, and may know its own numbers. rs_schedule_make takes any, whether
   it is in the list below or your program's own; README of this room: "To add an algorithm". */
struct rs_net;
typedef struct rs_algorithm {
    const char *name;
    const char *summary;      /* one line, English, marked for translation */
    rs_collective collective; /* the all-reduce unless said */
    bool one_channel;         /* it cannot be had several times side by side */
    bool own_channels; /* it makes n_channels of the schedule itself, not the same for each */
    bool in_switch;    /* on a machine it needs a switch that adds */
    bool pipelined;    /* it can be told how many chunks to make (n_pieces of the spec) */
    /* Unless told it finds in n_chunks as many pieces of so many elements as there are, at most; 0: nothing. */
    int64_t piece_elements;
    int32_t most_pieces;
    /* Fills in a schedule of N >= 2 ranks and at least one element: n_steps, n_transfers, sends and
       recvs always; n_chunks, max_sends and max_run where they are not 1; phases for the captions;
       next_step, next_sender and fixed_neighbours for speed. Name, n_ranks, order and the rest of
       the spec are there. */
    void (*make)(int32_t n_ranks, rs_order order, rs_schedule *schedule);
    /* Returns the time on equal, private links under rendezvous, in ps (theory: the file's head).
       Exact to the picosecond, for every count >= 1; -1: not for this world, nor this count. NULL: none is known. */
    int64_t (*closed_form_ps)(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const struct rs_net *net);
    /* Returns how many elements `rank` sends in the whole run. NULL: the library counts them, step by step. */
    int64_t (*elements_sent)(const rs_schedule *schedule, int64_t count, int32_t rank);
    /* Refuses a spec that it cannot serve (RS_BAD_INPUT, in one line); asked before `make`, also where there
       is nothing to send. NULL: it serves every spec. */
    rs_status (*accepts)(const rs_schedule *wanted, rs_error *error);
} rs_algorithm;

extern const rs_algorithm *const rs_algorithms[]; /* of the all-reduce; ends with NULL */
/* Returns those of any collective, the usual one first; ends with NULL. */
const rs_algorithm *const *rs_algorithms_of(rs_collective of);
/* NULL: none of the collective has this name. */
const rs_algorithm *rs_find_algorithm(rs_collective of, const char *name);

/* Makes the schedule of `algorithm` for N = 1 .. RS_MAX_RANKS ranks and `count` >= 0 elements a rank. With
   N = 1 or count = 0 it has no steps (and with count = 0 no chunks). */
rs_status rs_schedule_make(const rs_algorithm *algorithm, rs_order order, int32_t n_ranks,
                           int64_t count, rs_error *error, rs_schedule *schedule);
/* The same for a whole spec. */
rs_status rs_schedule_from_spec(const rs_algorithm *algorithm, const rs_spec *spec, int64_t count,
                                rs_error *error, rs_schedule *schedule);
/* Returns the spec that makes this schedule again; gpus_per_node as the algorithm chose it. */
rs_spec rs_spec_of(const rs_schedule *schedule);

/* Compiles a list of transfers to a schedule (tables: 14 bytes a transfer). step_first has n_steps + 1
   entries: step s holds list[step_first[s] .. step_first[s + 1] - 1], in list order (`order` in the
   list is ignored and set). Checks every number (RS_BAD_INPUT). The tables live in the arena; the caller
   may free both arrays afterwards. */
rs_status rs_schedule_from_list(int32_t n_ranks, int32_t n_chunks, int32_t n_steps,
                                const int64_t step_first[], const rs_transfer list[],
                                rs_arena *arena, rs_error *error, rs_schedule *schedule);

/* Says what a compiled schedule is for: an all-reduce unless told. RS_BAD_INPUT: it has not the chunks, or the
   rank, that this collective needs. */
rs_status rs_schedule_as(rs_schedule *schedule, rs_collective of, int32_t root, rs_error *error);

/* Writes the next transfer of one step, in list order, to *transfer; false: there are no more.
       rs_cursor c = {0};  while (rs_next_transfer(s, step, &c, &t)) ... */
enum { RS_HELD = 64 };
typedef struct rs_cursor {
    int64_t at;
    int32_t n_held, next_held; /* where a rank sends several: the next of them */
    rs_transfer held[RS_HELD];
} rs_cursor;
bool rs_next_transfer(const rs_schedule *schedule, int32_t step, rs_cursor *cursor,
                      rs_transfer *transfer);

/* Returns the first element of `chunk`, when `count` elements are cut into n_chunks; the first
   count mod n_chunks chunks hold one more. chunk = n_chunks gives count. */
int64_t rs_chunk_offset(int64_t count, int32_t n_chunks, int32_t chunk);
/* Returns the first element of the schedule's `chunk`: the array is cut into its n_parts, then each part. */
int64_t rs_chunk_first(const rs_schedule *schedule, int64_t count, int32_t chunk);
/* Returns the chunk that element 0 <= element < count lies in. */
int32_t rs_chunk_of(const rs_schedule *schedule, int64_t count, int64_t element);
/* Returns the most elements that one transfer carries. */
int64_t rs_largest_transfer(const rs_schedule *schedule, int64_t count);
/* Returns where the chunk's data lie at the start and must lie at the end. */
rs_ends rs_ends_of(const rs_schedule *schedule, int32_t chunk);
/* Returns the elements of the array that all chunks make together, of a collective of `count` elements in the sense
   of nccl-tests' size column: the same, but N times as many for the all-to-all, where each rank has K/N elements
   for each other. */
int64_t rs_array_count(rs_collective of, int32_t n_ranks, int64_t count);
/* The inverse: the elements of the collective whose array has `count`. */
int64_t rs_size_count(const rs_schedule *schedule, int64_t count);
/* Returns how many elements the transfer carries. */
int64_t rs_transfer_count(const rs_schedule *schedule, int64_t count, const rs_transfer *transfer);
/* Returns the phase of a step; writes its iteration in that phase, from 0, and how many the phase has (both
   may be NULL). */
rs_phase rs_phase_at(const rs_schedule *schedule, int32_t step, int32_t *iteration, int32_t *of);
const char *rs_phase_name(rs_phase phase); /* "scatter-reduce", ...; NULL for RS_PHASE_NONE */
/* Gives a listed all-reduce its two phases, where what its steps do shows them (phases.c). */
rs_status rs_find_phases(rs_schedule *schedule, rs_arena *arena, rs_error *error);
/* Returns the elements that `rank` sends in the whole run; by formula where there is one. */
int64_t rs_elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank);

/* Parses .sched text, n_bytes of UTF-8: see ringsim-sched(5). RS_BAD_INPUT names line and column. The schedule
   lives in the arena; the text may be freed afterwards. */
rs_status rs_parse_schedule(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                            rs_schedule *schedule);
/* Writes the schedule as .sched text, in pieces. */
void rs_print_schedule(const rs_schedule *schedule, rs_write write, void *context);

/* Two complementary trees over m nodes: who is inside one is a leaf of the other (node_trees.c). */
/* Writes the children of u in tree 0, at most two; returns how many. */
int rs_node_children(int32_t u, int32_t m, int32_t out[2]);
/* Between nodes as they are in a tree, 0 or 1, and as tree 0 numbers them. */
int32_t rs_to_node_tree(int32_t node, int32_t m, int32_t tree);
int32_t rs_from_node_tree(int32_t u, int32_t m, int32_t tree);

RS_END_DECLS
