/* driver.c: the main() that is compiled with an exercise: it asks the learner's functions.
 *
 *     stdin: how many questions, then the questions --> ask_*() --> descriptor 3: the answers
 *
 *     3                         -2 5 8 0 0 0     five chunks, eight steps
 *     schedule 5 0 0            0 0 1 0 1 0      ...
 *     naive_seconds 10 ...      -1 0 0 0 0 0     the first one's end
 *
 *   - It runs in a sandbox, and whoever judges its answers trusts none of them. It knows no right answer.
 *   - Each answer is written before the next question, so that a crash costs only what came after.
 *   - By hand: cc my_ring.c driver.c ask_schedule.c && echo 1 schedule 5 0 0 | ./a.out | od -An -v -td4 -w24
 */
#define _GNU_SOURCE
#include "question.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma weak ringsim_ask_schedule
#pragma weak ringsim_ask_value

/* A system call that the sandbox refuses ends the program; this says which one it was. */
static const char *call_name(int number) {
    switch (number) {
#ifdef SYS_fork
    case SYS_fork:
    case SYS_vfork:
    case SYS_open:
    case SYS_unlink:
        return number == SYS_open     ? "open a file for writing"
               : number == SYS_unlink ? "remove a file"
                                      : "start a process";
#endif
    case SYS_clone:
    case SYS_clone3: return "start a process or a thread";
    case SYS_openat: return "open a file for writing";
    case SYS_unlinkat: return "remove a file";
    case SYS_socket: return "reach the network";
    case SYS_kill:
    case SYS_tgkill:
    case SYS_tkill: return "send a signal to another process";
    case SYS_ptrace: return "look into another process";
    case SYS_prlimit64: return "change limits of another process";
    case SYS_fcntl: return "have signals sent to another process";
    case SYS_setsid: return "leave its session";
    case SYS_exit:
    case SYS_exit_group: return "end with a status that stands for a signal, 129..159";
    default: return NULL;
    }
}

static void refused(int number, siginfo_t *info, void *context) {
    static const char before[] = "ringsim: the program wanted to ";
    const char *name = call_name(info->si_syscall);
    (void)context;
    if (name != NULL && write(STDERR_FILENO, before, sizeof before - 1) > 0 &&
        write(STDERR_FILENO, name, strlen(name)) > 0 && write(STDERR_FILENO, "\n", 1) > 0) {
        /* said */
    }
    signal(number, SIG_DFL);
    raise(number);
}

__attribute__((constructor(101))) static void watch(void) {
    struct sigaction action = {.sa_sigaction = refused, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSYS, &action, NULL);
}

static void ask(FILE *answers) {
    char name[32];
    if (scanf("%31s", name) != 1) ringsim_no_number();
    if (strcmp(name, "schedule") == 0 && ringsim_ask_schedule != NULL) {
        ringsim_ask_schedule(answers);
    } else if (ringsim_ask_value == NULL || !ringsim_ask_value(name, answers)) {
        ringsim_no_number();
    }
    if (scanf("%*[^\n]") == EOF) return; /* of a missing function's question nothing was read */
}

int main(void) {
    FILE *answers = fdopen(3, "w");
    if (answers == NULL) answers = stdout; /* by hand */
    const int n = ringsim_next_int();
    for (int i = 0; i < n; i++) {
        ask(answers);
        ringsim_put_row(answers, (int[6]){ANSWER_END});
        fflush(answers);
    }
    fflush(stdout);
    return 0;
}
