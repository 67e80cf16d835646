/* wants: leave its session */
#include "ring.h"
#include <unistd.h>
int send_chunk(int step, int rank, int n) {
    return setsid() + step + rank + n;
}
