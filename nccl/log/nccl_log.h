/* nccl_log.h: a log of NCCL while it is read. Private to this folder.
 *
 *     line --nccl_log.c: head, pieces--> message --nccl_log_init.c | nccl_log_graph.c | nccl_log_tuning.c ...--> facts
 *     ... | nccl_log_notes.c
 *     facts --nccl_log_end.c--> rs_nccl_log
 */
#ifndef RS_NCCL_LOG_PARTS_H
#define RS_NCCL_LOG_PARTS_H

#include "ringsim_nccl_log.h"

enum {
    RS_LOG_MOST_RANKS = 1 << 17,
    RS_LOG_MOST_CHANNELS = 256,
    RS_LOG_MOST_NOTES = 4096,
    RS_LOG_MOST_COMMS = 4096,
    RS_LOG_MOST_THREADS = 1 << 20,
    RS_LOG_MOST_PLACES = 1 << 22, /* of a kind: 131072 ranks in 32 channels */
    RS_LOG_MOST_ORDERS = 1 << 16,
    RS_LOG_MOST_ORDERED = 1 << 22, /* ranks in them */
    RS_LOG_MOST_SUMS = 4096,
    RS_LOG_MOST_TRANSPORTS = 64,
    RS_LOG_BLOCK = 4096,
    RS_LOG_LINE = 8192
};

/* A growing list in the arena. */
typedef struct rs_growing {
    void *list;
    int32_t n, room;
} rs_growing;

typedef struct rs_log_comm {
    uint64_t key; /* 0: its lines have no id */
    int32_t n_ranks, n_nodes, n_hosts;
    int32_t n_started, n_complete; /* lines that say Init START, COMPLETE */
    int64_t line, nodes_line, start_line;
} rs_log_comm;
/* A rank's neighbours in a channel: of a ring prev and next; of a tree up in prev, and `tree`: 1 for the second of a
   channel. Millions are kept, so bits count; ends are kept from 0 for -1. */
typedef struct rs_log_place {
    int32_t comm; /* RS_LOG_OTHER_COMM: of one that is not kept */
    uint32_t line;
    uint64_t channel : 8, tree : 1, rank : 18, prev_1 : 18, next_1 : 18;
} rs_log_place;
enum { RS_LOG_OTHER_COMM = -2 };
/* Places in blocks: nothing is copied as they become more. */
typedef struct rs_log_block {
    struct rs_log_block *next;
    int32_t n;
    rs_log_place list[RS_LOG_BLOCK];
} rs_log_block;
typedef struct rs_log_places {
    rs_log_block *first, *last;
    int32_t n;
    bool full; /* more were said than are kept */
} rs_log_places;
/* A ring's ranks as rank 0 prints them: n of `orders`, from `first`. */
typedef struct rs_log_order {
    int32_t comm, channel, first, n;
    int64_t line;
} rs_log_order;
/* What a rank and its neighbours say of the connections that it sends on: those are counted that either says. */
typedef struct rs_log_sender {
    int32_t sent, received;
} rs_log_sender;
typedef struct rs_log_thread {
    uint64_t key;
    int32_t comm;
} rs_log_thread;

struct rs_nccl_log_reader {
    rs_arena *arena;
    rs_nccl_log log;
    bool failed;           /* no memory */
    int32_t comm;          /* of the line at hand; -1: not known */
    uint64_t thread;       /* of the line at hand */
    const char *head;      /* of the line at hand: its host's name; NULL: behind a torn message */
    uint64_t graph_thread; /* whose GRAPH lines count */
    bool graph_begun;
    rs_log_thread *threads; /* [thread_room], by key; 0: free */
    int32_t n_threads, thread_room;
    rs_growing comms, orders, order_ranks;
    int32_t comm_slots[2 * RS_LOG_MOST_COMMS]; /* by key and ranks; from 1 in comms, 0: free */
    rs_log_places ring_places, tree_places, heard;
    rs_growing settings, transports, calls, notes, sums;
    rs_growing senders[RS_LOG_MOST_TRANSPORTS]; /* of a transport whose both ends speak, by rank */
    int32_t sum_slots[2 * RS_LOG_MOST_SUMS];    /* by what is called; from 1 in sums, 0: free */
    int32_t block[4];                           /* the table's block at hand: algorithms */
    int32_t n_block;
    bool old_block;    /* with the protocol beside each algorithm */
    float fastest_nic; /* GB/s */
    bool nics_differ, networks_differ, nvls_offered;
    int32_t loose_ranks; /* of the largest communicator without a line of its own */
    int64_t loose_line;
    int32_t n_retries; /* of connecting; the first: its line, why */
    int64_t retry_line;
    char retry[RS_NCCL_WORD];
    /* A NIC that is slower than another one, and whether a channel that was found goes by it. */
    char slow_nic[RS_NCCL_WORD];
    int64_t slow_line;
    float slow_GBps, beside_GBps;
    bool has_search, slow_is_used;
};

/* Makes room for one more of `size` bytes and returns it, zeroed; NULL: no memory. */
void *rs_grow(rs_nccl_log_reader *r, rs_growing *g, size_t size);
/* NCCL's own warning: one that was there lately is counted. */
void rs_log_warn(rs_nccl_log_reader *r, const char *message);
void rs_remark(rs_nccl_log_reader *r, int64_t line, rs_nccl_remark what, int32_t a, int32_t b,
               const char *text, size_t n);

/* Finds what is known of a thread, which is not 0; NULL: nothing. */
rs_log_thread *rs_log_find_thread(rs_nccl_log_reader *r, uint64_t thread);
/* The thread speaks of a communicator from now on. */
void rs_log_note_thread(rs_nccl_log_reader *r, uint64_t thread, int32_t comm);
/* Keeps a place of the line at hand; prev and next may be -1. */
void rs_log_add_place(rs_nccl_log_reader *r, rs_log_places *to, int32_t channel, int32_t tree,
                      int32_t rank, int32_t prev, int32_t next);

/* nccl_log_join.c: what neighbours' lines say together. */
void rs_log_join_rings(rs_nccl_log_reader *r, int32_t comm);
void rs_log_join_trees(rs_nccl_log_reader *r, int32_t comm);

/* ------------------------------------------------------------------ pieces of a line, which ends with a zero */

/* Copies n bytes of a text, cut to the room. */
void rs_log_keep_word(char out[], size_t n_out, const char *text, size_t n);
/* Goes behind the words if they stand here; blanks in them are any number. */
bool rs_take(const char **at, const char *words);
/* Reads a whole number of at most `most`, with blanks and a sign before it. */
bool rs_take_int(const char **at, int64_t most, int64_t *number);
/* Reads a decimal number, digits and a point; no exponents, no inf. */
bool rs_take_decimal(const char **at, double *number);
/* Finds words and goes behind them. */
bool rs_find(const char *text, const char *words, const char **behind);

/* Of a communicator that has no line of its own: there are so many ranks. */
void rs_log_note_loose_ranks(rs_nccl_log_reader *r, int64_t n_ranks);
/* Counts connections that both ends speak of once. */
void rs_log_end_connections(rs_nccl_log_reader *r);
/* Remarks on who began and did not end. */
void rs_log_end_waiting(rs_nccl_log_reader *r);
/* Remarks on a NIC that is slower than another one. */
void rs_log_end_nics(rs_nccl_log_reader *r);
/* Takes a GPU's name from a line of nccl-tests, if it is one. */
void rs_log_take_gpu(rs_nccl_log_reader *r, const char *text);

/* Each takes the message if it is of its kind. */
bool rs_log_init_message(rs_nccl_log_reader *r, const char *message);
bool rs_log_ring_message(rs_nccl_log_reader *r, const char *message);
bool rs_log_graph_message(rs_nccl_log_reader *r, const char *message);
bool rs_log_tuning_message(rs_nccl_log_reader *r, const char *message);
bool rs_log_coll_message(rs_nccl_log_reader *r, const char *message);
bool rs_log_note_message(rs_nccl_log_reader *r, const char *message);

#endif
