/* wants: reach the network */
#include "ring.h"
#include <sys/socket.h>
int send_chunk(int step, int rank, int n) {
    return socket(AF_INET, SOCK_STREAM, 0) + step + rank + n;
}
