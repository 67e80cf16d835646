/* Two lines to fill, of lesson 16: flows on one wire.
 *
 *     ringsim grade 16 fill.c
 */
#include "ring.h"

void flow_ends(int n, const double bytes[], double bandwidth, double end[]) {
    for (int flow = 0; flow < n; flow++) {
        double on_the_wire = 0;
        for (int other = 0; other < n; other++) {
            double of_other = bytes[flow];
            /* How much of `other` has passed when `flow` ends? All of it, if it is the shorter one. */
            /* flow 结束时，other 传了多少？如果它更短，就已全部传完。 */
            /* SKELETON: of_other = 0; */
            /* BEGIN SOLUTION */
            if (bytes[other] < of_other) of_other = bytes[other];
            /* END SOLUTION */
            on_the_wire += of_other;
        }
        /* The wire was full all the time. */
        /* 链路一直是满的。 */
        /* SKELETON: end[flow] = bandwidth; */
        /* BEGIN SOLUTION */
        end[flow] = on_the_wire / bandwidth;
        /* END SOLUTION */
    }
}
