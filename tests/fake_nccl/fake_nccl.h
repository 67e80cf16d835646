/* fake_nccl.h: what the files of the fake libnccl.so.2 share. README.md says what it does, and what not.
 *
 *     fake_comm.c     communicators, and the memory that all their ranks map: the only way between them
 *     fake_group.c    groups of calls, the kernel that each becomes, and its messages
 *     fake_whole.c    the all-reduce and other collectives
 *     fake_faults.c   what the environment asks for, and what went wrong, in words
 *
 * One thread calls. What is on the stream goes on a little at each turn; the device's memory can be touched
 * only there. Who can do nothing sleeps until another rank has done something, for a millisecond at most.
 */
#pragma once

#include "nccl.h"

#include "ringsim.h"

#include <stdatomic.h>

enum {
    FN_MOST_RANKS = 32,
    FN_MOST_BYTES = 8 << 20 /* of a message, and of a collective's input */
};

typedef enum fn_what { FN_SEND, FN_RECV, FN_WHOLE /* a collective */ } fn_what;

/* From one rank to another: the receiver says how much it wants, then the sender fills the box. */
typedef struct fn_box {
    _Atomic int64_t wanted, n_bytes; /* 0: nothing */
    atomic_bool here[2];             /* its FN_SEND and FN_RECV, on the host */
    char bytes[FN_MOST_BYTES];
} fn_box;

typedef struct fn_member {
    _Atomic int64_t phase; /* counts what it has come to; 0: not here yet */
    atomic_bool parted;    /* in peace: nobody misses it */
    int bus;               /* of its GPU */
    bool shares;           /* that GPU, if NCCL is new enough */
    char host[64];
} fn_member;

/* Mapped by all; pages that nobody touches take no memory. */
typedef struct fn_shared {
    _Atomic uint32_t news;    /* counts what the ranks have done that others may wait for */
    _Atomic int32_t n_asleep; /* a rank that was killed counts on */
    fn_member members[FN_MOST_RANKS];
    char inputs[FN_MOST_RANKS][FN_MOST_BYTES];  /* of a collective */
    fn_box boxes[FN_MOST_RANKS][FN_MOST_RANKS]; /* [from][to] */
} fn_shared;

typedef struct fn_op {
    fn_what what;
    int peer;
    const char *source; /* NULL where it only receives */
    char *target;
    int64_t
        n_bytes; /* of the call's count; of a reduce-scatter the input has so many for each rank */
    rs_dtype dtype;
    rs_collective of; /* FN_WHOLE */
    int root;
    ncclRedOp_t op;
    bool flip, done;
    int stage; /* 0: not begun */
} fn_op;

struct ncclComm {
    int rank, n_ranks, device;
    int fd; /* its lock at byte `rank` goes when this process does */
    fn_shared *shared;
    ncclResult_t state; /* ncclInProgress: being made, being finalized, or `waiting` */
    bool made, finalized, ended;
    bool one_channel, in_ring_order, through_sockets;
    int n_asked;               /* how it is, since the last call */
    struct fn_kernel *waiting; /* on the host for its peers, before it goes on the stream */
    int n_kernels;             /* on the stream */
};

/* Puts the kernel that waits on the stream, if its peers are here; returns the communicator's state. */
ncclResult_t fn_launch(struct ncclComm *comm);
void fn_kernel_free(struct fn_kernel *kernel); /* NULL is fine */
/* Returns the bytes that a rank gives to a collective. */
int64_t fn_input_bytes(const struct ncclComm *comm, const fn_op *op);
/* Goes on with a collective; true: it is done. */
bool fn_whole(struct ncclComm *comm, fn_op *op);
/* Tells whether all members have come to this phase. */
bool fn_all_at(const struct ncclComm *comm, int64_t phase);

/* Tells the others that there is news; waits for some that are not `known` yet, a millisecond at most. */
void fn_tell(struct ncclComm *comm);
void fn_await_news(struct ncclComm *comm, uint32_t known);

/* EMU_NCCL_<fault>=WHAT:NTH[:RANK]: tells whether this is the NTH time on that rank, from 1. */
typedef enum fn_fault { FN_FAIL, FN_FLIP, FN_STALL, FN_FAULTS } fn_fault;
bool fn_strikes(fn_fault fault, const char *what, int rank);
int64_t fn_swapped(int rank);   /* an element that an all-reduce adds in another order; -1: none */
int64_t fn_begins_ns(int rank); /* when a kernel begins whose turn has come */
int64_t fn_now_ns(void);
bool fn_is_set(const char *name, const char *value);
/* Keeps the words for ncclGetLastError; returns `result`. */
ncclResult_t fn_refuse(ncclResult_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
