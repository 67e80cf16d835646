/* ring.h: what you write, and how ringsim asks you for it.
 *
 *     #include "ring.h"
 *
 *     int send_chunk(int step, int rank, int n) {
 *         return rank;   // not yet right
 *     }
 *
 *     ringsim --algo my_ring.c --gpus 5 --step     shows what you wrote, move by move
 *     ringsim grade 05 my_ring.c                   grades it
 *
 *   - It is compiled as GNU C17 (-std=gnu17) with -Wall -Wextra.
 *   - A file has no main(); ringsim asks your functions, for every step and every GPU, and plays what
 *     they answer. So each must answer from its arguments alone: no counters that live on, no files.
 *   - GPUs ("ranks") are 0 .. n-1, chunks 0 .. n-1, steps count from 0.
 *   - In C, -1 % 5 is -1, and chunk -1 does not exist.
 *   - printf is yours: what you print is shown to you, and changes nothing.
 */
#pragma once

/* ------------------------------------------------------------------ 1. A ring: lessons 5 and 6 */

/* Returns the chunk that `rank` sends to its neighbour in `step`. In steps 0 .. n-2 the receiver adds
   it to its own (scatter-reduce), in steps n-1 .. 2n-3 it overwrites its own with it (all-gather). */
int send_chunk(int step, int rank, int n);

/* Optional: who the neighbour is. Without it, rank + 1, and 0 after the last. */
int send_to(int rank, int n);

/* ------------------------------------------------------------------ 2. Any schedule: lesson 8 and on */

/* One message. */
typedef struct rs_send {
    int to;     /* the GPU that gets it */
    int chunk;  /* the first chunk in it */
    int chunks; /* how many chunks, one after the other; 0 counts as 1 */
    int copy;   /* 0: the receiver adds, 1: it overwrites */
} rs_send;

enum { RS_MOST_SENDS = 64 }; /* so many messages fit into out[] */

/* Writes what `rank` sends in `step` into out[0], out[1], ... and returns how many messages there are;
   0 is a good answer, too. In a step everybody reads before anybody writes. */
int sends(int step, int rank, int n, rs_send out[]);

/* Optional: how many steps there are (without it 2 (n - 1)), and into how many chunks the array is cut
   (without it n). */
int steps(int n);
int chunks(int n);

/* ------------------------------------------------------------------ 3. One function a lesson */

/* 1: returns the mean gradient over all samples. grads[r] is the mean over rank r's samples[r] samples. */
double average(int n, const double grads[], const int samples[]);

/* 2: writes the indices that `rank` of `world` sees into out[], returns how many: ceil(len / world),
   the same for all; what is missing at the end comes from the head. */
int sampler_indices(int len, int world, int rank, int out[]);

/* 3: the reducer of a word, 0 .. n-1. A word comes as a number, equal words as equal numbers; it may be
   negative. Every mapper asks by itself, and all must get the same answer. */
int reducer_of(int word, int n);
/* 3: makes one value of all values of a word. There is at least one. */
enum { OP_SUM, OP_COUNT, OP_MAX, OP_MIN };
int reduce_values(int op, int count, const int values[]);

/* 4: adds up n arrays of `count` numbers. Array r begins at in[r * count]. */
void reduce(int n, int count, const int in[], int sum[]);
/* 4: how long one reducer takes: each message of `bytes` bytes takes alpha + bytes / bandwidth seconds,
   and all go through GPU 0, one after the other, there and back. */
double naive_seconds(int n, double bytes, double alpha, double bandwidth);

/* 6: cuts `count` elements into n pieces, in order, that differ by one element at the most. */
void chunk_range(int count, int n, int chunk, int *first, int *length);

/* 7: how long the ring takes, and the size at which half of its time is latency. */
double ring_seconds(int n, double bytes, double alpha, double bandwidth);
double half_latency_bytes(int n, double alpha, double bandwidth);

/* 9: returns 0 for a tree, 1 for a ring: the faster of the two. */
int choose(int n, double bytes, double alpha, double bandwidth);

/* 10: numbers of processes. `nodes` machines have `gpus` GPUs each, a process drives `per_process`. */
int world_size(int nodes, int gpus, int per_process);
int node_of(int rank, int gpus, int per_process);
int local_rank(int rank, int gpus, int per_process);
int first_gpu(int rank, int gpus, int per_process);

/* 11: rank r has batches[r] batches. Writes into calls[r] how often it calls the all-reduce, so that no
   batch is lost, nobody waits for ever, and nobody calls more often than that takes. */
void plan_calls(int n, const int batches[], int calls[]);

/* 12: puts n layers into buckets, in the order in which the backward pass finds their gradients: layer
   n-1 first, layer 0 last. A bucket ends with the layer that makes it `limit` bytes long or longer; the
   first one ends at `first` bytes already. Writes the bucket of layer i, from 0, into bucket[i];
   returns how many buckets there are. */
int make_buckets(int n, const int bytes[], int first, int limit, int bucket[]);
/* 12: when the exchange is over. Bucket b is there at ready[b], its all-reduce takes seconds[b]; they
   follow each other in order, one at a time. */
double exchange_end(int n, const double ready[], const double seconds[]);

/* 13: writes an order of the n GPUs into order[], so that the slowest link between neighbours in the ring
   is as fast as can be. seconds[a * n + b] is the time of a message from a to b. */
void ring_order(int n, const double seconds[], int order[]);

/* 14: adds up chunk `chunk`'s numbers, x[r] of rank r, in the very order in which the ring does: rank
   `chunk` begins, then chunk + 1, and so on round the ring. */
float ring_sum(int n, int chunk, const float x[]);
/* 14: 1 if NCCL's ring adds element `element` in the same order in an array of `count` floats as in one of `other`, else 0.
   Its chunk c begins at rank c + 1; a chunk is count / n floats, and n divides both. */
int keeps_order(int n, int count, int other, int element);
/* 14: the least that has to be set so that every element has the same bits in an all-reduce of `count` floats, over `channels` channels,
   as in one of `other`, over `other_channels`. NCCL takes the ring for both and may add two ranks' data in either order; each channel
   has a tree of its own. Two sizes that are the same are the same call. */
enum { SET_NOTHING, SET_TREE, SET_TREE_ON_ONE_CHANNEL };
int what_to_set(int n, int count, int other, int channels, int other_channels);

/* 15: the two bandwidths that nccl-tests prints, in bytes a second. */
double algbw(double bytes, double seconds);
double busbw(int n, double bytes, double seconds);

/* 16: n flows begin together on one wire, which they share evenly at every moment. Flow i has bytes[i]
   bytes. Writes into end[i] after how many seconds it is through. */
void flow_ends(int n, const double bytes[], double bandwidth, double end[]);

/* 18: training with Adam in mixed precision on n GPUs, in stage 0 (all-reduce), 1, 2 or 3 of ZeRO: how many
   bytes a GPU keeps for a model of `params` parameters, and how many it sends in a step if the gradients
   are `bytes` bytes, and the weights as many. */
double zero_kept(int stage, int n, double params);
double zero_sent(int stage, int n, double bytes);

/* 20: a row of NCCL's tuning table has n ways. For `bytes` bytes way i takes latency_us[i] microseconds and the bytes at
   GBps[i] GB/s; at 0 GB/s it is switched off. Returns the fastest way, 0 .. n-1; one at least is there. */
int choose_way(int n, const double latency_us[], const double GBps[], double bytes);
/* 20: busbw / algbw, as nccl-tests has it. */
enum { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BROADCAST, REDUCE };
double bus_factor(int collective, int n);

/* 21: layer i of n is in bucket[i] (lesson 12: layer 0 in the last one), and used[i] is 0 where the forward pass leaves it out.
   Returns how many buckets DDP sends: from bucket 0 to the first that is never ready, which is not sent. */
int buckets_sent(int n, const int bucket[], const int used[]);
/* 21: rank r has batches[r] batches, and each batch's gradients go in so many buckets. Returns how many buckets' all-reduces
   Join answers for `rank`, until no rank has a batch any more. */
int join_calls(int n, const int batches[], int buckets, int rank);
