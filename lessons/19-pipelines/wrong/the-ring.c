/* The ring: both directions are full, with 1.75 arrays each. */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    return (rank - step + 2 * n) % n;
}
