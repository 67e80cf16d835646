/* A worked example: one reducer, in the form in which a schedule is written.
 *
 * GPU 0 gets everybody's array, one after the other, and adds; then it sends the sum back to each. Watch
 * it, and see how little of it happens at once:
 *
 *     ringsim --algo example.c --gpus 4 --step
 *     ringsim grade 05 example.c         gets 0 of 20: it is asked about five GPUs
 *
 * 完整的示例：一个归约者，写成调度的形式。
 * GPU 0 依次收下每个 GPU 的数组并累加，再把和发回给每一个。看一看：同时进行的事情多么少。
 */
#include "ring.h"

/* It knows four GPUs only. */
/* 它只认识四个 GPU。 */
enum { GPUS = 4 };

/* How many pieces? One: whole arrays travel. */
/* 切成几块？一块：整个数组一起走。 */
int chunks(int n) {
    (void)n;
    return 1;
}

int sends(int step, int rank, int n, rs_send out[]) {
    if (n != GPUS) return 0;
    /* Which half are we in? First three steps towards GPU 0, then three back. */
    /* 现在是哪一半？先用三步发往 GPU 0，再用三步发回来。 */
    const int back = step >= GPUS - 1;
    /* Whose turn is it? GPU 1, 2, 3, each once in each half. */
    /* 轮到谁？GPU 1、2、3，每一半里各一次。 */
    const int other = 1 + step % (GPUS - 1);
    /* Is this rank the sender of the step? All others send nothing. */
    /* 这一步由这个 rank 发送吗？其他的都不发送。 */
    if (rank != (back ? 0 : other)) return 0;
    /* What does it send, and does the receiver add or overwrite? */
    /* 发送什么？接收方是累加还是覆盖？ */
    out[0].to = back ? other : 0;
    out[0].chunk = 0;
    out[0].chunks = 1;
    out[0].copy = back;
    return 1;
}
