/* One ring over all eight: sound, and it waits for the thin wire in every step. */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    return (rank - step + 2 * n) % n;
}
