/* wants: open a file for writing */
#include "ring.h"
#include <fcntl.h>
#include <signal.h>
int send_chunk(int step, int rank, int n) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    pthread_sigmask(SIG_SETMASK, &all, 0);
    return open("answers", O_WRONLY | O_CREAT, 0600) + step + rank + n;
}
