/* wants: the compiler: |[Ff]ile size limit|error: */
#include "ring.h"
int bomb[0x10000000] = {1};
int send_chunk(int step, int rank, int n) {
    return bomb[step] + rank + n;
}
