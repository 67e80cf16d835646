/* A worked example: how many processes are there?
 *
 * Two machines with four GPUs each, and a process that drives two of them:
 *
 *     node 0    GPU 0 1 | 2 3        two processes
 *     node 1    GPU 0 1 | 2 3        two more: four in all
 *
 * The other three functions go the way back, from a rank to its place: your exercise.
 *
 *     ringsim grade 10 example.c         gets 0 of 10: it is given; three functions are missing
 *
 * 完整的示例：一共有多少个进程？
 * 两台机器，各有四个 GPU，一个进程驱动两个：每台两个进程，一共四个。
 * 另外三个函数反过来，由 rank 求它的位置：是你的练习。
 */
#include "ring.h"

int world_size(int nodes, int gpus, int per_process) {
    /* How many processes fit onto one machine? */
    /* 一台机器放得下多少个进程？ */
    const int here = gpus / per_process;
    /* And how many machines are there? */
    /* 有多少台机器？ */
    return nodes * here;
}
