/* filter.c: which system calls a sandboxed program may make, as a BPF program.
 *
 *     number of the call --> in the list? --> yes: let it pass
 *                                             no:  SIGSYS, which ends the program
 *
 *   - A learner's program may make the calls of a short list. A compiler makes so many that it has a
 *     short list of calls that it may not make.
 *   - A program may open files, for reading only, since its loader must: Landlock or bubblewrap decide
 *     which.
 *   - Raw BPF, no library: the filter knows the numbers of the machine that it was built for, and ends
 *     a program that calls in any other way.
 */
#ifdef __linux__
#include "sandbox/filter.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv)
#define THIS_ARCH AUDIT_ARCH_RISCV64
#else
#define THIS_ARCH 0 /* name this machine's AUDIT_ARCH here: until then no program gets through */
#endif

static const int allowed[] = {
    SYS_read,
    SYS_readv,
    SYS_pread64,
    SYS_write,
    SYS_writev,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    SYS_mmap,
    SYS_mprotect,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_rt_sigaction,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_times,
    SYS_getrusage,
    SYS_uname,
    SYS_sysinfo,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_futex,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_rseq,

    SYS_getrandom,
    SYS_execve,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_newfstatat,
    SYS_restart_syscall,
    SYS_setitimer,
    SYS_getcwd,
    SYS_dup,
    SYS_wait4,
    SYS_ppoll,
    SYS_rt_sigsuspend,
#ifdef SYS_open
    SYS_arch_prctl,
    SYS_access,
    SYS_readlink,
    SYS_stat,
    SYS_lstat,
    SYS_time,
    SYS_pause,
    SYS_alarm,
    SYS_poll,
    SYS_dup2,
#endif
};
/* Libraries try these; the filter answers "no such call" rather than end the program. */
static const int harmless[] = {SYS_ioctl, SYS_prctl, SYS_statx};

/* Seem to succeed, and do nothing. A program that blocked SIGSYS would be killed before the driver can name
   the call that was refused, and the C library blocks all signals where it starts a process. */
static const int pretended[] = {SYS_rt_sigprocmask};

static const int forbidden[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_userfaultfd,
    SYS_reboot,
    SYS_swapon,
    SYS_io_uring_setup,
    SYS_setsid,
    SYS_setpgid,
};

enum { TRAP = SECCOMP_RET_TRAP, PASS = SECCOMP_RET_ALLOW };
#define N_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))
#define ARG(i) ((uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)(i)))
static const uint32_t writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

static void add(rc_filter *f, int code, uint32_t k, int yes, int no) {
    assert(f->n < RC_FILTER_MOST);
    f->code[f->n++] = (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, k};
}

static void answer(rc_filter *f, uint32_t what) {
    add(f, BPF_RET | BPF_K, what, 0, 0);
}

static void load(rc_filter *f, uint32_t offset) {
    add(f, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

static void answer_for(rc_filter *f, const int calls[], int n, uint32_t what) {
    for (int i = 0; i < n; i++) {
        add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], 0, 1);
        answer(f, what);
    }
}

/* Lets the call pass unless its flags, argument i, ask for writing. */
static void answer_open(rc_filter *f, int call, int i) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
    load(f, ARG(i));
    add(f, BPF_JMP | BPF_JSET | BPF_K, writes, 0, 1);
    answer(f, TRAP);
    answer(f, PASS);
}

/* A program may read and lower its own limits, and nobody else's. */
static void answer_limits(rc_filter *f) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 4);
    load(f, ARG(0));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    answer(f, PASS);
    answer(f, TRAP);
}

/* Passes the plain commands of fcntl: those behind F_SETLKW can have a signal sent to another process. */
static void answer_fcntl(rc_filter *f) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 5);
    load(f, ARG(1));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, F_DUPFD_CLOEXEC, 1, 0);
    add(f, BPF_JMP | BPF_JGT | BPF_K, F_SETLKW, 1, 0);
    answer(f, PASS);
    answer(f, TRAP);
}

/* Refuses to end with a status that stands for a signal. */
static void answer_exit(rc_filter *f, int call) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 6);
    load(f, ARG(0));
    add(f, BPF_ALU | BPF_AND | BPF_K, 0xff, 0, 0);
    add(f, BPF_JMP | BPF_JGE | BPF_K, RC_EXIT_SIGNAL, 0, 2);
    add(f, BPF_JMP | BPF_JGT | BPF_K, RC_EXIT_SIGNAL_LAST, 1, 0);
    answer(f, TRAP);
    answer(f, PASS);
}

/* raise() and abort() signal the program itself: where it could reach others, it may signal nobody else. */
static void answer_signal(rc_filter *f, pid_t own_pid) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, own_pid > 0 ? 4 : 1);
    if (own_pid > 0) {
        load(f, ARG(0));
        add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)own_pid, 0, 1);
        answer(f, PASS);
        answer(f, TRAP);
    } else {
        answer(f, PASS);
    }
}

void rc_filter_build(bool compiler, pid_t own_pid, rc_filter *filter) {
    filter->n = 0;
    load(filter, offsetof(struct seccomp_data, arch));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0);
    answer(filter, TRAP);
    load(filter, offsetof(struct seccomp_data, nr));
    add(filter, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* x86's second set of numbers */
    answer(filter, TRAP);
    if (compiler) {
        answer_for(filter, forbidden, N_OF(forbidden), SECCOMP_RET_ERRNO | EPERM);
        answer(filter, PASS);
        return;
    }
    answer_for(filter, allowed, N_OF(allowed), PASS);
    answer_for(filter, harmless, N_OF(harmless), SECCOMP_RET_ERRNO | ENOSYS);
    answer_for(filter, pretended, N_OF(pretended), SECCOMP_RET_ERRNO);
    answer_open(filter, SYS_openat, 2);
#ifdef SYS_open
    answer_open(filter, SYS_open, 1);
#endif
    answer_exit(filter, SYS_exit);
    answer_exit(filter, SYS_exit_group);
    answer_limits(filter);
    answer_fcntl(filter);
    answer_signal(filter, own_pid);
    answer(filter, TRAP);
}

bool rc_filter_apply(const rc_filter *filter) {
    const struct sock_fprog program = {.len = filter->n,
                                       .filter = (struct sock_filter *)(uintptr_t)filter->code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#endif
