/* wants: ended before it had answered, exit status 255 */
#include "ring.h"
#include <stdlib.h>
int send_chunk(int step, int rank, int n) {
    exit(-1 + 0 * (step + rank + n));
}
