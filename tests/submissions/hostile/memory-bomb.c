/* wants: no memory was left|memory was used up */
#include "ring.h"
#include <stdlib.h>
#include <string.h>
int send_chunk(int step, int rank, int n) {
    for (;;) memset(malloc(1 << 20), step + rank + n, 1 << 20);
}
