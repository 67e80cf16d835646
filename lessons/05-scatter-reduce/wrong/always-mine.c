/* Sends its own chunk again and again: numbers are counted twice. */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    (void)step, (void)n;
    return rank;
}
