/* nccl_emu.h: what the files of the emulated libnccl.so.2 share.
 *
 *     faults.c   what the environment asks for: versions, delays, flips, failures
 *     wire.c     sockets between the ranks, frames, the pump that moves them
 *     words.c    what it says: errors, NCCL_DEBUG
 *     init.c     communicators: how they come to be, end, and are asked how they are
 *     group.c    ncclSend, ncclRecv, ncclAllReduce: calls --> a kernel on the stream
 *     kernel.c   what the kernel does, a little at each look, until it is done
 *     reduce.c   an all-reduce as a rank's list of receive, add, send
 *
 * It is loaded as the real one is, by dlopen, and takes the emulated CUDA runtime and rs_fold from the
 * program. Where the real library has a trap, this one has it too:
 *
 *   - A send ends when its receive has begun: whoever sends to each other without a group hangs.
 *   - The first message between two ranks ties them together in ncclGroupEnd (or in the call, where
 *     there is no group), on the host: a peer that never comes blocks a blocking communicator there.
 *   - With blocking = 0 nothing lies on the stream before ncclCommGetAsyncError has said ncclSuccess.
 *   - Two ranks on one device of one host are refused; host is what NCCL_HOSTID says. From 2.30 on
 *     NCCL_MULTI_RANK_GPU_ENABLE=1 allows them.
 *   - A peer that dies is an asynchronous ncclRemoteError where messages go through sockets, and silence
 *     where they would go through shared memory (NCCL_P2P_DISABLE=1 and NCCL_SHM_DISABLE=1 say which).
 *     The kernel never ends in either case; ncclCommAbort ends it.
 *   - Sizes that do not fit (send 100, receive 50) never end: ncclInvalidUsage through sockets, silence
 *     else. The real one may also write what came; no rule says.
 *   - NCCL_DEBUG=VERSION, WARN, INFO speaks on standard output, unless NCCL_DEBUG_FILE names a file.
 *   - A send of 0 elements is a message; an all-reduce of 0 elements is nothing.
 *   - ncclAvg of floats multiplies each input by 1/N first; of integers it divides at the end.
 *   - NCCL_ALGO=Ring, NCCL_PROTO=Simple and one channel (NCCL_MAX_NCHANNELS=1 or maxCTAs = 1) give the
 *     ring's order of additions, with NCCL's own bounds of chunks; else it is a tree's.
 *   - All variables but NCCL_ALGO and NCCL_PROTO are read once, when a process makes its first
 *     communicator; those two for each communicator.
 *
 * Not emulated: several devices a process, communicators made inside a group, several streams in one
 * group, captured streams, speed. Names of sockets are abstract: nothing is ever left on a disk.
 */
#ifndef NCCL_EMU_H
#define NCCL_EMU_H

#include <emulator.h>
#include <nccl.h>

#include "ringsim.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EN_MOST_RANKS = 64, EN_TOKEN_BYTES = 16 };

/* ------------------------------------------------------------------ wire.c */

typedef enum en_lane { EN_P2P, EN_COLL, EN_LANES } en_lane;
typedef enum en_frame_kind {
    EN_HELLO = 1, /* its payload: en_hello */
    EN_TIE,       /* I am in ncclGroupEnd and want to `n`: 1 send, 2 receive, 3 reduce with you */
    EN_READY,     /* I wait for `n` bytes on this lane */
    EN_DATA,      /* here they are */
    EN_BYE        /* the communicator is destroyed in peace */
} en_frame_kind;
enum { EN_TIE_SEND = 1, EN_TIE_RECV = 2, EN_TIE_REDUCE = 4 };

typedef struct en_frame {
    uint32_t magic;
    uint8_t kind, lane;
    uint16_t reserved;
    int64_t n;
} en_frame;

typedef struct en_hello {
    int32_t version, rank, n_ranks, bus;
    uint64_t host;
    int32_t many_a_gpu; /* several ranks a device are allowed */
    int32_t reserved;
    char token[EN_TOKEN_BYTES];
} en_hello;

/* One message: of ours to somebody, or that we wait for. */
typedef struct en_message en_message;
struct en_message {
    en_message *next; /* in the peer's queue */
    char *data;
    int64_t n_bytes;
    int peer;
    uint8_t lane;
    bool is_send, done;
    int flip; /* the fault: the first bit flips on the way */
};

typedef struct en_out { /* bytes on their way to the socket */
    struct en_out *next;
    size_t n, sent;
    en_message *message; /* done when they are sent; NULL */
    char bytes[];
} en_out;

typedef struct en_peer {
    int fd; /* -1: not connected, or gone */
    bool said_hello, heard_hello, bye, gone;
    en_hello hello;
    en_out *out, **out_end;
    char head[sizeof(en_frame)];
    size_t n_head, n_body; /* of the frame that comes in */
    en_message *arriving;  /* where its body goes */
    int ties_sent, ties_heard;
    int64_t *ready[EN_LANES]; /* sizes that the peer waits for */
    int n_ready[EN_LANES];
    en_message *sends[EN_LANES], *recvs[EN_LANES];
} en_peer;

/* ------------------------------------------------------------------ communicators */

typedef struct en_op {
    enum { EN_SEND, EN_RECV, EN_ALL_REDUCE } what;
    const void *source;
    void *target;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;
    int peer, flip;
    int source_device, target_device; /* whose memory they are; -1: none's */
} en_op;

/* What one group puts on the stream for one communicator. */
typedef struct en_kernel {
    struct en_kernel *next; /* of the communicator's, until it is done */
    struct ncclComm *comm;  /* NULL: aborted */
    cudaStream_t stream;
    en_op *ops;
    int n_ops;
    int at; /* the all-reduce that runs; n_ops: messages */
    struct en_reduce *reduce;
    en_message *messages; /* [n_ops] */
    bool begun, posted, stalls;
    int64_t begins_ns; /* the fault: not before */
} en_kernel;

struct ncclComm {
    struct ncclComm *next;
    int rank, n_ranks, device, bus, version;
    char token[EN_TOKEN_BYTES];
    uint64_t host;
    bool blocking, one_channel, simple_ring, through_sockets;
    int listener;
    en_peer *peers;     /* [n_ranks] */
    ncclResult_t state; /* ncclInProgress: being made, or a group waits for its peers */
    bool made, aborted, finalized;
    bool in_step;            /* the device's memory can be touched */
    int n_inside;            /* threads that wait inside a call */
    int n_asked;             /* how often it was asked since the last call */
    en_kernel *kernels;      /* on the stream */
    en_kernel *waits;        /* for its peers, before it goes there */
    int ring[EN_MOST_RANKS]; /* ranks in the ring's order */
};

/* Held in every call but while it waits, and while it calls the runtime: that one has a lock of its own,
   and holds it when it runs a step. */
extern pthread_mutex_t en_lock;

/* Says why, in NCCL's words, for ncclGetLastError and NCCL_DEBUG; returns `result`. */
ncclResult_t en_warn(ncclResult_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void en_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

void en_version_line(void); /* NCCL_DEBUG=VERSION: "NCCL version 2.28.9" */

/* wire.c. Connects with everybody, a little further at each call; true: all have said hello. */
bool en_meet(struct ncclComm *comm);
ncclResult_t en_listen(struct ncclComm *comm);
/* Moves what can be moved; returns whether anything did. */
bool en_pump(struct ncclComm *comm);
/* Waits a millisecond at most, until something may move. Without the lock. */
void en_nap(const struct ncclComm *comm);
void en_send_frame(struct ncclComm *comm, int peer, en_frame_kind kind, uint8_t lane, int64_t n,
                   const void *body, size_t n_body, en_message *message);
/* Begins a message; it is `done` some day. Its data must stay until then. */
void en_post(struct ncclComm *comm, en_message *message);
void en_hang_up(struct ncclComm *comm);

/* group.c: puts what waits on the stream once all peers are there; true: nothing waits any more.
   Called without the lock. */
bool en_launch(struct ncclComm *comm);
ncclResult_t en_ready(struct ncclComm *comm, const char *call);

/* kernel.c: as emu_stream_push's step. */
bool en_kernel_step(void *kernel);
void en_kernel_free(en_kernel *kernel);

/* reduce.c */
typedef struct en_reduce en_reduce;
en_reduce *en_reduce_new(struct ncclComm *comm, const en_op *op);
bool en_reduce_step(en_reduce *reduce); /* true: done, the result is in its place */
void en_reduce_free(en_reduce *reduce);
bool en_type_known(ncclDataType_t type, rs_dtype *dtype);
int en_type_bytes(ncclDataType_t type); /* 0: no such type */

/* ------------------------------------------------------------------ faults.c */

int en_version(void);
/* EMU_NCCL_<fault>=WHAT:NTH[:RANK]: tells whether this is the NTH time on that rank. */
bool en_fault(const char *fault, const char *what, int rank);
/* EMU_NCCL_FAIL=CALL:NTH[:RANK]: the call's result there; ncclSuccess else. */
ncclResult_t en_fail(const char *call, int rank);
int64_t en_delay_ns(int rank); /* EMU_NCCL_DELAY=MS[:RANK]: before each kernel */
int64_t en_now_ns(void);
/* Tells whether a variable of NCCL is set to this. */
bool en_is_set(const char *name, const char *value);

#endif
