/* hang_log.h: what the parts of the reader of logs share. Private to nccl/.
 *
 *     a line --watchdog_lines.c, nccl_lines.c--> what is known of a rank in a group --hang_log.c--> dumps
 */
#pragma once

#include "data_tree.h"
#include "ringsim_hang.h"
#include "ringsim_text.h"

enum { RN_LOG_RANKS = 1 << 17, RN_LOG_ENTRIES = 1 << 20 };

/* What is known of a rank in a group. */
typedef struct rn_rank_log {
    int32_t rank;    /* of NCCL's: in the communicator, until all lines are read */
    int32_t process; /* of NCCL's: number of "host:17 GPU"; else 0 */
    int32_t order;   /* of entries, as they came */
    /* name 0: of a call whose line names none; last_seq: the last that was enqueued */
    rn_call_group of;
    rn_call *calls; /* growing; of the watchdog one */
    int64_t n, room;
    int64_t n_collectives, n_messages;  /* of NCCL's calls */
    int64_t failed;                     /* the call at which the watchdog gave up */
    rn_lines failed_at;                 /* that line; text NULL: it did not */
    int64_t failed_us;                  /* when, by that line; -1: not said */
    int64_t ran_ms;                     /* so long the call had run; 0: not said */
    rn_lines first_caught, last_caught; /* in group 0: lines of a timeout in any; text NULL: none */
    bool waits;                         /* in group 0: it is in a call, of some group */
} rn_rank_log;

typedef struct rn_log_reader {
    rs_texts words, comms; /* comms: "host:pid comm", numbered as in comm_log */
    rs_texts processes;    /* "host:pid GPU" */
    rs_texts keys;         /* rank and group of the watchdog's, as bytes, from 0 */
    int32_t *key_log;      /* [key_room] by key: of list, + 1; 0: none */
    int64_t key_room;
    rs_heap *heap, *keep;
    rn_rank_log *list;
    int32_t n;
    int32_t *comm_log; /* [comm_room] of list, + 1; 0: none */
    int64_t room, comm_room;
    bool launched;
    rn_lines here;             /* where the line at hand begins */
    rn_lines anew;             /* the job was started anew there; text NULL: it was not */
    bool gap;                  /* or behind it */
    rn_lines second;           /* there another attempt may begin; text NULL: nothing tells so */
    int64_t first_us, last_us; /* when the first rank gave up, and the last; last 0: no line says */
    int64_t timeout_us;        /* the longest that a line tells */
    rn_lines launcher;         /* the last line with which a launcher starts */
    int32_t world; /* so many ranks there are at least, as a program or its launcher says */
    int32_t whole; /* just so many, as a launcher says; 0: not said */
    bool nodes;    /* unless there are several nodes */
    /* line behind which a launcher started the job anew, and it told of nothing since; 0: none */
    int64_t relaunched;
    bool tells, raised; /* lines tell of the job; of an exception */
    bool last;          /* no line comes behind the one at hand */
    int64_t repeated;   /* the first line of which Ray left out others; 0: none */
    bool left_out;      /* lines are, or one breaks off before it says whose it is */
} rn_log_reader;
static inline bool rn_log_lacks(const rn_log_reader *r) {
    return r->heap->arena->lacked || r->keep->arena->lacked;
}

/* ------------------------------------------------------------------ hang_log.c */

/* Returns the first "[rank5]:" that is followed by digits and no other such; its number at once. NULL: none. */
const char *rn_log_prefix(const char *line, int64_t *rank);
/* Returns where the next message of a line begins: at "[rank5]:", or "[E ProcessGroup"; NULL: there is none. */
const char *rn_next_message(const char *at);
/* Has the line one of the words? They end with a zero each, and an empty one is the last. */
bool rn_log_has_any(const char *line, const char *words);
/* Returns the time of the year in "[E626 06:24:44.159932950 ...", without leap days, us; -1: it is not there. */
int64_t rn_time_of(const char *line);
/* Returns a new one; NULL: no memory. */
rn_rank_log *rn_log_new(rn_log_reader *r, int32_t rank, uint32_t group);
/* Returns what the watchdog says of the rank in the group, new where it said nothing; NULL: no memory. */
rn_rank_log *rn_log_of(rn_log_reader *r, int32_t rank, uint32_t group);
/* Returns a new call; NULL: no memory. */
rn_call *rn_log_call(rn_log_reader *r, rn_rank_log *l);

/* ------------------------------------------------------------------ watchdog_lines.c */

/* Writes "_ALLGATHER_BASE" as the flight recorder calls it; n_out: at least 24. Returns its length. */
size_t rn_call_name(const char *at, char *out, size_t n_out);
/* Returns the rank of the whole job of which the line is; -1: it does not say. */
int32_t rn_watchdog_rank(const char *line);
/* Reads a line of torch's watchdog. */
void rn_take_watchdog(rn_log_reader *r, const char *line);
/* Gives calls without a group one, when all lines are read. */
void rn_name_rest(rn_log_reader *r);
/* Where only numbers are known, a call stands for them. */
void rn_complete_watchdog(rn_log_reader *r);

/* ------------------------------------------------------------------ cut_lines.c */

/* Takes who waits in a call that the line does not name. */
void rn_take_cut(rn_log_reader *r, const char *line);

/* ------------------------------------------------------------------ nccl_lines.c */

/* Reads a line of NCCL's about a communicator; info: what stands behind "NCCL INFO ". */
void rn_take_init(rn_log_reader *r, const char *line, const char *info);
/* The same of a line about a call. */
void rn_take_launch(rn_log_reader *r, const char *line, const char *info);
/* Gives NCCL's ranks their numbers in the whole job, when all lines are read. */
void rn_name_ranks(rn_log_reader *r);
