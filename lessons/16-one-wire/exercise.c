/* Exercise of lesson 16: flows on one wire.
 *
 * n flows begin together on a wire of `bandwidth` bytes a second, and share it evenly at every moment. Flow i
 * has bytes[i] bytes. Write into end[i] after how many seconds it is through.
 *
 *     ringsim grade 16 exercise.c
 */
#include "ring.h"

void flow_ends(int n, const double bytes[], double bandwidth, double end[]) {
    /* SKELETON: (void)bytes, (void)bandwidth; */
    /* SKELETON: for (int i = 0; i < n; i++) end[i] = 0; */
    /* BEGIN SOLUTION */
    for (int i = 0; i < n; i++) {
        double carried =
            0; /* by the wire, when flow i ends: as much of each other one, if it has that much */
        for (int k = 0; k < n; k++) carried += bytes[k] < bytes[i] ? bytes[k] : bytes[i];
        end[i] = carried / bandwidth;
    }
    /* END SOLUTION */
}
