/* wants: error: expected */
#include "ring.h"
int send_chunk(int step, int rank, int n) {
    return (rank - step + n) % n
}
