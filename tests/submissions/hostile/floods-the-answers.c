/* wants: wrote without end */
#include "ring.h"
#include <unistd.h>
static char block[65536];
int send_chunk(int step, int rank, int n) {
    for (;;) {
        if (write(3, block, sizeof block) < 0) return step + rank + n;
    }
}
