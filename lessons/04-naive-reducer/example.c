/* A worked example: the sum of two arrays, and how long a single message takes.
 *
 * reduce() is right for one array and for two; any number of them is your exercise, and so is the time of
 * the whole. What the grader says to this file shows where it ends:
 *
 *     ringsim grade 04 example.c         gets 0 of 10: it is also asked about nine arrays
 *
 * 完整的示例：两个数组的和，以及一条消息用多少时间。
 * reduce() 对一个和两个数组是对的；任意多个数组，以及整个过程的时间，是你的练习。
 */
#include "ring.h"

void reduce(int n, int count, const int in[], int sum[]) {
    /* Where does array 0 begin? At 0. And array 1? After the `count` numbers of array 0. */
    /* 数组 0 从哪里开始？从 0。数组 1 呢？在数组 0 的 count 个数之后。 */
    const int *first = in, *second = in + count;
    /* Place by place: what is summed up are the numbers that stand at the same place of their arrays. */
    /* 逐个位置相加：加在一起的是各数组里同一位置上的数。 */
    for (int place = 0; place < count; place++) {
        sum[place] = first[place];
        if (n > 1) sum[place] += second[place];
    }
}

double naive_seconds(int n, double bytes, double alpha, double bandwidth) {
    (void)n;
    /* What does one message take? Its way, whatever its size, and then its bytes, one after the other. */
    /* 一条消息用多少时间？先是路上的时延，与大小无关；再是逐个传输的字节。 */
    const double way = alpha, transfer = bytes / bandwidth;
    /* How many messages follow one another? Here one. */
    /* 有多少条消息先后相接？这里是一条。 */
    return 1 * (way + transfer);
}
