/* wants: computed for|was not done after */
#include "ring.h"
#include <stdio.h>
int send_chunk(int step, int rank, int n) {
    for (;;) printf("%d %d %d\n", step, rank, n);
}
