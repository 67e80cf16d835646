/* wants: the system does not start it|ended before it had answered */
#include "ring.h"
__asm__(".section .interp,\"a\",@progbits\n.fill 8192, 1, 65\n.text");
int send_chunk(int step, int rank, int n) {
    return ((rank - step) % n + n) % n;
}
