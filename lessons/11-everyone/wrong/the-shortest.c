/* Stops with the rank that is done first: the others' last batches are lost. */
#include "ring.h"

void plan_calls(int n, const int batches[], int calls[]) {
    int least = batches[0];
    for (int r = 0; r < n; r++) least = batches[r] < least ? batches[r] : least;
    for (int r = 0; r < n; r++) calls[r] = least;
}
