/* wants: no answer */
#include "ring.h"
#include <unistd.h>
int send_chunk(int step, int rank, int n) {
    for (int fd = 0; fd < 64; fd++) close(fd);
    return ((rank - step) % n + n) % n;
}
