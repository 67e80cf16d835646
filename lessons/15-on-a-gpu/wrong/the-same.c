/* Takes the two for one. */
#include "ring.h"

double algbw(double bytes, double seconds) {
    return bytes / seconds;
}
double busbw(int n, double bytes, double seconds) {
    (void)n;
    return bytes / seconds;
}
