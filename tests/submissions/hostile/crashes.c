/* wants: crashed, signal 11 */
#include "ring.h"
int send_chunk(int step, int rank, int n) {
    return *(volatile int *)(long)(step + rank + n);
}
