/* nccl_log.h: a log of NCCL while it is read. Private to this folder.
 *
 *     line --nccl_log.c: head, pieces--> message --nccl_log_init.c | nccl_log_graph.c | nccl_log_tuning.c ...--> facts
 *     ... | nccl_log_notes.c | nccl_log_warn.c
 *     facts --nccl_log_end.c--> rn_nccl_log
 */
#pragma once

#include "base/containers.h"
#include "ringsim_nccl_log.h"
#include "ringsim_text.h"

/* Returns whose messages the row is of, where it is another program's: its file names that; NULL: it is NCCL's. */
const char *rn_log_speaker(const rn_nccl_message *row);
/* Does a message begin as only NCCL's do? */
bool rn_log_is_own(const char *message);
enum {
    RN_LOG_LETTERS = 128,
    RN_LOG_MOST_RANKS = 1 << 17,
    RN_LOG_MOST_CHANNELS = 256,
    RN_LOG_LATELY = 64, /* warnings */
    RN_LOG_MOST_MESSAGES = 192,
    RN_LOG_MOST_COMMS = 4096,
    RN_LOG_MOST_THREADS = 1 << 20,
    RN_LOG_MOST_PLACES = 1 << 22, /* of a kind: 131072 ranks in 32 channels */
    RN_LOG_MOST_ORDERS = 1 << 16,
    RN_LOG_MOST_ORDERED = 1 << 22, /* ranks in them */
    RN_LOG_MOST_SUMS = 4096,
    RN_LOG_MOST_TRANSPORTS = 64,
    RN_LOG_BLOCK = 4096,
    RN_LOG_LINE = 8192,
    RN_LOG_TEXT = 256 /* of a line that is repeated in a sentence */
};

/* Marks the first two letters that messages may begin with which are known by themselves. */
typedef bool rn_log_pairs[RN_LOG_LETTERS][RN_LOG_LETTERS];
void rn_log_beginnings(rn_log_pairs begins);
/* Tells whether a message that nobody says to be NCCL's has one of the row's forms: one that is like no other program's, or any
   where the words are NCCL's own, or what an exception of Python says. */
bool rn_log_meets_alone(const rn_nccl_message *row, const char *message, bool own_words,
                        bool raised);

/* What NCCL warns of, or says of a known cause, and how often. */
typedef struct rn_log_warning {
    int64_t line;
    int32_t n, row; /* row: of rn_nccl_messages, -1: none */
    bool warns;     /* as WARN, not as INFO */
    char text[RN_LOG_TEXT];
} rn_log_warning;

typedef struct rn_log_comm {
    uint64_t key; /* 0: its lines have no id */
    int32_t n_ranks, n_nodes, n_hosts;
    int32_t n_started, n_complete; /* lines that say Init START, COMPLETE */
    int64_t line, nodes_line, start_line;
} rn_log_comm;
/* A rank's neighbours in a channel: of a ring prev and next; of a tree up in prev, a child in next, and `tree`: 1 for the
   second of a channel; `more`: another child of the place before. Millions are kept, so bits count; ends are kept from 0
   for -1. */
typedef struct rn_log_place {
    int32_t comm; /* RN_LOG_OTHER_COMM: of one that is not kept */
    uint32_t line;
    uint64_t channel : 8, tree : 1, more : 1, rank : 18, prev_1 : 18, next_1 : 18;
} rn_log_place;
enum { RN_LOG_OTHER_COMM = -2 };
/* Places in blocks of RN_LOG_BLOCK: nothing is copied as they become more. */
typedef struct rn_log_places {
    rn_log_place **blocks;
    int32_t n, room; /* room: of blocks */
    bool full;       /* more were said than are kept */
} rn_log_places;
static inline rn_log_place *rn_log_place_at(const rn_log_places *places, int32_t i) {
    return &places->blocks[i / RN_LOG_BLOCK][i % RN_LOG_BLOCK];
}
/* A ring's ranks as rank 0 prints them: n of `orders`, from `first`. */
typedef struct rn_log_order {
    int32_t comm, channel, first, n;
    int64_t line;
} rn_log_order;
/* What a rank and its neighbours say of the connections that it sends on: those are counted that either says. */
typedef struct rn_log_sender {
    int32_t sent, received;
} rn_log_sender;
/* Of a transport whose both ends speak, by rank. */
typedef struct rn_log_senders {
    rn_log_sender *list;
    int32_t n, room;
} rn_log_senders;

/* "NVL[20.0] - GPU/65000" beneath "GPU/17000". */
typedef struct rn_log_nvlink {
    char from[24], to[24];
    float GBps;
    int64_t line;
} rn_log_nvlink;

struct rn_nccl_log_reader {
    rs_arena *arena;
    rn_findings *findings;
    rn_nccl_log log;
    int32_t comm;          /* of the line at hand; -1: not known */
    uint64_t thread;       /* of the line at hand */
    const char *head;      /* of the line at hand: its host's name; NULL: behind a torn message */
    uint64_t graph_thread; /* whose GRAPH lines count */
    bool graph_begun;
    rs_heap heap;
    rs_texts threads;      /* their keys, as bytes */
    int32_t *thread_comms; /* [thread_room] */
    int32_t thread_room;
    rn_log_comm *comms;
    rn_log_order *orders;
    int32_t *order_ranks;
    int32_t n_comms, n_orders, n_order_ranks;
    int32_t comm_room, order_room, order_rank_room;
    int32_t setting_room, transport_room, call_room, sum_room; /* of the log's lists */
    rs_texts hosts;                                            /* whose ranks speak */
    rs_texts comm_keys; /* of comms: key and ranks, as bytes */
    rn_log_places ring_places, tree_places, heard;
    /* A rank and `next` are on one node; as a tree: it is on the host number `prev`. */
    rn_log_places local_places;
    rn_log_senders senders[RN_LOG_MOST_TRANSPORTS];
    rs_texts sum_keys; /* of sums: what is called, as bytes */
    int32_t block[4];  /* the table's block at hand: algorithms */
    int32_t n_block;
    float fastest_nic; /* GB/s */
    bool nics_differ, networks_differ, nvls_offered;
    int32_t loose_ranks; /* of the largest communicator without a line of its own */
    int64_t loose_line;
    rn_log_warning warnings[RN_LOG_LATELY]; /* the last ones: they may be said again */
    int64_t n_warnings;
    int32_t n_causes;    /* of them, those that are more than a class */
    int64_t warned_line; /* of the first whose cause is not known */
    int64_t cause_line;  /* of the first that ends a job; 0: there was none */
    bool cause_is_fatal; /* the GPU needs a reset after it */
    rn_log_pairs begins;
    int64_t told_line[RN_LOG_MOST_MESSAGES]; /* where a row's hint was said; 0: nowhere */
    char place[RN_NCCL_WORD];                /* of the line at hand: "init.cc:42"; "": none */
    int64_t place_line;                      /* of the first function that passes an error on */
    int64_t abort_line;                      /* of the first connection that its process aborts */
    char passed[RN_NCCL_WORD];               /* it: "misc/socket.cc:64 -> 6" */
    rn_last_error last_error;
    int64_t n_other_ways[2], other_way_line; /* calls by symmetric kernels, by the copy engine */
    int64_t n_folds, n_folded,
        fold_line;                    /* lines that Ray shows in place of others; those others */
    int64_t plugin_line, loaded_line; /* of a network plugin, that it is loaded; 0: none */
    bool ofi;                         /* it is aws-ofi-nccl */
    rn_log_nvlink *nvlinks;
    int32_t n_nvlinks, nvlink_room;
    char gpu[24];      /* whose links the lines at hand list */
    int32_t n_retries; /* of connecting; the first: its line, why */
    int64_t retry_line;
    char retry[RN_NCCL_WORD];
    /* A NIC that is slower than another one, and whether a channel that was found goes by it. */
    char slow_nic[RN_NCCL_WORD];
    int64_t slow_line;
    float slow_GBps, beside_GBps;
    bool has_search, slow_is_used;
};

/* Adds one to a list of n in the reader's arena: its address, zeroed; NULL: no memory. */
#define rn_log_add(r, list, n, room)                                                               \
    (rs_reserve((r)->arena, &(list), (n) + 1, &(room)) ? &(list)[(n)++] : NULL)
/* The row that a message meets; -1: none. Of INFO lines those count that tell why a job is slow. */
int32_t rn_log_row(const char *place, const char *message, bool warns);
/* Keeps NCCL's own warning, or an INFO line of a known cause; false: an INFO line of none. It goes to the findings with what it most
   likely means at the log's end, or when there were as many others since; until then it is counted. */
bool rn_log_warn(rn_nccl_log_reader *r, const char *message, bool warns);
void rn_log_end_warnings(rn_nccl_log_reader *r);

/* Finds the communicator of a thread; NULL: nothing is known of it, or it is 0. */
int32_t *rn_log_find_thread(rn_nccl_log_reader *r, uint64_t thread);
/* The thread speaks of a communicator from now on. */
void rn_log_note_thread(rn_nccl_log_reader *r, uint64_t thread, int32_t comm);
/* Keeps a place of the line at hand; prev and next may be -1. NULL: there are too many, or no memory. */
rn_log_place *rn_log_add_place(rn_nccl_log_reader *r, rn_log_places *to, int32_t channel,
                               int32_t tree, int32_t rank, int32_t prev, int32_t next);

/* nccl_log_join.c: what neighbours' lines say together. */
void rn_log_join_rings(rn_nccl_log_reader *r, int32_t comm);
void rn_log_join_trees(rn_nccl_log_reader *r, int32_t comm);

/* ------------------------------------------------------------------ pieces of a line, which ends with a zero */

/* Copies n bytes of a text, cut to the room. */
void rn_log_keep_word(char out[], size_t n_out, const char *text, size_t n);

/* Returns what a setting is set to by its first line; NULL: it is not set. */
const char *rn_log_value(const rn_nccl_log *log, const char *name);

/* Of a communicator that has no line of its own: there are so many ranks. */
void rn_log_note_loose_ranks(rn_nccl_log_reader *r, int64_t n_ranks);
/* Counts connections that both ends speak of once. */
void rn_log_end_connections(rn_nccl_log_reader *r);
/* Finds who began and did not end. */
void rn_log_end_waiting(rn_nccl_log_reader *r);
/* Finds a NIC that is slower than another one. */
void rn_log_end_nics(rn_nccl_log_reader *r);
/* Tells how many calls went by other ways than NCCL's algorithms. */
void rn_log_end_other_ways(rn_nccl_log_reader *r);
/* nccl_log_slow.c: finds NVLinks that are slower one way. */
void rn_log_end_nvlinks(rn_nccl_log_reader *r);
/* Finds sockets that are used though a plugin for a better network is there. */
void rn_log_end_plugin(rn_nccl_log_reader *r);
/* nccl_log_init.c: this is RCCL's. */
void rn_log_note_rccl(rn_nccl_log_reader *r);
/* Notes what a line says of a network plugin. */
void rn_log_note_plugin(rn_nccl_log_reader *r, const char *message);
/* Notes that the rank of the line at hand is on the host that its head names. */
void rn_log_note_host(rn_nccl_log_reader *r, int32_t rank);
/* Are all ranks of the communicator on one node, by their lines' hosts and by connections that no network carries? */
bool rn_log_is_one_node(rn_nccl_log_reader *r, int32_t comm);
/* Takes a GPU's name from a line of nccl-tests, if it is one. */
void rn_log_take_gpu(rn_nccl_log_reader *r, const char *text);

/* Each takes the message if it is of its kind. */
bool rn_log_init_message(rn_nccl_log_reader *r, const char *message);
bool rn_log_ring_message(rn_nccl_log_reader *r, const char *message);
bool rn_log_graph_message(rn_nccl_log_reader *r, const char *message);
bool rn_log_tuning_message(rn_nccl_log_reader *r, const char *message);
bool rn_log_coll_message(rn_nccl_log_reader *r, const char *message);
bool rn_log_note_message(rn_nccl_log_reader *r, const char *message);
