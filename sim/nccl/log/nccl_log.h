/* nccl_log.h: a log of NCCL while it is read. Private to this folder.
 *
 *     line --nccl_log.c: head, pieces--> message --nccl_log_init.c | nccl_log_graph.c | nccl_log_tuning.c--> facts
 *     facts --nccl_log_end.c--> rs_nccl_log
 */
#ifndef RS_NCCL_LOG_PARTS_H
#define RS_NCCL_LOG_PARTS_H

#include "ringsim_nccl_log.h"

enum {
    RS_LOG_MOST_RANKS = 1 << 17,
    RS_LOG_MOST_CHANNELS = 256,
    RS_LOG_MOST_NOTES = 4096,
    RS_LOG_LINE = 8192,
    RS_LOG_SEEN = 4096 /* threads are found by their key, most at once */
};

/* A growing list in the arena. */
typedef struct rs_growing {
    void *list;
    int32_t n, room;
} rs_growing;

typedef struct rs_log_comm {
    uint64_t key;
    int32_t n_ranks, n_nodes;
    int64_t line, nodes_line;
} rs_log_comm;
/* A rank's neighbours in a channel: of a ring prev and next; of a tree up in prev. */
typedef struct rs_log_place {
    int32_t comm, channel, rank, prev, next, tree; /* tree: 0, or 1 for the second of a channel */
    int64_t line;
} rs_log_place;
/* A ring's ranks as rank 0 prints them: n of `orders`, from `first`. */
typedef struct rs_log_order {
    int32_t comm, channel, first, n;
    int64_t line;
} rs_log_order;
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
    uint64_t graph_thread; /* whose GRAPH lines count */
    bool graph_begun;
    int32_t seen[RS_LOG_SEEN]; /* [key mod RS_LOG_SEEN] of threads, from 1 */
    rs_growing comms, threads, ring_places, tree_places, orders, order_ranks, heard;
    rs_growing settings, transports, calls, notes;
    int32_t block[4]; /* the table's block at hand: algorithms */
    int32_t n_block;
    bool old_block;    /* with the protocol beside each algorithm */
    float fastest_nic; /* GB/s */
};

/* Makes room for one more of `size` bytes and returns it, zeroed; NULL: no memory. */
void *rs_grow(rs_nccl_log_reader *r, rs_growing *g, size_t size);
void rs_remark(rs_nccl_log_reader *r, int64_t line, rs_nccl_remark what, int32_t a, int32_t b,
               const char *text, size_t n);

/* Finds what is known of a thread; NULL: nothing. */
rs_log_thread *rs_log_find_thread(rs_nccl_log_reader *r, uint64_t thread);

/* ------------------------------------------------------------------ pieces of a line, which ends with a zero */

/* Goes behind the words if they stand here; blanks in them are any number. */
bool rs_take(const char **at, const char *words);
/* Reads a whole number of at most `most`, with blanks and a sign before it. */
bool rs_take_int(const char **at, int64_t most, int64_t *number);
/* Reads a decimal number, digits and a point; no exponents, no inf. */
bool rs_take_decimal(const char **at, double *number);
/* Finds words and goes behind them. */
bool rs_find(const char *text, const char *words, const char **behind);

/* Each takes the message if it is of its kind. */
bool rs_log_init_message(rs_nccl_log_reader *r, const char *message);
bool rs_log_ring_message(rs_nccl_log_reader *r, const char *message);
bool rs_log_graph_message(rs_nccl_log_reader *r, const char *message);
bool rs_log_tuning_message(rs_nccl_log_reader *r, const char *message);

#endif
